//! Why a corpus cannot be used.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::template::TemplateProblem;

/// Why a corpus cannot be used.
#[derive(Debug)]
pub enum CorpusError {
    /// A file or directory could not be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// No page where pages were looked for.
    Empty {
        /// Where.
        place: String,
    },
    /// A page that is not as pages are.
    Page {
        /// The page's file within the corpus.
        file: String,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// What is wrong.
        problem: PageProblem,
    },
}

/// What is wrong with a page.
#[derive(Debug)]
pub enum PageProblem {
    /// Not `category/name.txt` in lower-case words joined by hyphens.
    Name,
    /// The first line is not `+++`, or no second one ends the header.
    NoHeader,
    /// The header is no TOML, or lacks or has what it should not.
    Header(String),
    /// The notation of the text is broken.
    Template(TemplateProblem),
    /// Not as many texts as sources.
    Parts {
        /// Texts found.
        texts: usize,
        /// Sources named.
        sources: usize,
    },
    /// A text with nothing in it.
    EmptyText,
    /// No fact, or a fact without a wording.
    NoFact,
    /// A header without a payload table on a page whose text marks a payload,
    /// or the other way round.
    PayloadMismatch,
    /// The directory says benign and the page carries a payload, or the other
    /// way round.
    CategoryMismatch,
    /// Not exactly one of `says`, `calls` and `leaks`.
    Check,
    /// A leak has nothing of its own to be found by.
    NoAnchor,
    /// The anchor is not exactly once in the payload.
    Anchor {
        /// The anchor.
        anchor: String,
        /// How often it stands in the page.
        count: usize,
    },
}

impl fmt::Display for PageProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageProblem::Name => f.write_str(
                "the file is not `category/name.txt` in lower-case words joined by hyphens",
            ),
            PageProblem::NoHeader => {
                f.write_str("a page begins with a TOML header between two lines `+++`")
            }
            PageProblem::Header(reason) => f.write_str(reason),
            PageProblem::Template(problem) => problem.fmt(f),
            PageProblem::Parts { texts, sources } => write!(
                f,
                "{texts} texts for {sources} sources; a line `⟦next⟧` stands between two texts"
            ),
            PageProblem::EmptyText => f.write_str("a text with nothing in it"),
            PageProblem::NoFact => {
                f.write_str("no fact to look for in a summary; name at least one in `facts`")
            }
            PageProblem::PayloadMismatch => f.write_str(
                "a `[payload]` table and a text between `⟪` and `⟫` belong together; one is missing",
            ),
            PageProblem::CategoryMismatch => {
                f.write_str("a page in `benign` has no payload, and every other page has one")
            }
            PageProblem::Check => {
                f.write_str("a payload has exactly one of `says`, `calls` and `leaks`")
            }
            PageProblem::NoAnchor => {
                f.write_str("a payload that leaks needs an `anchor`: a stretch of its own text")
            }
            PageProblem::Anchor { anchor, count } => write!(
                f,
                "the anchor `{anchor}` must stand once in the page, inside its payload; \
                 it stands there {count} times"
            ),
        }
    }
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CorpusError::Read { path, error } => {
                write!(f, "failed to read corpus `{}`: {error}", path.display())
            }
            CorpusError::Empty { place } => {
                write!(f, "no page in {place}; a corpus holds files `category/name.txt`")
            }
            CorpusError::Page { file, line: Some(line), problem } => {
                write!(f, "corpus page `{file}`, line {line}: {problem}")
            }
            CorpusError::Page { file, line: None, problem } => {
                write!(f, "corpus page `{file}`: {problem}")
            }
        }
    }
}

impl std::error::Error for CorpusError {}
