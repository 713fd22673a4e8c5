//! Text from a record, made safe to print on a terminal.
//!
//! What counts as hidden is told here for every report.

use std::fmt::{self, Write};

/// Prints a text on one line, with control and invisible characters spelled out,
/// so that a record can neither move the cursor nor hide what it says.
pub struct Visible<'a>(pub &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                c if is_hidden(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// Whether a character moves the cursor, shows nothing, or turns the direction of
/// what follows.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Characters that show nothing or turn the direction of what follows.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::Visible;

    #[test]
    fn nothing_moves_the_cursor_or_hides() {
        let hostile = "a\x1b[2J\n\r\u{202e}b\u{200b}é漢\u{85}";
        assert_eq!(Visible(hostile).to_string(), "a\\u{1b}[2J\\n\\r\\u{202e}b\\u{200b}é漢\\u{85}",);
    }
}
