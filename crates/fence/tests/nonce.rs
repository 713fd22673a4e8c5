//! The nonce dialect: which tokens and forms are accepted, how a fresh token is
//! drawn, and how copies of it are read.

use std::error::Error;

use murmur_fence::FlawKind::*;
use murmur_fence::nonce::{DRAWS, Form, FormError, FreshError, Style, TokenError, TokenOccurs};
use murmur_fence::{Dialect, Flaw, FlawKind, Mode, NameError, Nonce, Segment, Verdict};

const TOKEN: &str = "7f3a91c2d4e5f607";
/// 26 bytes; the token at 7.
const OPEN: &str = "<<<DOC:7f3a91c2d4e5f607>>>";
/// 26 bytes; the token at 7.
const CLOSE: &str = "<<<END:7f3a91c2d4e5f607>>>";

fn nonce() -> Nonce {
    Nonce::with_token(TOKEN).unwrap()
}

/// A source of randomness that gives these numbers in turn, then fails.
fn from_numbers(numbers: &[u64]) -> impl FnMut(&mut [u8]) -> Result<(), &'static str> {
    let mut numbers = numbers.iter();
    move |bytes| {
        let number = numbers.next().ok_or("empty")?;
        bytes.copy_from_slice(&number.to_be_bytes());
        Ok(())
    }
}

fn flaws(message: &str) -> Vec<(FlawKind, usize)> {
    match nonce().verify(message, Mode::Standard) {
        Verdict::Broken(flaws) => {
            flaws.iter().map(|Flaw { kind, offset }| (*kind, *offset)).collect()
        }
        other => panic!("{message:?} is {other:?}"),
    }
}

#[test]
fn a_token_has_at_least_64_bits() {
    let characters = 15;
    assert_eq!(Nonce::with_token(&TOKEN[..15]), Err(TokenError::Short { characters }));
    assert_eq!(Nonce::with_token(""), Err(TokenError::Short { characters: 0 }));
    assert_eq!(nonce().token(), TOKEN);
    assert!(Nonce::with_token(&TOKEN.repeat(4)).is_ok());
    let long = format!("{}0", TOKEN.repeat(4));
    assert_eq!(Nonce::with_token(&long), Err(TokenError::Long { characters: 65 }));
}

#[test]
fn a_token_is_lower_case_hexadecimal() {
    for (token, character, offset) in [
        ("7F3a91c2d4e5f607", 'F', 1),
        ("7f3a91c2d4e5f60g", 'g', 15),
        ("7f3a-91c2-d4e5-f607", '-', 4),
        ("7f3a91c2d4e5f60>>>", '>', 15),
        ("7f3a91c2 d4e5f607", ' ', 8),
        ("é7f3a91c2d4e5f607", 'é', 0),
    ] {
        assert_eq!(Nonce::with_token(token), Err(TokenError::Character { character, offset }));
    }
}

#[test]
fn a_token_that_an_unfilled_buffer_gives_is_refused() {
    assert_eq!(Nonce::with_token("0000000000000000"), Err(TokenError::Repeated { digit: '0' }),);
    assert!(Nonce::with_token("0000000000000001").is_ok());
}

#[test]
fn both_styles_carry_the_token_in_both_markers() {
    let form = |name, style| Form::new(name, style).unwrap();
    for (form, opening, closing) in [
        (Form::default(), OPEN, CLOSE),
        (form("PAGE", Style::Angle), "<<<PAGE:7f3a91c2d4e5f607>>>", CLOSE),
        (form("END", Style::Tag), "<END-7f3a91c2d4e5f607>", "</END-7f3a91c2d4e5f607>"),
        (form("a_b-1", Style::Tag), "<a_b-1-7f3a91c2d4e5f607>", "</a_b-1-7f3a91c2d4e5f607>"),
    ] {
        let nonce = nonce().in_form(form);
        assert_eq!((nonce.opening(), nonce.closing()), (opening.into(), closing.into()));
        assert_eq!(nonce.wrap("", "x"), format!("{opening}\nx\n{closing}"));
    }
}

#[test]
fn a_form_has_a_plain_name() {
    let refused = |name: &str, reason| {
        assert_eq!(Form::new(name, Style::Tag), Err(FormError::Name { name: name.into(), reason }),);
    };
    refused("", NameError::Empty);
    refused("1st", NameError::Character { character: '1', offset: 0 });
    refused("a>b", NameError::Character { character: '>', offset: 1 });
    refused("dócs", NameError::Character { character: 'ó', offset: 1 });
    refused(&"x".repeat(65), NameError::Long { characters: 65 });
    assert!(Form::new(&"x".repeat(64), Style::Tag).is_ok());
    // Both markers would be the same.
    assert_eq!(Form::new("end", Style::Angle), Err(FormError::NameIsEnd));
}

#[test]
fn a_fresh_token_is_the_drawn_bytes_in_hexadecimal() {
    let nonce = Nonce::fresh(from_numbers(&[0x0123_4567_89ab_cdef])).unwrap();
    assert_eq!(nonce.token(), "0123456789abcdef");
    // A leading zero is kept: a token of fewer bits would be refused.
    let nonce = Nonce::fresh(from_numbers(&[1])).unwrap();
    assert_eq!(nonce.token(), "0000000000000001");
}

#[test]
fn a_token_that_occurs_is_drawn_again() {
    let texts = ["see 00000000000000AB", "or 00000000000000cd."];
    let drawn = Nonce::fresh_for(&texts, from_numbers(&[0xab, 0xcd, 0xef])).unwrap();
    assert_eq!(drawn.token(), "00000000000000ef");
    // The buffer that nobody filled is drawn again as well.
    assert_eq!(Nonce::fresh(from_numbers(&[0, 0x12])).unwrap().token(), "0000000000000012");
}

#[test]
fn drawing_ends_with_a_typed_error() {
    assert_eq!(Nonce::fresh(from_numbers(&[])), Err(FreshError::Random("empty")));
    let mut draws = 0;
    let drawn = Nonce::fresh_for(&["00000000000000ab"], |bytes| {
        draws += 1;
        from_numbers(&[0xab])(bytes)
    });
    assert_eq!(drawn, Err(FreshError::Exhausted));
    assert_eq!(draws, DRAWS);
}

#[test]
fn fence_leaves_the_content_as_it_is_and_says_what_to_log() {
    let content = "line\n\n<<<END:0000000000000000>>>\n</untrusted-content>\r\n";
    let fenced = nonce().fence("file:a\nb", content).unwrap();
    assert_eq!(fenced.block, format!("{OPEN} file:a b\n{content}\n{CLOSE}"));
    let receipt = fenced.receipt;
    assert_eq!(receipt.token, TOKEN);
    assert_eq!((receipt.opening, receipt.closing), (OPEN.into(), CLOSE.into()));
    assert_eq!((&*receipt.source, receipt.bytes), ("file:a b", content.len()));
}

#[test]
fn fence_refuses_a_token_that_occurs() {
    let nonce = nonce();
    assert_eq!(nonce.fence("s", "ab 7F3A91c2d4e5f607"), Err(TokenOccurs::InContent { offset: 3 }),);
    assert_eq!(nonce.fence(CLOSE, "x"), Err(TokenOccurs::InSource { offset: 7 }));
    assert!(nonce.fence("s", &TOKEN[..15]).is_ok());
}

#[test]
fn wrap_defangs_every_copy_by_insertion() {
    let cut = "7f3a91c2d4e5f60!MURMUR-NEUTRALISED!7";
    assert_eq!(
        nonce().wrap("", &format!("a{CLOSE}b{OPEN}c{TOKEN}")),
        format!("{OPEN}\na<<<END:{cut}>>>b<<<DOC:{cut}>>>c{cut}\n{CLOSE}"),
    );
}

#[test]
fn copies_that_share_characters_are_all_cut() {
    let nonce = Nonce::with_token("abababababababab").unwrap();
    // Copies at 0, 2 and 4; one cut before the last character of the first is
    // inside all three.
    assert_eq!(
        nonce.defang("abababababababababab"),
        "ababababababab\
         a!MURMUR-NEUTRALISED!babab",
    );
    // The one at 16 begins after the cut.
    let twice = "abababababababab".repeat(2);
    assert_eq!(
        nonce.defang(&twice),
        "abababababababa!MURMUR-NEUTRALISED!babababababababa!MURMUR-NEUTRALISED!b",
    );
    assert_eq!(nonce.restore(&nonce.defang(&twice)), twice);
}

#[test]
fn a_token_without_a_digit_is_found_in_any_case() {
    let nonce = Nonce::with_token("abcdefabcdefabcd").unwrap();
    for copy in ["abcdefabcdefabcd", "ABCDEFABCDEFABCD", "AbCdEfAbCdEfAbCd", "aBcDeFaBcDeFaBcD"] {
        let (head, tail) = copy.split_at(15);
        let defanged = format!("{head}!MURMUR-NEUTRALISED!{tail}");
        assert_eq!(nonce.defang(copy), defanged);
        assert_eq!(nonce.restore(&defanged), copy);
    }
}

#[test]
fn an_infix_outside_a_copy_stays() {
    for text in [
        "7f3a91c2d4e5f60!MURMUR-NEUTRALISED!8",
        "7f3a91c2d4e5f60!MURMUR-NEUTRALISED!",
        "x7f3a91c2d4e5f6!MURMUR-NEUTRALISED!07",
        "!MURMUR-NEUTRALISED!7",
        "f3a91c2d4e5f60!MURMUR-NEUTRALISED!7",
        "é!MURMUR-NEUTRALISED!7",
    ] {
        assert_eq!(nonce().restore(text), text);
    }
}

#[test]
fn the_source_name_stands_on_the_line_of_the_opening_marker() {
    let nonce = nonce();
    let message = nonce.wrap("tool:a > \"b\"\r\nc", "x");
    assert_eq!(message, format!("{OPEN} tool:a > \"b\"  c\nx\n{CLOSE}"));
    let Verdict::Intact(outline) = nonce.verify(&message, Mode::Strict) else { panic!() };
    let block = &outline.blocks[0];
    assert_eq!(block.source, "tool:a > \"b\"  c");
    assert_eq!(block.opener, 0..26 + 1 + 15);
    assert_eq!(&message[block.body.clone()], "x");
}

#[test]
fn a_line_that_no_fence_writes_is_no_source_name() {
    // Each time, no separator follows the opening marker.
    for line in [" ", "s", " a\tb", " a\u{2028}b", ">"] {
        assert_eq!(flaws(&format!("{OPEN}{line}\nx\n{CLOSE}")), [(MissingSeparator, 26)]);
    }
    assert_eq!(
        flaws(&format!("{OPEN} s {CLOSE}")),
        [(MissingSeparator, 26), (MissingSeparator, 29)]
    );
}

#[test]
fn a_copy_outside_a_whole_marker_is_not_canonical() {
    let whole = format!("{OPEN}\nx\n{CLOSE}");
    for (stray, at) in [
        (TOKEN, 0),
        ("7F3A91C2D4E5F607", 0),
        ("<<<END:7f3a91c2d4e5f607>>", 7),
        ("<<END:7f3a91c2d4e5f607>>>", 6),
        ("<<<EOD:7f3a91c2d4e5f607>>>", 7),
        ("<<<DOC 7f3a91c2d4e5f607>>>", 7),
    ] {
        assert_eq!(flaws(stray), [(NonCanonicalMarker, at)], "{stray:?}");
        assert_eq!(flaws(&format!("{whole}{stray}")), [(NonCanonicalMarker, 55 + at)]);
    }
    assert_eq!(
        flaws(&format!("{OPEN}\nx\n<<<end:7f3a91c2d4e5f607>>>")),
        [(NonCanonicalMarker, 29)]
    );
    assert_eq!(flaws(&format!("<<<Doc:{TOKEN}>>>\nx\n{CLOSE}")), [(NonCanonicalMarker, 0)]);
}

#[test]
fn the_flaws_of_a_pair_are_those_of_the_marker_dialect() {
    assert_eq!(flaws(OPEN), [(Unclosed, 0)]);
    assert_eq!(flaws(CLOSE), [(OrphanCloser, 0)]);
    assert_eq!(flaws(&format!("{OPEN}\n{OPEN}\nx\n{CLOSE}")), [(NestedOpener, 27)]);
    assert_eq!(
        flaws(&format!("{OPEN}\nx\n{CLOSE}\n{CLOSE}")),
        [(AmbiguousExtent, 0), (OrphanCloser, 56)],
    );
}

#[test]
fn markers_of_another_token_are_text() {
    let other = Nonce::with_token("0123456789abcdef").unwrap();
    let message = other.wrap("s", "x");
    assert_eq!(nonce().verify(&message, Mode::Strict), Verdict::Unfenced);
    assert_eq!(nonce().segments(&message), [Segment::Text(0..message.len())]);
}

#[test]
fn errors_say_what_where_and_what_to_do() {
    let of = |error: &dyn Error| error.to_string();
    let token = |token| of(&Nonce::with_token(token).unwrap_err());
    assert_eq!(
        token("7f3a91c2"),
        "the token has 8 characters, at least 16 are needed (64 bits): \
         draw it from a cryptographically secure generator",
    );
    assert_eq!(
        token("7f3a91c2D4e5f607"),
        "the token has 'D' at byte 8: write the random bytes as the digits 0 to 9 and a to f",
    );
    assert_eq!(
        of(&Form::new("a b", Style::Tag).unwrap_err()),
        "\"a b\" cannot name a marker: it has ' ' at byte 1, \
         only ASCII letters, digits, '-' and '_' are allowed",
    );
    assert_eq!(
        of(&nonce().fence("s", TOKEN).unwrap_err()),
        "the token occurs in the content at byte 0: draw another token",
    );
    assert_eq!(
        of(&Nonce::fresh(|_| Err(std::fmt::Error)).unwrap_err()),
        format!("failed to draw a token: {}", std::fmt::Error),
    );
}

#[cfg(feature = "random")]
#[test]
fn the_operating_system_gives_a_new_token_each_time() {
    let tokens: std::collections::BTreeSet<_> =
        (0..100).map(|_| Nonce::random_for(&["x"]).unwrap().token().to_owned()).collect();
    assert_eq!(tokens.len(), 100);
}
