//! The fast path over a record: reads a line as the runtime writes it without
//! unescaping it, and leaves every other line to the parser.
//!
//! What is read here is a part of what the parser accepts, and means the same.
//! Anything unusual in a line (white space between values, an escape in a key,
//! a repeated key, a marker where none belongs) ends the attempt.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod block;
mod hint;
mod reader;
#[cfg(test)]
mod tests;
mod text;

use std::str;

use murmur_fence::{CLOSE_MARKER, NAME};

use reader::Reader;
use text::{Marks, Raw};

/// A message that gives no finding by itself, except for a look-alike: labelled
/// and whole, or without a label and without a live marker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick<'b> {
    /// The length of its line in bytes, the newline included.
    pub(super) length: usize,
    pub(super) role: &'b str,
    pub(super) id: Option<&'b str>,
    /// The source that it is labelled with. Its text then is one whole block of
    /// that source, with nothing before it.
    pub(super) label: Option<&'b str>,
    pub(super) call: Option<&'b str>,
    pub(super) is_error: Option<bool>,
    /// Its text, still escaped, if it says exactly one.
    text: Option<&'b [u8]>,

    /// Whether a look-alike may be in one.
    pub(super) hint: bool,
}

impl<'b> Quick<'b> {
    /// Reads the line that `bytes` begin with, if it is a usual one and all of it
    /// is there with its newline.
    pub(super) fn read(bytes: &'b [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut fields = Fields::default();
        let mut said = Said::default();
        reader.object(|reader, key| fields.take(reader, key, &mut said))?;
        let length = reader.line_end()?;
        let line = &bytes[..length];
        let label = plain(line, fields.label)?;
        let text = said.first.filter(|_| said.count == 1);
        let quick = Quick {
            length,
            role: plain(line, fields.role)??,
            id: plain(line, fields.id)?,
            label,
            call: plain(line, fields.call)?,
            is_error: fields.is_error,
            text: text.map(|raw| &line[raw.start..raw.end]),

            hint: said.hint,
        };
        let usual = match label {
            None => reader.marks().count == 0,
            Some(label) => {
                matches!(quick.role, "tool" | "user")
                    && is_block(line, text?, reader.marks(), label)
            }
        };
        usual.then_some(quick)
    }

    /// Its text, still escaped, if it says exactly one.
    pub(super) fn text(&self) -> Option<&'b str> {
        // Looked at already where it is not ASCII.
        str::from_utf8(self.text?).ok()
    }
}

/// The members of a message that matter, as [`crate::line::Message`] knows them.
#[derive(Default)]
struct Fields {
    role: Option<Raw>,
    id: Option<Raw>,
    label: Option<Raw>,
    call: Option<Raw>,
    is_error: Option<bool>,
    /// A bit for each of the known keys, to notice a repeated one.
    seen: u8,
}

impl Fields {
    #[inline]
    fn take(&mut self, reader: &mut Reader<'_>, key: &[u8], said: &mut Said) -> Option<()> {
        let (bit, field) = match key {
            b"content" => (1, None),
            b"role" => (2, Some(&mut self.role)),
            b"id" => (4, Some(&mut self.id)),
            b"fence" => (8, Some(&mut self.label)),
            b"tool_call_id" => (16, Some(&mut self.call)),
            b"is_error" => (32, None),
            // Hooks are rare, and what they insert is judged otherwise.
            b"inserted_by" => return None,
            _ => return reader.value(),
        };
        if self.seen & bit != 0 {
            return None;
        }
        self.seen |= bit;
        match (field, bit) {
            (Some(field), _) => *field = Some(reader.string()?),
            (None, 1) => {
                return reader.array(|reader| match reader.peek() {
                    b'{' => block(reader, said),
                    _ => reader.value(),
                });
            }
            (None, _) => self.is_error = Some(reader.boolean()?),
        }
        Some(())
    }
}

/// What a message says: the texts of its content blocks.
#[derive(Default)]
struct Said {
    count: usize,
    first: Option<Raw>,
    hint: bool,
}

/// Reads one content block.
fn block(reader: &mut Reader<'_>, said: &mut Said) -> Option<()> {
    let mut text = None;
    let mut kind = None;
    reader.object(|reader, key| {
        let field = match key {
            b"text" => &mut text,
            b"type" => &mut kind,
            _ => return reader.value(),
        };
        if field.is_some() {
            return None;
        }
        *field = Some(reader.string()?);
        Some(())
    })?;
    let kind = reader.slice(kind?);
    if let Some(text) = text
        && matches!(kind, b"text" | b"thinking")
    {
        said.count += 1;
        said.first.get_or_insert(text);
        said.hint |= text.hint;
    }
    Some(())
}

/// What a string spells, if nothing in it is escaped. The outer option is the
/// attempt, the inner one whether there is a string.
fn plain(line: &[u8], raw: Option<Raw>) -> Option<Option<&str>> {
    let Some(raw) = raw else { return Some(None) };
    let bytes = &line[raw.start..raw.end];
    if bytes.contains(&b'\\') {
        return None;
    }
    str::from_utf8(bytes).ok().map(Some)
}

/// Whether an escaped text is one whole block of the source that `label` names, at
/// its very start; and the only markers of the line are the two of the block.
fn is_block(line: &[u8], text: Raw, marks: &Marks, label: &str) -> bool {
    let [opener, closer] = marks.first;
    // In the opening marker, the name would not stand as it stands in the label.
    if marks.count != 2 || opener != text.start || label.contains(['<', '>']) {
        return false;
    }
    const SEPARATOR: &[u8] = b"\\n";
    let text = &line[text.start..text.end];
    let body = text
        .strip_prefix(b"<")
        .and_then(|rest| rest.strip_prefix(NAME.as_bytes()))
        .and_then(|rest| rest.strip_prefix(b" source="))
        .and_then(|rest| rest.strip_prefix(label.as_bytes()))
        .and_then(|rest| rest.strip_prefix(b">"))
        .and_then(|rest| rest.strip_prefix(SEPARATOR));
    let Some(body) = body else { return false };
    let before = text.len() - body.len() + opener;
    let Some(body_length) = closer.checked_sub(before) else { return false };
    let Some((body, closing)) = body.split_at_checked(body_length) else { return false };
    // Behind another backslash, the separator is the letter `n`.
    let separated = body.strip_suffix(SEPARATOR).is_some_and(|body| !body.ends_with(b"\\"));
    separated && closing.starts_with(CLOSE_MARKER.as_bytes())
}
