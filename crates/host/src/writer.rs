//! A block written in chunks, in an instance of its own.

use crate::component::Shared;
use crate::error::CallError;
use crate::handle::Handle;
use crate::types::WriterError;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

/// Writes one block in chunks; the answers, joined in order, are what
/// [`Fence::wrap`](crate::Fence::wrap) gives for the joined chunks.
///
/// It holds an instance from [`Fence::writer`](crate::Fence::writer) until it is
/// dropped. After a [`CallError`] that instance is gone, and every further call
/// is an error too: a block cannot be resumed.
pub struct Writer {
    handle: Handle,
}

impl Writer {
    pub(crate) fn start(shared: Arc<Shared>, source: &str) -> Result<Self, CallError> {
        let made = Handle::make(&shared, source.len(), |exports, store| {
            let writer = exports.fence(store)?.writer();
            Ok(Ok::<_, Infallible>(writer.call_constructor(store, source)?))
        })?;
        match made {
            Ok(handle) => Ok(Writer { handle }),
            Err(never) => match never {},
        }
    }

    /// Takes the next chunk; answers the bytes that are certain by now.
    pub fn write(&mut self, chunk: &str) -> Result<Result<String, WriterError>, CallError> {
        self.handle.call(chunk.len(), |exports, store, writer| {
            exports.fence(store)?.writer().call_write(store, writer, chunk)
        })
    }

    /// Closes the block; answers what was held back, the separator and the
    /// closing marker.
    pub fn finish(&mut self) -> Result<Result<String, WriterError>, CallError> {
        self.handle.call(0, |exports, store, writer| {
            exports.fence(store)?.writer().call_finish(store, writer)
        })
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
