//! A text as it is compared between surfaces: by length and keyed hash.
//!
//! In a trace, a peer handle (`mh1.`, two more segments) is replaced by its id
//! (`<handle:`..`>`). Both are taken for the same, so that a text compares equal
//! before and after the replacement.

use alloc::borrow::Cow;
use alloc::string::String;
#[cfg(feature = "std")]
use std::hash::{BuildHasher, Hasher, RandomState};

use memchr::memmem;

const HANDLE: &str = "mh1.";
const REPLACED: &str = "<handle:";

/// Hashes texts; the key is drawn anew for each audit, so that no file can be made
/// to collide.
#[derive(Debug, Default)]
pub(in crate::audit) struct Digests {
    #[cfg(feature = "std")]
    key: RandomState,
}

/// A text's length and hash, handles taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::audit) struct Digest {
    length: u64,
    hash: u64,
}

impl Digests {
    /// The digest of a text.
    pub(in crate::audit) fn of(&self, text: &str) -> Digest {
        let text = without_handles(text);
        Digest { length: text.len() as u64, hash: self.hash(&text) }
    }

    /// Without std there is neither a key nor anything to be looked up by a hash.
    #[cfg(not(feature = "std"))]
    pub(in crate::audit) fn hash(&self, _: &str) -> u64 {
        0
    }

    /// The plain hash of a name or an id.
    #[cfg(feature = "std")]
    pub(in crate::audit) fn hash(&self, text: &str) -> u64 {
        let mut hasher = self.key.build_hasher();
        hasher.write(text.as_bytes());
        hasher.finish()
    }
}

/// Whether a trace may have replaced a handle in this text.
#[cfg(feature = "std")]
pub(in crate::audit) fn has_replaced_handle(text: &str) -> bool {
    memmem::find(text.as_bytes(), REPLACED.as_bytes()).is_some()
}

/// The text with each handle, or what replaces one, left out except for the
/// beginning of the replacement.
pub(in crate::audit) fn without_handles(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let none = |needle: &str| memmem::find(bytes, needle.as_bytes()).is_none();
    if none(HANDLE) && none(REPLACED) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['m', '<']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match handle(from).or_else(|| replaced(from)) {
            Some(length) => {
                out.push_str(REPLACED);
                rest = &from[length..];
            }
            None => {
                out.push_str(&from[..1]);
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The length of the handle that a text begins with.
fn handle(text: &str) -> Option<usize> {
    let segments = text.strip_prefix(HANDLE)?;
    let first = segment(segments)?;
    let second = segment(segments[first..].strip_prefix('.')?)?;
    Some(HANDLE.len() + first + 1 + second)
}

/// The length of a replacement that a text begins with.
fn replaced(text: &str) -> Option<usize> {
    let id = text.strip_prefix(REPLACED)?;
    let length = segment(id)?;
    id[length..].starts_with('>').then_some(REPLACED.len() + length + 1)
}

fn segment(text: &str) -> Option<usize> {
    let of_kind = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    Some(text.bytes().take_while(|byte| of_kind(byte)).count()).filter(|length| *length > 0)
}

#[cfg(test)]
mod tests {
    use super::{Digests, without_handles};

    #[test]
    fn a_handle_and_its_replacement_compare_equal() {
        let digests = Digests::default();
        let text = "Fetch mh1.eyJ2IjoxfQ.q-_w now, or mh1.a.b.";
        assert_eq!(digests.of(text), digests.of("Fetch <handle:91ab> now, or <handle:7>."));
        assert_ne!(digests.of(text), digests.of("Fetch <handle:91ab> now, or <handle:7>"));
        assert_ne!(digests.of(text), digests.of("Fetch mh1.eyJ2IjoxfQ.q-_w now, or mh1.a."));
    }

    #[test]
    fn what_is_no_handle_stays() {
        for text in ["", "mh1.", "mh1.a", "mh1.a.", "mh1..b", "<handle:>", "<handle:a b>", "m < mh"]
        {
            assert_eq!(without_handles(text), text);
        }
        assert_eq!(without_handles("mmh1.a.b"), "m<handle:");
    }
}
