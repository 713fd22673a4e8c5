//! Cutting content to what a lane may still put into the prompt.

/// The head of `content` in at most `room` bytes, cut on a character boundary.
///
/// Content is cut before it is wrapped: the markers are not part of it, so no
/// cut reaches the envelope, and what is left of a marker inside the content is
/// neutralised like everything else.
pub(crate) fn cut(content: &str, room: u32) -> &str {
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    &content[..content.floor_char_boundary(room)]
}
