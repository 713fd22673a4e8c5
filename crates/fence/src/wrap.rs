//! Writing a block in one piece.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::marker::CLOSE_MARKER;
use crate::neutralise::{neutralise, neutralise_into};

/// An opening marker up to its source name.
const OPEN: &str = "<untrusted-content source=";

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
    let mut out = String::new();
    wrap_into(&mut out, source, content);
    out
}

/// [`wrap`], appended to `out`: with a reused buffer, no allocation.
pub fn wrap_into(out: &mut String, source: &str, content: &str) {
    out.reserve(OPEN.len() + source.len() + content.len() + 2 + CLOSE_MARKER.len() + 1);
    out.push_str(OPEN);
    out.push_str(&sanitise_source(source));
    out.push_str(">\n");
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
    let source = sanitise_source(source);
    let mut out = String::with_capacity(OPEN.len() + source.len() + 1);
    out.push_str(OPEN);
    out.push_str(&source);
    out.push('>');
    out
}

/// The source name as the opening marker carries it: live markers neutralised,
/// each `>` a `_`, each CR and LF a space. Any name is accepted, also an empty
/// one. Borrows when nothing changes.
pub fn sanitise_source(source: &str) -> Cow<'_, str> {
    let name = neutralise(source);
    if !changes(name.as_bytes()) {
        return name;
    }
    let replaced = name.chars().map(|c| match c {
        '>' => '_',
        '\n' | '\r' => ' ',
        other => other,
    });
    Cow::Owned(replaced.collect())
}

/// Whether a byte of the name may not stand in an opening marker.
fn changes(name: &[u8]) -> bool {
    // Most names are short: filled up to 16 bytes, one is compared at once.
    let (blocks, rest) = name.as_chunks::<16>();
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    let in_block = |block: &[u8; 16]| {
        let either = |any, byte: &u8| any | (*byte == b'>') | (*byte == b'\n') | (*byte == b'\r');
        block.iter().fold(false, either)
    };
    blocks.iter().chain([&last]).any(in_block)
}
