//! The search and the copy of [`search`](crate::search), many bytes at a time.
//!
//! A `<` is common in markup, and a hyphen 10 or 11 bytes after one, where the name
//! of a marker has it, is rare. So a block of bytes without such a pair is passed
//! over with vector compares alone, and only the rest is read byte by byte. No text
//! makes that slow: what a `<` costs at most is one compare of 17 bytes.
//!
//! This is the one module with unsafe code. It needs it for three things: the
//! instructions themselves, which only some processors have; loads and stores by
//! pointer, which [`Vector::load`] and [`Vector::store`] do for a slice of at least
//! the vector's width; and the length of the output after bytes were written behind
//! its end.

#![expect(
    unsafe_code,
    reason = "2 to 20 times the speed of the safe search; see benches/RESULTS.md"
)]

#[cfg(target_arch = "wasm32")]
mod simd128;

use alloc::string::String;
use alloc::vec::Vec;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;
use core::mem::MaybeUninit;

use crate::marker::INFIX;
use crate::scan::visit;
use crate::search::{HYPHEN, Live, SHORTEST, live_at, portable};

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(avx2, "avx2");

/// The first live marker at or after `from`.
#[inline]
pub(crate) fn find(bytes: &[u8], from: usize) -> Option<Live> {
    if bytes.len() < SHORTEST {
        return None;
    }
    #[cfg(target_arch = "wasm32")]
    return simd128::find(bytes, from);
    #[cfg(target_arch = "x86_64")]
    if avx2::get() {
        // SAFETY: the processor has AVX2.
        unsafe { find_avx2(bytes, from) }
    } else {
        find_sse2(bytes, from)
    }
}

/// Appends the content, neutralised.
#[inline]
pub(crate) fn neutralise_into(out: &mut String, content: &str) {
    // SAFETY: what is appended is UTF-8: the bytes of `content` in order, and
    // between two of its characters, after a `<`, the infix.
    let out = unsafe { out.as_mut_vec() };
    #[cfg(target_arch = "wasm32")]
    simd128::neutralise_into(out, content.as_bytes());
    #[cfg(target_arch = "x86_64")]
    if avx2::get() {
        // SAFETY: the processor has AVX2.
        unsafe { neutralise_avx2(out, content.as_bytes()) }
    } else {
        neutralise_sse2(out, content.as_bytes())
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn find_avx2(bytes: &[u8], from: usize) -> Option<Live> {
    find_by::<arch::__m256i>(bytes, from)
}

#[cfg(target_arch = "x86_64")]
/// Every x86-64 processor has SSE2.
fn find_sse2(bytes: &[u8], from: usize) -> Option<Live> {
    find_by::<arch::__m128i>(bytes, from)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn neutralise_avx2(out: &mut Vec<u8>, bytes: &[u8]) {
    neutralise_by::<arch::__m256i>(out, bytes);
}

#[cfg(target_arch = "x86_64")]
fn neutralise_sse2(out: &mut Vec<u8>, bytes: &[u8]) {
    neutralise_by::<arch::__m128i>(out, bytes);
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
    let mut rest = bytes.get(from..)?;
    while rest.len() >= whole::<V>() {
        if has_bracket(load_block::<V>(rest)) && any(apart::<V>(rest)) {
            let found = find_in_block::<V>(bytes, bytes.len() - rest.len());
            if found.is_some() {
                return found;
            }
        }
        visit(BLOCK * V::BYTES);
        rest = &rest[BLOCK * V::BYTES..];
    }
    find_in_short::<V>(bytes, bytes.len() - rest.len())
}

/// The first live marker that begins in the block at `at`.
#[inline(always)]
fn find_in_block<V: Vector>(bytes: &[u8], at: usize) -> Option<Live> {
    let [head, tail] = candidates::<V>(&bytes[at..]);
    let found = first_live(bytes, at, head);
    if found.is_some() {
        return found;
    }
    first_live(bytes, at + 2 * V::BYTES, tail)
}

/// The first live marker at or after `from`, less than a block before the end.
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
        let places = hyphened::<V>(rest).places();
        let found = first_live(bytes, at, u64::from(places));
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
    any.places() != 0
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
    let mut copied = 0;
    while let Some(live) = find_in_short::<V>(rest, copied) {
        out.extend_from_slice(&rest[copied..=live.start]);
        out.extend_from_slice(INFIX.as_bytes());
        copied = live.start + 1;
    }
    out.extend_from_slice(&rest[copied..]);
}

/// Copies blocks from the start of `bytes` up to one with a candidate, or to where
/// the output is full; answers how many bytes it wrote.
#[inline(always)]
fn copy_plain_blocks<V: Vector>(out: &mut [MaybeUninit<u8>], bytes: &[u8]) -> usize {
    let mut rest = bytes;
    let mut spare = out;
    while rest.len() >= whole::<V>() && spare.len() >= BLOCK * V::BYTES {
        let [a, b, c, d] = load_block::<V>(rest);
        a.store(spare);
        b.store(&mut spare[V::BYTES..]);
        c.store(&mut spare[2 * V::BYTES..]);
        d.store(&mut spare[3 * V::BYTES..]);
        if has_bracket([a, b, c, d]) && any(together::<V>(rest)) {
            break;
        }
        visit(BLOCK * V::BYTES);
        rest = &rest[BLOCK * V::BYTES..];
        spare = &mut spare[BLOCK * V::BYTES..];
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
    let [head, tail] = candidates::<V>(bytes);
    for (at, mut places) in [(0, head), (2 * V::BYTES, tail)] {
        while places != 0 {
            let start = at + places.trailing_zeros() as usize;
            places &= places - 1;
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

/// Whether there is a `<` in the block.
#[inline(always)]
fn has_bracket<V: Vector>([a, b, c, d]: [V; BLOCK]) -> bool {
    let (a, b, c, d) = (a.equals(b'<'), b.equals(b'<'), c.equals(b'<'), d.equals(b'<'));
    any([a, b, c, d])
}

#[inline(always)]
fn any<V: Vector>([a, b, c, d]: [V; BLOCK]) -> bool {
    a.or(b).or(c.or(d)).places() != 0
}

/// The offsets of the candidates in the first and in the second half of the block, as bits.
#[inline(always)]
fn candidates<V: Vector>(bytes: &[u8]) -> [u64; 2] {
    let [a, b, c, d] = apart::<V>(bytes);
    let head = u64::from(a.places()) | u64::from(b.places()) << V::BYTES;
    let tail = u64::from(c.places()) | u64::from(d.places()) << V::BYTES;
    [head, tail]
}

/// The candidates in a block: each `<` with a hyphen where the name has it.
#[inline(always)]
fn apart<V: Vector>(bytes: &[u8]) -> [V; BLOCK] {
    let a = hyphened(bytes);
    let b = hyphened(&bytes[V::BYTES..]);
    let c = hyphened(&bytes[2 * V::BYTES..]);
    let d = hyphened(&bytes[3 * V::BYTES..]);
    [a, b, c, d]
}

/// The same, each byte loaded once and shifted instead. The copy is limited by its
/// loads and stores and the search by its arithmetic, so this is for the copy.
#[inline(always)]
fn together<V: Vector>(bytes: &[u8]) -> [V; BLOCK] {
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
fn hyphened<V: Vector>(bytes: &[u8]) -> V {
    let opening = V::load(&bytes[HYPHEN..]).equals(b'-');
    let closing = V::load(&bytes[HYPHEN + 1..]).equals(b'-');
    V::load(bytes).equals(b'<').and(opening.or(closing))
}

/// The first of the places, counted from `at`, at which there is a live marker.
#[inline(always)]
fn first_live(bytes: &[u8], at: usize, mut places: u64) -> Option<Live> {
    while places != 0 {
        let start = at + places.trailing_zeros() as usize;
        if let Some(name_end) = live_at(bytes, start) {
            return Some(Live { start, name_end });
        }
        places &= places - 1;
    }
    None
}

/// Bytes that are compared at once. A compare gives 0xFF where it holds.
///
/// The methods are inlined into functions that are called only where the processor
/// has the instructions.
trait Vector: Copy {
    /// How many bytes.
    const BYTES: usize;

    /// The first bytes of a slice that is at least as long.
    fn load(bytes: &[u8]) -> Self;

    /// Writes to the start of a slice that is at least as long.
    fn store(self, to: &mut [MaybeUninit<u8>]);

    fn equals(self, byte: u8) -> Self;

    /// At each place what stands 10 or 11 bytes further, in this or in the next vector.
    fn at_hyphens(self, next: Self) -> Self;

    fn or(self, other: Self) -> Self;

    fn and(self, other: Self) -> Self;

    /// A bit for each byte that is 0xFF.
    fn places(self) -> u32;
}

#[cfg(target_arch = "x86_64")]
impl Vector for arch::__m128i {
    const BYTES: usize = 16;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        let bytes: &[u8; 16] = bytes.first_chunk().expect("a vector");
        // SAFETY: 16 bytes are read from an array of 16.
        unsafe { arch::_mm_loadu_si128(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, to: &mut [MaybeUninit<u8>]) {
        let to: &mut [MaybeUninit<u8>; 16] = to.first_chunk_mut().expect("a vector");
        // SAFETY: 16 bytes are written to an array of 16.
        unsafe { arch::_mm_storeu_si128(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn equals(self, byte: u8) -> Self {
        // SAFETY: SSE2 is there; see the trait.
        unsafe { arch::_mm_cmpeq_epi8(self, arch::_mm_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    fn at_hyphens(self, next: Self) -> Self {
        const OPENING: i32 = HYPHEN as i32;
        const CLOSING: i32 = OPENING + 1;
        // SAFETY: SSE2 is there; see the trait.
        let (opening, closing) = unsafe {
            (
                arch::_mm_srli_si128::<OPENING>(self)
                    .or(arch::_mm_slli_si128::<{ 16 - OPENING }>(next)),
                arch::_mm_srli_si128::<CLOSING>(self)
                    .or(arch::_mm_slli_si128::<{ 16 - CLOSING }>(next)),
            )
        };
        opening.or(closing)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: SSE2 is there; see the trait.
        unsafe { arch::_mm_or_si128(self, other) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: SSE2 is there; see the trait.
        unsafe { arch::_mm_and_si128(self, other) }
    }

    #[inline(always)]
    fn places(self) -> u32 {
        // SAFETY: SSE2 is there; see the trait.
        unsafe { arch::_mm_movemask_epi8(self) }.cast_unsigned()
    }
}

#[cfg(target_arch = "x86_64")]
impl Vector for arch::__m256i {
    const BYTES: usize = 32;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        let bytes: &[u8; 32] = bytes.first_chunk().expect("a vector");
        // SAFETY: 32 bytes are read from an array of 32, and AVX is there.
        unsafe { arch::_mm256_loadu_si256(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, to: &mut [MaybeUninit<u8>]) {
        let to: &mut [MaybeUninit<u8>; 32] = to.first_chunk_mut().expect("a vector");
        // SAFETY: 32 bytes are written to an array of 32, and AVX is there.
        unsafe { arch::_mm256_storeu_si256(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn equals(self, byte: u8) -> Self {
        // SAFETY: AVX2 is there; see the trait.
        unsafe { arch::_mm256_cmpeq_epi8(self, arch::_mm256_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    fn at_hyphens(self, next: Self) -> Self {
        const OPENING: i32 = HYPHEN as i32;
        // SAFETY: AVX2 is there; see the trait.
        unsafe {
            // A shift works within halves; this has the half after each half.
            let after = arch::_mm256_permute2x128_si256::<0x21>(self, next);
            let opening = arch::_mm256_alignr_epi8::<OPENING>(after, self);
            let closing = arch::_mm256_alignr_epi8::<{ OPENING + 1 }>(after, self);
            opening.or(closing)
        }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: AVX2 is there; see the trait.
        unsafe { arch::_mm256_or_si256(self, other) }
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: AVX2 is there; see the trait.
        unsafe { arch::_mm256_and_si256(self, other) }
    }

    #[inline(always)]
    fn places(self) -> u32 {
        // SAFETY: AVX2 is there; see the trait.
        unsafe { arch::_mm256_movemask_epi8(self) }.cast_unsigned()
    }
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
            prop_assert_eq!(&all(&text, find_sse2), &expected);
            if avx2::get() {
                // SAFETY: the processor has AVX2.
                prop_assert_eq!(&all(&text, |text, from| unsafe { find_avx2(text, from) }), &expected);
            }
            // From the middle of a text too.
            let middle = text.len() / 2;
            prop_assert_eq!(find(text.as_bytes(), middle), portable::find(text.as_bytes(), middle));
        }

        #[test]
        fn every_copy_is_the_naive_one(text in long()) {
            let expected = format!("\u{e9}{}", naive::neutralise(&text));
            prop_assert_eq!(&neutralised(&text, neutralise_sse2), &expected);
            if avx2::get() {
                // SAFETY: the processor has AVX2.
                let copy = neutralised(&text, |out, text| unsafe { neutralise_avx2(out, text) });
                prop_assert_eq!(&copy, &expected);
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
            for before in (0..=170).step_by(if cfg!(miri) { 43 } else { 1 }) {
                for after in [0, 1, 10, 11, 12, 31, 32, 43, 100, 139, 160, 170] {
                    let text = format!("{}{marker}{}", "-".repeat(before), "<".repeat(after));
                    let expected = [Live { start: before, name_end: before + marker.len() }];
                    assert_eq!(all(&text, find), expected, "{text}");
                    assert_eq!(all(&text, find_sse2), expected, "{text}");
                    let naive = format!("\u{e9}{}", naive::neutralise(&text));
                    assert_eq!(neutralised(&text, neutralise_sse2), naive);
                    let mut out = String::from("\u{e9}");
                    neutralise_into(&mut out, &text);
                    assert_eq!(out, naive);
                }
            }
        }
    }
}
