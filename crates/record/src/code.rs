//! The kinds of findings.

use core::fmt;

use serde::{Serialize, Serializer};

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingCode {
    /// A text is labelled, and is not exactly one whole block at the start, with
    /// the runtime's notes after it.
    LabelledNotIntact,
    /// The label and the opening marker name different sources.
    LabelSourceMismatch,
    /// A text without a label begins as a fenced one does, and has flaws.
    UnlabelledBroken,
    /// A text without a label holds whole blocks. Legal for the sources that the
    /// runtime never labels.
    IntactUnlabelled,
    /// A tool answered, and its answer reached the model bare.
    BareToolResult,
    /// A skill that a running capsule pulled in reached the model bare.
    BareSkill,
    /// A task that is not trusted reached the model bare.
    BareTask,
    /// The length that a trace tells is not that of the text.
    OutputBytesMismatch,
    /// The record and the trace tell differently of one call.
    RecordTraceDiffer,
    /// The record and the stream tell differently of one call.
    RecordStreamDiffer,
    /// Between the opening marker of a block and the final closing one stands
    /// another live marker.
    LiveMarkerInBody,
    /// A spelling that reads like a marker and is none. Advisory.
    LookAlike,
    /// The two rules for where a block ends give different answers: up to the
    /// first closing marker, and up to the final one. Legal where the runtime
    /// writes several blocks into one message.
    ExtentsDisagree,
    /// The last line is cut off, or is being written.
    TornLine,
    /// A line, an event or a page that readers pass over.
    UnreadableLine,
    /// Text that is not UTF-8; the runtime then refuses the whole record.
    InvalidUtf8,
    /// A message has too many texts to list, or does not fit the memory.
    UninspectedMessage,
    /// A file that cannot be read, or that changed in length while it was.
    UnreadableFile,
}

impl FindingCode {
    /// Every code, in the order of their declaration.
    pub const ALL: [FindingCode; 18] = [
        FindingCode::LabelledNotIntact,
        FindingCode::LabelSourceMismatch,
        FindingCode::UnlabelledBroken,
        FindingCode::IntactUnlabelled,
        FindingCode::BareToolResult,
        FindingCode::BareSkill,
        FindingCode::BareTask,
        FindingCode::OutputBytesMismatch,
        FindingCode::RecordTraceDiffer,
        FindingCode::RecordStreamDiffer,
        FindingCode::LiveMarkerInBody,
        FindingCode::LookAlike,
        FindingCode::ExtentsDisagree,
        FindingCode::TornLine,
        FindingCode::UnreadableLine,
        FindingCode::InvalidUtf8,
        FindingCode::UninspectedMessage,
        FindingCode::UnreadableFile,
    ];

    /// The code in kebab case; stable.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingCode::LabelledNotIntact => "labelled-not-intact",
            FindingCode::LabelSourceMismatch => "label-source-mismatch",
            FindingCode::UnlabelledBroken => "unlabelled-broken",
            FindingCode::IntactUnlabelled => "intact-unlabelled",
            FindingCode::BareToolResult => "bare-tool-result",
            FindingCode::BareSkill => "bare-skill",
            FindingCode::BareTask => "bare-task",
            FindingCode::OutputBytesMismatch => "output-bytes-mismatch",
            FindingCode::RecordTraceDiffer => "record-trace-differ",
            FindingCode::RecordStreamDiffer => "record-stream-differ",
            FindingCode::LiveMarkerInBody => "live-marker-in-body",
            FindingCode::LookAlike => "look-alike",
            FindingCode::ExtentsDisagree => "extents-disagree",
            FindingCode::TornLine => "torn-line",
            FindingCode::UnreadableLine => "unreadable-line",
            FindingCode::InvalidUtf8 => "invalid-utf8",
            FindingCode::UninspectedMessage => "uninspected-message",
            FindingCode::UnreadableFile => "unreadable-file",
        }
    }

    /// What it says, in one sentence for a rule's description.
    pub fn summary(self) -> &'static str {
        match self {
            FindingCode::LabelledNotIntact => {
                "A text is declared fenced, and is not one whole block at its start."
            }
            FindingCode::LabelSourceMismatch => {
                "The label and the opening marker name different sources."
            }
            FindingCode::UnlabelledBroken => {
                "A text without a label begins as a fenced one does, and its marks are broken."
            }
            FindingCode::IntactUnlabelled => "A text without a label holds whole blocks.",
            FindingCode::BareToolResult => "A tool's answer reached the model without a fence.",
            FindingCode::BareSkill => {
                "A skill that the operator did not pin reached the model without a fence."
            }
            FindingCode::BareTask => {
                "A task that is not trusted reached the model without a fence."
            }
            FindingCode::OutputBytesMismatch => {
                "The length that the trace tells is not that of the text."
            }
            FindingCode::RecordTraceDiffer => {
                "The record and the trace tell differently of one call."
            }
            FindingCode::RecordStreamDiffer => {
                "The record and the stream tell differently of one call."
            }
            FindingCode::LiveMarkerInBody => "A live marker stands inside a block.",
            FindingCode::LookAlike => "A spelling reads like a marker, though it is none.",
            FindingCode::ExtentsDisagree => {
                "The two rules for where a block ends give different answers."
            }
            FindingCode::TornLine => "The last line is cut off, or is being written.",
            FindingCode::UnreadableLine => "A line cannot be understood, and readers pass over it.",
            FindingCode::InvalidUtf8 => {
                "A line is not UTF-8, so the runtime refuses to read the whole record."
            }
            FindingCode::UninspectedMessage => "A message is too large to be inspected.",
            FindingCode::UnreadableFile => "A file could not be read to its end.",
        }
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for FindingCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
