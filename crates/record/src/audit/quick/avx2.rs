//! The classes of 64 bytes by table look-ups of 32 bytes at once, where the
//! processor has AVX2.
//!
//! A byte's class is a set of bits: those that its lower half has in one table of
//! sixteen entries, and its upper half in another. So each bit stands for all bytes
//! whose halves are in two sets, and one look-up in each table tells all classes.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_andnot_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_xor_si256,
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
    NOTHING,
];

/// The first three bytes of characters that may begin a look-alike. The rules of one
/// bit go together; what they let pass beside is looked at again.
const PAST_ASCII: [[Rule; 8]; 3] = [
    [
        (1, &[0xB], &[0xC]),
        (2, &[0x1], &[0xE]),
        (4, &[0x2], &[0xE]),
        (8, &[0x2], &[0xE]),
        (16, &[0x2], &[0xE]),
        (32, &[0x3], &[0xE]),
        (64, &[0xF], &[0xE]),
        (128, &[0x0, 0x3], &[0xF]),
    ],
    [
        (1, &[0x2], &[0x8]),
        (2, &[0x0, 0xA], &[0x9]),
        (4, &[0x0], &[0x8]),
        (8, &[0x5, 0x6, 0x7, 0x9, 0xC, 0xD, 0xF], &[0x8, 0x9, 0xA, 0xB]),
        (16, &[0x6], &[0xA]),
        (32, &[0x0], &[0x8]),
        (64, &[0x8, 0x9, 0xC], &[0xB]),
        (128, &[0x0, 0x6, 0xD], &[0x9, 0xA]),
    ],
    [
        (1, ALL, ALL),
        (2, &[0x2, 0x8], &[0xB]),
        (4, &[0x9], &[0xB]),
        (8, &[0x0, 0x6, 0x8, 0x9, 0xC, 0xE], &[0xA, 0xB]),
        (16, &[0x1], &[0x9]),
        (32, &[0x8], &[0x8]),
        (64, &[0x4, 0xC, 0xF], &[0x9, 0xA, 0xB]),
        (128, ALL, ALL),
    ],
];

/// What begins a marker or a look-alike, and the two bytes after it; where one of
/// the rules lets less pass than may follow, [`going_on`] adds it.
const ASCII: [[Rule; 8]; 3] = [
    [
        (1 | 2 | 4, &[0xC], &[0x3]),
        (8 | 16, &[0x6], &[0x2]),
        (32 | 64, &[0x5], &[0x2]),
        (128, &[0xC], &[0x5]),
        NOTHING,
        NOTHING,
        NOTHING,
        NOTHING,
    ],
    [
        // Behind a bracket: `u`, a backslash and DEL; a slash or a space.
        (1, &[0x5, 0xC, 0xF], &[0x5, 0x7]),
        (2 | 4, &[0x0, 0xF], &[0x2]),
        // Behind an ampersand: `#` and `%`; the letters `a`, `b`, `l` and `p`, and a
        // backslash.
        (8, &[0x3, 0x5], &[0x2]),
        (16, &[0x0, 0x1, 0x2, 0xC], &[0x4, 0x5, 0x6, 0x7]),
        // Behind a percent sign: the digits 2, 3 and 5; `c` to `f`, `u`, `&`, `%` and a
        // backslash.
        (32, &[0x2, 0x3, 0x5], &[0x3]),
        (64, &[0x3, 0x4, 0x5, 0x6, 0xC], &[0x2, 0x4, 0x5, 0x6, 0x7]),
        // Behind a backslash: digits, `&` and `%`, `u` and `x`.
        (128, &[0x0, 0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8], &[0x2, 0x3, 0x5, 0x7]),
        NOTHING,
    ],
    [
        (1 | 8 | 16 | 64 | 128, ALL, ALL),
        // Behind a slash or a space that was passed over.
        (2, &[0x0, 0x5, 0x6, 0xF], &[0x2]),
        (4, &[0x5, 0xC, 0xF], &[0x5, 0x7]),
        // The second digit, or the first of its code.
        (32, &[0x3, 0x5, 0x6, 0xC], &[0x2, 0x3, 0x4, 0x5, 0x6]),
        NOTHING,
        NOTHING,
        NOTHING,
        NOTHING,
    ],
];

const NOTHING: Rule = (0, &[], &[]);

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

/// Where three blocks, each beginning a byte after the other, follow one of some
/// rules.
#[inline]
#[target_feature(enable = "avx2")]
fn following(blocks: [[__m256i; 2]; 3], rules: &[[[u8; 16]; 2]; 3]) -> [__m256i; 2] {
    let [first, second, third] = blocks;
    let half = |half: usize| {
        let classes =
            _mm256_and_si256(classify(first[half], &rules[0]), classify(second[half], &rules[1]));
        _mm256_and_si256(classes, classify(third[half], &rules[2]))
    };
    [half(0), half(1)]
}

/// Where characters past ASCII stand that may begin a look-alike, given the blocks
/// that begin one and two bytes later.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn past_ascii(block: &[u8; 64], next: &[u8; 64], after: &[u8; 64]) -> Set {
    const RULES: [[[u8; 16]; 2]; 3] =
        [tables(&PAST_ASCII[0]), tables(&PAST_ASCII[1]), tables(&PAST_ASCII[2])];
    having(following([load(block), load(next), load(after)], &RULES), u8::MAX)
}

/// Where what begins a marker or a look-alike goes on as one may, given the blocks
/// that begin one and two bytes later.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn going_on(block: &[u8; 64], next: &[u8; 64], after: &[u8; 64]) -> Set {
    const RULES: [[[u8; 16]; 2]; 3] = [tables(&ASCII[0]), tables(&ASCII[1]), tables(&ASCII[2])];
    let (first, next, after) = (load(block), load(next), load(after));
    let ruled = following([first, next, after], &RULES);
    // In the highest bit of each byte, as bytes past ASCII have it set.
    let half = |half: usize| {
        let (first, next, after) = (first[half], next[half], after[half]);
        let is = |bytes, byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte.cast_signed()));
        let ampersand = is(next, b'&');
        let passed = _mm256_and_si256(_mm256_or_si256(is(next, b'/'), is(next, b' ')), after);
        let coded = _mm256_or_si256(ampersand, is(next, b'%'));
        let behind_bracket = _mm256_or_si256(_mm256_or_si256(next, passed), coded);
        let brackets = _mm256_and_si256(is(first, b'<'), behind_bracket);
        // Two ampersands with a space behind them are no reference in any code.
        let two = _mm256_andnot_si256(is(after, b' '), ampersand);
        let added = _mm256_or_si256(brackets, _mm256_and_si256(is(first, b'&'), two));
        let unruled = _mm256_cmpeq_epi8(ruled[half], _mm256_setzero_si256());
        _mm256_or_si256(added, _mm256_xor_si256(unruled, _mm256_set1_epi8(-1)))
    };
    highest([half(0), half(1)])
}
