//! A component of the world `conversation` with one fault, chosen by a feature.
//!
//! It is there to be found out: the tests of the harness build it with each fault
//! and assert which checks fail. Everything but the fault is the shipped guests'
//! own source.

#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

wit_bindgen::generate!({
    path: "../../wit",
    inline: "
        package guest-wrong:faults;
        interface clock { now: func() -> u64; }
        world wrong {
            include murmur:fence/conversation@0.1.0;
            import clock;
        }
    ",
    generate_all,
});

#[path = "../../../crates/guest-fence/src/audit.rs"]
mod audit;
#[path = "../../../crates/guest-conversation/src/directory.rs"]
mod directory;
mod faults;
#[path = "../../../crates/guest-fence/src/fence.rs"]
mod fence;
#[path = "../../../crates/guest-fence/src/inspect.rs"]
mod inspect;
#[path = "../../../crates/guest-fence/src/lanes.rs"]
mod lanes;
mod nonce;
#[path = "../../../crates/guest-conversation/src/read.rs"]
mod read;
#[path = "../../../crates/guest-fence/src/nonce.rs"]
mod right_nonce;
#[path = "../../../crates/guest-fence/src/tags.rs"]
mod right_tags;
#[path = "../../../crates/guest-fence/src/rules.rs"]
mod rules;
#[path = "../../../crates/guest-fence/src/runtime.rs"]
mod runtime;
mod tags;

/// The right one, as the shipped guests implement it.
struct Component;

// Native linkers refuse the exports' names; there the crate is only checked.
#[cfg(target_family = "wasm")]
export!(Wrong with_types_in self);

#[cfg(target_family = "wasm")]
use faults::Wrong;
