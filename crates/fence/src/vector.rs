//! The search and the copy of [`search`](crate::search), many bytes at a time.
//!
//! A `<` is common in markup, and a hyphen 10 or 11 bytes after one, where the name
//! of a marker has it, is rare. So a block of bytes without such a pair is passed
//! over with vector compares alone, and only the rest is read byte by byte. No text
//! makes that slow: what a `<` costs at most is one compare of 17 bytes.
//!
//! This is the one module with unsafe code. It needs it for four things: the
//! instructions themselves, which only some processors have; loads and stores by
//! pointer, which [`Vector::load`] and [`Vector::store`] do for a slice of at least
//! the vector's width; the length of the output after bytes were written behind its
//! end; and to keep the compiler from one optimisation that costs more than it gains.

#![expect(
    unsafe_code,
    reason = "2 to 20 times the speed of the safe search; see benches/RESULTS.md"
)]

#[cfg(target_arch = "wasm32")]
#[path = "vector/simd128.rs"]
mod processor;
#[cfg(target_arch = "x86_64")]
#[path = "vector/x86.rs"]
mod processor;

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::marker::INFIX;
use crate::scan::visit;
use crate::search::{HYPHEN, Live, SHORTEST, live_at, portable};

/// The first live marker at or after `from`.
#[inline]
pub(crate) fn find(bytes: &[u8], from: usize) -> Option<Live> {
    if bytes.len() < SHORTEST {
        return None;
    }
    processor::find(bytes, from)
}

/// Appends the content, neutralised.
#[inline]
pub(crate) fn neutralise_into(out: &mut String, content: &str) {
    // SAFETY: what is appended is UTF-8: the bytes of `content` in order, and
    // between two of its characters, after a `<`, the infix.
    processor::neutralise_into(unsafe { out.as_mut_vec() }, content.as_bytes());
}

/// Vectors in a block.
const BLOCK: usize = 4;

/// How far behind a vector its filter looks: to the hyphen after `</`.
const REACH: usize = HYPHEN + 1;

/// How many bytes a block takes: its own, and a vector for what looks and copies
/// beyond them.
const fn whole<V: Vector>() -> usize {
    (BLOCK + 1) * V::BYTES
}

/// The most that neutralising makes of a block, and a vector for the last copy.
const fn most<V: Vector>() -> usize {
    let markers = BLOCK * V::BYTES / SHORTEST + 1;
    whole::<V>() + markers * INFIX.len()
}

#[inline(always)]
fn find_by<V: Vector>(bytes: &[u8], from: usize) -> Option<Live> {
    match find_in_long::<V>(bytes, from)? {
        Ok(found) => Some(found),
        Err(left) => find_in_short::<V>(bytes, left),
    }
}

/// The first live marker at or after `from`, or from where on less is left than is
/// looked at in one step.
#[inline(always)]
fn find_in_long<V: Vector>(bytes: &[u8], from: usize) -> Option<Result<Live, usize>> {
    let mut rest = bytes.get(from..)?;
    if V::ALIGNED
        && let Some(seen) = rest.get(..stretch::<V>() + V::BYTES)
    {
        let unaligned = seen.as_ptr().align_offset(V::BYTES);
        if (1..V::BYTES).contains(&unaligned) {
            let found = find_in_stretch::<V>(bytes, seen, bytes.len() - rest.len());
            if let Some(found) = found {
                return Some(Ok(found));
            }
            rest = &rest[unaligned..];
        }
    }
    // A slice of known length, so that no load in it is checked.
    while let Some(seen) = rest.get(..stretch::<V>() + V::BYTES) {
        let found = find_in_stretch::<V>(bytes, seen, bytes.len() - rest.len());
        if let Some(found) = found {
            return Some(Ok(found));
        }
        visit(stretch::<V>());
        rest = &rest[stretch::<V>()..];
    }
    Some(Err(bytes.len() - rest.len()))
}

/// How many bytes the search looks at in one step.
const fn stretch<V: Vector>() -> usize {
    V::STRETCH * BLOCK * V::BYTES
}

/// Whether there is a `<` in the stretch.
#[inline(always)]
fn has_bracket<V: Vector>(bytes: &[u8]) -> bool {
    let mut found = brackets(load_block::<V>(bytes));
    let mut block = 1;
    while block < V::STRETCH {
        found = found.or(brackets(load_block::<V>(&bytes[block * BLOCK * V::BYTES..])));
        block += 1;
    }
    found.bits() != 0
}

/// Whether there is a candidate in the stretch.
#[inline(always)]
fn has_candidate<V: Vector>(bytes: &[u8]) -> bool {
    let mut found = either::<V>(sought::<V>(bytes));
    let mut block = 1;
    while block < V::STRETCH {
        found = found.or(either::<V>(sought::<V>(&bytes[block * BLOCK * V::BYTES..])));
        block += 1;
    }
    found.bits() != 0
}

/// The first live marker that begins in the stretch at `at`, which `seen` begins with.
#[inline(always)]
fn find_in_stretch<V: Vector>(bytes: &[u8], seen: &[u8], at: usize) -> Option<Live> {
    if !has_bracket::<V>(seen) || !has_candidate::<V>(seen) {
        return None;
    }
    let mut block = 0;
    while block < V::STRETCH {
        let found = find_in_block::<V>(bytes, at + block * BLOCK * V::BYTES);
        if found.is_some() {
            return found;
        }
        block += 1;
    }
    None
}

/// The first live marker that begins in the block at `at`.
#[inline(always)]
fn find_in_block<V: Vector>(bytes: &[u8], at: usize) -> Option<Live> {
    let [head, tail] = halves::<V>(sought::<V>(&bytes[at..]));
    let found = first_live(bytes, at, head);
    if found.is_some() {
        return found;
    }
    first_live(bytes, at + half::<V>(), tail)
}

/// The first live marker at or after `from`, less than a step before the end.
#[inline(always)]
fn find_in_short<V: Vector>(bytes: &[u8], from: usize) -> Option<Live> {
    let mut rest = bytes.get(from..)?;
    if rest.len() < V::BYTES + REACH {
        return find_in_rest(bytes, from);
    }
    if !has_bracket_anywhere::<V>(rest) {
        visit(rest.len());
        return None;
    }
    loop {
        let at = bytes.len() - rest.len();
        visit(V::BYTES);
        let places = hyphened::<V>(rest).bits();
        let found = first_live(bytes, at, places);
        if found.is_some() || rest.len() == V::BYTES + REACH {
            // The name ends after its hyphen, so no marker begins later.
            return found;
        }
        // The last step overlaps the one before it.
        let left = (rest.len() - V::BYTES).max(V::BYTES + REACH);
        rest = &rest[rest.len() - left..];
    }
}

/// Whether there is a `<` in the bytes, which are at least a vector.
#[inline(always)]
fn has_bracket_anywhere<V: Vector>(bytes: &[u8]) -> bool {
    let last = &bytes[bytes.len() - V::BYTES..];
    let mut any = V::load(last).equals(b'<');
    let mut rest = bytes;
    while rest.len() > V::BYTES {
        any = any.or(V::load(rest).equals(b'<'));
        rest = &rest[V::BYTES..];
    }
    any.bits() != 0
}

/// The first live marker at or after `from`, where not even one vector fits.
#[inline(always)]
fn find_in_rest(bytes: &[u8], from: usize) -> Option<Live> {
    if bytes.len() - from < SHORTEST {
        return None;
    }
    portable::find(bytes, from)
}

#[inline(always)]
fn neutralise_by<V: Vector>(out: &mut Vec<u8>, bytes: &[u8]) {
    let rest = neutralise_long::<V>(out, bytes);
    let mut copied = 0;
    while let Some(live) = find_in_short::<V>(rest, copied) {
        out.extend_from_slice(&rest[copied..=live.start]);
        out.extend_from_slice(INFIX.as_bytes());
        copied = live.start + 1;
    }
    out.extend_from_slice(&rest[copied..]);
}

/// Appends the content, neutralised, up to where less than a block is left, and answers
/// what is left.
#[inline(always)]
fn neutralise_long<'a, V: Vector>(out: &mut Vec<u8>, bytes: &'a [u8]) -> &'a [u8] {
    out.reserve(bytes.len());
    let mut rest = bytes;
    while rest.len() >= whole::<V>() {
        let copied = copy_plain_blocks::<V>(out.spare_capacity_mut(), rest);
        // SAFETY: so many bytes were written behind the end.
        unsafe { out.set_len(out.len() + copied) };
        rest = &rest[copied..];
        if rest.len() < whole::<V>() {
            break;
        }
        neutralise_block::<V>(out, rest);
        rest = &rest[BLOCK * V::BYTES..];
    }
    rest
}

/// Copies blocks from the start of `bytes` up to one with a candidate, or to where
/// the output is full; answers how many bytes it wrote.
#[inline(always)]
fn copy_plain_blocks<V: Vector>(out: &mut [MaybeUninit<u8>], bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut spare = out;
    let unaligned = spare.as_ptr().align_offset(V::BYTES);
    if unaligned < V::BYTES
        && spare.len() >= BLOCK * V::BYTES
        && either::<V>(together::<V>(rest)).bits() == 0
    {
        // One vector overlaps the next, so that no store after it is split.
        V::load(rest).store(spare);
        rest = &rest[unaligned..];
        spare = &mut spare[unaligned..];
    }
    while let Some(seen) = rest.get(..whole::<V>())
        && let Some((room, after)) = spare.split_at_mut_checked(BLOCK * V::BYTES)
    {
        let [a, b, c, d] = load_block::<V>(seen);
        a.store(room);
        b.store(&mut room[V::BYTES..]);
        c.store(&mut room[2 * V::BYTES..]);
        d.store(&mut room[3 * V::BYTES..]);
        if brackets([a, b, c, d]).bits() != 0 && either::<V>(together::<V>(seen)).bits() != 0 {
            break;
        }
        visit(BLOCK * V::BYTES);
        rest = &rest[BLOCK * V::BYTES..];
        spare = after;
    }
    bytes.len() - rest.len()
}

/// Appends the block at the start of `bytes`, neutralised.
#[inline(always)]
fn neutralise_block<V: Vector>(out: &mut Vec<u8>, bytes: &[u8]) {
    visit(BLOCK * V::BYTES);
    out.reserve(most::<V>());
    let spare = out.spare_capacity_mut();
    let (mut read, mut written) = (0, 0);
    let [head, tail] = halves::<V>(sought::<V>(bytes));
    for (at, mut places) in [(0, head), (half::<V>(), tail)] {
        while let Some(place) = places.pop() {
            let start = at + place;
            if live_at(bytes, start).is_some() {
                let length = start + 1 - read;
                copy_short::<V>(&mut spare[written..], &bytes[read..], length);
                read += length;
                written += length;
                let infix: &mut [_; INFIX.len()] =
                    spare[written..].first_chunk_mut().expect("reserved");
                infix.write_copy_of_slice(INFIX.as_bytes());
                written += INFIX.len();
            }
        }
    }
    let length = BLOCK * V::BYTES - read;
    copy_short::<V>(&mut spare[written..], &bytes[read..], length);
    // SAFETY: so many bytes were written behind the end.
    unsafe { out.set_len(out.len() + written + length) };
}

/// Copies some bytes, and up to a vector of what comes after them, which the next
/// copy writes over.
#[inline(always)]
fn copy_short<V: Vector>(to: &mut [MaybeUninit<u8>], from: &[u8], length: usize) {
    let mut copied = 0;
    while copied < length {
        V::load(&from[copied..]).store(&mut to[copied..]);
        copied += V::BYTES;
    }
}

// Closures are not sure to be inlined, and without it have not the instructions: so
// no `map` and no `from_fn`.
#[inline(always)]
fn load_block<V: Vector>(bytes: &[u8]) -> [V; BLOCK] {
    let [b, c, d] = [&bytes[V::BYTES..], &bytes[2 * V::BYTES..], &bytes[3 * V::BYTES..]];
    [V::load(bytes), V::load(b), V::load(c), V::load(d)]
}

/// The places at which one of the block's vectors has a `<`.
#[inline(always)]
fn brackets<V: Vector>([a, b, c, d]: [V; BLOCK]) -> V::Places {
    either::<V>([a.equals(b'<'), b.equals(b'<'), c.equals(b'<'), d.equals(b'<')])
}

#[inline(always)]
fn either<V: Vector>([a, b, c, d]: [V::Places; BLOCK]) -> V::Places {
    a.or(b).or(c.or(d))
}

/// The candidates in a block: each `<` with a hyphen where the name has it.
#[inline(always)]
fn sought<V: Vector>(bytes: &[u8]) -> [V::Places; BLOCK] {
    if V::SHIFTED { together::<V>(bytes) } else { apart::<V>(bytes) }
}

/// The candidates in a block, each hyphen looked for by a load of its own.
#[inline(always)]
fn apart<V: Vector>(bytes: &[u8]) -> [V::Places; BLOCK] {
    let a = hyphened::<V>(bytes);
    let b = hyphened::<V>(&bytes[V::BYTES..]);
    let c = hyphened::<V>(&bytes[2 * V::BYTES..]);
    let d = hyphened::<V>(&bytes[3 * V::BYTES..]);
    [a, b, c, d]
}

/// The same, each byte loaded once and the places shifted instead. The copy is limited
/// by its loads and stores and the search by its arithmetic, so this is for the copy.
#[inline(always)]
fn together<V: Vector>(bytes: &[u8]) -> [V::Places; BLOCK] {
    let [a, b, c, d] = load_block::<V>(bytes);
    let after = V::load(&bytes[BLOCK * V::BYTES..]).equals(b'-');
    let (e, f, g, h) = (a.equals(b'-'), b.equals(b'-'), c.equals(b'-'), d.equals(b'-'));
    [
        a.equals(b'<').and(e.at_hyphens(f)),
        b.equals(b'<').and(f.at_hyphens(g)),
        c.equals(b'<').and(g.at_hyphens(h)),
        d.equals(b'<').and(h.at_hyphens(after)),
    ]
}

/// The candidates in a vector.
#[inline(always)]
fn hyphened<V: Vector>(bytes: &[u8]) -> V::Places {
    let opening = V::load(&bytes[HYPHEN..]).equals(b'-');
    let closing = V::load(&bytes[HYPHEN + 1..]).equals(b'-');
    V::load(bytes).equals(b'<').and(opening.or(closing))
}

/// The candidates in the first and in the second half of the block: the fewer numbers
/// there are, the fewer loops over their bits, whose ends no processor foresees.
#[inline(always)]
fn halves<V: Vector>([a, b, c, d]: [V::Places; BLOCK]) -> [V::Half; 2] {
    [V::Half::join(a.bits(), b.bits(), V::BYTES), V::Half::join(c.bits(), d.bits(), V::BYTES)]
}

/// How many bytes half a block has.
const fn half<V: Vector>() -> usize {
    BLOCK / 2 * V::BYTES
}

/// The first of the places, counted from `at`, at which there is a live marker.
#[inline(always)]
fn first_live(bytes: &[u8], at: usize, mut places: impl Number) -> Option<Live> {
    while let Some(place) = places.pop() {
        let start = at + place;
        if let Some(name_end) = live_at(bytes, start) {
            return Some(Live { start, name_end });
        }
    }
    None
}

/// Bytes that are compared at once.
///
/// The methods are inlined into functions that are called only where the processor
/// has the instructions.
trait Vector: Copy {
    /// How many bytes.
    const BYTES: usize;

    /// How many blocks the search looks at in one step.
    const STRETCH: usize;

    /// Whether the search loads from where a vector is aligned: a wide one that is not
    /// always lies across two lines of the cache, which takes twice as long.
    const ALIGNED: bool;

    /// Whether the search shifts places, as the copy does, or loads the bytes again.
    const SHIFTED: bool;

    /// Where a compare holds.
    type Places: Places;

    /// The places of two vectors.
    type Half: Number;

    /// The first bytes of a slice that is at least as long.
    fn load(bytes: &[u8]) -> Self;

    /// Writes to the start of a slice that is at least as long.
    fn store(self, to: &mut [MaybeUninit<u8>]);

    fn equals(self, byte: u8) -> Self::Places;
}

/// Places as the bits of a number.
trait Number: Copy {
    /// The second are `bytes` further than the first.
    fn join(first: u64, second: u64, bytes: usize) -> Self;

    /// Takes the first place out.
    fn pop(&mut self) -> Option<usize>;
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Number for $number {
            #[inline(always)]
            fn join(first: u64, second: u64, bytes: usize) -> Self {
                <$number>::from(first) | <$number>::from(second) << bytes
            }

            #[inline(always)]
            fn pop(&mut self) -> Option<usize> {
                if *self == 0 {
                    return None;
                }
                let place = self.trailing_zeros() as usize;
                *self &= *self - 1;
                Some(place)
            }
        }
    )*};
}

number!(u64);
#[cfg(target_arch = "x86_64")]
number!(u128);

/// Some of the places of a vector.
trait Places: Copy {
    /// Those from which the place 10 or 11 bytes further, in this or in the next
    /// vector, is one.
    fn at_hyphens(self, next: Self) -> Self;

    fn or(self, other: Self) -> Self;

    fn and(self, other: Self) -> Self;

    /// A bit for each.
    fn bits(self) -> u64;
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;
    use std::format;

    use proptest::prelude::*;

    use super::*;
    use crate::naive;

    /// Texts of several blocks, with markers and what resembles them at any place.
    fn long() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => (0..80_usize).prop_map(|length| "x".repeat(length)),
            2 => (0..40_usize).prop_map(|length| "<".repeat(length)),
            4 => prop::sample::select(Vec::from([
                "<untrusted-content", "</Untrusted-Content>", "<UNTRUSTED-CONTENT source=x>",
                "</untrusted-conten", "<//untrusted-content", "</untrusted_content", "<\u{f5}ntrusted-content",
                "<untrustedM-content", "<123456789-", "</123456789-", "-", "/", "\n", "\u{e9}", "\u{4e2d}",
            ])).prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    /// Every live marker, by one of the searches.
    fn all(text: &str, find: impl Fn(&[u8], usize) -> Option<Live>) -> Vec<Live> {
        let mut from = 0;
        let next = || {
            let live = find(text.as_bytes(), from)?;
            from = live.name_end;
            Some(live)
        };
        core::iter::from_fn(next).collect()
    }

    fn neutralised(text: &str, neutralise: impl Fn(&mut Vec<u8>, &[u8])) -> String {
        // Something is there already, and there is room for some of the rest.
        let mut out = Vec::with_capacity(text.len() / 2);
        out.extend_from_slice("\u{e9}".as_bytes());
        neutralise(&mut out, text.as_bytes());
        String::from_utf8(out).expect("pieces of texts between characters")
    }

    proptest! {
        #[test]
        fn every_search_finds_what_the_portable_one_finds(text in long()) {
            let expected = all(&text, portable::find);
            for (name, find, _) in processor::variants() {
                prop_assert_eq!(&all(&text, find), &expected, "{}", name);
            }
            // From the middle of a text too.
            let middle = text.len() / 2;
            prop_assert_eq!(find(text.as_bytes(), middle), portable::find(text.as_bytes(), middle));
        }

        #[test]
        fn every_copy_is_the_naive_one(text in long()) {
            let expected = format!("\u{e9}{}", naive::neutralise(&text));
            for (name, _, neutralise) in processor::variants() {
                prop_assert_eq!(&neutralised(&text, neutralise), &expected, "{}", name);
            }
            let mut portable = String::from("\u{e9}");
            portable::neutralise_into(&mut portable, &text);
            prop_assert_eq!(&portable, &expected);
        }
    }

    #[test]
    fn a_marker_is_found_at_every_place_of_every_length() {
        for marker in ["<untrusted-content", "</UNTRUSTED-CONTENT"] {
            // Miri takes a thousand times as long for each.
            for before in (0..=400).step_by(if cfg!(miri) { 43 } else { 1 }) {
                for after in [0, 1, 10, 11, 12, 31, 32, 43, 100, 139, 160, 170, 300, 330] {
                    let text = format!("{}{marker}{}", "-".repeat(before), "<".repeat(after));
                    let expected = [Live { start: before, name_end: before + marker.len() }];
                    assert_eq!(all(&text, find), expected, "{text}");
                    let naive = format!("\u{e9}{}", naive::neutralise(&text));
                    for (name, find, neutralise) in processor::variants() {
                        assert_eq!(all(&text, find), expected, "{name}: {text}");
                        assert_eq!(neutralised(&text, neutralise), naive, "{name}");
                    }
                    let mut out = String::from("\u{e9}");
                    neutralise_into(&mut out, &text);
                    assert_eq!(out, naive);
                }
            }
        }
    }
}
