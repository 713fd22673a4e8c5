//! One message, drawn: its texts with their blocks, notes and marks.

use std::fmt::Write;

use jiff::Timestamp;
use murmur_fence::{FlawKind, Span, lookalikes, markers};
use murmur_fence_record::audit::{AuditedMessage, AuditedPiece, Bare, Evidence, Finding, Ground};
use murmur_fence_record::{PieceBlock, PieceOutline, Standing};

use super::super::collect::Kept;
use super::super::human::ground_in_words;
use super::colours::Colours;
use super::escape::{Inline, Text, attribute};
use super::{Out, moment};
use crate::commands::counted;
use crate::forged::forged;

/// A message to be drawn.
pub struct Drawn<'a> {
    pub kept: &'a Kept,
    pub findings: &'a [&'a Finding],
    pub colours: &'a Colours,
}

/// What is marked within a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Live,
    Mention,
    Forged,
    Alike,
}

impl Mark {
    fn tag(self) -> &'static str {
        match self {
            Mark::Alike => "u",
            _ => "mark",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Mark::Live => "live",
            Mark::Mention => "mention",
            Mark::Forged => "forged",
            Mark::Alike => "alike",
        }
    }
}

/// A marked part of a text, and what to say of it.
struct Marked {
    span: Span,
    mark: Mark,
    title: String,
}

impl Drawn<'_> {
    pub fn write(&self, out: &mut Out) {
        let message = &self.kept.message;
        let worst = match self.findings.iter().map(|finding| finding.severity).min() {
            Some(severity) => format!(" {}", severity.as_str()),
            None => String::new(),
        };
        _ = writeln!(out, "<article class=\"msg{worst}\" id=\"m{}\">", self.kept.number);
        header(out, message);
        if let Some(bare) = message.bare {
            ground(out, bare);
        }
        for finding in self.findings {
            let severity = finding.severity.as_str();
            _ = writeln!(
                out,
                "<p class=\"found {severity}\"><span class=\"chip {severity}\">{severity}</span> \
                 <b>{}</b>: {}</p>",
                finding.code,
                Inline(&finding.text),
            );
        }
        if message.pieces.is_empty() {
            *out += "<p class=\"soft small\">No text.</p>\n";
        }
        for (piece, &cut) in message.pieces.iter().zip(&self.kept.cut) {
            self.piece(out, piece, message.pieces.len() > 1 || !piece.spoken);
            if cut > 0 {
                let cut = counted(cut as u64, "more byte");
                _ = writeln!(out, "<p class=\"gap soft small\">{cut} not drawn</p>");
            }
        }
        *out += "</article>\n";
    }

    fn piece(&self, out: &mut Out, piece: &AuditedPiece, named: bool) {
        if named {
            let what =
                if piece.spoken { "" } else { " (spells a marker, and is not what is said)" };
            _ = writeln!(
                out,
                "<p class=\"pointer soft small mono\">{}{what}</p>",
                Inline(&piece.pointer)
            );
        }
        let marked = marked(piece);
        let text = &piece.text;
        match &piece.standing {
            Standing::Intact(outline) => self.outline(out, text, &marked, outline),
            Standing::Broken(flaws) => {
                *out += "<div class=\"broken\"><p class=\"caption\">Broken fence</p>";
                region(out, "text", text, 0..text.len(), &marked);
                *out += "<ul class=\"flaws small\">";
                const SHOWN: usize = 20;
                for flaw in flaws.iter().take(SHOWN) {
                    let (kind, offset) = (flaw.kind, flaw.offset);
                    _ = write!(out, "<li>{kind} at byte {offset}: {}</li>", of_flaw(kind));
                }
                if flaws.len() > SHOWN {
                    _ = write!(out, "<li>and {} more</li>", flaws.len() - SHOWN);
                }
                *out += "</ul></div>\n";
            }
            Standing::Unfenced | Standing::Mention(_) => {
                region(out, "text", text, 0..text.len(), &marked);
            }
        }
    }

    /// Blocks and what stands between them, in their order.
    fn outline(&self, out: &mut Out, text: &str, marked: &[Marked], outline: &PieceOutline) {
        let mut blocks = outline.blocks.iter().peekable();
        let mut notes = outline.notes.iter().peekable();
        loop {
            let note_first = match (blocks.peek(), notes.peek()) {
                (Some(block), Some(note)) => note.start < block.opener.start,
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (None, None) => break,
            };
            if note_first {
                let Some(note) = notes.next() else { break };
                // The line breaks that only set it apart are left out.
                let span = trimmed(text, note.clone());
                if !span.is_empty() {
                    *out += "<div class=\"own\"><p class=\"caption\"><span class=\"voice\">the \
                             runtime</span></p>";
                    region(out, "text", text, span, marked);
                    *out += "</div>\n";
                }
            } else if let Some(block) = blocks.next() {
                self.block(out, text, marked, block);
            }
        }
    }

    fn block(&self, out: &mut Out, text: &str, marked: &[Marked], block: &PieceBlock) {
        let part = |span: &Span| text.get(clamped(text, span.clone())).unwrap_or_default();
        let source = part(&block.source);
        _ = write!(
            out,
            "<div class=\"block {}\"><p class=\"caption\">{}</p><p class=\"marker\">{}</p>",
            self.colours.class_of(source),
            Inline(source),
            Inline(part(&block.opener)),
        );
        region(out, "text", text, block.body.clone(), marked);
        if block.closer.end <= text.len() {
            _ = write!(out, "<p class=\"marker\">{}</p>", Inline(part(&block.closer)));
        }
        *out += "</div>\n";
    }
}

fn header(out: &mut Out, message: &AuditedMessage) {
    _ = write!(out, "<header><span class=\"role\">{}</span>", Inline(&message.role));
    if let Some(label) = &message.label {
        _ = write!(out, " <span class=\"tag\">labelled {}</span>", Inline(label));
    }
    if let Some(inserted) = message.inserted_by {
        _ = write!(out, " <span class=\"tag\">by a hook: {}</span>", Inline(inserted));
    }
    if message.is_error == Some(true) {
        *out += " <span class=\"tag\">is an error</span>";
    }
    *out += "<span class=\"meta soft small mono\">";
    _ = write!(out, "line {}", message.line);
    if let Some(time) = message.time_ms.and_then(time) {
        _ = write!(out, " · {time}");
    }
    for id in message.id.iter().chain(&message.call) {
        _ = write!(out, " · {}", Inline(id));
    }
    *out += "</span></header>\n";
}

fn time(milliseconds: u64) -> Option<String> {
    let milliseconds = i64::try_from(milliseconds).ok()?;
    Timestamp::from_millisecond(milliseconds).ok().map(moment)
}

fn ground(out: &mut Out, bare: Bare) {
    let shown_by = match bare.evidence {
        Evidence::Message | Evidence::Nothing => "",
        Evidence::Trace => ", by the trace",
        Evidence::Words => ", by its words, which a tool could have said too",
    };
    let class = if bare.ground == Ground::Due { "error" } else { "soft" };
    let ground = ground_in_words(bare.ground);
    _ = writeln!(out, "<p class=\"ground small {class}\">Bare: {ground}{shown_by}.</p>");
}

/// Everything in a text that is to be marked, in order and without overlap.
fn marked(piece: &AuditedPiece) -> Vec<Marked> {
    let text = &piece.text;
    let mut all: Vec<Marked> = Vec::new();
    let (mark, title) = match piece.standing {
        Standing::Mention(_) => (Mark::Mention, "quotes a marker: no fence"),
        _ => (Mark::Live, "a live marker"),
    };
    if !matches!(piece.standing, Standing::Intact(_)) {
        all.extend(markers(text).map(|marker| Marked {
            span: marker.start..marker.end,
            mark,
            title: title.to_owned(),
        }));
    }
    all.extend(forged(text).map(|forged| Marked {
        span: forged.span,
        mark: Mark::Forged,
        title: "a forged marker, neutralised".to_owned(),
    }));
    all.extend(lookalikes(text).map(|alike| {
        let ways: Vec<_> = alike.disguises.iter().map(|disguise| disguise.as_str()).collect();
        let title = format!("reads like a marker, and is none: {}", ways.join(", "));
        Marked { span: alike.span, mark: Mark::Alike, title }
    }));
    all.sort_by_key(|marked| (marked.span.start, marked.span.end));
    let mut end = 0;
    all.retain(|marked| {
        let apart = marked.span.start >= end;
        if apart {
            end = marked.span.end;
        }
        apart
    });
    all
}

/// A part of a text, with what is marked in it.
fn region(out: &mut Out, class: &str, text: &str, span: Span, marked: &[Marked]) {
    let span = clamped(text, span);
    _ = write!(out, "<div class=\"{class}\" dir=\"auto\">");
    if span.is_empty() {
        *out += "<span class=\"soft small\">empty</span>";
    }
    let mut at = span.start;
    let inside = |marked: &&Marked| marked.span.start >= span.start && marked.span.end <= span.end;
    for Marked { span, mark, title } in marked.iter().filter(inside) {
        let (tag, class) = (mark.tag(), mark.class());
        _ = write!(
            out,
            "{}<{tag} class=\"{class}\" title=\"{}\">{}</{tag}>",
            Text(&text[at..span.start]),
            attribute(title),
            Text(&text[span.clone()]),
        );
        at = span.end;
    }
    _ = write!(out, "{}</div>", Text(&text[at..span.end]));
}

/// A span of the whole text within what is kept of it.
fn clamped(text: &str, span: Span) -> Span {
    span.start.min(text.len())..span.end.min(text.len())
}

/// The span without the line breaks around it.
fn trimmed(text: &str, span: Span) -> Span {
    let span = clamped(text, span);
    let part = &text[span.clone()];
    let start = part.len() - part.trim_start_matches('\n').len();
    let end = part.trim_end_matches('\n').len();
    span.start + start.min(end)..span.start + end
}

fn of_flaw(kind: FlawKind) -> &'static str {
    match kind {
        FlawKind::Unclosed => "the block is not closed",
        FlawKind::OrphanCloser => "a closing marker that closes nothing",
        FlawKind::NestedOpener => "a block opens inside a block",
        FlawKind::NonCanonicalMarker => "a marker as the runtime does not write it",
        FlawKind::MissingSeparator => "no line break between marker and body",
        FlawKind::AmbiguousExtent => {
            "the block ends elsewhere by the rule of the final closing marker"
        }
        _ => "text where none may be",
    }
}
