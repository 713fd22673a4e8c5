//! Recorded vectors: input and output of another fence that this one must match
//! byte for byte.

use crate::cases::CaseError;
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::Path;

/// One line of a vector file.
#[derive(Clone, Debug, Deserialize)]
pub struct Vector {
    /// The file and the line.
    #[serde(skip)]
    pub at: String,
    /// The source name that was given.
    pub source: String,
    /// The text that was given.
    pub content: String,
    /// The opening marker that came of the source.
    pub open: String,
    /// The text that came of the content, neutralised.
    pub neutralised: String,
    /// The block that came of both.
    pub wrapped: String,
}

/// The vectors in `vectors/*.jsonl`; none when there is no such directory.
///
/// # Errors
///
/// When a file cannot be read, or a line is not a vector.
pub fn find(root: &Path) -> Result<Vec<Vector>, CaseError> {
    let directory = root.join("vectors");
    let entries = match fs::read_dir(&directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CaseError::new(directory, error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| CaseError::new(&directory, error))?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
    paths.sort();

    let mut vectors = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| CaseError::new(&path, error))?;
        for (index, line) in text.lines().enumerate() {
            let at = format!("{}:{}", path.display(), index + 1);
            let vector: Vector =
                serde_json::from_str(line).map_err(|error| CaseError::new(&at, error))?;
            vectors.push(Vector { at, ..vector });
        }
    }
    Ok(vectors)
}
