//! Sending the answer.

use alloc::string::{String, ToString};
use alloc::vec;

use serde::Serialize;

use crate::fault::Fault;
use crate::wasi::http::types::{
    ErrorCode, Fields, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use crate::wasi::io::streams::StreamError;

pub fn json(value: &impl Serialize) -> Result<String, Fault> {
    Ok(serde_json::to_string(value)?)
}

/// Sends a JSON text. It is whole before its first byte goes out, and its length is
/// declared, so a client can tell an answer that was cut off.
pub fn send(out: ResponseOutparam, status: u16, allow: Option<&str>, json: &str) {
    let Some((response, body)) = response(status, allow, json.len()) else {
        return ResponseOutparam::set(out, Err(ErrorCode::InternalError(None)));
    };
    ResponseOutparam::set(out, Ok(response));
    // A client that has gone away is nobody's fault; the body stays unfinished.
    if write(&body, json.as_bytes()).is_ok() {
        _ = OutgoingBody::finish(body, None);
    }
}

fn response(
    status: u16,
    allow: Option<&str>,
    length: usize,
) -> Option<(OutgoingResponse, OutgoingBody)> {
    let field = |name: &str, value: &str| (name.to_string(), value.as_bytes().to_vec());
    let mut fields = vec![
        field("content-type", "application/json"),
        field("content-length", &length.to_string()),
        // The texts inside are untrusted; no browser is to guess at them.
        field("x-content-type-options", "nosniff"),
    ];
    fields.extend(allow.map(|methods| field("allow", methods)));
    let response = OutgoingResponse::new(Fields::from_list(&fields).ok()?);
    response.set_status_code(status).ok()?;
    let body = response.body().ok()?;
    Some((response, body))
}

fn write(body: &OutgoingBody, mut bytes: &[u8]) -> Result<(), StreamError> {
    let stream = body.write().map_err(|()| StreamError::Closed)?;
    while !bytes.is_empty() {
        let allowed = stream.check_write()?;
        if allowed == 0 {
            stream.subscribe().block();
            continue;
        }
        let (now, rest) = bytes.split_at(bytes.len().min(allowed as usize));
        stream.write(now)?;
        bytes = rest;
    }
    stream.blocking_flush()
}
