//! Where a record is stored: looked at and read at offsets, never written.

use core::fmt;

/// A record file.
pub trait Storage {
    /// Why the file could not be looked at or read, in words for a person.
    type Error: fmt::Display;

    /// Looks at the file that has the record's name now; none when there is none.
    ///
    /// What [`read_at`](Storage::read_at) reads afterwards is the file that was
    /// looked at last, also when another has taken its name since. An
    /// implementation should hold that file open until it has looked at the next
    /// one: a file system may give its identity away as soon as nobody does.
    fn stat(&mut self) -> Result<Option<Stat>, Self::Error>;

    /// Reads into `buffer` from an offset in bytes; answers how many were read,
    /// 0 at the end of the file or for an empty buffer, possibly fewer than asked.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, Self::Error>;
}

/// What tells whether a record is still the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Length in bytes.
    pub length: u64,
    /// Differs when another file takes the name.
    pub identity: (u64, u64),
    /// When the file was written last: seconds since the Unix epoch and
    /// nanoseconds, where the system tells.
    pub modified: Option<(u64, u32)>,
}

#[cfg(feature = "std")]
pub use self::file::FileStorage;
#[cfg(feature = "std")]
pub(crate) use self::file::read_at;

#[cfg(feature = "std")]
mod file {
    use std::fs::{self, File, Metadata};
    use std::io;
    use std::path::PathBuf;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::{Stat, Storage};

    /// A record in the file system.
    #[derive(Debug)]
    pub struct FileStorage {
        path: PathBuf,
        file: Option<File>,
    }

    impl FileStorage {
        /// The record at `path`. Nothing is opened yet.
        pub fn new(path: impl Into<PathBuf>) -> Self {
            FileStorage { path: path.into(), file: None }
        }
    }

    impl Storage for FileStorage {
        type Error = io::Error;

        fn stat(&mut self) -> io::Result<Option<Stat>> {
            // Asked before opening: opening a pipe would wait for its writer.
            match fs::metadata(&self.path) {
                Ok(metadata) if metadata.is_file() => {}
                Ok(_) => return Err(io::Error::other("not a regular file")),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            }
            let file = match File::open(&self.path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let metadata = file.metadata()?;
            self.file = Some(file);
            Ok(Some(Stat {
                length: metadata.len(),
                identity: identity(&metadata),
                modified: metadata.modified().ok().and_then(since_epoch),
            }))
        }

        fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            match &self.file {
                Some(file) => read_at(file, offset, buffer),
                None => Ok(0),
            }
        }
    }

    fn since_epoch(time: SystemTime) -> Option<(u64, u32)> {
        let elapsed = time.duration_since(UNIX_EPOCH).ok()?;
        Some((elapsed.as_secs(), elapsed.subsec_nanos()))
    }

    #[cfg(unix)]
    fn identity(metadata: &Metadata) -> (u64, u64) {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    }

    /// Elsewhere the standard library tells no file number; a file that replaces
    /// another was made at another time.
    #[cfg(not(unix))]
    fn identity(metadata: &Metadata) -> (u64, u64) {
        let created = metadata.created().ok().and_then(since_epoch).unwrap_or_default();
        (created.0, u64::from(created.1))
    }

    #[cfg(unix)]
    pub(crate) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        use std::os::unix::fs::FileExt;
        loop {
            match file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn read_at(mut file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        use std::io::{Read, Seek, SeekFrom};
        file.seek(SeekFrom::Start(offset))?;
        loop {
            match file.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }
}
