//! A subject: whatever answers as the contract says, checked through one trait.

use murmur_fence_host::audit::{Audited, Options};
use murmur_fence_host::lanes::{
    Assembled, ChatError, Conversed, Coverage, Dialect, DialectError, FinishError, Lane, Problem,
    PushError, Receipt, ReceiptError,
};
use murmur_fence_host::nonce::{Fenced, Settings, SettingsError, TokenOccurs};
use murmur_fence_host::rules::{Imported, LabelError, ProvenanceError, Turn, Wording};
use murmur_fence_host::tags::{Attribute, FenceError, SetError};
use murmur_fence_host::{
    Block, CallError, InspectError, Item, Lookalike, MessagePage, Mode, Piece, Segment,
    ServedMessage, Verdict, WriterError,
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
    /// `fence.lookalikes`
    fn lookalikes(&self, text: &str) -> Answer<Vec<Lookalike>>;
    /// `fence.writer`
    fn writer(&self, source: &str) -> Answer<Box<dyn BlockWriter>>;
    /// `nonce.nonce.create`
    fn nonce(&self, settings: &Settings<'_>) -> Answer<Result<Box<dyn NonceFence>, SettingsError>>;
    /// `tags.tags.create`
    fn tags(&self, reserved: Option<&[&str]>) -> Answer<Result<Box<dyn TagsFence>, SetError>>;
    /// `rules.marker-rules`
    fn marker_rules(&self, label: Option<&str>) -> Answer<Result<Wording, LabelError>>;
    /// `rules.provenance`
    fn provenance(&self, modules: &[&str]) -> Answer<Result<String, ProvenanceError>>;
    /// `rules.history`
    fn history(&self, turns: &[Turn<'_>]) -> Answer<Imported>;
    /// `lanes.registry.parse`
    fn registry(&self, text: &str) -> Answer<Result<Box<dyn Lanes>, Vec<Problem>>>;
    /// `lanes.registry.parse-lenient`
    fn registry_lenient(&self, text: &str) -> Answer<(Box<dyn Lanes>, Vec<Problem>)>;
    /// `inspect.inspect`
    fn inspect(&self, message: &ServedMessage<'_>) -> Answer<Inspected>;
    /// `inspect.inspect-all`
    fn inspect_all(&self, messages: &[ServedMessage<'_>]) -> Answer<Vec<Inspected>>;
    /// `audit.audit-lines`
    fn audit_lines(&self, lines: &str, options: Options<'_>) -> Answer<Audited>;
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

/// What the three dialects have in common.
pub trait DialectFence {
    /// `wrap`
    fn wrap(&mut self, source: &str, content: &str) -> Answer<String>;
    /// `defang`, or `neutralise` of the marker dialect
    fn defang(&mut self, content: &str) -> Answer<Option<String>>;
    /// `restore`
    fn restore(&mut self, body: &str) -> Answer<String>;
    /// `segments`
    fn segments(&mut self, message: &str) -> Answer<Vec<Segment>>;
    /// `verify`
    fn verify(&mut self, message: &str, mode: Mode) -> Answer<Verdict>;
    /// `rules`
    fn rules(&mut self, label: Option<&str>) -> Answer<Result<Wording, LabelError>>;
}

/// The resource `nonce.nonce`.
pub trait NonceFence: DialectFence {
    /// `nonce.fence`
    fn fence(&mut self, source: &str, content: &str) -> Answer<Result<Fenced, TokenOccurs>>;
}

/// The resource `tags.tags`.
pub trait TagsFence: DialectFence {
    /// `tags.fence`
    fn fence(
        &mut self,
        tag: &str,
        body: &str,
        attributes: &[Attribute<'_>],
    ) -> Answer<Result<String, FenceError>>;
    /// `tags.tool-result`
    fn tool_result(&mut self, tool: &str, body: &str) -> Answer<Result<String, FenceError>>;
}

/// The marker dialect of a subject, which is functions and no resource.
pub struct Marker<'s>(pub &'s dyn Subject);

impl DialectFence for Marker<'_> {
    fn wrap(&mut self, source: &str, content: &str) -> Answer<String> {
        self.0.wrap(source, content)
    }

    fn defang(&mut self, content: &str) -> Answer<Option<String>> {
        self.0.neutralise(content)
    }

    fn restore(&mut self, body: &str) -> Answer<String> {
        self.0.restore(body)
    }

    fn segments(&mut self, message: &str) -> Answer<Vec<Segment>> {
        self.0.segments(message)
    }

    fn verify(&mut self, message: &str, mode: Mode) -> Answer<Verdict> {
        self.0.verify(message, mode)
    }

    fn rules(&mut self, label: Option<&str>) -> Answer<Result<Wording, LabelError>> {
        self.0.marker_rules(label)
    }
}

impl std::fmt::Debug for Marker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Marker").finish_non_exhaustive()
    }
}

/// A prompt put together from a list of pushes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What each push answered.
    pub pushed: Vec<Result<Receipt, PushError>>,
    /// What the end answered.
    pub finished: Result<Assembled, FinishError>,
}

/// One step towards a list of chat messages.
#[derive(Clone, Copy, Debug)]
pub enum Say<'s> {
    /// `chat.message` of a role.
    Message(&'s str),
    /// `chat.push` of a lane and a text.
    Text(&'s str, &'s str),
    /// `chat.push-json` of a lane and a value as JSON text.
    Json(&'s str, &'s str),
}

/// A list of chat messages put together from steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Talk {
    /// What each push answered.
    pub pushed: Vec<Result<Receipt, ChatError>>,
    /// What the end answered.
    pub finished: Result<Conversed, FinishError>,
}

/// The resource `lanes.registry`.
pub trait Lanes {
    /// `registry.lanes`
    fn lanes(&mut self) -> Answer<Vec<Lane>>;
    /// `assembler`, from its constructor over each lane and text to `finish`
    fn assemble(
        &mut self,
        dialect: Dialect<'_>,
        pushes: &[(&str, &str)],
    ) -> Answer<Result<Prompt, DialectError>>;
    /// `chat`, from its constructor over each step to `finish`
    fn converse(
        &mut self,
        dialect: Dialect<'_>,
        steps: &[Say<'_>],
    ) -> Answer<Result<Talk, DialectError>>;
    /// `messages-coverage`
    fn messages_coverage(
        &mut self,
        dialect: Dialect<'_>,
        messages: &str,
    ) -> Answer<Result<Result<Coverage, String>, DialectError>>;
    /// `prompt-coverage`
    fn prompt_coverage(
        &mut self,
        dialect: Dialect<'_>,
        prompt: &str,
    ) -> Answer<Result<Coverage, DialectError>>;
    /// `receipt-coverage`
    fn receipt_coverage(&mut self, receipts: &str) -> Answer<Result<Coverage, ReceiptError>>;
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
