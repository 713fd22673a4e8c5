//! The tags dialect of a component: a set of reserved tags, in an instance of its
//! own.
//!
//! The documentation of the types is the WIT's.

use crate::component::Shared;
use crate::error::CallError;
use crate::fence::{STRING_BYTES, list_len};
use crate::handle::Handle;
use crate::rules::{LabelError, Wording};
use crate::types::{Mode, Segment, Verdict};
use std::fmt;
use std::sync::Arc;

pub use crate::bindings::fence::exports::murmur::fence::tags::{
    Attribute, FenceError, NameError, RefusedName, SetError,
};

/// A set of reserved tags.
///
/// It holds an instance from [`Fence::tags`](crate::Fence::tags) until it is
/// dropped. Every method may return any [`CallError`]; after one but
/// [`CallError::InputTooLarge`] the instance is gone and every further call is an
/// error too.
pub struct Tags {
    handle: Handle,
}

/// Calls one method of the resource.
macro_rules! call {
    ($self:ident, $len:expr, $function:ident($($argument:expr),*)) => {
        $self.handle.call($len, |exports, store, tags| {
            exports.tags(store)?.tags().$function(store, tags $(, $argument)*)
        })
    };
}

impl Tags {
    pub(crate) fn make(
        shared: &Arc<Shared>,
        reserved: Option<&[&str]>,
    ) -> Result<Result<Self, SetError>, CallError> {
        let made = Handle::make(shared, reserved.map_or(0, list_len), |exports, store| {
            exports.tags(store)?.tags().call_create(store, reserved)
        })?;
        Ok(made.map(|handle| Tags { handle }))
    }

    /// Puts `body` into a block of a reserved tag with attributes, defanged.
    pub fn fence(
        &mut self,
        tag: &str,
        body: &str,
        attributes: &[Attribute<'_>],
    ) -> Result<Result<String, FenceError>, CallError> {
        let attribute_len = |it: &Attribute<'_>| 2 * STRING_BYTES + it.name.len() + it.value.len();
        let len = tag.len() + body.len() + attributes.iter().map(attribute_len).sum::<usize>();
        call!(self, len, call_fence(tag, body, attributes))
    }

    /// Puts a tool's result into the nested form.
    pub fn tool_result(
        &mut self,
        tool: &str,
        body: &str,
    ) -> Result<Result<String, FenceError>, CallError> {
        call!(self, tool.len() + body.len(), call_tool_result(tool, body))
    }

    /// Puts `content` into a block of the first reserved tag, defanged.
    pub fn wrap(&mut self, source: &str, content: &str) -> Result<String, CallError> {
        call!(self, source.len() + content.len(), call_wrap(source, content))
    }

    /// The content with every live tag made inert; none when it stands as it is.
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

    /// What the tags of a message show.
    pub fn verify(&mut self, message: &str, mode: Mode) -> Result<Verdict, CallError> {
        call!(self, message.len(), call_verify(message, mode))
    }

    /// The rule that the model is told.
    pub fn rules(&mut self, label: Option<&str>) -> Result<Result<Wording, LabelError>, CallError> {
        call!(self, label.map_or(0, str::len), call_rules(label))
    }
}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tags").finish_non_exhaustive()
    }
}
