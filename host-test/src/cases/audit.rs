//! A case of the audit: lines of a record, how they are looked at, and what is said of
//! them.

use super::{Case, CaseError};
use crate::subject::{Answer, Subject};
use crate::values;
use murmur_fence_host::audit::{Audited, NotUtf8, Options};
use serde_json::{Value, json};

/// The arguments of a call.
pub(crate) struct AuditCase {
    /// The lines.
    pub(crate) lines: String,
    /// The lines among them that are no UTF-8.
    pub(crate) not_utf8: Vec<NotUtf8>,
    options: Value,
}

impl AuditCase {
    /// Of the files of a case: its lines, and its options where they are not the
    /// usual ones.
    pub(super) fn read(case: &Case) -> Result<Self, CaseError> {
        let given = case.json("options.json")?;
        let mut options = json!({
            "first-line": 1,
            "not-utf8": [],
            "max-findings": 100,
            "since": null,
            "lookalikes": true,
        });
        for (name, value) in given.as_object().into_iter().flatten() {
            options[name] = value.clone();
        }
        AuditCase::of(&[json!(case.text("lines.jsonl")?), options])
            .ok_or_else(|| CaseError::new(case.directory.join("options.json"), "not the options"))
    }

    /// Of the arguments of a call.
    pub(super) fn of(arguments: &[Value]) -> Option<Self> {
        let [lines, options] = arguments else { return None };
        let not_utf8 = options["not-utf8"].as_array()?.iter().map(values::not_utf8);
        Some(AuditCase {
            lines: lines.as_str()?.to_owned(),
            not_utf8: not_utf8.collect::<Option<_>>()?,
            options: options.clone(),
        })
    }

    /// The arguments, as the list of calls has them.
    pub(super) fn arguments(&self) -> Vec<Value> {
        vec![json!(self.lines), self.options.clone()]
    }

    /// What a subject says.
    pub(super) fn answer(&self, subject: &dyn Subject) -> Answer<Audited> {
        let number = |name: &str| self.options[name].as_u64();
        let options = Options {
            first_line: number("first-line").unwrap_or(1),
            not_utf8: &self.not_utf8,
            max_findings: number("max-findings").and_then(|it| it.try_into().ok()).unwrap_or(0),
            since: number("since"),
            lookalikes: self.options["lookalikes"] != false,
        };
        subject.audit_lines(&self.lines, options)
    }
}
