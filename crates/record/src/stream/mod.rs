//! The stream of a task as a client receives it: events, and the frames in them
//! that carry what reached the model.
//!
//! A frame stands in the metadata of a status update or of a message, under the
//! address of the streaming protocol. The protocol's documentation shows an older
//! shape, which is read as well.

mod sse;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;

use crate::json::{Json, JsonError, JsonFault, Literal, Node, SizeError};
use crate::members::{scalar, string};
use crate::trace::Text;

pub use sse::{Sse, SseEvent, SseItem};

/// The key under which the metadata holds a frame.
pub const FRAME_KEY: &str =
    "https://docs.murmur.nexus/reference/streaming-protocol/#murmur-stream-v1";

/// What the JSON of one event holds.
#[derive(Clone, Debug)]
pub enum StreamMessage<'a> {
    /// A frame with the output of a call, or with what a hook made.
    Artifact(Box<ArtifactFrame<'a>>),
    /// Some other message of the protocol.
    Other,
    /// JSON, and no message of the protocol.
    Foreign,
    /// Not JSON.
    NotJson(JsonFault),
}

/// The output of a call on its way to the client; the text is the one that the
/// model gets.
#[derive(Clone, Debug)]
pub struct ArtifactFrame<'a> {
    /// The tool or skill; for what a hook made, the hook.
    pub tool: Option<Cow<'a, str>>,
    /// The text.
    pub content: Option<Text<'a>>,
    /// Where the text stands in the event's JSON, as an RFC 6901 JSON pointer.
    pub pointer: String,
    /// What is declared of it.
    pub label: FrameLabel<'a>,
    /// The provider's id of the call; none for what a hook made.
    pub call: Option<Cow<'a, str>>,
    /// Whether the call failed.
    pub is_error: Option<bool>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The exit code of a subprocess.
    pub exit_code: Option<i64>,
    /// Whether the tool says that it cut its output.
    pub truncated: Option<bool>,
    /// The task.
    pub task: Option<Cow<'a, str>>,
    /// The context of the task.
    pub context: Option<Cow<'a, str>>,
    /// When it was sent, in milliseconds since the Unix epoch.
    pub timestamp: Option<u64>,
    /// Whether it has the older shape.
    pub older: bool,
}

/// What a frame declares of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameLabel<'a> {
    /// It is fenced under this source.
    Fenced(Cow<'a, str>),
    /// It is not fenced.
    Bare,
    /// The frame has no such member, and so is older than it: nothing is said.
    Absent,
}

impl<'a> StreamMessage<'a> {
    /// Reads the JSON of one event.
    ///
    /// # Errors
    ///
    /// On size alone.
    pub fn parse(text: &'a str) -> Result<Self, SizeError> {
        let json = match Json::parse(text) {
            Ok(json) => json,
            Err(JsonError::Invalid(fault)) => return Ok(StreamMessage::NotJson(fault)),
            Err(JsonError::Size(error)) => return Err(error),
        };
        let root = json.root();
        if let Some(frame) = ArtifactFrame::older(root)? {
            return Ok(StreamMessage::Artifact(Box::new(frame)));
        }
        let known = root.get("jsonrpc").is_some() || root.get("result").is_some();
        match ArtifactFrame::today(root)? {
            Some(frame) => Ok(StreamMessage::Artifact(Box::new(frame))),
            None if known => Ok(StreamMessage::Other),
            None => Ok(StreamMessage::Foreign),
        }
    }
}

impl<'a> ArtifactFrame<'a> {
    /// `{"id":..,"artifact":{"tool_name":..,"content":..,"fence_source":..}}`
    fn older(root: Node<'_, 'a>) -> Result<Option<Self>, SizeError> {
        let Some(frame) = root.get("artifact") else { return Ok(None) };
        if frame.get("tool_name").is_none() || frame.get("content").is_none() {
            return Ok(None);
        }
        let frame = Frame {
            object: frame,
            path: &["artifact"],
            names: ["tool_name", "fence_source", "tool_call_id", "is_error"],
            more: ["duration_ms", "exit_code", "truncated"],
        };
        Ok(Some(ArtifactFrame { older: true, ..frame.read()? }))
    }

    fn today(root: Node<'_, 'a>) -> Result<Option<Self>, SizeError> {
        let Some(result) = root.get("result") else { return Ok(None) };
        for holder in ["statusUpdate", "message"] {
            let Some(message) = result.get(holder) else { continue };
            let frame = message.get("metadata").and_then(|metadata| metadata.get(FRAME_KEY));
            let Some(frame) = frame else { continue };
            let kind = frame.get("frame").and_then(Node::string);
            if !kind.is_some_and(|kind| kind.spells("artifact")) {
                continue;
            }
            let frame = Frame {
                object: frame,
                path: &["result", holder, "metadata", FRAME_KEY],
                names: ["toolName", "fenceSource", "toolCallId", "isError"],
                more: ["durationMs", "exitCode", "truncated"],
            };
            let time = message.get("status").and_then(|status| status.get("timestamp"));
            let time = time.and_then(Node::string).map(Literal::decode).transpose()?;
            return Ok(Some(ArtifactFrame {
                task: string(message, "taskId")?,
                context: string(message, "contextId")?,
                timestamp: time.as_deref().and_then(instant),
                ..frame.read()?
            }));
        }
        Ok(None)
    }
}

/// A frame and how its members are spelled.
struct Frame<'j, 'a, 'n> {
    object: Node<'j, 'a>,
    path: &'n [&'n str],
    names: [&'n str; 4],
    more: [&'n str; 3],
}

impl<'a> Frame<'_, 'a, '_> {
    fn read(&self) -> Result<ArtifactFrame<'a>, SizeError> {
        let object = self.object;
        let [tool, label, call, is_error] = self.names;
        let [duration, exit_code, truncated] = self.more;
        let label = match object.get(label) {
            None => FrameLabel::Absent,
            Some(label) => match label.string() {
                Some(label) => FrameLabel::Fenced(label.decode()?),
                None => FrameLabel::Bare,
            },
        };
        let mut pointer = String::new();
        for name in self.path.iter().chain(&["content"]) {
            pointer.push('/');
            pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        }
        Ok(ArtifactFrame {
            tool: string(object, tool)?,
            content: object.get("content").map(Text::read).transpose()?.flatten(),
            pointer,
            label,
            call: string(object, call)?,
            is_error: scalar(object, is_error),
            duration_ms: scalar(object, duration),
            exit_code: scalar(object, exit_code),
            truncated: scalar(object, truncated),
            task: None,
            context: None,
            timestamp: None,
            older: false,
        })
    }
}

/// The milliseconds since the Unix epoch of a time such as
/// `2026-12-01T01:26:49.098Z`.
fn instant(text: &str) -> Option<u64> {
    let text = text.strip_suffix('Z')?;
    let (date, time) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut time = time.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let possible = (1970..10_000).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !possible {
        return None;
    }
    // Years that begin in March have their leap day last.
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    // 1970-01-01 by the same count.
    let days = days.checked_sub(719_469)?;
    let mut millis = fraction.bytes().chain(*b"000").take(3).map(|digit| digit.wrapping_sub(b'0'));
    let millis =
        millis.try_fold(0, |sum, digit| (digit < 10).then_some(10 * sum + u64::from(digit)))?;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis)
}
