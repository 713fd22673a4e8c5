//! Debian's packages, for what a task needs and a machine lacks.

use std::process::Command;

use xtask::{Error, run};

use super::say;

/// Installs a package with apt-get, as root on Debian may.
pub(super) fn install(package: &str, what_for: &str) -> Result<(), Error> {
    say(&format!("installing {package} with apt-get, {what_for}"));
    // A list that cannot be fetched need not be the one that is wanted.
    _ = run(Command::new("apt-get").arg("update"));
    let mut apt = Command::new("apt-get");
    apt.args(["install", "-y", "--no-install-recommends", package]);
    run(apt.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}
