//! Why a component could not be built.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// One way of getting a compiler that did not work out.
#[derive(Debug)]
pub struct Attempt {
    /// What was run or looked for.
    pub what: String,
    /// The last line of its output, or what was missing.
    pub outcome: String,
}

/// Why a component could not be built.
#[derive(Debug)]
pub enum Error {
    /// No compiler for wasm32-unknown-unknown was found or fetched.
    NoToolchain(Vec<Attempt>),
    /// `WASM_RUSTC` names a compiler that cannot build the guests.
    UnusableCompiler {
        /// What `WASM_RUSTC` says.
        rustc: PathBuf,
        /// What it lacks.
        reason: String,
    },
    /// A variable names a component file that is not there.
    MissingComponent {
        /// The variable.
        variable: &'static str,
        /// What it says.
        path: PathBuf,
    },
    /// A program could not be started.
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A program ended with a failure.
    Failed {
        /// The command line.
        command: String,
        /// What it wrote to standard error, or to standard output if that was
        /// all it wrote.
        output: String,
    },
    /// The core module is no component.
    Encode {
        /// The package it was built from.
        package: String,
        /// Why, from the encoder.
        reason: String,
    },
    /// One component cannot be plugged into another.
    Compose {
        /// The package that was to be plugged.
        socket: String,
        /// The component that was to go into it.
        plug: &'static str,
        /// Why, from the composer.
        reason: String,
    },
    /// A file could not be read or written.
    File {
        /// What was to be done, as in `failed to {action}`.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Error {
    /// Makes [`Error::File`] of why it could not be done.
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::File { action, path, source }
    }

    /// The last line that says something: the reason, in most programs' output.
    pub(crate) fn last_line(&self) -> String {
        match self {
            Error::Start { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "not found on PATH".to_owned()
            }
            Error::Failed { output, .. } => output
                .trim_end()
                .lines()
                .last()
                .unwrap_or("failed without output")
                .trim()
                .to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoToolchain(attempts) => {
                f.write_str(
                    "no compiler for wasm32-unknown-unknown; either run \
                     `rustup target add wasm32-unknown-unknown`, or use Debian with apt-get, whose \
                     packages rustc-web and rust-web-src serve as well and are unpacked without root",
                )?;
                for Attempt { what, outcome } in attempts {
                    write!(f, "\n  tried {what}: {outcome}")?;
                }
                Ok(())
            }
            Error::UnusableCompiler { rustc, reason } => {
                write!(
                    f,
                    "WASM_RUSTC names `{}`, which cannot build the guests: {reason}",
                    rustc.display()
                )
            }
            Error::MissingComponent { variable, path } => write!(
                f,
                "{variable} names `{}`, which is not a file; correct it, or unset it to build the component",
                path.display()
            ),
            Error::Start { program, source } => write!(f, "failed to start `{program}`: {source}"),
            Error::Failed { command, output } => {
                write!(f, "`{command}` failed")?;
                match output.trim_end() {
                    "" => Ok(()),
                    output => write!(f, ":\n{output}"),
                }
            }
            Error::Encode { package, reason } => {
                write!(f, "failed to make a component of {package}: {reason}")
            }
            Error::Compose { socket, plug, reason } => {
                write!(f, "failed to plug {plug} into {socket}: {reason}")
            }
            Error::File { action, path, source } => {
                write!(f, "failed to {action} `{}`: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Start { source, .. } | Error::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
