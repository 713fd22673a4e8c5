//! What an audit says.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Serialize, Serializer};

use crate::code::FindingCode;
use crate::standing::Standing;
use crate::surface::Kind;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A fence is not what it should be, or something could not be looked at.
    Error,
    /// Something is not as the runtime writes it.
    Warning,
    /// Worth knowing, and legal.
    Note,
}

impl Severity {
    /// The word that reports use for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Something that is not as it should be, or that is worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Of which kind.
    pub code: FindingCode,
    /// How much it matters.
    pub severity: Severity,
    /// The index of its file in [`Report::files`].
    pub file: usize,
    /// The number of its line, from 1; 0 for the file itself. In a stream, the line
    /// in which the event's data begins.
    pub line: u64,
    /// The id of the message, of the trace's event or of the stream's.
    pub id: Option<String>,
    /// The provider's id of the call.
    pub call: Option<String>,
    /// The source that it speaks of.
    pub source: Option<String>,
    /// Where it stands in the line, in the event's JSON or in the page, as an RFC
    /// 6901 JSON pointer. In a page it leads on through the content, which is JSON
    /// itself.
    pub pointer: Option<String>,
    /// Which byte of the decoded text at the pointer; without a pointer, of the
    /// line.
    pub offset: Option<usize>,
    /// At which byte of the line, from 0, that stands as it is written; in a page, of
    /// the whole text.
    pub column: Option<usize>,
    /// What there is to say, for a person. What it quotes is escaped.
    pub text: String,
}

/// A message that was looked at: of a record, of a page, or the frame of a stream
/// that holds a tool's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditedMessage {
    /// The index of its file in [`Report::files`].
    pub file: usize,
    /// The number of its line, from 1.
    pub line: u64,
    /// Its role; `tool` for a frame.
    pub role: String,
    /// Its id.
    pub id: Option<String>,
    /// When it was made, in milliseconds since the Unix epoch.
    pub time_ms: Option<u64>,
    /// The source under which it is declared to be fenced.
    pub label: Option<String>,
    /// By which output of a hook it came into the context.
    pub inserted_by: Option<&'static str>,
    /// The provider's id of the call that it answers.
    pub call: Option<String>,
    /// Whether it is an error.
    pub is_error: Option<bool>,
    /// Why it is bare, if it carries neither a label nor a block.
    pub bare: Option<Bare>,
    /// Its texts.
    pub pieces: Vec<AuditedPiece>,
}

/// One text of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditedPiece {
    /// Where it stands, as an RFC 6901 JSON pointer.
    pub pointer: String,
    /// The decoded text.
    pub text: String,
    /// Whether it is what the message says, and not only a string in it that
    /// spells a marker.
    pub spoken: bool,
    /// What its markers mean; spans are in bytes of the text.
    pub standing: Standing,
}

/// On which ground a message is bare, and what shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bare {
    /// The ground.
    pub ground: Ground,
    /// What shows it.
    pub evidence: Evidence,
}

/// The grounds on which a message reaches the model without a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// The model wrote it.
    ModelText,
    /// A hook put it there.
    HookInserted,
    /// It is part of a trusted task.
    TrustedTask,
    /// It is a skill that the operator pinned.
    OperatorSkill,
    /// The call was refused before it ran, in the runtime's own words.
    Refusal,
    /// The call could not be dispatched, and the runtime says why.
    DispatchFailure,
    /// The role is one that the runtime does not fence.
    OtherRole,
    /// What was given does not tell.
    CannotTell,
    /// There is none: it should have been fenced.
    Due,
}

impl Ground {
    /// Every ground.
    pub const ALL: [Ground; 9] = [
        Ground::ModelText,
        Ground::HookInserted,
        Ground::TrustedTask,
        Ground::OperatorSkill,
        Ground::Refusal,
        Ground::DispatchFailure,
        Ground::OtherRole,
        Ground::CannotTell,
        Ground::Due,
    ];

    /// The word that reports use for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Ground::ModelText => "model-text",
            Ground::HookInserted => "hook-inserted",
            Ground::TrustedTask => "trusted-task",
            Ground::OperatorSkill => "operator-skill",
            Ground::Refusal => "refusal",
            Ground::DispatchFailure => "dispatch-failure",
            Ground::OtherRole => "other-role",
            Ground::CannotTell => "cannot-tell",
            Ground::Due => "due",
        }
    }
}

/// What shows on which ground a message is bare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// The message itself, by its role or by its mark of a hook.
    Message,
    /// A trace.
    Trace,
    /// Its words, which are the runtime's; a tool could have said them too.
    Words,
    /// Nothing.
    Nothing,
}

/// What is declared of one source, and what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Texts that are declared fenced under the source.
    pub labelled: u64,
    /// Texts with a live marker: of the labelled ones, of the outputs in a trace,
    /// and of the unlabelled ones whose opening marker names the source.
    pub marked: u64,
    /// Of the texts that are due, those that are whole as declared.
    pub intact: u64,
    /// Texts that must be fenced: the labelled ones, those that a trace shows to be
    /// bare where they should not, and the outputs in a trace that a tool gave.
    pub due: u64,
    /// Of those, the ones that are neither labelled nor marked.
    pub bare: u64,
    /// Whole blocks in texts without a label. The runtime labels neither the
    /// answers of members, nor the outcomes of delegations, nor a failed check.
    pub unlabelled: u64,
}

impl Tally {
    /// The part of what is due that is intact, from 0 to 1; none where nothing is.
    pub fn coverage(&self) -> Option<f64> {
        (self.due > 0).then(|| self.intact as f64 / self.due as f64)
    }

    pub(super) fn add(&mut self, other: &Tally) {
        self.labelled += other.labelled;
        self.marked += other.marked;
        self.intact += other.intact;
        self.due += other.due;
        self.bare += other.bare;
        self.unlabelled += other.unlabelled;
    }
}

/// How many findings there are, also those that were not handed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
    /// All of them, by code.
    pub by_code: BTreeMap<FindingCode, u64>,
}

impl Counts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.errors + self.warnings + self.notes
    }

    pub(super) fn count(&mut self, code: FindingCode, severity: Severity) {
        *match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        } += 1;
        *self.by_code.entry(code).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: &Counts) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
        for (code, count) in &other.by_code {
            *self.by_code.entry(*code).or_default() += count;
        }
    }
}

/// Where a record stands in Murmur's layout:
/// `conversations/<record>/<context>/conversation.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The record's name, which is the capsule's unless that was changed.
    pub record: String,
    /// The id of the context.
    pub context: String,
}

/// A file that is about to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileStart {
    /// Its index in [`Report::files`].
    pub index: usize,
    /// Its path, as text.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Its length in bytes; none for what is no regular file.
    pub bytes: Option<u64>,
    /// Where it stands in Murmur's layout, if it does.
    pub place: Option<Place>,
}

/// What one file comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileSummary {
    /// The file.
    #[serde(flatten)]
    pub start: FileStart,
    /// What was found in it.
    #[serde(flatten)]
    pub sums: Sums,
    /// Why it could not be read, or not to its end.
    pub problem: Option<String>,
}

/// What one or several files come to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Lines, blank ones included; for a page, the one text that it is.
    pub lines: u64,
    /// Messages of records and pages, calls in traces, frames in streams, texts.
    pub messages: u64,
    /// Of these, the ones that were too old to be looked at.
    pub passed_over: u64,
    /// By source, as an opening marker spells it.
    pub sources: BTreeMap<String, Tally>,
    /// The messages that are bare, by the ground for it.
    pub bare: BTreeMap<Ground, u64>,
    /// The findings.
    pub findings: Counts,
}

impl Sums {
    /// The most sources that are told apart; a hostile file could name one in every
    /// line. What comes later is counted under [`Sums::OTHER_SOURCES`].
    pub const MAX_SOURCES: usize = 4096;

    /// The longest name of a source that is told apart, in bytes.
    pub const MAX_SOURCE: usize = 1024;

    /// The name under which the sources beyond [`Sums::MAX_SOURCES`] are counted.
    /// No opening marker spells it so.
    pub const OTHER_SOURCES: &str = "(other sources)>";

    /// Changes the tally of a source.
    pub(super) fn count(&mut self, source: &str, change: impl FnOnce(&mut Tally)) {
        if let Some(tally) = self.sources.get_mut(source) {
            return change(tally);
        }
        let room = self.sources.len() < Sums::MAX_SOURCES && source.len() <= Sums::MAX_SOURCE;
        let name = if room { source } else { Sums::OTHER_SOURCES };
        change(self.sources.entry(name.to_owned()).or_default());
    }

    /// Adds the sums of another part. They do not depend on where the parts were
    /// cut, as long as there are no more than [`Sums::MAX_SOURCES`] sources.
    pub fn add(&mut self, other: &Sums) {
        self.lines += other.lines;
        self.messages += other.messages;
        self.passed_over += other.passed_over;
        for (source, tally) in &other.sources {
            self.count(source, |sum| sum.add(tally));
        }
        for (ground, count) in &other.bare {
            *self.bare.entry(*ground).or_default() += count;
        }
        self.findings.add(&other.findings);
    }
}

/// What is not looked at in directories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PassedOver {
    /// Texts that are no surface.
    pub texts: u64,
    /// Files that are no text.
    pub unknown: u64,
    /// Symbolic links; nothing in a directory is followed out of it.
    pub links: u64,
    /// Sockets, pipes and devices.
    pub special: u64,
    /// The first of the links.
    pub first_links: Vec<String>,
}

/// What an audit comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The files that were looked at.
    pub files: Vec<FileSummary>,
    /// The sums by kind of file. A tool's answer stands in the record, in the trace
    /// and in the stream, so that sums over kinds would count it three times.
    pub surfaces: BTreeMap<Kind, Surface>,
    /// All findings.
    pub findings: Counts,
    /// How many findings were not handed to the visitor.
    pub suppressed: u64,
    /// What was not looked at.
    pub passed_over: PassedOver,
}

/// The files of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Surface {
    /// How many there are.
    pub files: u64,
    /// What they come to.
    #[serde(flatten)]
    pub sums: Sums,
}

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        super::shape::serialize(self, serializer)
    }
}
