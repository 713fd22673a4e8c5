//! The golden cases as one list, for hosts in other languages.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use xtask::{Error, Layout, cargo, run, show};

use super::{Failure, say};

/// Writes the list below the target directory and gives its path.
pub(super) fn cases() -> Result<PathBuf, Failure> {
    let layout = Layout::of_this_workspace();
    say("listing the golden cases");
    // With the features of the tests, so that wasmtime is the one they built.
    let mut build = cargo(&layout.root);
    show(build.args(["test", "--quiet", "--workspace", "--test", "list", "--no-run"]))?;
    let listed = run(Command::new(layout.target.join("debug/host-test")).arg("cases"))?;
    let path = layout.target.join("cases.json");
    fs::write(&path, listed).map_err(|source| Error::File {
        action: "write",
        path: path.clone(),
        source,
    })?;
    Ok(path)
}
