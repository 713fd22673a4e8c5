//! `cargo xtask`: the tasks of this project.

mod tasks;

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Build, check and show the fence components
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build both components; print path, size and SHA-256 of each
    Component,
    /// Build the composed examples; print path, size and SHA-256 of each
    Compose,
    /// Build the service example and serve it with the `wasmtime` program
    Service {
        /// Where to listen
        #[arg(long, default_value = "127.0.0.1:8080")]
        addr: SocketAddr,
    },
    /// Build both components in two directories and compare the hashes
    Repro,
    /// Build the components and run every test
    Test,
    /// Check formatting, lints, documentation, reproducibility and sizes
    Ci,
    /// Build the conversation component and read a hostile record through it
    Demo,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Component => tasks::component(),
        Task::Compose => tasks::compose(),
        Task::Service { addr } => tasks::service(addr),
        Task::Repro => tasks::repro(),
        Task::Test => tasks::test(),
        Task::Ci => tasks::ci(),
        Task::Demo => tasks::demo(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
