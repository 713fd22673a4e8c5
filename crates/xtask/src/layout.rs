//! Where things lie: the workspace, and what is made below its target directory.

use std::env;
use std::path::{Path, PathBuf};

/// The directories of one workspace. Nothing is written outside `target`.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The directory of the workspace's `Cargo.toml`.
    pub root: PathBuf,
    /// The target directory: `CARGO_TARGET_DIR`, else `target` in the root.
    pub target: PathBuf,
}

impl Layout {
    /// The workspace that this crate was compiled in.
    pub fn of_this_workspace() -> Layout {
        let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = manifest_dir.ancestors().nth(2).unwrap_or(manifest_dir).to_owned();
        // Cargo resolves a relative one against the directory it was started in,
        // which a test cannot know; that is the root for all but odd uses.
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(directory) if !directory.is_empty() => root.join(directory),
            _ => root.join("target"),
        };
        Layout { root, target }
    }

    /// The target directory of the nested builds. Its own, so that a guest build
    /// never waits for the lock of the cargo that runs the tests.
    pub fn wasm(&self) -> PathBuf {
        self.target.join("wasm")
    }

    /// Where finished components lie.
    pub fn components(&self) -> PathBuf {
        self.target.join("components")
    }

    /// Where a fetched compiler is unpacked.
    pub fn toolchain(&self) -> PathBuf {
        self.target.join("toolchain")
    }
}
