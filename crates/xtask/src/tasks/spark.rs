//! The audit on Spark, held to the audit on one machine.

use std::process::Command;

use xtask::{Error, Guest, Layout, cargo, run, show};

use super::python::environment;
use super::{Failure, program, say};

/// Audits the same records in a local cluster of two and with the program.
pub fn spark() -> Result<(), Failure> {
    let layout = Layout::of_this_workspace();
    if let Err(Error::Start { .. }) = run(Command::new("java").arg("-version")) {
        return Err(Failure::Check(
            "no `java` is on PATH, which Spark needs; install Java 17 or later, on Debian with \
             `apt-get install openjdk-17-jre-headless`"
                .to_owned(),
        ));
    }
    let example = layout.root.join("examples/spark");
    let work = layout.target.join("spark");
    let python = environment(&work.join("python"), &example.join("requirements.txt"))?;
    say("building murmur-fence");
    let component = xtask::component(Guest::Fence)?;
    let program = program()?;
    say("building the generator of records");
    let generator = ["build", "--release", "--package", "murmur-fence-record", "--example"];
    show(cargo(&layout.root).args(generator).arg("generate_record"))?;
    say("auditing on Spark and on one machine");
    let mut compare = Command::new(python);
    compare.arg("-B").arg(example.join("compare.py")).arg("--work").arg(&work);
    compare.arg("--program").arg(program).arg("--component").arg(component);
    let generator = layout.target.join("release/examples/generate_record");
    Ok(show(compare.arg("--generator").arg(generator))?)
}
