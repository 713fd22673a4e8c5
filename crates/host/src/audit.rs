//! What a component says of lines of a record; called through
//! [`Fence::audit_lines`](crate::Fence::audit_lines).
//!
//! The documentation of the types is the WIT's.

pub use crate::bindings::fence::exports::murmur::fence::audit::{
    Audited, Count, Finding, NotUtf8, Options, Severity, Sums, Tally,
};
