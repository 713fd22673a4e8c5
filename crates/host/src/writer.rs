//! A block written in chunks, in an instance of its own.

use crate::component::Shared;
use crate::error::CallError;
use crate::pool::Lease;
use crate::types::WriterError;
use std::fmt;
use std::sync::Arc;
use wasmtime::component::ResourceAny;

/// Writes one block in chunks; the answers, joined in order, are what
/// [`Fence::wrap`](crate::Fence::wrap) gives for the joined chunks.
///
/// It holds an instance from [`Fence::writer`](crate::Fence::writer) until it is
/// dropped. After a [`CallError`] that instance is gone, and every further call
/// is an error too: a block cannot be resumed.
pub struct Writer {
    handle: ResourceAny,
    lease: Lease,
    shared: Arc<Shared>,
}

impl Writer {
    pub(crate) fn start(shared: Arc<Shared>, source: &str) -> Result<Self, CallError> {
        shared.admit(source.len())?;
        let mut lease = Lease::take(&shared)?;
        let handle = lease.call(|exports, store| {
            exports.murmur_fence_fence().writer().call_constructor(store, source)
        })?;
        Ok(Writer { handle, lease, shared })
    }

    /// Takes the next chunk; answers the bytes that are certain by now.
    pub fn write(&mut self, chunk: &str) -> Result<Result<String, WriterError>, CallError> {
        self.shared.admit(chunk.len())?;
        let handle = self.handle;
        self.lease.call(|exports, store| {
            exports.murmur_fence_fence().writer().call_write(store, handle, chunk)
        })
    }

    /// Closes the block; answers what was held back, the separator and the
    /// closing marker.
    pub fn finish(&mut self) -> Result<Result<String, WriterError>, CallError> {
        let handle = self.handle;
        self.lease
            .call(|exports, store| exports.murmur_fence_fence().writer().call_finish(store, handle))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let handle = self.handle;
        // A destructor that traps leaves the instance unusable, which the lease
        // sees; there is no one else to tell.
        let _ = self.lease.call(|_, store| handle.resource_drop(store));
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}
