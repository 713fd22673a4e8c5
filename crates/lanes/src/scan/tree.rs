//! The files of a source tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::vec::Vec;

use ignore::WalkBuilder;

use super::lower::Language;
use super::{ScanError, Skipped};

/// A source file, read.
pub(crate) struct SourceFile {
    /// From the root, with `/`; the file's own name where the root is the file.
    pub(crate) path: String,
    pub(crate) language: Language,
    pub(crate) text: String,
}

/// Directories of other people's code and of build results.
const FOREIGN: [&str; 9] = [
    "__pycache__",
    "bower_components",
    "node_modules",
    "site-packages",
    "target",
    "third_party",
    "vendor",
    "vendored",
    "venv",
];

/// The largest file that is read, in bytes. Beyond are bundles and tables.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// Reads the source files under the root, in the order of their paths. What
/// `.gitignore` names, hidden files and directories, and other people's code are
/// passed over.
pub(crate) fn read(root: &Path, tests: bool) -> Result<(Vec<SourceFile>, Vec<Skipped>), ScanError> {
    let failed = |path: &Path, why: &dyn ToString| ScanError {
        path: path.display().to_string(),
        reason: why.to_string(),
    };
    fs::metadata(root).map_err(|error| failed(root, &error))?;
    let mut walk = WalkBuilder::new(root);
    walk.require_git(false).sort_by_file_path(Path::cmp).filter_entry(move |entry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        // The root is what was asked for, whatever its name.
        entry.depth() == 0 || !is_dir || !(FOREIGN.contains(&name) || !tests && is_test_dir(name))
    });
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for entry in walk.build() {
        let entry = entry.map_err(|error| failed(root, &error))?;
        let Some(language) = Language::of(entry.path()) else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = relative(root, entry.path());
        if entry.depth() > 0 && !tests && is_test_file(&path) {
            continue;
        }
        let size = entry.metadata().map_err(|error| failed(entry.path(), &error))?.len();
        if size > MAX_FILE {
            let reason = "larger than 4 MiB";
            skipped.push(Skipped { path, reason });
            continue;
        }
        let bytes = fs::read(entry.path()).map_err(|error| failed(entry.path(), &error))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        files.push(SourceFile { path, language, text });
    }
    Ok((files, skipped))
}

fn relative(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let relative = match relative.as_os_str().is_empty() {
        true => path.file_name().map(PathBuf::from).unwrap_or_default(),
        false => relative.to_path_buf(),
    };
    let parts = relative.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

fn is_test_dir(name: &str) -> bool {
    matches!(name, "test" | "tests" | "__tests__" | "__mocks__")
}

/// Whether a file holds tests, by its name in the four languages.
pub(crate) fn is_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    name.contains(".test.")
        || name.contains(".spec.")
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "tests" | "conftest")
}

/// Whether a path lies in foreign code or, unless those count, in tests.
pub(crate) fn is_passed_over(path: &str, tests: bool) -> bool {
    let mut directories = path.split('/').rev().skip(1);
    directories.any(|name| FOREIGN.contains(&name) || !tests && is_test_dir(name))
        || !tests && is_test_file(path)
}
