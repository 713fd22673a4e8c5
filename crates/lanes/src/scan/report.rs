//! What a scan found, and how it is shown.

use core::fmt::{self, Write as _};
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use serde::Serialize;
use serde_json::{Value, json};

use crate::check::{counted, summary};
use crate::finding::{Finding, Rule};
use crate::registry::{Lane, Place, Registry};

/// What a scan found.
#[derive(Clone, Debug)]
pub struct Report {
    /// How many lanes of each trust the registry has, in words.
    registry: String,
    /// How many source files were read.
    pub files: usize,
    /// The registry's lanes, in its order.
    pub lanes: Vec<LaneReach>,
    /// Fence calls and lookups that take a literal lane name: the set that the
    /// rule wants empty.
    pub literals: Vec<CallSite>,
    /// Fence calls that take whatever lane is at hand.
    pub variables: Vec<CallSite>,
    /// Fence calls that take a constant whose value the scan does not see. They
    /// count for no lane.
    pub unreadable: Vec<CallSite>,
    /// Functions that pass what they are given to a fence call, and that nothing
    /// in the tree calls. They count for no lane.
    pub uncalled: Vec<(String, CallSite)>,
    /// Lane names in the source that the registry does not have.
    pub unregistered: Vec<(String, CallSite)>,
    /// Files that were not read.
    pub skipped: Vec<Skipped>,
    /// Files in which the parser met something it does not understand; calls
    /// there may be missing.
    pub with_errors: Vec<String>,
}

/// One lane and the fence calls that reach it.
#[derive(Clone, Debug)]
pub struct LaneReach {
    /// The lane.
    pub lane: Lane,
    /// Fence calls that reach it by name. Those of [`Report::variables`] reach
    /// it too.
    pub sites: Vec<CallSite>,
    /// Whether any fence call reaches it.
    pub enforced: bool,
}

impl LaneReach {
    /// Whether the lane must be fenced and no fence call can.
    pub fn is_uncovered(&self) -> bool {
        self.lane.trust.is_untrusted() && !self.enforced
    }
}

/// A call in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallSite {
    /// The file, from the root of the scan.
    pub path: String,
    /// Where in it.
    pub place: Place,
    /// The call up to the lane that it names.
    pub text: String,
}

impl fmt::Display for CallSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.place.line, self.place.column)
    }
}

/// A file that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The file, from the root of the scan.
    pub path: String,
    /// Why.
    pub reason: &'static str,
}

impl Report {
    pub(super) fn new(registry: &Registry, files: usize, skipped: Vec<Skipped>) -> Self {
        let reach =
            |lane: &Lane| LaneReach { lane: lane.clone(), sites: Vec::new(), enforced: false };
        Report {
            registry: summary(registry),
            files,
            lanes: registry.lanes().iter().map(reach).collect(),
            literals: Vec::new(),
            variables: Vec::new(),
            unreadable: Vec::new(),
            uncalled: Vec::new(),
            unregistered: Vec::new(),
            skipped,
            with_errors: Vec::new(),
        }
    }

    pub(super) fn reaches(&mut self, site: CallSite, reached: impl Fn(&str) -> bool) {
        for lane in self.lanes.iter_mut().filter(|lane| reached(&lane.lane.name)) {
            lane.sites.push(site.clone());
            lane.enforced = true;
        }
    }

    pub(super) fn reaches_all(&mut self, site: CallSite) {
        self.variables.push(site);
        self.lanes.iter_mut().for_each(|lane| lane.enforced = true);
    }

    /// Puts everything in the order of the files, each thing once.
    pub(super) fn settle(&mut self) {
        for sites in [&mut self.literals, &mut self.variables, &mut self.unreadable] {
            sites.sort();
            sites.dedup();
        }
        for lane in &mut self.lanes {
            lane.sites.sort();
            lane.sites.dedup();
        }
        for named in [&mut self.uncalled, &mut self.unregistered] {
            named.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
            named.dedup();
        }
    }

    /// How many lanes must be fenced.
    pub fn declared(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.lane.trust.is_untrusted()).count()
    }

    /// How many of the lanes that must be fenced a fence call reaches.
    pub fn enforced(&self) -> usize {
        self.declared() - self.uncovered().count()
    }

    /// The lanes that must be fenced and that no fence call reaches.
    pub fn uncovered(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().filter(|lane| lane.is_uncovered()).map(|lane| &lane.lane)
    }

    /// Whether every lane that must be fenced is reached, and every lane name is
    /// registered.
    pub fn is_clean(&self) -> bool {
        self.uncovered().next().is_none() && self.unregistered.is_empty()
    }

    /// The calls with a literal, each once and in order, up to the literal: what
    /// a search of the source for such calls prints.
    pub fn literal_set(&self) -> Vec<&str> {
        let mut set: Vec<&str> = self.literals.iter().map(|call| call.text.as_str()).collect();
        set.sort_unstable();
        set.dedup();
        set
    }

    /// What is not as it has to be. `registry` is the registry's path and `root`
    /// that of the scan, as a reader of the findings knows them.
    pub fn findings(&self, registry: &str, root: &str) -> Vec<Finding> {
        let unfenced = self.uncovered().map(|lane| Finding {
            rule: Rule::LaneFenced,
            message: format!(
                "no fence call reaches lane `{}`, whose trust is {}; let the fence call take the \
                 lane that is being put in",
                lane.name, lane.trust,
            ),
            path: registry.to_string(),
            place: lane.place,
        });
        let unregistered = self.unregistered.iter().map(|(lane, call)| Finding {
            rule: Rule::LaneRegistered,
            message: format!(
                "`{}` names lane `{lane}`, which is not in the registry; add it with its trust \
                 and budget",
                call.text
            ),
            path: under(root, &call.path),
            place: Some(call.place),
        });
        unfenced.chain(unregistered).collect()
    }

    /// The report for reading. For the paths see [`findings`](Self::findings).
    pub fn to_human(&self, registry: &str, root: &str) -> String {
        let mut out = String::new();
        // Writing to a text does not fail.
        let _ = self.write_human(&mut out, registry, root);
        out
    }

    fn write_human(&self, out: &mut String, registry: &str, root: &str) -> fmt::Result {
        writeln!(out, "{registry}: {}", self.registry)?;
        writeln!(out, "{root}: {}", counted(self.files, "source file"))?;
        let literals = self.literal_set();
        if !literals.is_empty() {
            writeln!(out, "\ncalls that take a literal lane:")?;
            literals.iter().try_for_each(|text| writeln!(out, "  {text}"))?;
        }
        for (heading, sites) in [
            ("calls that take the lane at hand:", &self.variables),
            ("calls that take a constant of unknown value, counted for no lane:", &self.unreadable),
        ] {
            if !sites.is_empty() {
                writeln!(out, "\n{heading}")?;
                sites.iter().try_for_each(|call| writeln!(out, "  {call}: {}", call.text))?;
            }
        }
        self.write_table(out)?;
        writeln!(out, "\n{} declared, {} enforced", self.declared(), self.enforced())?;
        for finding in self.findings(registry, root) {
            writeln!(out, "{finding}")?;
        }
        for (function, call) in &self.uncalled {
            writeln!(
                out,
                "note: `{function}` passes what it is given to the fence call at {call}, and \
                 nothing here calls it; if something outside does, say so with --entry {function}",
            )?;
        }
        for Skipped { path, reason } in &self.skipped {
            writeln!(out, "note: `{path}` was not read: {reason}")?;
        }
        for path in &self.with_errors {
            writeln!(out, "note: `{path}` has syntax errors; calls in it may be missing")?;
        }
        Ok(())
    }

    fn write_table(&self, out: &mut String) -> fmt::Result {
        let untrusted: Vec<_> =
            self.lanes.iter().filter(|lane| lane.lane.trust.is_untrusted()).collect();
        let width = untrusted.iter().map(|lane| lane.lane.name.len()).max().unwrap_or(0).max(4);
        if !untrusted.is_empty() {
            writeln!(out, "\n{:width$}  {:7}  {:8}  by", "lane", "trust", "enforced")?;
        }
        for lane in untrusted {
            let by = match (lane.sites.first().or(self.variables.first()), lane.sites.len()) {
                (Some(site), 0 | 1) => site.to_string(),
                (Some(site), more) => format!("{site} and {} more", more - 1),
                (None, _) => "-".to_string(),
            };
            let enforced = if lane.enforced { "yes" } else { "no" };
            writeln!(out, "{:width$}  {:7}  {enforced:8}  {by}", lane.lane.name, lane.lane.trust)?;
        }
        Ok(())
    }

    /// The report as one JSON object. For the paths see
    /// [`findings`](Self::findings).
    pub fn to_json(&self, registry: &str, root: &str) -> Value {
        let site = |call: &CallSite| {
            json!({
                "path": call.path,
                "line": call.place.line,
                "column": call.place.column,
                "text": call.text,
            })
        };
        let sites = |calls: &[CallSite]| calls.iter().map(site).collect::<Value>();
        let lanes = self.lanes.iter().map(|lane| {
            json!({
                "lane": lane.lane.name,
                "trust": lane.lane.trust.as_str(),
                "declared": lane.lane.trust.is_untrusted(),
                "enforced": lane.lane.trust.is_untrusted() && lane.enforced,
                "sites": sites(&lane.sites),
            })
        });
        let findings = self.findings(registry, root);
        let uncalled = self.uncalled.iter().map(|(function, call)| {
            let mut call = site(call);
            call["function"] = json!(function);
            call
        });
        json!({
            "registry": registry,
            "root": root,
            "files": self.files,
            "declared": self.declared(),
            "enforced": self.enforced(),
            "uncovered": self.uncovered().map(|lane| &*lane.name).collect::<Value>(),
            "lanes": lanes.collect::<Value>(),
            "literals": sites(&self.literals),
            "variables": sites(&self.variables),
            "unreadable": sites(&self.unreadable),
            "uncalled": uncalled.collect::<Value>(),
            "findings": findings.iter().map(Finding::to_json).collect::<Value>(),
            "skipped": self.skipped,
            "with_errors": self.with_errors,
        })
    }
}

/// The path of a file of the scan, from where the scan was called.
fn under(root: &str, path: &str) -> String {
    let root = root.trim_end_matches('/');
    // The root may be the one file that was scanned.
    match root {
        "" | "." => path.to_string(),
        _ if root == path || root.ends_with(&["/", path].concat()) => root.to_string(),
        _ => [root, path].join("/"),
    }
}
