//! What one component may use: memory, input, output, time, instances.

use std::time::Duration;

/// The limits of a [`Component`](crate::Component).
///
/// Each has a default that suits a service reading texts of a few megabytes;
/// the methods change one at a time.
///
/// ```
/// use murmur_fence_host::Limits;
/// use std::time::Duration;
///
/// let limits = Limits::default()
///     .input_bytes(1 << 20)
///     .call_time(Duration::from_secs(1));
/// assert_eq!(limits.max_input_bytes(), 1 << 20);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    memory_bytes: usize,
    keep_bytes: usize,
    input_bytes: usize,
    output_bytes: usize,
    call_time: Duration,
    instances: u32,
    wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory_bytes: 1 << 30,
            keep_bytes: 16 << 20,
            input_bytes: 64 << 20,
            output_bytes: 1 << 30,
            call_time: Duration::from_secs(30),
            instances: 16,
            wait: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// Bytes of linear memory that one instance may have. Default 1 GiB.
    ///
    /// A call that needs more ends with [`CallError::OutOfMemory`]. A wrap needs
    /// up to nine times its input, which it does when every byte belongs to a marker,
    /// and two and a half times where there is none.
    ///
    /// [`CallError::OutOfMemory`]: crate::CallError::OutOfMemory
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// Bytes of linear memory up to which an instance is kept for later calls.
    /// Default 16 MiB.
    ///
    /// Linear memory never shrinks, so an instance that one large text grew
    /// beyond this is dropped after that call. The instance of a
    /// [`Conversation`](crate::Conversation) is exempt: it holds the index.
    #[must_use]
    pub fn keep_bytes(mut self, bytes: usize) -> Self {
        self.keep_bytes = bytes;
        self
    }

    /// Bytes that may be handed to one call. Default 64 MiB.
    ///
    /// Counted before anything is copied: the bytes of every string, and of a
    /// list also what the component's memory holds for each item.
    #[must_use]
    pub fn input_bytes(mut self, bytes: usize) -> Self {
        self.input_bytes = bytes;
        self
    }

    /// Bytes that one call may hand back. Default 1 GiB.
    ///
    /// Bounds the host's own memory, which the size of the instance does not: a
    /// component may answer a list whose items all name the same long string.
    #[must_use]
    pub fn output_bytes(mut self, bytes: usize) -> Self {
        self.output_bytes = bytes;
        self
    }

    /// Time that one call may take. Default 30 s.
    ///
    /// Kept to within a sixteenth of it or a tenth of a second, whichever is
    /// less, but never finer than a millisecond.
    #[must_use]
    pub fn call_time(mut self, time: Duration) -> Self {
        self.call_time = time;
        self
    }

    /// Instances that may be alive at once, idle ones, writers' and
    /// conversations' included. Default 16; at least 1.
    ///
    /// Each reserves address space, not memory.
    #[must_use]
    pub fn instances(mut self, count: u32) -> Self {
        self.instances = count.max(1);
        self
    }

    /// Time that a call waits for an instance while all are in use. Default
    /// 30 s.
    #[must_use]
    pub fn wait(mut self, time: Duration) -> Self {
        self.wait = time;
        self
    }

    /// See [`memory_bytes`](Limits::memory_bytes).
    pub fn max_memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// See [`keep_bytes`](Limits::keep_bytes).
    pub fn max_keep_bytes(&self) -> usize {
        self.keep_bytes
    }

    /// See [`input_bytes`](Limits::input_bytes).
    pub fn max_input_bytes(&self) -> usize {
        self.input_bytes
    }

    /// See [`output_bytes`](Limits::output_bytes).
    pub fn max_output_bytes(&self) -> usize {
        self.output_bytes
    }

    /// See [`call_time`](Limits::call_time).
    pub fn max_call_time(&self) -> Duration {
        self.call_time
    }

    /// See [`instances`](Limits::instances).
    pub fn max_instances(&self) -> u32 {
        self.instances
    }

    /// See [`wait`](Limits::wait).
    pub fn max_wait(&self) -> Duration {
        self.wait
    }
}
