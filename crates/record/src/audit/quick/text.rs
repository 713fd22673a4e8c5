//! Steps over the strings of a line, 64 bytes at a time, and notes what in them
//! could matter: live markers, and where a look-alike may begin.

use murmur_fence::NAME;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::block::{self, Classes, Escapes, Set, before, positions};
use super::hint;

/// A string that was stepped over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    let end = block::end_of_short(bytes, start);
    match end.filter(|end| bytes[*end] == b'"') {
        Some(end) => Some(Raw { start, end, high: false, hint: false }),
        None => long(bytes, start, marks),
    }
}

/// Steps over a string with what the processor has.
fn long(bytes: &[u8], start: usize, marks: &mut Marks) -> Option<Raw> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "half as fast again as what every processor has")]
        // SAFETY: the function asks for AVX2 alone, which was just found.
        return unsafe { long_avx2(bytes, start, marks) };
    }
    portable(bytes, start, marks)
}

/// Steps over a string with what every processor has.
pub(super) fn portable(bytes: &[u8], start: usize, marks: &mut Marks) -> Option<Raw> {
    long_by(bytes, start, marks, block::classes, block::past_ascii, |_, _, _| Set::MAX)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn long_avx2(bytes: &[u8], start: usize, marks: &mut Marks) -> Option<Raw> {
    long_by(
        bytes,
        start,
        marks,
        |block| avx2::classes(block),
        |block, next, after| avx2::past_ascii(block, next, after),
        |block, next, after| avx2::going_on(block, next, after),
    )
}

type Bytes = [u8; block::LENGTH];

/// Steps over a string, given how to look at blocks: the classes of one; with those
/// that begin one and two bytes later, where characters past ASCII stand that may
/// begin a look-alike, and where what else begins one may go on.
#[inline(always)]
fn long_by(
    bytes: &[u8],
    start: usize,
    marks: &mut Marks,
    classes: impl Fn(&Bytes) -> Classes,
    past_ascii: impl Fn(&Bytes, &Bytes, &Bytes) -> Set,
    going_on: impl Fn(&Bytes, &Bytes, &Bytes) -> Set,
) -> Option<Raw> {
    let mut raw = Raw { start, end: start, high: false, hint: false };
    let mut escapes = Escapes::default();
    let mut at = start;
    loop {
        let block = block::at(bytes, at)?;
        let found = classes(block);
        let mut stops = found.stops;
        let mut notable = found.openers;
        if stops != 0 || escapes.pending() {
            let escaped = escapes.escaped(found.backslashes);
            stops &= !(found.backslashes | escaped & found.quotes);
            let escaped = escaped & before(stops.trailing_zeros());
            let pairs = found.backslashes & escaped;
            let others = escaped & !(found.letters | found.quotes | pairs);
            if others != 0 {
                other_escapes(bytes, at, others)?;
            }
            notable |= pairs;
        }
        let inside = before(stops.trailing_zeros());
        notable &= inside;
        if (notable | found.high & inside) != 0 {
            let (next, after) = (block::at(bytes, at + 1)?, block::at(bytes, at + 2)?);
            if notable != 0 {
                notable &= going_on(block, next, after);
            }
            if found.high & inside != 0 {
                raw.high = true;
                notable |= past_ascii(block, next, after) & inside;
            }
            if notable != 0 {
                raw.hint |= note(bytes, at, notable, marks);
            }
        }
        if stops != 0 {
            raw.end = at + stops.trailing_zeros() as usize;
            return (bytes[raw.end] == b'"').then_some(raw);
        }
        at += block::LENGTH;
    }
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
pub(super) fn is_marker(bytes: &[u8], at: usize) -> bool {
    let Some(name) = bytes[at..].strip_prefix(b"<") else { return false };
    let name = name.strip_prefix(b"/").unwrap_or(name);
    name.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME.as_bytes()))
}
