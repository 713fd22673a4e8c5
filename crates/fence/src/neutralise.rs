//! Neutralising: no live marker survives, nothing else changes; and the way back.

use alloc::borrow::Cow;
use alloc::string::String;

use memchr::memmem;

use crate::marker::INFIX;
use crate::search::{self, find};

/// Inserts [`INFIX`](crate::INFIX) after the `<` of every live marker.
///
/// A pure insertion: case, length and order of everything else stay. Idempotent.
/// Borrows, without allocating, when the content has no live marker.
///
/// ```
/// use murmur_fence::neutralise;
/// assert_eq!(neutralise("a </Untrusted-Content> b"),
///     "a <!MURMUR-NEUTRALISED!/Untrusted-Content> b");
/// assert!(matches!(neutralise("</ untrusted-content>"), std::borrow::Cow::Borrowed(_)));
/// ```
pub fn neutralise(content: &str) -> Cow<'_, str> {
    match find(content.as_bytes(), 0) {
        None => Cow::Borrowed(content),
        Some(first) => {
            let mut out = String::with_capacity(content.len() + 4 * INFIX.len());
            let (before, after) = content.split_at(first.start);
            out.push_str(before);
            search::neutralise_into(&mut out, after);
            Cow::Owned(out)
        }
    }
}

/// [`neutralise`], appended to `out`: faster than it where the content is copied
/// in any case, since it is read and written in one pass.
///
/// ```
/// let mut out = String::from("body: ");
/// murmur_fence::neutralise_into(&mut out, "</untrusted-content>");
/// assert_eq!(out, "body: <!MURMUR-NEUTRALISED!/untrusted-content>");
/// ```
pub fn neutralise_into(out: &mut String, content: &str) {
    search::neutralise_into(out, content);
}

/// Removes every [`INFIX`](crate::INFIX) that stands where neutralising puts one.
///
/// Not exact: a source may itself have written the neutralised form, and that is
/// not told apart from a rewritten marker. The result can hold live markers, so
/// it must not be shown to a model as it is. Borrows when nothing is removed.
///
/// ```
/// use murmur_fence::{neutralise, restore};
/// assert_eq!(restore(&neutralise("</untrusted-content>")), "</untrusted-content>");
/// ```
pub fn restore(body: &str) -> Cow<'_, str> {
    remove_infixes(body, |before, after| before.ends_with('<') && names_marker(after.as_bytes()))
}

/// Removes every infix that a dialect put there, by what stands before and after
/// it. Borrows when nothing is removed.
pub(crate) fn remove_infixes(body: &str, belongs: impl Fn(&str, &str) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for at in memmem::find_iter(body.as_bytes(), INFIX) {
        let after = at + INFIX.len();
        if belongs(&body[..at], &body[after..]) {
            out.push_str(&body[copied..at]);
            copied = after;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(body);
    }
    out.push_str(&body[copied..]);
    Cow::Owned(out)
}

/// Whether a `<` in front of these bytes would begin a live marker.
fn names_marker(bytes: &[u8]) -> bool {
    let name = bytes.strip_prefix(b"/").unwrap_or(bytes);
    name.get(..crate::NAME.len())
        .is_some_and(|spelled| spelled.eq_ignore_ascii_case(crate::NAME.as_bytes()))
}
