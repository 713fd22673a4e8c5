//! The records of the page cases, walked as a reader of them would.

use super::{Material, Tally};
use crate::cases::{CaseError, Kind};
use crate::native::Native;
use crate::subject::{Record, Subject};
use crate::values::{self, answer};
use murmur_fence_host::{Message, ServedMessage};
use murmur_fence_record::{Line, Standing, inspect_stored};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The limits that records are walked with.
const LIMITS: [u32; 5] = [1, 2, 3, 7, 100];

/// Walked with any limit, a record gives the same messages, and each page is as
/// full as it can be.
pub(super) fn walks(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for directory in records(material) {
        let Some(whole) = served(&mut tally, subject, &directory, 100)? else { continue };
        for limit in LIMITS {
            let at = format!("{} walked with limit {limit}", directory.display());
            let Some(walked) = served(&mut tally, subject, &directory, limit)? else { continue };
            let ids =
                |messages: &[Message]| json!(messages.iter().map(|m| &m.id).collect::<Vec<_>>());
            tally.values(at, &ids(&whole), &ids(&walked));
        }
    }
    Ok(tally)
}

/// The subject inspects what it serves as the native crate does.
pub(super) fn inspection(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for directory in records(material) {
        let Some(messages) = served(&mut tally, subject, &directory, 100)? else { continue };
        for message in &messages {
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
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let stored: Vec<_> = text
            .lines()
            .filter_map(|line| match Line::parse(line) {
                Ok(Line::Message(message)) => Some((line, message)),
                _ => None,
            })
            .collect();
        let Some(mut messages) = served(&mut tally, subject, &directory, 100)? else { continue };
        messages.reverse();
        for (index, (line, message)) in stored.iter().enumerate() {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            let Some(label) = line["fence"].as_str() else { continue };
            let pieces = inspect_stored(message).unwrap_or_default();
            let intact: Vec<_> = pieces
                .iter()
                .filter(|piece| matches!(piece.standing, Standing::Intact(_)))
                .map(|piece| piece.text.as_ref())
                .collect();
            if intact.is_empty() {
                continue;
            }
            let at = format!("{} message {index}, labelled {label:?}", path.display());
            let seen = messages.get(index).map_or_else(Vec::new, intact_texts);
            tally.values(at, &json!(intact), &json!(seen));
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
fn records(material: &Material) -> impl Iterator<Item = PathBuf> {
    material
        .cases
        .iter()
        .filter(|case| case.kind == Kind::Page)
        .filter(|case| case.directory.join("conversation.jsonl").is_file())
        .map(|case| case.directory.clone())
}

/// Every message that the subject serves of a record, newest first; none when it
/// cannot be read at all, which the page cases look at.
fn served(
    tally: &mut Tally,
    subject: &dyn Subject,
    directory: &Path,
    limit: u32,
) -> Result<Option<Vec<Message>>, CaseError> {
    match subject.record(Some(directory)) {
        Some(Ok(mut record)) => Ok(walk(tally, record.as_mut(), directory, limit)),
        Some(Err(error)) => Err(CaseError::new(directory, error)),
        None => Ok(None),
    }
}

fn walk(
    tally: &mut Tally,
    record: &mut dyn Record,
    directory: &Path,
    limit: u32,
) -> Option<Vec<Message>> {
    let at = |cursor: &Option<String>| {
        format!("{} read with limit {limit} from {cursor:?}", directory.display())
    };
    let mut messages = Vec::new();
    let mut cursor = None;
    loop {
        let page = match record.read_messages(cursor.as_deref(), limit) {
            Ok(Ok(page)) => page,
            Ok(Err(error)) if cursor.is_none() && error.starts_with("unavailable: ") => {
                return None;
            }
            Ok(Err(error)) => {
                tally.texts(at(&cursor), "a page", &error);
                return None;
            }
            Err(error) => {
                tally.texts(at(&cursor), "a page", &error.to_string());
                return None;
            }
        };
        let total = page.total as usize;
        let full = (limit as usize).min(total.saturating_sub(messages.len()));
        tally.values(
            at(&cursor),
            &json!({ "messages": full }),
            &json!({ "messages": page.messages.len() }),
        );
        // A page that adds nothing would be followed for ever.
        let stuck = page.messages.is_empty();
        messages.extend(page.messages);
        let more = messages.len() < total;
        tally.values(
            format!("{}: next", at(&cursor)),
            &json!(more.then(|| format!("mc_{}", total - messages.len()))),
            &json!(page.next_cursor),
        );
        match page.next_cursor {
            Some(next) if !stuck => cursor = Some(next),
            _ => return Some(messages),
        }
    }
}
