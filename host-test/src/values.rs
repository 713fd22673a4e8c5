//! The contract's values as JSON, the form in which cases expect them and
//! reports show them.
//!
//! A span is `[start, end]`; records are objects and variants are objects with
//! one key, both named as in the WIT. Pages are spelled as the runtime's own
//! tools print them, with underscores.

use crate::subject::{Answer, Inspected};
use murmur_fence_host::audit::{Audited, Count, Finding, NotUtf8, Severity, Tally};
use murmur_fence_host::nonce::{SettingsError, TokenOccurs};
use murmur_fence_host::rules::Misplaced;
use murmur_fence_host::tags::{FenceError, NameError, RefusedName};
use murmur_fence_host::{
    Block, ContextInsertion, Disguises, FlawKind, InspectError, Lookalike, Message, MessagePage,
    Piece, Position, ReadsAs, Segment, Span, Standing, Verdict,
};
use serde_json::{Value, json};

/// An answer in one of the forms below; a call without one as `{"no-answer":
/// why}`, which no case expects.
pub fn answer<T>(answer: Answer<T>, form: impl FnOnce(&T) -> Value) -> Value {
    match answer {
        Ok(value) => form(&value),
        Err(error) => json!({ "no-answer": error.to_string() }),
    }
}

/// The segments of a message.
pub fn segments(segments: &[Segment]) -> Value {
    let segment = |segment: &Segment| match segment {
        Segment::Text(text) => json!({ "text": span(text) }),
        Segment::Block(found) => json!({ "block": block(found) }),
    };
    segments.iter().map(segment).collect()
}

/// A block, or null.
pub fn outer_block(found: &Option<Block>) -> Value {
    found.as_ref().map_or(Value::Null, block)
}

/// A verdict.
pub fn verdict(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Unfenced => json!("unfenced"),
        Verdict::Intact(outline) => json!({ "intact": {
            "blocks": outline.blocks.iter().map(block).collect::<Value>(),
            "outside": outline.outside.iter().map(span).collect::<Value>(),
            "extents-agree": outline.extents_agree,
        }}),
        Verdict::Broken(flaws) => {
            let flaw = |flaw: &murmur_fence_host::Flaw| json!({ "kind": flaw_kind(flaw.kind), "offset": flaw.offset });
            json!({ "broken": flaws.iter().map(flaw).collect::<Value>() })
        }
    }
}

/// A look-alike.
pub fn lookalike(found: &Lookalike) -> Value {
    let reads_as = match found.reads_as {
        ReadsAs::Opener => "opener",
        ReadsAs::Closer => "closer",
    };
    let disguises = DISGUISES.iter().filter(|(flag, _)| found.disguises.contains(*flag));
    let disguises: Vec<_> = disguises.map(|(_, name)| name).collect();
    json!({ "span": span(&found.span), "reads-as": reads_as, "disguises": disguises })
}

const DISGUISES: [(Disguises, &str); 10] = [
    (Disguises::WHITE_SPACE, "white-space"),
    (Disguises::SLASH, "slash"),
    (Disguises::HYPHEN, "hyphen"),
    (Disguises::HOMOGLYPH, "homoglyph"),
    (Disguises::INVISIBLE, "invisible"),
    (Disguises::COMBINING_MARK, "combining-mark"),
    (Disguises::TAG, "tag"),
    (Disguises::ENTITY, "entity"),
    (Disguises::PERCENT, "percent"),
    (Disguises::ESCAPE, "escape"),
];

/// What `inspect` answers. The reason of a fault is in the parser's words, which
/// no contract fixes, so it is left out.
pub fn inspected(inspected: &Inspected) -> Value {
    match inspected {
        Ok(pieces) => json!({ "ok": pieces.iter().map(piece).collect::<Value>() }),
        Err(InspectError::NotJson(fault)) => {
            json!({ "err": { "not-json": { "line": fault.line, "column": fault.column } } })
        }
        Err(InspectError::TooLarge) => json!({ "err": "too-large" }),
    }
}

/// What `audit-lines` answers.
pub fn audited(audited: &Audited) -> Value {
    let sums = &audited.sums;
    json!({
        "sums": {
            "lines": sums.lines,
            "messages": sums.messages,
            "passed-over": sums.passed_over,
            "sources": sums.sources.iter().map(tally).collect::<Value>(),
            "bare": sums.bare.iter().map(count).collect::<Value>(),
            "errors": sums.errors,
            "warnings": sums.warnings,
            "notes": sums.notes,
            "by-code": sums.by_code.iter().map(count).collect::<Value>(),
        },
        "findings": audited.findings.iter().map(finding).collect::<Value>(),
    })
}

fn tally(tally: &Tally) -> Value {
    json!({
        "source": tally.source,
        "labelled": tally.labelled,
        "marked": tally.marked,
        "intact": tally.intact,
        "due": tally.due,
        "bare": tally.bare,
        "unlabelled": tally.unlabelled,
    })
}

fn count(count: &Count) -> Value {
    json!({ "name": count.name, "count": count.count })
}

fn finding(finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    json!({
        "code": finding.code,
        "severity": severity,
        "line": finding.line,
        "id": finding.id,
        "call": finding.call,
        "source": finding.source,
        "pointer": finding.pointer,
        "offset": finding.offset,
        "column": finding.column,
        "text": finding.text,
    })
}

/// The line that is no UTF-8 of which a value tells.
pub fn not_utf8(value: &Value) -> Option<NotUtf8> {
    Some(NotUtf8 {
        line: value["line"].as_u64()?,
        valid_up_to: value["valid-up-to"].as_u64()?.try_into().ok()?,
        cut_off: value["cut-off"].as_bool()?,
    })
}

/// What `read-messages` answers.
pub fn page(page: &Result<MessagePage, String>) -> Value {
    match page {
        Ok(page) => json!({ "ok": {
            "messages": page.messages.iter().map(message).collect::<Value>(),
            "next_cursor": page.next_cursor,
            "total": page.total,
        }}),
        Err(error) => json!({ "err": error }),
    }
}

/// Why settings make no pair of markers.
pub fn settings_error(error: &SettingsError) -> Value {
    match error {
        SettingsError::TokenTooShort(length) => json!({ "token-too-short": length }),
        SettingsError::TokenTooLong(length) => json!({ "token-too-long": length }),
        SettingsError::TokenCharacter(found) => json!({ "token-character": misplaced(found) }),
        SettingsError::TokenRepeated(digit) => json!({ "token-repeated": digit }),
        SettingsError::Name(error) => json!({ "name": name_error(error) }),
        SettingsError::NameIsEnd => json!("name-is-end"),
    }
}

/// Where the token occurs.
pub fn token_occurs(error: &TokenOccurs) -> Value {
    match error {
        TokenOccurs::InContent(offset) => json!({ "in-content": offset }),
        TokenOccurs::InSource(offset) => json!({ "in-source": offset }),
    }
}

/// Why a block of a tag cannot be written.
pub fn fence_error(error: &FenceError) -> Value {
    match error {
        FenceError::NotReserved(tag) => json!({ "not-reserved": tag }),
        FenceError::AttributeName(RefusedName { name, reason }) => {
            json!({ "attribute-name": { "name": name, "reason": name_error(reason) } })
        }
        FenceError::DuplicateAttribute(name) => json!({ "duplicate-attribute": name }),
    }
}

fn name_error(error: &NameError) -> Value {
    match error {
        NameError::Empty => json!("empty"),
        NameError::TooLong(length) => json!({ "too-long": length }),
        NameError::Character(found) => json!({ "character": misplaced(found) }),
    }
}

fn misplaced(found: &Misplaced) -> Value {
    json!({ "character": found.character, "offset": found.offset })
}

/// The name of a flaw kind.
pub fn flaw_kind(kind: FlawKind) -> &'static str {
    match kind {
        FlawKind::Unclosed => "unclosed",
        FlawKind::OrphanCloser => "orphan-closer",
        FlawKind::NestedOpener => "nested-opener",
        FlawKind::NonCanonicalMarker => "non-canonical-marker",
        FlawKind::MissingSeparator => "missing-separator",
        FlawKind::AmbiguousExtent => "ambiguous-extent",
        FlawKind::TextOutside => "text-outside",
    }
}

/// The name of a standing.
pub fn standing_name(standing: &Standing) -> &'static str {
    match standing {
        Standing::Unfenced => "unfenced",
        Standing::Intact(_) => "intact",
        Standing::Broken(_) => "broken",
        Standing::Mention(_) => "mention",
    }
}

fn span(span: &Span) -> Value {
    json!([span.start, span.end])
}

fn block(block: &Block) -> Value {
    json!({
        "source": block.source,
        "opener": span(&block.opener),
        "body": span(&block.body),
        "closer": span(&block.closer),
    })
}

fn piece(piece: &Piece) -> Value {
    json!({
        "pointer": piece.pointer,
        "literal": span(&piece.literal),
        "text": piece.text,
        "standing": standing(&piece.standing),
    })
}

fn standing(standing: &Standing) -> Value {
    match standing {
        Standing::Unfenced => json!("unfenced"),
        Standing::Intact(outline) => {
            let block = |block: &murmur_fence_host::PieceBlock| {
                json!({
                    "source": block.source,
                    "start": position(&block.start),
                    "end": position(&block.end),
                    "body": span(&block.body),
                })
            };
            json!({ "intact": {
                "blocks": outline.blocks.iter().map(block).collect::<Value>(),
                "notes": outline.notes.iter().map(span).collect::<Value>(),
                "extents-agree": outline.extents_agree,
            }})
        }
        Standing::Broken(flaws) => {
            let flaw = |flaw: &murmur_fence_host::PieceFlaw| json!({ "kind": flaw_kind(flaw.kind), "at": position(&flaw.at) });
            json!({ "broken": flaws.iter().map(flaw).collect::<Value>() })
        }
        Standing::Mention(markers) => {
            json!({ "mention": markers.iter().map(position).collect::<Value>() })
        }
    }
}

fn position(position: &Position) -> Value {
    json!({ "decoded": position.decoded, "served": position.served })
}

fn message(message: &Message) -> Value {
    let inserted_by = message.inserted_by.map(|insertion| match insertion {
        ContextInsertion::ReplaceContext => "replace-context",
        ContextInsertion::SeedContext => "seed-context",
    });
    json!({
        "role": message.role,
        "content": message.content,
        "id": message.id,
        "source_id": message.source_id,
        "inserted_by": inserted_by,
    })
}
