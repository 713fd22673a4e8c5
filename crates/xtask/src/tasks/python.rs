//! The Python example: its types and its tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{Error, Guest, Layout, run, show};

use super::cases::cases;
use super::{Failure, read, say, write};

/// Checks the package's types and runs its tests over the golden cases.
pub fn python() -> Result<(), Failure> {
    let layout = Layout::of_this_workspace();
    let example = layout.root.join("examples/python");
    let python = environment(&layout.target.join("python"), &example.join("requirements.txt"))?;
    say("building murmur-fence");
    let component = xtask::component(Guest::Fence)?;
    let cases = cases()?;
    say("checking the types of the Python package");
    let mut types = Command::new(&python);
    types.current_dir(&example).args(["-m", "mypy", "--cache-dir"]);
    show(types.arg(layout.target.join("python/mypy")))?;
    say("running the tests in Python");
    let mut tests = Command::new(&python);
    // Nothing is written beside the sources.
    tests.current_dir(&example).args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    tests.env("PYTHONPATH", "src").env("MURMUR_FENCE_CASES", cases);
    Ok(show(tests.env(Guest::Fence.variable(), component))?)
}

/// The interpreter of a virtual environment with what the file asks for; it is made
/// anew where the file changed.
pub(super) fn environment(directory: &Path, requirements: &Path) -> Result<PathBuf, Failure> {
    let wanted = read(requirements)?;
    let interpreter = directory.join("bin/python");
    let installed = directory.join("requirements.txt");
    if interpreter.is_file() && fs::read(&installed).is_ok_and(|old| old == wanted) {
        return Ok(interpreter);
    }
    say("installing what the Python example needs");
    let made = run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(directory));
    if let Err(Error::Start { .. }) = made {
        return Err(Failure::Check(
            "no `python3` is on PATH; install Python 3.10 or later with its `venv` module, on \
             Debian with `apt-get install python3-venv`"
                .to_owned(),
        ));
    }
    made?;
    let mut pip = Command::new(&interpreter);
    pip.args(["-m", "pip", "install", "--quiet", "--no-cache-dir"]);
    run(pip.arg("--disable-pip-version-check").arg("--requirement").arg(requirements))?;
    write(&installed, &wanted)?;
    Ok(interpreter)
}
