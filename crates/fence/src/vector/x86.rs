//! The vectors of x86-64: SSE2, which every such processor has, AVX2 and AVX-512.

use alloc::vec::Vec;
use core::arch::x86_64 as arch;
use core::mem::MaybeUninit;

use super::{Places, Vector, find_by, find_in_long, neutralise_by, neutralise_long};
use crate::search::{HYPHEN, Live};

cpufeatures::new!(avx2, "avx2");
// Vectors of 64 bytes, their compares byte by byte, and all of AVX2.
cpufeatures::new!(avx512, "avx2", "avx512f", "avx512bw");

/// Bytes from which the widest vectors gain more than the second loop costs.
const LONG: usize = 1024;

#[inline]
pub(super) fn find(bytes: &[u8], from: usize) -> Option<Live> {
    if bytes.len() - from.min(bytes.len()) >= LONG && avx512::get() {
        // SAFETY: the processor has AVX-512 and AVX2.
        unsafe { find_avx512(bytes, from) }
    } else if avx2::get() {
        // SAFETY: the processor has AVX2.
        unsafe { find_avx2(bytes, from) }
    } else {
        find_sse2(bytes, from)
    }
}

#[inline]
pub(super) fn neutralise_into(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() >= LONG && avx512::get() {
        // SAFETY: the processor has AVX-512 and AVX2.
        unsafe { neutralise_avx512(out, bytes) }
    } else if avx2::get() {
        // SAFETY: the processor has AVX2.
        unsafe { neutralise_avx2(out, bytes) }
    } else {
        neutralise_sse2(out, bytes)
    }
}

#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn find_avx512(bytes: &[u8], from: usize) -> Option<Live> {
    match find_in_long::<arch::__m512i>(bytes, from)? {
        Ok(found) => Some(found),
        Err(left) => find_by::<arch::__m256i>(bytes, left),
    }
}

#[target_feature(enable = "avx2")]
fn find_avx2(bytes: &[u8], from: usize) -> Option<Live> {
    find_by::<arch::__m256i>(bytes, from)
}

fn find_sse2(bytes: &[u8], from: usize) -> Option<Live> {
    find_by::<arch::__m128i>(bytes, from)
}

#[target_feature(enable = "avx2,avx512f,avx512bw")]
fn neutralise_avx512(out: &mut Vec<u8>, bytes: &[u8]) {
    let rest = neutralise_long::<arch::__m512i>(out, bytes);
    neutralise_by::<arch::__m256i>(out, rest);
}

#[target_feature(enable = "avx2")]
fn neutralise_avx2(out: &mut Vec<u8>, bytes: &[u8]) {
    neutralise_by::<arch::__m256i>(out, bytes);
}

fn neutralise_sse2(out: &mut Vec<u8>, bytes: &[u8]) {
    neutralise_by::<arch::__m128i>(out, bytes);
}

impl Vector for arch::__m128i {
    const BYTES: usize = 16;
    const STRETCH: usize = 1;
    const ALIGNED: bool = false;
    const SHIFTED: bool = false;
    type Places = Self;
    type Half = u64;

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
}

impl Places for arch::__m128i {
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
    fn bits(self) -> u64 {
        // SAFETY: SSE2 is there; see the trait.
        unsafe { arch::_mm_movemask_epi8(self) }.cast_unsigned().into()
    }
}

impl Vector for arch::__m256i {
    const BYTES: usize = 32;
    const STRETCH: usize = 1;
    const ALIGNED: bool = false;
    const SHIFTED: bool = false;
    type Places = Self;
    type Half = u64;

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
}

impl Places for arch::__m256i {
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
    fn bits(self) -> u64 {
        // SAFETY: AVX2 is there; see the trait.
        unsafe { arch::_mm256_movemask_epi8(self) }.cast_unsigned().into()
    }
}

impl Vector for arch::__m512i {
    const BYTES: usize = 64;
    const STRETCH: usize = 1;
    const ALIGNED: bool = true;
    // What a compare gives is a number here, and to shift one costs next to nothing.
    const SHIFTED: bool = true;
    type Places = u64;
    type Half = u128;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        let bytes: &[u8; 64] = bytes.first_chunk().expect("a vector");
        // SAFETY: 64 bytes are read from an array of 64, and AVX-512 is there.
        unsafe { arch::_mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, to: &mut [MaybeUninit<u8>]) {
        let to: &mut [MaybeUninit<u8>; 64] = to.first_chunk_mut().expect("a vector");
        // SAFETY: 64 bytes are written to an array of 64, and AVX-512 is there.
        unsafe { arch::_mm512_storeu_si512(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn equals(self, byte: u8) -> u64 {
        // SAFETY: AVX-512 is there; see the trait.
        unsafe { arch::_mm512_cmpeq_epi8_mask(self, arch::_mm512_set1_epi8(byte.cast_signed())) }
    }
}

/// The number, of which the compiler knows nothing any more: else it makes a vector of
/// this one and others, and HTML takes twice as long.
#[inline(always)]
fn in_register(number: u64) -> u64 {
    #[cfg(not(miri))]
    {
        let mut number = number;
        // SAFETY: there is no instruction in it.
        unsafe {
            core::arch::asm!("/* {} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
        }
        number
    }
    #[cfg(miri)]
    number
}

/// A bit for each byte.
impl Places for u64 {
    #[inline(always)]
    fn at_hyphens(self, next: Self) -> Self {
        let opening = self >> HYPHEN | next << (64 - HYPHEN);
        let closing = self >> (HYPHEN + 1) | next << (64 - HYPHEN - 1);
        in_register(opening | closing)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        self
    }
}

/// Each search and copy that the processor has, by name.
#[cfg(test)]
pub(super) fn variants() -> Vec<(&'static str, Find, Neutralise)> {
    let mut variants: Vec<(_, Find, Neutralise)> =
        Vec::from([("SSE2", find_sse2 as _, neutralise_sse2 as _)]);
    if avx2::get() {
        // SAFETY: the processor has AVX2.
        variants.push((
            "AVX2",
            |bytes, from| unsafe { find_avx2(bytes, from) },
            |out, bytes| unsafe { neutralise_avx2(out, bytes) },
        ));
    }
    if avx512::get() {
        // SAFETY: the processor has AVX-512 and AVX2.
        variants.push((
            "AVX-512",
            |bytes, from| unsafe { find_avx512(bytes, from) },
            |out, bytes| unsafe { neutralise_avx512(out, bytes) },
        ));
    }
    variants
}

#[cfg(test)]
type Find = fn(&[u8], usize) -> Option<Live>;
#[cfg(test)]
type Neutralise = fn(&mut Vec<u8>, &[u8]);
