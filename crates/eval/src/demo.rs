//! What the demonstration runs: every kind of builder against a script that is
//! wary of bare pages, heeds fences for the most part, and trusts what follows a
//! closing marker.

use crate::builder::Builder;

/// The builders.
pub fn builders() -> Vec<Builder> {
    let names = ["raw", "unneutralised", "marker", "nonce", "tags", "lanes"];
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// The script.
pub const BEHAVIOUR: &str = "rates=0.5/0.08/0.97,slow=6";

/// Fresh payloads beside every attack.
pub const MUTANTS: usize = 1;

/// Trials of each page with each builder.
pub const TRIALS: u32 = 4;

/// Of everything.
pub const SEED: u64 = 1;
