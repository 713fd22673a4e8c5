//! Which surface a file is, told from what it holds and not from its name.

use core::fmt;
use core::str;

use serde::{Serialize, Serializer};

use crate::json::{Json, Kind as JsonKind, Node};
use crate::line::{Line, Skipped};
use crate::page_json::holds_page;
use crate::stream::StreamMessage;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A conversation record: one message a line.
    Record,
    /// A trace: one event a line.
    Trace,
    /// What a client received of a task: server-sent events, or the JSON of one
    /// event a line.
    Stream,
    /// Pages of a record, as JSON.
    Page,
    /// Any other text.
    Text,
    /// No text.
    Unknown,
}

impl Kind {
    /// The word that reports use for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Record => "record",
            Kind::Trace => "trace",
            Kind::Stream => "stream",
            Kind::Page => "page",
            Kind::Text => "text",
            Kind::Unknown => "unknown",
        }
    }

    /// Whether a file of this kind carries what reached a model.
    pub fn is_surface(self) -> bool {
        !matches!(self, Kind::Text | Kind::Unknown)
    }

    /// Tells the kind from the beginning of a file; `whole` says whether that is
    /// all of it. None when more of the file is needed to tell.
    ///
    /// The first line that is something decides. A line that cannot be understood
    /// is passed over, since a record may begin with one.
    pub fn detect(head: &[u8], whole: bool) -> Option<Kind> {
        let text = match str::from_utf8(head) {
            Ok(text) => text,
            // Cut within a character, or not UTF-8 further down.
            Err(error) => str::from_utf8(&head[..error.valid_up_to()]).unwrap_or(""),
        };
        if text.is_empty() && !head.is_empty() || text.contains('\0') {
            return Some(Kind::Unknown);
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for line in text.split_inclusive('\n') {
            let cut = !line.ends_with('\n') && !whole;
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            if cut && line.starts_with('{') {
                return None;
            }
            if let Some(kind) = of_line(line) {
                return Some(kind);
            }
        }
        // A JSON text over many lines, perhaps.
        if text.trim_start().starts_with(['{', '[']) {
            if !whole {
                return None;
            }
            if Json::parse(text).is_ok_and(|json| holds_page(json.root())) {
                return Some(Kind::Page);
            }
        }
        Some(Kind::Text)
    }
}

/// The kind of file in which such a line stands, if it tells.
fn of_line(line: &str) -> Option<Kind> {
    if line.starts_with('{') {
        return of_object(line);
    }
    // A line of JSON is none of server-sent events, though it holds a colon.
    let field = line.split_once(':').map_or(line, |(field, _)| field);
    let known = matches!(field, "data" | "event" | "id" | "retry" | "")
        && (field.is_empty() || line.contains(':'));
    (known || line.starts_with("HTTP/1.") || line.starts_with("HTTP/2")).then_some(Kind::Stream)
}

fn of_object(line: &str) -> Option<Kind> {
    let json = Json::parse(line).ok()?;
    let root = json.root();
    let is_string =
        |key| root.get(key).is_some_and(|node: Node<'_, '_>| node.kind() == JsonKind::String);
    if is_string("event_type") && !is_string("role") {
        return Some(Kind::Trace);
    }
    match Line::parse(line).ok()? {
        Line::Message(_) | Line::Skipped(Skipped::Header(_)) => return Some(Kind::Record),
        _ => {}
    }
    match StreamMessage::parse(line).ok()? {
        StreamMessage::Artifact(_) | StreamMessage::Other => Some(Kind::Stream),
        _ => holds_page(root).then_some(Kind::Page),
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
