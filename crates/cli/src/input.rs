//! Where input comes from: a path, or standard input for `-`.

use std::convert::Infallible;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::failure::Failure;

/// One input.
#[derive(Clone, Debug)]
pub enum Input {
    Stdin,
    Path(PathBuf),
}

impl FromStr for Input {
    type Err = Infallible;

    fn from_str(argument: &str) -> Result<Self, Infallible> {
        Ok(if argument == "-" { Input::Stdin } else { Input::Path(argument.into()) })
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("-"),
            Input::Path(path) => path.display().fmt(f),
        }
    }
}

impl Input {
    /// The bytes, read as they come.
    pub fn open(&self) -> Result<Box<dyn Read>, Failure> {
        match self {
            Input::Stdin => Ok(Box::new(io::stdin().lock())),
            Input::Path(path) => Ok(Box::new(open(path)?)),
        }
    }

    /// The bytes through a buffer, for readers that may move between threads.
    pub fn buffered(&self) -> Result<Box<dyn BufRead + Send>, Failure> {
        Ok(match self {
            Input::Stdin => Box::new(BufReader::new(io::stdin())),
            Input::Path(path) => Box::new(BufReader::new(open(path)?)),
        })
    }

    /// The whole input as text.
    pub fn text(&self) -> Result<String, Failure> {
        self.text_of(self.open()?)
    }

    /// What a reader of this input gives, as text.
    pub fn text_of(&self, mut reader: impl Read) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|error| Failure::at("read", self, error))?;
        String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            Failure::at("read", self, format_args!("not UTF-8 at byte {offset}; convert it first"))
        })
    }

    /// The file of this name where the input is a directory; else the input.
    pub fn inside_directory(&self, name: &str) -> Input {
        match self {
            Input::Path(path) if path.is_dir() => Input::Path(path.join(name)),
            other => other.clone(),
        }
    }
}

/// Opens a file. A directory is refused here, where its name is known.
fn open(path: &Path) -> Result<File, Failure> {
    let file = File::open(path).map_err(|error| Failure::at("open", path.display(), error))?;
    let is_directory = file.metadata().is_ok_and(|metadata| metadata.is_dir());
    if is_directory {
        return Err(Failure::at("read", path.display(), "it is a directory"));
    }
    Ok(file)
}
