//! Chromium, in which the tests open HTML reports.

use std::env;
use std::path::PathBuf;

/// The names under which systems install it.
const PROGRAMS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The first Chromium on `PATH`, if there is one.
pub fn chromium() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let directories: Vec<_> = env::split_paths(&path).collect();
    let programs = PROGRAMS
        .iter()
        .flat_map(|program| directories.iter().map(move |directory| directory.join(program)));
    programs.into_iter().find(|program| program.is_file())
}
