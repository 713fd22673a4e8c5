//! The audit as one JSON object: `schemas/audit.schema.json` describes it.

use std::collections::BTreeMap;

use murmur_fence_record::audit::{Counts, Finding, Ground, PassedOver, Place, Sums, Tally};
use murmur_fence_record::{FindingCode, Kind};
use serde::Serialize;

use super::Audited;

/// Goes up when a reader of the object would have to change.
const VERSION: u32 = 1;

#[derive(Serialize)]
pub struct Audit<'a> {
    version: u32,
    files: Vec<File<'a>>,
    surfaces: BTreeMap<Kind, Surface<'a>>,
    /// All findings, counted.
    counts: &'a Counts,
    findings: Vec<Row<'a>>,
    /// How many findings are counted and not listed.
    suppressed: u64,
    passed_over: &'a PassedOver,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    kind: Kind,
    bytes: Option<u64>,
    place: Option<&'a Place>,
    #[serde(flatten)]
    shown: Shown<'a>,
    problem: Option<&'a str>,
}

#[derive(Serialize)]
struct Surface<'a> {
    files: u64,
    #[serde(flatten)]
    shown: Shown<'a>,
}

#[derive(Serialize)]
struct Shown<'a> {
    lines: u64,
    messages: u64,
    passed_over: u64,
    sources: BTreeMap<&'a str, Source>,
    bare: &'a BTreeMap<Ground, u64>,
    counts: &'a Counts,
}

#[derive(Serialize)]
struct Source {
    #[serde(flatten)]
    tally: Tally,
    coverage: Option<f64>,
}

#[derive(Serialize)]
struct Row<'a> {
    code: FindingCode,
    severity: &'a str,
    path: &'a str,
    line: u64,
    id: Option<&'a str>,
    call: Option<&'a str>,
    source: Option<&'a str>,
    pointer: Option<&'a str>,
    offset: Option<usize>,
    column: Option<usize>,
    text: &'a str,
}

pub fn audit(audited: &Audited) -> Audit<'_> {
    let report = &audited.report;
    let files = report.files.iter().map(|file| File {
        path: &file.start.path,
        kind: file.start.kind,
        bytes: file.start.bytes,
        place: file.start.place.as_ref(),
        shown: (&file.sums).into(),
        problem: file.problem.as_deref(),
    });
    let surfaces = report.surfaces.iter().map(|(kind, surface)| {
        (*kind, Surface { files: surface.files, shown: (&surface.sums).into() })
    });
    let findings = audited.collected.findings.iter();
    Audit {
        version: VERSION,
        files: files.collect(),
        surfaces: surfaces.collect(),
        counts: &report.findings,
        findings: findings.map(|(finding, _)| row(finding, audited)).collect(),
        suppressed: report.suppressed,
        passed_over: &report.passed_over,
    }
}

impl<'a> From<&'a Sums> for Shown<'a> {
    fn from(sums: &'a Sums) -> Self {
        let sources = sums.sources.iter().map(|(name, tally)| {
            (name.as_str(), Source { tally: *tally, coverage: tally.coverage() })
        });
        Shown {
            lines: sums.lines,
            messages: sums.messages,
            passed_over: sums.passed_over,
            sources: sources.collect(),
            bare: &sums.bare,
            counts: &sums.findings,
        }
    }
}

fn row<'a>(finding: &'a Finding, audited: &'a Audited) -> Row<'a> {
    Row {
        code: finding.code,
        severity: finding.severity.as_str(),
        path: audited.path_of(finding),
        line: finding.line,
        id: finding.id.as_deref(),
        call: finding.call.as_deref(),
        source: finding.source.as_deref(),
        pointer: finding.pointer.as_deref(),
        offset: finding.offset,
        column: finding.column,
        text: &finding.text,
    }
}
