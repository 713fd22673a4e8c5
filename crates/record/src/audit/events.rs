//! The audit of a trace: what the tools' outputs in it show.

use std::io;
use std::str;

use murmur_fence::sanitise_source;

use super::ground::{Heard, bare_name, is_error};
use super::index::{Index, Origin, Tracing, has_replaced_handle};
use super::report::{Ground, Severity};
use super::sheet::{Sheet, Spot};
use super::utterance::{Judge, Label, Utterance};
use super::window::{Source, Taken, Window};
use crate::code::FindingCode;
use crate::declared::{Declared, Said};
use crate::lines::MAX_LINE;
use crate::standing::{Speaker, Standing};
use crate::trace::{Event, EventKind, Text, ToolCall, TraceLine};

/// Where an output stands in its line.
const POINTER: &str = "/output";

/// Takes a trace into the index. What cannot be read is left to the audit.
pub(super) fn gather<S: Source>(
    window: &mut Window<S>,
    file: usize,
    index: &mut Index,
) -> io::Result<()> {
    let mut tracing = Tracing::default();
    let mut line = 0;
    loop {
        line += 1;
        let text = match window.line()? {
            Taken::Nothing => return Ok(()),
            Taken::TooLong => continue,
            Taken::Line(text, _) => str::from_utf8(text),
        };
        if let Ok(Ok(TraceLine::Event(event))) = text.map(TraceLine::parse) {
            index.event(&mut tracing, Origin { file, line }, &event);
        }
    }
}

/// Looks at a trace line by line.
pub(super) struct TraceAudit<'a> {
    pub(super) judge: Judge<'a>,
    /// Events that were written before are passed over.
    pub(super) since: Option<u64>,
}

impl TraceAudit<'_> {
    pub(super) fn run<S: Source>(
        &self,
        window: &mut Window<S>,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<()> {
        let mut told = window.offset();
        while !sheet.stopped() {
            let (line, terminated) = match window.line()? {
                Taken::Nothing => break,
                Taken::TooLong => {
                    sheet.sums.lines += 1;
                    let text = format!("longer than the {MAX_LINE} bytes that a line may have");
                    let spot = Spot { line: sheet.sums.lines, ..Spot::default() };
                    sheet.find(FindingCode::UnreadableLine, Severity::Error, spot, text);
                    continue;
                }
                Taken::Line(line, terminated) => (line, terminated),
            };
            sheet.sums.lines += 1;
            self.line(line, terminated, sheet);
            let now = window.offset();
            if !progress(now - told) {
                break;
            }
            told = now;
        }
        Ok(())
    }

    fn line(&self, line: &[u8], terminated: bool, sheet: &mut Sheet<'_>) {
        let number = sheet.sums.lines;
        let spot =
            |at| Spot { line: number, offset: Some(at), column: Some(at), ..Spot::default() };
        let text = match str::from_utf8(line) {
            Ok(text) => text,
            Err(error) => {
                let (code, text) = match terminated || error.error_len().is_some() {
                    true => (FindingCode::InvalidUtf8, "not UTF-8"),
                    false => (FindingCode::TornLine, "cut off within a character"),
                };
                sheet.find(code, Severity::Warning, spot(error.valid_up_to()), text);
                return;
            }
        };
        match TraceLine::parse(text) {
            Ok(TraceLine::Blank) => {}
            Ok(TraceLine::Event(event)) => self.event(&event, sheet),
            Ok(TraceLine::Skipped(skipped)) => {
                let at = match &skipped {
                    crate::trace::NoEvent::NotJson(fault) => fault.column as usize - 1,
                    _ => 0,
                };
                let (code, text) = match terminated {
                    true => (FindingCode::UnreadableLine, skipped.to_string()),
                    false => (
                        FindingCode::TornLine,
                        format!("{skipped}; it was cut off, or is being written"),
                    ),
                };
                sheet.find(code, Severity::Warning, spot(at), text);
            }
            Err(error) => {
                let text = format!("the event is not read: {error}");
                sheet.find(FindingCode::UninspectedMessage, Severity::Error, spot(0), text);
            }
        }
    }

    fn event(&self, event: &Event<'_>, sheet: &mut Sheet<'_>) {
        let EventKind::ToolCall(call) = &event.kind else { return };
        sheet.sums.messages += 1;
        if self.since.zip(event.timestamp).is_some_and(|(since, time)| time < since) {
            sheet.sums.passed_over += 1;
            return;
        }
        if let Some(output) = &call.output {
            self.output(event, call, output, sheet);
        }
    }

    /// What the model got from a call, where the trace captures it.
    fn output(
        &self,
        event: &Event<'_>,
        call: &ToolCall<'_>,
        output: &Text<'_>,
        sheet: &mut Sheet<'_>,
    ) {
        let text = &*output.text;
        let line = sheet.sums.lines;
        let tool = bare_name(call.tool.as_deref().unwrap_or("?"));
        let source = format!("tool:{tool}");
        let spot = Spot {
            line,
            id: event.id.as_deref(),
            call: call.call.as_deref(),
            source: Some(&source),
            pointer: Some(POINTER),
            offset: Some(0),
            column: Some(output.column(0)),
        };
        if let Some(bytes) = call.output_bytes
            && bytes != text.len() as u64
            && !has_replaced_handle(text)
        {
            let told = format!("output_bytes is {bytes}, the output has {} bytes", text.len());
            sheet.find(FindingCode::OutputBytesMismatch, Severity::Warning, spot, told);
        }
        let standing = Speaker { role: "tool", inserted: false, labelled: true }.standing(text);
        // The runtime's own words may spell a marker: that of a tool's name, say.
        let in_its_words = call.error.as_deref().is_some_and(|error| is_error(text, error));
        let failed = call.answered().is_none() && (in_its_words || standing == Standing::Unfenced);
        if failed || call.succeeded.is_none() {
            // The runtime's own words, or a status that says nothing.
            let told = call.error.is_some();
            sheet.bare(if told { Ground::DispatchFailure } else { Ground::CannotTell });
            return;
        }
        let said = Said { pointer: POINTER, text, spoken: true, standing: &standing };
        let declared = Declared::of_output(&source, format!("a result of {tool:?}"));
        let utterance = Utterance {
            heard: Heard {
                line,
                role: "tool",
                id: event.id.as_deref(),
                call: call.call.as_deref(),
                ..Heard::default()
            },
            label: Label::Untold,
            said: vec![said],
            column: &|_, offset| output.column(offset),
        };
        let source = sanitise_source(&source);
        if standing == Standing::Unfenced {
            sheet.bare(Ground::Due);
            sheet.sums.count(&source, |tally| {
                tally.due += 1;
                tally.bare += 1;
            });
            let text = format!("{tool:?} answered, but its output is bare");
            sheet.find(FindingCode::BareToolResult, Severity::Error, spot, text);
        } else {
            let intact = utterance.judge_output(&declared, &source, sheet);
            sheet.sums.count(&source, |tally| {
                tally.due += 1;
                tally.marked += 1;
                tally.intact += u64::from(intact);
            });
        }
        if self.judge.lookalikes {
            utterance.find_lookalikes(sheet);
        }
    }
}
