//! The release of a program that is installed.

use std::process::Command;

use xtask::{Error, run};

/// The first number of the version that `program --version` prints behind `prefix`;
/// none where there is no such program.
pub(super) fn installed_release(program: &str, prefix: &str) -> Result<Option<u32>, Error> {
    match run(Command::new(program).arg("--version")) {
        Ok(said) => Ok(release(&said, prefix)),
        Err(Error::Start { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn release(said: &str, prefix: &str) -> Option<u32> {
    said.trim().strip_prefix(prefix)?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_is_read_from_what_node_says() {
        assert_eq!(release("v20.20.2\n", "v"), Some(20));
        assert_eq!(release("v26.0.0-nightly\n", "v"), Some(26));
        assert_eq!(release("20\n", "v"), None);
    }

    #[test]
    fn the_release_is_read_from_what_wasmtime_says() {
        assert_eq!(release("wasmtime 48.0.8\n", "wasmtime "), Some(48));
        assert_eq!(release("wasmtime 50.0.0 (abc 2026-01-01)\n", "wasmtime "), Some(50));
        assert_eq!(release("wasmtime-cli\n", "wasmtime "), None);
    }
}
