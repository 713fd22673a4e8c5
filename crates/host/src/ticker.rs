//! The clock behind the time limit: one thread that advances the epoch.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use wasmtime::Engine;

/// Advances an engine's epoch until it is dropped.
pub(crate) struct Ticker {
    call_ticks: u64,
    // Dropping the sender ends the thread at once, without waiting for a tick.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts the thread, with ticks fine enough to measure `call_time`.
    pub(crate) fn start(engine: &Engine, call_time: Duration) -> std::io::Result<Self> {
        let tick = (call_time / 16).clamp(Duration::from_millis(1), Duration::from_millis(100));
        let (stop, stopped) = mpsc::channel();
        let engine = engine.weak();
        let thread = thread::Builder::new().name("murmur-fence-epoch".into()).spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(tick) {
                match engine.upgrade() {
                    Some(engine) => engine.increment_epoch(),
                    None => return,
                }
            }
        })?;
        Ok(Ticker { call_ticks: ticks(call_time, tick), stop: Some(stop), thread: Some(thread) })
    }

    /// How many ticks make up the time of a call.
    pub(crate) fn call_ticks(&self) -> u64 {
        self.call_ticks
    }
}

/// How many ticks make up at least `time`. The first tick may come at once, so one more
/// is counted.
fn ticks(time: Duration, tick: Duration) -> u64 {
    let ticks = time.as_nanos().div_ceil(tick.as_nanos());
    u64::try_from(ticks).unwrap_or(u64::MAX / 2).min(u64::MAX / 2) + 1
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It does nothing that could panic, and a join that fails has no one
            // to tell.
            let _ = thread.join();
        }
    }
}
