//! 64 bytes looked at together; a set of their positions is one bit a byte.

use wide::u8x16;

/// How many bytes a block has.
pub(super) const LENGTH: usize = 64;

/// A set of positions in a block, the first byte being the lowest bit.
pub(super) type Set = u64;

/// Some bytes that are compared at once.
#[derive(Clone, Copy)]
pub(super) struct Block<const PARTS: usize>([u8x16; PARTS]);

/// [`LENGTH`] bytes.
pub(super) type Whole = Block<4>;

/// 16 bytes, for strings that are mostly short.
pub(super) type Short = Block<1>;

impl<const PARTS: usize> Block<PARTS> {
    /// The bytes at `at`; none where fewer are left.
    #[inline]
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let (parts, _) = bytes.get(at..)?.get(..16 * PARTS)?.as_chunks::<16>();
        let parts: &[[u8; 16]; PARTS] = parts.first_chunk()?;
        Some(Block(parts.map(u8x16::new)))
    }

    /// Where the test leaves the highest bit of a byte set.
    #[inline]
    pub(super) fn find(&self, test: impl Fn(u8x16) -> u8x16) -> Set {
        let mut set = 0;
        for (index, part) in self.0.iter().enumerate() {
            set |= Set::from(test(*part).to_bitmask()) << (16 * index);
        }
        set
    }

    /// Where `byte` stands.
    #[inline]
    pub(super) fn equal(&self, byte: u8) -> Set {
        self.find(|part| part.simd_eq(u8x16::splat(byte)))
    }
}

/// Tells the bytes that are one of a few.
#[inline]
pub(super) fn any_of<const N: usize>(part: u8x16, bytes: [u8; N]) -> u8x16 {
    bytes.iter().fold(u8x16::ZERO, |any, byte| any | part.simd_eq(u8x16::splat(*byte)))
}

/// Tells the bytes from `low` up to and with `high`.
#[inline]
pub(super) fn in_range(part: u8x16, low: u8, high: u8) -> u8x16 {
    let above = part - u8x16::splat(low);
    above.min(u8x16::splat(high - low)).simd_eq(above)
}

/// Tells the control characters below the space.
#[inline]
pub(super) fn controls(part: u8x16) -> u8x16 {
    part.min(u8x16::splat(0x1F)).simd_eq(part)
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
