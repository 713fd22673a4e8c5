//! The same sources give the same components, wherever they lie.

use std::env;
use std::path::{Path, PathBuf};

use xtask::{Build, Error, Guest, Layout, Toolchain, copy_sources};

use super::{Failure, say, sha256};

/// Builds both components from two copies of the sources, in two directories and
/// with two paths to cargo's home, and compares them.
pub fn repro() -> Result<(), Failure> {
    let layout = Layout::of_this_workspace();
    let toolchain = Toolchain::find(&layout)?;
    let directory = layout.target.join("repro");
    // Of different length and depth, so that no offset hides a difference.
    let places = [directory.join("one"), directory.join("another/place")];

    // All copies first: somebody may be editing.
    for place in &places {
        copy_sources(&layout.root, &place.join("sources"))?;
    }
    let mut hashes: Vec<Vec<String>> = Vec::new();
    for place in &places {
        let mut build = Build::new(place.join("sources"), place.join("target"));
        if place != &places[0] {
            build = with_linked_cargo_home(build, place)?;
        }
        let shown = place.strip_prefix(&layout.root).unwrap_or(place).display();
        let mut built = Vec::new();
        for guest in Guest::ALL {
            say(&format!("building {} in {shown}", guest.name()));
            let component = build.component(&toolchain, guest.package(), &[])?;
            if let Some(path) = leaked_path(&component, &layout, &build, &toolchain) {
                let name = guest.name();
                return Err(Failure::Check(format!("{name} holds the path `{}`", path.display())));
            }
            built.push(sha256(&component));
        }
        hashes.push(built);
    }

    for (at, guest) in Guest::ALL.into_iter().enumerate() {
        let (first, second) = (&hashes[0][at], &hashes[1][at]);
        if first != second {
            return Err(Failure::Check(format!(
                "{} is not reproducible: {first} in `{}`, {second} in `{}`",
                guest.name(),
                places[0].display(),
                places[1].display(),
            )));
        }
        println!("{}  sha256:{first} in both directories", guest.name());
    }
    Ok(())
}

/// The build with another path to the same cargo home, where the system has
/// symbolic links.
fn with_linked_cargo_home(build: Build, place: &Path) -> Result<Build, Error> {
    let Some(cargo_home) = build.cargo_home() else { return Ok(build) };
    #[cfg(unix)]
    {
        let link = place.join("cargo-home");
        match std::os::unix::fs::symlink(cargo_home, &link) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(Error::file("link", link)(error))
            }
            _ => Ok(build.with_cargo_home(link)),
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (cargo_home, place);
        Ok(build)
    }
}

/// A path of this machine that a component holds.
fn leaked_path(
    component: &[u8],
    layout: &Layout,
    build: &Build,
    toolchain: &Toolchain,
) -> Option<PathBuf> {
    let mut paths =
        vec![layout.root.clone(), layout.target.clone(), toolchain.sysroot().to_owned()];
    paths.extend(build.cargo_home().map(Path::to_owned));
    paths.extend(env::home_dir());
    paths.into_iter().find(|path| holds(component, path.as_os_str().as_encoded_bytes()))
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    // A home of `/` names nobody.
    needle.len() > 1 && haystack.windows(needle.len()).any(|window| window == needle)
}
