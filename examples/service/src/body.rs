//! Taking the body of a request.

use alloc::vec::Vec;

use crate::fault::Fault;
use crate::wasi::http::types::{Headers, IncomingRequest};
use crate::wasi::io::streams::StreamError;

/// The most that a body may have, in bytes. It leaves room for a text of 256 KiB
/// that is escaped in full, short of `\u0000`.
pub const MAX_BODY: usize = 1 << 20;

/// How much is asked for at a time, in bytes.
const CHUNK: u64 = 64 << 10;

/// The body, if it is declared as JSON. One that is too long is not read to its end.
pub fn read(request: &IncomingRequest) -> Result<Vec<u8>, Fault> {
    let headers = request.headers();
    if !is_json(&headers) {
        return Err(Fault::Type);
    }
    let declared = declared_length(&headers);
    drop(headers);
    if declared > MAX_BODY as u64 {
        return Err(Fault::Large);
    }

    let body = request.consume().map_err(|()| Fault::Body)?;
    let stream = body.stream().map_err(|()| Fault::Body)?;
    let mut bytes = Vec::with_capacity(declared as usize);
    loop {
        match stream.blocking_read(CHUNK) {
            Ok(chunk) if bytes.len() + chunk.len() > MAX_BODY => return Err(Fault::Large),
            Ok(chunk) => bytes.extend_from_slice(&chunk),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(StreamError::LastOperationFailed(_)) => return Err(Fault::Body),
        }
    }
}

/// What `content-length` says, and 0 without one.
fn declared_length(headers: &Headers) -> u64 {
    let values = headers.get("content-length");
    let value = values.first().and_then(|value| str::from_utf8(value).ok());
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

fn is_json(headers: &Headers) -> bool {
    let types = headers.get("content-type");
    let [content_type] = &types[..] else { return false };
    let plain = |encoding: &Vec<u8>| encoding.eq_ignore_ascii_case(b"identity");
    names_json(content_type) && headers.get("content-encoding").iter().all(plain)
}

/// Whether a content type is `application/json`, with no other charset than UTF-8.
fn names_json(content_type: &[u8]) -> bool {
    let Ok(content_type) = str::from_utf8(content_type) else { return false };
    let mut parts = content_type.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    name.eq_ignore_ascii_case("application/json")
        && parts.all(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            !name.trim().eq_ignore_ascii_case("charset")
                || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
}
