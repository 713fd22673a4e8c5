//! Copies of the token in a text: finding, defanging and reading them.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::Nonce;
use crate::dialect::Dialect;
use crate::marker::{INFIX, MarkerKind};
use crate::neutralise::remove_infixes;
use crate::one_line::{breaks_line, one_line};
use crate::rules::Rules;
use crate::scan::{find_byte, find_either, starts_with_name};
use crate::segments::{Mark, Segment, Span, pair_up};
use crate::verify::{Mode, Verdict, judge};

impl Nonce {
    /// The first copy of the token, in any ASCII case, at or after `from`.
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let token = self.token.as_bytes();
        // In prose a digit is rarer than a letter.
        let anchor = token.iter().position(u8::is_ascii_digit).unwrap_or(0);
        let (lower, upper) = (token[anchor], token[anchor].to_ascii_uppercase());
        let mut at = from + anchor;
        loop {
            at += find_either(lower, upper, bytes.get(at..)?)?;
            let start = at - anchor;
            if starts_with_name(&bytes[start..], token) {
                return Some(start);
            }
            at += 1;
        }
    }

    /// The copies of the token, each with the marker around it. A copy without a
    /// whole marker around it is a stray.
    fn marks<'a>(&self, message: &'a str) -> Vec<Mark<'a>> {
        let bytes = message.as_bytes();
        let (opening, closing) = (self.opening(), self.closing());
        let mut marks = Vec::new();
        let mut next = self.find(bytes, 0);
        while let Some(start) = next {
            let end = start + self.token.len();
            next = self.find(bytes, end);
            // The next copy bounds the source name, which holds none.
            let bound = next.unwrap_or(bytes.len());
            marks.push(if let Some((span, canonical)) = self.around(bytes, start, &opening) {
                let source = source_after(&message[span.end..bound]);
                let source_length = source.map_or(0, |source| 1 + source.len());
                Mark {
                    start: span.start,
                    end: span.end + source_length,
                    kind: MarkerKind::Opener { canonical },
                    source: source.unwrap_or(""),
                    pair: 0,
                }
            } else if let Some((span, canonical)) = self.around(bytes, start, &closing) {
                let kind = MarkerKind::Closer { canonical };
                Mark { start: span.start, end: span.end, kind, source: "", pair: 0 }
            } else {
                Mark { start, end, kind: MarkerKind::Stray, source: "", pair: 0 }
            });
        }
        marks
    }

    /// Where the marker lies of which this copy of the token may be a part, and
    /// whether it is spelled as the fence writes it.
    fn around(&self, bytes: &[u8], token_start: usize, marker: &str) -> Option<(Span, bool)> {
        let prefix_length = marker.len() - self.form.suffix_length() - self.token.len();
        let start = token_start.checked_sub(prefix_length)?;
        let spelled = bytes.get(start..start + marker.len())?;
        let canonical = spelled == marker.as_bytes();
        spelled
            .eq_ignore_ascii_case(marker.as_bytes())
            .then_some((start..start + marker.len(), canonical))
    }
}

/// The source name on the line of an opening marker, as the fence writes it.
fn source_after(rest: &str) -> Option<&str> {
    let line = rest.strip_prefix(' ')?;
    let source = &line[..find_byte(b'\n', line.as_bytes())?];
    (!source.is_empty() && !source.contains(breaks_line)).then_some(source)
}

impl Dialect for Nonce {
    fn name(&self) -> &'static str {
        "nonce"
    }

    fn wrap(&self, source: &str, content: &str) -> String {
        let mut out = self.opening();
        let source = self.sanitise_source(source);
        out.reserve(source.len() + content.len() + 64);
        if !source.is_empty() {
            out.push(' ');
            out.push_str(&source);
        }
        out.push('\n');
        out.push_str(&self.defang(content));
        out.push('\n');
        out.push_str(&self.closing());
        out
    }

    /// Inserts the infix before the last character of every copy of the token.
    ///
    /// No copy is left: the infix begins and ends with a character that no token
    /// has, so a copy in the result would be a copy in the content that is not
    /// cut. Of a token that overlaps itself, every copy that begins before a cut
    /// is cut by it, and the search goes on from there.
    fn defang<'a>(&self, content: &'a str) -> Cow<'a, str> {
        let mut next = self.find(content.as_bytes(), 0);
        if next.is_none() {
            return Cow::Borrowed(content);
        }
        let mut out = String::with_capacity(content.len() + 4 * INFIX.len());
        let mut copied = 0;
        while let Some(start) = next {
            let cut = start + self.token.len() - 1;
            out.push_str(&content[copied..cut]);
            out.push_str(INFIX);
            copied = cut;
            next = self.find(content.as_bytes(), cut);
        }
        out.push_str(&content[copied..]);
        Cow::Owned(out)
    }

    fn restore<'a>(&self, body: &'a str) -> Cow<'a, str> {
        let (rest, last) = self.token.as_bytes().split_at(self.token.len() - 1);
        remove_infixes(body, |before, after| {
            let start = before.len().saturating_sub(rest.len());
            starts_with_name(&before.as_bytes()[start..], rest)
                && starts_with_name(after.as_bytes(), last)
        })
    }

    /// Copies of the token are defanged, and what breaks the line becomes a space.
    fn sanitise_source<'a>(&self, source: &'a str) -> Cow<'a, str> {
        match self.defang(source) {
            Cow::Borrowed(source) => one_line(source),
            Cow::Owned(defanged) => Cow::Owned(one_line(&defanged).into_owned()),
        }
    }

    fn segments<'a>(&self, message: &'a str) -> Vec<Segment<'a>> {
        pair_up(message, &self.marks(message))
    }

    fn verify<'a>(&self, message: &'a str, mode: Mode) -> Verdict<'a> {
        judge(message, self.marks(message), mode)
    }

    fn rules(&self) -> Rules {
        Rules::new([(self.opening(), self.closing())], "")
    }
}
