//! The fence as a component that imports nothing: world `fence-component`.
//!
//! The conversion between the worlds' types and the crates below is shared with
//! the other guest, which includes the same source files.

#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

wit_bindgen::generate!({ path: "../../wit", world: "fence-component" });

mod audit;
mod fence;
mod inspect;
mod lanes;
mod nonce;
mod rules;
mod runtime;
mod tags;

struct Component;

// Native linkers refuse the exports' names; there the crate is only checked.
#[cfg(target_family = "wasm")]
export!(Component);
