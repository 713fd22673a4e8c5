//! Going through a record: what it declares fenced, what is intact, and where the
//! two part.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::convert::Infallible;
use core::str;

use murmur_fence::sanitise_source;

use crate::code::FindingCode;
use crate::declared::{Declared, Fault, Said, unlabelled_broken};
use crate::inspect::{Piece, inspect_fields};
use crate::json::SizeError;
use crate::line::{Header, Insertion, Line, Message, Skipped, text};
use crate::lines::{Lines, RawLine};
use crate::standing::Standing;

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
            Some(label) => {
                let declared = Declared::by_label(label, &role, fields.insertion());
                let said = pieces.iter().map(Said::from);
                let intact = declared.judge(said, &mut |fault| findings.add_fault(fault));
                let tally = self.sources.entry(sanitise_source(label).into_owned()).or_default();
                tally.labelled += 1;
                tally.intact += u64::from(intact);
            }
            None => self.unlabelled(&pieces, findings),
        }
        let line = findings.line;
        Ok(CheckedMessage { line, id, role, label, inserted_by: fields.insertion(), pieces })
    }

    fn unlabelled(&mut self, pieces: &[Piece<'_>], findings: &mut Findings) {
        for (index, piece) in pieces.iter().enumerate() {
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
                    findings.add_fault(unlabelled_broken(index, &piece.pointer, flaws));
                }
                Standing::Unfenced | Standing::Mention(_) => {}
            }
        }
    }
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
    fn add_fault(&mut self, fault: Fault<'_>) {
        let (message, pointer) = (self.id.clone(), Some(fault.pointer.to_string()));
        let Fault { code, offset, text, .. } = fault;
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
