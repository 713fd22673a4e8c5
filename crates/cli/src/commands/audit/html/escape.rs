//! Making hostile text safe to show: as content, and in a quoted attribute.
//!
//! A character that shows nothing or turns the direction of others is shown as its
//! number, so that a reader sees what a model may have read.

use std::fmt::{self, Write};

use crate::visible::is_hidden;

/// Text as content. Line breaks and tabs are kept.
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' | '\t' => f.write_char(c)?,
                c if is_hidden(c) => {
                    let number = u32::from(c);
                    write!(f, "<span class=\"ctl\" title=\"{}\">{number:04X}</span>", name(c))?;
                }
                c => escaped(c, f)?,
            }
        }
        Ok(())
    }
}

/// Text of one line as content, in a direction of its own: nothing in it reorders
/// what stands beside it.
pub struct Inline<'a>(pub &'a str);

impl fmt::Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<bdi>{}</bdi>", Text(self.0))
    }
}

/// Text for a quoted attribute.
pub fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        _ = match is_hidden(c) {
            true => write!(out, "\\u{{{:x}}}", u32::from(c)),
            false => escaped(c, &mut out),
        };
    }
    out
}

fn escaped(c: char, out: &mut impl Write) -> fmt::Result {
    match c {
        '&' => out.write_str("&amp;"),
        '<' => out.write_str("&lt;"),
        '>' => out.write_str("&gt;"),
        '"' => out.write_str("&quot;"),
        '\'' => out.write_str("&#39;"),
        c => out.write_char(c),
    }
}

/// What a hidden character is, for those that an attack uses.
fn name(c: char) -> &'static str {
    match c {
        '\0' => "null",
        '\r' => "carriage return",
        '\u{1b}' => "escape",
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{2060}' => "word joiner",
        '\u{feff}' => "byte order mark",
        '\u{61c}' | '\u{200e}' | '\u{200f}' => "direction mark",
        '\u{202a}' | '\u{202b}' => "direction embedding",
        '\u{202d}' | '\u{202e}' => "direction override",
        '\u{202c}' | '\u{2069}' => "end of a direction",
        '\u{2066}'..='\u{2068}' => "direction isolate",
        '\u{2028}' | '\u{2029}' => "line separator",
        '\u{e0000}'..='\u{e0fff}' => "tag or variation character",
        _ => "control or invisible character",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_shown_as_text() {
        assert_eq!(
            Text("<script>a('\"&')</script>\n\t").to_string(),
            "&lt;script&gt;a(&#39;&quot;&amp;&#39;)&lt;/script&gt;\n\t"
        );
        assert_eq!(attribute("\"><img onerror='x'>"), "&quot;&gt;&lt;img onerror=&#39;x&#39;&gt;");
    }

    #[test]
    fn hidden_characters_are_shown_by_number() {
        assert_eq!(
            Inline("a\u{202e}b").to_string(),
            "<bdi>a<span class=\"ctl\" title=\"direction override\">202E</span>b</bdi>"
        );
        assert_eq!(attribute("a\u{202e}\n\0"), "a\\u{202e}\\u{a}\\u{0}");
        assert!(!Text("\r\u{1b}\u{e0041}\u{feff}").to_string().chars().any(is_hidden));
    }
}
