//! Where a look-alike may begin in a text that is still JSON-escaped.
//!
//! [`murmur_fence::lookalikes`] reads decoded text. Most texts hold nothing that
//! it could begin with, and to tell that they need not be decoded: a look-alike
//! begins with an opening bracket, or with a code for one, or with a code for the
//! first character of a code. What is told here errs on one side: where the
//! answer is no, the decoded text has no look-alike that begins there.

/// The characters past ASCII that read as an opening bracket.
pub(super) const OPENING: [char; 20] = [
    '˂',
    'ᐸ',
    'ᚲ',
    '‹',
    '≮',
    '\u{2329}',
    '❬',
    '❮',
    '❰',
    '⟨',
    '⦑',
    '⧼',
    'ⵦ',
    '\u{3008}',
    '︿',
    '﹤',
    '＜',
    '\u{1032D}',
    '\u{16AEC}',
    '\u{1D236}',
];

/// The first two bytes of [`OPENING`] and of tag characters: a first byte, and with
/// which second ones.
pub(super) const LEADS: [(u8, &[u8]); 7] = [
    (0xCB, b"\x82"),
    (0xE1, b"\x90\x9A"),
    (0xE2, b"\x80\x89\x8C\x9D\x9F\xA6\xA7\xB5"),
    (0xE3, b"\x80"),
    (0xEF, b"\xB8\xB9\xBC"),
    (0xF0, b"\x90\x96\x9D"),
    (0xF3, b"\xA0"),
];

/// The named character references that matter here, besides `lt` and `amp`.
const NAMES: [&[u8]; 5] = [b"bsol", b"lang", b"leftanglebracket", b"lsaquo", b"percnt"];

/// What may follow the ASCII characters that begin a look-alike or a marker; behind
/// a bracket, one slash or space is passed over, and all that is not ASCII may
/// follow.
const NEXT: [(u8, &[u8]); 4] = [
    (b'<', b"uU /\\&%\x7F"),
    // A number, or the name of a bracket or of what begins a code.
    (b'&', b"#lLaAbBpP\\&%"),
    // The digit of a bracket or of what begins a code, or of the first byte of a
    // character past ASCII.
    (b'%', b"235ucCdDeEfF\\&%"),
    (b'\\', b"uUx01234567&%"),
];

/// For a byte, which of [`NEXT`] it is, and which it may follow: a bit for each.
static FIRST: [u8; 256] = pairs().0;
static SECOND: [u8; 256] = pairs().1;

const fn pairs() -> ([u8; 256], [u8; 256]) {
    let (mut first, mut second) = ([0; 256], [0; 256]);
    let mut byte = 0x80;
    while byte < 256 {
        first[byte] = 0x80;
        // Of the ASCII ones, a bracket alone.
        second[byte] = 0x81;
        byte += 1;
    }
    let mut index = 0;
    while index < NEXT.len() {
        let (byte, follows) = NEXT[index];
        first[byte as usize] = 1 << index;
        let mut nth = 0;
        while nth < follows.len() {
            second[follows[nth] as usize] |= 1 << index;
            nth += 1;
        }
        index += 1;
    }
    (first, second)
}

/// Whether what follows `at` can belong to a marker or a look-alike that begins
/// there; passes over most of ordinary markup and code without a branch.
#[inline]
pub(super) fn goes_on(raw: &[u8], at: usize) -> bool {
    let Some([first, second, third]) = raw.get(at..).and_then(<[u8]>::first_chunk) else {
        return true;
    };
    let passed = *first == b'<' && matches!(second, b'/' | b' ');
    let second = if passed { third } else { second };
    FIRST[*first as usize] & SECOND[*second as usize] != 0
}

/// Whether a look-alike may begin at `at`, where one of `<`, `&`, `%`, an escaped
/// backslash or one of [`LEADS`] stands.
pub(super) fn may_begin(raw: &[u8], at: usize) -> bool {
    let next = at + 1;
    match byte(raw, at) {
        b'<' => name_may_follow(raw, next),
        b'&' => reference(raw, next),
        b'%' => percent(raw, next),
        b'\\' => escape(raw, next),
        lead => {
            let tail = |index| u32::from(byte(raw, at + index) & 0x3F);
            opens(match lead {
                0xF0.. => u32::from(lead & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
                0xE0.. => u32::from(lead & 15) << 12 | tail(1) << 6 | tail(2),
                _ => u32::from(lead & 31) << 6 | tail(1),
            })
        }
    }
}

/// Whether a character reads as an opening bracket, or begins a code.
fn opens(code: u32) -> bool {
    let Some(c) = char::from_u32(code) else {
        // Half of a surrogate pair, perhaps.
        return true;
    };
    matches!(c, '<' | '&' | '%' | '\\' | '\u{E0020}'..='\u{E007E}') || OPENING.contains(&c)
}

/// The byte at `at`; the end of every text is like a quote, which follows it.
fn byte(raw: &[u8], at: usize) -> u8 {
    raw.get(at).copied().unwrap_or(b'"')
}

/// Whether the character at `at` may be coded.
fn coded(raw: &[u8], at: usize) -> bool {
    match byte(raw, at) {
        b'&' | b'%' => true,
        b'\\' => !matches!(byte(raw, at + 1), b'n' | b't' | b'r' | b'b' | b'f' | b'"'),
        _ => false,
    }
}

/// Whether the name in a marker may follow at `at`, after white space and slashes:
/// its first word, as far as it is spelled in plain letters.
fn name_may_follow(raw: &[u8], mut at: usize) -> bool {
    while byte(raw, at) == b'/' {
        at += 1;
    }
    let mut rest = &b"untrusted"[..];
    while let [letter, after @ ..] = rest {
        match byte(raw, at) {
            b' ' | b'/' => at += 1,
            b'\\' => match byte(raw, at + 1) {
                b'n' | b't' | b'r' | b'b' | b'f' => at += 2,
                next => return next != b'"',
            },
            b'&' | b'%' | 0x7F.. => return true,
            other if other.eq_ignore_ascii_case(letter) => {
                rest = after;
                at += 1;
            }
            _ => return false,
        }
    }
    true
}

/// Whether an `&` begins a reference to a character that opens, given what follows.
fn reference(raw: &[u8], mut at: usize) -> bool {
    loop {
        match byte(raw, at) {
            b'#' => {
                return match byte(raw, at + 1) {
                    b'x' | b'X' => number(raw, at + 2, 16, usize::MAX),
                    _ => coded(raw, at + 1) || number(raw, at + 1, 10, usize::MAX),
                };
            }
            b'&' => {
                let next = byte(raw, at + 1);
                return next == b'#' || next.is_ascii_alphabetic() || coded(raw, at + 1);
            }
            _ => {}
        }
        let semicolon = |end| end + usize::from(byte(raw, end) == b';');
        if let Some(end) = named(raw, at, b"lt") {
            return name_may_follow(raw, semicolon(end));
        }
        // An ampersand may be the first character of a reference again.
        match named(raw, at, b"amp") {
            Some(end) => at = semicolon(end),
            None => return NAMES.iter().any(|name| named(raw, at, name).is_some()),
        }
    }
}

/// The offset after a name that stands at `at`, or where a code begins in it.
fn named(raw: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    for (index, letter) in name.iter().enumerate() {
        if !byte(raw, at + index).eq_ignore_ascii_case(letter) {
            return coded(raw, at + index).then_some(at + index);
        }
    }
    Some(at + name.len())
}

/// Whether a `%` begins an escape for something that opens, given what follows.
fn percent(raw: &[u8], at: usize) -> bool {
    let (high, low) = (byte(raw, at), byte(raw, at + 1));
    match high {
        b'u' => low.is_ascii_hexdigit() || coded(raw, at + 1),
        b'%' => low.is_ascii_hexdigit() || low == b'u' || coded(raw, at + 1),
        _ if coded(raw, at) => true,
        // The first digits of what opens and of what is not ASCII.
        b'2' | b'3' | b'5' | b'c'..=b'f' | b'C'..=b'F' if coded(raw, at + 1) => true,
        _ => match hex(high).zip(hex(low)) {
            // From 0xC2 on, the first byte of a character past ASCII.
            Some((high, low)) => high >= 0xC || opens(high << 4 | low),
            None => false,
        },
    }
}

/// Whether a backslash begins an escape for something that opens, given what
/// follows.
fn escape(raw: &[u8], at: usize) -> bool {
    match byte(raw, at) {
        b'u' | b'x' if byte(raw, at + 1) == b'{' => true,
        b'u' => number(raw, at + 1, 16, 4),
        b'U' => number(raw, at + 1, 16, 8),
        b'x' => number(raw, at + 1, 16, 2),
        b'0'..=b'7' => number(raw, at, 8, 3),
        // A backslash after it is looked at by itself.
        b'\\' => false,
        b'&' | b'%' => true,
        _ => false,
    }
}

/// Whether the number at `at`, of at most so many digits, may be that of a
/// character that opens. Digits may be coded.
fn number(raw: &[u8], at: usize, radix: u32, most: usize) -> bool {
    let mut value = 0u32;
    for index in 0..most {
        let digit = char::from(byte(raw, at + index)).to_digit(radix);
        match digit {
            Some(digit) => value = value.saturating_mul(radix).saturating_add(digit),
            None if coded(raw, at + index) => return true,
            None if index == 0 => return false,
            None => break,
        }
    }
    opens(value)
}

fn hex(digit: u8) -> Option<u32> {
    char::from(digit).to_digit(16)
}

#[cfg(test)]
mod tests {
    use murmur_fence::lookalikes;

    use super::{LEADS, OPENING};

    #[test]
    fn every_bracket_past_ascii_is_known() {
        let opening = ('\u{80}'..=char::MAX)
            .filter(|c| !('\u{E0020}'..='\u{E007E}').contains(c))
            .filter(|c| lookalikes(&format!("{c}/untrusted-content>")).next().is_some());
        assert_eq!(opening.collect::<Vec<_>>(), OPENING);
        for c in OPENING.into_iter().chain(['\u{E0020}', '\u{E007E}']) {
            let mut bytes = [0; 4];
            let [first, second, ..] = *c.encode_utf8(&mut bytes).as_bytes() else { panic!() };
            let known = LEADS.iter().any(|(lead, next)| *lead == first && next.contains(&second));
            assert!(known, "{c:?}");
        }
    }
}
