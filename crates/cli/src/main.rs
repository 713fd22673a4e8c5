//! `murmur-fence`: fence text, verify fences, and page records.

mod commands;
mod failure;
mod forged;
mod input;
mod json;
mod visible;
mod whole_file;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::failure::Failure;
use crate::input::Input;

/// Marks text with where it came from, and checks that the marks are intact.
///
/// Exit status: 0 clean, 1 findings, 2 unusable input or arguments.
#[derive(Parser)]
#[command(name = "murmur-fence", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Put a text into a block; writes the block and nothing else
    Wrap {
        /// The source name that the opening marker carries, for example tool:web-fetch
        #[arg(long, value_name = "NAME")]
        source: String,
        /// The text; `-` is standard input
        #[arg(default_value = "-")]
        file: Input,
    },
    /// Neutralise the markers in a text; writes the text and nothing else
    Neutralise {
        /// The text; `-` is standard input
        #[arg(default_value = "-")]
        file: Input,
    },
    /// Check the markers of records and of plain texts
    Verify {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        /// Conversation records, directories that hold one, or texts; `-` is standard input
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<Input>,
    },
    /// Read a page of a conversation record through the component
    Page {
        /// The directory that holds conversation.jsonl
        #[arg(long)]
        dir: PathBuf,
        /// Where the page ends: the next_cursor of the page before; the newest page without
        #[arg(long, allow_hyphen_values = true)]
        cursor: Option<String>,
        /// How many messages; clamped to 1 up to 100
        #[arg(long, default_value_t = 20)]
        limit: u32,
        /// The component; by default one that stands beside this program
        #[arg(long, value_name = "FILE", env = commands::page::COMPONENT_VARIABLE)]
        component: Option<PathBuf>,
        /// Keep the compiled component in a directory that only you may write to, and start
        /// in milliseconds the next time
        #[arg(long, value_name = "DIR", env = commands::page::CACHE_VARIABLE)]
        cache: Option<PathBuf>,
    },
    /// Audit records, traces and streams: what was declared fenced, and what was
    ///
    /// Errors and warnings are findings, notes are not.
    Audit(commands::audit::AuditArguments),
    /// Print what a person should read: text without its fences, each block under
    /// its source
    ///
    /// Of a record, a page, a stream or a text. A line of a block begins with a bar,
    /// any other with a space, so that no text can pass for another's.
    Strip {
        /// What to print; `-` is standard input
        #[arg(default_value = "-")]
        file: Input,
    },
    /// Print the body of one block, exactly: no byte is added or changed
    Unwrap {
        /// Which block, from 1; needed where there are several
        #[arg(long, value_name = "N")]
        index: Option<NonZeroUsize>,
        /// A text with a block, or a record; `-` is standard input
        #[arg(default_value = "-")]
        file: Input,
    },
    /// Look at a component
    #[command(subcommand)]
    Component(ComponentCommand),
    /// Measure whether a fence holds against a corpus of attacks
    Eval(Box<commands::eval::EvalArguments>),
    /// Check which lanes of a prompt are fenced, by registry, receipts and source
    #[command(subcommand)]
    Lanes(commands::lanes::LanesCommand),
}

#[derive(Subcommand)]
enum ComponentCommand {
    /// What a component imports and exports, and its size in bytes
    Info {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        /// The component
        file: PathBuf,
    },
}

/// How a report is printed.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    #[default]
    Human,
    /// One JSON object
    Json,
}

/// How findings are printed.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum FindingsFormat {
    /// For reading
    #[default]
    Human,
    /// One JSON object
    Json,
    /// A SARIF 2.1.0 log of the findings
    Sarif,
}

/// What a command that ran to its end found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Clean,
    Findings,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<Outcome, Failure> {
    match command {
        Command::Wrap { source, file } => commands::text::wrap(&source, &file),
        Command::Neutralise { file } => commands::text::neutralise(&file),
        Command::Verify { format, paths } => commands::verify::run(format, &paths),
        Command::Page { dir, cursor, limit, component, cache } => {
            commands::page::run(&dir, cursor.as_deref(), limit, component, cache.as_deref())
        }
        Command::Audit(arguments) => commands::audit::run(arguments),
        Command::Strip { file } => commands::strip::run(&file),
        Command::Unwrap { index, file } => commands::unwrap::run(index, &file),
        Command::Component(ComponentCommand::Info { format, file }) => {
            commands::component::info(format, &file)
        }
        Command::Eval(arguments) => commands::eval::run(*arguments),
        Command::Lanes(command) => commands::lanes::run(command),
    }
}
