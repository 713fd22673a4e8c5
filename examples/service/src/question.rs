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

/// Read as a string first: the parser takes any other value in an enum's place for a
/// fault of the JSON.
#[derive(Deserialize)]
#[serde(try_from = "Cow<str>")]
pub struct Mode(pub murmur_fence::Mode);

impl Default for Mode {
    fn default() -> Self {
        Mode(murmur_fence::Mode::Standard)
    }
}

impl TryFrom<Cow<'_, str>> for Mode {
    type Error = &'static str;

    fn try_from(name: Cow<'_, str>) -> Result<Self, Self::Error> {
        match &*name {
            "standard" => Ok(Mode(murmur_fence::Mode::Standard)),
            "strict" => Ok(Mode(murmur_fence::Mode::Strict)),
            _ => Err("unknown mode, expected `standard` or `strict`"),
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
