//! Random numbers that a seed gives back exactly, on every machine and in every version.
//!
//! SplitMix64, because a run must be repeatable from its seed years later: a
//! crate's generator may change between releases. Not for secrets.

use sha2::{Digest, Sha256};

/// A generator with 64 bits of state.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The generator of a seed and of what it is for, so that two uses of one
    /// seed do not draw the same numbers.
    pub fn keyed(seed: u64, key: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        for part in key {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        Rng(u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes")))
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, evenly. 0 for a bound of 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The widening multiplication is uneven by at most bound / 2^64.
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 up to but not 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference outputs published with the algorithm for seed 1234567.
    #[test]
    fn gives_the_published_sequence() {
        let mut rng = Rng::new(1_234_567);
        let numbers: Vec<u64> = (0..5).map(|_| rng.next()).collect();
        assert_eq!(
            numbers,
            [
                6457827717110365317,
                3203168211198807973,
                9817491932198370423,
                4593380528125082431,
                16408922859458223821,
            ]
        );
    }

    #[test]
    fn keys_separate_their_sequences() {
        let first = |key: &[&str]| Rng::keyed(7, key).next();
        assert_eq!(first(&["a", "b"]), first(&["a", "b"]));
        assert_ne!(first(&["a", "b"]), first(&["ab"]));
        assert_ne!(first(&["a", "b"]), first(&["b", "a"]));
    }

    #[test]
    fn stays_below_the_bound_and_reaches_each_number() {
        let mut rng = Rng::new(1);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[rng.below(5)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }
}
