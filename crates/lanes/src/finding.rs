//! One finding, as every report shows it.

use alloc::string::String;
use core::fmt;

use serde_json::{Value, json};

use crate::registry::Place;

/// Something that is not as it has to be. Shows as
/// `path:line:column: rule: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: Rule,
    /// What is wrong, and what to do.
    pub message: String,
    /// The file.
    pub path: String,
    /// Where in the file; none for the whole file.
    pub place: Option<Place>,
}

/// What has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The registry can be read, and every lane in it has its trust and budget.
    RegistrySound,
    /// Every untrusted lane is fenced.
    LaneFenced,
    /// Every lane that is used is in the registry.
    LaneRegistered,
    /// The markers of a prompt are whole.
    MarkersWhole,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 4] =
        [Rule::RegistrySound, Rule::LaneFenced, Rule::LaneRegistered, Rule::MarkersWhole];

    /// The name of a breach of the rule, as reports spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::RegistrySound => "registry-unsound",
            Rule::LaneFenced => "lane-unfenced",
            Rule::LaneRegistered => "lane-unregistered",
            Rule::MarkersWhole => "markers-broken",
        }
    }

    /// What has to hold, in one sentence.
    pub fn description(self) -> &'static str {
        match self {
            Rule::RegistrySound => {
                "The lane registry can be read, and every lane in it has a trust and a budget."
            }
            Rule::LaneFenced => "Every untrusted lane is fenced.",
            Rule::LaneRegistered => "Every lane that is used is in the registry.",
            Rule::MarkersWhole => "The markers of a prompt are whole.",
        }
    }
}

impl Finding {
    /// The finding as a JSON object: `rule`, `message`, `path`, `line`, `column`.
    pub fn to_json(&self) -> Value {
        json!({
            "rule": self.rule.as_str(),
            "message": self.message,
            "path": self.path,
            "line": self.place.map(|place| place.line),
            "column": self.place.map(|place| place.column),
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(Place { line, column }) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}: {}", self.rule.as_str(), self.message)
    }
}
