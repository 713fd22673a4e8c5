//! A file that is either whole or not there: written beside its place and renamed
//! into it, and removed on Ctrl-C.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

use crate::failure::Failure;

/// What a shell reports of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// The file that is being written, if one is.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on Ctrl-C ends the program with status 130 and removes the file that
/// is being written. It works also while a read waits for input.
pub fn clean_up_on_interrupt() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        // The lock is kept to the end, so that no other file is begun meanwhile.
        let mut unfinished = unfinished();
        if let Some(path) = unfinished.take() {
            _ = fs::remove_file(path);
        }
        process::exit(INTERRUPTED);
    })
    .map_err(|error| Failure::new(format!("failed to listen for Ctrl-C: {error}")))
}

/// A file on its way to its place.
pub struct WholeFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl WholeFile {
    /// Begins the file, so that a place that cannot be written is known before the
    /// work is done.
    pub fn create(target: &Path) -> Result<Self, Failure> {
        let refused = |reason: io::Error| Failure::at("write", target.display(), reason);
        if target.is_dir() {
            return Err(Failure::at("write", target.display(), "it is a directory; name a file"));
        }
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".murmur-fence-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file: the user's mask takes away from this.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(directory).map_err(refused)?;
        *unfinished = Some(file.path().to_owned());
        Ok(WholeFile { file, target: target.to_owned() })
    }

    /// Writes the content and puts the file into its place.
    pub fn finish(mut self, content: &str) -> Result<(), Failure> {
        let refused = |reason: io::Error| Failure::at("write", self.target.display(), reason);
        self.file.write_all(content.as_bytes()).map_err(refused)?;
        let mut unfinished = unfinished();
        self.file.persist(&self.target).map_err(|error| refused(error.error))?;
        *unfinished = None;
        Ok(())
    }
}
