//! The fence of a component, function by function.

use crate::audit::{Audited, Options};
use crate::component::Shared;
use crate::error::CallError;
use crate::lanes::{Coverage, NewLane, Problem, ReceiptError, RefusedLane, Registry};
use crate::nonce::{Nonce, Settings, SettingsError};
use crate::pool::Lease;
use crate::rules::{Imported, LabelError, ProvenanceError, Turn, Wording};
use crate::tags::{SetError, Tags};
use crate::types::{
    Block, InspectError, Item, Lookalike, Mode, Piece, Segment, ServedMessage, Verdict,
};
use crate::writer::Writer;
use std::fmt;
use std::sync::Arc;

/// What the component's memory holds for a string of a list: its address and
/// its length.
pub(crate) const STRING_BYTES: usize = 8;

/// The functions of `murmur:fence`.
///
/// Each call runs in an instance of its own, taken from the pool; clones share
/// the pool. What is made here to be called several times, a [`Writer`], a
/// [`Nonce`], [`Tags`] or a [`Registry`], keeps one until it is dropped. What the functions mean is documented in the contract and in the
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
            exports.$interface(store)?.$function(store $(, $argument)*)
        })
    }};
}

impl Fence {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Fence { shared }
    }

    /// Puts `content` into a block under `source`.
    pub fn wrap(&self, source: &str, content: &str) -> Result<String, CallError> {
        call!(self, source.len() + content.len(), fence.call_wrap(source, content))
    }

    /// [`wrap`](Self::wrap) for each item, in one call.
    pub fn wrap_all(&self, items: &[Item<'_>]) -> Result<Vec<String>, CallError> {
        let len = items
            .iter()
            .map(|item| 2 * STRING_BYTES + item.source.len() + item.content.len())
            .sum();
        call!(self, len, fence.call_wrap_all(items))
    }

    /// The content with every live marker neutralised; none when it stands as
    /// it is.
    pub fn neutralise(&self, content: &str) -> Result<Option<String>, CallError> {
        call!(self, content.len(), fence.call_neutralise(content))
    }

    /// [`neutralise`](Self::neutralise) for each text, in one call.
    pub fn neutralise_all(&self, contents: &[&str]) -> Result<Vec<Option<String>>, CallError> {
        call!(self, list_len(contents), fence.call_neutralise_all(contents))
    }

    /// The opening marker for a source.
    pub fn open_marker(&self, source: &str) -> Result<String, CallError> {
        call!(self, source.len(), fence.call_open_marker(source))
    }

    /// The closing marker.
    pub fn close_marker(&self) -> Result<String, CallError> {
        call!(self, 0, fence.call_close_marker())
    }

    /// The text and the blocks of a message, as they stand.
    pub fn segments(&self, message: &str) -> Result<Vec<Segment>, CallError> {
        call!(self, message.len(), fence.call_segments(message))
    }

    /// The block from the first opening marker to the final closing marker.
    pub fn outer_block(&self, message: &str) -> Result<Option<Block>, CallError> {
        call!(self, message.len(), fence.call_outer_block(message))
    }

    /// What the markers of a message show.
    pub fn verify(&self, message: &str, mode: Mode) -> Result<Verdict, CallError> {
        call!(self, message.len(), fence.call_verify(message, mode))
    }

    /// [`verify`](Self::verify) for each message, in one call.
    pub fn verify_all(&self, messages: &[&str], mode: Mode) -> Result<Vec<Verdict>, CallError> {
        call!(self, list_len(messages), fence.call_verify_all(messages, mode))
    }

    /// The body with every infix removed that neutralising puts in.
    pub fn restore(&self, body: &str) -> Result<String, CallError> {
        call!(self, body.len(), fence.call_restore(body))
    }

    /// The look-alikes of a text: spellings that a model may read as a marker
    /// though they are none. Advisory.
    pub fn lookalikes(&self, text: &str) -> Result<Vec<Lookalike>, CallError> {
        call!(self, text.len(), fence.call_lookalikes(text))
    }

    /// Starts a block that is written in chunks, in an instance that the writer
    /// keeps until it is dropped.
    pub fn writer(&self, source: &str) -> Result<Writer, CallError> {
        Writer::start(Arc::clone(&self.shared), source)
    }

    /// The markers of one request, in an instance that they keep until they are
    /// dropped.
    pub fn nonce(
        &self,
        settings: &Settings<'_>,
    ) -> Result<Result<Nonce, SettingsError>, CallError> {
        Nonce::make(&self.shared, settings)
    }

    /// A set of reserved tags, or the default one, in an instance that it keeps
    /// until it is dropped.
    pub fn tags(&self, reserved: Option<&[&str]>) -> Result<Result<Tags, SetError>, CallError> {
        Tags::make(&self.shared, reserved)
    }

    /// The rule for the marker dialect, under a label or the default one.
    pub fn marker_rules(
        &self,
        label: Option<&str>,
    ) -> Result<Result<Wording, LabelError>, CallError> {
        call!(self, label.map_or(0, str::len), rules.call_marker_rules(label))
    }

    /// The paragraph of a tool server: which of its modules return text of others.
    pub fn provenance(
        &self,
        modules: &[&str],
    ) -> Result<Result<String, ProvenanceError>, CallError> {
        call!(self, list_len(modules), rules.call_provenance(modules))
    }

    /// The turns of an import, with every planted one made a note.
    pub fn history(&self, turns: &[Turn<'_>]) -> Result<Imported, CallError> {
        let turn_len = |turn: &Turn<'_>| 2 * STRING_BYTES + turn.role.len() + turn.text.len();
        call!(self, turns.iter().map(turn_len).sum(), rules.call_history(turns))
    }

    /// Reads the text of `lanes.toml`, in an instance that the registry keeps until
    /// it is dropped.
    pub fn registry(&self, text: &str) -> Result<Result<Registry, Vec<Problem>>, CallError> {
        Registry::parse(&self.shared, text)
    }

    /// Reads what can be read of the text of `lanes.toml`; what is in doubt is
    /// untrusted.
    pub fn registry_lenient(&self, text: &str) -> Result<(Registry, Vec<Problem>), CallError> {
        Registry::parse_lenient(&self.shared, text)
    }

    /// A registry of these lanes.
    pub fn registry_of(
        &self,
        lanes: &[NewLane<'_>],
    ) -> Result<Result<Registry, RefusedLane>, CallError> {
        Registry::create(&self.shared, lanes)
    }

    /// The coverage that receipts show by themselves, one JSON object a line.
    pub fn receipt_coverage(
        &self,
        receipts: &str,
    ) -> Result<Result<Coverage, ReceiptError>, CallError> {
        call!(self, receipts.len(), lanes.call_receipt_coverage(None, receipts))
    }

    /// Every text piece of a message as a page serves it.
    pub fn inspect(
        &self,
        message: &ServedMessage<'_>,
    ) -> Result<Result<Vec<Piece>, InspectError>, CallError> {
        call!(self, message_len(message), inspect.call_inspect(message.clone()))
    }

    /// [`inspect`](Self::inspect) for each message, in one call.
    #[allow(clippy::type_complexity)]
    pub fn inspect_all(
        &self,
        messages: &[ServedMessage<'_>],
    ) -> Result<Vec<Result<Vec<Piece>, InspectError>>, CallError> {
        let len = messages.iter().map(|message| 2 * STRING_BYTES + message_len(message)).sum();
        call!(self, len, inspect.call_inspect_all(messages))
    }

    /// The audit of lines of a record. What the answers say of all lines adds up to
    /// what the program says of the record.
    pub fn audit_lines(&self, lines: &str, options: Options<'_>) -> Result<Audited, CallError> {
        let len = lines.len() + size_of_val(options.not_utf8);
        call!(self, len, audit.call_audit_lines(lines, options))
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

/// The bytes of a list of texts.
pub(crate) fn list_len(texts: &[&str]) -> usize {
    texts.iter().map(|text| STRING_BYTES + text.len()).sum()
}

fn message_len(message: &ServedMessage<'_>) -> usize {
    message.role.len() + message.content.len()
}
