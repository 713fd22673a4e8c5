//! Everything that a release hands out, in one directory.

mod bom;
mod third_party;
mod wit;

use std::fs;
use std::path::{Path, PathBuf};

use xtask::{Error, Guest, Layout, Toolchain, build_guest, list_sources};

use super::crates::linked;
use super::{Failure, read, say, sha256};

/// The file that holds the encoded WIT package.
pub const WIT_PACKAGE: &str = "murmur-fence-wit.wasm";

/// Fills `target/dist` and prints each file with its hash.
pub fn dist() -> Result<PathBuf, Failure> {
    let directory = Layout::of_this_workspace().target.join("dist");
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(Error::file("remove", &directory))?;
    }
    print!("{}", write(&directory)?);
    Ok(directory)
}

/// Fills an empty directory. Gives what `SHA256SUMS` says.
fn write(directory: &Path) -> Result<String, Failure> {
    let root = Layout::of_this_workspace().root;
    let put = |name: &str, bytes: &[u8]| -> Result<(), Failure> {
        Ok(super::write(&directory.join(name), bytes)?)
    };
    let rust = Toolchain::find(&Layout::of_this_workspace())?.release()?;
    let mut parts = Vec::new();
    for guest in Guest::ALL {
        say(&format!("building {}", guest.name()));
        // Not what a variable names: a release is built from these sources.
        let component = read(&build_guest(guest.package(), &[], guest.name())?)?;
        let linked = linked(&root, guest)?;
        put(&format!("{}.cdx.json", guest.name()), &bom::of(guest, &component, &linked, &rust)?)?;
        put(&format!("{}.wasm", guest.name()), &component)?;
        parts.push(linked);
    }
    put("THIRD-PARTY-LICENSES.txt", third_party::texts(&parts)?.as_bytes())?;
    put(WIT_PACKAGE, &wit::encode(&root.join("wit"))?)?;
    for path in list_sources(&root)?.iter().filter(|path| path.starts_with("wit")) {
        put(&path.to_string_lossy(), &read(&root.join(path))?)?;
    }
    for name in ["LICENSE", "NOTICE"] {
        put(name, &read(&root.join(name))?)?;
    }
    let mut sums = String::new();
    for name in files(directory, Path::new(""))? {
        let hash = sha256(&read(&directory.join(&name))?);
        sums += &format!("{hash}  {}\n", name.display());
    }
    put("SHA256SUMS", sums.as_bytes())?;
    Ok(sums)
}

/// The files below a directory, relative to it, in the order of their paths.
fn files(directory: &Path, below: &Path) -> Result<Vec<PathBuf>, Error> {
    let here = directory.join(below);
    let mut found = Vec::new();
    for entry in here.read_dir().map_err(Error::file("read", &here))? {
        let entry = entry.map_err(Error::file("read", &here))?;
        let name = below.join(entry.file_name());
        match entry.path().is_dir() {
            true => found.extend(files(directory, &name)?),
            false => found.push(name),
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn two_runs_give_the_same_files_and_the_sums_name_each_of_them() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let sums = write(one.path()).unwrap();
        assert_eq!(write(two.path()).unwrap(), sums);
        let names = files(one.path(), Path::new("")).unwrap();
        assert_eq!(files(two.path(), Path::new("")).unwrap(), names);
        for name in &names {
            let bytes = fs::read(one.path().join(name)).unwrap();
            assert_eq!(fs::read(two.path().join(name)).unwrap(), bytes, "{}", name.display());
            let line = format!("{}  {}\n", sha256(&bytes), name.display());
            assert!(sums.contains(&line) || name == Path::new("SHA256SUMS"), "{line}");
        }
        let expected = [
            "LICENSE",
            "NOTICE",
            "THIRD-PARTY-LICENSES.txt",
            "murmur-fence-conversation.cdx.json",
            "murmur-fence-conversation.wasm",
            "murmur-fence-wit.wasm",
            "murmur-fence.cdx.json",
            "murmur-fence.wasm",
            "wit/worlds.wit",
        ];
        for name in expected {
            assert!(names.contains(&PathBuf::from(name)), "{name} is not among {names:?}");
        }

        // The bill names what the guest's manifest names, and nothing of the tests.
        let bill = fs::read(one.path().join("murmur-fence.cdx.json")).unwrap();
        let bill: Value = serde_json::from_slice(&bill).unwrap();
        let component = fs::read(one.path().join("murmur-fence.wasm")).unwrap();
        let stated = &bill["metadata"]["component"]["hashes"][0]["content"];
        assert_eq!(stated, &Value::from(sha256(&component)));
        let parts = bill["components"].as_array().unwrap();
        let rust = parts.iter().find(|part| part["name"] == "rust core and alloc").unwrap();
        assert!(rust["version"].as_str().unwrap().starts_with("1."), "{rust}");
        let has = |name: &str| parts.iter().any(|part| part["name"] == name);
        for name in ["dlmalloc", "memchr", "murmur-fence", "serde_json", "toml", "wit-bindgen"] {
            assert!(has(name), "{name}");
        }
        for name in ["proptest", "serde_derive", "tree-sitter", "unicode-security", "wasmtime"] {
            assert!(!has(name), "{name}");
        }

        let licences = fs::read_to_string(one.path().join("THIRD-PARTY-LICENSES.txt")).unwrap();
        assert!(licences.contains("dlmalloc 0.2"));
        assert!(licences.contains("Permission is hereby granted, free of charge"));
    }
}
