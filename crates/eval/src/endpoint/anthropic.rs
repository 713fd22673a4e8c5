//! The form of Anthropic's messages.

use serde_json::{Map, Value, json};

use super::{Endpoint, Usage};
use crate::prompt::{Prompt, READ_TOOL, Reply, ToolCall, Turn};

/// The version of the API that the forms here are of.
pub(super) const VERSION: &str = "2023-06-01";

pub(super) fn request(endpoint: &Endpoint, prompt: &Prompt) -> Value {
    let messages = prompt.turns.iter().map(|turn| match turn {
        Turn::User(text) => json!({ "role": "user", "content": text }),
        Turn::Call { id, item } => json!({
            "role": "assistant",
            "content": [{
                "type": "tool_use", "id": id, "name": READ_TOOL, "input": { "item": item },
            }],
        }),
        Turn::Result { id, text } => json!({
            "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }],
        }),
    });
    let mut body = Map::new();
    body.insert("model".into(), json!(endpoint.model));
    body.insert("max_tokens".into(), json!(endpoint.max_tokens));
    body.insert("system".into(), json!(prompt.system));
    body.insert("messages".into(), messages.collect());
    if let Some(temperature) = endpoint.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    if !prompt.tools.is_empty() {
        let tools = prompt.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.schema(),
            })
        });
        body.insert("tools".into(), tools.collect());
    }
    Value::Object(body)
}

/// Reads an answer; an error says what is not as it should be.
pub(super) fn reply(answer: &Value) -> Result<(Reply, Usage), String> {
    let blocks = answer["content"].as_array().ok_or("no `content` in the answer")?;
    let mut reply =
        Reply { finish: answer["stop_reason"].as_str().map(str::to_owned), ..Reply::default() };
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => reply.text += block["text"].as_str().unwrap_or_default(),
            Some("tool_use") => reply.calls.push(ToolCall {
                name: block["name"].as_str().unwrap_or_default().to_owned(),
                arguments: block["input"].to_string(),
            }),
            // Thinking, and whatever comes later, is not said to the user.
            _ => {}
        }
    }
    let usage = &answer["usage"];
    let usage = Usage {
        input_tokens: usage["input_tokens"].as_u64(),
        output_tokens: usage["output_tokens"].as_u64(),
        cost: None,
    };
    Ok((reply, usage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_text_and_calls_and_passes_over_thinking() {
        let (read, usage) = reply(&json!({
            "content": [
                { "type": "thinking", "thinking": "hm" },
                { "type": "text", "text": "a" },
                { "type": "tool_use", "name": "f", "input": { "x": 1 } },
            ],
            "stop_reason": "tool_use",
            "usage": { "input_tokens": 12, "output_tokens": 3 },
        }))
        .unwrap();
        assert_eq!(read.text, "a");
        assert_eq!(read.calls, [ToolCall { name: "f".into(), arguments: "{\"x\":1}".into() }]);
        assert_eq!((usage.input_tokens, usage.output_tokens), (Some(12), Some(3)));
        assert!(reply(&json!({ "type": "error" })).is_err());
    }
}
