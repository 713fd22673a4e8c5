//! How loading and calling a component can fail.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a component or a directory cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The component file cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The bytes are not a component that this runtime accepts.
    NotAComponent {
        /// The runtime's reason.
        reason: String,
    },
    /// The component lacks exports of its world.
    MissingExports {
        /// Each as `interface@version`, or `interface@version#function` where
        /// only the function is missing.
        names: Vec<String>,
    },
    /// An export has the right name and another type.
    ExportType {
        /// The runtime's reason, which tells the types but not the export.
        reason: String,
    },
    /// The component imports what its world does not grant.
    ImportsNotGranted {
        /// Each as `interface@version`, or `interface@version#function` where
        /// the rest of the interface is granted.
        names: Vec<String>,
    },
    /// An import has a granted name and another type.
    ImportType {
        /// The runtime's reason, which names the import.
        reason: String,
    },
    /// The runtime cannot be set up with these limits.
    Engine {
        /// The runtime's reason.
        reason: String,
    },
    /// The directory for compiled code cannot be used.
    #[cfg(feature = "cache")]
    Cache {
        /// The directory.
        path: PathBuf,
        /// The runtime's reason.
        reason: String,
    },
    /// The directory of a conversation cannot be opened.
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Unreadable { path, source } => {
                write!(f, "failed to read component `{}`: {source}", path.display())
            }
            LoadError::NotAComponent { reason } => write!(f, "not a usable component: {reason}"),
            LoadError::MissingExports { names } => {
                write!(f, "the component does not export {}", listed(names))
            }
            LoadError::ExportType { reason } => {
                write!(f, "an export has another type than the contract's: {reason}")
            }
            LoadError::ImportsNotGranted { names } => {
                write!(f, "the component imports {}, which its world does not grant", listed(names))
            }
            LoadError::ImportType { reason } => {
                write!(f, "an import has another type than the host's: {reason}")
            }
            LoadError::Engine { reason } => {
                write!(f, "failed to set up the runtime: {reason}")
            }
            #[cfg(feature = "cache")]
            LoadError::Cache { path, reason } => {
                write!(f, "failed to keep compiled code in `{}`: {reason}", path.display())
            }
            LoadError::Directory { path, reason } => {
                write!(f, "failed to open directory `{}`: {reason}", path.display())
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LoadError::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// How a call ended without an answer.
///
/// The instance that was used is gone then, but for
/// [`InputTooLarge`](CallError::InputTooLarge) and
/// [`NoFreeInstance`](CallError::NoFreeInstance), which are found before one is
/// entered. The next call gets another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallError {
    /// The input is longer than the limit; nothing was called.
    InputTooLarge {
        /// Bytes handed to the call.
        len: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// The answer is longer than the limit.
    OutputTooLarge {
        /// Bytes allowed.
        limit: usize,
    },
    /// The component asked for more memory than the limit and could not go on.
    OutOfMemory {
        /// Bytes allowed.
        limit: usize,
    },
    /// The call took longer than the limit.
    TimedOut {
        /// Time allowed.
        limit: Duration,
    },
    /// The component trapped, or answered what is no value of the type.
    Trapped {
        /// The runtime's reason.
        reason: String,
    },
    /// All instances were in use for as long as a call may wait.
    NoFreeInstance {
        /// Instances allowed.
        limit: u32,
        /// Time waited.
        waited: Duration,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::InputTooLarge { len, limit } => {
                write!(f, "the input has {len} bytes, more than the limit of {limit}")
            }
            CallError::OutputTooLarge { limit } => {
                write!(f, "the answer has more than the limit of {limit} bytes")
            }
            CallError::OutOfMemory { limit } => {
                write!(f, "the component met the memory limit of {limit} bytes")
            }
            CallError::TimedOut { limit } => {
                write!(f, "the call took longer than the limit of {limit:?}")
            }
            CallError::Trapped { reason } => write!(f, "the component trapped: {reason}"),
            CallError::NoFreeInstance { limit, waited } => {
                write!(f, "all {limit} instances were in use for {waited:?}")
            }
        }
    }
}

impl std::error::Error for CallError {}
