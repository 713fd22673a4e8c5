//! What only the inside of the scan shows: that the filter loses nothing, and that
//! the steps grow with the text and no faster.

use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use proptest::prelude::*;
use proptest::sample::select;

use super::disguise::Disguises;
use super::fold::Symbol;
use super::{Lookalike, Scan, TagReading, lookalikes};
use crate::scan::steps;

/// The look-alikes of a scan that begins a match wherever a bracket stands.
fn without_filter(text: &str) -> Vec<Lookalike> {
    let mut scan = Scan::new(text, TagReading::Hide);
    let mut found = Vec::new();
    while let Some((unit, symbol)) = scan.peek() {
        let start = scan.at;
        scan.met = Disguises::NONE;
        scan.accept(unit, symbol);
        if symbol == Symbol::Open
            && let Some((end, reads_as)) = scan.marker()
        {
            found.push(Lookalike { span: start..end, reads_as, disguises: scan.met });
        }
    }
    found
}

/// Markers with every part written in some way, most of them whole; and pieces of
/// codes between them.
fn coded() -> impl Strategy<Value = String> {
    let open = select(vec![
        "<",
        "＜",
        "‹",
        "〈",
        "&lt;",
        "&LT",
        "&#60;",
        "&#x3c;",
        "&amp;lt;",
        "&lang;",
        "&lsaquo;",
        "&%6ct;",
        "&bsol;u003c",
        "&#37;3C",
        "&percnt;3C",
        "%3C",
        "%3c",
        "%253C",
        "%26lt;",
        "%5cx3c",
        "%E2%80%B9",
        "%ef%bc%9c",
        "%u003C",
        "\\u003c",
        "\\U0000003c",
        "\\x3c",
        "\\74",
        "\\\\u003C",
        "\\uff1c",
        "\\%75003c",
    ]);
    let after = select(vec![
        "", "/", " ", "\n", "\0", "\u{200b}", "\\", "//", "&#32;", "%20", "\\n", "\\/", "<",
        "\u{301}",
    ]);
    let name = select(vec![
        "untrusted-content>",
        "UNTRUSTED-CONTENT>",
        "ｕntrusted-content>",
        "&#117;ntrusted-content>",
        "%75ntrusted-content>",
        "\\u0075ntrusted-content>",
        "úntrusted_content>",
        "x",
        "",
    ]);
    let noise = select(vec![
        "", "&", "%", "\\", "&#", "&l", "%2", "%E", "\\u", "\\u{", "é", "く", "、", "“", "x",
    ]);
    let piece = (noise, open, after, name).prop_map(|(a, b, c, d)| [a, b, c, d].concat());
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_filter_loses_nothing(text in coded()) {
        prop_assert_eq!(lookalikes(&text).collect::<Vec<_>>(), without_filter(&text));
    }
}

#[test]
fn four_times_the_text_takes_four_times_the_steps() {
    let starts = [
        "",
        "<",
        "&",
        "&#",
        "%",
        "\\",
        "\\u{",
        "%5c\\u{",
        "\\ud835",
        "< untrusted-content",
        "< untrusted-content source=",
        "</ untrusted-content \u{E0020}",
    ];
    let units = [
        "<",
        "< ",
        "</",
        "<\u{200b}",
        "< u",
        "<\u{301}",
        "\\",
        "&",
        "&amp;",
        "amp;",
        "&#",
        "&#0",
        "&#48;",
        "0",
        "%",
        "%25",
        "%5c",
        "%30",
        "%EF%BC",
        "%EF",
        "\\u",
        "\\u{",
        "\\u{0",
        "\\u00",
        "\\ud835",
        "\\ud835\\",
        "&bsol;",
        "&bsol;u",
        "&zwnj;",
        "&leftanglebracke",
        "＜",
        "‹/",
        "\u{301}",
        "\u{200b}",
        " ",
        "/",
        "&sol;",
        "x",
        "«",
        "く",
        "\u{E003C}",
        "\u{E003C}\u{E0020}",
        "<\u{E003C}",
        "\u{E002F}",
        "< untrusted-content",
        "< untrusted-content ",
        "< untrusted-content source=",
        "</ untrusted-content>",
        "<untrusted-content source=",
        "&lt;untrusted",
        "< untrusted-conten",
    ];
    for start in starts {
        for unit in units {
            let cost = |bytes: usize| {
                let text = format!("{start}{}", unit.repeat(bytes / unit.len()));
                steps(|| lookalikes(&text).count())
            };
            let (once, four_times) = (cost(5_000), cost(20_000));
            // The filter, two layers of codes, once more after a failed match; and
            // all of it twice where there are tags.
            assert!(once <= 20 * 5_000, "{start:?} and {unit:?} repeated: {once} steps");
            assert!(
                four_times <= 4 * once + once / 5,
                "{start:?} and {unit:?} repeated: {once} steps, then {four_times}",
            );
        }
    }
}
