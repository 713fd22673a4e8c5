//! What a component must export, so that what is missing can be named.

use crate::component::World;
use wasmtime::Engine;
use wasmtime::component::types::{Component, ComponentItem};

/// An interface and its functions.
type Interface = (&'static str, &'static [&'static str]);

/// What both worlds export.
const FENCE: &[Interface] = &[
    (
        "murmur:fence/fence@0.1.0",
        &[
            "wrap",
            "wrap-all",
            "neutralise",
            "neutralise-all",
            "open-marker",
            "close-marker",
            "segments",
            "outer-block",
            "verify",
            "verify-all",
            "restore",
            "lookalikes",
            "[constructor]writer",
            "[method]writer.write",
            "[method]writer.finish",
        ],
    ),
    (
        "murmur:fence/nonce@0.1.0",
        &[
            "[static]nonce.create",
            "[method]nonce.fence",
            "[method]nonce.wrap",
            "[method]nonce.defang",
            "[method]nonce.restore",
            "[method]nonce.segments",
            "[method]nonce.verify",
            "[method]nonce.rules",
        ],
    ),
    (
        "murmur:fence/tags@0.1.0",
        &[
            "[static]tags.create",
            "[method]tags.fence",
            "[method]tags.tool-result",
            "[method]tags.wrap",
            "[method]tags.defang",
            "[method]tags.restore",
            "[method]tags.segments",
            "[method]tags.verify",
            "[method]tags.rules",
        ],
    ),
    ("murmur:fence/rules@0.1.0", &["marker-rules", "provenance", "history"]),
    (
        "murmur:fence/lanes@0.1.0",
        &[
            "[static]registry.parse",
            "[static]registry.parse-lenient",
            "[static]registry.create",
            "[method]registry.lanes",
            "[constructor]assembler",
            "[method]assembler.push",
            "[method]assembler.finish",
            "[constructor]chat",
            "[method]chat.message",
            "[method]chat.push",
            "[method]chat.push-json",
            "[method]chat.finish",
            "receipt-coverage",
            "prompt-coverage",
            "messages-coverage",
        ],
    ),
    ("murmur:fence/inspect@0.1.0", &["inspect", "inspect-all"]),
    ("murmur:fence/audit@0.1.0", &["audit-lines"]),
];

/// What the world `conversation` exports on top.
pub(crate) const READ: Interface = ("murmur:conversation/read@0.2.0", &["read-messages"]);

/// The world that a component's exports make it: `conversation` when it exports
/// `murmur:conversation/read`, else `fence`.
pub(crate) fn world(ty: &Component, engine: &Engine) -> World {
    match ty.get_export(engine, READ.0) {
        Some(_) => World::Conversation,
        None => World::Fence,
    }
}

/// The exports of `world` that a component lacks.
pub(crate) fn missing(world: World, ty: &Component, engine: &Engine) -> Vec<String> {
    let read = (world == World::Conversation).then_some(&READ);
    let mut names = Vec::new();
    for (interface, functions) in FENCE.iter().chain(read) {
        match ty.get_export(engine, interface).map(|export| export.ty) {
            Some(ComponentItem::ComponentInstance(instance)) => {
                let absent = |function: &&&str| instance.get_export(engine, function).is_none();
                names.extend(functions.iter().filter(absent).map(|f| format!("{interface}#{f}")));
            }
            _ => names.push(interface.to_string()),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{FENCE, READ};
    use std::collections::BTreeSet;
    use wit_parser::{Resolve, WorldItem};

    #[test]
    fn the_list_is_the_contract() {
        let mut resolve = Resolve::default();
        let wit = concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit");
        let (package, _) = resolve.push_path(wit).unwrap();
        let world = resolve.select_world(&[package], Some("conversation")).unwrap();
        let mut contract = BTreeSet::new();
        for (key, item) in &resolve.worlds[world].exports {
            let WorldItem::Interface { id, .. } = item else { panic!("{key:?}") };
            let interface = resolve.name_world_key(key);
            for function in resolve.interfaces[*id].functions.keys() {
                contract.insert(format!("{interface}#{function}"));
            }
        }
        let listed = FENCE.iter().chain([&READ]).flat_map(|(interface, functions)| {
            functions.iter().map(move |function| format!("{interface}#{function}"))
        });
        assert_eq!(listed.collect::<BTreeSet<_>>(), contract);
    }
}
