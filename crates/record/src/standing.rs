//! What the markers of a text mean, given who speaks.
//!
//! The runtime writes a fence into tool results, into tasks and into the messages
//! that report to a continued task, so only the roles `tool` and `user` can carry
//! one. The same spellings are no fence where the assistant or a hook quotes them,
//! or where the runtime passes trusted text on verbatim: an operator's skill, a
//! trusted task, a refusal.

use alloc::vec::Vec;

use murmur_fence::{Flaw, Mode, NAME, Outline, Span, Verdict, markers, verify};

/// What the markers of a text piece mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No live marker.
    Unfenced,
    /// Every live marker belongs to a whole block.
    Intact(PieceOutline),
    /// The piece starts a block as the runtime does, or is labelled, and has
    /// flaws; with byte offsets in the decoded text, ascending.
    Broken(Vec<Flaw>),
    /// Marker text that is not the runtime's fence; the byte offset of each live
    /// marker in the decoded text, ascending.
    Mention(Vec<usize>),
}

impl Standing {
    /// The word that reports use for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Standing::Unfenced => "unfenced",
            Standing::Intact(_) => "intact",
            Standing::Broken(_) => "broken",
            Standing::Mention(_) => "mention",
        }
    }
}

/// The blocks of an intact text piece. Every span is in bytes of the decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceOutline {
    /// In the order in which they stand; never empty.
    pub blocks: Vec<PieceBlock>,
    /// Text outside the blocks, where the runtime's own notes are legal.
    pub notes: Vec<Span>,
    /// Whether the one-block rule names the same single block.
    pub extents_agree: bool,
}

/// One block of a text piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceBlock {
    /// The source name in the opening marker.
    pub source: Span,
    /// The opening marker.
    pub opener: Span,
    /// What lies between the two separators.
    pub body: Span,
    /// The closing marker.
    pub closer: Span,
}

impl From<Outline<'_>> for PieceOutline {
    fn from(outline: Outline<'_>) -> Self {
        let extents_agree = outline.extents_agree();
        let blocks = outline.blocks.into_iter().map(|block| {
            // The name runs up to the `>` of the opening marker.
            let end = block.opener.end - 1;
            let source = end - block.source.len()..end;
            PieceBlock { source, opener: block.opener, body: block.body, closer: block.closer }
        });
        PieceOutline { blocks: blocks.collect(), notes: outline.outside, extents_agree }
    }
}

/// Who speaks, and what is declared of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speaker<'s> {
    pub(crate) role: &'s str,
    /// Whether a hook put the message into the context.
    pub(crate) inserted: bool,
    /// Whether the record labels the text as fenced.
    pub(crate) labelled: bool,
}

impl Speaker<'_> {
    /// Whether a message of this speaker can carry the runtime's fence.
    pub(crate) fn can_fence(self) -> bool {
        !self.inserted && matches!(self.role, "tool" | "user")
    }

    /// What the markers of `text` mean.
    pub(crate) fn standing(self, text: &str) -> Standing {
        let mention = || Standing::Mention(markers(text).map(|marker| marker.start).collect());
        match verify(text, Mode::Standard) {
            Verdict::Unfenced => Standing::Unfenced,
            _ if !self.can_fence() => mention(),
            Verdict::Intact(outline) => Standing::Intact(outline.into()),
            Verdict::Broken(flaws) if self.labelled || begins_as_the_runtime_does(text) => {
                Standing::Broken(flaws)
            }
            Verdict::Broken(_) => mention(),
        }
    }
}

/// The words with which the runtime begins a message that holds blocks further
/// down: the report of a failed check, the answers of members, the outcomes of
/// delegations.
const PREAMBLES: [&str; 3] = ["Done check\n", "[call-member] ", "[delegate-task] "];

/// Whether a text without a label has the shape of a message that the runtime
/// fences: an opening marker at its very start, whole or not, or a preamble.
fn begins_as_the_runtime_does(text: &str) -> bool {
    let opener = text
        .strip_prefix('<')
        .and_then(|rest| rest.as_bytes().get(..NAME.len()))
        .is_some_and(|name| name.eq_ignore_ascii_case(NAME.as_bytes()));
    opener || reports(text)
}

/// Whether a text begins as one does in which the runtime reports to a continued
/// task.
pub(crate) fn reports(text: &str) -> bool {
    PREAMBLES.iter().any(|preamble| text.starts_with(preamble))
}
