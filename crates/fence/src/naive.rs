//! Slow twins written for obviousness: what the fast code is held to.
//!
//! They share no code with the fast paths, the [`NAME`] and [`INFIX`] texts
//! aside. Tests and fuzz targets compare against them; nothing else should call
//! them.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Block, INFIX, NAME, Segment};

/// What [`crate::neutralise`] must give.
pub fn neutralise(content: &str) -> String {
    let mut out = String::new();
    for (at, c) in content.char_indices() {
        out.push(c);
        if begins_marker(&content[at..]) {
            out.push_str(INFIX);
        }
    }
    out
}

/// What [`crate::wrap`] must give.
pub fn wrap(source: &str, content: &str) -> String {
    let name = neutralise(source).replace('>', "_").replace(['\n', '\r'], " ");
    let body = neutralise(content);
    alloc::format!("<untrusted-content source={name}>\n{body}\n</untrusted-content>")
}

/// What [`crate::segments`] must give.
pub fn segments(message: &str) -> Vec<Segment<'_>> {
    let mut out = Vec::new();
    let mut text_start = 0;
    let mut at = 0;
    while at < message.len() {
        match block_at(message, at) {
            Some(block) => {
                if text_start < at {
                    out.push(Segment::Text(text_start..at));
                }
                at = block.closer.end;
                text_start = at;
                out.push(Segment::Block(block));
            }
            None => at += 1,
        }
    }
    if text_start < message.len() {
        out.push(Segment::Text(text_start..message.len()));
    }
    out
}

/// The block whose opening marker begins at this byte.
fn block_at(message: &str, at: usize) -> Option<Block<'_>> {
    let rest = message.get(at..)?;
    let fixed = "<untrusted-content source=";
    if !rest.get(..fixed.len())?.eq_ignore_ascii_case(fixed) {
        return None;
    }
    let source = &rest[fixed.len()..rest.find('>')?];
    let one_line = !source.contains(['\n', '\r']);
    let has_marker = (0..source.len()).any(|i| source.get(i..).is_some_and(begins_marker));
    // The `>` that ends the name also ends the search for a marker that begins
    // in the name: no marker name holds a `>`.
    if !one_line || has_marker {
        return None;
    }
    let opener = at..at + fixed.len() + source.len() + 1;

    let closing = "</untrusted-content>";
    let closer_start = (opener.end..message.len()).find(|&i| {
        let spelled = message.get(i..i + closing.len());
        spelled.is_some_and(|spelled| spelled.eq_ignore_ascii_case(closing))
    })?;
    let closer = closer_start..closer_start + closing.len();

    let mut body = opener.end..closer.start;
    if message[body.clone()].starts_with('\n') {
        body.start += 1;
    }
    if message[body.clone()].ends_with('\n') {
        body.end -= 1;
    }
    Some(Block { source, opener, body, closer })
}

/// Whether the text starts with `<`, at most one `/`, and the name in any case.
fn begins_marker(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('<') else { return false };
    let name = rest.strip_prefix('/').unwrap_or(rest);
    name.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}
