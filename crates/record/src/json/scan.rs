//! Moving through an accepted JSON text: values, members and elements in place.
//!
//! Nothing here checks the text again. On a text that was not accepted the
//! answers would be meaningless, but every step still ends and none panics.

use memchr::memchr2;

use super::Literal;
use super::layout::{Extent, Layout};

/// What a value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// A number, `true`, `false` or `null`.
    Scalar,
}

/// A position in the text, and the number of containers that open before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner<'j, 'a> {
    text: &'a str,
    layout: &'j Layout,
    position: usize,
    ordinal: usize,
}

impl<'j, 'a> Scanner<'j, 'a> {
    /// At the first value of the text.
    pub(super) fn new(text: &'a str, layout: &'j Layout) -> Self {
        let mut scanner = Scanner { text, layout, position: 0, ordinal: 0 };
        scanner.skip_space();
        scanner
    }

    /// The offset of the next byte.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next byte; 0 at the end of the text.
    pub(super) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.position).copied().unwrap_or(0)
    }

    /// Steps over one byte.
    pub(super) fn bump(&mut self) {
        self.position += 1;
    }

    fn skip_space(&mut self) {
        while let b' ' | b'\n' | b'\r' | b'\t' = self.peek() {
            self.bump();
        }
    }

    /// What the next value is.
    pub(crate) fn kind(&self) -> Kind {
        match self.peek() {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            _ => Kind::Scalar,
        }
    }

    /// The extent of the container that begins here.
    fn extent(&self) -> Extent {
        let rest = Extent { end: self.text.len(), next: self.ordinal + 1, ordered: true };
        self.layout.extent(self.ordinal).unwrap_or(rest)
    }

    /// Steps into the container that begins here; tells whether its keys ascend.
    pub(crate) fn enter(&mut self) -> bool {
        let ordered = self.extent().ordered;
        self.bump();
        self.ordinal += 1;
        ordered
    }

    /// Steps to the next member or element of the container, or behind its
    /// closing bracket when there is none.
    pub(crate) fn more(&mut self, close: u8) -> bool {
        self.skip_space();
        if self.peek() == b',' {
            self.bump();
            self.skip_space();
        }
        if self.position >= self.text.len() {
            return false;
        }
        if self.peek() == close {
            self.bump();
            return false;
        }
        true
    }

    /// Reads a key and steps to its value.
    pub(crate) fn key(&mut self) -> Literal<'a> {
        let key = self.string();
        self.skip_space();
        if self.peek() == b':' {
            self.bump();
        }
        self.skip_space();
        key
    }

    /// Reads the string that begins here.
    pub(crate) fn string(&mut self) -> Literal<'a> {
        let bytes = self.text.as_bytes();
        let start = (self.position + 1).min(bytes.len());
        let mut end = start;
        let mut escaped = false;
        loop {
            match memchr2(b'"', b'\\', &bytes[end..]) {
                Some(at) if bytes[end + at] == b'"' => {
                    end += at;
                    break;
                }
                Some(at) => {
                    escaped = true;
                    end = (end + at + 2).min(bytes.len());
                }
                None => {
                    end = bytes.len();
                    break;
                }
            }
        }
        self.position = end + 1;
        Literal::new(self.text.get(start..end).unwrap_or(""), start, escaped)
    }

    /// Reads the number, `true`, `false` or `null` that begins here.
    pub(crate) fn scalar(&mut self) -> &'a str {
        let start = self.position;
        // At least one byte, so that reading on always ends.
        self.bump();
        while let b'+' | b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E' = self.peek() {
            self.bump();
        }
        self.text.get(start..self.position).unwrap_or("")
    }

    /// Steps over the value that begins here.
    pub(crate) fn skip(&mut self) {
        match self.kind() {
            Kind::Object | Kind::Array => {
                let extent = self.extent();
                self.position = extent.end;
                self.ordinal = extent.next;
            }
            Kind::String => _ = self.string(),
            Kind::Scalar => _ = self.scalar(),
        }
    }

    /// Whether the value that begins here belongs to a member that a later one of
    /// the same key hides.
    pub(crate) fn hidden(&self) -> bool {
        self.layout.hides(self.position)
    }

    /// The value that begins here.
    pub(crate) fn node(&self) -> Node<'j, 'a> {
        Node { scanner: *self }
    }
}

/// One value of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'j, 'a> {
    scanner: Scanner<'j, 'a>,
}

impl<'j, 'a> Node<'j, 'a> {
    pub(super) fn root(text: &'a str, layout: &'j Layout) -> Self {
        Node { scanner: Scanner::new(text, layout) }
    }

    /// A scanner that stands at the value.
    pub(crate) fn scanner(self) -> Scanner<'j, 'a> {
        self.scanner
    }

    /// What the value is.
    pub(crate) fn kind(self) -> Kind {
        self.scanner.kind()
    }

    /// The value as it is written.
    pub(crate) fn source(self) -> &'a str {
        let mut scanner = self.scanner;
        scanner.skip();
        let end = scanner.position.min(scanner.text.len());
        self.scanner.text.get(self.scanner.position..end).unwrap_or("")
    }

    /// The string that the value is.
    pub(crate) fn string(self) -> Option<Literal<'a>> {
        (self.kind() == Kind::String).then(|| self.scanner().string())
    }

    /// The number, `true`, `false` or `null` that the value is, as written.
    pub(crate) fn scalar(self) -> Option<&'a str> {
        (self.kind() == Kind::Scalar).then(|| self.scanner().scalar())
    }

    /// The members of the value, in their order in the text and without the
    /// hidden ones; none if it is no object.
    pub(crate) fn members(self) -> impl Iterator<Item = (Literal<'a>, Node<'j, 'a>)> {
        let mut scanner = self.scanner;
        let mut inside = self.kind() == Kind::Object;
        if inside {
            scanner.enter();
        }
        core::iter::from_fn(move || {
            loop {
                inside = inside && scanner.more(b'}');
                if !inside {
                    return None;
                }
                let key = scanner.key();
                let value = scanner.node();
                scanner.skip();
                if !value.scanner.hidden() {
                    return Some((key, value));
                }
            }
        })
    }

    /// The elements of the value; none if it is no array.
    pub(crate) fn elements(self) -> impl Iterator<Item = Node<'j, 'a>> {
        let mut scanner = self.scanner;
        let mut inside = self.kind() == Kind::Array;
        if inside {
            scanner.enter();
        }
        core::iter::from_fn(move || {
            inside = inside && scanner.more(b']');
            inside.then(|| {
                let element = scanner.node();
                scanner.skip();
                element
            })
        })
    }

    /// The value of a member; the last one's where the key is repeated.
    pub(crate) fn get(self, key: &str) -> Option<Node<'j, 'a>> {
        self.members().find(|(literal, _)| literal.spells(key)).map(|(_, value)| value)
    }
}
