//! The rows of a report, the same for every format.

use murmur_fence::{Flaw, Span, Verdict};
use murmur_fence_record::{CheckedMessage, Finding, Piece, Standing};
use serde::Serialize;

use crate::commands::counted;

/// One message of a record, or a plain text.
pub struct MessageRow<'a> {
    pub line: u64,
    pub id: Option<&'a str>,
    pub role: Option<&'a str>,
    pub label: Option<&'a str>,
    pub pieces: Vec<PieceRow<'a>>,
}

/// One text and what its markers show. Offsets are bytes of the decoded text.
#[derive(Serialize)]
pub struct PieceRow<'a> {
    pub pointer: &'a str,
    pub verdict: &'static str,
    pub sources: Vec<&'a str>,
    pub flaws: Vec<FlawRow>,
    /// The ranges outside the blocks of an intact text.
    pub notes: Vec<(usize, usize)>,
    /// Where the markers stand that are no fence.
    pub mentions: Vec<usize>,
}

#[derive(Serialize)]
pub struct FlawRow {
    pub kind: &'static str,
    pub offset: usize,
}

/// A finding and the file it is in.
#[derive(Serialize)]
pub struct FileFinding {
    pub code: &'static str,
    pub path: String,
    pub line: u64,
    pub message: Option<String>,
    pub pointer: Option<String>,
    pub offset: usize,
    pub text: String,
}

impl<'a> From<&'a CheckedMessage<'a>> for MessageRow<'a> {
    fn from(message: &'a CheckedMessage<'a>) -> Self {
        MessageRow {
            line: message.line,
            id: message.id.as_deref(),
            role: Some(&message.role),
            label: message.label.as_deref(),
            pieces: message.pieces.iter().map(PieceRow::from).collect(),
        }
    }
}

impl<'a> MessageRow<'a> {
    pub fn of_text(piece: PieceRow<'a>) -> Self {
        MessageRow { line: 1, id: None, role: None, label: None, pieces: vec![piece] }
    }
}

impl<'a> From<&'a Piece<'a>> for PieceRow<'a> {
    fn from(piece: &'a Piece<'a>) -> Self {
        let mut row = PieceRow::new(&piece.pointer, piece.standing.as_str());
        match &piece.standing {
            Standing::Unfenced => {}
            Standing::Intact(outline) => {
                let source =
                    |block: &murmur_fence_record::PieceBlock| &piece.text[block.source.clone()];
                row.sources = outline.blocks.iter().map(source).collect();
                row.set_notes(&outline.notes);
            }
            Standing::Broken(flaws) => row.set_flaws(flaws),
            Standing::Mention(offsets) => row.mentions = offsets.clone(),
        }
        row
    }
}

impl<'a> PieceRow<'a> {
    fn new(pointer: &'a str, verdict: &'static str) -> Self {
        PieceRow {
            pointer,
            verdict,
            sources: Vec::new(),
            flaws: Vec::new(),
            notes: Vec::new(),
            mentions: Vec::new(),
        }
    }

    pub fn of_text(verdict: &Verdict<'a>) -> Self {
        match verdict {
            Verdict::Unfenced => PieceRow::new("", "unfenced"),
            Verdict::Intact(outline) => {
                let mut row = PieceRow::new("", "intact");
                row.sources = outline.blocks.iter().map(|block| block.source).collect();
                row.set_notes(&outline.outside);
                row
            }
            Verdict::Broken(flaws) => {
                let mut row = PieceRow::new("", "broken");
                row.set_flaws(flaws);
                row
            }
        }
    }

    fn set_notes(&mut self, spans: &[Span]) {
        self.notes = spans.iter().map(|span| (span.start, span.end)).collect();
    }

    fn set_flaws(&mut self, flaws: &[Flaw]) {
        self.flaws = flaws
            .iter()
            .map(|flaw| FlawRow { kind: flaw.kind.as_str(), offset: flaw.offset })
            .collect();
    }
}

impl FileFinding {
    pub fn new(path: &str, finding: Finding) -> Self {
        FileFinding {
            code: finding.code.as_str(),
            path: path.to_owned(),
            line: finding.line,
            message: finding.message,
            pointer: finding.pointer,
            offset: finding.offset,
            text: finding.text,
        }
    }

    /// The finding of a plain text with these flaws, of which there is one.
    pub fn broken_text(path: &str, text: &str, flaws: &[Flaw]) -> Self {
        let first = flaws[0];
        let before = &text[..first.offset];
        FileFinding {
            code: "broken-text",
            path: path.to_owned(),
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count() as u64,
            message: None,
            pointer: None,
            offset: first.offset,
            text: format!(
                "{}, the first: {} at byte {}",
                counted(flaws.len() as u64, "flaw"),
                first.kind,
                first.offset
            ),
        }
    }
}
