//! 64 bytes looked at together; a set of their positions is one bit a byte.

use wide::u8x16;

use super::hint::LEADS;

/// How many bytes a block has.
pub(super) const LENGTH: usize = 64;

/// A set of positions in a block, the first byte being the lowest bit.
pub(super) type Set = u64;

/// Where which bytes stand in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    /// What ends a string, or may: a quote, a backslash or a control character.
    pub(super) stops: Set,
    pub(super) backslashes: Set,
    pub(super) quotes: Set,
    /// The letters of the most frequent escapes: `n`, `r` and `t`.
    pub(super) letters: Set,
    /// What may begin a marker or a look-alike: `<`, `&` and `%`.
    pub(super) openers: Set,
    /// What is not ASCII.
    pub(super) high: Set,
}

/// The block at `at`; none where fewer bytes are left.
#[inline(always)]
pub(super) fn at(bytes: &[u8], at: usize) -> Option<&[u8; LENGTH]> {
    bytes.get(at..)?.first_chunk()
}

/// The classes of a block, on any processor.
#[inline]
pub(super) fn classes(block: &[u8; LENGTH]) -> Classes {
    Classes {
        stops: find(block, stops),
        backslashes: find(block, |part| any_of(part, [b'\\'])),
        quotes: find(block, |part| any_of(part, [b'"'])),
        letters: find(block, |part| any_of(part, [b'n', b'r', b't'])),
        openers: find(block, |part| any_of(part, [b'<', b'&', b'%'])),
        high: find(block, |part| part),
    }
}

/// Where characters past ASCII stand that may begin a look-alike, given the blocks
/// that begin one and two bytes later; on any processor.
#[inline]
pub(super) fn past_ascii(block: &[u8; LENGTH], next: &[u8; LENGTH], _after: &[u8; LENGTH]) -> Set {
    LEADS.iter().fold(0, |set, (lead, seconds)| {
        let first = find(block, |part| any_of(part, [*lead]));
        if first == 0 {
            return set;
        }
        let second = |set, second: &u8| set | find(next, |part| any_of(part, [*second]));
        set | first & seconds.iter().fold(0, second)
    })
}

/// Where the test leaves the highest bit of a byte set.
#[inline]
fn find(block: &[u8; LENGTH], test: impl Fn(u8x16) -> u8x16) -> Set {
    let (parts, _) = block.as_chunks::<16>();
    let bits = |part: &[u8; 16]| Set::from(test(u8x16::new(*part)).to_bitmask());
    parts.iter().rev().fold(0, |set, part| set << 16 | bits(part))
}

/// The first of sixteen bytes that may end a string, or that makes it one that has
/// to be looked at further; strings are mostly short.
#[inline]
pub(super) fn end_of_short(bytes: &[u8], at: usize) -> Option<usize> {
    let part = u8x16::new(*bytes.get(at..)?.first_chunk()?);
    let found = (stops(part) | any_of(part, [b'<', b'&', b'%']) | part).to_bitmask();
    (found != 0).then(|| at + found.trailing_zeros() as usize)
}

/// Tells what ends a string, or may.
#[inline]
fn stops(part: u8x16) -> u8x16 {
    let controls = part.min(u8x16::splat(0x1F)).simd_eq(part);
    any_of(part, [b'"', b'\\']) | controls
}

/// Tells the bytes that are one of a few.
#[inline]
fn any_of<const N: usize>(part: u8x16, bytes: [u8; N]) -> u8x16 {
    bytes.iter().fold(u8x16::ZERO, |any, byte| any | part.simd_eq(u8x16::splat(*byte)))
}

/// The positions before `end`.
#[inline]
pub(super) fn before(end: u32) -> Set {
    Set::MAX.checked_shr(64 - end.min(64)).unwrap_or(0)
}

/// The positions of a set, ascending.
#[inline]
pub(super) fn positions(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let next = set.trailing_zeros();
        set &= set - 1;
        Some(next as usize)
    })
}

/// Follows backslashes from block to block.
#[derive(Default)]
pub(super) struct Escapes {
    /// Whether the first byte of the next block is escaped.
    first: bool,
}

impl Escapes {
    /// Whether the first byte of the next block is escaped.
    #[inline]
    pub(super) fn pending(&self) -> bool {
        self.first
    }

    /// Where an escaped byte stands, given where backslashes stand in the next
    /// block. A run of backslashes escapes the byte after it if its length is odd,
    /// and every second one of its own.
    #[inline]
    pub(super) fn escaped(&mut self, backslashes: Set) -> Set {
        let first = Set::from(self.first);
        if backslashes == 0 {
            self.first = false;
            return first;
        }
        const EVEN: Set = 0x5555_5555_5555_5555;
        let backslashes = backslashes & !first;
        let follows = backslashes << 1 | first;
        let odd_starts = backslashes & !EVEN & !follows;
        // Adding carries each run that starts at an odd position past its end.
        let (even_runs, carried) = odd_starts.overflowing_add(backslashes);
        self.first = carried;
        (EVEN ^ even_runs << 1) & follows
    }
}
