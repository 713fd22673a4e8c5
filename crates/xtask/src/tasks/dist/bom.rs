//! The software bill of materials of one component, as CycloneDX 1.6.

use serde_json::{Value, json};
use wasm_metadata::Payload;
use xtask::Guest;

use crate::tasks::crates::{Crate, Linked};
use crate::tasks::{Failure, sha256};

/// The bill, without a time or a serial number: the same component, the same bill.
pub fn of(guest: Guest, component: &[u8], linked: &Linked) -> Result<Vec<u8>, Failure> {
    let file = format!("{}.wasm", guest.name());
    let root = &linked.crates[&linked.root];
    let mut components: Vec<Value> =
        linked.crates.values().filter(|part| part.key() != linked.root).map(part).collect();
    let mut dependencies: Vec<Value> = Vec::new();
    for (key, below) in &linked.edges {
        let below: Vec<String> = below.iter().map(|key| reference(&linked.crates[key])).collect();
        let name = match *key == linked.root {
            true => file.clone(),
            false => reference(&linked.crates[key]),
        };
        dependencies.push(json!({ "ref": name, "dependsOn": below }));
    }
    if let Some(version) = compiler(component) {
        components.push(json!({
            "type": "library",
            "bom-ref": "rust-library",
            "name": "rust core and alloc",
            "version": version,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        }));
    }
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "library",
            "bom-ref": file,
            "name": guest.name(),
            "version": root.version,
            "description": guest.description(),
            "licenses": [{ "expression": root.licence }],
            "hashes": [{ "alg": "SHA-256", "content": sha256(component) }],
        } },
        "components": components,
        "dependencies": dependencies,
    });
    let mut text = serde_json::to_vec_pretty(&bill)
        .map_err(|error| Failure::Check(format!("failed to write the bill of {file}: {error}")))?;
    text.push(b'\n');
    Ok(text)
}

fn part(part: &Crate) -> Value {
    let mut value = json!({
        "type": "library",
        "bom-ref": reference(part),
        "name": part.name,
        "version": part.version,
        "licenses": [{ "expression": part.licence }],
    });
    if part.foreign {
        value["purl"] = reference(part).into();
    }
    if let Some(checksum) = &part.checksum {
        value["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    value
}

/// The package URL, in which a `+` must be escaped.
fn reference(part: &Crate) -> String {
    format!("pkg:cargo/{}@{}", part.name, part.version.replace('+', "%2B"))
}

/// The compiler that the component says it was made by, and so the release of the
/// core library in it.
fn compiler(component: &[u8]) -> Option<String> {
    fn find(payload: &Payload) -> Option<String> {
        let producers = payload.metadata().producers.as_ref();
        let own = producers
            .and_then(|producers| producers.get("processed-by"))
            .and_then(|tools| tools.get("rustc"))
            .map(|version| version.split_whitespace().next().unwrap_or_default().to_owned());
        own.or_else(|| match payload {
            Payload::Component { children, .. } => children.iter().find_map(find),
            Payload::Module(_) => None,
        })
    }
    find(&Payload::from_binary(component).ok()?)
}
