//! What a component must export, so that what is missing can be named.

use crate::component::World;
use wasmtime::Engine;
use wasmtime::component::types::{Component, ComponentItem};

const FENCE: (&str, &[&str]) = (
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
        "[constructor]writer",
        "[method]writer.write",
        "[method]writer.finish",
    ],
);

const INSPECT: (&str, &[&str]) = ("murmur:fence/inspect@0.1.0", &["inspect", "inspect-all"]);

pub(crate) const READ: (&str, &[&str]) = ("murmur:conversation/read@0.2.0", &["read-messages"]);

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
    let required: &[_] = match world {
        World::Fence => &[FENCE, INSPECT],
        World::Conversation => &[FENCE, INSPECT, READ],
    };
    let mut names = Vec::new();
    for (interface, functions) in required {
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
