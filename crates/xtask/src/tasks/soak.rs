//! The hostile load of `host-test`, for as long and from as many threads as asked.

use xtask::{Layout, cargo, show};

use super::{Failure, component, say};

/// Builds the components, then runs the load and prints its totals.
pub fn soak(seconds: u64, threads: u32) -> Result<(), Failure> {
    component()?;
    say(&format!("hostile load for {seconds} s from {threads} threads"));
    let mut tests = cargo(&Layout::of_this_workspace().root);
    tests.args(["test", "--workspace", "--test", "soak", "--", "--nocapture", "--test-threads=1"]);
    tests.env("MURMUR_FENCE_SOAK_SECONDS", seconds.to_string());
    tests.env("MURMUR_FENCE_SOAK_THREADS", threads.to_string());
    Ok(show(&mut tests)?)
}
