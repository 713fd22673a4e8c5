//! The audit of a record, or of a part of one.

use std::borrow::Cow;
use std::io;
use std::str;

use murmur_fence::lookalikes;

use super::ground::{Heard, ground};
use super::quick::Quick;
use super::report::Severity;
use super::sheet::{Sheet, Spot};
use super::utterance::{Judge, Label, Utterance};
use super::window::{Source, Taken, Window};
use crate::code::FindingCode;
use crate::declared::Said;
use crate::inspect::inspect_fields;
use crate::json::{Literal, SizeError};
use crate::line::{Line, Message, Skipped, text};
use crate::lines::MAX_LINE;

/// Looks at a record line by line.
pub(super) struct RecordAudit<'a> {
    pub(super) judge: Judge<'a>,
    /// The hash of the record's context, if it is known.
    pub(super) context: Option<u64>,
    /// Messages that were made before are passed over.
    pub(super) since: Option<u64>,
    /// Whether lines may be read the fast way. Only a test would not.
    pub(super) quick: bool,
}

impl RecordAudit<'_> {
    /// Looks at the lines that begin before the offset `end`, and tells of the
    /// progress after each stretch. Whether it was stopped before.
    pub(super) fn run<S: Source>(
        &self,
        window: &mut Window<S>,
        end: u64,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<bool> {
        let quick = self.quick && !sheet.wants_messages();
        let mut told = window.offset();
        while window.offset() < end && !sheet.failed() {
            if window.offset() - told >= PROGRESS {
                if !progress(window.offset() - told) {
                    return Ok(true);
                }
                told = window.offset();
            }
            if quick && let Some(length) = self.quick_line(window.ahead(), sheet) {
                window.step(length);
                continue;
            }
            // Without the whole line at hand, the fast way cannot tell; the next
            // attempt finds it.
            if quick && !window.holds_line() && window.fill()? {
                continue;
            }
            match window.line()? {
                Taken::Nothing => break,
                Taken::TooLong => {
                    sheet.sums.lines += 1;
                    let spot = Spot { line: sheet.sums.lines, ..Spot::default() };
                    let text = format!("longer than the {MAX_LINE} bytes that a line may have");
                    sheet.find(FindingCode::UnreadableLine, Severity::Error, spot, text);
                }
                Taken::Line(line, terminated) => {
                    sheet.sums.lines += 1;
                    self.line(line, terminated, sheet);
                }
            }
        }
        progress(window.offset() - told);
        Ok(sheet.failed())
    }

    /// Reads the line that `bytes` begin with, if it is a usual one that gives no
    /// finding; answers its length.
    fn quick_line(&self, bytes: &[u8], sheet: &mut Sheet<'_>) -> Option<usize> {
        let quick = Quick::read(bytes)?;
        let decoded = || quick.text().and_then(|raw| Literal::alone(raw).decode().ok());
        let time = time_of(quick.id);
        let old = self.is_old(time);
        let heard = Heard {
            line: sheet.sums.lines + 1,
            role: quick.role,
            id: quick.id,
            time,
            context: self.context,
            call: quick.call,
            is_error: quick.is_error,
            inserted: None,
            by_hook: false,
        };
        if !old && quick.hint && self.judge.lookalikes && quick.role != "assistant" {
            // With several texts, or a look-alike, the findings need their places.
            if lookalikes(&decoded()?).next().is_some() {
                return None;
            }
        }
        sheet.sums.lines += 1;
        sheet.sums.messages += 1;
        if old {
            sheet.sums.passed_over += 1;
            return Some(quick.length);
        }
        let label = match quick.label {
            Some(label) => {
                sheet.sums.count(label, |tally| {
                    tally.labelled += 1;
                    tally.due += 1;
                    tally.marked += 1;
                    tally.intact += 1;
                });
                Label::Fenced(label)
            }
            None => {
                let grounded = ground(self.judge.index, &heard, &decoded);
                if grounded.due.is_some() {
                    sheet.sums.lines -= 1;
                    sheet.sums.messages -= 1;
                    return None;
                }
                sheet.bare(grounded.bare.ground);
                Label::Bare
            }
        };
        if !self.judge.index.is_empty()
            && let Some(text) = decoded()
        {
            self.judge.compare(&heard, label, &text, sheet);
        }
        Some(quick.length)
    }

    fn is_old(&self, time: Option<u64>) -> bool {
        self.since.zip(time).is_some_and(|(since, time)| time < since)
    }

    /// Reads any line.
    fn line(&self, line: &[u8], terminated: bool, sheet: &mut Sheet<'_>) {
        let spot = Spot { line: sheet.sums.lines, ..Spot::default() };
        let text = match str::from_utf8(line) {
            Ok(text) => text,
            Err(error) => {
                let at = Some(error.valid_up_to());
                let spot = Spot { offset: at, column: at, ..spot };
                // A character that is cut off at the end may be on its way.
                let torn = !terminated && error.error_len().is_none();
                if torn {
                    let text = "cut off within a character; it was torn, or is being written";
                    sheet.find(FindingCode::TornLine, Severity::Warning, spot, text);
                } else {
                    let text = "not UTF-8, so the runtime refuses to read the record";
                    sheet.find(FindingCode::InvalidUtf8, Severity::Error, spot, text);
                }
                return;
            }
        };
        match Line::parse(text) {
            Ok(Line::Blank | Line::Skipped(Skipped::Header(_))) => {}
            Ok(Line::Skipped(skipped)) => {
                let at = match &skipped {
                    Skipped::NotJson(fault) => fault.column as usize - 1,
                    _ => 0,
                };
                let spot = Spot { offset: Some(at), column: Some(at), ..spot };
                if terminated {
                    let text = skipped.to_string();
                    sheet.find(FindingCode::UnreadableLine, Severity::Warning, spot, text);
                } else {
                    let text = format!("{skipped}; it was cut off, or is being written");
                    sheet.find(FindingCode::TornLine, Severity::Warning, spot, text);
                }
            }
            Ok(Line::Message(message)) => {
                sheet.sums.messages += 1;
                if let Err(error) = self.message(&message, sheet) {
                    uninspected(error, text.len(), spot, sheet);
                }
            }
            Err(error) => uninspected(error, text.len(), spot, sheet),
        }
    }

    fn message(&self, message: &Message<'_>, sheet: &mut Sheet<'_>) -> Result<(), SizeError> {
        let fields = message.fields();
        let (id, role, label) = (text(fields.id)?, fields.role()?, fields.label()?);
        let time = time_of(id.as_deref());
        if self.is_old(time) {
            sheet.sums.passed_over += 1;
            return Ok(());
        }
        let call = text(fields.tool_call_id)?;
        let pieces = inspect_fields(message, &fields).map_err(|_| SizeError::TooLong)?;
        let utterance = Utterance {
            heard: Heard {
                line: sheet.sums.lines,
                role: &role,
                id: id.as_deref(),
                time,
                context: self.context,
                call: call.as_deref(),
                is_error: fields.is_error.and_then(|flag| flag.scalar()?.parse().ok()),
                inserted: fields.insertion(),
                by_hook: fields.insertion().is_some(),
            },
            label: label.as_deref().map_or(Label::Bare, Label::Fenced),
            said: pieces.iter().map(Said::from).collect(),
            column: &|index, offset| pieces[index].offsets().served(offset),
        };
        self.judge.judge(&utterance, sheet);
        Ok(())
    }
}

/// After how many bytes progress is told.
const PROGRESS: u64 = 1 << 20;

fn uninspected(error: SizeError, length: usize, spot: Spot<'_>, sheet: &mut Sheet<'_>) {
    let text: Cow<'static, str> = match error {
        SizeError::TooLong => "the message has too many texts to list".into(),
        SizeError::OutOfMemory => format!("not enough memory to inspect its {length} bytes").into(),
    };
    sheet.find(FindingCode::UninspectedMessage, Severity::Error, spot, text);
}

/// When a message was made: its id begins with the milliseconds since the Unix
/// epoch in twelve hexadecimal digits, as every UUID of version 7 does.
pub(super) fn time_of(id: Option<&str>) -> Option<u64> {
    let uuid = id?.strip_prefix("msg_")?;
    let digits = uuid.get(..12).filter(|_| uuid.len() == 32)?;
    // A sign would be taken for part of the number.
    let plain = uuid.bytes().all(|byte| byte.is_ascii_hexdigit()) && uuid.as_bytes()[12] == b'7';
    plain.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}
