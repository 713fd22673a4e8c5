//! The files that are to be looked at: found, told apart, and opened once.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::report::{FileStart, PassedOver, Place};
use crate::lines::MAX_LINE;
use crate::surface::Kind;

/// How much of a file is read at first to tell its kind, in bytes.
const HEAD: usize = 64 << 10;

/// How many of the links that are passed over are named.
const NAMED_LINKS: usize = 20;

/// Something to be audited.
pub enum Input {
    /// A file, or a directory with everything below it.
    Path(PathBuf),
    /// What a reader gives, under a name. It is read once, and so is not held
    /// against other files.
    Reader {
        /// The name, for the report.
        name: String,
        /// The bytes.
        reader: Box<dyn Read + Send>,
    },
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Input::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Input::Reader { name, .. } => {
                f.debug_struct("Reader").field("name", name).finish_non_exhaustive()
            }
        }
    }
}

/// A file to be looked at.
pub(super) struct Planned {
    pub(super) start: FileStart,
    pub(super) from: From,
}

/// Where its bytes come from.
pub(super) enum From {
    /// A regular file, of this length when it was found.
    File(PathBuf, u64),
    /// A reader, or a pipe that was named.
    Reader(Box<dyn Read + Send>),
    /// Nowhere: it cannot be read, for this reason.
    Nowhere(String),
}

/// All that is to be looked at, in the order of the report.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) files: Vec<Planned>,
    pub(super) passed_over: PassedOver,
    /// Files that are in the plan already.
    known: HashSet<PathBuf>,
}

impl Plan {
    pub(super) fn of(inputs: Vec<Input>) -> Self {
        let mut plan = Plan::default();
        for input in inputs {
            match input {
                Input::Path(path) => plan.named(&path),
                Input::Reader { name, reader } => plan.reader(name, reader),
            }
        }
        plan
    }

    fn add(
        &mut self,
        path: String,
        kind: Kind,
        bytes: Option<u64>,
        place: Option<Place>,
        from: From,
    ) {
        let start = FileStart { index: self.files.len(), path, kind, bytes, place };
        self.files.push(Planned { start, from });
    }

    fn unreadable(&mut self, path: &Path, reason: impl ToString) {
        let from = From::Nowhere(reason.to_string());
        self.add(path.display().to_string(), Kind::Unknown, None, None, from);
    }

    /// What was named itself: links are followed, and any text is looked at.
    fn named(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.directory(path),
            Ok(metadata) if metadata.is_file() => self.file(path, metadata.len(), true),
            Ok(_) => match File::open(path) {
                Ok(pipe) => self.reader(path.display().to_string(), Box::new(pipe)),
                Err(error) => self.unreadable(path, error),
            },
            Err(error) => self.unreadable(path, error),
        }
    }

    /// Everything below a directory, by name.
    fn directory(&mut self, path: &Path) {
        // Depth first, without recursion: a tree may be deep.
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            let metadata = match fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) => {
                    self.unreadable(&path, error);
                    continue;
                }
            };
            if metadata.is_file() {
                self.file(&path, metadata.len(), false);
            } else if metadata.is_dir() || open.is_empty() && path.is_dir() {
                match entries(&path) {
                    Ok(entries) => open.extend(entries.into_iter().rev()),
                    Err(error) => self.unreadable(&path, error),
                }
            } else if metadata.is_symlink() {
                self.passed_over.links += 1;
                if self.passed_over.first_links.len() < NAMED_LINKS {
                    self.passed_over.first_links.push(path.display().to_string());
                }
            } else {
                self.passed_over.special += 1;
            }
        }
    }

    fn file(&mut self, path: &Path, length: u64, named: bool) {
        let known = fs::canonicalize(path).is_ok_and(|real| !self.known.insert(real));
        if known {
            return;
        }
        let kind = match File::open(path).and_then(|mut file| kind_of(&mut file)) {
            Ok((kind, _)) => kind,
            Err(error) => return self.unreadable(path, error),
        };
        match kind {
            Kind::Text if !named => self.passed_over.texts += 1,
            Kind::Unknown if !named => self.passed_over.unknown += 1,
            Kind::Unknown => {
                self.unreadable(path, "no text, and so neither a record nor another surface");
            }
            _ => {
                let place = (kind == Kind::Record).then(|| place_of(path)).flatten();
                let from = From::File(path.to_owned(), length);
                self.add(path.display().to_string(), kind, Some(length), place, from);
            }
        }
    }

    fn reader(&mut self, name: String, mut reader: Box<dyn Read + Send>) {
        match kind_of(&mut reader) {
            Ok((Kind::Unknown, _)) => {
                self.unreadable(
                    Path::new(&name),
                    "no text, and so neither a record nor another surface",
                );
            }
            Ok((kind, head)) => {
                let from = From::Reader(Box::new(io::Cursor::new(head).chain(reader)));
                self.add(name, kind, None, None, from);
            }
            Err(error) => self.unreadable(Path::new(&name), error),
        }
    }
}

fn entries(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        entries.push(entry?.path());
    }
    entries.sort();
    Ok(entries)
}

/// Tells the kind of a file, and answers what was read of it to tell.
fn kind_of(reader: &mut dyn Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = Vec::new();
    let mut wanted = HEAD;
    loop {
        let room = (wanted - head.len()) as u64;
        let whole = reader.take(room).read_to_end(&mut head)? < room as usize;
        if let Some(kind) = Kind::detect(&head, whole) {
            return Ok((kind, head));
        }
        if wanted > MAX_LINE {
            return Ok((Kind::Text, head));
        }
        wanted *= 4;
    }
}

/// Where a record stands in Murmur's layout.
fn place_of(path: &Path) -> Option<Place> {
    let path = std::path::absolute(path).ok()?;
    let context = path.parent()?;
    let record = context.parent()?;
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    if name(record.parent()?)? != "conversations" {
        return None;
    }
    Some(Place { record: name(record)?, context: name(context)? })
}
