//! On which ground a message is bare.
//!
//! The runtime fences what tools answer, skills that were pulled in by a running
//! capsule, and tasks that are not trusted. All else is bare, and rightly so; from
//! a record alone the two cannot always be told apart.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::index::{Belongs, Call, Index, Told, Whose, without_handles};
use super::report::{Bare, Evidence, Ground};
use crate::code::FindingCode;
use crate::line::Insertion;

/// What is known of a message without its texts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard<'m> {
    pub(super) line: u64,
    pub(super) role: &'m str,
    pub(super) id: Option<&'m str>,
    pub(super) time: Option<u64>,
    /// The hash of the context, if it is known.
    pub(super) context: Option<u64>,
    pub(super) call: Option<&'m str>,
    pub(super) is_error: Option<bool>,
    pub(super) inserted: Option<Insertion>,
    /// Whether a hook made it.
    pub(super) by_hook: bool,
}

impl Heard<'_> {
    pub(super) fn whose(&self) -> Whose {
        Whose { context: self.context, time: self.time }
    }
}

/// Why a message is bare, or what makes it one that should have been fenced.
#[derive(Debug)]
pub(super) struct Grounded {
    pub(super) bare: Bare,
    pub(super) due: Option<Due>,
}

/// A message that should have been fenced.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) code: FindingCode,
    /// Under which source.
    pub(super) source: String,
    /// What shows it.
    pub(super) text: String,
}

impl Grounded {
    fn on(ground: Ground, evidence: Evidence) -> Self {
        Grounded { bare: Bare { ground, evidence }, due: None }
    }

    fn due(code: FindingCode, source: String, text: String) -> Self {
        let bare = Bare { ground: Ground::Due, evidence: Evidence::Trace };
        Grounded { bare, due: Some(Due { code, source, text }) }
    }
}

/// Finds the ground on which a message is bare. `text` is what it says, if that is
/// one text; it is asked for only where it matters.
pub(super) fn ground<'t>(
    index: &Index,
    heard: &Heard<'_>,
    text: &dyn Fn() -> Option<Cow<'t, str>>,
) -> Grounded {
    if heard.by_hook {
        return Grounded::on(Ground::HookInserted, Evidence::Message);
    }
    match heard.role {
        "assistant" => Grounded::on(Ground::ModelText, Evidence::Message),
        "tool" => of_result(index, heard, text),
        "user" => of_task(index, heard),
        _ => Grounded::on(Ground::OtherRole, Evidence::Message),
    }
}

fn of_task(index: &Index, heard: &Heard<'_>) -> Grounded {
    match index.task(heard.whose()) {
        Belongs::Trusted => Grounded::on(Ground::TrustedTask, Evidence::Trace),
        Belongs::IsTask(task) => Grounded::due(
            FindingCode::BareTask,
            format!("task:{}", task.origin),
            format!(
                "the trace says that the task came from {:?} and is not trusted, but it is bare",
                task.origin
            ),
        ),
        Belongs::Unknown => Grounded::on(Ground::CannotTell, Evidence::Nothing),
    }
}

fn of_result<'t>(
    index: &Index,
    heard: &Heard<'_>,
    text: &dyn Fn() -> Option<Cow<'t, str>>,
) -> Grounded {
    let traced = heard.call.map(|call| index.calls(call, heard.whose())).unwrap_or_default();
    for call in &traced {
        let Told::Trace { succeeded, error } = &call.told else { continue };
        let tool = bare_name(call.tool.as_deref().unwrap_or("?"));
        match (succeeded, error) {
            (Some(false), Some(error)) => {
                if text().is_none_or(|text| is_error(&text, error)) {
                    return Grounded::on(Ground::DispatchFailure, Evidence::Trace);
                }
                return bare_result(tool, "the trace says that the runtime failed in other words");
            }
            (Some(true), _) => {
                return bare_result(tool, "the trace says that the call succeeded");
            }
            (Some(false), None) => {
                return bare_result(tool, "the trace says that the tool itself failed");
            }
            (None, _) => {}
        }
    }
    let Some(text) = text() else {
        return Grounded::on(Ground::CannotTell, Evidence::Nothing);
    };
    if !index.is_empty() {
        if index.is_refusal(&text, heard.whose()) {
            return Grounded::on(Ground::Refusal, Evidence::Trace);
        }
        if let Some(skill) = index.skill(text.len() as u64, heard.whose()) {
            if skill.trusted {
                return Grounded::on(Ground::OperatorSkill, Evidence::Trace);
            }
            return Grounded::due(
                FindingCode::BareSkill,
                format!("skill:{}", skill.name),
                format!(
                    "the trace says that the skill {:?} is not trusted, but it is bare",
                    skill.name
                ),
            );
        }
    }
    match by_words(&text).filter(|_| heard.is_error == Some(true)) {
        Some(ground) => Grounded::on(ground, Evidence::Words),
        None => Grounded::on(Ground::CannotTell, Evidence::Nothing),
    }
}

fn bare_result(tool: &str, told: &str) -> Grounded {
    let source = format!("tool:{tool}");
    Grounded::due(FindingCode::BareToolResult, source, format!("{told}, but the result is bare"))
}

/// The name by which a tool is called, without the scope of its artifact.
pub(super) fn bare_name(tool: &str) -> &str {
    tool.rsplit_once('/').map_or(tool, |(_, name)| name)
}

/// Whether a text is the error that a trace tells, which is cut at a length.
pub(super) fn is_error(text: &str, error: &str) -> bool {
    let (text, error) = (without_handles(text), without_handles(error));
    match text.strip_prefix(&*error) {
        Some(rest) => rest.is_empty() || error.len() >= 1900,
        None => false,
    }
}

/// What the runtime says in place of a result when a call did not run.
fn by_words(text: &str) -> Option<Ground> {
    let refused = text.starts_with("Refused by policy hook '")
        || text.starts_with("Refused by the capsule manifest: '")
        || text.contains(": missing required field") && text.contains("\n\nThis call did not run.");
    if refused {
        return Some(Ground::Refusal);
    }
    let failed = text.starts_with("failed to instantiate tool '")
        || text.strip_prefix("tool '").is_some_and(|rest| {
            rest.ends_with("' is not declared in manifest allowlist")
                || rest.ends_with("' is not available in this session")
        });
    failed.then_some(Ground::DispatchFailure)
}

/// One thing that a record and another surface tell differently.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) code: FindingCode,
    pub(super) text: String,
}

/// What other surfaces tell differently of the call that a message answers: for
/// each surface, of the calls that may be meant the one that differs least.
pub(super) fn differences(
    index: &Index,
    heard: &Heard<'_>,
    label: Option<&str>,
    text: &str,
) -> Vec<Difference> {
    let traced = heard.call.map(|call| index.calls(call, heard.whose())).unwrap_or_default();
    if traced.is_empty() {
        return Vec::new();
    }
    let digest = index.digests.of(text);
    let is_trace = |call: &&&Call| matches!(call.told, Told::Trace { .. });
    let (traces, streams): (Vec<&&Call>, Vec<&&Call>) = traced.iter().partition(is_trace);
    let mut found = Vec::new();
    for calls in [traces, streams] {
        let told = calls.into_iter().map(|call: &&Call| {
            let mut differences = Vec::new();
            let mut add = |code, text| differences.push(Difference { code, text });
            let (code, surface) = match &call.told {
                Told::Trace { succeeded, .. } => {
                    if let (Some(succeeded), Some(is_error)) = (*succeeded, heard.is_error)
                        && succeeded == is_error
                    {
                        let outcome = if succeeded { "ok" } else { "error" };
                        let text = format!(
                            "the trace tells the status {outcome:?}, the record is_error {is_error}"
                        );
                        add(FindingCode::RecordTraceDiffer, text);
                    }
                    if let (Some(label), Some(tool)) = (label, &call.tool)
                        && label.strip_prefix("tool:").is_some_and(|name| name != bare_name(tool))
                    {
                        let text = format!(
                            "the trace tells a call of {tool:?}, the record is labelled {label:?}"
                        );
                        add(FindingCode::RecordTraceDiffer, text);
                    }
                    (FindingCode::RecordTraceDiffer, "trace")
                }
                Told::Stream { is_error, label: told } => {
                    if let (Some(told), Some(is_error)) = (*is_error, heard.is_error)
                        && told != is_error
                    {
                        let text = format!(
                            "the stream tells isError {told}, the record is_error {is_error}"
                        );
                        add(FindingCode::RecordStreamDiffer, text);
                    }
                    if let Some(told) = told
                        && told.as_deref() != label
                    {
                        let text = format!(
                            "the stream is labelled {}, the record {}",
                            quoted(told.as_deref()),
                            quoted(label)
                        );
                        add(FindingCode::RecordStreamDiffer, text);
                    }
                    (FindingCode::RecordStreamDiffer, "stream")
                }
            };
            if let Some(bytes) = call.bytes
                && bytes != text.len() as u64
                && surface == "trace"
            {
                let length = text.len();
                add(
                    FindingCode::OutputBytesMismatch,
                    format!("the trace tells {bytes} bytes of output, the record holds {length}"),
                );
            }
            if call.text.is_some_and(|told| told != digest) {
                let line = call.origin.line;
                add(code, format!("the text is not the one in line {line} of the {surface}"));
            }
            differences
        });
        found.extend(told.min_by_key(Vec::len).unwrap_or_default());
    }
    found
}

fn quoted(label: Option<&str>) -> String {
    label.map_or_else(|| "as not fenced".to_owned(), |label| format!("{label:?}"))
}
