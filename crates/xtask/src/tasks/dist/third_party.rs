//! The licence texts of the crates that are linked into the components.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use crate::tasks::Failure;
use crate::tasks::crates::{Crate, Linked};

const HEADING: &str = "\
These are parts of the components murmur-fence.wasm and murmur-fence-conversation.wasm
and stand under the licences below, each text after the crates that ship it. Beside
them the components hold Rust's core and alloc libraries, under MIT OR Apache-2.0;
the text of the latter is in LICENSE. NOTICE names the data that is compiled in.
";

/// Each licence text once, after the names of the crates that come with it.
pub fn texts(parts: &[Linked]) -> Result<String, Failure> {
    let crates: BTreeMap<_, _> = parts.iter().flat_map(|linked| &linked.crates).collect();
    let mut by_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut out = HEADING.to_owned();
    out.push('\n');
    for part in crates.values().filter(|part| part.foreign) {
        let title = format!("{} {}", part.name, part.version);
        _ = writeln!(out, "{title}  {}", part.licence);
        let texts = texts_of(part)?;
        if texts.is_empty() {
            return Err(Failure::Check(format!(
                "{title} ships no licence text; add it to NOTICE by hand and say so here"
            )));
        }
        for text in texts {
            by_text.entry(text).or_default().insert(title.clone());
        }
    }
    for (text, titles) in by_text {
        let titles: Vec<String> = titles.into_iter().collect();
        _ = write!(out, "\n{}\n{}\n\n{text}\n", "=".repeat(78), titles.join(", "));
    }
    Ok(out)
}

/// The files of a crate that are named as licences and notices are.
fn texts_of(part: &Crate) -> Result<BTreeSet<String>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::Check(format!("failed to read the sources of {}: {error}", part.name))
    };
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(&part.directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let named = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        if named.iter().any(|named| name.starts_with(named)) && entry.path().is_file() {
            let text = fs::read_to_string(entry.path()).map_err(unreadable)?;
            texts.insert(text.replace("\r\n", "\n").trim().to_owned());
        }
    }
    Ok(texts)
}
