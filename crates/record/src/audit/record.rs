//! The audit of a record's line.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use core::str;

use super::ground::Heard;
use super::report::Severity;
use super::sheet::{Sheet, Spot};
use super::utterance::{Judge, Label, Utterance};
use crate::code::FindingCode;
use crate::declared::Said;
use crate::inspect::inspect_fields;
use crate::json::SizeError;
use crate::line::{Line, Message, Skipped, text};
use crate::lines::MAX_LINE;

/// Looks at lines of a record, each by itself.
pub(super) struct RecordAudit<'a> {
    pub(super) judge: Judge<'a>,
    /// The hash of the record's context, if it is known.
    pub(super) context: Option<u64>,
    /// Messages that were made before are passed over.
    pub(super) since: Option<u64>,
}

impl RecordAudit<'_> {
    pub(super) fn is_old(&self, time: Option<u64>) -> bool {
        self.since.zip(time).is_some_and(|(since, time)| time < since)
    }

    /// Looks at a line, given without its line end; `terminated` says whether a
    /// newline ended it.
    pub(super) fn line(&self, line: &[u8], terminated: bool, sheet: &mut Sheet<'_>) {
        match str::from_utf8(line) {
            Ok(text) => self.text(text, terminated, sheet),
            Err(error) => {
                let cut_off = error.error_len().is_none();
                self.not_utf8(error.valid_up_to(), cut_off, terminated, sheet);
            }
        }
    }

    /// A line that is longer than any that is read.
    pub(super) fn too_long(&self, sheet: &mut Sheet<'_>) {
        sheet.sums.lines += 1;
        let spot = Spot { line: sheet.sums.lines, ..Spot::default() };
        let text = format!("longer than the {MAX_LINE} bytes that a line may have");
        sheet.find(FindingCode::UnreadableLine, Severity::Error, spot, text);
    }

    /// A line that is UTF-8 up to a byte; `cut_off` says that it ends there within a
    /// character.
    pub(super) fn not_utf8(
        &self,
        valid_up_to: usize,
        cut_off: bool,
        terminated: bool,
        sheet: &mut Sheet<'_>,
    ) {
        sheet.sums.lines += 1;
        let at = Some(valid_up_to);
        let spot = Spot { line: sheet.sums.lines, offset: at, column: at, ..Spot::default() };
        // A character that is cut off at the end may be on its way.
        if cut_off && !terminated {
            let text = "cut off within a character; it was torn, or is being written";
            sheet.find(FindingCode::TornLine, Severity::Warning, spot, text);
        } else {
            let text = "not UTF-8, so the runtime refuses to read the record";
            sheet.find(FindingCode::InvalidUtf8, Severity::Error, spot, text);
        }
    }

    /// A line that is UTF-8.
    pub(super) fn text(&self, text: &str, terminated: bool, sheet: &mut Sheet<'_>) {
        sheet.sums.lines += 1;
        let spot = Spot { line: sheet.sums.lines, ..Spot::default() };
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
