//! Writing a block in one piece.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::marker::{CLOSE_MARKER, NAME, SOURCE_ATTRIBUTE};
use crate::neutralise::{neutralise, neutralise_into};

/// Puts `content` into a block under `source`: opening marker, newline, the
/// neutralised content, newline, closing marker. Nothing is trimmed.
///
/// ```
/// assert_eq!(
///     murmur_fence::wrap("task:event", "hello\n"),
///     "<untrusted-content source=task:event>\nhello\n\n</untrusted-content>",
/// );
/// ```
pub fn wrap(source: &str, content: &str) -> String {
    let mut out = String::with_capacity(content.len() + source.len() + 64);
    wrap_into(&mut out, source, content);
    out
}

/// [`wrap`], appended to `out`: with a reused buffer, no allocation.
pub fn wrap_into(out: &mut String, source: &str, content: &str) {
    open_into(out, source);
    out.push('\n');
    neutralise_into(out, content);
    out.push('\n');
    out.push_str(CLOSE_MARKER);
}

/// The opening marker for a source.
///
/// ```
/// assert_eq!(murmur_fence::open_marker("tool:a>b"), "<untrusted-content source=tool:a_b>");
/// ```
pub fn open_marker(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 32);
    open_into(&mut out, source);
    out
}

fn open_into(out: &mut String, source: &str) {
    out.push('<');
    out.push_str(NAME);
    out.push_str(SOURCE_ATTRIBUTE);
    out.push_str(&sanitise_source(source));
    out.push('>');
}

/// The source name as the opening marker carries it: live markers neutralised,
/// each `>` a `_`, each CR and LF a space. Any name is accepted, also an empty
/// one. Borrows when nothing changes.
pub fn sanitise_source(source: &str) -> Cow<'_, str> {
    let name = neutralise(source);
    if !name.contains(['>', '\n', '\r']) {
        return name;
    }
    let replaced = name.chars().map(|c| match c {
        '>' => '_',
        '\n' | '\r' => ' ',
        other => other,
    });
    Cow::Owned(replaced.collect())
}
