//! Where a look-alike may begin: passes over running text of any script, and over
//! ordinary markup, codes and escapes, at little cost.

use crate::scan::visit;

/// The characters past ASCII that read as an opening bracket.
const OPENING: [char; 20] = [
    '˂', 'ᐸ', 'ᚲ', '‹', '≮', '\u{2329}', '❬', '❮', '❰', '⟨', '⦑', '⧼', 'ⵦ', '〈', '︿', '﹤', '＜',
    '𐌭', '𖫬', '𝈶',
];

/// Bytes that are looked at together, with vector compares.
const BLOCK: usize = 32;

/// The first offset from `from` on, a character boundary, at which an opening
/// bracket, a code for one or a tag character may stand. The last byte of a text
/// begins nothing.
pub(super) fn next_candidate(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<{ BLOCK + 1 }>) {
        if has_first_byte(block.first_chunk().unwrap_or(&[0; BLOCK])) {
            let found = in_block(text, at, block);
            if found.is_some() {
                return found;
            }
        }
        visit(BLOCK);
        at += BLOCK;
    }
    in_block(text, at, bytes.get(at..)?)
}

/// Whether a byte of the block is one of [`FIRST_BYTES`], or close to.
fn has_first_byte(block: &[u8; BLOCK]) -> bool {
    // Without branches and tables, for the compiler to make vectors of it.
    let any = block.iter().fold(0, |any, byte| {
        let ascii = (*byte == b'<') | (*byte == b'&') | (*byte == b'%') | (*byte == b'\\');
        any | u8::from(ascii) | (*byte & 0x80)
    });
    any != 0
}

/// The first candidate in `block`, which lies at `at`.
#[inline]
fn in_block(text: &str, at: usize, block: &[u8]) -> Option<usize> {
    let pairs = block.windows(2).enumerate();
    let found = pairs
        .filter(|(_, pair)| FIRST[pair[0] as usize] & NEXT[pair[1] as usize] != 0)
        .map(|(place, _)| at + place)
        .find(|place| goes_on(text, *place));
    visit(found.map_or(block.len(), |place| place - at + 1));
    found
}

/// Whether the characters from `at` on are as the first two bytes promise.
fn goes_on(text: &str, at: usize) -> bool {
    match text.as_bytes()[at..] {
        // Most tags of ordinary markup end here.
        [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => {
            letter.eq_ignore_ascii_case(&b'u')
        }
        [first, ..] if first.is_ascii() => true,
        _ => text[at..].chars().next().is_some_and(|c| OPENING.contains(&c) || is_tag(c)),
    }
}

/// Whether a tag character spells ASCII.
pub(super) fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0020}'..='\u{E007E}')
}

/// The first bytes of what a look-alike may begin with.
const FIRST_BYTES: [u8; 11] = *b"<&%\\\xCB\xE1\xE2\xE3\xEF\xF0\xF3";

/// What follows the ASCII ones: for a bracket also white space, control characters
/// and everything past ASCII, for all of them also the start of a code.
const ASCII_NEXT: [(u8, &[u8]); 4] = [
    (b'<', b"/uU"),
    // A number, or the name of a bracket or of a code's own first character.
    (b'&', b"#lLaAbBpP"),
    // The first digit of a bracket or of a code's first character; or of the first
    // byte of a character past ASCII.
    (b'%', b"235uCDEFcdef"),
    (b'\\', b"uUx01234567"),
];

/// For a byte, the set of first bytes that it is, and the set of first bytes that
/// it may follow: a bit for each of [`FIRST_BYTES`].
static FIRST: [u16; 256] = pairs().0;
static NEXT: [u16; 256] = pairs().1;

const fn pairs() -> ([u16; 256], [u16; 256]) {
    let mut first = [0; 256];
    let mut next = [0; 256];
    let mut index = 0;
    while index < FIRST_BYTES.len() {
        first[FIRST_BYTES[index] as usize] = 1 << index;
        index += 1;
    }
    index = 0;
    while index < ASCII_NEXT.len() {
        let (byte, follows) = ASCII_NEXT[index];
        let bit = first[byte as usize];
        let mut nth = 0;
        while nth < follows.len() {
            next[follows[nth] as usize] |= bit;
            nth += 1;
        }
        next[b'&' as usize] |= bit;
        next[b'%' as usize] |= bit;
        next[b'\\' as usize] |= bit;
        index += 1;
    }
    index = 0;
    while index < next.len() {
        if index <= b' ' as usize || index >= 0x7F {
            next[index] |= first[b'<' as usize];
        }
        index += 1;
    }
    index = 0;
    while index <= OPENING.len() {
        let c = if index < OPENING.len() { OPENING[index] } else { '\u{E0020}' };
        let mut bytes = [0; 4];
        c.encode_utf8(&mut bytes);
        let bit = first[bytes[0] as usize];
        assert!(bit != 0, "a first byte is missing");
        next[bytes[1] as usize] |= bit;
        index += 1;
    }
    (first, next)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{OPENING, is_tag, next_candidate};
    use crate::lookalikes::fold::{Symbol, symbol};

    #[test]
    fn the_filter_knows_every_opening_bracket() {
        let table = ('\u{80}'..=char::MAX).filter(|c| symbol(*c) == Symbol::Open);
        assert_eq!(table.collect::<Vec<_>>(), OPENING);
    }

    #[test]
    fn tags_pass_the_filter() {
        for c in ('\0'..=char::MAX).filter(|c| is_tag(*c)) {
            let mut bytes = [0; 4];
            assert_eq!(next_candidate(c.encode_utf8(&mut bytes), 0), Some(0));
        }
    }
}
