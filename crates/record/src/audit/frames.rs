//! The audit of a stream: what its frames declare, and what they show.

use std::io::{self, Read};

use super::ground::Heard;
use super::index::{Index, Origin};
use super::report::Severity;
use super::sheet::{Sheet, Spot};
use super::utterance::{Judge, Label, Utterance};
use crate::code::FindingCode;
use crate::declared::Said;
use crate::json::JsonFault;
use crate::lines::{Lines, MAX_LINE};
use crate::standing::Speaker;
use crate::stream::{ArtifactFrame, FrameLabel, Sse, SseItem, StreamMessage};

/// How a stream was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it came.
    Events,
    /// The JSON of one event a line.
    Lines,
}

/// One item of a stream.
pub(super) enum Item<'i> {
    /// The JSON of an event, with its line and its id.
    Data { line: u64, id: Option<&'i str>, data: &'i str, whole: bool },
    /// Something that is no event.
    Fault { line: u64, code: FindingCode, text: &'static str },
}

/// Reads a stream and hands on its items; answers how many lines it has. `each`
/// ends the reading by answering `false`; `read` hears how much has been read.
pub(super) fn read(
    mut stream: impl Read,
    form: Form,
    read: &mut dyn FnMut(u64) -> bool,
    each: &mut dyn FnMut(Item<'_>),
) -> io::Result<u64> {
    let mut buffer = vec![0; 64 << 10];
    let mut sse = Sse::new();
    let mut lines = Lines::new(1, 0);
    let mut last = 0;
    loop {
        let length = match stream.read(&mut buffer) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if length == 0 || !read(length as u64) {
            break;
        }
        match form {
            Form::Events => sse.feed(&buffer[..length], &mut |item| each(Item::from(item))),
            Form::Lines => {
                let fed = lines.feed(&buffer[..length], |line| {
                    last = line.number;
                    each(Item::of_line(line.number, line.bytes.ok(), true));
                    Ok::<(), std::convert::Infallible>(())
                });
                let Ok(()) = fed;
            }
        }
    }
    if form == Form::Lines {
        if let Some(line) = lines.unterminated() {
            last = line.number;
            each(Item::of_line(line.number, line.bytes.ok(), false));
        }
        return Ok(last);
    }
    let ended = sse.lines() + u64::from(sse.within_line());
    sse.finish(&mut |item| each(Item::from(item)));
    Ok(ended)
}

impl<'i> Item<'i> {
    fn of_line(line: u64, bytes: Option<&'i [u8]>, whole: bool) -> Self {
        match bytes.map(std::str::from_utf8) {
            Some(Ok(data)) => Item::Data { line, id: None, data, whole },
            Some(Err(_)) => Item::not_utf8(line),
            None => Item::too_long(line),
        }
    }

    fn not_utf8(line: u64) -> Self {
        Item::Fault { line, code: FindingCode::InvalidUtf8, text: "not UTF-8" }
    }

    fn too_long(line: u64) -> Self {
        let text = "longer than an event may be";
        Item::Fault { line, code: FindingCode::UnreadableLine, text }
    }
}

impl<'i> From<SseItem<'i>> for Item<'i> {
    fn from(item: SseItem<'i>) -> Self {
        match item {
            SseItem::Event(event) => {
                Item::Data { line: event.line, id: event.id, data: event.data, whole: true }
            }
            SseItem::NotUtf8(line, _) => Item::not_utf8(line),
            SseItem::TooLong(line) => Item::too_long(line),
            SseItem::Unfinished(line) => Item::Fault {
                line,
                code: FindingCode::TornLine,
                text: "no blank line ends the event; the stream was cut off, or is being written",
            },
        }
    }
}

/// Takes a stream into the index.
pub(super) fn gather(
    stream: impl Read,
    form: Form,
    file: usize,
    index: &mut Index,
) -> io::Result<()> {
    read(stream, form, &mut |_| true, &mut |item| {
        if let Item::Data { line, data, .. } = item
            && let Ok(StreamMessage::Artifact(frame)) = StreamMessage::parse(data)
        {
            index.frame(Origin { file, line }, &frame);
        }
    })
    .map(drop)
}

/// Looks at a stream event by event.
pub(super) struct StreamAudit<'a> {
    pub(super) judge: Judge<'a>,
    /// Frames that were sent before are passed over.
    pub(super) since: Option<u64>,
}

impl StreamAudit<'_> {
    pub(super) fn run(
        &self,
        stream: impl Read,
        form: Form,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<()> {
        let lines = read(stream, form, progress, &mut |item| match item {
            Item::Data { line, id, data, whole } => self.data(line, id, data, whole, sheet),
            Item::Fault { line, code, text } => {
                let spot = Spot { line, ..Spot::default() };
                sheet.find(code, Severity::Warning, spot, text);
            }
        })?;
        sheet.sums.lines = lines;
        Ok(())
    }

    fn data(&self, line: u64, id: Option<&str>, data: &str, whole: bool, sheet: &mut Sheet<'_>) {
        let spot = Spot { line, id, ..Spot::default() };
        match StreamMessage::parse(data) {
            Ok(StreamMessage::Artifact(frame)) => self.frame(line, id, &frame, sheet),
            Ok(StreamMessage::Other) => {}
            Ok(StreamMessage::NotJson(_)) if data.trim().is_empty() => {}
            Ok(StreamMessage::NotJson(JsonFault { column, reason, .. })) => {
                let at = Some(column as usize - 1);
                let spot = Spot { offset: at, ..spot };
                let (code, more) = match whole {
                    true => (FindingCode::UnreadableLine, ""),
                    false => (FindingCode::TornLine, "; it was cut off, or is being written"),
                };
                let text = format!("not JSON: {reason} at column {column}{more}");
                sheet.find(code, Severity::Warning, spot, text);
            }
            Ok(StreamMessage::Foreign) => {
                let text = "JSON, but no message of the protocol";
                sheet.find(FindingCode::UnreadableLine, Severity::Warning, spot, text);
            }
            Err(error) => {
                let text = format!("the event is not read: {error}; at most {MAX_LINE} bytes are");
                sheet.find(FindingCode::UninspectedMessage, Severity::Error, spot, text);
            }
        }
    }

    fn frame(&self, line: u64, id: Option<&str>, frame: &ArtifactFrame<'_>, sheet: &mut Sheet<'_>) {
        sheet.sums.messages += 1;
        if self.since.zip(frame.timestamp).is_some_and(|(since, time)| time < since) {
            sheet.sums.passed_over += 1;
            return;
        }
        let (label, bare) = match &frame.label {
            FrameLabel::Fenced(label) => (Label::Fenced(label), false),
            FrameLabel::Bare => (Label::Bare, true),
            FrameLabel::Absent => (Label::Untold, false),
        };
        // Only what a hook made answers no call.
        let by_hook = bare && frame.call.is_none() && !frame.older;
        let labelled = matches!(label, Label::Fenced(_));
        let speaker = Speaker { role: "tool", inserted: by_hook, labelled };
        let content = frame.content.as_ref();
        let standing = content.map(|content| speaker.standing(&content.text));
        let said = content.zip(standing.as_ref()).map(|(content, standing)| Said {
            pointer: &frame.pointer,
            text: &content.text,
            spoken: true,
            standing,
        });
        let utterance = Utterance {
            heard: Heard {
                line,
                role: "tool",
                id,
                time: frame.timestamp,
                context: frame.context.as_deref().map(|it| self.judge.index.digests.hash(it)),
                call: frame.call.as_deref(),
                is_error: frame.is_error,
                inserted: None,
                by_hook,
            },
            label,
            said: said.into_iter().collect(),
            column: &|_, offset| content.map_or(0, |content| content.column(offset)),
        };
        self.judge.judge_alone(&utterance, sheet);
    }
}
