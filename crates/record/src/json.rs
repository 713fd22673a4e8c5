//! A JSON text read where it lies: accepted exactly as the runtime's parser
//! accepts it, then looked at without building a value.
//!
//! The runtime reads with `serde_json` into a `Value`. Acceptance, the meaning of
//! repeated keys (the last one wins) and the printed form are those of `Value`;
//! what is avoided is its memory, which for hostile text is many times the text.

use alloc::collections::TryReserveError;
use alloc::string::{String, ToString};
use core::fmt;

mod accept;
mod layout;
mod literal;
mod print;
mod scan;
#[cfg(test)]
mod tests;
mod walk;

pub use literal::{Literal, Offsets};
pub(crate) use print::Printer;
pub(crate) use scan::{Kind, Node};
pub(crate) use walk::{Pointer, Step, strings};

use layout::Layout;

/// The longest text that is read, in bytes: offsets are 32 bits wide.
pub const MAX_TEXT: usize = u32::MAX as usize;

/// A JSON text that has been accepted.
#[derive(Debug)]
pub struct Json<'a> {
    text: &'a str,
    layout: Layout,
}

impl<'a> Json<'a> {
    /// Reads `text` as one JSON value with nothing but white space around it.
    ///
    /// # Errors
    ///
    /// [`JsonError::Invalid`] on exactly the texts that
    /// `serde_json::from_str::<serde_json::Value>` refuses: nesting beyond 127
    /// levels, numbers out of the range of a double and unpaired surrogates
    /// included. [`JsonError::Size`] beyond [`MAX_TEXT`], or when there is no
    /// memory to note where the parts of the text lie.
    pub fn parse(text: &'a str) -> Result<Self, JsonError> {
        if text.len() > MAX_TEXT {
            return Err(SizeError::TooLong.into());
        }
        accept::accept(text).map_err(JsonError::Invalid)?;
        let layout = Layout::of(text)?;
        Ok(Json { text, layout })
    }

    /// The value that the text spells.
    pub(crate) fn root(&self) -> Node<'_, 'a> {
        Node::root(self.text, &self.layout)
    }
}

/// Where and why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFault {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The reason, in the parser's words.
    pub reason: String,
}

impl From<serde_json::Error> for JsonFault {
    fn from(error: serde_json::Error) -> Self {
        let position = |at: usize| u32::try_from(at.max(1)).unwrap_or(u32::MAX);
        let mut reason = error.to_string();
        // The parser appends the position to its reason; here it has fields.
        if let Some(at) = reason.rfind(" at line ") {
            reason.truncate(at);
        }
        JsonFault { line: position(error.line()), column: position(error.column()), reason }
    }
}

impl fmt::Display for JsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {}, column {}", self.reason, self.line, self.column)
    }
}

impl core::error::Error for JsonFault {}

/// Why a text cannot be read as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// It is not JSON.
    Invalid(JsonFault),
    /// It may be JSON, and is too big.
    Size(SizeError),
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonError::Invalid(fault) => fault.fmt(f),
            JsonError::Size(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for JsonError {}

impl From<SizeError> for JsonError {
    fn from(error: SizeError) -> Self {
        JsonError::Size(error)
    }
}

/// Why a text is too big.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeError {
    /// What is read or printed is longer than its limit.
    TooLong,
    /// The allocator refused. Returned, not raised: in a WebAssembly guest the
    /// alternative would be a trap that takes the whole instance with it.
    OutOfMemory,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SizeError::TooLong => "too long",
            SizeError::OutOfMemory => "out of memory",
        })
    }
}

impl core::error::Error for SizeError {}

impl From<TryReserveError> for SizeError {
    fn from(_: TryReserveError) -> Self {
        SizeError::OutOfMemory
    }
}
