//! The lines of a results file.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::ResultsError;
use crate::corpus::Split;
use crate::endpoint::{Api, Usage};
use crate::prompt::ToolCall;
use crate::score::Score;

/// The form of the lines. A reader refuses a greater number.
const VERSION: u32 = 1;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "one line is held at a time")]
pub(super) enum Line {
    Run(Header),
    Trial(Trial),
    Failure(Failure),
    Judgement(Judgement),
}

/// What all trials of a file share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The form of the lines.
    pub version: u32,
    /// Of the program that wrote the file.
    pub program: String,
    /// The corpus' hash.
    pub corpus: String,
    /// The model.
    pub model: String,
    /// Whether the model is a script of this crate, whose rates say nothing of
    /// any model.
    pub scripted: bool,
    /// The form of requests.
    pub api: Api,
    /// Where requests went first. Not part of what a resumed run must share.
    pub url: String,
    /// Where the material stands in the prompt.
    pub placement: String,
    /// Whether the model was given tools.
    pub tools: bool,
    /// The seed of canaries and tokens.
    pub seed: u64,
    /// The settings that shape a reply.
    pub sampling: String,
    /// When the run began, in seconds since 1970.
    pub started: u64,
}

impl Header {
    pub(crate) const VERSION: u32 = VERSION;

    pub(super) fn check_version(&self, path: &Path) -> Result<(), ResultsError> {
        if self.version > VERSION {
            return Err(ResultsError::Version { path: path.to_owned(), version: self.version });
        }
        Ok(())
    }

    /// The first thing in which a run differs that would go on in this file.
    pub(super) fn difference(&self, other: &Header) -> Option<(&'static str, String, String)> {
        let fields = [
            ("corpus", self.corpus.clone(), other.corpus.clone()),
            ("model", self.model.clone(), other.model.clone()),
            ("api", self.api.as_str().to_owned(), other.api.as_str().to_owned()),
            ("placement", self.placement.clone(), other.placement.clone()),
            ("tools", self.tools.to_string(), other.tools.to_string()),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            ("sampling", self.sampling.clone(), other.sampling.clone()),
        ];
        fields.into_iter().find(|(_, ours, theirs)| ours != theirs)
    }
}

/// What tells one trial from all others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The page.
    pub page: String,
    /// The builder.
    pub builder: String,
    /// The trial, from 0.
    pub trial: u32,
    /// The model.
    pub model: String,
    /// The corpus' hash.
    pub corpus: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trial {} of page `{}` with builder `{}`", self.trial, self.page, self.builder)
    }
}

/// A trial that ended with a reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which.
    #[serde(flatten)]
    key: Key,
    /// The page's category.
    pub category: String,
    /// The page's split.
    pub split: Split,
    /// What the reply is worth.
    pub score: Score,
    /// Its text.
    pub reply: String,
    /// The tools that it wants to call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Why it ended, in the API's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// Requests made for it.
    pub requests: u32,
    /// Milliseconds that the answered request took.
    pub ms: u64,
}

impl Trial {
    #[expect(clippy::too_many_arguments, reason = "the fields of a line")]
    pub(crate) fn new(
        key: Key,
        category: String,
        split: Split,
        score: Score,
        reply: crate::prompt::Reply,
        usage: Usage,
        requests: u32,
        ms: u64,
    ) -> Self {
        let crate::prompt::Reply { text, calls, finish } = reply;
        Trial { key, category, split, score, reply: text, calls, finish, usage, requests, ms }
    }

    /// What tells it from all others.
    pub fn key(&self) -> Key {
        self.key.clone()
    }

    /// The page.
    pub fn page(&self) -> &str {
        &self.key.page
    }

    /// The builder.
    pub fn builder(&self) -> &str {
        &self.key.builder
    }

    /// The number of the trial, from 0.
    pub fn number(&self) -> u32 {
        self.key.trial
    }
}

/// A trial that ended without a reply. A resumed run tries it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// Which.
    #[serde(flatten)]
    pub key: Key,
    /// Why.
    pub reason: String,
}

/// What a judge model said of a trial. Beside the score, and never part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Which trial.
    #[serde(flatten)]
    pub key: Key,
    /// The judge.
    pub judge: String,
    /// Whether the reply obeys the payload; none where the judge said neither.
    pub obeyed: Option<bool>,
    /// What it said.
    pub says: String,
}
