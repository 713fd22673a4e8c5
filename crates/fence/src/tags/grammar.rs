//! Live tags in a text: finding, defanging and reading them.
//!
//! What makes a `<` a live tag lies between it and the next `<`: blanks, slashes,
//! the name, and what shows that the name ends. So each byte is read at most once
//! on behalf of the `<` before it and once in search of the next, and the cost is
//! linear whatever the text.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::attributes::{self, sanitise_value};
use super::{DATA, TOOL_RESULT, Tags};
use crate::dialect::Dialect;
use crate::marker::{INFIX, MarkerKind};
use crate::neutralise::remove_infixes;
use crate::rules::Rules;
use crate::scan::{find_byte, run_length, starts_with_name};
use crate::segments::{Mark, Segment, pair_up};
use crate::verify::{Mode, Verdict, judge};

/// A live tag.
#[derive(Clone, Copy)]
struct Live {
    /// Byte offset of the `<`.
    start: usize,
    /// Byte offset of the name.
    name: usize,
    /// Which reserved name it is.
    index: usize,
}

/// Whether a reader passes over the character between `<` and the name: white
/// space of every script, controls, and what does not show.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || is_default_ignorable(c)
}

/// The Unicode property Default_Ignorable_Code_Point.
fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the name goes on, so that it is another name. It takes a letter or a
/// digit: `</data->` is still read as `data`.
fn name_continues(rest: &str) -> bool {
    let punctuation = run_length(rest, |c| matches!(c, '-' | '_' | '.' | ':'));
    // A filler counts as a letter, and shows as nothing.
    rest[punctuation..].starts_with(|c: char| c.is_alphanumeric() && !is_default_ignorable(c))
}

impl Tags {
    /// The first live tag at or after `from`.
    fn find(&self, text: &str, mut from: usize) -> Option<Live> {
        loop {
            let start = from + find_byte(b'<', text.as_bytes().get(from..)?)?;
            from = start + 1;
            if let Some((lead, index)) = self.named_by(&text[from..]) {
                return Some(Live { start, name: from + lead, index });
            }
        }
    }

    /// Whether the text after a `<` makes it a live tag: how many bytes stand
    /// before the name, and which name it is.
    fn named_by(&self, rest: &str) -> Option<(usize, usize)> {
        let lead = run_length(rest, |c| matches!(c, '/' | '\\') || is_blank(c));
        let spelled = &rest[lead..];
        let index = self.reserved.iter().position(|name| {
            starts_with_name(spelled.as_bytes(), name.as_bytes())
                && !name_continues(&spelled[name.len()..])
        })?;
        Some((lead, index))
    }

    /// Every live tag, as a marker or a stray, and the two tags around a tool
    /// result as one.
    fn marks<'a>(&self, message: &'a str) -> Vec<Mark<'a>> {
        let mut marks: Vec<Mark<'a>> = Vec::new();
        let mut next = self.find(message, 0);
        while let Some(live) = next {
            next = self.find(message, live.name);
            let mark = self.classify(message, live);
            match marks.last_mut() {
                Some(before) if self.is_nested(before, &mark) => {
                    before.end = mark.end;
                    before.pair = self.reserved.len();
                }
                _ => marks.push(mark),
            }
        }
        marks
    }

    /// Whether two marks are the two tags on one side of a tool result.
    fn is_nested(&self, before: &Mark<'_>, after: &Mark<'_>) -> bool {
        use MarkerKind::{Closer, Opener};
        let is = |mark: &Mark<'_>, tag| self.index_of(tag) == Some(mark.pair);
        let bare = after.end - after.start == "<>".len() + DATA.len();
        before.end == after.start
            && match (before.kind, after.kind) {
                (Opener { .. }, Opener { .. }) => {
                    bare && is(before, TOOL_RESULT) && is(after, DATA)
                }
                (Closer { .. }, Closer { .. }) => is(before, DATA) && is(after, TOOL_RESULT),
                _ => false,
            }
    }

    /// A whole tag as the fence writes it is an opening or a closing marker;
    /// everything else that is live is a stray.
    fn classify<'a>(&self, message: &'a str, live: Live) -> Mark<'a> {
        let Live { start, name, index } = live;
        let name_end = name + self.reserved[index].len();
        let stray = Mark { start, end: name_end, kind: MarkerKind::Stray, source: "", pair: index };
        if message[name..name_end] != self.reserved[index] {
            return stray;
        }
        let rest = &message[name_end..];
        match &message[start..name] {
            "<" => attributes::read(rest).map_or(stray, |attributes| Mark {
                end: name_end + attributes.length,
                kind: MarkerKind::Opener { canonical: true },
                source: attributes.first.unwrap_or(&message[name..name_end]),
                ..stray
            }),
            "</" if rest.starts_with('>') => {
                Mark { end: name_end + 1, kind: MarkerKind::Closer { canonical: true }, ..stray }
            }
            _ => stray,
        }
    }
}

impl Dialect for Tags {
    fn name(&self) -> &'static str {
        "tags"
    }

    /// Uses the first reserved tag, with the source in the attribute `source`.
    fn wrap(&self, source: &str, content: &str) -> String {
        let (tag, source, body) = (&self.reserved[0], sanitise_value(source), self.defang(content));
        format!("<{tag} source=\"{source}\">\n{body}\n</{tag}>")
    }

    /// Inserts the infix after the `<` of every live tag. No rewrite makes a new
    /// live tag: the infix brings no `<`, and takes the one before it from what
    /// made it live.
    fn defang<'a>(&self, content: &'a str) -> Cow<'a, str> {
        let mut next = self.find(content, 0);
        if next.is_none() {
            return Cow::Borrowed(content);
        }
        let mut out = String::with_capacity(content.len() + 4 * INFIX.len());
        let mut copied = 0;
        while let Some(live) = next {
            let after_bracket = live.start + 1;
            out.push_str(&content[copied..after_bracket]);
            out.push_str(INFIX);
            copied = after_bracket;
            next = self.find(content, live.name);
        }
        out.push_str(&content[copied..]);
        Cow::Owned(out)
    }

    fn restore<'a>(&self, body: &'a str) -> Cow<'a, str> {
        remove_infixes(body, |before, after| {
            before.ends_with('<') && self.named_by(after).is_some()
        })
    }

    fn sanitise_source<'a>(&self, source: &'a str) -> Cow<'a, str> {
        sanitise_value(source)
    }

    /// The source of a block is the value of its first attribute, or the tag's
    /// name where it has none.
    fn segments<'a>(&self, message: &'a str) -> Vec<Segment<'a>> {
        pair_up(message, &self.marks(message))
    }

    fn verify<'a>(&self, message: &'a str, mode: Mode) -> Verdict<'a> {
        judge(message, self.marks(message), mode)
    }

    fn rules(&self) -> Rules {
        let pairs = self.reserved().map(|tag| (format!("<{tag}>"), format!("</{tag}>")));
        Rules::new(pairs, "whatever attributes the opening tag has")
    }
}
