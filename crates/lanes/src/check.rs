//! Checking a registry: whether `lanes.toml` is sound, and what is in it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::finding::{Finding, Rule};
use crate::registry::{Problem, Registry};
use crate::trust::Trust;

/// A registry and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What could be read, untrusted where in doubt.
    pub registry: Registry,
    /// In the order of the file.
    pub problems: Vec<Problem>,
}

impl Check {
    /// Reads the text of `lanes.toml`.
    pub fn of(text: &str) -> Self {
        let (registry, problems) = Registry::parse_lenient(text);
        Check { registry, problems }
    }

    /// A finding for each problem. `path` is the registry's.
    pub fn findings(&self, path: &str) -> Vec<Finding> {
        let finding = |problem: &Problem| Finding {
            rule: Rule::RegistrySound,
            message: problem.kind.to_string(),
            path: path.to_string(),
            place: Some(problem.place),
        };
        self.problems.iter().map(finding).collect()
    }

    /// The check for reading.
    pub fn to_human(&self, path: &str) -> String {
        let mut out = format!("{path}: {}\n", summary(&self.registry));
        for finding in self.findings(path) {
            out += &format!("{finding}\n");
        }
        out
    }

    /// The check as one JSON object.
    pub fn to_json(&self, path: &str) -> Value {
        let lanes = self.registry.lanes().iter().map(|lane| {
            json!({
                "lane": lane.name,
                "trust": lane.trust.as_str(),
                "budget": lane.budget,
                "declared": lane.trust.is_untrusted(),
                "line": lane.place.map(|place| place.line),
            })
        });
        json!({
            "registry": path,
            "lanes": lanes.collect::<Vec<Value>>(),
            "declared": self.registry.untrusted().count(),
            "findings": self.findings(path).iter().map(Finding::to_json).collect::<Vec<Value>>(),
        })
    }
}

/// How many lanes a registry has, by their trust: `3 lanes: 1 owner, 2 tool`.
pub(crate) fn summary(registry: &Registry) -> String {
    let mut classes: BTreeMap<Trust, usize> = BTreeMap::new();
    for lane in registry.lanes() {
        *classes.entry(lane.trust).or_default() += 1;
    }
    let classes: Vec<_> = classes.iter().map(|(class, count)| format!("{count} {class}")).collect();
    let separator = if classes.is_empty() { "" } else { ": " };
    format!("{}{separator}{}", counted(registry.lanes().len(), "lane"), classes.join(", "))
}

/// A number with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
