//! Steps over the strings of a line, 64 bytes at a time, and notes what in them
//! could matter: live markers, and where a look-alike may begin.

use murmur_fence::NAME;
use wide::u8x16;

use super::block::{
    self, Escapes, Set, Short, Whole, any_of, before, controls, in_range, positions,
};
use super::hint::{self, LEADS};

/// A string that was stepped over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    /// The offset after the opening quote.
    pub(super) start: usize,
    /// The offset of the closing quote.
    pub(super) end: usize,
    /// Whether a byte past ASCII is in it.
    pub(super) high: bool,
    /// Whether a look-alike may be in it.
    pub(super) hint: bool,
}

/// The live markers that were met.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub(super) count: usize,
    /// The offsets of the first two.
    pub(super) first: [usize; 2],
}

/// Steps over the string whose first byte, behind the quote, stands at `start`.
///
/// None for a string that is not plain: with an escape that could spell a part of
/// a marker or a separator, that is no escape at all, with a control character,
/// or that does not end. A plain string decodes without error, and each live
/// marker stands in it as it stands in the decoded text.
#[inline]
pub(super) fn step(bytes: &[u8], start: usize, marks: &mut Marks) -> Option<Raw> {
    let short = Short::at(bytes, start)?;
    let stops = short.find(stops);
    let end = stops.trailing_zeros();
    if stops != 0 && short.find(notable) & before(end) == 0 {
        let end = start + end as usize;
        if bytes[end] == b'"' {
            return Some(Raw { start, end, high: false, hint: false });
        }
    }
    long(bytes, start, marks)
}

/// Tells the bytes that end a string, or may.
#[inline]
fn stops(part: u8x16) -> u8x16 {
    any_of(part, [b'"', b'\\']) | controls(part)
}

/// Tells the bytes that may begin a marker or a look-alike. Of those past ASCII
/// the highest bit is set as they are.
#[inline]
fn notable(part: u8x16) -> u8x16 {
    any_of(part, [b'<', b'&', b'%']) | part
}

fn long(bytes: &[u8], start: usize, marks: &mut Marks) -> Option<Raw> {
    let mut raw = Raw { start, end: start, high: false, hint: false };
    let mut escapes = Escapes::default();
    let mut at = start;
    loop {
        let block = Whole::at(bytes, at)?;
        let mut stops = block.find(stops);
        let mut notable = block.find(notable);
        if stops != 0 || escapes.pending() {
            let backslashes = block.equal(b'\\');
            let escaped = escapes.escaped(backslashes);
            let quotes = block.equal(b'"');
            stops &= !(backslashes | escaped & quotes);
            let escaped = escaped & before(stops.trailing_zeros());
            let letters = block.find(|part| any_of(part, [b'n', b't', b'r']));
            let pairs = backslashes & escaped;
            let others = escaped & !(letters | quotes | pairs);
            if others != 0 {
                other_escapes(bytes, at, others)?;
            }
            notable |= pairs;
        }
        notable &= before(stops.trailing_zeros());
        if notable != 0 {
            let high = block.find(|part| part) & notable;
            if high != 0 {
                raw.high = true;
                notable = notable & !high | past_ascii(bytes, at, &block)? & high;
            }
            raw.hint |= note(bytes, at, notable, marks);
        }
        if stops != 0 {
            raw.end = at + stops.trailing_zeros() as usize;
            return (bytes[raw.end] == b'"').then_some(raw);
        }
        at += block::LENGTH;
    }
}

/// Where characters past ASCII stand that may begin a look-alike.
#[inline]
fn past_ascii(bytes: &[u8], at: usize, block: &Whole) -> Option<Set> {
    let leads = block.find(|part| {
        any_of(part, [0xCB, 0xF3]) | in_range(part, 0xE1, 0xE3) | in_range(part, 0xEF, 0xF0)
    });
    if leads == 0 {
        return Some(0);
    }
    let next = Whole::at(bytes, at + 1)?;
    Some(LEADS.iter().fold(0, |set, (lead, seconds)| {
        let first = block.equal(*lead);
        if first == 0 {
            return set;
        }
        set | seconds.iter().fold(0, |set, second| set | first & next.equal(*second))
    }))
}

/// Checks escapes that are not among the most frequent ones.
#[inline]
fn other_escapes(bytes: &[u8], at: usize, escaped: Set) -> Option<()> {
    for position in positions(escaped) {
        match bytes.get(at + position..)? {
            [b'b' | b'f', ..] => {}
            // A control character: no part of a marker.
            [b'u', b'0', b'0', b'0' | b'1', low, ..] if low.is_ascii_hexdigit() => {}
            _ => return None,
        }
    }
    Some(())
}

/// Looks at single positions; tells whether a look-alike may begin at one.
#[inline]
fn note(bytes: &[u8], at: usize, notable: Set, marks: &mut Marks) -> bool {
    let mut hint = false;
    for position in positions(notable) {
        let at = at + position;
        if !hint::goes_on(bytes, at) {
            continue;
        }
        if is_marker(bytes, at) {
            if let Some(free) = marks.first.get_mut(marks.count) {
                *free = at;
            }
            marks.count += 1;
        } else {
            hint = hint || hint::may_begin(bytes, at);
        }
    }
    hint
}

/// Whether a live marker stands here.
fn is_marker(bytes: &[u8], at: usize) -> bool {
    let Some(name) = bytes[at..].strip_prefix(b"<") else { return false };
    let name = name.strip_prefix(b"/").unwrap_or(name);
    name.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME.as_bytes()))
}
