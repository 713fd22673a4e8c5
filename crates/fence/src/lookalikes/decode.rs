//! One unit of text: a character, or the coded form that a reader decodes to one.
//!
//! Codes are HTML character references, percent escapes, and the backslash
//! escapes of JSON, JavaScript, C and Python. Codes are often stacked (`&amp;lt;`,
//! `%253C`, `\u0026lt;`, `%26%2360%3B`), so whatever decodes to `&`, `%` or `\`
//! may go on as a code, and the characters of a code may be coded once more.
//!
//! No code swallows a literal `<`: that character is always a unit of its own,
//! and so live markers are always seen as they are.

use core::ops::RangeInclusive;

use super::disguise::{Disguise, Disguises};
use crate::scan::visit;

/// A character and where its unit ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    /// What the unit decodes to.
    pub(super) c: char,
    /// Byte offset after the unit.
    pub(super) end: usize,
    /// How it is coded; empty for a literal character.
    pub(super) coded: Disguises,
}

/// How deep the characters of a code may be coded themselves, the code included.
const LAYERS: u8 = 2;

/// The unit at `at`, which is a character boundary. None at the end of the text.
#[inline]
pub(super) fn unit(text: &str, at: usize) -> Option<Unit> {
    Decoder { text, layers: LAYERS }.unit(at)
}

#[derive(Clone, Copy)]
struct Decoder<'a> {
    text: &'a str,
    /// How many layers of codes are undone; at zero a unit is a character.
    layers: u8,
}

/// A decoded character and the offset after it.
type Decoded = Option<(char, usize)>;

impl Decoder<'_> {
    #[inline]
    fn unit(self, at: usize) -> Option<Unit> {
        visit(1);
        let c = self.text[at..].chars().next()?;
        let unit = Unit { c, end: at + c.len_utf8(), coded: Disguises::NONE };
        Some(if matches!(c, '&' | '%' | '\\') { self.decoded(unit) } else { unit })
    }

    /// The unit that a code's first character begins.
    fn decoded(self, mut unit: Unit) -> Unit {
        let Some(layers) = self.layers.checked_sub(1) else { return unit };
        // For the characters of the code.
        let inner = Decoder { layers, ..self };
        // Each round goes on from where the last one ended: a chain of any
        // length is read once.
        loop {
            visit(1);
            let (how, decoded) = match unit.c {
                '&' => (Disguise::Entity, inner.reference(unit.end)),
                '%' => (Disguise::Percent, inner.percent(unit.end)),
                '\\' => (Disguise::Escape, inner.escape(unit.end)),
                _ => return unit,
            };
            let Some((c, end)) = decoded else { return unit };
            unit = Unit { c, end, coded: unit.coded.with(how) };
        }
    }

    fn next(self, at: usize) -> Decoded {
        self.unit(at).map(|unit| (unit.c, unit.end))
    }

    /// The offset after `wanted`, if it stands at `at`.
    fn expect(self, at: usize, wanted: char) -> Option<usize> {
        self.next(at).filter(|(c, _)| *c == wanted).map(|(_, end)| end)
    }

    /// What follows the `&` of a character reference.
    fn reference(self, at: usize) -> Decoded {
        let (c, end) = match self.next(at)? {
            ('#', number) => self.numeric(number)?,
            (first, rest) if first.is_ascii_alphabetic() => self.named(first, rest)?,
            _ => return None,
        };
        // Browsers decode many references without their semicolon, and so do models.
        Some((c, self.expect(end, ';').unwrap_or(end)))
    }

    fn numeric(self, at: usize) -> Decoded {
        match self.next(at)? {
            ('x' | 'X', digits) => self.number(digits, 16, 1..=usize::MAX),
            _ => self.number(at, 10, 1..=usize::MAX),
        }
    }

    /// The longest known name with this first letter, in any ASCII case.
    fn named(self, first: char, rest: usize) -> Decoded {
        let first = first.to_ascii_lowercase() as u8;
        let begins = |(name, _): &(&str, char)| name.as_bytes()[0];
        let named = &NAMES[NAMES.partition_point(|entry| begins(entry) < first)..];
        let named = named.iter().take_while(|entry| begins(entry) == first);
        let spelled = named.filter_map(|(name, c)| {
            let mut end = rest;
            for letter in name[1..].chars() {
                let (c, after) = self.next(end)?;
                if !c.eq_ignore_ascii_case(&letter) {
                    return None;
                }
                end = after;
            }
            Some((*c, end))
        });
        spelled.max_by_key(|(_, end)| *end)
    }

    /// What follows the `%` of a percent escape: UTF-8, each byte escaped, or the
    /// old `%u003C`.
    fn percent(self, at: usize) -> Decoded {
        match self.next(at)? {
            ('u', digits) => return self.number(digits, 16, 4..=4),
            (digit, _) if digit.is_ascii_hexdigit() => {}
            _ => return None,
        }
        let mut bytes = [0; 4];
        let mut end = at;
        for length in 1..=bytes.len() {
            let (byte, after) = self.digits(end, 16, 2..=2)?;
            bytes[length - 1] = byte as u8;
            end = after;
            match core::str::from_utf8(&bytes[..length]) {
                Ok(text) => return text.chars().next().map(|c| (c, end)),
                Err(error) if error.error_len().is_some() => return None,
                Err(_) => end = self.expect(end, '%')?,
            }
        }
        None
    }

    /// What follows the `\` of an escape.
    fn escape(self, at: usize) -> Decoded {
        // A backslash that is escaped itself, any number of times.
        if self.text[at..].starts_with('\\') {
            return Some(('\\', at + 1));
        }
        let (c, end) = self.next(at)?;
        match c {
            'u' | 'x' if self.expect(end, '{').is_some() => {
                let (c, end) = self.number(self.expect(end, '{')?, 16, 1..=usize::MAX)?;
                Some((c, self.expect(end, '}')?))
            }
            'u' => {
                let (code, end) = self.digits(end, 16, 4..=4)?;
                let pair = self
                    .low_surrogate(code, end)
                    .map(|(low, end)| (0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00), end));
                Some(character(pair.unwrap_or((code, end))))
            }
            'U' => self.number(end, 16, 8..=8),
            'x' => self.number(end, 16, 2..=2),
            '0'..='7' => self.number(at, 8, 1..=3),
            'n' | 'r' | 'v' | 'f' => Some(('\n', end)),
            't' => Some(('\t', end)),
            'b' => Some(('\u{8}', end)),
            // Escaped for a Markdown or JSON reader, for which they mean themselves.
            '/' | '>' | '-' | '_' | '=' | '"' | '\'' | '`' => Some((c, end)),
            _ => None,
        }
    }

    /// The escape for the second half of a surrogate pair.
    fn low_surrogate(self, high: u32, at: usize) -> Option<(u32, usize)> {
        if !(0xD800..0xDC00).contains(&high) {
            return None;
        }
        let backslash = self.text[at..].strip_prefix('\\')?;
        let digits = backslash.trim_start_matches('\\');
        visit(backslash.len() - digits.len());
        let digits = digits.strip_prefix('u')?;
        let (low, end) = self.digits(self.text.len() - digits.len(), 16, 4..=4)?;
        (0xDC00..0xE000).contains(&low).then_some((low, end))
    }

    /// The character whose number stands at `at`.
    fn number(self, at: usize, radix: u32, length: RangeInclusive<usize>) -> Decoded {
        self.digits(at, radix, length).map(character)
    }

    /// The number at `at`, of so many digits, and the offset after it.
    fn digits(self, at: usize, radix: u32, length: RangeInclusive<usize>) -> Option<(u32, usize)> {
        let (mut value, mut end, mut count) = (0u32, at, 0);
        while count < *length.end() {
            let Some((digit, after)) =
                self.next(end).and_then(|(c, after)| Some((c.to_digit(radix)?, after)))
            else {
                break;
            };
            value = value.saturating_mul(radix).saturating_add(digit);
            (end, count) = (after, count + 1);
        }
        length.contains(&count).then_some((value, end))
    }
}

/// A number that is no character decodes to the replacement character, as in a
/// browser.
fn character((value, end): (u32, usize)) -> (char, usize) {
    (char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), end)
}

/// The named references that can stand in a marker, sorted. Letters have none.
const NAMES: [(&str, char); 46] = [
    ("amp", '&'),
    ("bsol", '\\'),
    ("dash", '‐'),
    ("emsp", '\u{2003}'),
    ("emsp13", '\u{2004}'),
    ("emsp14", '\u{2005}'),
    ("ensp", '\u{2002}'),
    ("equals", '='),
    ("gt", '>'),
    ("hairsp", '\u{200A}'),
    ("horbar", '―'),
    ("hyphen", '‐'),
    ("lang", '⟨'),
    ("langle", '⟨'),
    ("leftanglebracket", '⟨'),
    ("lowbar", '_'),
    ("lrm", '\u{200E}'),
    ("lsaquo", '‹'),
    ("lt", '<'),
    ("mdash", '—'),
    ("mediumspace", '\u{205F}'),
    ("minus", '−'),
    ("nbsp", '\u{A0}'),
    ("ndash", '–'),
    ("newline", '\n'),
    ("nobreak", '\u{2060}'),
    ("nonbreakingspace", '\u{A0}'),
    ("num", '#'),
    ("numsp", '\u{2007}'),
    ("percnt", '%'),
    ("puncsp", '\u{2008}'),
    ("rang", '⟩'),
    ("rangle", '⟩'),
    ("rightanglebracket", '⟩'),
    ("rlm", '\u{200F}'),
    ("rsaquo", '›'),
    ("semi", ';'),
    ("shy", '\u{AD}'),
    ("sol", '/'),
    ("tab", '\t'),
    ("thinsp", '\u{2009}'),
    ("thinspace", '\u{2009}'),
    ("underbar", '_'),
    ("zerowidthspace", '\u{200B}'),
    ("zwj", '\u{200D}'),
    ("zwnj", '\u{200C}'),
];
