//! The service example, built and served by the `wasmtime` program.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use xtask::{build_guest, show};

use super::release::installed_release;
use super::{Failure, print, say};

/// The release of the `wasmtime` program that the limits below were tried with.
const RELEASE: u32 = 48;

/// What an instance, and so a request, may use. An instance never needs more memory;
/// it serves one request and is dropped. The number of requests bounds the memory of
/// the whole: what comes beside them waits.
const LIMITS: [&str; 4] = [
    "-Wmax-memory-size=268435456",
    "-Wtimeout=10s",
    "--max-concurrent-requests=32",
    "--max-concurrent-connections=512",
];

/// Builds the component, then serves it until it is stopped.
pub fn service(address: SocketAddr) -> Result<(), Failure> {
    say("building example-service");
    let component = build_guest("example-service", &[], "example-service")?;
    print(&component)?;
    if installed_release("wasmtime", "wasmtime ")?.is_none_or(|release| release < RELEASE) {
        return Err(Failure::Check(format!(
            "the component is built, but no `wasmtime` program of release {RELEASE} or later \
             is on PATH to serve it; install one with `cargo install wasmtime-cli --version \
             {RELEASE}.0.8 --locked`"
        )));
    }
    let mut wasmtime = wasmtime(&component, address);
    say(&format!("serving on http://{address}"));
    Ok(show(&mut wasmtime)?)
}

fn wasmtime(component: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new("wasmtime");
    command.arg("serve").args(LIMITS).arg("--addr").arg(address.to_string()).arg(component);
    command
}
