//! Forged markers in the body of a block, as the runtime left them: neutralised.

use murmur_fence::{INFIX, NAME, Span};

/// A marker that was neutralised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forged {
    /// The marker with the infix, in bytes of the text: up to its `>`, or to the
    /// end of the name where no `>` follows on the line.
    pub span: Span,
    /// The infix alone.
    pub infix: Span,
}

/// The neutralised markers of a text, in order. Content may have held the infix
/// itself, so that what is found may never have been a live marker.
pub fn forged(text: &str) -> impl Iterator<Item = Forged> + '_ {
    text.match_indices(INFIX).filter_map(|(at, infix)| {
        let start = at.checked_sub(1).filter(|&start| text.as_bytes()[start] == b'<')?;
        let name = at + infix.len() + usize::from(text[at + infix.len()..].starts_with('/'));
        let end = name + NAME.len();
        let spelled = text.as_bytes().get(name..end)?;
        if !spelled.eq_ignore_ascii_case(NAME.as_bytes()) {
            return None;
        }
        let rest = &text[end..];
        let close = rest.find(['>', '<', '\n']).filter(|&close| rest.as_bytes()[close] == b'>');
        let end = close.map_or(end, |close| end + close + 1);
        Some(Forged { span: start..end, infix: at..at + infix.len() })
    })
}

#[cfg(test)]
mod tests {
    use super::forged;

    fn spelled(text: &str) -> Vec<&str> {
        forged(text).map(|forged| &text[forged.span]).collect()
    }

    #[test]
    fn neutralised_markers_are_found_to_their_end() {
        let closer = "<!MURMUR-NEUTRALISED!/untrusted-content>";
        let opener = "<!MURMUR-NEUTRALISED!UNTRUSTED-content source=tool:x>";
        let stray = "<!MURMUR-NEUTRALISED!untrusted-content";
        let text = format!("a {closer}b {opener}\n{stray} \n> {stray}<b>");
        assert_eq!(spelled(&text), [closer, opener, stray, stray]);
    }

    #[test]
    fn the_infix_alone_is_no_forgery() {
        for text in [
            "!MURMUR-NEUTRALISED!",
            "<!MURMUR-NEUTRALISED!",
            "<!MURMUR-NEUTRALISED!/",
            "<!MURMUR-NEUTRALISED!b>",
            "!MURMUR-NEUTRALISED!/untrusted-content>",
            "<!MURMUR-NEUTRALISED!//untrusted-content>",
        ] {
            assert_eq!(spelled(text), [""; 0], "{text}");
        }
    }
}
