//! Steps through one line of JSON that is written without white space, refusing
//! whatever is unusual.

use super::block;
use super::text::{Marks, Raw, step};

/// How deep values may be nested; the parser allows more.
const DEPTH: u32 = 32;

/// A position in the line that `bytes` begin with.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: u32,
    marks: Marks,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Reader { bytes, at: 0, depth: 0, marks: Marks::default() }
    }

    /// The live markers in the strings so far; in keys there are none.
    pub(super) fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The bytes of a string.
    pub(super) fn slice(&self, raw: Raw) -> &'b [u8] {
        &self.bytes[raw.start..raw.end]
    }

    /// The next byte; 0 behind the end.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    #[inline]
    fn accept(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte;
        self.at += usize::from(there);
        there
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.accept(byte).then_some(())
    }

    /// Steps over the newline; answers the length of the line with it.
    pub(super) fn line_end(&mut self) -> Option<usize> {
        self.expect(b'\n')?;
        Some(self.at)
    }

    /// Steps over an object, handing each key to `member`, which steps over its
    /// value.
    #[inline]
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'b [u8]) -> Option<()>,
    ) -> Option<()> {
        self.expect(b'{')?;
        self.enter()?;
        if !self.accept(b'}') {
            loop {
                let key = self.key()?;
                member(self, key)?;
                if !self.accept(b',') {
                    break;
                }
            }
            self.expect(b'}')?;
        }
        self.depth -= 1;
        Some(())
    }

    /// Steps over an array with `element` stepping over each value.
    #[inline]
    pub(super) fn array(&mut self, mut element: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        self.enter()?;
        if !self.accept(b']') {
            loop {
                element(self)?;
                if !self.accept(b',') {
                    break;
                }
            }
            self.expect(b']')?;
        }
        self.depth -= 1;
        Some(())
    }

    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEPTH).then_some(())
    }

    /// Steps over any value.
    pub(super) fn value(&mut self) -> Option<()> {
        match self.peek() {
            b'"' => self.string().map(drop),
            b'{' => self.object(|reader, _| reader.value()),
            b'[' => self.array(Self::value),
            b't' | b'f' => self.boolean().map(drop),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let there = self.bytes.get(self.at..)?.starts_with(word);
        self.at += word.len();
        there.then_some(())
    }

    /// Steps over `true` or `false`.
    pub(super) fn boolean(&mut self) -> Option<bool> {
        let value = self.peek() == b't';
        self.word(if value { b"true" } else { b"false" })?;
        Some(value)
    }

    /// Steps over a number without an exponent that any double holds.
    fn number(&mut self) -> Option<()> {
        self.accept(b'-');
        let zero = self.peek() == b'0';
        let digits = self.digits()?;
        if zero && digits > 1 {
            return None;
        }
        if self.accept(b'.') {
            self.digits()?;
        }
        (!matches!(self.peek(), b'e' | b'E')).then_some(())
    }

    /// Steps over one to fifteen digits.
    fn digits(&mut self) -> Option<usize> {
        let rest = self.bytes.get(self.at..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        (1..=15).contains(&digits).then_some(digits)
    }

    /// Steps over a key without escapes and its colon.
    #[inline]
    fn key(&mut self) -> Option<&'b [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        while !self.bytes.get(self.at..)?.is_empty() {
            // Whatever is notable in a string stops as well, and is no quote.
            if let Some(end) = block::end_of_short(self.bytes, self.at) {
                self.at = end;
                break;
            }
            self.at += 16;
        }
        let key = self.bytes.get(start..self.at)?;
        self.expect(b'"')?;
        self.expect(b':')?;
        Some(key)
    }

    /// Steps over a string that is plain by [`step`] and holds UTF-8.
    #[inline]
    pub(super) fn string(&mut self) -> Option<Raw> {
        self.expect(b'"')?;
        let raw = step(self.bytes, self.at, &mut self.marks)?;
        if raw.high {
            simdutf8::basic::from_utf8(self.slice(raw)).ok()?;
        }
        self.at = raw.end + 1;
        Some(raw)
    }
}
