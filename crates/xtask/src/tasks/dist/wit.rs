//! The contract as one file, as registries of WIT packages take it.

use std::path::Path;

use wit_parser::Resolve;

use crate::tasks::Failure;

/// The WIT package in a directory, encoded.
pub fn encode(directory: &Path) -> Result<Vec<u8>, Failure> {
    let mut resolve = Resolve::default();
    let encoded = resolve.push_dir(directory).map_err(|error| format!("{error:#}")).and_then(
        |(package, _)| {
            wit_component::encode(&resolve, package).map_err(|error| format!("{error:#}"))
        },
    );
    encoded.map_err(|error| Failure::Check(format!("failed to encode wit/: {error}")))
}
