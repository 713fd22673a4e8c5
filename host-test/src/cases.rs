//! Golden cases: one directory a case, `KIND/NAME/`, with its input and what the
//! contract says of it.
//!
//! | kind | input | expected |
//! |---|---|---|
//! | `wrap` | `source.txt`, `content.txt` | `expected.txt`, the block |
//! | `restore` | `body.txt` | `expected.txt` |
//! | `message` | `message.txt` | `expected.json`: `segments`, `outer-block`, and the verdicts `standard` and `strict` |
//! | `inspect` | `message.json`: `role`, `content`, `inserted` | `expected.json`, the pieces |
//! | `page` | `conversation.jsonl`, or no such file | `expected.json`: `calls`, each with its `result`; `preopen` false to grant nothing |
//! | `audit` | `lines.jsonl`, `options.json` | `expected.json`: `sums` and `findings` |
//! | `dialects` | `case.json` | in the same file, under the name of the dialect |
//!
//! Texts are files byte for byte: no newline is added or taken away.

mod answer;
mod audit;
mod dialect;
mod list;

pub use dialect::{FAULTS, SUBJECTS};
pub use list::{Call, calls};

use crate::report::Finding;
use crate::subject::Subject;
use crate::values;
use audit::AuditCase;
use dialect::DialectCase;
use murmur_fence_host::{Mode, ServedMessage};
use serde_json::{Map, Value, json};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a case is about; also the name of the directory that it lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Wrapping, and with it neutralising and the opening marker.
    Wrap,
    /// Restoring.
    Restore,
    /// Reading a message back: segments, the outer block, both verdicts.
    Message,
    /// Inspecting a served message.
    Inspect,
    /// Reading pages of a record.
    Page,
    /// Auditing lines of a record.
    Audit,
    /// One operation of a dialect, or of what goes with the dialects.
    Dialect,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::Wrap,
        Kind::Restore,
        Kind::Message,
        Kind::Inspect,
        Kind::Page,
        Kind::Audit,
        Kind::Dialect,
    ];

    /// The kind's directory.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Wrap => "wrap",
            Kind::Restore => "restore",
            Kind::Message => "message",
            Kind::Inspect => "inspect",
            Kind::Page => "page",
            Kind::Audit => "audit",
            Kind::Dialect => "dialects",
        }
    }
}

/// A file of a case that cannot be used.
#[derive(Debug)]
pub struct CaseError {
    path: PathBuf,
    reason: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to use `{}`: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for CaseError {}

impl CaseError {
    pub(crate) fn new(path: impl Into<PathBuf>, reason: impl fmt::Display) -> Self {
        CaseError { path: path.into(), reason: reason.to_string() }
    }
}

/// One golden case.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is about.
    pub kind: Kind,
    /// Its directory's name.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
}

/// The cases in a directory, by kind and name.
///
/// # Errors
///
/// When a directory cannot be listed, or there is no case at all.
pub fn find(root: &Path) -> Result<Vec<Case>, CaseError> {
    let mut cases = Vec::new();
    for kind in Kind::ALL {
        let directory = root.join(kind.as_str());
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(CaseError::new(directory, error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| CaseError::new(&directory, error))?;
            let directory = entry.path();
            if directory.is_dir() {
                let name = entry.file_name().to_string_lossy().into_owned();
                cases.push(Case { kind, name, directory });
            }
        }
    }
    if cases.is_empty() {
        return Err(CaseError::new(root, "no case in it"));
    }
    cases.sort_by(|a, b| a.directory.cmp(&b.directory));
    Ok(cases)
}

impl Case {
    /// `KIND/NAME`.
    pub fn title(&self) -> String {
        format!("{}/{}", self.kind.as_str(), self.name)
    }

    /// What the case expects: an object with one member for each thing that it
    /// asks of a subject.
    ///
    /// # Errors
    ///
    /// When the expectation cannot be read.
    pub fn expected(&self) -> Result<Value, CaseError> {
        match self.kind {
            Kind::Wrap => {
                let wrapped = self.text("expected.txt")?;
                let content = self.text("content.txt")?;
                // The block is opener, newline, body, newline, closer.
                let (opener, rest) = wrapped.split_once('\n').unwrap_or((&wrapped, ""));
                let body = rest.rsplit_once('\n').map_or(rest, |(body, _)| body);
                let neutralised = (body != content).then_some(body);
                Ok(json!({ "wrap": wrapped, "open-marker": opener, "neutralise": neutralised }))
            }
            Kind::Restore => Ok(json!({ "restore": self.text("expected.txt")? })),
            Kind::Message | Kind::Inspect => self.json("expected.json"),
            Kind::Audit => Ok(json!({ "audit-lines": self.json("expected.json")? })),
            Kind::Page => {
                let calls = self.calls()?;
                let results = calls.iter().enumerate().map(|(index, call)| {
                    let result = call.get("result").cloned().unwrap_or_default();
                    (call_title(index, call), result)
                });
                Ok(Value::Object(results.collect()))
            }
            Kind::Dialect => {
                let DialectCase { dialect, expected, .. } = self.dialect_case()?;
                Ok(json!({ dialect: expected }))
            }
        }
    }

    /// What a subject answers, in the form of [`expected`](Self::expected).
    /// Members that the subject has no function for are null.
    ///
    /// # Errors
    ///
    /// When the input cannot be read.
    pub fn seen(&self, subject: &dyn Subject) -> Result<Value, CaseError> {
        use values::answer;
        match self.kind {
            Kind::Wrap => {
                let (source, content) = (self.text("source.txt")?, self.text("content.txt")?);
                Ok(json!({
                    "wrap": answer(subject.wrap(&source, &content), |text| json!(text)),
                    "open-marker": answer(subject.open_marker(&source), |text| json!(text)),
                    "neutralise": answer(subject.neutralise(&content), |text| json!(text)),
                }))
            }
            Kind::Restore => {
                let body = self.text("body.txt")?;
                Ok(json!({ "restore": answer(subject.restore(&body), |text| json!(text)) }))
            }
            Kind::Message => {
                let message = self.text("message.txt")?;
                let verdict = |mode| answer(subject.verify(&message, mode), values::verdict);
                Ok(json!({
                    "segments": answer(subject.segments(&message), |it| values::segments(it)),
                    "outer-block": answer(subject.outer_block(&message), values::outer_block),
                    "standard": verdict(Mode::Standard),
                    "strict": verdict(Mode::Strict),
                }))
            }
            Kind::Inspect => {
                let message = self.json("message.json")?;
                let field = |name| message.get(name).and_then(Value::as_str).unwrap_or_default();
                let message = ServedMessage {
                    role: field("role"),
                    content: field("content"),
                    inserted: message.get("inserted") == Some(&Value::Bool(true)),
                };
                Ok(json!({ "inspect": answer(subject.inspect(&message), values::inspected) }))
            }
            Kind::Page => self.pages(subject),
            Kind::Audit => {
                let audited = answer(self.audit_case()?.answer(subject), values::audited);
                // The words of a finding are for people, and no part of a case.
                let recorded = self.json("expected.json")?;
                Ok(json!({ "audit-lines": answer::recorded(&recorded, &audited) }))
            }
            Kind::Dialect => {
                let case = self.dialect_case()?;
                Ok(json!({ case.dialect: case.seen(&self.directory, subject)? }))
            }
        }
    }

    /// The dialect that the case is about and its kind of fault, of [`SUBJECTS`] and
    /// [`FAULTS`]; none for a case of another kind.
    ///
    /// # Errors
    ///
    /// When the case cannot be read.
    pub fn concern(&self) -> Result<Option<(&'static str, String)>, CaseError> {
        if self.kind != Kind::Dialect {
            return Ok(None);
        }
        let case = self.dialect_case()?;
        Ok(Some((case.dialect, case.fault)))
    }

    fn audit_case(&self) -> Result<AuditCase, CaseError> {
        AuditCase::read(self)
    }

    fn dialect_case(&self) -> Result<DialectCase, CaseError> {
        let file = "case.json";
        DialectCase::read(&self.directory.join(file), &self.json(file)?)
    }

    fn pages(&self, subject: &dyn Subject) -> Result<Value, CaseError> {
        let granted = self.json("expected.json")?.get("preopen") != Some(&Value::Bool(false));
        let directory = granted.then_some(self.directory.as_path());
        let mut results = Map::new();
        let mut record = match subject.record(directory) {
            Some(Ok(record)) => record,
            Some(Err(error)) => return Err(CaseError::new(&self.directory, error)),
            None => return Ok(Value::Object(results)),
        };
        for (index, call) in self.calls()?.iter().enumerate() {
            let cursor = call.get("cursor").and_then(Value::as_str);
            let limit = call.get("limit").and_then(Value::as_u64);
            let limit = limit.and_then(|limit| u32::try_from(limit).ok()).ok_or_else(|| {
                CaseError::new(self.directory.join("expected.json"), "a call without a limit")
            })?;
            let page = values::answer(record.read_messages(cursor, limit), values::page);
            results.insert(call_title(index, call), page);
        }
        Ok(Value::Object(results))
    }

    /// Where a subject's answers differ from what is expected, for the members
    /// that `asked` picks.
    ///
    /// # Errors
    ///
    /// When a file of the case cannot be read.
    pub fn findings(
        &self,
        subject: &dyn Subject,
        asked: impl Fn(&str) -> bool,
    ) -> Result<Vec<Finding>, CaseError> {
        let (expected, seen) = (self.expected()?, self.seen(subject)?);
        let mut findings = Vec::new();
        for (member, expected) in expected.as_object().into_iter().flatten() {
            if asked(member) {
                let seen = seen.get(member).unwrap_or(&Value::Null);
                let at = format!("{} {member}", self.directory.display());
                findings.extend(Finding::of_values(at, expected, seen));
            }
        }
        Ok(findings)
    }

    /// Writes what a subject answers as what the case expects. A case of a dialect or
    /// of the audit is written by hand and stays as it is.
    ///
    /// # Errors
    ///
    /// When a file of the case cannot be read or written.
    pub fn bless(&self, subject: &dyn Subject) -> Result<(), CaseError> {
        let seen = self.seen(subject)?;
        let (file, text) = match self.kind {
            Kind::Wrap => ("expected.txt", string(&seen["wrap"])),
            Kind::Restore => ("expected.txt", string(&seen["restore"])),
            Kind::Message | Kind::Inspect => ("expected.json", pretty(&seen)),
            Kind::Page => {
                let mut expected = self.json("expected.json")?;
                let calls = expected.get_mut("calls").and_then(Value::as_array_mut);
                for (index, call) in calls.into_iter().flatten().enumerate() {
                    call["result"] = seen[&call_title(index, call)].clone();
                }
                ("expected.json", pretty(&expected))
            }
            Kind::Audit | Kind::Dialect => return Ok(()),
        };
        let path = self.directory.join(file);
        fs::write(&path, text).map_err(|error| CaseError::new(path, error))
    }

    fn calls(&self) -> Result<Vec<Value>, CaseError> {
        let expected = self.json("expected.json")?;
        let calls = expected.get("calls").and_then(Value::as_array).filter(|it| !it.is_empty());
        calls
            .cloned()
            .ok_or_else(|| CaseError::new(self.directory.join("expected.json"), "no `calls` in it"))
    }

    fn text(&self, file: &str) -> Result<String, CaseError> {
        let path = self.directory.join(file);
        fs::read_to_string(&path).map_err(|error| CaseError::new(path, error))
    }

    fn json(&self, file: &str) -> Result<Value, CaseError> {
        let path = self.directory.join(file);
        let text = self.text(file)?;
        serde_json::from_str(&text).map_err(|error| CaseError::new(path, error))
    }
}

fn call_title(index: usize, call: &Value) -> String {
    let cursor = call.get("cursor").unwrap_or(&Value::Null);
    let limit = call.get("limit").unwrap_or(&Value::Null);
    format!("call {index} (cursor {cursor}, limit {limit})")
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
