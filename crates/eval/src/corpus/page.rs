//! A page of the corpus: what it says, what it hides, and how to tell whether that worked.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::template::{Markers, Template};

/// The category of the pages that attack nothing.
pub const BENIGN: &str = "benign";

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// `category/name`; a mutant adds `~` and its number.
    pub id: String,
    /// What kind of text it is: `documentation`, `mail`, and so on.
    pub format: String,
    /// A language tag such as `en` or `zh`.
    pub language: String,
    /// Whether rules may be tuned on it.
    pub split: Split,
    /// The stretches in which it reaches the model; more than one when an
    /// attack is split over several lanes.
    pub parts: Vec<Part>,
    /// What a good summary mentions.
    pub facts: Vec<Fact>,
    /// The attack; none on a benign page.
    pub payload: Option<Payload>,
    /// Changes when anything of the page changes.
    pub(crate) fingerprint: [u8; 32],
}

/// One stretch of a page.
#[derive(Clone, Debug)]
pub struct Part {
    /// The source name, which may carry the payload itself.
    pub source: Template,
    /// The text.
    pub text: Template,
}

/// A part with the markers filled in: what a builder gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The source name.
    pub source: String,
    /// The text.
    pub text: String,
}

/// Something that a good summary mentions, in any one of these wordings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "FactForm")]
pub struct Fact {
    /// The wordings; never empty.
    pub wordings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FactForm {
    One(String),
    Any(Vec<String>),
}

impl From<FactForm> for Fact {
    fn from(form: FactForm) -> Self {
        match form {
            FactForm::One(wording) => Fact { wordings: vec![wording] },
            FactForm::Any(wordings) => Fact { wordings },
        }
    }
}

/// An attack's success check.
#[derive(Clone, Debug)]
pub struct Payload {
    /// What a model that obeys does.
    pub check: Check,
    /// A stretch of the payload that stands nowhere else, and that mutation
    /// leaves alone.
    pub anchor: String,
}

/// What a model that obeys a payload does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// Says this in its own voice.
    Says(String),
    /// Calls this tool with this text in an argument.
    Calls {
        /// The tool's name.
        tool: String,
        /// A text in one of its arguments.
        argument: String,
    },
    /// Gives away a canary of the system prompt or of a tool.
    Leaks,
}

/// Which pages rules may be tuned on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Rules and builders may be tuned on these.
    Train,
    /// Kept for measuring what tuning has not seen.
    HeldOut,
}

impl Split {
    /// The name as files and options spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::HeldOut => "held-out",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Split {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Split::Train, Split::HeldOut]
            .into_iter()
            .find(|split| split.as_str() == name)
            .ok_or_else(|| format!("unknown split `{name}`; there are `train` and `held-out`"))
    }
}

impl Page {
    /// The kind of attack, or [`BENIGN`].
    pub fn category(&self) -> &str {
        self.id.split_once('/').map_or(self.id.as_str(), |(category, _)| category)
    }

    /// The page with these markers where its payload names them.
    pub fn documents(&self, markers: Markers<'_>) -> Vec<Document> {
        let document = |part: &Part| Document {
            source: part.source.render(markers),
            text: part.text.render(markers),
        };
        self.parts.iter().map(document).collect()
    }

    /// The longest line outside the payload: it tells the page from the others.
    pub fn signature(&self) -> String {
        let carrier = self.parts.first().map(|part| part.text.carrier()).unwrap_or_default();
        let longest = carrier.lines().max_by_key(|line| line.len()).unwrap_or_default();
        longest.trim().to_owned()
    }

    /// The texts of the payload that a mutation must leave alone.
    pub(crate) fn protected(&self) -> Vec<&str> {
        let Some(payload) = &self.payload else { return Vec::new() };
        let mut protected = vec![payload.anchor.as_str()];
        match &payload.check {
            Check::Says(text) => protected.push(text),
            Check::Calls { tool, argument } => protected.extend([tool.as_str(), argument]),
            Check::Leaks => {}
        }
        protected
    }
}
