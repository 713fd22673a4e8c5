//! The capsule example, run inside the real runtime.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{Build, Composed, Error, Guest, Layout, cargo, composed, run, show};

use super::{Failure, program, say};

/// The release of the runtime that the example was run with.
const RELEASE: &str = "0.8.0";

/// The crate that the runtime's program comes from; its tests hold a driver and a
/// tool that are built already.
const CRATE: &str = "murmur-cli";

/// Builds the components and the program, runs the capsule, and compares what its
/// hook read with the record. With `keep`, the run is kept as the recorded one.
pub fn capsule(install: bool, keep: bool) -> Result<(), Failure> {
    let layout = Layout::of_this_workspace();
    let mur = runtime(&layout, install)?;
    let fixtures = fixtures(&layout)?;
    say("composing the tool and the hook");
    let tool = composed(Composed::Tool)?;
    let hook = composed(Composed::HookWithEvidence)?;
    let reader = xtask::component(Guest::Conversation)?;
    let program = program()?;
    say("running the capsule");
    let example = layout.root.join("examples/capsule");
    let mut script = Command::new("python3");
    // Nothing is written beside the script.
    script.arg("-B").arg(example.join("run.py"));
    script.arg("--mur").arg(mur);
    script
        .arg("--driver")
        .arg(fixtures.join("drivers/anthropic/driver/murmur-driver-anthropic.wasm"));
    script.arg("--echo").arg(fixtures.join("run/components/echo-tool.wasm"));
    script.arg("--tool").arg(tool).arg("--hook").arg(hook).arg("--component").arg(reader);
    script.arg("--program").arg(program);
    script.arg("--work").arg(layout.target.join("capsule"));
    if keep {
        script.arg("--keep").arg(example.join("recorded"));
    }
    Ok(show(&mut script)?)
}

/// The runtime's program: what `MUR` names, else `mur` on the path, else one that is
/// installed below the target directory if that is wanted.
fn runtime(layout: &Layout, install: bool) -> Result<PathBuf, Failure> {
    if let Some(path) = env::var_os("MUR").filter(|path| !path.is_empty()) {
        return of_release(layout.root.join(path));
    }
    if let Ok(found) = of_release("mur".into()) {
        return Ok(found);
    }
    let directory = layout.target.join("mur");
    let installed = directory.join("bin/mur");
    if install && !installed.is_file() {
        say("installing Murmur, which takes some 15 minutes");
        let mut cargo = cargo(&layout.root);
        cargo.args(["install", CRATE, "--version", RELEASE, "--locked", "--root"]).arg(&directory);
        show(&mut cargo)?;
    }
    match installed.is_file() {
        true => of_release(installed),
        false => Err(Failure::Check(format!(
            "there is no `mur` {RELEASE} here; name one in MUR, or add --install to build it \
             below the target directory, which needs libseccomp-dev"
        ))),
    }
}

fn of_release(path: PathBuf) -> Result<PathBuf, Failure> {
    let said = run(Command::new(&path).arg("--version"))?;
    match said.split_whitespace().any(|word| word == RELEASE) {
        true => Ok(path),
        false => Err(Failure::Check(format!(
            "`{}` is {}, and the example was made for {RELEASE}; name another in MUR",
            path.display(),
            said.trim()
        ))),
    }
}

/// Where cargo keeps the sources of the runtime, and in them what its tests use.
fn fixtures(layout: &Layout) -> Result<PathBuf, Failure> {
    let build = Build::new(layout.root.clone(), layout.wasm());
    let sources = build.cargo_home().map(|home| home.join("registry/src")).unwrap_or_default();
    let fixtures = format!("{CRATE}-{RELEASE}/tests/fixtures");
    directories(&sources)?
        .into_iter()
        .map(|registry| registry.join(&fixtures))
        .find(|path| path.is_dir())
        .ok_or_else(|| {
            Failure::Check(format!(
                "the sources of {CRATE} {RELEASE} are not below `{}`; `cargo install {CRATE} \
                 --version {RELEASE} --locked` brings them",
                sources.display()
            ))
        })
}

fn directories(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = path.read_dir().map_err(Error::file("read", path))?;
    entries.map(|entry| Ok(entry.map_err(Error::file("read", path))?.path())).collect()
}
