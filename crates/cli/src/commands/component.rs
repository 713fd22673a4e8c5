//! `component info`: what a component asks of its host and offers.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};
use wit_parser::decoding::DecodedWasm;
use wit_parser::{Resolve, WorldItem, WorldKey};

use crate::failure::Failure;
use crate::{Format, Outcome};

pub fn info(format: Format, file: &Path) -> Result<Outcome, Failure> {
    let bytes = read(file)?;
    let not_a_component = |reason: &str| Failure::at("read component", file.display(), reason);
    let (resolve, world) = match wit_parser::decoding::decode(&bytes) {
        Ok(DecodedWasm::Component(resolve, world)) => (resolve, world),
        Ok(DecodedWasm::WitPackage(..)) => {
            return Err(not_a_component("it is a WIT package, not a component"));
        }
        Err(error) => return Err(not_a_component(&one_line(&format!("{error:#}")))),
    };
    let world = &resolve.worlds[world];
    let entry = |(key, item)| Entry::new(&resolve, key, item);
    let imports: Vec<_> = world.imports.iter().map(entry).collect();
    let exports: Vec<_> = world.exports.iter().map(entry).collect();
    match format {
        Format::Json => crate::json::print(&json!({
            "file": file.display().to_string(),
            "bytes": bytes.len(),
            "imports": imports.iter().map(Entry::json).collect::<Vec<_>>(),
            "exports": exports.iter().map(Entry::json).collect::<Vec<_>>(),
        }))?,
        Format::Human => {
            print_human(file, bytes.len(), &imports, &exports).map_err(Failure::output)?;
        }
    }
    Ok(Outcome::Clean)
}

/// The bytes of a file that begins as a component does.
pub fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let bytes =
        fs::read(file).map_err(|error| Failure::at("read component", file.display(), error))?;
    // Both kinds begin with the same magic number; the version tells them apart.
    let reason = match bytes.get(..8) {
        Some(b"\0asm\x0d\0\x01\0") => return Ok(bytes),
        Some(b"\0asm\x01\0\0\0") => "it is a core module, not a component",
        _ => "it is not WebAssembly",
    };
    let what_to_do = "name a component, as `cargo xtask component` builds them";
    Err(Failure::at("read component", file.display(), format_args!("{reason}; {what_to_do}")))
}

/// The first line of a reason; some show the bytes at hand on more.
pub fn one_line(reason: &str) -> String {
    reason.lines().next().unwrap_or_default().trim_end().to_owned()
}

fn print_human(file: &Path, bytes: usize, imports: &[Entry], exports: &[Entry]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {bytes} bytes", file.display())?;
    for (title, entries) in [("imports", imports), ("exports", exports)] {
        writeln!(out, "{title}: {}", entries.len())?;
        for entry in entries {
            let types_only = if entry.functions.is_empty() { " (types only)" } else { "" };
            writeln!(out, "  {}{types_only}", entry.name)?;
            for function in &entry.functions {
                writeln!(out, "    {function}")?;
            }
        }
    }
    out.flush()
}

/// One import or export: an interface with its functions, or a plain function.
struct Entry {
    name: String,
    functions: Vec<String>,
}

impl Entry {
    fn new(resolve: &Resolve, key: &WorldKey, item: &WorldItem) -> Self {
        let name = resolve.name_world_key(key);
        let functions = match item {
            WorldItem::Interface { id, .. } => {
                resolve.interfaces[*id].functions.keys().cloned().collect()
            }
            WorldItem::Function(function) => vec![function.name.clone()],
            WorldItem::Type { .. } => Vec::new(),
        };
        Entry { name, functions }
    }

    fn json(&self) -> Value {
        json!({ "name": self.name, "functions": self.functions })
    }
}
