//! `wrap` and `neutralise`: text in, exactly the fenced bytes out.

use std::io::{self, Write};

use crate::Outcome;
use crate::failure::Failure;
use crate::input::Input;

pub fn wrap(source: &str, file: &Input) -> Result<Outcome, Failure> {
    write(&murmur_fence::wrap(source, &file.text()?))
}

pub fn neutralise(file: &Input) -> Result<Outcome, Failure> {
    write(&murmur_fence::neutralise(&file.text()?))
}

/// Writes the text as it is: no newline is added.
fn write(text: &str) -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::output)?;
    Ok(Outcome::Clean)
}
