//! What a request asks, in either API's form.

use serde_json::Value;

/// A request, as far as a script needs it.
#[derive(Debug)]
pub(super) struct Request {
    pub form: Form,
    /// The system prompt.
    pub system: String,
    /// What the user and the tools said, in order.
    pub texts: Vec<String>,
    /// The tools.
    pub tools: Vec<Tool>,
}

/// Whose form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Openai,
    Anthropic,
}

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub name: String,
    pub description: String,
    /// The names of its parameters that must be given.
    pub parameters: Vec<String>,
}

impl Request {
    /// Reads a body by the path that it was sent to.
    pub fn read(path: &str, body: &str) -> Result<Request, String> {
        let body: Value =
            serde_json::from_str(body).map_err(|error| format!("the body is no JSON: {error}"))?;
        match path.trim_end_matches('/').rsplit('/').next() {
            Some("completions") => Ok(openai(&body)),
            Some("messages") => Ok(anthropic(&body)),
            _ => Err(format!(
                "no such path: {path}; there are /v1/chat/completions and /v1/messages"
            )),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn tool(description: &Value, schema: &Value) -> Tool {
    Tool {
        name: text(&description["name"]),
        description: text(&description["description"]),
        parameters: list(&schema["required"]).map(text).collect(),
    }
}

fn openai(body: &Value) -> Request {
    let mut request = Request {
        form: Form::Openai,
        system: String::new(),
        texts: Vec::new(),
        tools: list(&body["tools"])
            .map(|t| tool(&t["function"], &t["function"]["parameters"]))
            .collect(),
    };
    for message in list(&body["messages"]) {
        match message["role"].as_str() {
            Some("system") => request.system = text(&message["content"]),
            Some("user" | "tool") => request.texts.push(text(&message["content"])),
            _ => {}
        }
    }
    request
}

fn anthropic(body: &Value) -> Request {
    let user = list(&body["messages"]).filter(|message| message["role"] == "user");
    let texts = user.flat_map(|message| match &message["content"] {
        Value::Array(blocks) => {
            blocks.iter().map(|block| text(&block["content"])).collect::<Vec<_>>()
        }
        content => vec![text(content)],
    });
    Request {
        form: Form::Anthropic,
        system: text(&body["system"]),
        texts: texts.collect(),
        tools: list(&body["tools"]).map(|t| tool(t, &t["input_schema"])).collect(),
    }
}
