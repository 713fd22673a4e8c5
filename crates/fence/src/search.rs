//! Where live markers stand, and copying a text with the infix put into each.
//!
//! Two ways to the same answer: blocks of bytes compared at once (`vector`), where
//! the processor is known to have that, and one `<` after the other
//! ([`portable`]), everywhere else. Tests hold both to each other and to
//! [`naive`](crate::naive).

use alloc::string::String;

use crate::marker::NAME;
use crate::scan::visit;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::vector;

/// Bytes from the `<` of a marker to the end of its name, without a slash.
pub(crate) const SHORTEST: usize = 1 + NAME.len();

/// A live marker by the neutraliser's rule, not yet classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Live {
    /// Byte offset of the `<`.
    pub(crate) start: usize,
    /// Byte offset after the name.
    pub(crate) name_end: usize,
}

/// The first live marker at or after `from`.
#[inline]
pub(crate) fn find(bytes: &[u8], from: usize) -> Option<Live> {
    #[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
    return vector::find(bytes, from);
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    portable::find(bytes, from)
}

/// Appends the content, neutralised.
#[inline]
pub(crate) fn neutralise_into(out: &mut String, content: &str) {
    #[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
    vector::neutralise_into(out, content);
    #[cfg(not(any(
        target_arch = "x86_64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    portable::neutralise_into(out, content);
}

/// The end of the name, if the `<` at `start` begins a live marker.
#[inline(always)]
pub(crate) fn live_at(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start + 1..)?;
    let slash = usize::from(rest.first() == Some(&b'/'));
    let spelled = rest.get(slash..)?.first_chunk()?;
    visit(slash + NAME.len());
    is_name(spelled).then_some(start + 1 + slash + NAME.len())
}

/// Whether this spells the name in any ASCII case.
#[inline(always)]
fn is_name(spelled: &[u8; NAME.len()]) -> bool {
    let (head, last) = halves(spelled);
    let (name_head, name_last) = const { halves(NAME.as_bytes().first_chunk().unwrap()) };
    let (case_head, case_last) = const { halves(&CASE) };
    // Setting the bit of the case makes a letter of the name out of that letter in
    // either case, and out of nothing else.
    head | case_head == name_head && last | case_last == name_last
}

/// The bit in which the two cases of a letter differ, where the name has a letter.
const CASE: [u8; NAME.len()] = {
    let mut case = [0; NAME.len()];
    let mut at = 0;
    while at < case.len() {
        if NAME.as_bytes()[at].is_ascii_lowercase() {
            case[at] = 0x20;
        }
        at += 1;
    }
    case
};

/// The name as two numbers: its first 16 bytes, and its last byte.
#[inline(always)]
const fn halves(name: &[u8; NAME.len()]) -> (u128, u8) {
    let [head @ .., last] = name;
    (u128::from_le_bytes(*head), *last)
}

/// One `<` after the other: the path of every processor, and the twin that the
/// vector code is held to.
pub(crate) mod portable {
    #[cfg(any(
        test,
        not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))
    ))]
    use alloc::string::String;

    use super::{Live, live_at};
    #[cfg(any(
        test,
        not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))
    ))]
    use crate::marker::INFIX;
    use crate::marker::NAME;
    use crate::scan::find_byte;

    /// The first live marker at or after `from`.
    #[inline]
    pub(crate) fn find(bytes: &[u8], mut from: usize) -> Option<Live> {
        loop {
            let start = from + find_byte(b'<', bytes.get(from..)?)?;
            // The hyphen has no case and is rare: most other tags fail on it.
            if has_hyphen(bytes, start)
                && let Some(name_end) = live_at(bytes, start)
            {
                return Some(Live { start, name_end });
            }
            from = start + 1;
        }
    }

    /// Whether the hyphen of the name stands where the `<` at `start` wants it.
    #[inline]
    fn has_hyphen(bytes: &[u8], start: usize) -> bool {
        let slash = usize::from(bytes.get(start + 1) == Some(&b'/'));
        bytes.get(start + super::HYPHEN + slash) == Some(&NAME.as_bytes()[super::HYPHEN - 1])
    }

    /// Appends the content, neutralised.
    #[cfg(any(
        test,
        not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))
    ))]
    pub(crate) fn neutralise_into(out: &mut String, content: &str) {
        out.reserve(content.len());
        let mut copied = 0;
        let mut next = find(content.as_bytes(), 0);
        while let Some(live) = next {
            let after_bracket = live.start + 1;
            out.push_str(&content[copied..after_bracket]);
            out.push_str(INFIX);
            copied = after_bracket;
            next = find(content.as_bytes(), live.name_end);
        }
        out.push_str(&content[copied..]);
    }
}

/// How far after the `<` the hyphen of the name stands, where there is no slash.
pub(crate) const HYPHEN: usize = 1 + 9;
const _: () = assert!(NAME.as_bytes()[HYPHEN - 1] == b'-');
