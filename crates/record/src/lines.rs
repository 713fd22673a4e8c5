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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// What is seen of a line: number, start, end, bytes, whether it is terminated.
    type Seen = (u64, u64, u64, Result<Vec<u8>, LineError>, bool);

    fn seen(line: RawLine<'_>) -> Seen {
        (line.number, line.start, line.end, line.bytes.map(<[u8]>::to_vec), line.terminated)
    }

    fn cut(bytes: &[u8], chunks: &[usize], longest: usize) -> Vec<Seen> {
        let mut lines = Lines { longest, ..Lines::new(1, 0) };
        let (mut rest, mut all) = (bytes, Vec::new());
        for length in chunks.iter().copied().chain([usize::MAX]) {
            let (chunk, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            let Ok(()) = lines.feed(chunk, |line| -> Result<(), Infallible> {
                all.push(seen(line));
                Ok(())
            });
        }
        all.extend(lines.unterminated().map(seen));
        all
    }

    #[test]
    fn a_line_that_is_too_long_does_not_take_the_next_with_it() {
        let bytes = b"12345\r\n123456\n\n1234567\n12\n123456789";
        for chunk in 1..=bytes.len() {
            let chunks = vec![chunk; bytes.len()];
            let long = || Err(LineError::TooLong);
            assert_eq!(
                cut(bytes, &chunks, 6),
                [
                    (1, 0, 7, Ok(b"12345".to_vec()), true),
                    (2, 7, 14, Ok(b"123456".to_vec()), true),
                    (3, 14, 15, Ok(vec![]), true),
                    (4, 15, 23, long(), true),
                    (5, 23, 26, Ok(b"12".to_vec()), true),
                    (6, 26, 35, long(), false),
                ],
                "chunks of {chunk}"
            );
        }
    }

    proptest! {
        #[test]
        fn lines_are_those_of_str_lines_whatever_the_chunks(
            text in "[ab\r\n\u{e9}]{0,40}",
            chunks in prop::collection::vec(0usize..9, 0..12),
        ) {
            let all = cut(text.as_bytes(), &chunks, MAX_LINE);
            let bytes: Vec<_> = all.iter().map(|line| line.3.clone().unwrap()).collect();
            let expected: Vec<_> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
            prop_assert_eq!(bytes, expected);
            // They join without gaps, and only the last may lack its newline.
            let mut end = 0;
            for (index, (number, start, line_end, _, terminated)) in all.iter().enumerate() {
                prop_assert_eq!((*number, *start), (index as u64 + 1, end));
                end = *line_end;
                prop_assert_eq!(*terminated, text.as_bytes()[end as usize - 1] == b'\n');
            }
            prop_assert_eq!(end, text.len() as u64);
        }
    }
}
