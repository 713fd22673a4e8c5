//! Why a request gets no answer, as a status and as JSON.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use murmur_fence_record::{InspectError, JsonFault};
use serde::Serialize;
use serde_json::error::Category;

use crate::body::MAX_BODY;

/// The most of a message that is handed back, in bytes: it can quote the request.
const MAX_MESSAGE: usize = 400;

#[derive(Debug)]
pub enum Fault {
    /// The client broke off, or what it sent is no HTTP body.
    Body,
    /// The body is no JSON.
    Json(JsonFault),
    /// The body is JSON, and its fields are not those of a question.
    Fields(JsonFault),
    /// There is nothing at this path.
    NoRoute,
    /// The path takes another method.
    Method { allow: &'static str },
    /// The body has more than [`MAX_BODY`] bytes.
    Large,
    /// The body is not declared as JSON in UTF-8, or is compressed.
    Type,
    /// The content of a message is no JSON.
    Content(JsonFault),
    /// What there is to say is too much.
    Answer,
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        match error.classify() {
            Category::Data => Fault::Fields(error.into()),
            _ => Fault::Json(error.into()),
        }
    }
}

impl From<InspectError> for Fault {
    fn from(error: InspectError) -> Self {
        match error {
            InspectError::NotJson(fault) => Fault::Content(fault),
            InspectError::TooLarge => Fault::Answer,
        }
    }
}

#[derive(Serialize)]
struct Body<'a> {
    error: Detail<'a>,
}

#[derive(Serialize)]
struct Detail<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

impl Fault {
    pub fn status(&self) -> u16 {
        match self {
            Fault::Body | Fault::Json(_) => 400,
            Fault::NoRoute => 404,
            Fault::Method { .. } => 405,
            Fault::Large => 413,
            Fault::Type => 415,
            Fault::Fields(_) | Fault::Content(_) | Fault::Answer => 422,
        }
    }

    /// The value of the field `allow`.
    pub fn allow(&self) -> Option<&'static str> {
        match self {
            Fault::Method { allow } => Some(allow),
            _ => None,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Fault::Body => "body-cut-off",
            Fault::Json(_) => "not-json",
            Fault::Fields(_) => "wrong-fields",
            Fault::NoRoute => "not-found",
            Fault::Method { .. } => "method-not-allowed",
            Fault::Large => "body-too-large",
            Fault::Type => "unsupported-media-type",
            Fault::Content(_) => "content-not-json",
            Fault::Answer => "answer-too-large",
        }
    }

    /// Where in the body, or in the content of the message.
    fn place(&self) -> Option<Place> {
        match self {
            Fault::Json(fault) | Fault::Fields(fault) | Fault::Content(fault) => {
                Some(Place { line: fault.line, column: fault.column })
            }
            _ => None,
        }
    }

    fn message(&self) -> Cow<'_, str> {
        match self {
            Fault::Body => "the body ends before it is whole; send it again".into(),
            Fault::Json(fault) | Fault::Fields(fault) => fault.reason.as_str().into(),
            Fault::NoRoute => {
                "no such path; there are /wrap, /verify, /inspect and /healthz".into()
            }
            Fault::Method { allow } => format!("this path takes {allow} only").into(),
            Fault::Large => format!("the body may have {MAX_BODY} bytes; send less").into(),
            Fault::Type => "send the body as content-type application/json, in UTF-8 and \
                            without content-encoding"
                .into(),
            Fault::Content(fault) => format!("the content is not JSON: {}", fault.reason).into(),
            Fault::Answer => "the message has too many texts to list; send it in parts".into(),
        }
    }

    pub fn to_json(&self) -> String {
        let message = self.message();
        let message = &message[..message.floor_char_boundary(MAX_MESSAGE)];
        let detail = Detail { code: self.code(), message, place: self.place() };
        // Strings and numbers in structs always print.
        serde_json::to_string(&Body { error: detail }).unwrap_or_default()
    }
}
