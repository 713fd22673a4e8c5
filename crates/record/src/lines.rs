//! The lines of a stream of bytes, cut at newlines, with one buffer that is reused
//! and one longest line.

use alloc::vec::Vec;
use core::fmt;

use memchr::memchr;

/// The longest line that is read, in bytes.
///
/// The runtime has no such limit, but no memory is unlimited; with a fixed one,
/// every reader of this crate answers the same about the same record.
pub const MAX_LINE: usize = 256 << 20;

/// One line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLine<'b> {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// The offset of its first byte.
    pub(crate) start: u64,
    /// The offset after its newline.
    pub(crate) end: u64,
    /// Its bytes without `\n` or `\r\n`, as `str::lines` cuts them.
    pub(crate) bytes: Result<&'b [u8], LineError>,
    /// Whether a newline ends it. Not so for the last line of a file that was cut
    /// off, or that is being written.
    pub(crate) terminated: bool,
}

/// Why a line is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineError {
    /// It is longer than [`MAX_LINE`].
    TooLong,
    /// There was no memory for it; so many bytes of it had been met.
    OutOfMemory(usize),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::TooLong => {
                write!(f, "longer than the {MAX_LINE} bytes that a line may have")
            }
            LineError::OutOfMemory(length) => {
                write!(f, "does not fit the memory; {length} bytes of it had been read")
            }
        }
    }
}

/// Cuts chunks into lines.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The beginning of a line that the chunks so far did not end.
    begun: Vec<u8>,
    /// Why the line that has begun is given up.
    given_up: Option<LineError>,
    /// Its length so far.
    length: u64,
    number: u64,
    start: u64,
    longest: usize,
}

impl Lines {
    /// Starts at the offset `start` with the line of the given number.
    pub(crate) fn new(number: u64, start: u64) -> Self {
        Lines { begun: Vec::new(), given_up: None, length: 0, number, start, longest: MAX_LINE }
    }

    /// Takes the next bytes and hands on each line that they end.
    ///
    /// # Errors
    ///
    /// Those of `each`; what comes after the line that failed is then lost.
    pub(crate) fn feed<E>(
        &mut self,
        mut chunk: &[u8],
        mut each: impl FnMut(RawLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(at) = memchr(b'\n', chunk) {
            let (line, rest) = (&chunk[..at], &chunk[at + 1..]);
            chunk = rest;
            // A line within one chunk is not copied.
            let whole = self.length == 0 && line.len() <= self.longest;
            if !whole {
                self.begin(line);
            }
            let length = self.length.max(line.len() as u64);
            let bytes = match self.given_up {
                Some(error) => Err(error),
                None => Ok(if whole { line } else { &self.begun }),
            };
            let bytes = bytes.map(|bytes| bytes.strip_suffix(b"\r").unwrap_or(bytes));
            let (number, start) = (self.number, self.start);
            let end = start + length + 1;
            let answer = each(RawLine { number, start, end, bytes, terminated: true });
            (self.number, self.start) = (number + 1, end);
            self.length = 0;
            self.given_up = None;
            self.begun.clear();
            answer?;
        }
        self.begin(chunk);
        Ok(())
    }

    /// The line that nothing has ended yet, if there is one.
    pub(crate) fn unterminated(&self) -> Option<RawLine<'_>> {
        (self.length > 0).then(|| RawLine {
            number: self.number,
            start: self.start,
            end: self.start + self.length,
            bytes: self.given_up.map_or(Ok(&self.begun), Err),
            terminated: false,
        })
    }

    /// Appends to the line that has begun.
    fn begin(&mut self, part: &[u8]) {
        self.length += part.len() as u64;
        if self.given_up.is_some() {
            return;
        }
        if part.len() > self.longest - self.begun.len() {
            self.given_up = Some(LineError::TooLong);
        } else if self.begun.try_reserve(part.len()).is_err() {
            self.given_up = Some(LineError::OutOfMemory(self.begun.len()));
        } else {
            self.begun.extend_from_slice(part);
            return;
        }
        self.begun = Vec::new();
    }
}
