//! The audit of what is read as one text: pages, and plain texts.

use std::borrow::Cow;
use std::io::{self, Read};
use std::str;

use super::ground::Heard;
use super::record::time_of;
use super::report::Severity;
use super::sheet::{Sheet, Spot};
use super::utterance::{Judge, Label, Utterance};
use crate::code::FindingCode;
use crate::declared::Said;
use crate::inspect::inspect;
use crate::page_json::{PageMessage, page_messages};
use crate::standing::Speaker;

/// The longest text that is read as one, in bytes.
pub(super) const MAX_WHOLE: u64 = 512 << 20;

/// Reads a whole text; none, with a finding, if that is not possible.
pub(super) fn whole(reader: impl Read, sheet: &mut Sheet<'_>) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    reader.take(MAX_WHOLE + 1).read_to_end(&mut bytes)?;
    sheet.sums.lines = memchr::memchr_iter(b'\n', &bytes).count() as u64;
    sheet.sums.lines += u64::from(bytes.last().is_some_and(|last| *last != b'\n'));
    if bytes.len() as u64 > MAX_WHOLE {
        let text = format!("longer than the {MAX_WHOLE} bytes that are read as one text");
        let spot = Spot::default();
        sheet.find(FindingCode::UninspectedMessage, Severity::Error, spot, text);
        return Ok(None);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let at = Some(error.utf8_error().valid_up_to());
            let spot = Spot { offset: at, ..Spot::default() };
            sheet.find(FindingCode::InvalidUtf8, Severity::Error, spot, "not UTF-8");
            Ok(None)
        }
    }
}

/// Looks at the messages of pages.
pub(super) fn pages(text: &str, judge: Judge<'_>, since: Option<u64>, sheet: &mut Sheet<'_>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = LineCount { text, counted: 0, line: 1 };
    let read = page_messages(text, &mut |message| {
        sheet.sums.messages += 1;
        let start = message.literal.span().start;
        let line = lines.at(start);
        page_message(&message, line, judge, since, sheet);
    });
    if let Err(error) = read {
        sheet.find(
            FindingCode::UnreadableLine,
            Severity::Warning,
            Spot { line: 1, ..Spot::default() },
            error.to_string(),
        );
    }
}

/// The numbers of lines, asked for in ascending order.
struct LineCount<'t> {
    text: &'t str,
    counted: usize,
    line: u64,
}

impl LineCount<'_> {
    fn at(&mut self, offset: usize) -> u64 {
        let passed = self.text.as_bytes().get(self.counted..offset).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.counted = self.counted.max(offset);
        self.line
    }
}

fn page_message(
    message: &PageMessage<'_>,
    line: u64,
    judge: Judge<'_>,
    since: Option<u64>,
    sheet: &mut Sheet<'_>,
) {
    let id = message.id.as_deref();
    let time = time_of(id);
    if since.zip(time).is_some_and(|(since, time)| time < since) {
        sheet.sums.passed_over += 1;
        return;
    }
    let pieces = match inspect(&message.role, &message.content, message.inserted_by.is_some()) {
        Ok(pieces) => pieces,
        Err(error) => {
            let spot = Spot { line, id, pointer: Some(&message.pointer), ..Spot::default() };
            sheet.find(FindingCode::UninspectedMessage, Severity::Error, spot, error.to_string());
            return;
        }
    };
    let pointers: Vec<_> = pieces
        .iter()
        .map(|piece| format!("{}/content{}", message.pointer, piece.pointer))
        .collect();
    let said = pieces.iter().zip(&pointers);
    let said = said.map(|(piece, pointer)| Said { pointer, ..Said::from(piece) }).collect();
    let utterance = Utterance {
        heard: Heard {
            line,
            role: &message.role,
            id,
            time,
            inserted: message.inserted_by,
            by_hook: message.inserted_by.is_some(),
            ..Heard::default()
        },
        label: Label::Untold,
        said,
        column: &|index, offset| {
            let served = pieces[index].offsets().served(offset);
            message.literal.offsets().served(served)
        },
    };
    judge.judge_alone(&utterance, sheet);
}

/// Looks at a text as at one message of which nothing is declared.
pub(super) fn plain(text: &str, judge: Judge<'_>, sheet: &mut Sheet<'_>) {
    sheet.sums.messages = 1;
    // Whatever is broken in it is worth telling: somebody asked for this text.
    let standing = Speaker { role: "tool", inserted: false, labelled: true }.standing(text);
    let said = Said { pointer: "", text, spoken: true, standing: &standing };
    let utterance = Utterance {
        heard: Heard { line: 1, role: "text", ..Heard::default() },
        label: Label::Untold,
        said: vec![said],
        column: &|_, offset| offset,
    };
    judge.judge_alone(&utterance, sheet);
}

/// The words for a finding about a file.
pub(super) fn about_file(sheet: &mut Sheet<'_>, text: impl Into<Cow<'static, str>>) {
    sheet.find(FindingCode::UnreadableFile, Severity::Error, Spot::default(), text);
}
