//! A resource of the component, held together with the instance that it lives in.

use crate::component::Shared;
use crate::error::CallError;
use crate::instance::State;
use crate::interfaces::Interfaces;
use crate::pool::Lease;
use std::sync::Arc;
use wasmtime::Store;
use wasmtime::component::ResourceAny;

/// Dropping it drops the resource and gives the instance back.
pub(crate) struct Handle {
    resource: ResourceAny,
    lease: Lease,
    shared: Arc<Shared>,
}

impl Handle {
    /// Makes the resource in an instance of its own; `len` counts the input.
    pub(crate) fn make<E>(
        shared: &Arc<Shared>,
        len: usize,
        make: impl FnOnce(&Interfaces, &mut Store<State>) -> wasmtime::Result<Result<ResourceAny, E>>,
    ) -> Result<Result<Self, E>, CallError> {
        shared.admit(len)?;
        let mut lease = Lease::take(shared)?;
        let made = lease.call(make)?;
        Ok(made.map(|resource| Handle { resource, lease, shared: Arc::clone(shared) }))
    }

    /// Calls an export with the resource; `len` counts the input.
    pub(crate) fn call<T>(
        &mut self,
        len: usize,
        call: impl FnOnce(&Interfaces, &mut Store<State>, ResourceAny) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        self.shared.admit(len)?;
        let resource = self.resource;
        self.lease.call(|exports, store| call(exports, store, resource))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let resource = self.resource;
        // A destructor that traps leaves the instance unusable, which the lease
        // sees; there is no one else to tell.
        let _ = self.lease.call(|_, store| resource.resource_drop(store));
    }
}
