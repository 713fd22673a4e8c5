//! The report: the record, page by page, and what the markers of each message show.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::murmur::conversation::read::{MessagePage, read_messages};
use crate::murmur::fence::inspect::{
    InspectError, Piece, PieceBlock, PieceFlaw, ServedMessage, Standing, inspect_all,
};
use crate::murmur::hook::lifecycle::{ContextInsertion, Message};

/// The most messages that a page holds: as many as the runtime gives. As evidence the
/// pages are smaller, so that there are several to compare, and cursors between them.
const LIMIT: u32 = if cfg!(feature = "evidence") { 4 } else { 100 };

/// Every page of the record, the newest first, as it was served.
fn pages() -> Result<Vec<MessagePage>, String> {
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let page = read_messages(cursor.as_deref(), LIMIT)?;
        cursor = page.next_cursor.clone();
        pages.push(page);
        if cursor.is_none() {
            return Ok(pages);
        }
    }
}

/// How many messages are intact, broken, unfenced, or only mention a marker, and
/// what each shows, the oldest first.
pub(crate) fn report() -> Result<Value, String> {
    Ok(report_on(pages()?))
}

fn report_on(pages: Vec<MessagePage>) -> Value {
    let messages: Vec<Message> =
        pages.into_iter().rev().flat_map(|page| page.messages.into_iter().rev()).collect();
    let served = |message: &Message| ServedMessage {
        role: message.role.clone(),
        content: message.content.clone(),
        inserted: message.inserted_by.is_some(),
    };
    let served: Vec<ServedMessage> = messages.iter().map(served).collect();
    let inspected = inspect_all(&served);
    let mut counts = [("broken", 0), ("intact", 0), ("mention", 0), ("unfenced", 0)];
    let mut unreadable = 0;
    let shown: Vec<Value> = messages
        .iter()
        .zip(inspected)
        .map(|(message, inspected)| {
            let said = match inspected {
                Ok(pieces) => {
                    let worst = worst(&pieces);
                    counts.iter_mut().filter(|(word, _)| *word == worst).for_each(|it| it.1 += 1);
                    json!({ "standing": worst, "texts": texts(&pieces) })
                }
                Err(error) => {
                    unreadable += 1;
                    json!({ "standing": "unreadable", "error": reason(error) })
                }
            };
            joined(json!({ "id": message.id, "role": message.role }), said)
        })
        .collect();
    let counts: serde_json::Map<String, Value> =
        counts.into_iter().map(|(word, count)| (word.into(), count.into())).collect();
    joined(
        json!({ "messages": shown, "total": messages.len(), "unreadable": unreadable }),
        counts.into(),
    )
}

/// The report, and the pages that it is about.
pub(crate) fn evidence() -> Result<Value, String> {
    let pages = pages()?;
    let served: Vec<Value> = pages.iter().map(page).collect();
    Ok(json!({ "limit": LIMIT, "pages": served, "report": report_on(pages) }))
}

/// What a message shows: the worst of its texts.
fn worst(pieces: &[Piece]) -> &'static str {
    let word = |piece: &Piece| word(&piece.standing);
    ["broken", "intact", "mention"]
        .into_iter()
        .find(|one| pieces.iter().any(|piece| word(piece) == *one))
        .unwrap_or("unfenced")
}

fn word(standing: &Standing) -> &'static str {
    match standing {
        Standing::Unfenced => "unfenced",
        Standing::Intact(_) => "intact",
        Standing::Broken(_) => "broken",
        Standing::Mention(_) => "mention",
    }
}

/// The texts that have a marker. Offsets are bytes of the decoded text.
fn texts(pieces: &[Piece]) -> Vec<Value> {
    pieces
        .iter()
        .filter_map(|piece| {
            let more = match &piece.standing {
                Standing::Unfenced => return None,
                Standing::Intact(outline) => {
                    let block = |block: &PieceBlock| {
                        json!({
                            "source": block.source,
                            "start": block.start.decoded,
                            "end": block.end.decoded,
                        })
                    };
                    json!({ "blocks": outline.blocks.iter().map(block).collect::<Vec<_>>() })
                }
                Standing::Broken(flaws) => {
                    let flaw = |flaw: &PieceFlaw| {
                        json!({ "kind": flaw_word(flaw), "offset": flaw.at.decoded })
                    };
                    json!({ "flaws": flaws.iter().map(flaw).collect::<Vec<_>>() })
                }
                Standing::Mention(markers) => {
                    let offsets: Vec<u32> = markers.iter().map(|marker| marker.decoded).collect();
                    json!({ "markers": offsets })
                }
            };
            let head = json!({ "pointer": piece.pointer, "standing": word(&piece.standing) });
            Some(joined(head, more))
        })
        .collect()
}

fn flaw_word(flaw: &PieceFlaw) -> &'static str {
    use crate::murmur::fence::fence::FlawKind;
    match flaw.kind {
        FlawKind::Unclosed => "unclosed",
        FlawKind::OrphanCloser => "orphan-closer",
        FlawKind::NestedOpener => "nested-opener",
        FlawKind::NonCanonicalMarker => "non-canonical-marker",
        FlawKind::MissingSeparator => "missing-separator",
        FlawKind::AmbiguousExtent => "ambiguous-extent",
        FlawKind::TextOutside => "text-outside",
    }
}

fn reason(error: InspectError) -> String {
    match error {
        InspectError::NotJson(fault) => alloc::format!(
            "the content is not JSON: {} (line {}, column {})",
            fault.reason,
            fault.line,
            fault.column
        ),
        InspectError::TooLarge => "the message has too many texts to list".into(),
    }
}

/// A page, member by member as it was served.
fn page(page: &MessagePage) -> Value {
    let message = |message: &Message| {
        json!({
            "content": message.content,
            "id": message.id,
            "inserted_by": message.inserted_by.map(|insertion| match insertion {
                ContextInsertion::ReplaceContext => "replace-context",
                ContextInsertion::SeedContext => "seed-context",
            }),
            "role": message.role,
            "source_id": message.source_id,
        })
    };
    json!({
        "messages": page.messages.iter().map(message).collect::<Vec<_>>(),
        "next_cursor": page.next_cursor,
        "total": page.total,
    })
}

/// One object with the members of both.
fn joined(mut one: Value, other: Value) -> Value {
    if let (Value::Object(one), Value::Object(other)) = (&mut one, other) {
        one.extend(other);
    }
    one
}
