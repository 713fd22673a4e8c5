//! What a component may import, checked before it is linked.
//!
//! A world grants names, down to the function: the host side of
//! `wasi:filesystem` can write, so the linker alone would let a component that
//! imports a writing function in.

use crate::component::World;
use wasmtime::Engine;
use wasmtime::component::types::{Component, ComponentItem};

/// An interface and the functions of it that are granted; no functions means
/// that only its types may be used, which no host has to define.
struct Grant {
    interface: &'static str,
    functions: &'static [&'static str],
}

/// Opening and reading files below a preopened directory. Any 0.2 version: the
/// linker matches them as compatible.
const CONVERSATION: &[Grant] = &[
    Grant {
        interface: "wasi:filesystem/types@0.2",
        functions: &[
            "[method]descriptor.read",
            "[method]descriptor.read-via-stream",
            "[method]descriptor.read-directory",
            "[method]descriptor.get-flags",
            "[method]descriptor.get-type",
            "[method]descriptor.stat",
            "[method]descriptor.stat-at",
            "[method]descriptor.open-at",
            "[method]descriptor.readlink-at",
            "[method]descriptor.is-same-object",
            "[method]descriptor.metadata-hash",
            "[method]descriptor.metadata-hash-at",
            "[method]directory-entry-stream.read-directory-entry",
            "filesystem-error-code",
        ],
    },
    Grant { interface: "wasi:filesystem/preopens@0.2", functions: &["get-directories"] },
    Grant {
        interface: "wasi:io/streams@0.2",
        functions: &[
            "[method]input-stream.read",
            "[method]input-stream.blocking-read",
            "[method]input-stream.skip",
            "[method]input-stream.blocking-skip",
            "[method]input-stream.subscribe",
        ],
    },
    Grant { interface: "wasi:io/error@0.2", functions: &["[method]error.to-debug-string"] },
    Grant {
        interface: "wasi:io/poll@0.2",
        functions: &["[method]pollable.ready", "[method]pollable.block"],
    },
    Grant { interface: "wasi:clocks/wall-clock@0.2", functions: &[] },
    Grant { interface: "murmur:hook/lifecycle@0.9.0", functions: &[] },
];

/// The imports of a component that its world does not grant.
pub(crate) fn ungranted(world: World, ty: &Component, engine: &Engine) -> Vec<String> {
    let grants = match world {
        World::Fence => &[],
        World::Conversation => CONVERSATION,
    };
    let mut names = Vec::new();
    for (name, import) in ty.imports(engine) {
        let grant = grants.iter().find(|grant| within(name, grant.interface));
        match (grant, import.ty) {
            (Some(grant), ComponentItem::ComponentInstance(instance)) => {
                for (item, export) in instance.exports(engine) {
                    let granted = match export.ty {
                        ComponentItem::Type(_) | ComponentItem::Resource(_) => true,
                        _ => grant.functions.contains(&item),
                    };
                    if !granted {
                        names.push(format!("{name}#{item}"));
                    }
                }
            }
            _ => names.push(name.to_string()),
        }
    }
    names
}

/// Whether `name` is `interface`, or a patch version of it.
fn within(name: &str, interface: &str) -> bool {
    name.strip_prefix(interface).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_version_covers_its_patches_and_nothing_longer() {
        assert!(within("wasi:io/poll@0.2.0", "wasi:io/poll@0.2"));
        assert!(within("wasi:io/poll@0.2.12", "wasi:io/poll@0.2"));
        assert!(within("murmur:hook/lifecycle@0.9.0", "murmur:hook/lifecycle@0.9.0"));
        assert!(!within("wasi:io/poll@0.20.0", "wasi:io/poll@0.2"));
        assert!(!within("wasi:io/poll@0.3.0", "wasi:io/poll@0.2"));
        assert!(!within("murmur:hook/lifecycle@0.9.01", "murmur:hook/lifecycle@0.9.0"));
    }
}
