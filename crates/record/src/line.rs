//! One line of a conversation record, read as the runtime's reader reads it.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::json::{Json, JsonError, JsonFault, Node, SizeError};

/// What a line of `conversation.jsonl` is.
#[derive(Debug)]
pub enum Line<'a> {
    /// Nothing but white space.
    Blank,
    /// A message: a JSON object whose `role` is a string. No other member is
    /// looked at to decide this.
    Message(Message<'a>),
    /// Anything else. The runtime passes over it.
    Skipped(Skipped),
}

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// It is the record's header.
    Header(Header),
    /// It is not JSON; a line that was cut off is the usual case.
    NotJson(JsonFault),
    /// It is JSON, and no object.
    NotAnObject,
    /// It is an object without a `role` that is a string.
    NoRole,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skipped::Header(_) => f.write_str("the header of the record"),
            // A line has one line, so only the column tells something.
            Skipped::NotJson(fault) => {
                write!(f, "not JSON: {} at column {}", fault.reason, fault.column)
            }
            Skipped::NotAnObject => f.write_str("not a JSON object"),
            Skipped::NoRole => f.write_str("an object without a string `role`"),
        }
    }
}

/// The header of a record that a capsule with `context.retain` keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The capsule's name.
    pub capsule: Option<String>,
    /// When the record was begun, in milliseconds since the Unix epoch.
    pub created_ms: Option<u64>,
    /// What a truncation left behind.
    pub truncated: Option<Truncation>,
}

/// The mark of a truncation, which drops whole lines from the old end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truncation {
    /// How many messages all truncations together have dropped.
    pub dropped: Option<u64>,
    /// The id of the oldest message that is still there.
    pub oldest_surviving_id: Option<String>,
    /// The id of the newest message that is gone.
    pub last_dropped_id: Option<String>,
    /// When, in milliseconds since the Unix epoch.
    pub at_ms: Option<u64>,
}

impl<'a> Line<'a> {
    /// Reads a line, given without its line end.
    ///
    /// # Errors
    ///
    /// On size alone; a line that cannot be understood is [`Line::Skipped`].
    pub fn parse(text: &'a str) -> Result<Self, SizeError> {
        if text.trim_start().is_empty() {
            return Ok(Line::Blank);
        }
        let json = match Json::parse(text) {
            Ok(json) => json,
            Err(JsonError::Invalid(fault)) => return Ok(Line::Skipped(Skipped::NotJson(fault))),
            Err(JsonError::Size(error)) => return Err(error),
        };
        let root = json.root();
        if root.kind() != crate::json::Kind::Object {
            return Ok(Line::Skipped(Skipped::NotAnObject));
        }
        if root.get("role").and_then(Node::string).is_some() {
            return Ok(Line::Message(Message { json }));
        }
        Ok(Line::Skipped(match Header::read(root)? {
            Some(header) => Skipped::Header(header),
            None => Skipped::NoRole,
        }))
    }
}

impl Header {
    fn read(root: Node<'_, '_>) -> Result<Option<Self>, SizeError> {
        if !root.get("type").and_then(Node::string).is_some_and(|kind| kind.spells("murmur.record"))
        {
            return Ok(None);
        }
        let truncated = match root.get("truncated") {
            None => None,
            Some(mark) => Some(Truncation {
                dropped: number(mark, "dropped"),
                oldest_surviving_id: string(mark, "oldest_surviving_id")?,
                last_dropped_id: string(mark, "last_dropped_id")?,
                at_ms: number(mark, "at_ms"),
            }),
        };
        Ok(Some(Header {
            capsule: string(root, "capsule")?,
            created_ms: number(root, "created_ms"),
            truncated,
        }))
    }
}

fn string(node: Node<'_, '_>, key: &str) -> Result<Option<String>, SizeError> {
    let literal = node.get(key).and_then(Node::string);
    literal.map(|literal| Ok(literal.decode()?.into_owned())).transpose()
}

fn number(node: Node<'_, '_>, key: &str) -> Option<u64> {
    node.get(key)?.scalar()?.parse().ok()
}

/// A message of a record.
#[derive(Debug)]
pub struct Message<'a> {
    json: Json<'a>,
}

/// The members of a message that have a meaning, as they stand; a repeated key
/// counts once, with its last value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fields<'j, 'a> {
    pub(crate) role: Option<Node<'j, 'a>>,
    pub(crate) content: Option<Node<'j, 'a>>,
    pub(crate) tool_call_id: Option<Node<'j, 'a>>,
    pub(crate) is_error: Option<Node<'j, 'a>>,
    pub(crate) id: Option<Node<'j, 'a>>,
    pub(crate) source_id: Option<Node<'j, 'a>>,
    pub(crate) inserted_by: Option<Node<'j, 'a>>,
    pub(crate) fence: Option<Node<'j, 'a>>,
}

/// Which output of a hook put a message into the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// The hook replaced the context.
    ReplaceContext,
    /// The hook seeded the context.
    SeedContext,
}

impl Insertion {
    /// The word that a record and a page use for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Insertion::ReplaceContext => "replace-context",
            Insertion::SeedContext => "seed-context",
        }
    }
}

impl fmt::Display for Insertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<'a> Message<'a> {
    /// The object that the line spells.
    pub(crate) fn root(&self) -> Node<'_, 'a> {
        self.json.root()
    }

    pub(crate) fn fields(&self) -> Fields<'_, 'a> {
        let mut fields = Fields::default();
        for (key, value) in self.root().members() {
            let known = [
                ("role", &mut fields.role),
                ("content", &mut fields.content),
                ("tool_call_id", &mut fields.tool_call_id),
                ("is_error", &mut fields.is_error),
                ("id", &mut fields.id),
                ("source_id", &mut fields.source_id),
                ("inserted_by", &mut fields.inserted_by),
                ("fence", &mut fields.fence),
            ];
            if let Some((_, field)) = known.into_iter().find(|(name, _)| key.spells(name)) {
                *field = Some(value);
            }
        }
        fields
    }
}

impl<'a> Fields<'_, 'a> {
    /// The role; empty where a line has none, which then is no message.
    pub(crate) fn role(&self) -> Result<Cow<'a, str>, SizeError> {
        Ok(text(self.role)?.unwrap_or(Cow::Borrowed("")))
    }

    /// By which output of a hook the message came, if by one that is known.
    pub(crate) fn insertion(&self) -> Option<Insertion> {
        let mark = self.inserted_by.and_then(Node::string)?;
        [Insertion::ReplaceContext, Insertion::SeedContext]
            .into_iter()
            .find(|insertion| mark.spells(insertion.as_str()))
    }

    /// The source that the message is declared to be fenced under.
    pub(crate) fn label(&self) -> Result<Option<Cow<'a, str>>, SizeError> {
        text(self.fence)
    }
}

/// The string that a field holds; none if it holds something else.
pub(crate) fn text<'a>(field: Option<Node<'_, 'a>>) -> Result<Option<Cow<'a, str>>, SizeError> {
    field.and_then(Node::string).map(|literal| literal.decode()).transpose()
}
