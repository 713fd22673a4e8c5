//! Why a command could not do its work: unusable input or arguments.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Ends the program with a message, or in silence where nobody reads on.
pub enum Failure {
    /// What, where, and what to do.
    Message(String),
    /// Whoever read the output has closed it.
    OutputClosed,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Failure::Message(message.into())
    }

    /// A failure to read or use `subject`.
    pub fn at(action: &str, subject: impl Display, reason: impl Display) -> Self {
        Failure::Message(format!("failed to {action} `{subject}`: {reason}"))
    }

    /// A failure to write the output.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::Message(format!("failed to write the output: {error}")),
        }
    }

    /// Says why, and gives the exit status.
    pub fn report(self) -> ExitCode {
        if let Failure::Message(message) = self {
            eprintln!("murmur-fence: {message}");
        }
        // Not 0 where nobody read to the end: that would pass for a clean report.
        ExitCode::from(2)
    }
}
