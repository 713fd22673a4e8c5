//! `strip`: what a person should read, without the fences.
//!
//! The first column tells whose a line is, so that a text cannot pass for another's:
//! a bar for the body of a block, `!` for a text whose fence is broken, a space for
//! what stands outside of blocks. Everything else is the program's.

use std::io::{self, BufRead, Read, Write};

use jiff::Timestamp;
use murmur_fence::{INFIX, Span};
use murmur_fence_record::audit::{
    self, AuditedMessage, AuditedPiece, Finding, Options, Severity, Visitor,
};
use murmur_fence_record::{FindingCode, Standing};
use serde_json::Value;

use crate::Outcome;
use crate::failure::Failure;
use crate::forged::forged;
use crate::input::Input;
use crate::visible::Visible;

/// What stands before a marker that was forged and is shown as it was written.
const FORGED: &str = "[forged] ";

/// Calls `each` with the messages of an input: of a record, a page or a stream, or
/// the one that a text or a served message is. What is passed over is told on
/// standard error, and is a finding.
pub fn each_message(
    file: &Input,
    each: impl FnMut(&AuditedMessage) -> io::Result<()>,
) -> Result<Outcome, Failure> {
    let input = audit_input(file)?;
    let options = Options {
        max_findings: None,
        threads: 1,
        messages: true,
        lookalikes: false,
        ..Options::default()
    };
    let mut messages = Messages { each, unreadable: false };
    let report = audit::audit(vec![input], &options, &mut messages).map_err(Failure::output)?;
    if let Some(problem) = report.files.iter().find_map(|file| file.problem.as_ref()) {
        return Err(Failure::at("read", file, problem));
    }
    Ok(if messages.unreadable { Outcome::Findings } else { Outcome::Clean })
}

/// The input for the audit. A message as a page serves it, alone, becomes a page.
fn audit_input(file: &Input) -> Result<audit::Input, Failure> {
    let read = |error: io::Error| Failure::at("read", file, error);
    let mut reader = file.buffered()?;
    let mut head = Vec::new();
    reader.by_ref().take(MAX_SERVED).read_until(b'\n', &mut head).map_err(read)?;
    let alone = reader.fill_buf().map_err(read)?.is_empty();
    if alone && let Some(page) = page_of_one(&head) {
        head = page;
    }
    let reader = Box::new(io::Cursor::new(head).chain(reader));
    Ok(audit::Input::Reader { name: file.to_string(), reader })
}

/// The longest served message that is looked for, in bytes.
const MAX_SERVED: u64 = 64 << 20;

/// A page that holds the message that this line is, if it is one as served: its
/// content is a string that holds JSON.
fn page_of_one(line: &[u8]) -> Option<Vec<u8>> {
    let message: Value = serde_json::from_slice(line).ok()?;
    message.get("role")?.as_str()?;
    let content: Value = serde_json::from_str(message.get("content")?.as_str()?).ok()?;
    let served = content.is_array() || content.is_object();
    let page = serde_json::json!({ "messages": [message], "next_cursor": null, "total": 1 });
    served.then(|| page.to_string().into_bytes())
}

struct Messages<F> {
    each: F,
    unreadable: bool,
}

impl<F: FnMut(&AuditedMessage) -> io::Result<()>> Visitor for Messages<F> {
    fn message(&mut self, message: &AuditedMessage) -> io::Result<()> {
        (self.each)(message)
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let unread = matches!(
            finding.code,
            FindingCode::TornLine
                | FindingCode::UnreadableLine
                | FindingCode::InvalidUtf8
                | FindingCode::UninspectedMessage
        );
        if unread && finding.severity != Severity::Note {
            self.unreadable = true;
            let (line, text) = (finding.line, Visible(&finding.text));
            eprintln!("murmur-fence: line {line} is passed over: {text}");
        }
        Ok(())
    }
}

pub fn run(file: &Input) -> Result<Outcome, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut first = true;
    let outcome = each_message(file, |message| {
        if !std::mem::take(&mut first) {
            writeln!(out)?;
        }
        write_message(&mut out, message)
    })?;
    out.flush().map_err(Failure::output)?;
    Ok(outcome)
}

fn write_message(out: &mut impl Write, message: &AuditedMessage) -> io::Result<()> {
    // A plain text has no speaker.
    if message.role != "text" {
        write!(out, "{}", Visible(&message.role))?;
        if let Some(id) = &message.id {
            write!(out, "  {}", Visible(id))?;
        }
        if let Some(time) = message.time_ms.and_then(|time| i64::try_from(time).ok())
            && let Ok(time) = Timestamp::from_millisecond(time)
        {
            write!(out, "  {}", time.strftime("%Y-%m-%d %H:%M:%S UTC"))?;
        }
        writeln!(out)?;
    }
    for piece in message.pieces.iter().filter(|piece| piece.spoken) {
        write_piece(out, piece)?;
    }
    Ok(())
}

fn write_piece(out: &mut impl Write, piece: &AuditedPiece) -> io::Result<()> {
    let text = &piece.text;
    match &piece.standing {
        Standing::Unfenced | Standing::Mention(_) => write_lines(out, "  ", text),
        Standing::Broken(_) => {
            writeln!(out, "[broken fence: nothing shows where a block ends]")?;
            write_lines(out, "! ", text)
        }
        Standing::Intact(outline) => {
            let mut at = 0;
            for block in &outline.blocks {
                write_between(out, text, at..block.opener.start)?;
                writeln!(out, "[{}]", Visible(&text[block.source.clone()]))?;
                write_lines(out, "│ ", &shown(&text[block.body.clone()]))?;
                at = block.closer.end;
            }
            write_between(out, text, at..text.len())
        }
    }
}

/// What stands outside of blocks, without the line breaks that set it apart.
fn write_between(out: &mut impl Write, text: &str, span: Span) -> io::Result<()> {
    match text[span].trim_matches('\n') {
        "" => Ok(()),
        between => write_lines(out, "  ", between),
    }
}

fn write_lines(out: &mut impl Write, lead: &str, text: &str) -> io::Result<()> {
    for line in text.split('\n') {
        // A text's own tabs are harmless, and tables are written with them.
        let line: Vec<_> = line.split('\t').map(|part| Visible(part).to_string()).collect();
        writeln!(out, "{lead}{}", line.join("\t"))?;
    }
    Ok(())
}

/// The body with forged markers as they were written, each with a mark before it.
fn shown(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    for forged in forged(body) {
        out += &body[at..forged.span.start];
        out += FORGED;
        out += &body[forged.span.clone()].replacen(INFIX, "", 1);
        at = forged.span.end;
    }
    out + &body[at..]
}
