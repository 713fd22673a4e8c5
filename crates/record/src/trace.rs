//! One line of a trace, as far as it tells what reached the model and on whose
//! word.
//!
//! A trace has one event a line. The events that matter to a fence are read in
//! full; of every other one only the type is told.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::fmt;

use crate::json::{Json, JsonError, JsonFault, Kind, Literal, Node, SizeError};
use crate::members::{scalar, string};

/// What a line of `trace.jsonl` is.
#[derive(Clone, Debug)]
pub enum TraceLine<'a> {
    /// Nothing but white space.
    Blank,
    /// An event.
    Event(Box<Event<'a>>),
    /// Anything else.
    Skipped(NoEvent),
}

/// Why a line is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoEvent {
    /// It is not JSON; a line that was cut off is the usual case.
    NotJson(JsonFault),
    /// It is JSON, and no object.
    NotAnObject,
    /// It is an object without an `event_type` that is a string.
    NoType,
}

impl fmt::Display for NoEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoEvent::NotJson(fault) => {
                write!(f, "not JSON: {} at column {}", fault.reason, fault.column)
            }
            NoEvent::NotAnObject => f.write_str("not a JSON object"),
            NoEvent::NoType => f.write_str("an object without a string `event_type`"),
        }
    }
}

/// An event of a trace.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// `evt_` and a UUID.
    pub id: Option<Cow<'a, str>>,
    /// The session that wrote it.
    pub session: Option<Cow<'a, str>>,
    /// The task that was under way.
    pub task: Option<Cow<'a, str>>,
    /// When it was written, in milliseconds since the Unix epoch.
    pub timestamp: Option<u64>,
    /// The model's turn, from 0.
    pub turn: Option<u64>,
    /// What happened.
    pub kind: EventKind<'a>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum EventKind<'a> {
    /// `tool_call`: a call was dispatched.
    ToolCall(ToolCall<'a>),
    /// `skill_call`: a skill's text was handed to the model.
    SkillCall(SkillCall<'a>),
    /// `task_start`
    TaskStart(TaskStart<'a>),
    /// `task_end`
    TaskEnd,
    /// `inference`: the model answered.
    Inference,
    /// `call_denied` or `protected_path_denied`: a call was refused before it ran.
    CallDenied(CallDenied<'a>),
    /// Any other event, by its type.
    Other(Cow<'a, str>),
}

/// A call of a tool, and what came of it.
#[derive(Clone, Debug)]
pub struct ToolCall<'a> {
    /// The bare name by which the model called it.
    pub tool: Option<Cow<'a, str>>,
    /// The provider's id of the call; none if it gave none.
    pub call: Option<Cow<'a, str>>,
    /// The input, as JSON text.
    pub input: Option<&'a str>,
    /// The length of the input in bytes.
    pub input_bytes: Option<u64>,
    /// What the model got, with peer handles replaced by their ids. Only in a
    /// trace that captures content.
    pub output: Option<Text<'a>>,
    /// The length in bytes of what the model got, before any replacement.
    pub output_bytes: Option<u64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Whether it came to `ok`; else to `error`, or to something unknown.
    pub succeeded: Option<bool>,
    /// The runtime's own words where it could not run the call, cut at 2000 bytes.
    /// Absent where the tool ran, also where that reported a failure.
    pub error: Option<Cow<'a, str>>,
    /// What the tool says that it does: `read` or `mutate`.
    pub state_effect: Option<Cow<'a, str>>,
    /// What the tool says that it did that to.
    pub resource: Option<Cow<'a, str>>,
}

impl ToolCall<'_> {
    /// Whether a tool answered, if only with a failure of its own: such an answer
    /// reaches the model fenced. None where the event leaves that open, as it does
    /// with an error of the runtime.
    pub fn answered(&self) -> Option<bool> {
        match (self.succeeded?, &self.error) {
            (true, _) | (false, None) => Some(true),
            (false, Some(_)) => None,
        }
    }
}

/// A skill that was read.
#[derive(Clone, Debug)]
pub struct SkillCall<'a> {
    /// Its bare name.
    pub skill: Option<Cow<'a, str>>,
    /// The length in bytes of what the model got, a fence included.
    pub output_bytes: Option<u64>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Who pinned it: `operator` or `runtime`.
    pub origin: Option<Cow<'a, str>>,
    /// Whether it is trusted, and so reaches the model bare.
    pub trusted: Option<bool>,
}

/// A task that began.
#[derive(Clone, Debug)]
pub struct TaskStart<'a> {
    /// The context that it belongs to, which has a record of its own.
    pub context: Option<Cow<'a, str>>,
    /// By which way it came.
    pub source: Option<Cow<'a, str>>,
    /// From whom: `user`, `event`, `peer`, and others.
    pub origin: Option<Cow<'a, str>>,
    /// Whether it is trusted, and so reaches the model bare.
    pub trusted: Option<bool>,
    /// The length in bytes of its parts.
    pub message_parts_bytes: Option<u64>,
}

/// A call that was refused.
#[derive(Clone, Debug)]
pub struct CallDenied<'a> {
    /// The policy hook that refused it; none where the manifest did.
    pub hook: Option<Cow<'a, str>>,
    /// What was to be called.
    pub target: Option<Cow<'a, str>>,
    /// Why.
    pub reason: Option<Cow<'a, str>>,
}

/// A decoded text and where it stands in its line.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// The decoded text.
    pub text: Cow<'a, str>,
    pub(crate) literal: Literal<'a>,
}

impl<'a> Text<'a> {
    pub(crate) fn read(node: Node<'_, 'a>) -> Result<Option<Self>, SizeError> {
        let Some(literal) = node.string() else { return Ok(None) };
        Ok(Some(Text { text: literal.decode()?, literal }))
    }

    /// The byte of the line at which the byte `decoded` of the text stands.
    pub fn column(&self, decoded: usize) -> usize {
        self.literal.offsets().served(decoded)
    }
}

impl<'a> TraceLine<'a> {
    /// Reads a line, given without its line end.
    ///
    /// # Errors
    ///
    /// On size alone; a line that cannot be understood is [`TraceLine::Skipped`].
    pub fn parse(text: &'a str) -> Result<Self, SizeError> {
        if text.trim_start().is_empty() {
            return Ok(TraceLine::Blank);
        }
        let json = match Json::parse(text) {
            Ok(json) => json,
            Err(JsonError::Invalid(fault)) => {
                return Ok(TraceLine::Skipped(NoEvent::NotJson(fault)));
            }
            Err(JsonError::Size(error)) => return Err(error),
        };
        let object = json.root();
        if object.kind() != Kind::Object {
            return Ok(TraceLine::Skipped(NoEvent::NotAnObject));
        }
        let Some(name) = object.get("event_type").and_then(Node::string) else {
            return Ok(TraceLine::Skipped(NoEvent::NoType));
        };
        Ok(TraceLine::Event(Box::new(Event {
            id: string(object, "event_id")?,
            session: string(object, "session_id")?,
            task: string(object, "task_id")?,
            timestamp: scalar(object, "timestamp"),
            turn: scalar(object, "turn"),
            kind: EventKind::read(name, object)?,
        })))
    }
}

impl<'a> EventKind<'a> {
    fn read(name: Literal<'a>, object: Node<'_, 'a>) -> Result<Self, SizeError> {
        let name = name.decode()?;
        Ok(match &*name {
            "tool_call" => EventKind::ToolCall(ToolCall {
                tool: string(object, "tool_name")?,
                call: string(object, "tool_call_id")?,
                input: object.get("input").map(Node::source),
                input_bytes: scalar(object, "input_bytes"),
                output: object.get("output").map(Text::read).transpose()?.flatten(),
                output_bytes: scalar(object, "output_bytes"),
                duration_ms: scalar(object, "duration_ms"),
                succeeded: either(object, "status", "ok", "error"),
                error: string(object, "error")?,
                state_effect: string(object, "state_effect")?,
                resource: string(object, "resource_id")?,
            }),
            "skill_call" => EventKind::SkillCall(SkillCall {
                skill: string(object, "skill_name")?,
                output_bytes: scalar(object, "output_bytes"),
                duration_ms: scalar(object, "duration_ms"),
                origin: string(object, "origin")?,
                trusted: either(object, "trust", "trusted", "untrusted"),
            }),
            "task_start" => EventKind::TaskStart(TaskStart {
                context: string(object, "context_id")?,
                source: string(object, "source")?,
                origin: string(object, "origin")?,
                trusted: either(object, "trust", "trusted", "untrusted"),
                message_parts_bytes: scalar(object, "message_parts_bytes"),
            }),
            "task_end" => EventKind::TaskEnd,
            "inference" => EventKind::Inference,
            "call_denied" | "protected_path_denied" => EventKind::CallDenied(CallDenied {
                hook: string(object, "hook_name")?,
                target: string(object, "target")?,
                reason: string(object, "reason")?,
            }),
            _ => EventKind::Other(name),
        })
    }
}

/// Whether a member spells the one word, or else the other.
fn either(object: Node<'_, '_>, key: &str, one: &str, other: &str) -> Option<bool> {
    let word = object.get(key)?.string()?;
    [one, other].into_iter().position(|known| word.spells(known)).map(|index| index == 0)
}
