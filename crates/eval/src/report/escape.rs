//! Making hostile text safe to show: in HTML and on a terminal.

/// The text for HTML content and quoted attributes. Control and direction
/// characters are shown by their number, so that nothing reorders or hides.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' => escaped.push('\n'),
            c if is_unsafe(c) => escaped += &shown(c),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The text for one line of a terminal.
pub(super) fn line(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) { escaped += &shown(c) } else { escaped.push(c) }
    }
    escaped
}

fn shown(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// Controls, and what changes direction or has no width.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_survives() {
        assert_eq!(
            html("<script>a('\"&')</script>\u{202e}\0"),
            "&lt;script&gt;a(&#39;&quot;&amp;&#39;)&lt;/script&gt;\\u{202e}\\u{0}"
        );
        assert_eq!(line("a\x1b[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c");
    }
}
