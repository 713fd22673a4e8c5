//! Who is trusted: lanes, assembling a prompt out of them, and the proof that
//! each untrusted lane reached the model inside a fence.
//!
//! A *lane* is one way by which text reaches a model's input: the owner's words,
//! a tool result, a pasted page. `lanes.toml` gives each lane its *trust* and
//! its *budget*. The [`Assembler`] is the only way from lanes to text, and each
//! push answers a [`Receipt`] whose `fenced` is read back from the bytes that
//! were written.
//!
//! Declared and enforced are two numbers: [`coverage`] compares them for a
//! prompt, [`scan`] for a source tree.
//!
//! Without the feature `scan` the crate is no_std and needs only an allocator.

#![no_std]
#![warn(missing_debug_implementations)]

extern crate alloc;
#[cfg(feature = "scan")]
extern crate std;

mod assembler;
mod budget;
mod chat;
mod check;
pub mod coverage;
mod finding;
#[cfg(feature = "scan")]
pub mod guard;
mod ledger;
pub mod murmur;
mod receipt;
mod registry;
pub mod sarif;
#[cfg(feature = "scan")]
pub mod scan;
mod trust;

pub use assembler::{Assembled, Assembler};
pub use chat::{Chat, Message, MessageWriter, Messages};
pub use check::Check;
pub use coverage::Coverage;
pub use finding::{Finding, Rule};
pub use ledger::{PushError, Unfenced};
pub use receipt::Receipt;
pub use registry::{Lane, LaneNameError, Place, Problem, ProblemKind, Registry};
pub use trust::{Trust, UnknownTrust};
