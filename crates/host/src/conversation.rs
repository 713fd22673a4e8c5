//! A conversation record, read through the component.

use crate::bindings::reader::Reader;
use crate::component::{Shared, World};
use crate::error::{CallError, LoadError};
use crate::exports;
use crate::instance::Instance;
use crate::pool::Place;
use crate::types::MessagePage;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use wasmtime_wasi::filesystem::WasiFilesystemCtx;
use wasmtime_wasi::{FsPerms, WasiCtx};

/// The record `conversation.jsonl` in one directory, or none.
///
/// Keeps one instance, so that the component's index of the record is extended
/// as the record grows and not made anew for each page. Calls from several
/// threads take turns. The directory is held open: it stays the same one when
/// it is renamed.
pub struct Conversation {
    shared: Arc<Shared>,
    filesystem: WasiFilesystemCtx,
    instance: Mutex<Option<(Instance<Reader>, Place)>>,
}

impl Conversation {
    pub(crate) fn open(shared: Arc<Shared>, directory: Option<&Path>) -> Result<Self, LoadError> {
        if shared.world != World::Conversation {
            return Err(LoadError::MissingExports { names: vec![exports::READ.0.to_string()] });
        }
        let mut wasi = WasiCtx::builder();
        // The call blocks its thread in any case; without this every read would
        // also wait for a thread of the runtime's own.
        wasi.allow_blocking_current_thread(true);
        if let Some(path) = directory {
            wasi.preopened_dir(path, ".", FsPerms::ReadOnly).map_err(|error| {
                let reason = format!("{error:#}");
                LoadError::Directory { path: path.to_path_buf(), reason }
            })?;
        }
        let filesystem = wasi.build().filesystem().clone();
        Ok(Conversation { shared, filesystem, instance: Mutex::new(None) })
    }

    /// Reads the page that ends before `cursor`; without one, the newest. The
    /// component clamps `limit` to 1 up to 100.
    ///
    /// The inner error is the component's own: `not-granted`, `invalid-cursor`
    /// or `unavailable: ` and the reason.
    ///
    /// # Errors
    ///
    /// Any [`CallError`]. The next call starts a new instance then, which
    /// indexes the record anew.
    ///
    /// # Panics
    ///
    /// On a thread that runs asynchronous tasks of a tokio runtime, as every
    /// call that blocks does there; use its `spawn_blocking`.
    pub fn read_messages(
        &self,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<Result<MessagePage, String>, CallError> {
        self.shared.admit(cursor.map_or(0, str::len))?;
        let mut held = self.instance.lock().unwrap_or_else(PoisonError::into_inner);
        let (instance, _) = match &mut *held {
            Some(held) => held,
            empty => empty.insert(self.start()?),
        };
        let page = instance.call(&self.shared, |exports, store| {
            exports.murmur_conversation_read().call_read_messages(store, cursor, limit)
        });
        if !instance.usable() {
            *held = None;
        }
        page
    }

    fn start(&self) -> Result<(Instance<Reader>, Place), CallError> {
        let Some(reader) = &self.shared.reader else {
            return Err(CallError::Trapped { reason: "the component has no reader".into() });
        };
        let place = Place::take(&self.shared)?;
        let filesystem = self.filesystem.clone();
        let instance =
            Instance::start(&self.shared, filesystem, |store| reader.instantiate(store))?;
        Ok((instance, place))
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").finish_non_exhaustive()
    }
}
