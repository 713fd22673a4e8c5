//! The bindings of the WIT contract, as the host calls it.

// The generated items take their documentation from the WIT, which does not
// describe every Rust item that comes of it.
#![allow(missing_docs)]

/// The exports of both worlds: all of `murmur:fence`.
pub(crate) mod fence {
    wasmtime::component::bindgen!({
        path: "wit",
        world: "murmur:fence/fence-component",
        ownership: Borrowing { duplicate_if_necessary: true },
        additional_derives: [PartialEq, Eq],
        require_store_data_send: true,
    });
}

/// What the world `conversation` exports on top. A world of its own, so that
/// no host side of the file system is generated: `wasmtime-wasi` has it.
pub(crate) mod reader {
    wasmtime::component::bindgen!({
        path: "wit",
        inline: "
            package murmur:fence-host;
            world reader { export murmur:conversation/read@0.2.0; }
        ",
        world: "murmur:fence-host/reader",
        ownership: Borrowing { duplicate_if_necessary: true },
        additional_derives: [PartialEq, Eq],
        require_store_data_send: true,
    });
}
