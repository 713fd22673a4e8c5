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

/// A number of things, in the plural but for one.
fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
