//! `verify`: what the markers of records and of plain texts show.

mod human;
mod json;
mod rows;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use murmur_fence::{Mode, Verdict};
use murmur_fence_record::{Entry, Line, Skipped, Summary, Tally, check_record};

use crate::failure::Failure;
use crate::input::Input;
use crate::{Format, Outcome};
use rows::{FileFinding, MessageRow, PieceRow};

/// The name of a record inside its directory.
const RECORD_FILE: &str = "conversation.jsonl";

/// How much of a first line is read to tell what an input is, in bytes.
const LONGEST_FIRST_LINE: u64 = 16 << 20;

/// What an input is, told from its first line.
#[derive(Clone, Copy)]
enum Kind {
    Record,
    Text,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Kind::Record => "record",
            Kind::Text => "text",
        }
    }
}

/// Where the report goes, as it comes.
trait Sink {
    fn begin(&mut self, path: &str, kind: Kind) -> io::Result<()>;
    fn message(&mut self, row: &MessageRow<'_>) -> io::Result<()>;
    fn finding(&mut self, finding: FileFinding) -> io::Result<()>;
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
    fn close(&mut self, totals: &Totals) -> io::Result<()>;
}

/// The numbers over all inputs.
#[derive(Default)]
struct Totals {
    files: u64,
    messages: u64,
    findings: u64,
    sources: BTreeMap<String, Tally>,
}

impl Totals {
    fn add(&mut self, summary: &Summary) {
        self.files += 1;
        self.messages += summary.messages;
        self.findings += summary.findings;
        for (source, tally) in &summary.sources {
            let total = self.sources.entry(source.clone()).or_default();
            total.labelled += tally.labelled;
            total.intact += tally.intact;
            total.unlabelled += tally.unlabelled;
        }
    }
}

pub fn run(format: Format, paths: &[Input]) -> Result<Outcome, Failure> {
    let out = io::BufWriter::new(io::stdout().lock());
    match format {
        Format::Human => verify_all(paths, human::Human::new(out)),
        Format::Json => verify_all(paths, json::Json::new(out)),
    }
}

fn verify_all(paths: &[Input], mut sink: impl Sink) -> Result<Outcome, Failure> {
    let mut totals = Totals::default();
    for path in paths {
        totals.add(&verify_one(&path.inside_directory(RECORD_FILE), &mut sink)?);
    }
    sink.close(&totals).map_err(Failure::output)?;
    Ok(if totals.findings == 0 { Outcome::Clean } else { Outcome::Findings })
}

fn verify_one(input: &Input, sink: &mut impl Sink) -> Result<Summary, Failure> {
    let mut reader = BufReader::new(input.open()?);
    let mut first = Vec::new();
    let mut head = reader.by_ref().take(LONGEST_FIRST_LINE);
    head.read_until(b'\n', &mut first).map_err(|error| Failure::at("read", input, error))?;
    let kind = kind(input, &first);
    let path = input.to_string();
    let whole = Cursor::new(first).chain(reader);
    let summary = match kind {
        Kind::Record => {
            sink.begin(&path, kind).map_err(Failure::output)?;
            verify_record(input, &path, whole, sink)?
        }
        Kind::Text => {
            // First, so that nothing is said of a text that is none.
            let text = input.text_of(whole)?;
            sink.begin(&path, kind).map_err(Failure::output)?;
            verify_text(&path, &text, sink).map_err(Failure::output)?
        }
    };
    sink.end(&summary).map_err(Failure::output)?;
    Ok(summary)
}

/// A record begins with a message or a header, or is named as one. Of a first line
/// that is too long to look at, the bracket tells.
fn kind(input: &Input, first: &[u8]) -> Kind {
    let line = str::from_utf8(first).ok().map(Line::parse);
    match line {
        Some(Ok(Line::Message(_) | Line::Skipped(Skipped::Header(_)))) => Kind::Record,
        _ if input.to_string().ends_with(".jsonl") => Kind::Record,
        _ if first.len() as u64 == LONGEST_FIRST_LINE && first[0] == b'{' => Kind::Record,
        _ => Kind::Text,
    }
}

fn verify_record(
    input: &Input,
    path: &str,
    record: impl Read,
    sink: &mut impl Sink,
) -> Result<Summary, Failure> {
    let mut written = Ok(());
    let summary = check_record(record, |entry| {
        if written.is_err() {
            return;
        }
        written = match entry {
            Entry::Header { .. } => Ok(()),
            Entry::Message(message) => sink.message(&MessageRow::from(&message)),
            Entry::Finding(finding) => sink.finding(FileFinding::new(path, finding)),
        };
    })
    .map_err(|error| Failure::at("read", input, error))?;
    written.map_err(Failure::output)?;
    Ok(summary)
}

/// Verifies a text as one message that nothing is declared of.
fn verify_text(path: &str, text: &str, sink: &mut impl Sink) -> io::Result<Summary> {
    let verdict = murmur_fence::verify(text, Mode::Standard);
    let mut summary = Summary { messages: 1, ..Summary::default() };
    sink.message(&MessageRow::of_text(PieceRow::of_text(&verdict)))?;
    match verdict {
        Verdict::Unfenced => {}
        Verdict::Intact(outline) => {
            for block in outline.blocks {
                let tally = summary.sources.entry(block.source.to_owned()).or_default();
                tally.intact += 1;
                tally.unlabelled += 1;
            }
        }
        Verdict::Broken(flaws) => {
            summary.findings = 1;
            sink.finding(FileFinding::broken_text(path, text, &flaws))?;
        }
    }
    Ok(summary)
}
