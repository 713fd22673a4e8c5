//! Load any component of the contract's worlds and check that it keeps the fence.
//!
//! A [`Subject`] answers the contract's functions: a component through wasmtime
//! ([`ComponentSubject`]), or the native crates without one ([`Native`]). The
//! checks run on either, against golden cases and vectors recorded from another
//! fence ([`checks::Material`]).

#![warn(missing_debug_implementations)]

pub mod cases;
pub mod checks;
mod component;
mod hostile;
mod native;
pub mod record;
pub mod report;
mod show;
pub mod subject;
mod values;
pub mod vectors;

pub use component::ComponentSubject;
pub use native::Native;
pub use subject::Subject;

/// The cases of this project, where the sources lie.
pub const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cases");
