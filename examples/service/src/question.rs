//! The bodies of requests.

use alloc::borrow::Cow;

use murmur_fence_record::JsonFault;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::fault::Fault;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Wrap<'a> {
    #[serde(borrow)]
    pub source: Cow<'a, str>,
    #[serde(borrow)]
    pub content: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
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
#[serde(deny_unknown_fields, expecting = "an object")]
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
    let asked = match first_of(body) {
        // Serde would take an array for an object whose names are left out.
        (b'[', line, column) => {
            let reason = "invalid type: sequence, expected an object".into();
            Err(Fault::Fields(JsonFault { line, column, reason }))
        }
        _ => serde_json::from_slice(body).map_err(Fault::from),
    };
    if let Err(Fault::Fields(_)) = asked {
        // What comes after the wrong member has not been read yet.
        serde_json::from_slice::<IgnoredAny>(body)?;
    }
    asked
}

/// The first byte that is no white space, with its line and column; 0 if there is none.
fn first_of(body: &[u8]) -> (u8, u32, u32) {
    let (mut line, mut column) = (1, 1);
    for &byte in body {
        match byte {
            b'\n' => (line, column) = (line + 1, 1),
            b' ' | b'\t' | b'\r' => column += 1,
            _ => return (byte, line, column),
        }
    }
    (0, line, column)
}
