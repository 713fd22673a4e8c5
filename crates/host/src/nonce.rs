//! The nonce dialect of a component: the markers of one request, in an instance of
//! their own.
//!
//! The documentation of the types is the WIT's.

use crate::component::Shared;
use crate::error::CallError;
use crate::handle::Handle;
use crate::rules::{LabelError, Wording};
use crate::types::{Mode, Segment, Verdict};
use std::fmt;
use std::sync::Arc;

pub use crate::bindings::fence::exports::murmur::fence::nonce::{
    Fenced, Receipt, Settings, SettingsError, Style, TokenOccurs,
};

/// The markers of one request.
///
/// It holds an instance from [`Fence::nonce`](crate::Fence::nonce) until it is
/// dropped. Every method may return any [`CallError`]; after one but
/// [`CallError::InputTooLarge`] the instance is gone and every further call is an
/// error too.
pub struct Nonce {
    handle: Handle,
}

/// Calls one method of the resource.
macro_rules! call {
    ($self:ident, $len:expr, $function:ident($($argument:expr),*)) => {
        $self.handle.call($len, |exports, store, nonce| {
            exports.nonce(store)?.nonce().$function(store, nonce $(, $argument)*)
        })
    };
}

impl Nonce {
    pub(crate) fn make(
        shared: &Arc<Shared>,
        settings: &Settings<'_>,
    ) -> Result<Result<Self, SettingsError>, CallError> {
        let made = Handle::make(shared, settings_len(settings), |exports, store| {
            exports.nonce(store)?.nonce().call_create(store, settings.clone())
        })?;
        Ok(made.map(|handle| Nonce { handle }))
    }

    /// Puts `content` into a block as it is, and says what to log of it. Refuses
    /// where the token occurs in it: draw another token then.
    pub fn fence(
        &mut self,
        source: &str,
        content: &str,
    ) -> Result<Result<Fenced, TokenOccurs>, CallError> {
        call!(self, source.len() + content.len(), call_fence(source, content))
    }

    /// Puts `content` into a block, defanged.
    pub fn wrap(&mut self, source: &str, content: &str) -> Result<String, CallError> {
        call!(self, source.len() + content.len(), call_wrap(source, content))
    }

    /// The content with every copy of the token made inert; none when it stands as
    /// it is.
    pub fn defang(&mut self, content: &str) -> Result<Option<String>, CallError> {
        call!(self, content.len(), call_defang(content))
    }

    /// The body with every insertion of [`defang`](Self::defang) taken out.
    pub fn restore(&mut self, body: &str) -> Result<String, CallError> {
        call!(self, body.len(), call_restore(body))
    }

    /// The text and the blocks of a message, as they stand.
    pub fn segments(&mut self, message: &str) -> Result<Vec<Segment>, CallError> {
        call!(self, message.len(), call_segments(message))
    }

    /// What the markers of a message show.
    pub fn verify(&mut self, message: &str, mode: Mode) -> Result<Verdict, CallError> {
        call!(self, message.len(), call_verify(message, mode))
    }

    /// The rule that the model is told.
    pub fn rules(&mut self, label: Option<&str>) -> Result<Result<Wording, LabelError>, CallError> {
        call!(self, label.map_or(0, str::len), call_rules(label))
    }
}

/// The bytes of settings.
pub(crate) fn settings_len(settings: &Settings<'_>) -> usize {
    settings.token.len() + settings.name.map_or(0, str::len)
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nonce").finish_non_exhaustive()
    }
}
