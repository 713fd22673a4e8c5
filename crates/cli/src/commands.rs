//! The commands, one module each.

pub mod component;
pub mod eval;
pub mod lanes;
pub mod page;
pub mod text;
pub mod verify;
