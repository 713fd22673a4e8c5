//! The bodies of requests.

use alloc::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::fault::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrap<'a> {
    #[serde(borrow)]
    pub source: Cow<'a, str>,
    #[serde(borrow)]
    pub content: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verify<'a> {
    #[serde(borrow)]
    pub message: Cow<'a, str>,
    #[serde(default)]
    pub mode: Mode,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    #[default]
    Standard,
    Strict,
}

impl From<Mode> for murmur_fence::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Standard => murmur_fence::Mode::Standard,
            Mode::Strict => murmur_fence::Mode::Strict,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inspect<'a> {
    #[serde(borrow)]
    pub role: Cow<'a, str>,
    #[serde(borrow)]
    pub content: Cow<'a, str>,
    #[serde(default)]
    pub inserted: bool,
}

/// Reads a body as one of the above.
pub fn question<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Fault> {
    // Serde would take an array for an object whose names are left out.
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'[') {
        serde_json::from_slice::<IgnoredAny>(body)?;
        return Err(Fault::NoObject);
    }
    Ok(serde_json::from_slice(body)?)
}
