//! Answers in either API's form, sound and faulty ones.

use serde_json::{Value, json};

use super::behaviour::{Fault, Times};
use super::http::Incoming;
use super::request::Form;
use crate::prompt::Reply;

/// What goes out.
#[derive(Debug)]
pub(super) struct Response {
    pub status: u16,
    pub body: String,
    /// Ends in the middle of the body.
    pub cut: bool,
}

impl Response {
    fn new(status: u16, body: &Value) -> Self {
        Response { status, body: body.to_string(), cut: false }
    }

    pub fn error(status: u16, message: &str) -> Self {
        Response::new(status, &json!({ "error": { "message": message } }))
    }
}

/// The answer of a fault.
pub(super) fn faulty((fault, _): (Fault, Times), incoming: &Incoming) -> Response {
    match fault {
        Fault::Status(status) => Response::error(status, "try again, says the script"),
        Fault::Unauthorised => {
            let key = incoming.key.as_deref().unwrap_or("none");
            Response::error(401, &format!("incorrect key provided: {key}"))
        }
        Fault::BrokenJson => Response {
            status: 200,
            body: "{\"choices\":[{\"message\":{\"content\":\"half a".to_owned(),
            cut: false,
        },
        Fault::CutStream => {
            Response { cut: true, ..Response::new(200, &json!({ "content": "x".repeat(200) })) }
        }
    }
}

impl Form {
    /// A reply in this form, with the tokens that a rough count gives.
    pub fn answer(self, reply: &Reply) -> Response {
        let finish = if reply.calls.is_empty() { "end" } else { "call" };
        let tokens = reply.text.len() / 4 + 1;
        let body = match self {
            Form::Openai => openai(reply, finish, tokens),
            Form::Anthropic => anthropic(reply, finish, tokens),
        };
        Response::new(200, &body)
    }
}

fn openai(reply: &Reply, finish: &str, tokens: usize) -> Value {
    let calls = reply.calls.iter().enumerate().map(|(n, call)| {
        json!({
            "id": format!("call_{n}"),
            "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        })
    });
    let calls: Value = calls.collect();
    json!({
        "object": "chat.completion",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": reply.text, "tool_calls": calls },
            "finish_reason": finish,
        }],
        "usage": { "prompt_tokens": 100, "completion_tokens": tokens },
    })
}

fn anthropic(reply: &Reply, finish: &str, tokens: usize) -> Value {
    let text = json!({ "type": "text", "text": reply.text });
    let calls = reply.calls.iter().enumerate().map(|(n, call)| {
        json!({
            "type": "tool_use",
            "id": format!("call_{n}"),
            "name": call.name,
            "input": serde_json::from_str::<Value>(&call.arguments).unwrap_or_default(),
        })
    });
    let content: Value = std::iter::once(text).chain(calls).collect();
    json!({
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": finish,
        "usage": { "input_tokens": 100, "output_tokens": tokens },
    })
}
