//! Why an endpoint cannot be used, and why it did not answer.

use std::fmt;

/// Why an endpoint cannot be used.
#[derive(Debug)]
pub enum EndpointError {
    /// The URL is no base URL.
    Url {
        /// The URL, without what may be secret.
        url: String,
        /// Why.
        reason: &'static str,
    },
    /// No model was named.
    NoModel,
    /// The key is none that a header can carry. Not shown.
    Key,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Url { url, reason } => {
                write!(f, "unusable endpoint `{url}`: {reason}")
            }
            EndpointError::NoModel => f.write_str("the model has no name"),
            EndpointError::Key => f.write_str(
                "the key in the environment is empty or has a character that no header carries, \
                 such as a space or a newline",
            ),
        }
    }
}

impl std::error::Error for EndpointError {}

/// Why a request got no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskError {
    /// No further request will fare better: a wrong key, model or URL.
    Fatal(String),
    /// This request failed, after so many attempts.
    Failed {
        /// Attempts made.
        attempts: u32,
        /// What the last one met.
        reason: String,
    },
    /// The cap on requests is reached.
    Cap,
    /// The time for the run is over.
    Deadline,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::Fatal(reason) => f.write_str(reason),
            AskError::Failed { attempts: 1, reason } => f.write_str(reason),
            AskError::Failed { attempts, reason } => {
                write!(f, "{reason} (the last of {attempts} attempts)")
            }
            AskError::Cap => f.write_str("the cap on requests is reached"),
            AskError::Deadline => f.write_str("the time for the run is over"),
        }
    }
}

impl std::error::Error for AskError {}
