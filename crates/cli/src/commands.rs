//! The commands, one module each.

pub mod audit;
pub mod component;
pub mod eval;
pub mod lanes;
pub mod page;
pub mod strip;
pub mod text;
pub mod unwrap;
pub mod verify;
