//! The surfaces that carry a fence: the conversation record, its pages, and the
//! checks over them.
//!
//! - [`Reader`] serves a record page by page, newest message first, as the runtime
//!   0.8 does through `murmur:conversation/read`.
//! - [`inspect()`] reads the marks out of one served message, [`inspect_stored`]
//!   out of one line of a record.
//! - [`Checker`] goes through a record and tells what was declared fenced and what
//!   is intact.
//!
//! Without the feature `std` the crate is `no_std` and needs an allocator.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![warn(missing_debug_implementations)]

extern crate alloc;

#[cfg_attr(not(feature = "std"), expect(dead_code, reason = "what joins records with traces"))]
pub mod audit;
mod check;
mod code;
mod declared;
mod index;
mod inspect;
mod json;
mod line;
mod lines;
mod members;
mod page;
mod page_json;
mod served;
mod standing;
mod storage;
mod stream;
mod surface;
mod trace;

#[cfg(feature = "std")]
pub use check::check_record;
pub use check::{CheckedMessage, Checker, Entry, Finding, Summary, Tally};
pub use code::FindingCode;
pub use inspect::{InspectError, MAX_PIECES, MAX_POINTERS, Piece, inspect, inspect_stored};
pub use json::{Json, JsonError, JsonFault, Literal, MAX_TEXT, Offsets, SizeError};
pub use line::{Header, Insertion, Line, Message, Skipped, Truncation};
pub use lines::MAX_LINE;
pub use page::{MAX_MESSAGES, MAX_PAGE, MessagePage, ReadError, Reader};
pub use served::ServedMessage;
pub use standing::{PieceBlock, PieceOutline, Standing};
#[cfg(feature = "std")]
pub use storage::FileStorage;
pub use storage::{Stat, Storage};
pub use stream::{ArtifactFrame, FRAME_KEY, FrameLabel, Sse, SseEvent, SseItem, StreamMessage};
pub use surface::Kind;
pub use trace::{
    CallDenied, Event, EventKind, NoEvent, SkillCall, TaskStart, Text, ToolCall, TraceLine,
};
