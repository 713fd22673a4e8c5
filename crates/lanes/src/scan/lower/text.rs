//! What a text literal means: its escapes, decoded.

use std::string::String;

/// Decodes the escapes that the scanned languages share. Any other escape is the
/// character after the backslash.
pub(super) fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('0') => out.push('\0'),
            Some('\n') | None => {}
            Some('x') => out.extend(code(&mut rest, 2)),
            Some('u') => {
                if rest.as_str().starts_with('{') {
                    let digits: String = rest.by_ref().skip(1).take_while(|&c| c != '}').collect();
                    out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                } else {
                    out.extend(code(&mut rest, 4));
                }
            }
            Some(other) => out.push(other),
        }
    }
    out
}

/// The character of that many hexadecimal digits.
fn code(rest: &mut core::str::Chars<'_>, digits: usize) -> Option<char> {
    let digits: String = rest.by_ref().take(digits).collect();
    u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
}
