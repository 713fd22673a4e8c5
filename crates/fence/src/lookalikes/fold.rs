//! Which part of a marker a character can be read as.

use super::table::RUNS;

/// A part of a marker, or something that does not change how it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A letter that a marker uses, in lower case.
    Letter(u8),
    /// The ligature of `s` and `t`.
    LigatureSt,
    /// `<`
    Open,
    /// `>`
    Close,
    /// `/` or `\`
    Slash,
    /// `-` or `_`
    Hyphen,
    /// `=`
    Equals,
    /// White space.
    Space,
    /// Nothing to see.
    Invisible,
    /// A mark on the character before.
    Mark,
    /// No part of a marker.
    Other,
}

/// The symbols of [`RUNS`], by the number that stands there.
const SYMBOLS: [Symbol; 18] = [
    Symbol::Letter(b'u'),
    Symbol::Letter(b'n'),
    Symbol::Letter(b't'),
    Symbol::Letter(b'r'),
    Symbol::Letter(b's'),
    Symbol::Letter(b'e'),
    Symbol::Letter(b'd'),
    Symbol::Letter(b'c'),
    Symbol::Letter(b'o'),
    Symbol::LigatureSt,
    Symbol::Open,
    Symbol::Close,
    Symbol::Slash,
    Symbol::Hyphen,
    Symbol::Equals,
    Symbol::Space,
    Symbol::Invisible,
    Symbol::Mark,
];

/// Bits of an entry of [`RUNS`] for the symbol's number.
const NUMBER_BITS: u32 = 5;
/// Bits above them for the length of the run, less one.
const LENGTH_BITS: u32 = 6;

/// What the character can be read as.
pub(super) fn symbol(c: char) -> Symbol {
    match c {
        '<' => Symbol::Open,
        '>' => Symbol::Close,
        '/' | '\\' => Symbol::Slash,
        '-' | '_' => Symbol::Hyphen,
        '=' => Symbol::Equals,
        // By the confusables data, like its fullwidth and mathematical forms.
        '0' => Symbol::Letter(b'o'),
        '\t'..='\r' | ' ' => Symbol::Space,
        'A'..='Z' | 'a'..='z' => Symbol::Letter(c.to_ascii_lowercase() as u8),
        '\0'..='\x1F' | '\x7F' => Symbol::Invisible,
        '!'..='~' => Symbol::Other,
        // A whole plane of tags and variation selectors.
        '\u{E0000}'..='\u{E0FFF}' => Symbol::Invisible,
        _ => from_table(c),
    }
}

fn from_table(c: char) -> Symbol {
    let c = u32::from(c);
    let start = |run: u32| run >> (LENGTH_BITS + NUMBER_BITS);
    let after = RUNS.partition_point(|run| start(*run) <= c);
    let Some(run) = after.checked_sub(1).map(|index| RUNS[index]) else { return Symbol::Other };
    let last = start(run) + (run >> NUMBER_BITS & ((1 << LENGTH_BITS) - 1));
    let number = run & ((1 << NUMBER_BITS) - 1);
    match SYMBOLS.get(number as usize) {
        Some(symbol) if c <= last => *symbol,
        _ => Symbol::Other,
    }
}
