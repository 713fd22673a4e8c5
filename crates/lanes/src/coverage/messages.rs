//! The texts of chat messages, as a request to a model has them.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use serde_json::Value;

/// The roles whose messages carry blocks.
const CARRYING: [&str; 2] = ["user", "tool"];

/// Hands every text of every message that carries blocks to `read`, each with its
/// JSON pointer.
pub(super) fn texts(json: &str, mut read: impl FnMut(&str, &str)) -> Result<(), MessagesError> {
    let error = |reason: String| MessagesError { reason };
    let document: Value = serde_json::from_str(json).map_err(|why| error(why.to_string()))?;
    let (at, messages) = match &document {
        Value::Array(messages) => ("", messages),
        Value::Object(members) => match members.get("messages") {
            Some(Value::Array(messages)) => ("/messages", messages),
            _ => return Err(error("an object without a list `messages`".into())),
        },
        _ => return Err(error("neither a list of messages nor an object with one".into())),
    };
    for (index, message) in messages.iter().enumerate() {
        let at = format!("{at}/{index}");
        let Some(role) = message.get("role").and_then(Value::as_str) else {
            return Err(error(format!("{at} has no `role`")));
        };
        match message.get("content") {
            Some(content) if CARRYING.contains(&role) => {
                walk(&mut (at + "/content"), content, &mut read);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Every text in a value. The parser bounds how deep it is.
fn walk(at: &mut String, value: &Value, read: &mut impl FnMut(&str, &str)) {
    let length = at.len();
    match value {
        Value::String(text) => read(at, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                *at += &format!("/{index}");
                walk(at, item, read);
                at.truncate(length);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                *at += "/";
                *at += &key.replace('~', "~0").replace('/', "~1");
                walk(at, value, read);
                at.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What was read is no list of chat messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagesError {
    /// Why not.
    pub reason: String,
}

impl fmt::Display for MessagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no chat messages: {}", self.reason)
    }
}

impl core::error::Error for MessagesError {}
