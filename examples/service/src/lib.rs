//! The fence as an HTTP service: world `service`.
//!
//! Only conversion is written here, from a request to a call of the crates below and
//! from what they say to an answer. The shapes of both are in the README.

#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

wit_bindgen::generate!({ path: "wit", world: "service", generate_all });

mod answer;
mod body;
mod fault;
mod inspect;
mod question;
mod route;
#[path = "../../../crates/guest-fence/src/runtime.rs"]
mod runtime;
mod verify;

use alloc::string::String;

use crate::exports::wasi::http::incoming_handler::Guest;
use crate::fault::Fault;
use crate::route::Route;
use crate::wasi::http::types::{IncomingRequest, ResponseOutparam};

struct Component;

impl Guest for Component {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        match answer(&request) {
            Ok(json) => answer::send(out, 200, None, &json),
            Err(fault) => answer::send(out, fault.status(), fault.allow(), &fault.to_json()),
        }
    }
}

fn answer(request: &IncomingRequest) -> Result<String, Fault> {
    let target = request.path_with_query().unwrap_or_default();
    let path = target.split_once('?').map_or(target.as_str(), |(path, _)| path);
    let route = Route::at(path).ok_or(Fault::NoRoute)?;
    if !route.takes(&request.method()) {
        return Err(Fault::Method { allow: route.method() });
    }
    match route {
        Route::Healthz => Ok(String::from(r#"{"status":"ok"}"#)),
        Route::Wrap => route::wrap(&body::read(request)?),
        Route::Verify => route::verify(&body::read(request)?),
        Route::Inspect => route::inspect(&body::read(request)?),
    }
}

// Native linkers refuse the exports' names; there the crate is only checked.
#[cfg(target_family = "wasm")]
export!(Component);
