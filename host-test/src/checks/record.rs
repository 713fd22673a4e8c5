//! The records of the page cases, walked as a reader of them would.

use super::{Material, Tally};
use crate::cases::{CaseError, Kind};
use crate::native::Native;
use crate::report::Finding;
use crate::subject::Subject;
use crate::values::{self, answer};
use murmur_fence_host::{Message, ServedMessage};
use murmur_fence_record::{Line, Standing, inspect_stored};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The limits that records are walked with.
const LIMITS: [u32; 5] = [1, 2, 3, 7, 100];

/// Walked with any limit, a record gives the same messages, and each page is as
/// full as it can be and names the next.
pub(super) fn walks(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for directory in records(material) {
        let Some(whole) = walk(subject, &directory, 100)? else { continue };
        for limit in LIMITS {
            let Some(walked) = walk(subject, &directory, limit)? else { continue };
            tally.looked_at += 1;
            tally.findings.extend(walked.findings);
            let at = format!("{} walked with limit {limit}", directory.display());
            let ids = |messages: &[Message]| messages.iter().map(|it| json!(it.id)).collect();
            tally.values(at, &ids(&whole.messages), &ids(&walked.messages));
        }
    }
    Ok(tally)
}

/// The subject inspects what it serves as the native crate does.
pub(super) fn inspection(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for directory in records(material) {
        let Some(walked) = walk(subject, &directory, 100)? else { continue };
        for message in &walked.messages {
            let message = to_inspect(message);
            let expected = answer(Native.inspect(&message), values::inspected);
            let seen = answer(subject.inspect(&message), values::inspected);
            tally.values(format!("{} inspected", directory.display()), &expected, &seen);
        }
    }
    Ok(tally)
}

/// Whatever the record labels as fenced and holds intact is served intact, though
/// a page carries no label: the markers alone still tell where it came from.
pub(super) fn markers_intact(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for directory in records(material) {
        let path = directory.join("conversation.jsonl");
        // A record that is not text is refused as a whole.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut served = walk(subject, &directory, 100)?.unwrap_or_default().messages;
        served.reverse();
        let stored = text.lines().filter_map(|line| match Line::parse(line) {
            Ok(Line::Message(message)) => Some((line, message)),
            _ => None,
        });
        for (index, (line, message)) in stored.enumerate() {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            let Some(label) = line["fence"].as_str() else { continue };
            let pieces = inspect_stored(&message).unwrap_or_default();
            let intact: Vec<_> = pieces
                .iter()
                .filter(|piece| matches!(piece.standing, Standing::Intact(_)))
                .map(|piece| piece.text.as_ref())
                .collect();
            if !intact.is_empty() {
                let at = format!("{} message {index}, labelled {label:?}", path.display());
                let seen = served.get(index).map_or_else(Vec::new, intact_texts);
                tally.values(at, &json!(intact), &json!(seen));
            }
        }
    }
    Ok(tally)
}

fn intact_texts(message: &Message) -> Vec<String> {
    let message = to_inspect(message);
    murmur_fence_record::inspect(message.role, message.content, message.inserted)
        .unwrap_or_default()
        .into_iter()
        .filter(|piece| matches!(piece.standing, Standing::Intact(_)))
        .map(|piece| piece.text.into_owned())
        .collect()
}

/// A served message as `inspect` takes it.
pub(crate) fn to_inspect(message: &Message) -> ServedMessage<'_> {
    ServedMessage {
        role: &message.role,
        content: &message.content,
        inserted: message.inserted_by.is_some(),
    }
}

/// The directories of the page cases that hold a record.
pub(super) fn records(material: &Material) -> impl Iterator<Item = PathBuf> {
    material
        .cases
        .iter()
        .filter(|case| case.kind == Kind::Page)
        .filter(|case| case.directory.join("conversation.jsonl").is_file())
        .map(|case| case.directory.clone())
}

/// A record, walked from its newest message to its oldest.
#[derive(Default)]
struct Walked {
    /// Newest first, if the subject pages as it should.
    messages: Vec<Message>,
    /// Where a page was not as it should be.
    findings: Vec<Finding>,
}

/// Walks the record in a directory, if the subject reads records at all.
fn walk(subject: &dyn Subject, directory: &Path, limit: u32) -> Result<Option<Walked>, CaseError> {
    let mut record = match subject.record(Some(directory)) {
        Some(Ok(record)) => record,
        Some(Err(error)) => return Err(CaseError::new(directory, error)),
        None => return Ok(None),
    };
    let mut walked = Walked::default();
    let mut cursor: Option<String> = None;
    loop {
        let at = format!("{} read with limit {limit} from {cursor:?}", directory.display());
        let page = match record.read_messages(cursor.as_deref(), limit) {
            Ok(Ok(page)) => page,
            // Whether the record is refused rightly is for the page cases to say.
            Ok(Err(error)) if cursor.is_none() && error.starts_with("unavailable: ") => break,
            Ok(Err(error)) => {
                walked.findings.push(Finding::of_texts(at, "a page", &error));
                break;
            }
            Err(error) => {
                walked.findings.push(Finding::of_texts(at, "a page", &error.to_string()));
                break;
            }
        };
        let left = (page.total as usize).saturating_sub(walked.messages.len());
        let full = left.min(limit as usize);
        let expected = json!({
            "messages": full,
            "next cursor": (left > full).then(|| format!("mc_{}", left - full)),
        });
        let seen = json!({ "messages": page.messages.len(), "next cursor": page.next_cursor });
        walked.findings.extend(Finding::of_values(at, &expected, &seen));
        // A page that adds nothing would be followed for ever.
        let stuck = page.messages.is_empty();
        walked.messages.extend(page.messages);
        cursor = page.next_cursor;
        if cursor.is_none() || stuck {
            break;
        }
    }
    Ok(Some(walked))
}
