//! The software bill of materials of one component, as CycloneDX 1.6.

use serde_json::{Value, json};
use xtask::Guest;

use crate::tasks::crates::{Crate, Linked};
use crate::tasks::{Failure, sha256};

/// The bill, without a time or a serial number: the same component, the same bill.
/// `rust` is the release of the compiler, whose core library is in the component.
pub fn of(guest: Guest, component: &[u8], linked: &Linked, rust: &str) -> Result<Vec<u8>, Failure> {
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
    components.push(json!({
        "type": "library",
        "bom-ref": "rust-library",
        "name": "rust core and alloc",
        "version": rust,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
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
