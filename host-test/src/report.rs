//! What the checks of one component come to.

use crate::show;
use murmur_fence_host::World;
use serde_json::{Value, json};
use std::fmt::{self, Write as _};

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where: a case's path, or what was called.
    pub at: String,
    /// What was expected there.
    pub expected: String,
    /// What was seen instead.
    pub seen: String,
}

impl Finding {
    /// A finding about two texts, shown where they differ.
    pub fn of_texts(at: impl Into<String>, expected: &str, seen: &str) -> Self {
        let (expected, seen) = show::difference(expected, seen);
        Finding { at: at.into(), expected, seen }
    }

    /// A finding about two values, if they differ, shown where they do.
    pub fn of_values(at: impl Into<String>, expected: &Value, seen: &Value) -> Option<Self> {
        let (pointer, expected, seen) = show::first_difference(expected, seen)?;
        let at = at.into();
        let at = if pointer.is_empty() { at } else { format!("{at} {}", show::visible(&pointer)) };
        Some(match (expected, seen) {
            (Value::String(expected), Value::String(seen)) => Finding::of_texts(at, expected, seen),
            _ => Finding::of_texts(at, &expected.to_string(), &seen.to_string()),
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "    at        {}", self.at)?;
        writeln!(f, "    expected  {}", self.expected)?;
        writeln!(f, "    seen      {}", self.seen)
    }
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It looked at so many things and found nothing.
    Passed(usize),
    /// What it found; never empty.
    Failed(Vec<Finding>),
    /// Why it was not run.
    Skipped(String),
}

/// One check and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The check's name, stable.
    pub name: &'static str,
    /// How it ended.
    pub outcome: Outcome,
}

/// The checks of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What the component is called, usually by its path.
    pub component: String,
    /// The world that its exports make it.
    pub world: World,
    /// Every check, in order.
    pub checks: Vec<Checked>,
}

/// How many findings of one check the human form shows.
const SHOWN: usize = 3;

impl Report {
    /// The names of the checks that failed.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = |check: &&Checked| matches!(check.outcome, Outcome::Failed(_));
        self.checks.iter().filter(failed).map(|check| check.name).collect()
    }

    /// The report for a person.
    pub fn human(&self) -> String {
        let mut out = format!("{}: world {}\n", show::visible(&self.component), self.world);
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        for Checked { name, outcome } in &self.checks {
            // Writing to a string cannot fail.
            let _ = match outcome {
                Outcome::Passed(count) => {
                    passed += 1;
                    writeln!(out, "pass  {name} ({count})")
                }
                Outcome::Skipped(why) => {
                    skipped += 1;
                    writeln!(out, "skip  {name}: {why}")
                }
                Outcome::Failed(findings) => {
                    failed += 1;
                    let _ = writeln!(out, "FAIL  {name}");
                    findings.iter().take(SHOWN).try_for_each(|finding| write!(out, "{finding}"))
                }
            };
            if let Outcome::Failed(findings) = outcome
                && findings.len() > SHOWN
            {
                let _ = writeln!(out, "    and {} more", findings.len() - SHOWN);
            }
        }
        let _ = writeln!(out, "{passed} passed, {failed} failed, {skipped} skipped");
        out
    }

    /// The report as one JSON object.
    pub fn json(&self) -> Value {
        let check = |Checked { name, outcome }: &Checked| match outcome {
            Outcome::Passed(count) => json!({ "name": name, "status": "pass", "looked_at": count }),
            Outcome::Skipped(why) => json!({ "name": name, "status": "skip", "why": why }),
            Outcome::Failed(findings) => {
                let finding = |finding: &Finding| {
                    json!({
                        "at": finding.at,
                        "expected": finding.expected,
                        "seen": finding.seen,
                    })
                };
                let findings: Value = findings.iter().map(finding).collect();
                json!({ "name": name, "status": "fail", "findings": findings })
            }
        };
        json!({
            "component": self.component,
            "world": self.world.to_string(),
            "checks": self.checks.iter().map(check).collect::<Value>(),
        })
    }
}
