//! A source tree to scan, and `lanes.toml` for it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// Lanes: task (owner), results (tool), memory (child), page (model).
pub const LANES: &str = "\
[task]
trust = \"owner\"
budget = 1000

[results]
trust = \"tool\"
budget = 1000

[memory]
trust = \"child\"
budget = 1000

[page]
trust = \"model\"
budget = 1000
";

/// Files in a directory that goes away.
pub struct Tree(TempDir);

impl Tree {
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
