//! Where the messages of a record lie: found once, then extended as the record
//! grows.
//!
//! A record is written by appending. So a longer file of the same identity is the
//! old one and more, and only what is new is read. Whatever else changed means
//! that the index is built anew: another identity, a shorter file, or another
//! modification time at the same length. An edit in place that also appends, or
//! that the clock of the file system is too coarse to show, goes unnoticed here;
//! the page notices it where a range no longer holds a message.

use alloc::vec::Vec;
use core::fmt;
use core::str;

use crate::json::SizeError;
use crate::line::Line;
use crate::lines::{LineError, Lines, RawLine};
use crate::storage::{Stat, Storage};

/// How much is asked of the storage at once, in bytes.
const CHUNK: usize = 64 << 10;

/// The messages of one record file, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Index {
    messages: Vec<Entry>,
    /// How many lines have ended.
    lines: u64,
    /// The offset after the last line that has ended.
    settled: u64,
    /// What the file was when all of it was indexed.
    seen: Option<Stat>,
    /// Why the whole record is unreadable, for as long as it only grows.
    fault: Option<Fault>,
    /// What the line that nothing ends yet adds; read again when the file grows.
    tail: Tail,
}

/// What an unterminated last line adds to an index.
#[derive(Clone, Copy, Debug, Default)]
enum Tail {
    /// There is none, or it is no message.
    #[default]
    Nothing,
    /// The last entry.
    Message,
    /// It makes the record unreadable.
    Fault(Fault),
}

/// Where a message lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The offset of its line.
    pub(crate) start: u64,
    /// The length of its line in bytes, without the line end.
    pub(crate) length: u32,
    /// The number of its line, from 1.
    pub(crate) line: u64,
}

/// Why a record cannot be read, with the line's number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A byte is not UTF-8. The runtime reads a record as one text, so that one
    /// byte is enough.
    NotUtf8,
    /// A line is not read at all.
    Line(u64, LineError),
    /// A line was read, and there was no memory to understand it.
    OutOfMemory(u64, usize),
    /// There was no memory for the index.
    NoRoom(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The runtime's own words.
            Fault::NotUtf8 => f.write_str("stream did not contain valid UTF-8"),
            Fault::Line(line, error) => write!(f, "line {line}: {error}"),
            Fault::OutOfMemory(line, length) => {
                write!(f, "line {line}: not enough memory to read its {length} bytes")
            }
            Fault::NoRoom(messages) => {
                write!(f, "not enough memory to index more than {messages} messages")
            }
        }
    }
}

impl Fault {
    /// Whether the record stays unreadable when it grows.
    fn lasts(self) -> bool {
        matches!(self, Fault::NotUtf8 | Fault::Line(_, LineError::TooLong))
    }
}

/// Why an index could not be brought up to date.
#[derive(Debug)]
pub(crate) enum IndexError<E> {
    /// The storage failed.
    Storage(E),
    /// The record is unreadable.
    Fault(Fault),
    /// The file changed while it was read.
    Changed,
}

impl Index {
    /// The messages, oldest first.
    pub(crate) fn messages(&self) -> &[Entry] {
        &self.messages
    }

    /// Forgets the record.
    pub(crate) fn clear(&mut self) {
        *self = Index::default();
    }

    /// Brings the index up to date with the file that the storage looked at last.
    pub(crate) fn refresh<S: Storage>(
        &mut self,
        storage: &mut S,
        stat: Stat,
    ) -> Result<(), IndexError<S::Error>> {
        if self.seen != Some(stat) {
            let grew = self
                .seen
                .is_some_and(|seen| seen.identity == stat.identity && seen.length < stat.length);
            if !grew {
                self.clear();
            }
            self.extend(storage, stat)?;
        }
        match (self.fault, self.tail) {
            (Some(fault), _) | (None, Tail::Fault(fault)) => Err(IndexError::Fault(fault)),
            _ => Ok(()),
        }
    }

    /// Reads from the first unsettled line up to the length in `stat`. On an error
    /// all that was settled is kept, and the next refresh goes on from there.
    fn extend<S: Storage>(
        &mut self,
        storage: &mut S,
        stat: Stat,
    ) -> Result<(), IndexError<S::Error>> {
        if let Tail::Message = core::mem::take(&mut self.tail) {
            self.messages.pop();
        }
        self.seen = Some(Stat { length: self.settled, modified: None, ..stat });
        if self.fault.is_none() {
            self.read(storage, stat.length)?;
        }
        self.seen = Some(stat);
        Ok(())
    }

    fn read<S: Storage>(
        &mut self,
        storage: &mut S,
        length: u64,
    ) -> Result<(), IndexError<S::Error>> {
        let mut lines = Lines::new(self.lines + 1, self.settled);
        let mut position = self.settled;
        let mut buffer = Vec::new();
        let room = (length - position).min(CHUNK as u64) as usize;
        if buffer.try_reserve_exact(room).is_err() {
            return Err(IndexError::Fault(Fault::NoRoom(self.messages.len())));
        }
        buffer.resize(room, 0);
        while position < length {
            let wanted = (length - position).min(room as u64) as usize;
            let read =
                storage.read_at(position, &mut buffer[..wanted]).map_err(IndexError::Storage)?;
            if read == 0 {
                return Err(IndexError::Changed);
            }
            position += read as u64;
            let answer = lines.feed(&buffer[..read], |line| {
                self.take(line)?;
                (self.lines, self.settled) = (line.number, line.end);
                Ok(())
            });
            if let Err(fault) = answer {
                return self.fail(fault);
            }
        }
        if let Some(line) = lines.unterminated() {
            self.tail = match self.take(line) {
                Ok(true) => Tail::Message,
                Ok(false) => Tail::Nothing,
                Err(fault) if fault.lasts() => Tail::Fault(fault),
                Err(fault) => return Err(IndexError::Fault(fault)),
            };
        }
        Ok(())
    }

    /// Adds a line's message; tells whether it is one.
    fn take(&mut self, line: RawLine<'_>) -> Result<bool, Fault> {
        let bytes = line.bytes.map_err(|error| Fault::Line(line.number, error))?;
        let text = str::from_utf8(bytes).map_err(|_| Fault::NotUtf8)?;
        match Line::parse(text) {
            Ok(Line::Message(_)) => {}
            Ok(Line::Blank | Line::Skipped(_)) => return Ok(false),
            Err(SizeError::OutOfMemory | SizeError::TooLong) => {
                return Err(Fault::OutOfMemory(line.number, bytes.len()));
            }
        }
        if self.messages.try_reserve(1).is_err() {
            return Err(Fault::NoRoom(self.messages.len()));
        }
        // A line is not longer than `MAX_LINE`.
        let length = bytes.len() as u32;
        self.messages.push(Entry { start: line.start, length, line: line.number });
        Ok(true)
    }

    fn fail<E>(&mut self, fault: Fault) -> Result<(), IndexError<E>> {
        if fault.lasts() {
            self.fault = Some(fault);
            return Ok(());
        }
        Err(IndexError::Fault(fault))
    }
}
