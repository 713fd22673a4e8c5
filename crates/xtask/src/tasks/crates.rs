//! The crates of this workspace and those it depends on, as cargo tells.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xtask::{Guest, cargo, run};

use super::Failure;

/// One crate.
#[derive(Clone, Debug)]
pub struct Crate {
    pub name: String,
    pub version: String,
    /// The licence expression; empty where the manifest has none.
    pub licence: String,
    /// Where its sources lie.
    pub directory: PathBuf,
    /// Whether it comes from a registry and not from this workspace.
    pub foreign: bool,
    /// SHA-256 of the file that the registry hands out.
    pub checksum: Option<String>,
}

/// A name and a version.
pub type Key = (String, String);

impl Crate {
    pub fn key(&self) -> Key {
        (self.name.clone(), self.version.clone())
    }
}

/// What one component is made of.
pub struct Linked {
    /// The package of the guest itself.
    pub root: Key,
    /// Every crate in it, the guest too.
    pub crates: BTreeMap<Key, Crate>,
    /// What each depends on.
    pub edges: BTreeMap<Key, BTreeSet<Key>>,
}

/// Every crate that any part of the workspace may use, on any platform.
pub fn all(root: &Path) -> Result<BTreeMap<Key, Crate>, Failure> {
    let metadata = run(cargo(root).args(["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Failure::Check(format!("failed to read `cargo metadata`: {error}")))?;
    let checksums = checksums(root)?;
    let text = |package: &Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let packages = metadata["packages"].as_array().into_iter().flatten().map(|package| {
        let manifest = PathBuf::from(text(package, "manifest_path"));
        let key = (text(package, "name"), text(package, "version"));
        let found = Crate {
            // Cargo's older spelling of OR.
            licence: text(package, "license").replace('/', " OR "),
            directory: manifest.parent().unwrap_or(&manifest).to_owned(),
            foreign: package["source"].is_string(),
            checksum: checksums.get(&key).cloned(),
            name: key.0.clone(),
            version: key.1.clone(),
        };
        (key, found)
    });
    Ok(packages.collect())
}

/// What is linked into a guest: its normal dependencies for the wasm target, with the
/// features that it asks for, and no macros.
pub fn linked(root: &Path, guest: Guest) -> Result<Linked, Failure> {
    let mut tree = cargo(root);
    tree.args(["tree", "--locked", "--package", guest.package()]);
    tree.args(["--edges", "normal,no-proc-macro", "--target", "wasm32-unknown-unknown"]);
    tree.args(["--prefix", "depth", "--format", "{p}"]);
    let (keys, edges) = read_tree(&run(&mut tree)?).ok_or_else(|| {
        Failure::Check(format!("`cargo tree` of {} is not as expected", guest.package()))
    })?;
    let mut known = all(root)?;
    let mut crates = BTreeMap::new();
    for key in &keys {
        let found = known.remove(key);
        let found = found.ok_or_else(|| {
            Failure::Check(format!("`cargo metadata` does not know {} {}", key.0, key.1))
        })?;
        crates.insert(key.clone(), found);
    }
    let root = keys.into_iter().next().unwrap_or_default();
    Ok(Linked { root, crates, edges })
}

type Tree = (Vec<Key>, BTreeMap<Key, BTreeSet<Key>>);

/// Reads lines such as `2memchr v2.8.3`, each with its depth in front.
fn read_tree(tree: &str) -> Option<Tree> {
    let mut keys: Vec<Key> = Vec::new();
    let mut edges: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
    let mut above: Vec<Key> = Vec::new();
    for line in tree.lines().filter(|line| !line.trim().is_empty()) {
        let digits = line.find(|c: char| !c.is_ascii_digit())?;
        let depth: usize = line[..digits].parse().ok()?;
        let mut words = line[digits..].split_whitespace();
        let key = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
        if depth > above.len() {
            return None;
        }
        above.truncate(depth);
        if let Some(parent) = above.last() {
            edges.entry(parent.clone()).or_default().insert(key.clone());
        }
        edges.entry(key.clone()).or_default();
        if !keys.contains(&key) {
            keys.push(key.clone());
        }
        above.push(key);
    }
    (!keys.is_empty()).then_some((keys, edges))
}

/// What Cargo.lock says that the registry's file hashes to.
fn checksums(root: &Path) -> Result<BTreeMap<Key, String>, Failure> {
    let path = root.join("Cargo.lock");
    let unusable = |reason: String| Failure::Check(format!("failed to read Cargo.lock: {reason}"));
    let lock = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    let lock: toml::Table = toml::from_str(&lock).map_err(|error| unusable(error.to_string()))?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let text = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    Ok(packages
        .filter_map(|package| {
            Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_with_what_stands_under_what() {
        let tree = "0guest v0.1.0 (/somewhere)\n1a v1.0.0\n2b v2.0.0+x\n1b v2.0.0+x (*)\n";
        let (keys, edges) = read_tree(tree).unwrap();
        let key = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        let (guest, a, b) = (key("guest", "0.1.0"), key("a", "1.0.0"), key("b", "2.0.0+x"));
        assert_eq!(keys, [guest.clone(), a.clone(), b.clone()]);
        assert_eq!(edges[&guest], BTreeSet::from([a.clone(), b.clone()]));
        assert_eq!(edges[&a], BTreeSet::from([b.clone()]));
        assert_eq!(edges[&b], BTreeSet::new());
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        assert!(read_tree("").is_none());
        assert!(read_tree("warning: something").is_none());
        assert!(read_tree("0a v1.0.0\n2b v1.0.0\n").is_none());
    }
}
