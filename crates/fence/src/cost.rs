//! What scanning costs: the steps at n and at 4n, for every dialect and every
//! text that is known to have made a fence slow.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use crate::scan::steps;
use crate::{Dialect, INFIX, MarkerDialect, Mode, Nonce, Tags};

const TOKEN: &str = "7f3a91c2d4e5f607";

fn dialects() -> Vec<Box<dyn Dialect>> {
    let overlapping = Nonce::with_token("abababababababab").unwrap();
    vec![
        Box::new(MarkerDialect),
        Box::new(Nonce::with_token(TOKEN).unwrap()),
        Box::new(overlapping),
        Box::new(Tags::default()),
    ]
}

/// A beginning and what is repeated after it.
fn hostile() -> Vec<(String, String)> {
    let shared = [
        ("<", " "),
        ("<", "/"),
        ("<", "\u{3000}"),
        ("", "<"),
        ("", "</"),
        ("", "< "),
        ("", " "),
        ("", "a"),
        ("", "7"),
        ("", "ab"),
        ("", "<data "),
        ("", "<data a=\""),
        ("<data a=\"", "x"),
        ("<data a=\"\"", " a=\"\""),
        ("", "<data a=\"\" "),
        ("<data", "-"),
        ("", "<data-"),
        ("", "<data>"),
        ("", "</data>"),
        ("", "<data></data>"),
        ("<tool_result><data>", "</data>"),
        ("<data>", "<source_page></source_page>"),
        ("", "<untrusted-content source="),
        ("<untrusted-content source=", "x"),
        ("", "<untrusted-content source=x>"),
        ("", "</untrusted-content>"),
        ("", "<untrusted-conten"),
    ];
    let nonce =
        ["<<<DOC:T>>>", "<<<DOC:T>>> ", "<<<END:T>>>", "<<<END:T>>", "<<<DOC:T>>> x\n", "T"]
            .map(|unit| unit.replace('T', TOKEN))
            .into_iter()
            .chain([TOKEN[..15].into(), format!("<{INFIX}"), INFIX.into(), format!("<{INFIX} ")]);
    let shared = shared.iter().map(|&(start, unit)| (start.into(), unit.into()));
    shared.chain(nonce.map(|unit| (String::new(), unit))).collect()
}

/// Everything that a dialect does to a text that it did not write.
fn work(dialect: &dyn Dialect, text: &str) {
    let _ = dialect.wrap("s", text);
    let _ = dialect.sanitise_source(text);
    let _ = dialect.restore(text);
    let _ = dialect.segments(text);
    let _ = dialect.verify(text, Mode::Standard);
}

#[test]
fn four_times_the_text_takes_four_times_the_steps() {
    for dialect in dialects() {
        for (start, unit) in hostile() {
            let cost = |bytes: usize| {
                let text = format!("{start}{}", unit.repeat(bytes / unit.len()));
                steps(|| work(&*dialect, &text))
            };
            let (once, four_times) = (cost(5_000), cost(20_000));
            let name = dialect.name();
            // Wrapping, sanitising, segmenting and judging each read nearly all.
            assert!(once > 2 * 5_000, "{name} on {start:?} and {unit:?} repeated: {once}");
            assert!(
                4 * once * 105 / 100 >= four_times,
                "{name} on {start:?} and {unit:?} repeated: {once} steps, then {four_times}",
            );
        }
    }
}

#[test]
fn eighty_thousand_spaces_after_a_bracket_are_read_twice() {
    let text = format!("<{}", " ".repeat(80_000));
    // Once as blanks, once in search of the next `<`; the bracket itself once.
    assert_eq!(steps(|| Tags::default().defang(&text)), 1 + 2 * 80_000);
}

#[test]
fn unclosed_tags_are_read_three_times() {
    let text = "<data ".repeat(10_000);
    // A `<` is found; the name is compared and seen to end; the search goes on
    // from the name.
    let a_tag = "<".len() + "d".len() + "data".len() + " ".len() + "data ".len();
    let steps = steps(|| Tags::default().defang(&text));
    assert!(steps <= a_tag * 10_000, "{steps} for {} bytes", text.len());
}
