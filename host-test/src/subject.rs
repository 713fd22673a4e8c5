//! A subject: whatever answers as the contract says, checked through one trait.

use murmur_fence_host::{
    Block, CallError, InspectError, Item, MessagePage, Mode, Piece, Segment, ServedMessage,
    Verdict, WriterError,
};
use std::path::Path;

/// What a call to a subject gives.
pub type Answer<T> = Result<T, CallError>;

/// What `inspect` answers.
pub type Inspected = Result<Vec<Piece>, InspectError>;

/// The functions of `murmur:fence`, and those of `murmur:conversation` where the
/// subject has them, in the contract's types.
pub trait Subject: Sync {
    /// `fence.wrap`
    fn wrap(&self, source: &str, content: &str) -> Answer<String>;
    /// `fence.wrap-all`
    fn wrap_all(&self, items: &[Item<'_>]) -> Answer<Vec<String>>;
    /// `fence.neutralise`
    fn neutralise(&self, content: &str) -> Answer<Option<String>>;
    /// `fence.neutralise-all`
    fn neutralise_all(&self, contents: &[&str]) -> Answer<Vec<Option<String>>>;
    /// `fence.open-marker`
    fn open_marker(&self, source: &str) -> Answer<String>;
    /// `fence.close-marker`
    fn close_marker(&self) -> Answer<String>;
    /// `fence.segments`
    fn segments(&self, message: &str) -> Answer<Vec<Segment>>;
    /// `fence.outer-block`
    fn outer_block(&self, message: &str) -> Answer<Option<Block>>;
    /// `fence.verify`
    fn verify(&self, message: &str, mode: Mode) -> Answer<Verdict>;
    /// `fence.verify-all`
    fn verify_all(&self, messages: &[&str], mode: Mode) -> Answer<Vec<Verdict>>;
    /// `fence.restore`
    fn restore(&self, body: &str) -> Answer<String>;
    /// `fence.writer`
    fn writer(&self, source: &str) -> Answer<Box<dyn BlockWriter>>;
    /// `inspect.inspect`
    fn inspect(&self, message: &ServedMessage<'_>) -> Answer<Inspected>;
    /// `inspect.inspect-all`
    fn inspect_all(&self, messages: &[ServedMessage<'_>]) -> Answer<Vec<Inspected>>;
    /// The record in a directory, or in none; for a subject that reads records.
    fn record(&self, directory: Option<&Path>) -> Option<Result<Box<dyn Record>, String>>;
}

/// The resource `fence.writer`.
pub trait BlockWriter {
    /// `writer.write`
    fn write(&mut self, chunk: &str) -> Answer<Result<String, WriterError>>;
    /// `writer.finish`
    fn finish(&mut self) -> Answer<Result<String, WriterError>>;
}

/// `murmur:conversation/read` over one directory.
pub trait Record {
    /// `read.read-messages`
    fn read_messages(
        &mut self,
        cursor: Option<&str>,
        limit: u32,
    ) -> Answer<Result<MessagePage, String>>;
}
