//! Every dependency stands under a licence that goes with this project's.

use std::path::Path;

use spdx::{Expression, ParseMode};

use crate::tasks::Failure;
use crate::tasks::crates::all;

/// The licences that code of others may have, here and in what ships. `deny.toml`
/// says the same for `cargo deny`.
const ALLOWED: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Holds every crate in Cargo.lock to the list.
pub fn licences(root: &Path) -> Result<(), Failure> {
    let refused: Vec<String> = all(root)?
        .values()
        .filter(|found| !allowed(&found.licence))
        .map(|found| format!("{} {}: `{}`", found.name, found.version, found.licence))
        .collect();
    match refused.is_empty() {
        true => Ok(()),
        false => Err(Failure::Check(format!(
            "these crates have no licence that is allowed; do without them, or add the licence \
             to the list in ci/licences.rs and to deny.toml:\n{}",
            refused.join("\n")
        ))),
    }
}

fn allowed(licence: &str) -> bool {
    let Ok(expression) = Expression::parse_mode(licence, ParseMode::LAX) else { return false };
    expression.evaluate(|requirement| {
        let id = requirement.license.id();
        id.is_some_and(|id| ALLOWED.contains(&id.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allowed_choice_is_enough_and_every_part_of_a_conjunction_counts() {
        for licence in [
            "MIT",
            "GPL-2.0-only OR Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
        ] {
            assert!(allowed(licence), "{licence}");
        }
        for licence in ["", "GPL-3.0-only", "MIT AND GPL-2.0-only", "no such licence"] {
            assert!(!allowed(licence), "{licence}");
        }
    }
}
