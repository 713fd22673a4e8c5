//! Why a results file cannot be used.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a results file cannot be used.
#[derive(Debug)]
pub enum ResultsError {
    /// It cannot be opened or read.
    Open {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It cannot be written.
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another process writes it.
    Locked {
        /// Which.
        path: PathBuf,
    },
    /// It has no whole line.
    Empty {
        /// Which.
        path: PathBuf,
    },
    /// A line that is not as the lines of such a file are.
    Line {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// It was written by a newer program.
    Version {
        /// Which.
        path: PathBuf,
        /// Its form.
        version: u32,
    },
    /// It is of another run.
    OtherRun {
        /// Which.
        path: PathBuf,
        /// What differs.
        field: &'static str,
        /// In the file.
        file: String,
        /// In the run.
        run: String,
    },
    /// Two files that cannot be compared.
    OtherCorpus {
        /// The hash in the earlier file.
        before: String,
        /// The hash in the later file.
        after: String,
    },
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultsError::Open { path, error } => {
                write!(f, "failed to read results `{}`: {error}", path.display())
            }
            ResultsError::Write { path, error } => {
                write!(f, "failed to write results `{}`: {error}", path.display())
            }
            ResultsError::Locked { path } => write!(
                f,
                "results `{}` are being written by another run; name another file or wait",
                path.display()
            ),
            ResultsError::Empty { path } => {
                write!(f, "results `{}` hold no whole line", path.display())
            }
            ResultsError::Line { path, line, reason } => write!(
                f,
                "results `{}`, line {line}: {reason}; the file is no results file, or was edited",
                path.display()
            ),
            ResultsError::Version { path, version } => write!(
                f,
                "results `{}` have form {version}, which a newer program wrote",
                path.display()
            ),
            ResultsError::OtherRun { path, field, file, run } => write!(
                f,
                "results `{}` are of another run: {field} is `{file}` there and `{run}` here; name \
                 another file, or the same settings to go on",
                path.display()
            ),
            ResultsError::OtherCorpus { before, after } => write!(
                f,
                "the two results are of different corpora, {before} and {after}; run both on one"
            ),
        }
    }
}

impl std::error::Error for ResultsError {}
