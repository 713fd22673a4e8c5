//! The contract's types, in Rust.
//!
//! Their documentation is the WIT's. Offsets are in bytes.

pub use crate::bindings::fence::exports::murmur::fence::fence::{
    Block, Disguises, Flaw, FlawKind, Item, Lookalike, Mode, Outline, ReadsAs, Segment, Span,
    Verdict, WriterError,
};
pub use crate::bindings::fence::exports::murmur::fence::inspect::{
    InspectError, JsonFault, Piece, PieceBlock, PieceFlaw, PieceOutline, Position, ServedMessage,
    Standing,
};
pub use crate::bindings::reader::exports::murmur::conversation::read::MessagePage;
pub use crate::bindings::reader::murmur::hook::lifecycle::{ContextInsertion, Message};
