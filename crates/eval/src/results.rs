//! The results file: one JSON object a line, appended and never rewritten, so that
//! a run which was killed goes on where it stopped.

mod error;
mod file;
mod record;

pub use error::ResultsError;
pub use file::{ResultsFile, Resumed};
pub use record::{Failure, Header, Judgement, Key, Trial};

use std::collections::HashMap;
use std::path::Path;

use record::Line;

/// What a results file holds.
#[derive(Clone, Debug)]
pub struct Results {
    /// What the trials are of.
    pub header: Header,
    /// The trials, in the order in which they ended.
    pub trials: Vec<Trial>,
    /// What failed and was not made up for later.
    pub failures: Vec<Failure>,
    /// What a judge model said.
    pub judgements: Vec<Judgement>,
}

impl Results {
    /// Reads a file. A last line that was torn by a kill is passed over.
    ///
    /// # Errors
    ///
    /// What cannot be read, or is no results file; a trial that stands there
    /// twice.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let bytes = std::fs::read(path)
            .map_err(|error| ResultsError::Open { path: path.to_owned(), error })?;
        Results::parse(path, &bytes).map(|(results, _)| results)
    }

    /// The results in these bytes, and how many of them are whole lines.
    fn parse(path: &Path, bytes: &[u8]) -> Result<(Self, usize), ResultsError> {
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut header = None;
        let mut trials: Vec<Trial> = Vec::new();
        let mut failures = Vec::new();
        let mut judgements = Vec::new();
        let mut seen = HashMap::new();
        let lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n');
        for (number, line) in (1..).zip(lines) {
            let bad = |reason| ResultsError::Line { path: path.to_owned(), line: number, reason };
            let line: Line = serde_json::from_slice(line).map_err(|e| bad(e.to_string()))?;
            match (line, &header) {
                (Line::Run(first), None) => header = Some(first),
                (Line::Run(_), Some(_)) => return Err(bad("a second `run` line".to_owned())),
                (_, None) => return Err(bad("the first line is no `run` line".to_owned())),
                (Line::Trial(trial), Some(_)) => {
                    if let Some(before) = seen.insert(trial.key(), number) {
                        let trial = trial.key();
                        return Err(bad(format!("{trial} stands in line {before} already")));
                    }
                    trials.push(trial);
                }
                (Line::Failure(failure), Some(_)) => failures.push(failure),
                (Line::Judgement(judgement), Some(_)) => judgements.push(judgement),
            }
        }
        let header = header.ok_or_else(|| ResultsError::Empty { path: path.to_owned() })?;
        header.check_version(path)?;
        failures.retain(|failure: &Failure| !seen.contains_key(&failure.key));
        // Of several failures of one trial the last one says how it stands.
        let last: HashMap<Key, usize> =
            failures.iter().enumerate().map(|(n, failure)| (failure.key.clone(), n)).collect();
        let failures = failures
            .into_iter()
            .enumerate()
            .filter(|(n, failure)| last[&failure.key] == *n)
            .map(|(_, failure)| failure)
            .collect();
        Ok((Results { header, trials, failures, judgements }, whole))
    }
}
