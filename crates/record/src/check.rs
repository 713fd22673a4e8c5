//! Going through a record: what it declares fenced, what is intact, and where the
//! two part.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt;
use core::str;

use murmur_fence::{Flaw, sanitise_source};

use crate::inspect::{Piece, inspect_fields};
use crate::json::SizeError;
use crate::line::{Fields, Header, Insertion, Line, Message, Skipped, text};
use crate::lines::{Lines, RawLine};
use crate::standing::{PieceOutline, Speaker, Standing};

/// What a check of a record comes upon, in the order of the record. A message is
/// followed by its findings.
#[derive(Debug)]
pub enum Entry<'a> {
    /// The header of the record.
    Header {
        /// The number of its line, from 1.
        line: u64,
        /// What it says.
        header: Header,
    },
    /// A message and its text pieces.
    Message(CheckedMessage<'a>),
    /// Something that is not as it should be.
    Finding(Finding),
}

/// A message of a record, inspected.
#[derive(Debug)]
pub struct CheckedMessage<'a> {
    /// The number of its line, from 1.
    pub line: u64,
    /// Its id, if it has one.
    pub id: Option<Cow<'a, str>>,
    /// Its role.
    pub role: Cow<'a, str>,
    /// The source that it is declared to be fenced under.
    pub label: Option<Cow<'a, str>>,
    /// By which output of a hook it came into the context.
    pub inserted_by: Option<Insertion>,
    /// Its text pieces; pointers and offsets are those of the line.
    pub pieces: Vec<Piece<'a>>,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Of which kind.
    pub code: FindingCode,
    /// The number of the line, from 1.
    pub line: u64,
    /// The message's id, if there is a message and it has one.
    pub message: Option<String>,
    /// Where in the line, as an RFC 6901 JSON pointer; none for the line itself.
    pub pointer: Option<String>,
    /// Which byte: of the decoded text at the pointer; without a pointer, of the
    /// line.
    pub offset: usize,
    /// What is wrong, for a person. What it quotes from the record is escaped.
    pub text: String,
}

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingCode {
    /// A message is labelled, and its text is not exactly one whole block at the
    /// start, with the runtime's notes after it.
    LabelledNotIntact,
    /// The label and the opening marker name different sources.
    LabelSourceMismatch,
    /// A message without a label begins as a fenced one does, and has flaws.
    UnlabelledBroken,
    /// A line is neither a message nor a header; readers pass over it.
    UnreadableLine,
    /// A line is not UTF-8; the runtime then refuses the whole record.
    InvalidUtf8,
    /// A message has too many texts to list.
    UninspectedMessage,
}

impl FindingCode {
    /// The code in kebab case; stable.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingCode::LabelledNotIntact => "labelled-not-intact",
            FindingCode::LabelSourceMismatch => "label-source-mismatch",
            FindingCode::UnlabelledBroken => "unlabelled-broken",
            FindingCode::UnreadableLine => "unreadable-line",
            FindingCode::InvalidUtf8 => "invalid-utf8",
            FindingCode::UninspectedMessage => "uninspected-message",
        }
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a whole record comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many lines it has, blank ones included.
    pub lines: u64,
    /// How many messages.
    pub messages: u64,
    /// How many findings.
    pub findings: u64,
    /// What was declared and what is intact, by source as an opening marker spells
    /// it.
    pub sources: BTreeMap<String, Tally>,
}

/// What a record declares of one source, and what shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Messages that are labelled with the source.
    pub labelled: u64,
    /// Whole blocks of the source: of the labelled messages those that are as the
    /// label says, and the blocks that `unlabelled` counts.
    pub intact: u64,
    /// Whole blocks in messages without a label. The runtime labels neither the
    /// answers of members, nor the outcomes of delegations, nor a failed check.
    pub unlabelled: u64,
}

/// Checks a record that is handed over in chunks, holding one line of it at a time.
#[derive(Debug)]
pub struct Checker {
    lines: Lines,
    summary: Summary,
}

impl Default for Checker {
    fn default() -> Self {
        Checker { lines: Lines::new(1, 0), summary: Summary::default() }
    }
}

impl Checker {
    /// Starts before the first line.
    pub fn new() -> Self {
        Checker::default()
    }

    /// Takes the next bytes of the record and reports what the lines that they end
    /// hold.
    pub fn feed(&mut self, chunk: &[u8], report: &mut dyn FnMut(Entry<'_>)) {
        let summary = &mut self.summary;
        let Ok(()) = self.lines.feed(chunk, |line| -> Result<(), Infallible> {
            summary.line(line, report);
            Ok(())
        });
    }

    /// Ends the record: reports the last line, if no newline ends it, and answers
    /// what the whole record comes to.
    pub fn finish(mut self, report: &mut dyn FnMut(Entry<'_>)) -> Summary {
        if let Some(line) = self.lines.unterminated() {
            self.summary.line(line, report);
        }
        self.summary
    }
}

impl Summary {
    fn line(&mut self, line: RawLine<'_>, report: &mut dyn FnMut(Entry<'_>)) {
        self.lines = line.number;
        let mut findings = Findings { line: line.number, id: None, list: Vec::new() };
        match line.bytes.map(str::from_utf8) {
            Ok(Ok(text)) => self.text(text, line.terminated, &mut findings, report),
            Ok(Err(error)) => findings.add_line(
                FindingCode::InvalidUtf8,
                error.valid_up_to(),
                "not UTF-8, so the runtime refuses to read the record".to_string(),
            ),
            Err(error) => findings.add_line(FindingCode::UnreadableLine, 0, error.to_string()),
        }
        self.findings += findings.list.len() as u64;
        findings.list.into_iter().for_each(|finding| report(Entry::Finding(finding)));
    }

    fn text(
        &mut self,
        text: &str,
        terminated: bool,
        findings: &mut Findings,
        report: &mut dyn FnMut(Entry<'_>),
    ) {
        match Line::parse(text) {
            Ok(Line::Blank) => {}
            Ok(Line::Skipped(Skipped::Header(header))) => {
                report(Entry::Header { line: findings.line, header });
            }
            Ok(Line::Skipped(skipped)) => {
                let offset = match &skipped {
                    Skipped::NotJson(fault) => fault.column as usize - 1,
                    _ => 0,
                };
                let mut reason = skipped.to_string();
                if !terminated {
                    reason += "; no newline ends it, so it was cut off or is being written";
                }
                findings.add_line(FindingCode::UnreadableLine, offset, reason);
            }
            Ok(Line::Message(message)) => {
                self.messages += 1;
                match self.message(&message, findings) {
                    Ok(message) => report(Entry::Message(message)),
                    Err(error) => uninspected(findings, text.len(), error),
                }
            }
            Err(error) => uninspected(findings, text.len(), error),
        }
    }

    fn message<'a>(
        &mut self,
        message: &Message<'a>,
        findings: &mut Findings,
    ) -> Result<CheckedMessage<'a>, SizeError> {
        let fields = message.fields();
        let (id, role, label) = (text(fields.id)?, fields.role()?, fields.label()?);
        findings.id = id.as_deref().map(ToString::to_string);
        let pieces = inspect_fields(message, &fields).map_err(|_| SizeError::TooLong)?;
        match &label {
            Some(label) => self.labelled(label, &role, &fields, &pieces, findings),
            None => self.unlabelled(&pieces, findings),
        }
        let line = findings.line;
        Ok(CheckedMessage { line, id, role, label, inserted_by: fields.insertion(), pieces })
    }

    /// A message that is declared fenced: all it says must be one block, at the
    /// very start, of the source that the label names.
    fn labelled(
        &mut self,
        label: &str,
        role: &str,
        fields: &Fields<'_, '_>,
        pieces: &[Piece<'_>],
        findings: &mut Findings,
    ) {
        let before = findings.list.len();
        let not_intact = FindingCode::LabelledNotIntact;
        let source = sanitise_source(label);
        let inserted = fields.insertion();
        let speaker = Speaker { role, inserted: inserted.is_some(), labelled: true };
        if let (false, Some(insertion)) = (speaker.can_fence(), inserted) {
            let text = format!("labelled {label:?}, but a hook inserted it by {insertion}");
            findings.add(not_intact, "/fence", 0, text);
        } else if !speaker.can_fence() {
            let text = format!("labelled {label:?}, but the role {role:?} carries no fence");
            findings.add(not_intact, "/fence", 0, text);
        } else if !pieces.iter().any(|piece| piece.spoken) {
            let text = format!("labelled {label:?}, but there is no text");
            findings.add(not_intact, "/content", 0, text);
        }
        for piece in pieces {
            let at = piece.pointer.as_str();
            match &piece.standing {
                Standing::Unfenced => {
                    let text = format!("labelled {label:?}, but no block marks it");
                    findings.add(not_intact, at, 0, text);
                }
                Standing::Intact(outline) if piece.spoken => {
                    if let Some((offset, reason)) = not_as_labelled(outline) {
                        findings.add(
                            not_intact,
                            at,
                            offset,
                            format!("labelled {label:?}, {reason}"),
                        );
                    }
                    for block in &outline.blocks {
                        let named = &piece.text[block.source.clone()];
                        if named != source {
                            let code = FindingCode::LabelSourceMismatch;
                            let text = format!("labelled {label:?}, but the block names {named:?}");
                            findings.add(code, at, block.opener.start, text);
                        }
                    }
                }
                Standing::Broken(flaws) => {
                    let text = format!("labelled {label:?}, but {}", listed(flaws));
                    findings.add(not_intact, at, first(flaws), text);
                }
                Standing::Intact(_) | Standing::Mention(_) => {}
            }
        }
        let intact = u64::from(findings.list.len() == before);
        let tally = self.sources.entry(source.into_owned()).or_default();
        tally.labelled += 1;
        tally.intact += intact;
    }

    fn unlabelled(&mut self, pieces: &[Piece<'_>], findings: &mut Findings) {
        for piece in pieces {
            match &piece.standing {
                Standing::Intact(outline) => {
                    for block in &outline.blocks {
                        let source = piece.text[block.source.clone()].to_string();
                        let tally = self.sources.entry(source).or_default();
                        tally.intact += 1;
                        tally.unlabelled += 1;
                    }
                }
                Standing::Broken(flaws) => {
                    let text = format!("begins as a fenced text does, but {}", listed(flaws));
                    findings.add(FindingCode::UnlabelledBroken, &piece.pointer, first(flaws), text);
                }
                Standing::Unfenced | Standing::Mention(_) => {}
            }
        }
    }
}

/// Why a text of whole blocks is not what a labelled message says, and where.
fn not_as_labelled(outline: &PieceOutline) -> Option<(usize, String)> {
    let start = outline.blocks.first()?.opener.start;
    if start > 0 {
        return Some((start, "but its block does not begin at the start".to_string()));
    }
    let second = outline.blocks.get(1)?.opener.start;
    Some((second, format!("but it holds {} blocks where one is written", outline.blocks.len())))
}

fn first(flaws: &[Flaw]) -> usize {
    flaws.first().map_or(0, |flaw| flaw.offset)
}

/// The flaws in words; of many, the first few.
fn listed(flaws: &[Flaw]) -> String {
    const FEW: usize = 3;
    let mut text = String::from("broken: ");
    for (index, flaw) in flaws.iter().take(FEW).enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        text += &format!("{comma}{} at byte {}", flaw.kind, flaw.offset);
    }
    if flaws.len() > FEW {
        text += &format!(" and {} more", flaws.len() - FEW);
    }
    text
}

fn uninspected(findings: &mut Findings, length: usize, error: SizeError) {
    let text = match error {
        SizeError::TooLong => "the message has too many texts to list".to_string(),
        SizeError::OutOfMemory => format!("not enough memory to inspect its {length} bytes"),
    };
    findings.add_line(FindingCode::UninspectedMessage, 0, text);
}

/// The findings of one line.
struct Findings {
    line: u64,
    id: Option<String>,
    list: Vec<Finding>,
}

impl Findings {
    fn add(&mut self, code: FindingCode, pointer: &str, offset: usize, text: String) {
        let (message, pointer) = (self.id.clone(), Some(pointer.to_string()));
        self.list.push(Finding { code, line: self.line, message, pointer, offset, text });
    }

    fn add_line(&mut self, code: FindingCode, offset: usize, text: String) {
        let message = self.id.clone();
        self.list.push(Finding { code, line: self.line, message, pointer: None, offset, text });
    }
}

/// Checks a whole record, holding one line of it at a time.
///
/// ```
/// use murmur_fence_record::{Entry, check_record};
/// let record = br#"{"content":[{"text":"bare","type":"text"}],"fence":"tool:x","role":"tool"}"#;
/// let mut codes = Vec::new();
/// let summary = check_record(&record[..], |entry| {
///     if let Entry::Finding(finding) = entry {
///         codes.push(finding.code.as_str());
///     }
/// })?;
/// assert_eq!(codes, ["labelled-not-intact"]);
/// assert_eq!(summary.sources["tool:x"].labelled, 1);
/// assert_eq!(summary.sources["tool:x"].intact, 0);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Those of `record`. What a record holds is never an error, but a finding.
#[cfg(feature = "std")]
pub fn check_record(
    mut record: impl std::io::Read,
    mut report: impl FnMut(Entry<'_>),
) -> std::io::Result<Summary> {
    let mut checker = Checker::new();
    let mut buffer = std::vec![0; 64 << 10];
    loop {
        match record.read(&mut buffer) {
            Ok(0) => return Ok(checker.finish(&mut report)),
            Ok(read) => checker.feed(&buffer[..read], &mut report),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
