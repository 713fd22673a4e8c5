//! Components made on the spot: the guest of `guest.wat` in a chosen world.

// Each test file uses a part of it.
#![allow(dead_code)]

use std::fs;
use std::path::Path;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::abi::{AbiVariant, WasmType};
use wit_parser::{Resolve, WorldId, WorldItem};

const MODULE: &str = include_str!("guest.wat");
const WIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit");

/// A component of the world `fence`.
pub fn fence() -> Vec<u8> {
    encode(&read_wit(), "include murmur:fence/fence-component@0.1.0;", MODULE)
}

/// A component of the world `conversation` that uses none of its imports.
pub fn conversation() -> Vec<u8> {
    encode(&read_wit(), "include murmur:fence/conversation@0.1.0;", &with_reader(MODULE))
}

/// The guest, with `read-messages` exported.
pub fn with_reader(module: &str) -> String {
    let export = r#"(export "murmur:conversation/read@0.2.0#read-messages" (func $read))"#;
    module.replace(";;EXPORTS", export)
}

/// The guest, with a core import.
pub fn with_import(module: &str, import: &str) -> String {
    module.replace(";;IMPORTS", import)
}

/// The guest as it stands.
pub fn module() -> &'static str {
    MODULE
}

/// A `.wit` file of the contract: its path below `wit/` and its text.
pub type WitFile = (String, String);

/// The contract.
pub fn read_wit() -> Vec<WitFile> {
    let mut files = Vec::new();
    collect(Path::new(WIT), "", &mut files);
    files
}

fn collect(directory: &Path, prefix: &str, files: &mut Vec<WitFile>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

/// Encodes a core module as a component of a world with these items.
pub fn encode(wit: &[WitFile], items: &str, module: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in wit {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut resolve = Resolve::default();
    resolve.push_path(directory.path()).unwrap();
    let world = format!("package test:guest; world guest {{ {items} }}");
    let package = resolve.push_str("guest.wit", &world).unwrap();
    let world = resolve.select_world(&[package], None).unwrap();

    let mut module = wat::parse_str(with_traps(module, &resolve, world)).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let mut encoder = ComponentEncoder::default();
    encoder.module(&module).unwrap();
    encoder.encode().unwrap()
}

/// The module, with a trap for each function of the world that it lacks.
fn with_traps(module: &str, resolve: &Resolve, world: WorldId) -> String {
    let mut traps = String::new();
    for (key, item) in &resolve.worlds[world].exports {
        let WorldItem::Interface { id, .. } = item else { continue };
        for function in resolve.interfaces[*id].functions.values() {
            let export = format!("(export \"{}#{}\"", resolve.name_world_key(key), function.name);
            if module.contains(&export) {
                continue;
            }
            let signature = resolve.wasm_signature(AbiVariant::GuestExport, function);
            let params = core_types(&signature.params);
            let results = core_types(&signature.results);
            traps += &format!("(func {export}) (param {params}) (result {results}) unreachable)\n");
        }
    }
    let end = module.rfind(')').unwrap();
    format!("{}{traps}{}", &module[..end], &module[end..])
}

fn core_types(types: &[WasmType]) -> String {
    let names = types.iter().map(|ty| match ty {
        WasmType::I64 | WasmType::PointerOrI64 => "i64 ",
        WasmType::F32 => "f32 ",
        WasmType::F64 => "f64 ",
        WasmType::I32 | WasmType::Pointer | WasmType::Length => "i32 ",
    });
    names.collect()
}
