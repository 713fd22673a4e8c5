//! The files of this project: tracked, and untracked but not ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, run};

/// The paths of the files in a checkout, relative to its root.
///
/// # Errors
/// When git is not there or the directory is no checkout.
pub fn list_sources(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut git = Command::new("git");
    // A checkout that another user owns is read here, nothing in it is run.
    git.current_dir(root).args(["-c", "safe.directory=*"]);
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
    let listed = run(&mut git)?;
    let paths = listed.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from);
    // Git also lists a tracked file that has been removed from the disk.
    Ok(paths.filter(|path| root.join(path).is_file()).collect())
}

/// Copies the files of a checkout to a directory, which is emptied first.
///
/// # Errors
/// As [`list_sources`], and when a file cannot be copied.
pub fn copy_sources(root: &Path, to: &Path) -> Result<(), Error> {
    if to.exists() {
        fs::remove_dir_all(to).map_err(Error::file("remove", to))?;
    }
    for path in list_sources(root)? {
        let copy = to.join(&path);
        if let Some(directory) = copy.parent() {
            fs::create_dir_all(directory).map_err(Error::file("create", directory))?;
        }
        let original = root.join(&path);
        fs::copy(&original, &copy).map_err(Error::file("copy", original))?;
    }
    Ok(())
}
