//! The Node example: the package made of the component, and its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{Error, Guest, Layout, run, show};

use super::cases::cases;
use super::release::installed_release;
use super::{Failure, say};

/// The oldest Node that the examples run in.
const NODE: u32 = 20;

/// Where the examples in JavaScript are made and tested: copies of them, what npm
/// installs, and what is generated. Nothing is written beside the sources.
pub(super) struct Workshop {
    /// Below the target directory.
    pub(super) directory: PathBuf,
}

/// Makes the package and runs its tests, with the types checked.
pub fn node() -> Result<(), Failure> {
    let workshop = Workshop::set_up()?;
    workshop.cases()?;
    workshop.test_node()
}

impl Workshop {
    /// Builds the component, installs jco and makes the package.
    pub(super) fn set_up() -> Result<Workshop, Failure> {
        needs_node()?;
        let layout = Layout::of_this_workspace();
        say("building murmur-fence");
        let component = xtask::component(Guest::Fence)?;
        let workshop = Workshop { directory: layout.target.join("web") };
        let node = workshop.directory.join("node");
        let locked = |directory: &Path| fs::read(directory.join("package-lock.json")).ok();
        let installed = node.join("node_modules").is_dir()
            && locked(&node) == locked(&layout.root.join("examples/node"));
        for example in ["node", "playground"] {
            let from = layout.root.join("examples").join(example);
            copy(&from, &workshop.directory.join(example))?;
        }
        if !installed {
            say("installing jco and typescript with npm");
            let mut npm = Command::new("npm");
            npm.current_dir(&node).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
            npm.arg("--cache").arg(layout.target.join("npm"));
            run(&mut npm)?;
        }
        say("making the package of the component");
        let mut build = Command::new("node");
        build.current_dir(&node).arg("build.js").arg(component).arg("../murmur-fence");
        run(&mut build)?;
        Ok(workshop)
    }

    /// Puts the golden cases where the tests look for them.
    pub(super) fn cases(&self) -> Result<(), Failure> {
        let list = cases()?;
        let path = self.directory.join("cases.json");
        fs::copy(list, &path).map_err(Error::file("write", path))?;
        Ok(())
    }

    pub(super) fn test_node(&self) -> Result<(), Failure> {
        let node = self.directory.join("node");
        say("checking the types");
        let mut types = Command::new("node");
        types.current_dir(&node).args(["node_modules/typescript/bin/tsc", "--project"]);
        show(types.arg("tsconfig.json"))?;
        say("running the tests in Node");
        Ok(show(Command::new("node").current_dir(&node).args(["--test", "test/fence.test.js"]))?)
    }
}

fn needs_node() -> Result<(), Failure> {
    if installed_release("node", "v")?.is_some_and(|found| found >= NODE) {
        return Ok(());
    }
    Err(Failure::Check(format!(
        "no `node` of release {NODE} or later is on PATH; install Node with npm, on Debian \
         with `apt-get install nodejs npm`"
    )))
}

/// Copies the files of a directory over those of another; others in it stay.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(Error::file("create", to))?;
    for entry in fs::read_dir(from).map_err(Error::file("read", from))? {
        let path = entry.map_err(Error::file("read", from))?.path();
        let Some(name) = path.file_name().filter(|name| *name != "node_modules") else { continue };
        let copied = to.join(name);
        if path.is_dir() {
            copy(&path, &copied)?;
        } else {
            fs::copy(&path, &copied).map_err(Error::file("copy", &path))?;
        }
    }
    Ok(())
}
