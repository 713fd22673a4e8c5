//! The record's file, in the directory that the host has preopened.

use core::fmt;

use murmur_fence_record::{Stat, Storage};

use crate::wasi::filesystem::preopens::get_directories;
use crate::wasi::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorType, ErrorCode, OpenFlags, PathFlags,
};

/// The record's name in its directory.
const RECORD: &str = "conversation.jsonl";

/// A directory that holds a record.
pub struct Directory {
    directory: Descriptor,
    /// The file that was looked at last. It is held open, so that the host's file
    /// system does not give its identity to the file that replaces it.
    file: Option<Descriptor>,
}

impl Directory {
    /// The first directory that the host has preopened, if there is one.
    pub fn granted() -> Option<Self> {
        let (directory, _) = get_directories().into_iter().next()?;
        Some(Directory { directory, file: None })
    }
}

impl Storage for Directory {
    type Error = Refusal;

    fn stat(&mut self) -> Result<Option<Stat>, Refusal> {
        let (follow, read) = (PathFlags::SYMLINK_FOLLOW, DescriptorFlags::READ);
        // Looked at before it is opened: opening a pipe would wait in the host for
        // its other end, and no limit on the guest's time reaches there.
        match self.directory.stat_at(follow, RECORD) {
            Ok(stat) if stat.type_ == DescriptorType::RegularFile => {}
            Ok(_) => return Err(Refusal::NotAFile),
            Err(ErrorCode::NoEntry) => return Ok(None),
            Err(code) => return Err(Refusal::Host(code)),
        }
        let file = match self.directory.open_at(follow, RECORD, OpenFlags::empty(), read) {
            Ok(file) => file,
            Err(ErrorCode::NoEntry) => return Ok(None),
            Err(code) => return Err(Refusal::Host(code)),
        };
        let stat = file.stat()?;
        if stat.type_ != DescriptorType::RegularFile {
            return Err(Refusal::NotAFile);
        }
        let hash = file.metadata_hash()?;
        self.file = Some(file);
        Ok(Some(Stat {
            length: stat.size,
            identity: (hash.lower, hash.upper),
            modified: stat.data_modification_timestamp.map(|time| (time.seconds, time.nanoseconds)),
        }))
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, Refusal> {
        let Some(file) = &self.file else { return Ok(0) };
        // The host answers with a copy of its own; an answer that is longer than
        // asked for is cut.
        let (bytes, _) = file.read(buffer.len() as u64, offset)?;
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        Ok(length)
    }
}

/// Why the host does not give the record out.
pub enum Refusal {
    Host(ErrorCode),
    NotAFile,
}

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Refusal::Host(code)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::NotAFile => "not a regular file",
            Refusal::Host(code) => match code {
                ErrorCode::Access => "permission denied",
                ErrorCode::NotPermitted => "the host does not permit it",
                ErrorCode::IsDirectory => "is a directory",
                ErrorCode::NotDirectory => "not a directory",
                ErrorCode::Loop => "too many symbolic links",
                ErrorCode::Io => "input/output error",
                ErrorCode::InsufficientMemory => "the host is out of memory",
                other => other.name(),
            },
        })
    }
}
