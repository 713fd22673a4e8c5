//! The golden cases of the dialects, as `host-test/cases/dialects` describes them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use murmur_fence::history::{Turn, history};
use murmur_fence::nonce::{Form, Style, TokenError, TokenOccurs};
use murmur_fence::tags::FenceError;
use murmur_fence::{
    Dialect, Disguise, INFIX, Lookalike, MarkerDialect, Mode, Nonce, ReadsAs, Rule, Segment, Tags,
    Verdict, lookalikes,
};
use serde_json::{Value, json};

/// The kinds of fault, each of which has a case.
const FAULTS: [&str; 21] = [
    "closer-with-attributes",
    "white-space-before-bracket",
    "attribute-openers",
    "disguised-closer",
    "homoglyph-name",
    "folding-offsets",
    "already-wrapped",
    "rewrite-forms-marker",
    "forged-opener",
    "predictable-nonce",
    "quoted-terminator",
    "name-breaks-attribute",
    "truncation",
    "unwrap-loses-data",
    "first-closer",
    "one-lane-of-many",
    "tier-exact-string",
    "unmarked-structure",
    "decoded-after",
    "escaped-by-serializer",
    "quadratic-scan",
];

/// What is no matter of this crate.
const ELSEWHERE: [&str; 1] = ["lanes"];

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../host-test/cases/dialects");
    let mut faults = BTreeSet::new();
    let mut trials = Vec::new();
    for entry in fs::read_dir(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display())) {
        let directory = entry.unwrap().path();
        if !directory.is_dir() {
            continue;
        }
        let name = directory.file_name().unwrap().to_string_lossy().into_owned();
        let file = directory.join("case.json");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let case: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        faults.insert(word(&case["fault"]).to_owned());
        let elsewhere = ELSEWHERE.contains(&word(&case["dialect"]));
        if elsewhere && !arguments.list {
            eprintln!("skipped {name}: a matter of {}, not of this crate", word(&case["dialect"]));
        }
        trials.push(Trial::test(name, move || check(&case)).with_ignored_flag(elsewhere));
    }
    trials.push(Trial::test("every_fault_has_a_case", move || {
        equal(json!(faults), json!(FAULTS.into_iter().collect::<BTreeSet<_>>()))
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

fn equal(seen: Value, expected: Value) -> Result<(), Failed> {
    if seen == expected {
        return Ok(());
    }
    let shown = |value: Value| format!("{value:#}").chars().take(2_000).collect::<String>();
    Err(format!("expected {}\nseen {}", shown(expected), shown(seen)).into())
}

fn check(case: &Value) -> Result<(), Failed> {
    let (input, expected) = (&case["input"], resolve(&case["expected"]));
    let seen = match word(&case["operation"]) {
        "history" => seen_history(input),
        "lookalikes" => lookalikes(&text(&input["message"])).map(seen_lookalike).collect(),
        "fence" if case["dialect"] == "nonce" => seen_nonce_fence(&case["settings"], input),
        operation @ ("fence" | "tool-result") => {
            seen_tags_fence(&tags(&case["settings"]), operation, input)
        }
        operation => {
            let settings = &case["settings"];
            let dialect: Box<dyn Dialect> = match word(&case["dialect"]) {
                "marker" => Box::new(MarkerDialect),
                "nonce" => Box::new(nonce(settings).unwrap()),
                "tags" => Box::new(tags(settings)),
                other => return Err(format!("no such dialect: {other}").into()),
            };
            seen_through_the_trait(&*dialect, operation, input)?
        }
    };
    equal(seen, expected)
}

fn seen_through_the_trait(
    dialect: &dyn Dialect,
    operation: &str,
    input: &Value,
) -> Result<Value, Failed> {
    let source = || text(&input["source"]);
    let content = || text(&input["content"]);
    Ok(match operation {
        "wrap" => {
            let content = content();
            let budget = input["budget"].as_u64().map_or(content.len(), |budget| budget as usize);
            json!(dialect.wrap(&source(), &content[..content.floor_char_boundary(budget)]))
        }
        "defang" => {
            let content = content();
            let once = dialect.defang(&content);
            if dialect.verify(&once, Mode::Strict) != Verdict::Unfenced {
                return Err(format!("a marker is left in {once:?}").into());
            }
            if dialect.defang(&once) != once {
                return Err(format!("not the same when defanged again: {once:?}").into());
            }
            if once.replace(INFIX, "") != content.replace(INFIX, "") {
                return Err(format!("more than an insertion: {once:?}").into());
            }
            json!(once)
        }
        "round-trip" => {
            let block = dialect.wrap(&source(), &content());
            let Verdict::Intact(outline) = dialect.verify(&block, Mode::Strict) else {
                return Err(format!("not intact: {block:?}").into());
            };
            let found = &outline.blocks[0];
            let body = &block[found.body.clone()];
            json!({ "source": found.source, "body": body, "restored": dialect.restore(body) })
        }
        "segments" => {
            let message = text(&input["message"]);
            let segments = dialect.segments(&message).into_iter().map(|segment| match segment {
                Segment::Text(span) => json!({ "text": message[span] }),
                Segment::Block(block) => {
                    json!({ "source": block.source, "body": message[block.body] })
                }
            });
            segments.collect()
        }
        "verify" => {
            let message = match input["message-json"].as_str() {
                Some(literal) => serde_json::from_str(literal).unwrap(),
                None => text(&input["message"]),
            };
            let mode = if input["mode"] == "strict" { Mode::Strict } else { Mode::Standard };
            seen_verdict(&message, dialect.verify(&message, mode))
        }
        "rules" => {
            let rules = dialect.rules().labelled(word(&input["label"])).unwrap();
            json!({
                "label": rules.label(),
                "text": rules.text(),
                "region-rule": rules.alone(Rule::Region),
                "phrase-rule": rules.alone(Rule::Phrase),
                "label-rule": rules.alone(Rule::Label),
            })
        }
        other => return Err(format!("no such operation: {other}").into()),
    })
}

fn seen_verdict(message: &str, verdict: Verdict<'_>) -> Value {
    match verdict {
        Verdict::Unfenced => json!({ "verdict": "unfenced" }),
        Verdict::Intact(outline) => {
            let blocks = outline.blocks.iter();
            let blocks: Vec<_> = blocks
                .map(|block| json!({ "source": block.source, "body": message[block.body.clone()] }))
                .collect();
            let outside: Vec<_> =
                outline.outside.iter().map(|span| &message[span.clone()]).collect();
            json!({ "verdict": "intact", "blocks": blocks, "outside": outside })
        }
        Verdict::Broken(flaws) => {
            let flaws = flaws.iter().map(|flaw| json!([flaw.kind.as_str(), flaw.offset]));
            json!({ "verdict": "broken", "flaws": flaws.collect::<Vec<_>>() })
        }
    }
}

fn seen_nonce_fence(settings: &Value, input: &Value) -> Value {
    let fenced = nonce(settings).and_then(|nonce| {
        nonce.fence(&text(&input["source"]), &text(&input["content"])).map_err(
            |error| match error {
                TokenOccurs::InContent { .. } => "token-occurs-in-content",
                TokenOccurs::InSource { .. } => "token-occurs-in-source",
            },
        )
    });
    match fenced {
        Ok(fenced) => json!({ "ok": fenced.block }),
        Err(error) => json!({ "error": error }),
    }
}

fn nonce(settings: &Value) -> Result<Nonce, &'static str> {
    let nonce = Nonce::with_token(word(&settings["token"])).map_err(|error| match error {
        TokenError::Short { .. } => "token-too-short",
        TokenError::Long { .. } => "token-too-long",
        TokenError::Character { .. } => "token-character",
        TokenError::Repeated { .. } => "token-repeated",
    })?;
    let style = if settings["style"] == "tag" { Style::Tag } else { Style::Angle };
    let name = settings["name"].as_str().unwrap_or("DOC");
    Ok(nonce.in_form(Form::new(name, style).unwrap()))
}

fn seen_tags_fence(tags: &Tags, operation: &str, input: &Value) -> Value {
    let body = text(&input["body"]);
    let block = if operation == "fence" {
        let attributes: Vec<(String, String)> = input["attributes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| (text(&pair[0]), text(&pair[1])))
            .collect();
        let attributes: Vec<_> =
            attributes.iter().map(|(name, value)| (&**name, &**value)).collect();
        tags.fence(word(&input["tag"]), &body, &attributes)
    } else {
        tags.tool_result(&text(&input["tool"]), &body)
    };
    match block {
        Ok(block) => json!({ "ok": block }),
        Err(FenceError::NotReserved { .. }) => json!({ "error": "tag-not-reserved" }),
        Err(FenceError::Attribute { .. }) => json!({ "error": "attribute-name" }),
        Err(FenceError::Duplicate { .. }) => json!({ "error": "attribute-duplicate" }),
    }
}

fn tags(settings: &Value) -> Tags {
    match settings["reserved"].as_array() {
        None => Tags::default(),
        Some(names) => Tags::new(&names.iter().map(word).collect::<Vec<_>>()).unwrap(),
    }
}

fn seen_history(input: &Value) -> Value {
    let turns = input["turns"].as_array().unwrap().iter();
    let imported = history(
        turns.map(|turn| Turn { role: word(&turn[0]).into(), text: word(&turn[1]).into() }),
    );
    let turns: Vec<_> = imported.turns.iter().map(|turn| json!([turn.role, turn.text])).collect();
    let coercions = imported.coercions.iter();
    let coercions: Vec<_> =
        coercions.map(|coercion| json!([coercion.index, coercion.role])).collect();
    json!({ "turns": turns, "coercions": coercions })
}

fn seen_lookalike(found: Lookalike) -> Value {
    let reads_as = match found.reads_as {
        ReadsAs::Opener => "opener",
        ReadsAs::Closer => "closer",
    };
    let disguises: Vec<_> = found.disguises.iter().map(Disguise::as_str).collect();
    let span = [found.span.start, found.span.end];
    json!({ "span": span, "reads-as": reads_as, "disguises": disguises })
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}"))
}

/// A text of a case: a string, or parts to be joined.
fn text(value: &Value) -> String {
    match resolve(value) {
        Value::String(text) => text,
        other => panic!("not a text: {other}"),
    }
}

/// The value with every list of parts joined to the text that it stands for.
fn resolve(value: &Value) -> Value {
    match value {
        Value::Array(parts) if parts.iter().any(|part| part.get("repeat").is_some()) => {
            let parts = parts.iter().map(|part| match part.get("repeat") {
                Some(unit) => word(unit).repeat(part["times"].as_u64().unwrap() as usize),
                None => word(part).to_owned(),
            });
            Value::String(parts.collect())
        }
        Value::Array(items) => items.iter().map(resolve).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), resolve(value))).collect()
        }
        other => other.clone(),
    }
}
