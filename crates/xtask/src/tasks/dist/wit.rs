//! The contract as one file, as registries of WIT packages take it.

use std::path::Path;

use wit_parser::Resolve;
use xtask::describe;

use crate::tasks::Failure;

/// What a registry shows of it.
const DESCRIPTION: &str = "The contract of the untrusted fence: its interfaces and worlds";

/// The WIT package in a directory, encoded.
pub fn encode(directory: &Path) -> Result<Vec<u8>, Failure> {
    let mut resolve = Resolve::default();
    let encoded = resolve
        .push_dir(directory)
        .and_then(|(package, _)| wit_component::encode(&resolve, package))
        .map_err(|error| format!("{error:#}"))
        .and_then(|encoded| describe("murmur:fence", Some(DESCRIPTION), &encoded));
    encoded.map_err(|error| Failure::Check(format!("failed to encode wit/: {error}")))
}
