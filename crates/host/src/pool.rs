//! The instances of a component: at most so many alive, idle ones reused.

use crate::component::Shared;
use crate::error::CallError;
use crate::instance::Instance;
use crate::interfaces::Interfaces;
use crate::limits::Limits;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wasmtime_wasi::filesystem::WasiFilesystemCtx;

/// An instance that serves the fence.
pub(crate) type FenceInstance = Instance<Interfaces>;

pub(crate) struct Pool {
    places: Mutex<Places>,
    freed: Condvar,
    limit: u32,
    wait: Duration,
}

struct Places {
    /// Instances alive, idle ones included.
    taken: u32,
    /// Last used on top: its memory is the likeliest to be in the cache.
    #[expect(clippy::vec_box, reason = "they go in and out with every call: a pointer moves")]
    idle: Vec<Box<FenceInstance>>,
    /// Calls that wait. To wake when there is none would still be a system call.
    waiting: u32,
}

impl Pool {
    pub(crate) fn new(limits: &Limits) -> Self {
        Pool {
            places: Mutex::new(Places { taken: 0, idle: Vec::new(), waiting: 0 }),
            freed: Condvar::new(),
            limit: limits.max_instances(),
            wait: limits.max_wait(),
        }
    }

    /// Every state that the lock guards is whole between statements, so a
    /// thread that panicked while it held the lock leaves nothing to repair.
    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `take` finds what it wants.
    fn obtain<T>(&self, mut take: impl FnMut(&mut Places) -> Option<T>) -> Result<T, CallError> {
        let mut places = self.places();
        if let Some(taken) = take(&mut places) {
            return Ok(taken);
        }
        let start = Instant::now();
        places.waiting += 1;
        let found = loop {
            let waited = start.elapsed();
            let Some(left) = self.wait.checked_sub(waited).filter(|left| !left.is_zero()) else {
                break Err(CallError::NoFreeInstance { limit: self.limit, waited });
            };
            places =
                self.freed.wait_timeout(places, left).unwrap_or_else(PoisonError::into_inner).0;
            if let Some(taken) = take(&mut places) {
                break Ok(taken);
            }
        };
        places.waiting -= 1;
        found
    }

    /// Gives a place or an instance back, and wakes a call that waits for one.
    fn give_back(&self, give: impl FnOnce(&mut Places)) {
        let mut places = self.places();
        give(&mut places);
        let waiting = places.waiting > 0;
        drop(places);
        if waiting {
            self.freed.notify_one();
        }
    }

    fn take_place(&self, places: &mut Places) -> bool {
        let free = places.taken < self.limit;
        places.taken += u32::from(free);
        free
    }
}

/// The right to have one instance alive; dropping it gives the place back.
pub(crate) struct Place {
    /// None once an idle instance holds the place.
    shared: Option<Arc<Shared>>,
}

impl Place {
    /// Takes a place for an instance of the caller's own making, if need be
    /// that of an idle instance.
    pub(crate) fn take(shared: &Arc<Shared>) -> Result<Self, CallError> {
        let pool = &shared.pool;
        let evicted = pool.obtain(|places| {
            if pool.take_place(places) { Some(None) } else { places.idle.pop().map(Some) }
        })?;
        let place = Place { shared: Some(Arc::clone(shared)) };
        drop(evicted);
        Ok(place)
    }

    /// Hands the place to an instance that waits for the next call.
    fn park(mut self, instance: Box<FenceInstance>) {
        if let Some(shared) = self.shared.take() {
            shared.pool.give_back(|places| places.idle.push(instance));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            shared.pool.give_back(|places| places.taken -= 1);
        }
    }
}

/// An instance on loan from the pool, for one call or for a writer.
pub(crate) struct Lease {
    /// None only while the lease is being dropped.
    held: Option<(Box<FenceInstance>, Place)>,
    shared: Arc<Shared>,
}

impl Lease {
    /// Takes an idle instance, or starts one.
    pub(crate) fn take(shared: &Arc<Shared>) -> Result<Self, CallError> {
        let pool = &shared.pool;
        let idle = pool.obtain(|places| match places.idle.pop() {
            Some(instance) => Some(Some(instance)),
            None => pool.take_place(places).then_some(None),
        })?;
        let place = Place { shared: Some(Arc::clone(shared)) };
        let instance = match idle {
            Some(instance) => instance,
            None => {
                let start = |store: &mut _| shared.start(store);
                Box::new(Instance::start(shared, WasiFilesystemCtx::default(), start)?)
            }
        };
        Ok(Lease { held: Some((instance, place)), shared: Arc::clone(shared) })
    }

    /// Calls an export of the instance.
    pub(crate) fn call<T>(
        &mut self,
        call: impl FnOnce(
            &Interfaces,
            &mut wasmtime::Store<crate::instance::State>,
        ) -> wasmtime::Result<T>,
    ) -> Result<T, CallError> {
        match &mut self.held {
            Some((instance, _)) => instance.call(&self.shared, call),
            None => Err(CallError::Trapped { reason: "the instance is gone".into() }),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some((instance, place)) = self.held.take() {
            let small = instance.memory_bytes() <= self.shared.limits.max_keep_bytes();
            if small && instance.usable() {
                place.park(instance);
            } else {
                // Before its place: the allocator has room for as many
                // instances as there are places.
                drop(instance);
                drop(place);
            }
        }
    }
}
