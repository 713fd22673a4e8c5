//! What is served where.

use alloc::string::String;

use murmur_fence_record as record;
use serde::Serialize;

use crate::fault::Fault;
use crate::question::{Inspect, Verify, Wrap, question};
use crate::wasi::http::types::Method;

/// One path.
#[derive(Clone, Copy, Debug)]
pub enum Route {
    Healthz,
    Wrap,
    Verify,
    Inspect,
}

impl Route {
    pub fn at(path: &str) -> Option<Route> {
        match path {
            "/healthz" => Some(Route::Healthz),
            "/wrap" => Some(Route::Wrap),
            "/verify" => Some(Route::Verify),
            "/inspect" => Some(Route::Inspect),
            _ => None,
        }
    }

    /// The one method that it takes.
    pub fn method(self) -> &'static str {
        match self {
            Route::Healthz => "GET",
            Route::Wrap | Route::Verify | Route::Inspect => "POST",
        }
    }

    pub fn takes(self, method: &Method) -> bool {
        match self {
            Route::Healthz => matches!(method, Method::Get),
            Route::Wrap | Route::Verify | Route::Inspect => matches!(method, Method::Post),
        }
    }
}

#[derive(Serialize)]
struct Wrapped {
    block: String,
}

pub fn wrap(body: &[u8]) -> Result<String, Fault> {
    let Wrap { source, content } = question(body)?;
    crate::answer::json(&Wrapped { block: murmur_fence::wrap(&source, &content) })
}

pub fn verify(body: &[u8]) -> Result<String, Fault> {
    let Verify { message, mode } = question(body)?;
    crate::answer::json(&crate::verify::verdict(murmur_fence::verify(&message, mode.0)))
}

pub fn inspect(body: &[u8]) -> Result<String, Fault> {
    let Inspect { role, content, inserted } = question(body)?;
    crate::inspect::pieces(record::inspect(&role, &content, inserted)?)
}
