//! The marker grammar: where live markers stand in a text, and of which kind.

use crate::scan::find_of_three;
use crate::search::{Live, find};

/// The name in both markers.
pub const NAME: &str = "untrusted-content";

/// What neutralising inserts after the `<` of a live marker.
pub const INFIX: &str = "!MURMUR-NEUTRALISED!";

/// The closing marker.
pub const CLOSE_MARKER: &str = "</untrusted-content>";

/// What stands between the name and the source in an opening marker.
pub(crate) const SOURCE_ATTRIBUTE: &str = " source=";

/// One live marker: a `<`, at most one `/`, and the name in any ASCII case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Byte offset of the `<`.
    pub start: usize,
    /// Byte offset after the `>`, or after the name where there is no marker
    /// around it.
    pub end: usize,
    /// What the marker is.
    pub kind: MarkerKind,
}

/// What a live marker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    /// `<untrusted-content source=NAME>`, where the name holds no line break and
    /// no live marker.
    Opener {
        /// Whether it is spelled in lower case, as the fence writes it.
        canonical: bool,
    },
    /// `</untrusted-content>`.
    Closer {
        /// Whether it is spelled in lower case, as the fence writes it.
        canonical: bool,
    },
    /// The right name and nothing that makes it an opening or closing marker.
    /// Neutralising treats it as a marker all the same.
    Stray,
}

/// The live markers of a text, in order, each `<` looked at once.
///
/// ```
/// use murmur_fence::{MarkerKind, markers};
/// let kinds: Vec<_> = markers("<Untrusted-Content source=x> </untrusted-content")
///     .map(|marker| marker.kind)
///     .collect();
/// assert_eq!(kinds, [MarkerKind::Opener { canonical: false }, MarkerKind::Stray]);
/// ```
pub fn markers(text: &str) -> Markers<'_> {
    Markers { text, next: find(text.as_bytes(), 0) }
}

/// Iterator over the live markers of a text; see [`markers`].
#[derive(Clone, Debug)]
pub struct Markers<'a> {
    text: &'a str,
    next: Option<Live>,
}

impl Iterator for Markers<'_> {
    type Item = Marker;

    fn next(&mut self) -> Option<Marker> {
        let live = self.next?;
        let bytes = self.text.as_bytes();
        self.next = find(bytes, live.name_end);
        // A marker cannot reach over the next one. Classifying within that
        // bound also keeps a run of unfinished openers linear.
        let bound = self.next.map_or(bytes.len(), |next| next.start);
        Some(classify(&bytes[..bound], live))
    }
}

/// What the live marker is, given the text up to the next one.
fn classify(bytes: &[u8], live: Live) -> Marker {
    let Live { start, name_end } = live;
    let rest = &bytes[name_end..];
    let (kind, end) = if bytes[start + 1] == b'/' {
        match rest.first() {
            Some(b'>') => {
                let end = name_end + 1;
                let canonical = &bytes[start..end] == CLOSE_MARKER.as_bytes();
                (MarkerKind::Closer { canonical }, end)
            }
            _ => (MarkerKind::Stray, name_end),
        }
    } else {
        match source_length(rest) {
            Some(length) => {
                let fixed_end = name_end + SOURCE_ATTRIBUTE.len();
                let canonical = &bytes[start + 1..name_end] == NAME.as_bytes()
                    && &bytes[name_end..fixed_end] == SOURCE_ATTRIBUTE.as_bytes();
                (MarkerKind::Opener { canonical }, fixed_end + length + 1)
            }
            None => (MarkerKind::Stray, name_end),
        }
    };
    Marker { start, end, kind }
}

/// The length of the source name, if ` source=`, a name on one line and `>`
/// follow.
fn source_length(rest: &[u8]) -> Option<usize> {
    let (attribute, name) = rest.split_at_checked(SOURCE_ATTRIBUTE.len())?;
    if !attribute.eq_ignore_ascii_case(SOURCE_ATTRIBUTE.as_bytes()) {
        return None;
    }
    let end = find_of_three([b'>', b'\n', b'\r'], name)?;
    (name[end] == b'>').then_some(end)
}

/// The source name inside an opening marker.
pub(crate) fn source_of(text: &str, opener: Marker) -> &str {
    let start = opener.start + 1 + NAME.len() + SOURCE_ATTRIBUTE.len();
    &text[start..opener.end - 1]
}
