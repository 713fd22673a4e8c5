//! The fence of a component, function by function.

use crate::component::Shared;
use crate::error::CallError;
use crate::pool::Lease;
use crate::types::{Block, InspectError, Item, Mode, Piece, Segment, ServedMessage, Verdict};
use crate::writer::Writer;
use std::fmt;
use std::sync::Arc;

/// What the component's memory holds for a string of a list: its address and
/// its length.
const STRING_BYTES: usize = 8;

/// The functions of `murmur:fence/fence` and `murmur:fence/inspect`.
///
/// Each call runs in an instance of its own, taken from the pool; clones share
/// the pool. What the functions mean is documented in the contract and in the
/// crate `murmur-fence`. Every offset is in bytes of the text handed in. Every
/// method may return any [`CallError`].
#[derive(Clone)]
pub struct Fence {
    shared: Arc<Shared>,
}

/// Calls one export of an interface in a pooled instance.
macro_rules! call {
    ($self:ident, $len:expr, $interface:ident.$function:ident($($argument:expr),*)) => {{
        let len: usize = $len;
        $self.shared.admit(len)?;
        Lease::take(&$self.shared)?.call(|exports, store| {
            exports.$interface().$function(store $(, $argument)*)
        })
    }};
}

impl Fence {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Fence { shared }
    }

    /// Puts `content` into a block under `source`.
    pub fn wrap(&self, source: &str, content: &str) -> Result<String, CallError> {
        call!(self, source.len() + content.len(), murmur_fence_fence.call_wrap(source, content))
    }

    /// [`wrap`](Self::wrap) for each item, in one call.
    pub fn wrap_all(&self, items: &[Item<'_>]) -> Result<Vec<String>, CallError> {
        let len = items
            .iter()
            .map(|item| 2 * STRING_BYTES + item.source.len() + item.content.len())
            .sum();
        call!(self, len, murmur_fence_fence.call_wrap_all(items))
    }

    /// The content with every live marker neutralised; none when it stands as
    /// it is.
    pub fn neutralise(&self, content: &str) -> Result<Option<String>, CallError> {
        call!(self, content.len(), murmur_fence_fence.call_neutralise(content))
    }

    /// [`neutralise`](Self::neutralise) for each text, in one call.
    pub fn neutralise_all(&self, contents: &[&str]) -> Result<Vec<Option<String>>, CallError> {
        call!(self, list_len(contents), murmur_fence_fence.call_neutralise_all(contents))
    }

    /// The opening marker for a source.
    pub fn open_marker(&self, source: &str) -> Result<String, CallError> {
        call!(self, source.len(), murmur_fence_fence.call_open_marker(source))
    }

    /// The closing marker.
    pub fn close_marker(&self) -> Result<String, CallError> {
        call!(self, 0, murmur_fence_fence.call_close_marker())
    }

    /// The text and the blocks of a message, as they stand.
    pub fn segments(&self, message: &str) -> Result<Vec<Segment>, CallError> {
        call!(self, message.len(), murmur_fence_fence.call_segments(message))
    }

    /// The block from the first opening marker to the final closing marker.
    pub fn outer_block(&self, message: &str) -> Result<Option<Block>, CallError> {
        call!(self, message.len(), murmur_fence_fence.call_outer_block(message))
    }

    /// What the markers of a message show.
    pub fn verify(&self, message: &str, mode: Mode) -> Result<Verdict, CallError> {
        call!(self, message.len(), murmur_fence_fence.call_verify(message, mode))
    }

    /// [`verify`](Self::verify) for each message, in one call.
    pub fn verify_all(&self, messages: &[&str], mode: Mode) -> Result<Vec<Verdict>, CallError> {
        call!(self, list_len(messages), murmur_fence_fence.call_verify_all(messages, mode))
    }

    /// The body with every infix removed that neutralising puts in.
    pub fn restore(&self, body: &str) -> Result<String, CallError> {
        call!(self, body.len(), murmur_fence_fence.call_restore(body))
    }

    /// Starts a block that is written in chunks, in an instance that the writer
    /// keeps until it is dropped.
    pub fn writer(&self, source: &str) -> Result<Writer, CallError> {
        Writer::start(Arc::clone(&self.shared), source)
    }

    /// Every text piece of a message as a page serves it.
    pub fn inspect(
        &self,
        message: &ServedMessage<'_>,
    ) -> Result<Result<Vec<Piece>, InspectError>, CallError> {
        call!(self, message_len(message), murmur_fence_inspect.call_inspect(message.clone()))
    }

    /// [`inspect`](Self::inspect) for each message, in one call.
    #[allow(clippy::type_complexity)]
    pub fn inspect_all(
        &self,
        messages: &[ServedMessage<'_>],
    ) -> Result<Vec<Result<Vec<Piece>, InspectError>>, CallError> {
        let len = messages.iter().map(|message| 2 * STRING_BYTES + message_len(message)).sum();
        call!(self, len, murmur_fence_inspect.call_inspect_all(messages))
    }
}

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fence").finish_non_exhaustive()
    }
}

impl Shared {
    /// Refuses an input that is longer than the limit.
    pub(crate) fn admit(&self, len: usize) -> Result<(), CallError> {
        let limit = self.limits.max_input_bytes();
        if len > limit { Err(CallError::InputTooLarge { len, limit }) } else { Ok(()) }
    }
}

fn list_len(texts: &[&str]) -> usize {
    texts.iter().map(|text| STRING_BYTES + text.len()).sum()
}

fn message_len(message: &ServedMessage<'_>) -> usize {
    message.role.len() + message.content.len()
}
