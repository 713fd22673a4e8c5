//! The form of OpenAI's chat completions.

use serde_json::{Map, Value, json};

use super::{Endpoint, Usage};
use crate::prompt::{Prompt, READ_TOOL, Reply, ToolCall, Turn};

pub(super) fn request(endpoint: &Endpoint, prompt: &Prompt, max_tokens_field: &str) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": prompt.system })];
    messages.extend(prompt.turns.iter().map(|turn| match turn {
        Turn::User(text) => json!({ "role": "user", "content": text }),
        Turn::Call { id, item } => json!({
            "role": "assistant",
            "content": null,
            "tool_calls": [{
                "id": id,
                "type": "function",
                "function": {
                    "name": READ_TOOL,
                    "arguments": json!({ "item": item }).to_string(),
                },
            }],
        }),
        Turn::Result { id, text } => {
            json!({ "role": "tool", "tool_call_id": id, "content": text })
        }
    }));
    let mut body = Map::new();
    body.insert("model".into(), json!(endpoint.model));
    body.insert("messages".into(), json!(messages));
    body.insert(max_tokens_field.into(), json!(endpoint.max_tokens));
    if let Some(temperature) = endpoint.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    if !prompt.tools.is_empty() {
        let tools = prompt.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema(),
                },
            })
        });
        body.insert("tools".into(), tools.collect());
    }
    Value::Object(body)
}

/// Reads an answer; an error says what is not as it should be.
pub(super) fn reply(answer: &Value) -> Result<(Reply, Usage), String> {
    let choice = &answer["choices"][0];
    let message = choice["message"].as_object().ok_or("no `choices[0].message` in the answer")?;
    // A refusal stands beside the content, not in it.
    let text = [message.get("content"), message.get("refusal")]
        .into_iter()
        .flatten()
        .map(content_text)
        .collect::<Vec<_>>()
        .concat();
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let calls = calls.map(|call| {
        let function = &call["function"];
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            // Some servers give the object itself.
            other => other.to_string(),
        };
        ToolCall { name: function["name"].as_str().unwrap_or_default().to_owned(), arguments }
    });
    let usage = &answer["usage"];
    Ok((
        Reply {
            text,
            calls: calls.collect(),
            finish: choice["finish_reason"].as_str().map(str::to_owned),
        },
        Usage {
            input_tokens: usage["prompt_tokens"].as_u64(),
            output_tokens: usage["completion_tokens"].as_u64(),
            cost: usage["cost"].as_f64(),
        },
    ))
}

/// The text of a content: a string, or a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_text_calls_refusals_and_costs() {
        let (read, usage) = reply(&json!({
            "choices": [{
                "message": {
                    "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }],
                    "refusal": null,
                    "tool_calls": [{ "function": { "name": "f", "arguments": "{\"x\":1}" } }],
                },
                "finish_reason": "tool_calls",
            }],
            "usage": { "prompt_tokens": 12, "completion_tokens": 3, "cost": 0.25 },
        }))
        .unwrap();
        assert_eq!(read.text, "ab");
        assert_eq!(read.calls, [ToolCall { name: "f".into(), arguments: "{\"x\":1}".into() }]);
        assert_eq!(read.finish.as_deref(), Some("tool_calls"));
        let expected = Usage { input_tokens: Some(12), output_tokens: Some(3), cost: Some(0.25) };
        assert_eq!(usage, expected);

        let refusal = json!({ "choices": [{ "message": { "content": null, "refusal": "No." } }] });
        assert_eq!(reply(&refusal).unwrap().0.text, "No.");
    }

    #[test]
    fn an_answer_without_a_message_is_an_error() {
        for answer in [json!({}), json!({ "choices": [] }), json!([]), json!({ "error": "x" })] {
            assert!(reply(&answer).is_err(), "{answer}");
        }
    }
}
