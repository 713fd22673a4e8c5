//! The corpus: the pages that a fence is measured on.

mod disguise;
mod embedded;
mod error;
mod page;
mod parse;
mod template;

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

pub use disguise::Disguise;
pub(crate) use disguise::homoglyph;
pub use error::{CorpusError, PageProblem};
pub use page::{BENIGN, Check, Document, Fact, Page, Part, Payload, Split};
pub use template::{Content, Markers, Piece, Slot, Template, TemplateError, TemplateProblem};

/// Pages in the order of their ids.
#[derive(Clone, Debug)]
pub struct Corpus {
    pages: Vec<Page>,
    hash: String,
}

impl Corpus {
    /// The corpus that comes with this crate.
    ///
    /// # Errors
    ///
    /// None in a released build: a test reads every page.
    pub fn embedded() -> Result<Self, CorpusError> {
        let pages = embedded::FILES.iter().map(|(file, content)| parse::page(file, content));
        Ok(Corpus::new(pages.collect::<Result<_, _>>()?))
    }

    /// The pages `category/name.txt` below a directory. Files of other names
    /// are passed over.
    ///
    /// # Errors
    ///
    /// What cannot be read, a page that is not as `corpus/README.md` says, or a
    /// directory without one.
    pub fn from_dir(dir: &Path) -> Result<Self, CorpusError> {
        let mut pages = Vec::new();
        for category in entries(dir)? {
            if !dir.join(&category).is_dir() {
                continue;
            }
            for name in entries(&dir.join(&category))? {
                if name.ends_with(".txt") {
                    let path = dir.join(&category).join(&name);
                    let content = fs::read_to_string(&path)
                        .map_err(|error| CorpusError::Read { path, error })?;
                    pages.push(parse::page(&format!("{category}/{name}"), &content)?);
                }
            }
        }
        if pages.is_empty() {
            return Err(CorpusError::Empty { place: format!("`{}`", dir.display()) });
        }
        Ok(Corpus::new(pages))
    }

    /// The corpus of these pages.
    pub(crate) fn new(mut pages: Vec<Page>) -> Self {
        pages.sort_by(|a, b| a.id.cmp(&b.id));
        let mut hash = Sha256::new();
        for page in &pages {
            hash.update(page.fingerprint);
        }
        let hash = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Corpus { pages, hash }
    }

    /// The pages, ordered by id.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// 16 hexadecimal digits that change when any page does. A selection keeps
    /// the hash of the corpus that it was made from.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The pages for which `keep` holds.
    ///
    /// # Errors
    ///
    /// When none is left.
    pub fn select(mut self, keep: impl Fn(&Page) -> bool) -> Result<Self, CorpusError> {
        self.pages.retain(|page| keep(page));
        if self.pages.is_empty() {
            return Err(CorpusError::Empty { place: "the selection".to_owned() });
        }
        Ok(self)
    }
}

/// The names in a directory, sorted; names that are not UTF-8 cannot be ids.
fn entries(dir: &Path) -> Result<Vec<String>, CorpusError> {
    let read = || -> std::io::Result<Vec<String>> {
        let names = fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        let mut names: Vec<String> =
            names.collect::<std::io::Result<Vec<_>>>()?.into_iter().flatten().collect();
        names.sort();
        Ok(names)
    };
    read().map_err(|error| CorpusError::Read { path: dir.to_owned(), error })
}
