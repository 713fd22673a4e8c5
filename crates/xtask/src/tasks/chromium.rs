//! A browser for the tests of the HTML reports.

use std::env;

use super::apt::install;
use super::{Failure, say};

/// Installs Chromium with apt-get where there is none, as root on Debian may.
/// Without one the tests that need it are left out, except in CI, where `CI` is
/// set: there that fails.
pub fn chromium() -> Result<(), Failure> {
    if xtask::chromium().is_some() {
        return Ok(());
    }
    let Err(error) = install("chromium", "for the tests of the HTML reports") else {
        return Ok(());
    };
    if env::var_os("CI").is_some() {
        return Err(error.into());
    }
    say(&format!(
        "no chromium, so the HTML reports are not tested in a browser; install it, or run this \
         as root on Debian: {error}"
    ));
    Ok(())
}
