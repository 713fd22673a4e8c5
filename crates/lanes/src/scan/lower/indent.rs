//! How deep Python is indented, before the grammar's scanner is let at it.
//!
//! The scanner keeps a stack of indentations and writes it into a buffer of 1024
//! bytes, and where the stack is larger it writes past the end or ends the process.
//! So a text with more different indentations than fit is not handed to it. The
//! stack only grows by a wider one, so it never holds more than there are.

use std::collections::HashSet;

/// How many indentations fit beside the 255 quotes that the scanner may keep as
/// well, two bytes each.
const MOST: usize = (1024 - 2 - 255) / 2;

/// How many lines without anything but a backslash may follow each other; the
/// scanner adds up their indentation.
const MOST_JOINED: usize = 64;

/// Whether the scanner's buffer holds every indentation of the text.
pub(super) fn fits_the_scanner(source: &str) -> bool {
    let mut widths = HashSet::new();
    let starts = source.match_indices('\n').map(|(newline, _)| newline + 1);
    for start in core::iter::once(0).chain(starts) {
        match width(&source.as_bytes()[start..]) {
            Some(width) => widths.insert(width),
            None => return false,
        };
        if widths.len() > MOST {
            return false;
        }
    }
    true
}

/// The indentation of a line as the scanner counts it, in its own small numbers.
/// None where too many lines are joined to it.
fn width(line: &[u8]) -> Option<u16> {
    let (mut width, mut joined) = (0_u16, 0);
    let mut rest = line;
    loop {
        rest = match rest {
            [b' ', rest @ ..] => {
                width = width.wrapping_add(1);
                rest
            }
            [b'\t', rest @ ..] => {
                width = width.wrapping_add(8);
                rest
            }
            [b'\r' | b'\x0c', rest @ ..] => {
                width = 0;
                rest
            }
            [b'\\', b'\r', b'\n', rest @ ..] | [b'\\', b'\n', rest @ ..] => {
                joined += 1;
                rest
            }
            _ => return Some(width),
        };
        if joined > MOST_JOINED {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;

    #[test]
    fn as_many_indentations_as_the_buffer_holds() {
        let indented = |levels: usize| -> String {
            (0..levels).map(|level| " ".repeat(level) + "if x:\n").collect()
        };
        // The first is none, and none is the one more that the stack begins with.
        assert!(fits_the_scanner(&indented(383)));
        assert!(!fits_the_scanner(&indented(384)));
        // What matters is how many there are, not how many lines or how wide.
        assert!(fits_the_scanner(&indented(300).repeat(20)));
        assert!(fits_the_scanner(&(" ".repeat(70_000) + "x\n")));
    }

    #[test]
    fn every_kind_of_white_space_counts_as_the_scanner_counts_it() {
        assert_eq!(width(b"\t x"), Some(9));
        assert_eq!(width(b"   \r  x"), Some(2));
        assert_eq!(width(b"   \x0c x"), Some(1));
        assert_eq!(width(b"  \\\n   \\\r\n x"), Some(6));
        assert_eq!(width(b"  \n    x"), Some(2));
        assert_eq!(width("\\\n".repeat(64).as_bytes()), Some(0));
        assert_eq!(width("\\\n".repeat(65).as_bytes()), None);
    }
}
