//! A browser for the tests of the HTML reports.

use std::env;
use std::process::Command;

use xtask::{Error, run};

use super::{Failure, say};

/// Installs Chromium with apt-get where there is none, as root on Debian may.
/// Without one the tests that need it are left out, except in CI, where `CI` is
/// set: there that fails.
pub fn chromium() -> Result<(), Failure> {
    if xtask::chromium().is_some() {
        return Ok(());
    }
    say("installing chromium with apt-get, for the tests of the HTML reports");
    let Err(error) = install() else { return Ok(()) };
    if env::var_os("CI").is_some() {
        return Err(error.into());
    }
    say(&format!(
        "no chromium, so the HTML reports are not tested in a browser; install it, or run this \
         as root on Debian: {error}"
    ));
    Ok(())
}

fn install() -> Result<(), Error> {
    let mut apt = Command::new("apt-get");
    // A list that cannot be fetched need not be the one that is wanted.
    _ = run(apt.arg("update"));
    let mut apt = Command::new("apt-get");
    apt.args(["install", "-y", "--no-install-recommends", "chromium"]);
    run(apt.env("DEBIAN_FRONTEND", "noninteractive"))?;
    Ok(())
}
