//! One instance of a component, with its store, its limits and its state.

use crate::component::Shared;
use crate::error::CallError;
use wasmtime::component::ResourceTable;
use wasmtime::{ResourceLimiter, Store, Trap};
use wasmtime_wasi::filesystem::{WasiFilesystemCtx, WasiFilesystemCtxView};

/// What the host keeps for one instance.
pub(crate) struct State {
    filesystem: WasiFilesystemCtx,
    table: ResourceTable,
    meter: Meter,
}

impl State {
    pub(crate) fn filesystem(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView { ctx: &mut self.filesystem, table: &mut self.table }
    }

    pub(crate) fn table(&mut self) -> &mut ResourceTable {
        &mut self.table
    }
}

/// Counts the linear memory of an instance and remembers a refusal, by which a
/// trap for want of memory is told from any other.
struct Meter {
    limit: usize,
    used: usize,
    /// What the latest growth added, to be taken back if it fails after all.
    added: usize,
    refused: bool,
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let added = desired.saturating_sub(current);
        if added > self.limit.saturating_sub(self.used) {
            self.refused = true;
            return Ok(false);
        }
        self.used += added;
        self.added = added;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        // Granted here and then not to be had: the module's own maximum, or the
        // system. To the caller it is the same want of memory.
        self.used -= self.added;
        self.refused = true;
        Ok(())
    }

    fn table_growing(
        &mut self,
        _current: usize,
        _desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The pool gives every table a maximum.
        Ok(maximum.is_some())
    }
}

/// An instance with the exports `E`.
pub(crate) struct Instance<E> {
    store: Store<State>,
    exports: E,
    usable: bool,
}

impl<E> Instance<E> {
    /// Instantiates, with the directories that `filesystem` opens.
    pub(crate) fn start(
        shared: &Shared,
        filesystem: WasiFilesystemCtx,
        instantiate: impl FnOnce(&mut Store<State>) -> wasmtime::Result<E>,
    ) -> Result<Self, CallError> {
        let limit = shared.limits.max_memory_bytes();
        let meter = Meter { limit, used: 0, added: 0, refused: false };
        let state = State { filesystem, table: ResourceTable::new(), meter };
        let mut store = Store::new(&shared.engine, state);
        store.limiter(|state| &mut state.meter);
        store.set_hostcall_fuel(shared.limits.max_output_bytes());
        store.set_epoch_deadline(shared.ticker.call_ticks());
        match instantiate(&mut store) {
            Ok(exports) => Ok(Instance { store, exports, usable: true }),
            Err(error) => Err(ending(&error, &store, shared)),
        }
    }

    /// Calls an export within the limits. After an error the instance is no
    /// longer usable.
    pub(crate) fn call<T>(
        &mut self,
        shared: &Shared,
        call: impl FnOnce(&E, &mut Store<State>) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        self.store.data_mut().meter.refused = false;
        self.store.set_epoch_deadline(shared.ticker.call_ticks());
        call(&self.exports, &mut self.store).map_err(|error| {
            self.usable = false;
            ending(&error, &self.store, shared)
        })
    }

    /// Ends the instance and keeps what instantiating gave.
    pub(crate) fn into_exports(self) -> E {
        self.exports
    }

    /// Whether another call may be made.
    pub(crate) fn usable(&self) -> bool {
        self.usable
    }

    /// Bytes of linear memory that it has.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.store.data().meter.used
    }
}

/// What a runtime error says of how the call ended.
fn ending(error: &wasmtime::Error, store: &Store<State>, shared: &Shared) -> CallError {
    let limits = &shared.limits;
    if error.downcast_ref::<Trap>() == Some(&Trap::Interrupt) {
        return CallError::TimedOut { limit: limits.max_call_time() };
    }
    if store.data().meter.refused {
        return CallError::OutOfMemory { limit: limits.max_memory_bytes() };
    }
    let reason = error.root_cause().to_string();
    // The runtime has no public type for this one.
    if reason.contains("fuel allocated for hostcalls has been exhausted") {
        return CallError::OutputTooLarge { limit: limits.max_output_bytes() };
    }
    CallError::Trapped { reason }
}
