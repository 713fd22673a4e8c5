//! Timings of the fence beside what else does such work.

use xtask::{Layout, cargo, show};

use super::{Failure, say};

/// Builds and runs the benchmarks; all of them rewrite `benches/RESULTS.md`.
pub fn bench(arguments: &[String]) -> Result<(), Failure> {
    let root = Layout::of_this_workspace().root;
    say("building the benchmarks");
    let run = ["run", "--release", "--quiet", "--package", "murmur-fence-benches", "--bin"];
    show(cargo(&root).args(run).args(["benches", "--"]).args(arguments))?;
    Ok(())
}
