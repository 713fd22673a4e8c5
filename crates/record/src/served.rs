//! A stored message as `murmur:conversation/read` serves it.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::json::{Node, Printer, SizeError};
use crate::line::{Fields, Insertion, Message, text};

/// The member that marks the envelope of a tool message.
pub(crate) const ENVELOPE: &str = "__murmur_tool_msg__";

/// One message of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedMessage {
    /// `user`, `assistant`, `tool`, or whatever a hook chose.
    pub role: String,
    /// Compact JSON text of the stored content, keys in byte order; empty when
    /// none is stored. For the role `tool`, of an object that also holds the call
    /// id and the error flag.
    pub content: String,
    /// The message's id.
    pub id: Option<String>,
    /// What a hook recorded as the message's origin.
    pub source_id: Option<String>,
    /// By which output of a hook the message came into the context.
    pub inserted_by: Option<Insertion>,
}

impl ServedMessage {
    /// Lowers a stored message, using at most about `limit` bytes for it.
    ///
    /// # Errors
    ///
    /// [`SizeError::TooLong`] when the content alone, or all strings together,
    /// are longer than `limit`; [`SizeError::OutOfMemory`].
    pub fn lower(message: &Message<'_>, limit: usize) -> Result<Self, SizeError> {
        let fields = message.fields();
        let role = fields.role()?;
        let mut printer = Printer::new(limit);
        if role == "tool" {
            envelope(&mut printer, &fields)?;
        } else if let Some(content) = fields.content {
            printer.value(content)?;
        }
        let served = ServedMessage {
            role: role.into_owned(),
            content: printer.finish(),
            id: text(fields.id)?.map(Cow::into_owned),
            source_id: text(fields.source_id)?.map(Cow::into_owned),
            inserted_by: fields.insertion(),
        };
        if served.size() > limit { Err(SizeError::TooLong) } else { Ok(served) }
    }

    /// The length of all strings in bytes.
    pub fn size(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.role.len() + self.content.len() + length(&self.id) + length(&self.source_id)
    }
}

/// A tool message's content, with the members that the served form has no other
/// place for.
fn envelope(printer: &mut Printer, fields: &Fields<'_, '_>) -> Result<(), SizeError> {
    printer.push("{\"")?;
    printer.push(ENVELOPE)?;
    printer.push("\":true,\"body\":")?;
    member(printer, fields.content)?;
    printer.push(",\"is_error\":")?;
    member(printer, fields.is_error)?;
    printer.push(",\"tool_call_id\":")?;
    member(printer, fields.tool_call_id)?;
    printer.push("}")
}

fn member(printer: &mut Printer, field: Option<Node<'_, '_>>) -> Result<(), SizeError> {
    match field {
        Some(value) => printer.value(value),
        None => printer.push("null"),
    }
}
