//! The tasks of `cargo xtask`, each a list of steps that stops at the first one
//! that fails.

mod apt;
mod bench;
mod capsule;
mod cases;
mod chromium;
mod ci;
mod crates;
mod dist;
mod instructions;
mod node;
mod playground;
mod publish;
mod python;
mod release;
mod repro;
mod semver;
mod service;
mod soak;
mod spark;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use xtask::{Composed, Error, Guest, Layout, cargo, show};

pub use bench::bench;
pub use capsule::capsule;
pub use ci::ci;
pub use dist::dist;
pub use instructions::instructions;
pub use node::node;
pub use playground::playground;
pub use publish::publish;
pub use python::python;
pub use repro::repro;
pub use semver::wit_semver;
pub use service::service;
pub use soak::soak;
pub use spark::spark;

/// Why a task failed.
#[derive(Debug)]
pub enum Failure {
    /// A component could not be built, or a program failed.
    Error(Error),
    /// A check did not hold; what it found.
    Check(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Error(error) => error.fmt(f),
            Failure::Check(found) => f.write_str(found),
        }
    }
}

/// Builds both components and prints what came out.
pub fn component() -> Result<(), Failure> {
    for guest in Guest::ALL {
        say(&format!("building {}", guest.name()));
        print(&xtask::component(guest)?)?;
    }
    Ok(())
}

/// Builds the examples that the fence is plugged into, and prints what came out.
pub fn compose() -> Result<(), Failure> {
    for which in Composed::ALL {
        say(&format!("composing {}", which.name()));
        print(&xtask::composed(which)?)?;
    }
    Ok(())
}

/// The program `murmur-fence`.
fn program() -> Result<PathBuf, Failure> {
    say("building the program; the first time this compiles wasmtime, for some minutes");
    built_for_tests("murmur-fence", "text")
}

/// A program, built as the tests build it, so that wasmtime is built once: `test` is
/// one of the tests of its package.
fn built_for_tests(program: &str, test: &str) -> Result<PathBuf, Failure> {
    let layout = Layout::of_this_workspace();
    let mut build = cargo(&layout.root);
    show(build.args(["test", "--quiet", "--workspace", "--test", test, "--no-run"]))?;
    Ok(layout.target.join("debug").join(program))
}

/// A line about a component.
fn print(path: &Path) -> Result<(), Error> {
    let bytes = read(path)?;
    let shown = path.strip_prefix(Layout::of_this_workspace().root).unwrap_or(path);
    println!("{}  {} bytes  sha256:{}", shown.display(), bytes.len(), sha256(&bytes));
    Ok(())
}

/// Builds the components and sees to a browser, then runs all tests: of the crates, of
/// the hosts in other languages, and the exhaustive check, which is made for an
/// optimised build.
pub fn test() -> Result<(), Failure> {
    component()?;
    chromium::chromium()?;
    let root = Layout::of_this_workspace().root;
    say("running the tests");
    show(cargo(&root).args(["test", "--workspace"]))?;
    playground::javascript()?;
    python()?;
    say("running the exhaustive check");
    let exhaustive = ["test", "--release", "--package", "murmur-fence", "--test", "exhaustive"];
    show(cargo(&root).args(exhaustive).args(["--", "--include-ignored"]))?;
    Ok(())
}

/// Reads the hostile record of the examples through the conversation component.
pub fn demo() -> Result<(), Failure> {
    let root = Layout::of_this_workspace().root;
    say("building the conversation component");
    let path = xtask::component(Guest::Conversation)?;
    say("building the harness; the first time this compiles wasmtime, for some minutes");
    show(cargo(&root).args(["build", "--package", "host-test"]))?;
    say("reading examples/records/hostile");
    let mut harness = cargo(&root);
    harness.args(["run", "--quiet", "--package", "host-test", "--", "record"]);
    harness.arg("--component").arg(path).args(["--limit", "5", "examples/records/hostile"]);
    show(&mut harness)?;
    Ok(())
}

/// One line of progress.
fn say(what: &str) {
    eprintln!("xtask: {what}");
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::file("read", path))
}

/// Writes a file, and makes the directories that it lies in.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(Error::file("create", parent))?;
    }
    fs::write(path, bytes).map_err(Error::file("write", path))
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
