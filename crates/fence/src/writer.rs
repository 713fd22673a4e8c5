//! Writing a block in chunks, whatever boundaries the chunks have.

use alloc::string::String;

use memchr::memrchr;

use crate::marker::{CLOSE_MARKER, NAME};
use crate::neutralise::neutralise_into;
use crate::wrap::open_marker;

/// Writes one block in chunks. What [`write`](Writer::write) and
/// [`finish`](Writer::finish) append, joined, is what [`wrap`](crate::wrap) gives
/// for the joined chunks.
///
/// At most 18 bytes are held back from one call to the next: the beginning of
/// what may become a marker.
///
/// ```
/// use murmur_fence::{Writer, wrap};
/// let mut out = String::new();
/// let mut writer = Writer::new("tool:tail");
/// writer.write("log line </untrus", &mut out);
/// writer.write("ted-content> more", &mut out);
/// writer.finish(&mut out);
/// assert_eq!(out, wrap("tool:tail", "log line </untrusted-content> more"));
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    /// The opening marker and its separator, until they are written.
    head: String,
    /// The end of the text so far, if it may be the beginning of a marker.
    held: String,
}

impl Writer {
    /// Starts a block under `source`. Nothing is written yet.
    pub fn new(source: &str) -> Self {
        let mut head = open_marker(source);
        head.push('\n');
        Writer { head, held: String::new() }
    }

    /// Takes the next chunk and appends to `out` what is certain by now.
    pub fn write(&mut self, chunk: &str, out: &mut String) {
        self.write_head(out);
        if self.held.is_empty() {
            let certain = certain_length(chunk);
            neutralise_into(out, &chunk[..certain]);
            self.held.push_str(&chunk[certain..]);
        } else {
            self.held.push_str(chunk);
            let certain = certain_length(&self.held);
            neutralise_into(out, &self.held[..certain]);
            self.held.drain(..certain);
        }
    }

    /// Closes the block: appends what was held back, the separator and the
    /// closing marker.
    pub fn finish(mut self, out: &mut String) {
        self.write_head(out);
        // Held back because it was not a whole marker; nothing can complete it now.
        out.push_str(&self.held);
        out.push('\n');
        out.push_str(CLOSE_MARKER);
    }

    fn write_head(&mut self, out: &mut String) {
        out.push_str(&self.head);
        self.head.clear();
    }
}

/// How many bytes of the text no later chunk can make part of a new marker.
fn certain_length(text: &str) -> usize {
    // The longest unfinished marker is `</` and all but the last letter.
    let window = text.len().saturating_sub(1 + NAME.len());
    // A marker holds one `<`, so only the last one can be unfinished.
    match memrchr(b'<', &text.as_bytes()[window..]) {
        Some(at) if may_become_marker(&text.as_bytes()[window + at + 1..]) => window + at,
        _ => text.len(),
    }
}

/// Whether what follows a `<` is a proper beginning of a marker.
fn may_become_marker(after_bracket: &[u8]) -> bool {
    let name = after_bracket.strip_prefix(b"/").unwrap_or(after_bracket);
    name.len() < NAME.len() && name.eq_ignore_ascii_case(&NAME.as_bytes()[..name.len()])
}
