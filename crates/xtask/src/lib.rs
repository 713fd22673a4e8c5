//! Builds the guest components, and finds or fetches the compiler they need.
//!
//! Tests and tools that need a component call [`component`] when they run; no
//! build script does, so `cargo clippy`, `cargo doc` and editors need no wasm
//! compiler.

mod chromium;
mod compiler;
mod compose;
mod debian;
mod error;
mod guest;
mod layout;
mod metadata;
mod process;
mod sources;
mod toolchain;

pub use chromium::chromium;
pub use compose::{Composed, composed};
pub use error::{Attempt, Error};
pub use guest::{Build, Guest, build_guest, component};
pub use layout::Layout;
pub use metadata::describe;
pub use process::{cargo, quote, run, show};
pub use sources::{copy_sources, list_sources};
pub use toolchain::Toolchain;
