//! Appending to a results file, also to one that a kill has left behind.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::Results;
use super::error::ResultsError;
use super::record::{Failure, Header, Judgement, Key, Line, Trial};

/// A results file that is being written. No other process can write it.
#[derive(Debug)]
pub struct ResultsFile {
    path: PathBuf,
    file: File,
}

/// What a results file held when it was opened.
#[derive(Clone, Debug, Default)]
pub struct Resumed {
    /// The trials that need not be made again.
    pub done: HashSet<Key>,
    /// Whether the last line was torn, and is gone.
    pub torn: bool,
}

impl ResultsFile {
    /// Opens the file, or begins it with the header.
    ///
    /// # Errors
    ///
    /// What cannot be read or written, is being written by another process, is no
    /// results file, or is of a run with another header.
    pub fn open(path: &Path, header: &Header) -> Result<(Self, Resumed), ResultsError> {
        let open_error = |error| ResultsError::Open { path: path.to_owned(), error };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(open_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ResultsError::Locked { path: path.to_owned() });
            }
            // A file system without locks: the caller knows what runs there.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(open_error)?;

        let mut results_file = ResultsFile { path: path.to_owned(), file };
        let mut resumed = Resumed::default();
        // A kill during the very first line leaves no whole one.
        let whole = if bytes.contains(&b'\n') {
            let (results, whole) = Results::parse(path, &bytes)?;
            if let Some((field, file, run)) = results.header.difference(header) {
                let path = path.to_owned();
                return Err(ResultsError::OtherRun { path, field, file, run });
            }
            resumed.done = results.trials.iter().map(Trial::key).collect();
            whole
        } else {
            check_is_ours(path, &bytes)?;
            0
        };
        resumed.torn = whole < bytes.len();
        results_file.cut(whole as u64)?;
        if whole == 0 {
            results_file.append(&Line::Run(header.clone()))?;
        }
        Ok((results_file, resumed))
    }

    /// Opens a file that has trials already, to add judgements.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open) and of [`Results::read`].
    pub fn reopen(path: &Path) -> Result<(Self, Results), ResultsError> {
        let results = Results::read(path)?;
        let (file, _) = ResultsFile::open(path, &results.header)?;
        Ok((file, results))
    }

    /// Adds a trial.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn trial(&mut self, trial: Trial) -> Result<(), ResultsError> {
        self.append(&Line::Trial(trial))
    }

    /// Adds a failure.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn failure(&mut self, failure: Failure) -> Result<(), ResultsError> {
        self.append(&Line::Failure(failure))
    }

    /// Adds a judgement.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn judgement(&mut self, judgement: Judgement) -> Result<(), ResultsError> {
        self.append(&Line::Judgement(judgement))
    }

    /// Cuts a torn line off and goes to the end.
    fn cut(&mut self, length: u64) -> Result<(), ResultsError> {
        let cut = |file: &mut File| {
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length)).map(drop)
        };
        cut(&mut self.file).map_err(|error| ResultsError::Write { path: self.path.clone(), error })
    }

    /// One write a line: a kill leaves the line whole, absent, or torn at the end.
    fn append(&mut self, line: &Line) -> Result<(), ResultsError> {
        let write = |file: &mut File| {
            let mut bytes = serde_json::to_vec(line)?;
            bytes.push(b'\n');
            file.write_all(&bytes)
        };
        write(&mut self.file)
            .map_err(|error| ResultsError::Write { path: self.path.clone(), error })
    }
}

/// Refuses to overwrite a file without a line break that no run has begun.
fn check_is_ours(path: &Path, bytes: &[u8]) -> Result<(), ResultsError> {
    let beginning = br#"{"kind":"run","#;
    let length = bytes.len().min(beginning.len());
    if bytes[..length] == beginning[..length] {
        return Ok(());
    }
    let reason = "the first line is no `run` line".to_owned();
    Err(ResultsError::Line { path: path.to_owned(), line: 1, reason })
}
