//! Plugs the fence into a component that imports it.

use std::fs;
use std::path::{Path, PathBuf};

use wac_graph::types::Package;
use wac_graph::{CompositionGraph, EncodeOptions, PackageId};

use crate::guest::{build_guest, component, write_at_once};
use crate::{Error, Guest, Layout};

/// The examples that import the fence, each with what it is plugged with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// `examples/tool` with the fence: nothing is left to import.
    Tool,
    /// `examples/hook` with the fence: the runtime's names are left.
    Hook,
    /// [`Composed::Hook`] that at the end of a session also hands out the pages.
    HookWithEvidence,
    /// `examples/hook` with the conversation component: it reads a record file, and
    /// needs no runtime.
    HookStandalone,
}

impl Composed {
    /// All of them.
    pub const ALL: [Composed; 4] =
        [Composed::Tool, Composed::Hook, Composed::HookWithEvidence, Composed::HookStandalone];

    /// The name of its file, without `.wasm`.
    pub fn name(self) -> &'static str {
        match self {
            Composed::Tool => "example-tool",
            Composed::Hook => "example-hook",
            Composed::HookWithEvidence => "example-hook-evidence",
            Composed::HookStandalone => "example-hook-standalone",
        }
    }

    /// The package, its features, and what is plugged in.
    fn parts(self) -> (&'static str, &'static [&'static str], Guest) {
        match self {
            Composed::Tool => ("example-tool", &[], Guest::Fence),
            Composed::Hook => ("example-hook", &[], Guest::Fence),
            Composed::HookWithEvidence => ("example-hook", &["evidence"], Guest::Fence),
            Composed::HookStandalone => ("example-hook", &[], Guest::Conversation),
        }
    }
}

/// The path of a composed component, built from the sources as they are now.
///
/// # Errors
/// As [`component`], and [`Error::Compose`] when the parts do not fit.
pub fn composed(which: Composed) -> Result<PathBuf, Error> {
    let (package, features, plug) = which.parts();
    let socket = build_guest(package, features, &format!("{}.unplugged", which.name()))?;
    let plugged = plug_into(&socket, &component(plug)?).map_err(|reason| Error::Compose {
        socket: package.to_owned(),
        plug: plug.name(),
        reason,
    })?;
    let path = Layout::of_this_workspace().components().join(format!("{}.wasm", which.name()));
    write_at_once(&path, &plugged)?;
    Ok(path)
}

/// The socket with each import that the plug exports taken from the plug.
fn plug_into(socket: &Path, plug: &Path) -> Result<Vec<u8>, String> {
    let mut graph = CompositionGraph::new();
    let mut add = |name: &str, path: &Path| -> Result<PackageId, String> {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let package = Package::from_bytes(name, None, bytes, graph.types_mut());
        let package = package.map_err(|error| format!("{error:#}"))?;
        graph.register_package(package).map_err(|error| error.to_string())
    };
    let (plug, socket) = (add("plug", plug)?, add("socket", socket)?);
    wac_graph::plug(&mut graph, vec![plug], socket).map_err(|error| error.to_string())?;
    graph.encode(EncodeOptions::default()).map_err(|error| error.to_string())
}
