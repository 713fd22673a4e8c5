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
    /// Run the tool and the hook inside Murmur 0.8.0, and compare what the hook read
    /// with the record
    Capsule {
        /// Build the runtime below the target directory if it is not there
        #[arg(long)]
        install: bool,
        /// Keep the record, the trace and what the hook said in examples/capsule/recorded
        #[arg(long)]
        keep: bool,
    },
    /// Build the service example and serve it with the `wasmtime` program
    Service {
        /// Where to listen
        #[arg(long, default_value = "127.0.0.1:8080")]
        addr: SocketAddr,
    },
    /// Put all that a release hands out into target/dist, with its hashes
    Dist,
    /// Send the WIT package and both components to an OCI registry, with `wkg`
    Publish {
        /// Where to: a host and what stands before the names, as in HOST/PREFIX
        #[arg(long, value_name = "HOST/PREFIX")]
        registry: String,
        /// Print the commands, and run none of them
        #[arg(long)]
        dry_run: bool,
    },
    /// Check that the contract still serves who uses the one last released
    WitSemver {
        /// A directory or a git revision to compare with; else the last tag that
        /// begins with `v`
        #[arg(long)]
        against: Option<String>,
    },
    /// Put the components under hostile load for a while; print the totals
    Soak {
        /// How long the threads call for, in seconds
        #[arg(long, default_value_t = 120)]
        seconds: u64,
        /// How many threads call at once
        #[arg(long, default_value_t = 64)]
        threads: u32,
    },
    /// Make the Node package of the component, and run its tests
    Node,
    /// Make the playground and serve it on this machine
    Playground {
        /// The port to listen on
        #[arg(long, default_value_t = 8081)]
        port: u16,
    },
    /// Check the types of the Python example and run its tests over the golden cases
    Python,
    /// Audit records in a Spark cluster of two and on one machine, and compare
    Spark,
    /// Build both components in two directories and compare the hashes
    Repro,
    /// Build the components and run every test
    Test,
    /// Check formatting, lints, documentation, reproducibility and sizes
    Ci,
    /// Build the conversation component and read a hostile record through it
    Demo,
    /// Time the fence and what does such work, and rewrite benches/RESULTS.md
    #[command(disable_help_flag = true)]
    Bench {
        /// Handed to the benchmarks; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Count instructions under valgrind; fail where more than 5 % are new
    Instructions {
        /// Record the counts in benches/instructions.txt instead
        #[arg(long)]
        record: bool,
    },
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Component => tasks::component(),
        Task::Compose => tasks::compose(),
        Task::Capsule { install, keep } => tasks::capsule(install, keep),
        Task::Service { addr } => tasks::service(addr),
        Task::Dist => tasks::dist().map(drop),
        Task::Publish { registry, dry_run } => tasks::publish(&registry, dry_run),
        Task::WitSemver { against } => tasks::wit_semver(against.as_deref()),
        Task::Soak { seconds, threads } => tasks::soak(seconds, threads),
        Task::Node => tasks::node(),
        Task::Playground { port } => tasks::playground(port),
        Task::Python => tasks::python(),
        Task::Spark => tasks::spark(),
        Task::Repro => tasks::repro(),
        Task::Test => tasks::test(),
        Task::Ci => tasks::ci(),
        Task::Demo => tasks::demo(),
        Task::Bench { arguments } => tasks::bench(&arguments),
        Task::Instructions { record } => tasks::instructions(record),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
