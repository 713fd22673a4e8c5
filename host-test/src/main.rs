//! The program: checks a component, or walks a record through one.

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueEnum};
use host_test::cases;
use host_test::checks::{self, Material, check_component};
use host_test::record;
use murmur_fence_host::{Component, Limits};
use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Check a component that keeps the fence, or read a record through one.
///
/// Exits with 0 when all is well, 1 when a check failed or something is broken,
/// and 2 when the component, the cases or the record cannot be used.
#[derive(Parser)]
#[command(name = "host-test")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every check of the world that a component's exports make it.
    Check {
        /// How to print the result.
        #[arg(long, value_enum, default_value = "human")]
        format: Format,
        /// The golden cases and recorded vectors.
        #[arg(long, value_name = "DIR", default_value = host_test::CASES)]
        cases: PathBuf,
        /// A check not to run; may be given several times.
        #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(checks::names()))]
        skip: Vec<String>,
        /// The component file, of the world fence or conversation.
        component: PathBuf,
    },
    /// Print the golden cases and recorded vectors as one JSON array of calls, for a
    /// host in any language to run.
    Cases {
        /// The golden cases and recorded vectors.
        #[arg(long, value_name = "DIR", default_value = host_test::CASES)]
        cases: PathBuf,
    },
    /// Read the conversation record in a directory page by page, newest first,
    /// and tell what the markers of each message show.
    Record {
        /// The component file, of the world conversation.
        #[arg(long, value_name = "FILE")]
        component: PathBuf,
        /// How many messages a page holds.
        #[arg(long, value_name = "N", default_value_t = 20,
              value_parser = clap::value_parser!(u32).range(1..=100))]
        limit: u32,
        /// The directory that holds conversation.jsonl.
        directory: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Lines for a person.
    Human,
    /// One JSON object.
    Json,
}

fn main() -> ExitCode {
    let well = match Arguments::parse().command {
        Command::Check { format, cases, skip, component } => check(format, cases, &skip, component),
        Command::Cases { cases } => list(cases),
        Command::Record { component, limit, directory } => walk(component, limit, directory),
    };
    match well {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("host-test: {error}");
            ExitCode::from(2)
        }
    }
}

fn check(
    format: Format,
    cases: PathBuf,
    skip: &[String],
    path: PathBuf,
) -> Result<bool, Box<dyn Error>> {
    let material = Material::read(&cases)?;
    let name = path.display().to_string();
    let bytes = fs::read(&path).map_err(|error| format!("failed to read `{name}`: {error}"))?;
    let report = check_component(&name, &bytes, &material, skip)
        .map_err(|error| format!("failed to check `{name}`: {error}"))?;
    let text = match format {
        Format::Human => report.human(),
        Format::Json => format!("{:#}\n", report.json()),
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(report.failed().is_empty())
}

fn list(directory: PathBuf) -> Result<bool, Box<dyn Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut out, &cases::calls(&directory)?)?;
    writeln!(out)?;
    out.flush()?;
    Ok(true)
}

fn walk(path: PathBuf, limit: u32, directory: PathBuf) -> Result<bool, Box<dyn Error>> {
    let component = Component::from_file(&path, &Limits::default())
        .map_err(|error| format!("failed to load `{}`: {error}", path.display()))?;
    let mut out = BufWriter::new(io::stdout().lock());
    let summary = record::walk(&component, &directory, limit, &mut out);
    out.flush()?;
    Ok(summary?.is_clean())
}
