//! A string literal inside a JSON text: decoded, compared, and mapped back to
//! where its bytes stand.

use alloc::borrow::Cow;
use alloc::string::String;
use core::cmp::Ordering;
use core::ops::Range;

use memchr::memchr;

use super::SizeError;

/// A string literal of an accepted JSON text, without its quotes.
#[derive(Clone, Copy, Debug)]
pub struct Literal<'a> {
    raw: &'a str,
    start: usize,
    escaped: bool,
}

impl<'a> Literal<'a> {
    pub(super) fn new(raw: &'a str, start: usize, escaped: bool) -> Self {
        Literal { raw, start, escaped }
    }

    /// A literal given by itself, of which offsets are not wanted.
    #[cfg(feature = "std")]
    pub(crate) fn alone(raw: &'a str) -> Self {
        Literal { raw, start: 0, escaped: memchr(b'\\', raw.as_bytes()).is_some() }
    }

    /// Where it stands in the JSON text, in bytes, quotes not included.
    pub fn span(self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// The text it spells; borrowed when it holds no escape.
    ///
    /// # Errors
    ///
    /// When the allocator refuses the room for the decoded text.
    pub fn decode(self) -> Result<Cow<'a, str>, SizeError> {
        if !self.escaped {
            return Ok(Cow::Borrowed(self.raw));
        }
        let mut text = String::new();
        // No escape is shorter than what it stands for.
        text.try_reserve_exact(self.raw.len())?;
        for run in self.runs() {
            match run {
                Run::Plain(plain) => text.push_str(plain),
                Run::Escape { value, .. } => text.push(value),
            }
        }
        Ok(Cow::Owned(text))
    }

    /// Maps offsets in the decoded text to offsets in the JSON text.
    pub fn offsets(self) -> Offsets<'a> {
        Offsets { literal: self, runs: self.runs(), current: None, decoded: 0, raw: 0 }
    }

    /// Whether it spells `text`.
    pub(crate) fn spells(self, text: &str) -> bool {
        if self.escaped { self.chars().eq(text.chars()) } else { self.raw == text }
    }

    /// Whether it may spell a text that holds the ASCII character `wanted`; false
    /// only when it cannot. An escape that is looked up by number may spell any.
    pub(crate) fn may_spell(self, wanted: char) -> bool {
        self.raw.contains(wanted) || self.escaped && self.raw.contains("\\u")
    }

    /// The order of the decoded texts, which is that of a `BTreeMap<String, _>`:
    /// comparing by character and comparing UTF-8 by byte come to the same.
    pub(super) fn compare(self, other: Literal<'_>) -> Ordering {
        if self.escaped || other.escaped {
            self.chars().cmp(other.chars())
        } else {
            self.raw.cmp(other.raw)
        }
    }

    /// The literal as pieces that are either free of escapes or one escape.
    pub(super) fn runs(self) -> Runs<'a> {
        Runs { rest: self.raw }
    }

    fn chars(self) -> impl Iterator<Item = char> + use<'a> {
        self.runs().flat_map(|run| {
            let (plain, escape) = match run {
                Run::Plain(plain) => (plain, None),
                Run::Escape { value, .. } => ("", Some(value)),
            };
            plain.chars().chain(escape)
        })
    }
}

/// A piece of a literal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run<'a> {
    /// Text that stands for itself.
    Plain(&'a str),
    /// One escape, a surrogate pair being one.
    Escape {
        /// The character it stands for.
        value: char,
        /// Its length in the literal, in bytes.
        width: usize,
    },
}

impl Run<'_> {
    /// Its length in the decoded text and in the literal, in bytes.
    fn lengths(self) -> (usize, usize) {
        match self {
            Run::Plain(plain) => (plain.len(), plain.len()),
            Run::Escape { value, width } => (value.len_utf8(), width),
        }
    }
}

/// Iterator over the pieces of a literal.
#[derive(Clone, Debug)]
pub(super) struct Runs<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let run = match memchr(b'\\', self.rest.as_bytes()) {
            Some(0) => escape(self.rest),
            Some(at) => Run::Plain(&self.rest[..at]),
            None if self.rest.is_empty() => return None,
            None => Run::Plain(self.rest),
        };
        self.rest = self.rest.get(run.lengths().1..).unwrap_or("");
        Some(run)
    }
}

/// The escape that `text` begins with. The text was accepted, so what cannot be
/// read does not occur; it would come out as the replacement character.
fn escape(text: &str) -> Run<'_> {
    let (value, width) = match text.as_bytes().get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => {
            let first = hex(text, 2);
            match first {
                0xD800..=0xDBFF => {
                    let pair = 0x10000 + ((first - 0xD800) << 10) + (hex(text, 8) & 0x3FF);
                    (char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                }
                _ => (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            }
        }
        // The quote, the backslash and the slash.
        Some(&other) if other.is_ascii() => (char::from(other), 2),
        _ => (char::REPLACEMENT_CHARACTER, 1),
    };
    Run::Escape { value, width }
}

/// The four hexadecimal digits at `at`.
fn hex(text: &str, at: usize) -> u32 {
    text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

/// Maps offsets in a decoded text to offsets in the JSON text it came from.
///
/// A run of ascending offsets costs one pass over the literal.
#[derive(Clone, Debug)]
pub struct Offsets<'a> {
    literal: Literal<'a>,
    runs: Runs<'a>,
    current: Option<Run<'a>>,
    /// Where the current run begins in the decoded text.
    decoded: usize,
    /// Where the current run begins in the literal.
    raw: usize,
}

impl Offsets<'_> {
    /// The byte of the JSON text at which the byte `decoded` of the decoded text
    /// stands; the start of its escape where it comes out of one.
    pub fn served(&mut self, decoded: usize) -> usize {
        let start = self.literal.start;
        if !self.literal.escaped {
            return start + decoded.min(self.literal.raw.len());
        }
        if decoded < self.decoded {
            *self = self.literal.offsets();
        }
        loop {
            let Some(run) = self.current.or_else(|| self.runs.next()) else {
                return start + self.literal.raw.len();
            };
            self.current = Some(run);
            let (decoded_length, raw_length) = run.lengths();
            if decoded < self.decoded + decoded_length {
                let inside = match run {
                    Run::Plain(_) => decoded - self.decoded,
                    Run::Escape { .. } => 0,
                };
                return start + self.raw + inside;
            }
            self.current = None;
            self.decoded += decoded_length;
            self.raw += raw_length;
        }
    }
}
