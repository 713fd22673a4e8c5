//! Prompts put together over lanes of every trust, in every dialect.

use super::{Material, Tally};
use crate::cases::CaseError;
use crate::hostile;
use crate::subject::{Answer, Lanes, Prompt, Subject};
use murmur_fence_host::lanes::{Assembled, Dialect};
use murmur_fence_host::nonce::{Settings, Style};
use serde_json::{Value, json};

/// The classes of trust, and whether their text must be fenced.
const CLASSES: [(&str, bool); 5] =
    [("owner", false), ("policy", false), ("tool", true), ("child", true), ("model", true)];

const SETTINGS: Settings<'static> =
    Settings { token: "7f3a91c2d4e5f607", name: None, style: Style::Angle };

/// A receipt says what the bytes say: of every text, in a lane of every trust, in
/// every dialect.
pub(super) fn receipts(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    let text: String = CLASSES
        .iter()
        .map(|(trust, _)| format!("[{trust}-lane]\ntrust = {trust:?}\nbudget = 40\n"))
        .collect();
    let mut lanes = match subject.registry(&text) {
        Ok(Ok(lanes)) => lanes,
        refused => {
            let seen = format!("{:?}", refused.map(|made| made.map(drop)));
            tally.texts("registry", "lanes", &seen);
            return Ok(tally);
        }
    };
    for (name, dialect) in [
        ("marker", Dialect::Marker),
        ("nonce", Dialect::Nonce(&SETTINGS)),
        ("tags", Dialect::Tags(None)),
    ] {
        for text in hostile::TEXTS.iter().chain(hostile::TAG_TEXTS) {
            let at = format!("{name} prompt of {text:?} in every lane");
            let seen = match prompt(&mut *lanes, dialect, text) {
                Ok(seen) => seen,
                Err(error) => json!({ "no-answer": error.to_string() }),
            };
            tally.values(at, &expected(text), &seen);
        }
    }
    Ok(tally)
}

/// What is to come of a text in every lane.
fn expected(text: &str) -> Value {
    let bytes = text.floor_char_boundary(40);
    let cut = text.len() - bytes;
    let receipts = CLASSES.map(|(trust, fenced)| {
        let lane = format!("{trust}-lane");
        let line = json!({
            "lane": lane, "trust": trust, "budget": 40, "bytes": bytes, "cut": cut,
            "declared": fenced, "fenced": fenced,
        });
        json!({
            "lane": lane, "bytes": bytes, "cut": cut, "declared": fenced, "fenced": fenced,
            "line": line,
        })
    });
    let coverage = json!({ "declared": 3, "enforced": 3 });
    json!({
        "pushed": receipts, "read-back": receipts,
        "prompt": coverage, "receipts": coverage,
    })
}

fn prompt(lanes: &mut dyn Lanes, dialect: Dialect<'_>, text: &str) -> Answer<Value> {
    let names = CLASSES.map(|(trust, _)| format!("{trust}-lane"));
    let pushes: Vec<(&str, &str)> = names.iter().map(|lane| (lane.as_str(), text)).collect();
    let Prompt { pushed, finished } = match lanes.assemble(dialect, &pushes)? {
        Ok(prompt) => prompt,
        Err(error) => return Ok(json!(format!("{error:?}"))),
    };
    let Ok(Assembled { text, receipts, .. }) = finished else {
        return Ok(json!(format!("{finished:?}")));
    };
    let lines: Vec<&str> = receipts.iter().map(|receipt| receipt.line.as_str()).collect();
    let coverage = |declared, enforced| json!({ "declared": declared, "enforced": enforced });
    let of_prompt = match lanes.prompt_coverage(dialect, &text)? {
        Ok(found) => coverage(found.declared, found.enforced),
        Err(error) => json!(format!("{error:?}")),
    };
    let of_receipts = match lanes.receipt_coverage(&lines.join("\n"))? {
        Ok(found) => coverage(found.declared, found.enforced),
        Err(error) => json!(format!("{error:?}")),
    };
    let pushed = pushed.iter().map(|answer| match answer {
        Ok(it) => receipt(it),
        Err(error) => json!(format!("{error:?}")),
    });
    Ok(json!({
        "pushed": pushed.collect::<Value>(),
        "read-back": receipts.iter().map(receipt).collect::<Value>(),
        "prompt": of_prompt,
        "receipts": of_receipts,
    }))
}

fn receipt(receipt: &murmur_fence_host::lanes::Receipt) -> Value {
    json!({
        "lane": receipt.lane, "bytes": receipt.bytes, "cut": receipt.cut,
        "declared": receipt.declared, "fenced": receipt.fenced,
        "line": serde_json::from_str::<Value>(&receipt.line).unwrap_or_default(),
    })
}
