//! Server-sent events, taken apart as they come.

use alloc::string::String;
use alloc::vec::Vec;
use core::str;

use memchr::memchr2;

use crate::lines::MAX_LINE;

/// One event, or what was met in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseItem<'s> {
    /// An event that carries data.
    Event(SseEvent<'s>),
    /// A line that is not UTF-8; it is passed over. With its number and the byte
    /// at which it stops being UTF-8.
    NotUtf8(u64, usize),
    /// Event data longer than [`MAX_LINE`]; the event is passed over. With the
    /// number of its first line.
    TooLong(u64),
    /// The stream ended within an event, of which the first line has this number.
    Unfinished(u64),
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'s> {
    /// The number of its first `data` line, from 1.
    pub line: u64,
    /// The id that is in force.
    pub id: Option<&'s str>,
    /// Its data: the values of its `data` lines, joined by newlines.
    pub data: &'s str,
}

/// Takes chunks of a stream apart into events.
///
/// Lines end with LF, CR or both; a byte order mark at the start, comments and
/// unknown fields are passed over, and so is the head of an HTTP response. The
/// memory held is that of one event.
#[derive(Debug, Default)]
pub struct Sse {
    /// The line that has begun.
    line: Vec<u8>,
    /// How many lines have ended.
    lines: u64,
    /// Whether the last byte was a CR, which a LF may follow.
    after_return: bool,
    head: Head,
    id: Option<String>,
    data: String,
    /// The number of the first data line of the event that has begun.
    begun: Option<u64>,
    too_long: bool,
}

/// Where the head of an HTTP response is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Head {
    /// The first line tells whether there is one.
    #[default]
    Open,
    Inside,
    Passed,
}

impl Sse {
    /// Starts before the first byte.
    pub fn new() -> Self {
        Sse::default()
    }

    /// How many lines have ended.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Whether a line has begun that nothing has ended.
    pub fn within_line(&self) -> bool {
        !self.line.is_empty()
    }

    /// Takes the next bytes and hands on the events that they end.
    pub fn feed(&mut self, mut chunk: &[u8], each: &mut dyn FnMut(SseItem<'_>)) {
        if self.after_return && !chunk.is_empty() {
            chunk = chunk.strip_prefix(b"\n").unwrap_or(chunk);
            self.after_return = false;
        }
        while let Some(at) = memchr2(b'\n', b'\r', chunk) {
            self.begin(&chunk[..at]);
            self.end_line(each);
            let rest = &chunk[at + 1..];
            chunk = match (chunk[at], rest) {
                (b'\r', [b'\n', rest @ ..]) => rest,
                (b'\r', []) => {
                    self.after_return = true;
                    rest
                }
                _ => rest,
            };
        }
        self.begin(chunk);
    }

    /// Ends the stream. What an event without its blank line holds is no event.
    pub fn finish(mut self, each: &mut dyn FnMut(SseItem<'_>)) {
        if !self.line.is_empty() {
            self.end_line(each);
        }
        if let Some(line) = self.begun {
            each(SseItem::Unfinished(line));
        }
    }

    /// Appends to the line that has begun.
    fn begin(&mut self, part: &[u8]) {
        if self.line.len() + part.len() <= MAX_LINE && self.line.try_reserve(part.len()).is_ok() {
            self.line.extend_from_slice(part);
        } else {
            self.too_long = true;
        }
    }

    fn end_line(&mut self, each: &mut dyn FnMut(SseItem<'_>)) {
        let line = core::mem::take(&mut self.line);
        self.lines += 1;
        match str::from_utf8(&line) {
            Ok(text) => self.take_line(text, each),
            Err(error) => each(SseItem::NotUtf8(self.lines, error.valid_up_to())),
        }
        self.line = line;
        self.line.clear();
    }

    fn take_line(&mut self, line: &str, each: &mut dyn FnMut(SseItem<'_>)) {
        let line = match self.lines {
            1 => line.strip_prefix('\u{feff}').unwrap_or(line),
            _ => line,
        };
        match self.head {
            Head::Open if line.starts_with("HTTP/") => self.head = Head::Inside,
            Head::Open => self.head = Head::Passed,
            Head::Inside if line.is_empty() => self.head = Head::Passed,
            Head::Inside | Head::Passed => {}
        }
        if self.head == Head::Inside {
            return;
        }
        if line.is_empty() {
            return self.end_event(each);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                let first = self.begun.is_none();
                self.begun.get_or_insert(self.lines);
                let room = self.data.len() + 1 + value.len() <= MAX_LINE;
                if !room || self.data.try_reserve(value.len() + 1).is_err() {
                    self.too_long = true;
                } else {
                    if !first {
                        self.data.push('\n');
                    }
                    self.data.push_str(value);
                }
            }
            "id" if !value.contains('\0') => self.id = Some(String::from(value)),
            _ => {}
        }
    }

    fn end_event(&mut self, each: &mut dyn FnMut(SseItem<'_>)) {
        if let Some(line) = self.begun.take() {
            each(if self.too_long {
                SseItem::TooLong(line)
            } else {
                SseItem::Event(SseEvent { line, id: self.id.as_deref(), data: &self.data })
            });
        }
        self.too_long = false;
        self.data.clear();
    }
}
