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
        "lookalikes",
        "[constructor]writer",
        "[method]writer.write",
        "[method]writer.finish",
    ],
);

const NONCE: (&str, &[&str]) = (
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
);

const TAGS: (&str, &[&str]) = (
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
);

const RULES: (&str, &[&str]) =
    ("murmur:fence/rules@0.1.0", &["marker-rules", "provenance", "history"]);

const LANES: (&str, &[&str]) = (
    "murmur:fence/lanes@0.1.0",
    &[
        "[static]registry.parse",
        "[static]registry.parse-lenient",
        "[static]registry.create",
        "[method]registry.lanes",
        "[constructor]assembler",
        "[method]assembler.push",
        "[method]assembler.finish",
        "receipt-coverage",
        "prompt-coverage",
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
        World::Fence => &[FENCE, NONCE, TAGS, RULES, LANES, INSPECT],
        World::Conversation => &[FENCE, NONCE, TAGS, RULES, LANES, INSPECT, READ],
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
