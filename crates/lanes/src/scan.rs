//! The source check: which of the lanes that must be fenced a fence call can
//! reach.
//!
//! A fence call that takes a variable is for whatever lane is at hand, and so
//! reaches them all. One that takes a literal reaches that lane and no other,
//! however complete the registry is. So the check follows the lane argument of
//! each fence call through constants, bindings, loops over literals and the
//! parameters of the functions around it, up to the calls that pass it. A
//! function that loops over what it is given counts as given every lane, also
//! where the tree does not call it; one that takes a single lane does not.
//!
//! What it cannot see: a condition around a call that lets only one lane
//! through, a call that never runs, a function of a fence's name that fences
//! nothing, and what the field of an object was set to, which counts as any lane.

mod code;
mod lower;
mod names;
mod reach;
mod report;
mod tree;

use core::fmt;
use std::collections::HashSet;
use std::path::Path;
use std::string::{String, ToString};
use std::vec::Vec;

pub use names::{Callee, CalleeError, Names};
pub use report::{CallSite, LaneReach, Report, Skipped};
pub(crate) use tree::is_passed_over;

use crate::registry::{Lines, Place, Registry, check_name};
use crate::trust::Trust;
use code::{Module, Text};
use lower::Language;
pub(crate) use lower::Unreadable;
use names::{folded, is_named_like};
use reach::{CallAt, Covers, Site};

/// How a tree is scanned.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to look for.
    pub names: Names,
    /// Whether tests count. By default they do not: a test that fences a lane
    /// says nothing of the product.
    pub tests: bool,
    /// Functions that something outside the tree calls, with whatever lane is at
    /// hand.
    pub entries: Vec<String>,
}

/// Scans the source files under `root`, or the one file that it is.
///
/// # Errors
///
/// A directory or file cannot be read.
pub fn scan(registry: &Registry, root: &Path, options: &Options) -> Result<Report, ScanError> {
    let (files, mut skipped) = tree::read(root, options.tests)?;
    let mut read = Vec::new();
    for file in &files {
        let path = file.path.clone();
        match lower::module(file.language, &file.text) {
            Ok(module) => read.push((file, module)),
            Err(Unreadable::Grammar) => {
                let reason = Unreadable::Grammar.as_str().to_string();
                return Err(ScanError { path, reason });
            }
            Err(why) => skipped.push(Skipped { path, reason: why.as_str() }),
        }
    }
    let modules: Vec<&Module> = read.iter().map(|(_, module)| module).collect();
    let lines: Vec<_> = read.iter().map(|(file, _)| Lines::of(&file.text)).collect();
    let site = |module: usize, start: usize, text: String| CallSite {
        path: read[module].0.path.clone(),
        place: lines[module].place(start),
        text,
    };
    let at_call = |at: CallAt, text: Option<String>| {
        let call = &modules[at.module].calls[at.call];
        site(at.module, call.start, text.unwrap_or_else(|| [&call.name, "("].concat()))
    };

    let mut report = Report::new(registry, read.len(), skipped);
    report.with_errors = read
        .iter()
        .filter(|(_, module)| module.has_errors)
        .map(|(file, _)| file.path.clone())
        .collect();
    for Site { call, covers } in reach::sites(&modules, &options.names, &options.entries, registry)
    {
        match covers {
            Covers::Any => report.reaches_all(at_call(call, None)),
            Covers::Uncalled(function) => {
                report.uncalled.push((function, at_call(call, None)));
            }
            Covers::Affix { head, tail } => {
                let text =
                    [&modules[call.module].calls[call.call].name, "(`", &head, "...", &tail, "`"];
                let reached = |lane: &str| {
                    lane.len() >= head.len() + tail.len()
                        && lane.starts_with(&head)
                        && lane.ends_with(&tail)
                };
                report.reaches(at_call(call, Some(text.concat())), reached);
            }
            Covers::Unread(name) => {
                let text = [&modules[call.module].calls[call.call].name, "(", &name].concat();
                report.unreadable.push(at_call(call, Some(text)));
            }
            Covers::Literal(literal) => {
                let text = modules[call.module].calls[call.call].up_to(&literal);
                let stands_in_call = text.is_some();
                let call = at_call(call, text);
                report.reaches(call.clone(), |lane| lane == literal.value);
                if is_lane_name(&literal.value) {
                    if registry.get(&literal.value).is_none() {
                        report.unregistered.push((literal.value, call.clone()));
                    }
                    if stands_in_call {
                        report.literals.push(call);
                    }
                }
            }
        }
    }
    for (index, module) in modules.iter().enumerate() {
        for named in lane_names(module, &options.names) {
            let call = site(index, named.start, named.shown);
            if registry.get(&named.text.value).is_none() {
                report.unregistered.push((named.text.value, call.clone()));
            }
            if named.is_lookup {
                report.literals.push(call);
            }
        }
    }
    report.settle();
    Ok(report)
}

/// The source tree could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanError {
    /// The file or directory.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to read `{}`: {}", self.path, self.reason)
    }
}

impl core::error::Error for ScanError {}

/// A literal that names a lane in source code.
struct LaneName {
    text: Text,
    /// The call or entry up to the literal.
    shown: String,
    /// The byte at which that starts.
    start: usize,
    is_lookup: bool,
}

/// Every literal of a module that stands where a lane's name does and can be one.
fn lane_names(module: &Module, names: &Names) -> Vec<LaneName> {
    let mut found = Vec::new();
    for call in &module.calls {
        let lookups = names.lookups.iter().map(|callee| (callee, true));
        let others = names.fences.iter().chain(&names.lanes).map(|callee| (callee, false));
        for (callee, is_lookup) in lookups.chain(others) {
            // What a variable was bound to needs the whole tree; here its name
            // decides.
            let fits = callee.may_be(call)
                && callee.receiver.as_deref().is_none_or(|class| {
                    call.made_on(module).is_some_and(|receiver| is_named_like(receiver, class))
                });
            if let Some(code::Expr::Text(text)) = call.argument(None, callee.argument)
                && fits
            {
                let shown = call.up_to(text).unwrap_or_default();
                found.push(LaneName { text: text.clone(), shown, start: call.start, is_lookup });
                break;
            }
        }
    }
    for entry in &module.entries {
        if names.keys.iter().any(|key| folded(key) == folded(&entry.key)) {
            let shown = [&entry.key, ": ", &entry.value.raw].concat();
            let (text, start) = (entry.value.clone(), entry.value.start);
            found.push(LaneName { text, shown, start, is_lookup: false });
        }
    }
    found.retain(|named| is_lane_name(&named.text.value));
    let mut seen = HashSet::new();
    found.retain(|named| seen.insert(named.text.start));
    found
}

/// Whether a literal can be meant as a lane: it has the form of a name, and is
/// not one of the trust classes, which some fences take in its stead.
fn is_lane_name(text: &str) -> bool {
    check_name(text).is_ok() && text.parse::<Trust>().is_err()
}

/// Whether the file is of a language that is scanned, by its name.
pub(crate) fn is_source(path: &Path) -> bool {
    Language::of(path).is_some()
}

/// A lane name in a source text that the registry does not have.
pub(crate) struct Stray {
    pub(crate) lane: String,
    /// Where the literal stands.
    pub(crate) place: Place,
    /// Where the call or entry starts that names the lane.
    pub(crate) call_place: Place,
    /// The call up to the literal.
    pub(crate) call: String,
}

/// The lane names in one source text that the registry does not have.
///
/// # Errors
///
/// The text cannot be read.
pub(crate) fn strays(
    path: &Path,
    source: &str,
    names: &Names,
    registry: &Registry,
) -> Result<Vec<Stray>, Unreadable> {
    let Some(language) = Language::of(path) else { return Ok(Vec::new()) };
    let module = lower::module(language, source)?;
    let lines = Lines::of(source);
    let strays = lane_names(&module, names).into_iter().filter_map(|named| {
        let LaneName { text, shown: call, start, .. } = named;
        let lane = registry.get(&text.value).is_none().then_some(text.value)?;
        let (place, call_place) = (lines.place(text.start), lines.place(start));
        Some(Stray { lane, place, call_place, call })
    });
    Ok(strays.collect())
}
