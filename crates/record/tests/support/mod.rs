//! A record in memory whose file can be exchanged, and the obvious way to page it.

use std::cell::RefCell;
use std::rc::Rc;

use murmur_fence_record::{Insertion, MessagePage, ServedMessage, Stat, Storage};
use serde_json::{Value, json};

/// A file that a test changes while a reader holds it.
#[derive(Clone, Debug, Default)]
pub struct Memory(Rc<RefCell<File>>);

#[derive(Debug, Default)]
pub struct File {
    pub bytes: Option<Vec<u8>>,
    pub identity: u64,
    pub modified: u64,
    /// How many bytes have been read.
    pub read: u64,
    /// Fails the next look or read with these words.
    pub failure: Option<&'static str>,
    /// Answers at most so many bytes a read; 0 for no limit.
    pub short: usize,
}

impl Memory {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let memory = Memory::default();
        memory.replace(bytes);
        memory
    }

    /// Another file takes the name.
    pub fn replace(&self, bytes: impl Into<Vec<u8>>) {
        let mut file = self.0.borrow_mut();
        file.bytes = Some(bytes.into());
        file.identity += 1;
        file.modified += 1;
    }

    /// The file is written to.
    pub fn edit(&self, edit: impl FnOnce(&mut Vec<u8>)) {
        let mut file = self.0.borrow_mut();
        edit(file.bytes.get_or_insert_default());
        file.modified += 1;
    }

    pub fn append(&self, bytes: impl AsRef<[u8]>) {
        self.edit(|file| file.extend_from_slice(bytes.as_ref()));
    }

    /// Changes what no reader can see from outside.
    pub fn with(&self, change: impl FnOnce(&mut File)) {
        change(&mut self.0.borrow_mut());
    }

    /// How many bytes have been read since the last call.
    pub fn take_read(&self) -> u64 {
        std::mem::take(&mut self.0.borrow_mut().read)
    }

    pub fn bytes(&self) -> Option<Vec<u8>> {
        self.0.borrow().bytes.clone()
    }
}

impl Storage for Memory {
    type Error = &'static str;

    fn stat(&mut self) -> Result<Option<Stat>, &'static str> {
        let mut file = self.0.borrow_mut();
        if let Some(failure) = file.failure.take() {
            return Err(failure);
        }
        let (identity, modified) = ((file.identity, 0), Some((file.modified, 0)));
        Ok(file.bytes.as_ref().map(|bytes| Stat { length: bytes.len() as u64, identity, modified }))
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, &'static str> {
        let mut file = self.0.borrow_mut();
        if let Some(failure) = file.failure.take() {
            return Err(failure);
        }
        let limit = if file.short > 0 { file.short } else { usize::MAX };
        let bytes = file.bytes.as_deref().unwrap_or_default();
        let rest = &bytes[bytes.len().min(offset as usize)..];
        let length = rest.len().min(buffer.len()).min(limit);
        buffer[..length].copy_from_slice(&rest[..length]);
        file.read += length as u64;
        Ok(length)
    }
}

/// A page as the runtime makes it: the whole file as one text, every line as a
/// value.
pub fn page_by_rereading(
    bytes: Option<&[u8]>,
    cursor: Option<&str>,
    limit: u32,
) -> Result<MessagePage, String> {
    let Some(bytes) = bytes else { return Ok(MessagePage::default()) };
    let text = String::from_utf8(bytes.to_vec())
        .map_err(|_| "unavailable: stream did not contain valid UTF-8")?;
    let messages: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|value| value.get("role").is_some_and(Value::is_string))
        .collect();
    let end = match cursor {
        None => messages.len(),
        Some(cursor) => cursor
            .strip_prefix("mc_")
            .and_then(|number| number.parse::<usize>().ok())
            .filter(|position| *position <= messages.len())
            .ok_or("invalid-cursor")?,
    };
    let start = end.saturating_sub(limit.clamp(1, 100) as usize);
    Ok(MessagePage {
        messages: messages[start..end].iter().rev().map(lower).collect(),
        next_cursor: (start > 0).then(|| format!("mc_{start}")),
        total: messages.len() as u32,
    })
}

fn lower(message: &Value) -> ServedMessage {
    let string = |key: &str| message.get(key).and_then(Value::as_str).map(str::to_owned);
    let value = |key: &str| message.get(key).cloned().unwrap_or(Value::Null);
    let role = string("role").unwrap();
    let content = if role == "tool" {
        json!({
            "__murmur_tool_msg__": true,
            "body": value("content"),
            "is_error": value("is_error"),
            "tool_call_id": value("tool_call_id"),
        })
        .to_string()
    } else {
        message.get("content").map(Value::to_string).unwrap_or_default()
    };
    let inserted_by = match string("inserted_by").as_deref() {
        Some("replace-context") => Some(Insertion::ReplaceContext),
        Some("seed-context") => Some(Insertion::SeedContext),
        _ => None,
    };
    ServedMessage { role, content, id: string("id"), source_id: string("source_id"), inserted_by }
}
