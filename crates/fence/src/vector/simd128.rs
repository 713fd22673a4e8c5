//! WebAssembly's vectors, where the module is built with them: the components are.
//! The tests of the components hold this code to the rest.

use core::arch::wasm32 as arch;
use core::mem::MaybeUninit;

use alloc::vec::Vec;

use super::{Places, Vector, find_by, neutralise_by};
use crate::search::{HYPHEN, Live};

pub(super) fn find(bytes: &[u8], from: usize) -> Option<Live> {
    find_by::<arch::v128>(bytes, from)
}

/// Appends the content, neutralised. What comes before the first marker is copied
/// by the host's own instructions, which are wider than these: a scan and that copy
/// cost less than a scan that copies. After it, markers are likely to be many.
pub(super) fn neutralise_into(out: &mut Vec<u8>, bytes: &[u8]) {
    let plain = find(bytes, 0).map_or(bytes.len(), |live| live.start);
    let (plain, rest) = bytes.split_at(plain);
    out.extend_from_slice(plain);
    neutralise_by::<arch::v128>(out, rest);
}

impl Vector for arch::v128 {
    const BYTES: usize = 16;
    // Each step of a loop also looks whether the host wants the call to end.
    const STRETCH: usize = 4;
    const ALIGNED: bool = false;
    const SHIFTED: bool = false;
    type Places = Self;
    type Half = u64;

    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        let bytes: &[u8; 16] = bytes.first_chunk().expect("a vector");
        // SAFETY: 16 bytes are read from an array of 16; none need be aligned.
        unsafe { arch::v128_load(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, to: &mut [MaybeUninit<u8>]) {
        let to: &mut [MaybeUninit<u8>; 16] = to.first_chunk_mut().expect("a vector");
        // SAFETY: 16 bytes are written to an array of 16; none need be aligned.
        unsafe { arch::v128_store(to.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    fn equals(self, byte: u8) -> Self {
        arch::u8x16_eq(self, arch::u8x16_splat(byte))
    }
}

impl Places for arch::v128 {
    #[inline(always)]
    fn at_hyphens(self, next: Self) -> Self {
        const _: () = assert!(HYPHEN == 10);
        let opening =
            arch::u8x16_shuffle::<10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25>(
                self, next,
            );
        let closing =
            arch::u8x16_shuffle::<11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26>(
                self, next,
            );
        opening.or(closing)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        arch::v128_or(self, other)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        arch::v128_and(self, other)
    }

    #[inline(always)]
    fn bits(self) -> u64 {
        arch::u8x16_bitmask(self).into()
    }
}
