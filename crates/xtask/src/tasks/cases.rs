//! The golden cases as one list, for hosts in other languages.

use std::path::PathBuf;
use std::process::Command;

use xtask::{Layout, run};

use super::{Failure, built_for_tests, say, write};

/// Writes the list below the target directory and gives its path.
pub(super) fn cases() -> Result<PathBuf, Failure> {
    say("listing the golden cases");
    let listed = run(Command::new(built_for_tests("host-test", "list")?).arg("cases"))?;
    let path = Layout::of_this_workspace().target.join("cases.json");
    write(&path, listed.as_bytes())?;
    Ok(path)
}
