//! The bytes of a file that are looked at now: a window that moves over it, with
//! zeros behind what has been read.

use std::fs::File;
use std::io::{self, Read};

use memchr::memchr;

use crate::lines::MAX_LINE;

/// How much is read at once, in bytes. More than a processor's own cache holds, but the
/// line that a chunk cuts is then a small part of it, and is looked at twice.
const CHUNK: usize = 1 << 20;

/// How many zeros stand behind what has been read, so that blocks of 64 bytes can be
/// compared up to its end, and those that begin a byte or two later.
const PADDING: usize = 80;

/// Where bytes come from.
pub(super) trait Source {
    /// Reads the next bytes; 0 at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
}

/// Any reader.
pub(super) struct Stream<R>(pub(super) R);

impl<R: Read> Source for Stream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }
}

/// A part of a file, read at offsets, so that several can be read at once.
pub(super) struct Part<'f> {
    pub(super) file: &'f File,
    pub(super) at: u64,
}

impl Source for Part<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = crate::storage::read_at(self.file, self.at, buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// A window on a source.
pub(super) struct Window<S> {
    source: S,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    start: usize,
    /// Where what has been read ends in the buffer.
    end: usize,
    /// The offset of the buffer's first byte in the source.
    base: u64,
    ended: bool,
}

/// A line that was taken out of a window.
pub(super) enum Taken<'w> {
    /// The line without its line end, and whether a newline ends it.
    Line(&'w [u8], bool),
    /// A line longer than [`MAX_LINE`], passed over.
    TooLong,
    /// There is none any more.
    Nothing,
}

impl<S: Source> Window<S> {
    /// A window on what `source` reads; its first byte has the offset `base`.
    pub(super) fn new(source: S, base: u64) -> Self {
        let buffer = vec![0; CHUNK + PADDING];
        Window { source, buffer, start: 0, end: 0, base, ended: false }
    }

    /// The offset of the next line.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// What has been read from the next line on, with the padding behind it.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..self.end + PADDING]
    }

    /// Steps over so many bytes that have been read.
    pub(super) fn step(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
    }

    /// Whether all of the next line has been read.
    pub(super) fn holds_line(&self) -> bool {
        self.ended || memchr(b'\n', &self.buffer[self.start..self.end]).is_some()
    }

    /// Reads on; whether there was more.
    pub(super) fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.base += self.start as u64;
            self.end -= self.start;
            self.start = 0;
        }
        if self.end + PADDING + CHUNK / 2 > self.buffer.len() {
            let more = self.buffer.len();
            self.buffer
                .try_reserve_exact(more)
                .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            self.buffer.resize(self.buffer.len() + more, 0);
        }
        let room = self.buffer.len() - PADDING;
        let read = self.source.read(&mut self.buffer[self.end..room])?;
        self.end += read;
        self.buffer[self.end..self.end + PADDING].fill(0);
        self.ended = read == 0;
        Ok(read > 0)
    }

    /// Takes the next line.
    pub(super) fn line(&mut self) -> io::Result<Taken<'_>> {
        let mut searched = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(at) = memchr(b'\n', &unread[searched..]) {
                let length = searched + at;
                let line = self.start..self.start + length;
                self.start += length + 1;
                if length > MAX_LINE {
                    return Ok(Taken::TooLong);
                }
                let line = &self.buffer[line];
                return Ok(Taken::Line(line.strip_suffix(b"\r").unwrap_or(line), true));
            }
            searched = unread.len();
            if searched > MAX_LINE {
                return self.pass_over();
            }
            if !self.fill()? {
                let line = self.start..self.end;
                self.start = self.end;
                return Ok(if line.is_empty() {
                    Taken::Nothing
                } else {
                    Taken::Line(&self.buffer[line], false)
                });
            }
        }
    }

    /// Passes over a line that has begun before, and ends before the offset `end` or
    /// is of no interest.
    pub(super) fn skip_line(&mut self, end: u64) -> io::Result<()> {
        while self.offset() < end {
            match memchr(b'\n', &self.buffer[self.start..self.end]) {
                Some(at) => {
                    self.start += at + 1;
                    return Ok(());
                }
                None => self.start = self.end,
            }
            if !self.fill()? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Passes over the rest of a line that is too long.
    fn pass_over(&mut self) -> io::Result<Taken<'_>> {
        loop {
            let unread = &self.buffer[self.start..self.end];
            match memchr(b'\n', unread) {
                Some(at) => {
                    self.start += at + 1;
                    return Ok(Taken::TooLong);
                }
                None => self.start = self.end,
            }
            if !self.fill()? {
                return Ok(Taken::TooLong);
            }
        }
    }
}
