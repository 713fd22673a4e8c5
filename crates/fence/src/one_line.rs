//! Text that stays on its line: source names and attribute values.

use alloc::borrow::Cow;

/// Whether a reader may end the line at this character, or not show it at all:
/// control characters and the Unicode line and paragraph separators.
pub(crate) fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The text with a space for each character that breaks the line. Borrows when
/// there is none.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(breaks_line) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if breaks_line(c) { ' ' } else { c }).collect())
}
