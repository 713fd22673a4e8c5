//! Printing one JSON object as the whole output.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

pub fn print(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, value).map_err(|error| Failure::output(error.into()))?;
    out.write_all(b"\n").and_then(|()| out.flush()).map_err(Failure::output)
}
