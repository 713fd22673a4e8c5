//! What was recorded or worked out beforehand: vectors and golden cases.

use super::{Material, Tally};
use crate::cases::{CaseError, Kind};
use crate::subject::Subject;
use crate::values::answer;
use serde_json::json;

/// Every recorded vector, function by function.
pub(super) fn vectors(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for vector in &material.vectors {
        let (source, content) = (vector.source.as_str(), vector.content.as_str());
        let at = |function: &str| format!("{} {function}", vector.at);
        let neutralised = (vector.neutralised != content).then_some(&vector.neutralised);
        tally.values(
            at("wrap"),
            &json!(vector.wrapped),
            &answer(subject.wrap(source, content), |text| json!(text)),
        );
        tally.values(
            at("neutralise"),
            &json!(neutralised),
            &answer(subject.neutralise(content), |text| json!(text)),
        );
        tally.values(
            at("open-marker"),
            &json!(vector.open),
            &answer(subject.open_marker(source), |text| json!(text)),
        );
    }
    Ok(tally)
}

/// Wrapping, and what it is made of.
pub(super) fn wrap_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Wrap, |_| true)
}

pub(super) fn restore_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Restore, |_| true)
}

pub(super) fn segment_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Message, |member| member == "segments")
}

pub(super) fn outer_block_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Message, |member| member == "outer-block")
}

pub(super) fn verdict_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Message, |member| member == "standard")
}

pub(super) fn strict_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Message, |member| member == "strict")
}

pub(super) fn inspect_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Inspect, |_| true)
}

pub(super) fn page_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Page, |_| true)
}

pub(super) fn audit_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    cases(subject, material, Kind::Audit, |_| true)
}

pub(super) fn marker_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    dialect_cases(subject, material, "marker")
}

pub(super) fn nonce_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    dialect_cases(subject, material, "nonce")
}

pub(super) fn tags_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    dialect_cases(subject, material, "tags")
}

pub(super) fn history_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    dialect_cases(subject, material, "history")
}

pub(super) fn lookalike_cases(
    subject: &dyn Subject,
    material: &Material,
) -> Result<Tally, CaseError> {
    dialect_cases(subject, material, "lookalikes")
}

pub(super) fn lane_cases(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    dialect_cases(subject, material, "lanes")
}

fn dialect_cases(
    subject: &dyn Subject,
    material: &Material,
    dialect: &str,
) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for case in &material.cases {
        if case.concern()?.is_some_and(|(concern, _)| concern == dialect) {
            tally.looked_at += 1;
            tally.findings.extend(case.findings(subject, |_| true)?);
        }
    }
    Ok(tally)
}

fn cases(
    subject: &dyn Subject,
    material: &Material,
    kind: Kind,
    asked: impl Fn(&str) -> bool,
) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for case in material.cases.iter().filter(|case| case.kind == kind) {
        tally.looked_at += 1;
        tally.findings.extend(case.findings(subject, &asked)?);
    }
    Ok(tally)
}
