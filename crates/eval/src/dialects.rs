//! The dialects by name, each ready for one trial.

use std::fmt;
use std::str::FromStr;

use murmur_fence::{Dialect, MarkerDialect, Nonce, Tags};

use crate::rng::Rng;

/// A dialect by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectName {
    /// The runtime's own marker.
    Marker,
    /// A pair of markers with a token per request.
    Nonce,
    /// The reserved tags.
    Tags,
}

impl DialectName {
    const ALL: [DialectName; 3] = [DialectName::Marker, DialectName::Nonce, DialectName::Tags];

    /// The name, as builders and options spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            DialectName::Marker => "marker",
            DialectName::Nonce => "nonce",
            DialectName::Tags => "tags",
        }
    }

    /// The dialect. A token comes from the generator, so that a trial can be
    /// repeated from its seed; outside a measurement it comes from the operating
    /// system.
    pub(crate) fn dialect(self, rng: &mut Rng) -> Box<dyn Dialect> {
        match self {
            DialectName::Marker => Box::new(MarkerDialect),
            DialectName::Tags => Box::new(Tags::default()),
            DialectName::Nonce => {
                let nonce = Nonce::fresh(|bytes: &mut [u8]| {
                    bytes.fill_with(|| rng.next() as u8);
                    Ok::<(), std::convert::Infallible>(())
                });
                Box::new(nonce.expect("a generator does not repeat one digit for ever"))
            }
        }
    }
}

impl fmt::Display for DialectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DialectName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == name)
            .ok_or_else(|| format!("unknown dialect `{name}`; there are marker, nonce and tags"))
    }
}
