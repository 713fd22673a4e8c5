//! The fence, and a conversation record read from the first preopened directory:
//! world `conversation`.
//!
//! Only conversion is written here; the logic is that of the crates below. The
//! interfaces that the other guest exports too are its source files.

#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

wit_bindgen::generate!({ path: "../../wit", world: "conversation", generate_all });

#[path = "../../guest-fence/src/audit.rs"]
mod audit;
mod directory;
#[path = "../../guest-fence/src/fence.rs"]
mod fence;
#[path = "../../guest-fence/src/inspect.rs"]
mod inspect;
#[path = "../../guest-fence/src/lanes.rs"]
mod lanes;
#[path = "../../guest-fence/src/nonce.rs"]
mod nonce;
mod read;
#[path = "../../guest-fence/src/rules.rs"]
mod rules;
#[path = "../../guest-fence/src/runtime.rs"]
mod runtime;
#[path = "../../guest-fence/src/tags.rs"]
mod tags;

struct Component;

// Native linkers refuse the exports' names; there the crate is only checked.
#[cfg(target_family = "wasm")]
export!(Component);
