//! The classes of 64 bytes by table look-ups of 32 bytes at once, where the
//! processor has AVX2.
//!
//! A byte's class is a set of bits: those that its lower half has in one table of
//! sixteen entries, and its upper half in another. So each bit stands for all bytes
//! whose halves are in two sets, and one look-up in each table tells all classes.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
    _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};

use super::block::{Classes, Set};

/// A bit and the halves of the bytes that it stands for.
type Rule = (u8, &'static [u8], &'static [u8]);

const CONTROL: u8 = 1;
const QUOTE: u8 = 2;
const BACKSLASH: u8 = 4;
const LETTER: u8 = 8;
const OPENER: u8 = 16;
const ALL: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Of the bits that share their name, one alone would also stand for other bytes.
const CLASSES: [Rule; 8] = [
    (CONTROL, ALL, &[0, 1]),
    (QUOTE, &[0x2], &[0x2]),
    (BACKSLASH, &[0xC], &[0x5]),
    // `n`, and `r` and `t`.
    (LETTER, &[0xE], &[0x6]),
    (LETTER << 4, &[0x2, 0x4], &[0x7]),
    // `<`, and `%` and `&`.
    (OPENER, &[0xC], &[0x3]),
    (OPENER << 1, &[0x5, 0x6], &[0x2]),
    (0, &[], &[]),
];

/// The first bytes of characters that may begin a look-alike.
const FIRST: [Rule; 8] = [
    (1, &[0xB], &[0xC]),
    (2, &[0x1], &[0xE]),
    (4, &[0x2], &[0xE]),
    (8, &[0x3], &[0xE]),
    (16, &[0xF], &[0xE]),
    (32, &[0x0, 0x3], &[0xF]),
    (0, &[], &[]),
    (0, &[], &[]),
];

/// Their second bytes, and some others: what is told too much is looked at again.
const SECOND: [Rule; 8] = [
    (1, &[0x2], &[0x8]),
    (2, &[0x0, 0xA], &[0x9]),
    (4, &[0x0, 0x5, 0x6, 0x7, 0x9, 0xC, 0xD, 0xF], &[0x8, 0x9, 0xA, 0xB]),
    (8, &[0x0], &[0x8]),
    (16, &[0x8, 0x9, 0xC], &[0xB]),
    (32, &[0x0, 0x6, 0xD], &[0x9, 0xA]),
    (0, &[], &[]),
    (0, &[], &[]),
];

const BRACKET: u8 = 1;
const REFERENCE: u8 = 4;
const PERCENT: u8 = 16;
const ESCAPE: u8 = 64;

/// What begins a marker or a look-alike. Two bits each, since what may follow is
/// told by two rules each.
const ASCII_FIRST: [Rule; 8] = [
    (BRACKET | BRACKET << 1, &[0xC], &[0x3]),
    (REFERENCE | REFERENCE << 1, &[0x6], &[0x2]),
    (PERCENT | PERCENT << 1, &[0x5], &[0x2]),
    (ESCAPE | ESCAPE << 1, &[0xC], &[0x5]),
    (0, &[], &[]),
    (0, &[], &[]),
    (0, &[], &[]),
    (0, &[], &[]),
];

/// What may follow: at least what [`goes_on`](super::hint::goes_on) lets pass.
const ASCII_SECOND: [Rule; 8] = [
    // `%` and `&`; `u`, a backslash and DEL.
    (BRACKET, &[0x5, 0x6], &[0x2]),
    (BRACKET << 1, &[0x5, 0xC, 0xF], &[0x5, 0x7]),
    // `#`, `%` and `&`; `a`, `b`, `l`, `p` and a backslash.
    (REFERENCE, &[0x3, 0x5, 0x6], &[0x2]),
    (REFERENCE << 1, &[0x0, 0x1, 0x2, 0xC], &[0x4, 0x5, 0x6, 0x7]),
    // Digits, `%` and `&`; `c` to `f`, `u` and a backslash.
    (PERCENT, &[0x2, 0x3, 0x5, 0x6], &[0x2, 0x3]),
    (PERCENT << 1, &[0x3, 0x4, 0x5, 0x6, 0xC], &[0x4, 0x5, 0x6, 0x7]),
    // Digits, `%` and `&`; `u` and `x`.
    (ESCAPE, &[0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7], &[0x2, 0x3]),
    (ESCAPE << 1, &[0x5, 0x8], &[0x5, 0x7]),
];

/// What may follow a bracket behind one slash or space.
const AFTER_PASSED: [Rule; 8] = [
    (BRACKET, &[0x0, 0x5, 0x6, 0xF], &[0x2]),
    (BRACKET << 1, &[0x5, 0xC, 0xF], &[0x5, 0x7]),
    (0, &[], &[]),
    (0, &[], &[]),
    (0, &[], &[]),
    (0, &[], &[]),
    (0, &[], &[]),
    (0, &[], &[]),
];

/// The tables of some rules: by the lower half and by the upper half of a byte.
const fn tables(rules: &[Rule; 8]) -> [[u8; 16]; 2] {
    let mut tables = [[0; 16]; 2];
    let mut index = 0;
    while index < rules.len() {
        let (bit, lower, upper) = rules[index];
        let mut at = 0;
        while at < lower.len() {
            tables[0][lower[at] as usize] |= bit;
            at += 1;
        }
        at = 0;
        while at < upper.len() {
            tables[1][upper[at] as usize] |= bit;
            at += 1;
        }
        index += 1;
    }
    tables
}

/// The two halves of a block.
#[inline]
#[target_feature(enable = "avx2")]
fn load(block: &[u8; 64]) -> [__m256i; 2] {
    let [first, second] = block.as_chunks::<32>().0 else { return [_mm256_setzero_si256(); 2] };
    [load_half(first), load_half(second)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_half(bytes: &[u8; 32]) -> __m256i {
    #[expect(unsafe_code, reason = "there is no other way to load 32 bytes as one")]
    // SAFETY: the reference is to 32 bytes, and the load asks for no alignment.
    unsafe {
        _mm256_loadu_si256(bytes.as_ptr().cast())
    }
}

/// A table for both halves of a vector, which look up each for itself.
#[inline]
#[target_feature(enable = "avx2")]
fn table(entries: &[u8; 16]) -> __m256i {
    let mut both = [0; 32];
    both[..16].copy_from_slice(entries);
    both[16..].copy_from_slice(entries);
    load_half(&both)
}

/// The class of each byte.
#[inline]
#[target_feature(enable = "avx2")]
fn classify(bytes: __m256i, tables: &[[u8; 16]; 2]) -> __m256i {
    let half = _mm256_set1_epi8(0xF);
    let lower = _mm256_and_si256(bytes, half);
    let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half);
    _mm256_and_si256(
        _mm256_shuffle_epi8(table(&tables[0]), lower),
        _mm256_shuffle_epi8(table(&tables[1]), upper),
    )
}

/// Where a class has one of some bits.
#[inline]
#[target_feature(enable = "avx2")]
fn having(classes: [__m256i; 2], bits: u8) -> Set {
    let bits = _mm256_set1_epi8(bits.cast_signed());
    let without = |classes| {
        let none = _mm256_cmpeq_epi8(_mm256_and_si256(classes, bits), _mm256_setzero_si256());
        _mm256_movemask_epi8(none).cast_unsigned()
    };
    !(Set::from(without(classes[0])) | Set::from(without(classes[1])) << 32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn highest(bytes: [__m256i; 2]) -> Set {
    let bits = |half| Set::from(_mm256_movemask_epi8(half).cast_unsigned());
    bits(bytes[0]) | bits(bytes[1]) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(bytes: [__m256i; 2], byte: u8) -> Set {
    let byte = _mm256_set1_epi8(byte.cast_signed());
    highest(bytes.map(|half| _mm256_cmpeq_epi8(half, byte)))
}

/// See [`Classes`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn classes(block: &[u8; 64]) -> Classes {
    const TABLES: [[u8; 16]; 2] = tables(&CLASSES);
    let bytes = load(block);
    let classes = bytes.map(|half| classify(half, &TABLES));
    Classes {
        stops: having(classes, CONTROL | QUOTE | BACKSLASH),
        backslashes: having(classes, BACKSLASH),
        quotes: having(classes, QUOTE),
        letters: having(classes, LETTER | LETTER << 4),
        openers: having(classes, OPENER | OPENER << 1),
        high: highest(bytes),
    }
}

/// Where characters past ASCII stand that may begin a look-alike, given the block
/// that begins a byte later.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn past_ascii(block: &[u8; 64], next: &[u8; 64]) -> Set {
    const FIRSTS: [[u8; 16]; 2] = tables(&FIRST);
    const SECONDS: [[u8; 16]; 2] = tables(&SECOND);
    let first = load(block).map(|half| classify(half, &FIRSTS));
    let second = load(next).map(|half| classify(half, &SECONDS));
    let both = [_mm256_and_si256(first[0], second[0]), _mm256_and_si256(first[1], second[1])];
    having(both, u8::MAX)
}

/// Where what begins a marker or a look-alike goes on as one may, given the blocks
/// that begin one and two bytes later; as [`goes_on`](super::hint::goes_on) tells,
/// and somewhat more often.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn going_on(block: &[u8; 64], next: &[u8; 64], after: &[u8; 64]) -> Set {
    const FIRSTS: [[u8; 16]; 2] = tables(&ASCII_FIRST);
    const SECONDS: [[u8; 16]; 2] = tables(&ASCII_SECOND);
    const PASSED: [[u8; 16]; 2] = tables(&AFTER_PASSED);
    let (next, after) = (load(next), load(after));
    let first = load(block).map(|half| classify(half, &FIRSTS));
    let and = |other: [__m256i; 2]| {
        [_mm256_and_si256(first[0], other[0]), _mm256_and_si256(first[1], other[1])]
    };
    let at_once = having(and(next.map(|half| classify(half, &SECONDS))), u8::MAX);
    let passed = equal(next, b'/') | equal(next, b' ');
    let later = having(and(after.map(|half| classify(half, &PASSED))), u8::MAX);
    let brackets = having(first, BRACKET | BRACKET << 1);
    at_once | passed & later | brackets & (highest(next) | passed & highest(after))
}
