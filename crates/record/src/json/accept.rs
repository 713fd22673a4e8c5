//! Acceptance: the texts that `serde_json` reads into a `Value`, and no others.

use core::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::JsonFault;

/// Accepts or refuses a text as `serde_json::from_str::<Value>` does.
pub(super) fn accept(text: &str) -> Result<(), JsonFault> {
    serde_json::from_str::<Accepted>(text)?;
    Ok(())
}

/// A value that was parsed in full and thrown away.
///
/// `serde::de::IgnoredAny` would not do: the parser skips what is ignored, and
/// with it the nesting limit, the range of numbers and unpaired surrogates.
struct Accepted;

impl<'de> Deserialize<'de> for Accepted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Accepted)
    }
}

impl<'de> Visitor<'de> for Accepted {
    type Value = Accepted;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Accepted, E> {
        Ok(Accepted)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Accepted, E> {
        Ok(Accepted)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Accepted, E> {
        Ok(Accepted)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Accepted, E> {
        Ok(Accepted)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Accepted, E> {
        Ok(Accepted)
    }

    fn visit_str<E>(self, _: &str) -> Result<Accepted, E> {
        Ok(Accepted)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Accepted, A::Error> {
        while items.next_element::<Accepted>()?.is_some() {}
        Ok(Accepted)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Accepted, A::Error> {
        while members.next_entry::<Accepted, Accepted>()?.is_some() {}
        Ok(Accepted)
    }
}
