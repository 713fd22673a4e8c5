//! The checks, by name, and running them against a subject.

mod audit;
mod dialects;
mod golden;
mod lanes;
mod large;
mod laws;
mod record;
mod writer;

pub(crate) use record::to_inspect;

use crate::cases::{self, Case, CaseError};
use crate::component::ComponentSubject;
use crate::report::{Checked, Finding, Outcome, Report};
use crate::subject::Subject;
use crate::vectors::{self, Vector};
use murmur_fence_host::{Component, Limits, LoadError, Survey, World};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// The golden cases and the recorded vectors of one directory.
#[derive(Clone, Debug)]
pub struct Material {
    /// The golden cases.
    pub cases: Vec<Case>,
    /// The recorded vectors.
    pub vectors: Vec<Vector>,
}

impl Material {
    /// Reads the material in a directory.
    ///
    /// # Errors
    ///
    /// When a directory or a vector cannot be read, or there is no case.
    pub fn read(root: &Path) -> Result<Self, CaseError> {
        Ok(Material { cases: cases::find(root)?, vectors: vectors::find(root)? })
    }
}

/// A check of what a subject answers.
struct Check {
    name: &'static str,
    /// The world that it needs: every component has the world `fence`.
    world: World,
    run: fn(&dyn Subject, &Material) -> Result<Tally, CaseError>,
}

const CHECKS: &[Check] = &[
    Check { name: "vectors", world: World::Fence, run: golden::vectors },
    Check { name: "wrap-cases", world: World::Fence, run: golden::wrap_cases },
    Check { name: "restore-cases", world: World::Fence, run: golden::restore_cases },
    Check { name: "segment-cases", world: World::Fence, run: golden::segment_cases },
    Check { name: "outer-block-cases", world: World::Fence, run: golden::outer_block_cases },
    Check { name: "verdict-cases", world: World::Fence, run: golden::verdict_cases },
    Check { name: "strict-cases", world: World::Fence, run: golden::strict_cases },
    Check { name: "inspect-cases", world: World::Fence, run: golden::inspect_cases },
    Check { name: "audit-cases", world: World::Fence, run: golden::audit_cases },
    Check { name: "marker-cases", world: World::Fence, run: golden::marker_cases },
    Check { name: "nonce-cases", world: World::Fence, run: golden::nonce_cases },
    Check { name: "tags-cases", world: World::Fence, run: golden::tags_cases },
    Check { name: "history-cases", world: World::Fence, run: golden::history_cases },
    Check { name: "lookalike-cases", world: World::Fence, run: golden::lookalike_cases },
    Check { name: "lane-cases", world: World::Fence, run: golden::lane_cases },
    Check { name: "markers", world: World::Fence, run: laws::markers },
    Check { name: "idempotence", world: World::Fence, run: laws::idempotence },
    Check { name: "batches", world: World::Fence, run: laws::batches },
    Check { name: "writer-splits", world: World::Fence, run: writer::splits },
    Check { name: "writer-finished", world: World::Fence, run: writer::finished },
    Check { name: "marker-laws", world: World::Fence, run: dialects::marker },
    Check { name: "nonce-laws", world: World::Fence, run: dialects::nonce },
    Check { name: "tags-laws", world: World::Fence, run: dialects::tags },
    Check { name: "receipts", world: World::Fence, run: lanes::receipts },
    Check { name: "audit-stretches", world: World::Fence, run: audit::stretches },
    Check { name: "large-inputs", world: World::Fence, run: large::inputs },
    Check { name: "page-cases", world: World::Conversation, run: golden::page_cases },
    Check { name: "page-walks", world: World::Conversation, run: record::walks },
    Check { name: "large-records", world: World::Conversation, run: large::records },
    Check { name: "served-inspection", world: World::Conversation, run: record::inspection },
    Check {
        name: "served-markers-intact",
        world: World::Conversation,
        run: record::markers_intact,
    },
];

/// What a check has looked at, and what it found.
#[derive(Debug, Default)]
struct Tally {
    looked_at: usize,
    findings: Vec<Finding>,
}

impl Tally {
    /// Looks at two values.
    fn values(&mut self, at: impl Into<String>, expected: &Value, seen: &Value) {
        self.looked_at += 1;
        self.findings.extend(Finding::of_values(at, expected, seen));
    }

    /// Looks at two texts.
    fn texts(&mut self, at: impl Into<String>, expected: &str, seen: &str) {
        self.looked_at += 1;
        if expected != seen {
            self.findings.push(Finding::of_texts(at, expected, seen));
        }
    }

    fn outcome(self) -> Outcome {
        if !self.findings.is_empty() {
            Outcome::Failed(self.findings)
        } else if self.looked_at == 0 {
            Outcome::Skipped("nothing in the cases to look at".into())
        } else {
            Outcome::Passed(self.looked_at)
        }
    }
}

/// The names of all checks, in the order in which they run.
pub fn names() -> impl Iterator<Item = &'static str> {
    ["imports", "exports"].into_iter().chain(CHECKS.iter().map(|check| check.name))
}

/// Runs every check that a subject of this world has to pass, but for those of
/// its imports and exports and those whose names are in `skip`.
///
/// # Errors
///
/// When a case cannot be used.
pub fn check_subject(
    subject: &dyn Subject,
    world: World,
    material: &Material,
    skip: &[String],
) -> Result<Vec<Checked>, CaseError> {
    let mut checks = Vec::new();
    for Check { name, run, .. } in CHECKS.iter().filter(|check| check.is_due(world)) {
        let outcome = if skip.iter().any(|skipped| skipped == name) {
            Outcome::Skipped("as asked".into())
        } else {
            run(subject, material)?.outcome()
        };
        checks.push(Checked { name, outcome });
    }
    Ok(checks)
}

impl Check {
    fn is_due(&self, world: World) -> bool {
        self.world == World::Fence || world == World::Conversation
    }
}

/// Why a component cannot be checked.
#[derive(Debug)]
pub enum CheckError {
    /// The component cannot be used at all.
    Component(LoadError),
    /// A case cannot be used.
    Case(CaseError),
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::Component(error) => error.fmt(f),
            CheckError::Case(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<CaseError> for CheckError {
    fn from(error: CaseError) -> Self {
        CheckError::Case(error)
    }
}

/// Runs every check of the world that a component's exports make it, but for those
/// whose names are in `skip`; its imports and exports are always checked.
///
/// A component that lacks exports, or imports what its world does not grant, fails
/// by name, and the other checks are skipped: it cannot be loaded.
///
/// # Errors
///
/// When the bytes are no component, or a case cannot be used.
pub fn check_component(
    name: &str,
    bytes: &[u8],
    material: &Material,
    skip: &[String],
) -> Result<Report, CheckError> {
    let survey = Survey::of(bytes).map_err(CheckError::Component)?;
    let world = survey.world;
    let imports = named(survey.imports.len(), &survey.ungranted_imports, "granted to the world");
    let exports = named(survey.exports.len(), &survey.missing_exports, "exported");
    let mut checks = vec![
        Checked { name: "imports", outcome: imports },
        Checked { name: "exports", outcome: exports },
    ];
    // On a busy machine a large input takes its time; what never ends is found all
    // the same.
    let limits = Limits::default().call_time(Duration::from_secs(300));
    match Component::from_bytes(bytes, &limits) {
        Ok(component) => {
            let subject = ComponentSubject::new(component);
            checks.extend(check_subject(&subject, world, material, skip)?);
        }
        Err(error @ (LoadError::MissingExports { .. } | LoadError::ImportsNotGranted { .. })) => {
            checks.extend(skipped(world, &error));
        }
        Err(error @ (LoadError::ExportType { .. } | LoadError::ImportType { .. })) => {
            let finding = Finding {
                at: name.into(),
                expected: "the types of the contract".into(),
                seen: error.to_string(),
            };
            let failed = usize::from(matches!(error, LoadError::ExportType { .. }));
            checks[failed].outcome = Outcome::Failed(vec![finding]);
            checks.extend(skipped(world, &error));
        }
        Err(error) => return Err(CheckError::Component(error)),
    }
    Ok(Report { component: name.into(), world, checks })
}

fn named(looked_at: usize, names: &[String], expected: &str) -> Outcome {
    let finding = |name: &String| Finding {
        at: name.clone(),
        expected: expected.into(),
        seen: format!("not {expected}"),
    };
    match names.is_empty() {
        true => Outcome::Passed(looked_at),
        false => Outcome::Failed(names.iter().map(finding).collect()),
    }
}

fn skipped(world: World, why: &LoadError) -> impl Iterator<Item = Checked> {
    let why = format!("the component cannot be loaded: {why}");
    CHECKS
        .iter()
        .filter(move |check| check.is_due(world))
        .map(move |check| Checked { name: check.name, outcome: Outcome::Skipped(why.clone()) })
}
