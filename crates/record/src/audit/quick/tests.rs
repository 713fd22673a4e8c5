//! The fast path held against obvious twins: bit by bit, and what it takes for
//! harmless against the decoded text.

use murmur_fence::{NAME, lookalikes, markers};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::Quick;
#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::block::{self, Classes, Escapes, Set, before, positions};
use super::hint::{self, LEADS, OPENING, may_begin};
use super::text::{Marks, is_marker, portable, step};
use crate::json::Literal;

fn set(of: impl Iterator<Item = bool>) -> Set {
    of.enumerate().fold(0, |set, (index, there)| set | Set::from(there) << index)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// Half of the bytes are ones that matter.
    #[test]
    fn blocks_find_what_a_loop_finds(
        bytes in vec(prop_oneof![any::<u8>(), select(NOTABLE_BYTES)], 100),
    ) {
        let block = |from: usize| block::at(&bytes, from).unwrap();
        let where_is = |test: &dyn Fn(usize) -> bool| set((0..64).map(test));
        let is = |test: &dyn Fn(u8) -> bool| where_is(&|at| test(bytes[at]));
        let expected = Classes {
            stops: is(&|byte| byte < 0x20 || matches!(byte, b'"' | b'\\')),
            backslashes: is(&|byte| byte == b'\\'),
            quotes: is(&|byte| byte == b'"'),
            letters: is(&|byte| matches!(byte, b'n' | b't' | b'r')),
            openers: is(&|byte| matches!(byte, b'<' | b'&' | b'%')),
            high: is(&|byte| byte >= 0x80),
        };
        let leads = where_is(&|at| {
            LEADS.iter().any(|(lead, next)| *lead == bytes[at] && next.contains(&bytes[at + 1]))
        });
        prop_assert_eq!(block::classes(block(0)), expected);
        prop_assert_eq!(block::past_ascii(block(0), block(1), block(2)), leads);
        let short = (0..16).find(|at| {
            bytes[*at] < 0x20 || bytes[*at] >= 0x80 || b"\"\\<&%".contains(&bytes[*at])
        });
        prop_assert_eq!(block::end_of_short(&bytes, 0), short);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "as where it is used")]
            // SAFETY: AVX2 was just found.
            let (classes, past_ascii, going_on) = unsafe {
                (
                    avx2::classes(block(0)),
                    avx2::past_ascii(block(0), block(1), block(2)),
                    avx2::going_on(block(0), block(1), block(2)),
                )
            };
            prop_assert_eq!(classes, expected);
            // These two may tell too much, and not too little.
            let begins = where_is(&|at| is_marker(&bytes, at) || may_begin(&bytes, at));
            let whole = |at: usize| bytes[at..at + 4].utf8_chunks().next().is_some_and(|it| !it.valid().is_empty());
            let characters = begins & expected.high & leads & where_is(&whole);
            prop_assert_eq!(characters & !past_ascii, 0);
            prop_assert_eq!(begins & (expected.openers | expected.backslashes) & !going_on, 0);
            let goes_on = where_is(&|at| hint::goes_on(&bytes, at));
            prop_assert_eq!(begins & (expected.openers | expected.backslashes) & !goes_on, 0);
        }
    }

    #[test]
    fn escapes_are_those_of_a_walk(text in "[\\\\a]{0,200}") {
        let mut expected = Vec::new();
        let mut escaped = false;
        for c in text.chars() {
            expected.push(escaped);
            escaped = c == '\\' && !escaped;
        }
        let mut padded = text.clone().into_bytes();
        padded.resize(320, b'a');
        expected.resize(320, false);
        if escaped {
            expected[text.len()] = true;
        }
        let mut escapes = Escapes::default();
        for (index, expected) in expected.chunks(64).enumerate() {
            let block = block::at(&padded, 64 * index).unwrap();
            let backslashes = block::classes(block).backslashes;
            prop_assert_eq!(escapes.escaped(backslashes), set(expected.iter().copied()));
        }
    }

    /// What is stepped over is what the parser takes for the same string, and what
    /// it is said to hold, and not to hold, is so of the decoded text.
    #[test]
    fn a_string_is_what_the_parser_says(
        parts in vec(part(), 0..3),
        disguised in disguised(),
        more in vec(part(), 0..3),
    ) {
        let literal = [parts.concat(), disguised, more.concat()].concat();
        let json = format!("\"{literal}\"");
        let decoded = serde_json::from_str::<String>(&json).ok();
        let mut bytes = json.into_bytes();
        let end = bytes.len() - 1;
        bytes.resize(end + 1 + 80, 0);
        let mut marks = Marks::default();
        let found = step(&bytes, 1, &mut marks);
        let mut same = Marks::default();
        prop_assert_eq!((portable(&bytes, 1, &mut same), same), (found, marks));
        let Some(raw) = found else { return Ok(()) };
        let Some(decoded) = decoded else {
            // The text held a quote; the string ends there.
            prop_assert!(raw.end < end || literal.contains('"'));
            return Ok(());
        };
        prop_assert_eq!((raw.start, raw.end), (1, end));
        prop_assert_eq!(raw.high, !decoded.is_ascii());
        prop_assert_eq!(&*Literal::alone(&literal).decode().unwrap(), &decoded);
        let mut offsets = Literal::alone(&literal).offsets();
        let live: Vec<_> = markers(&decoded).map(|marker| 1 + offsets.served(marker.start)).collect();
        prop_assert_eq!(marks.count, live.len());
        prop_assert_eq!(&marks.first[..live.len().min(2)], &live[..live.len().min(2)]);
        if !raw.hint {
            prop_assert_eq!(lookalikes(&decoded).next(), None);
        }
    }
}

/// Parts of literals: of markers and look-alikes, whole and split, and escapes of
/// every kind.
fn part() -> impl Strategy<Value = String> {
    let known = select(PART_KNOWN);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        1 => "[ -~]{0,90}",
        1 => vec(any::<char>(), 0..8).prop_map(|chars| chars.into_iter().collect()),
    ]
}

/// Spellings that read like a marker, mostly; still escaped.
fn disguised() -> impl Strategy<Value = String> {
    let bracket = select(DISGUISED_BRACKET);
    let between = select(DISGUISED_BETWEEN);
    let first = select(DISGUISED_FIRST);
    let rest = select(DISGUISED_REST);
    let tail = select(DISGUISED_TAIL);
    (bracket, between, first, rest, tail).prop_map(|(bracket, between, first, rest, tail)| {
        [bracket, between, first, rest, tail].concat()
    })
}

fn read(line: &str) -> Option<Quick<'_>> {
    // Leaked, so that an answer can be looked at.
    let mut bytes = format!("{line}\n").into_bytes();
    bytes.resize(bytes.len() + 80, 0);
    Quick::read(bytes.leak())
}

#[test]
fn a_line_as_the_runtime_writes_it_is_read() {
    let line = r#"{"content":[{"text":"<untrusted-content source=tool:x>\nbody \"q\" \u001b[0m\n</untrusted-content>\nnote","type":"text"}],"fence":"tool:x","id":"msg_1","is_error":false,"role":"tool","tool_call_id":"c1"}"#;
    let quick = read(line).unwrap();
    assert_eq!((quick.length, quick.role, quick.label), (line.len() + 1, "tool", Some("tool:x")));
    assert_eq!((quick.id, quick.call, quick.is_error), (Some("msg_1"), Some("c1"), Some(false)));
    assert!(!quick.hint);
    let line = r#"{"content":[{"signature":"s","text":"hm","type":"thinking"},{"text":"x","type":"text"},{"id":"c","input":{"a":[1,-2.5,true,null,{}]},"name":"n","type":"tool_call"}],"id":"msg_2","produced_by":{"driver":"d","model":"m"},"role":"assistant"}"#;
    let quick = read(line).unwrap();
    assert_eq!((quick.role, quick.label, quick.text()), ("assistant", None, None));
}

#[test]
fn whatever_is_unusual_is_left_to_the_parser() {
    let block = r"<untrusted-content source=tool:x>\nbody\n</untrusted-content>";
    let line = |text: &str, more: &str| {
        format!(
            r#"{{"content":[{{"text":"{text}","type":"text"}}],"fence":"tool:x","role":"tool"{more}}}"#
        )
    };
    assert!(read(&line(block, "")).is_some());
    let replaced = |from: &str, to: &str| line(&block.replace(from, to), "");
    for line in [
        // Not one whole block of the source at the start.
        line("bare", ""),
        line(&format!(" {block}"), ""),
        line(&format!("{block}{block}"), ""),
        replaced("tool:x", "tool:y"),
        replaced("tool:x", "tool:x "),
        replaced("body", r"<untrusted-content"),
        replaced(r"\nbody", "body"),
        replaced(r"body\n", "body"),
        // One newline is no body between two separators.
        replaced(r"\nbody\n", r"\n"),
        // The separator's backslash is escaped itself.
        replaced(r"body\n", r"body\\n"),
        replaced(">\\n", ">\\\\n"),
        replaced("</u", "</U"),
        // Escapes that may spell a part of a marker.
        replaced("body", r"\u003c"),
        replaced("</untrusted", r"<\/untrusted"),
        replaced(r"body\n", r"body\u000a"),
        // Repeated and unusual members.
        line(block, r#","role":"user""#),
        line(block, r#","fence":"tool:x""#),
        line(block, r#","content":[]"#),
        line(block, r#","inserted_by":"seed-context""#),
        line(block, r#","is_error":null"#),
        line(block, r#","id":7"#),
        line(block, r#","id":"\n""#),
        line(block, r#","x":"</untrusted-content""#),
        line(block, r#","n":1e3"#),
        line(block, r#","n":01"#),
        line(block, r#","n":1234567890123456"#),
        line(block, r#","n":--1"#),
        line(block, r#","n":1."#),
        line(block, r#","n":tru"#),
        line(block, r#","n":"\x""#),
        line(block, ","),
        line(block, "}"),
        line(block, " "),
        line(block, r#","é":1"#),
        line(block, r#","ro\u006ce":1"#),
        line(block, &format!(r#","n":{}{}"#, "[".repeat(40), "]".repeat(40))),
        line(block, r#""#).replace("\"tool\"", "\"assistant\""),
        line(block, r#""#).replace(r#"]"#, r#",{"text":"more","type":"text"}]"#),
        line(block, r#""#).replace(r#""type""#, r#""type":"text","type""#),
        format!("{}\r", line(block, "")),
        "{}".to_owned(),
        "[]".to_owned(),
        String::new(),
        r#"{"content":[{"text":"</untrusted-content>","type":"text"}],"role":"user"}"#.to_owned(),
        r#"{"role":"user""#.to_owned(),
    ] {
        assert!(read(&line).is_none(), "{line}");
    }
    // A line that has not been read to its end yet.
    let whole = format!("{}\n", line(block, ""));
    for cut in 0..whole.len() {
        let mut bytes = whole.as_bytes()[..cut].to_vec();
        bytes.resize(cut + 80, 0);
        assert!(Quick::read(&bytes).is_none(), "{cut}");
    }
    // A string that ends with the block that is looked at.
    for length in 0..200 {
        let text = "x".repeat(length);
        let line = format!(r#"{{"content":[{{"text":"{text}","type":"text"}}],"role":"user"}}"#);
        assert_eq!(read(&line).unwrap().text(), Some(&*text), "{length}");
    }
}

#[test]
fn every_bracket_is_a_hint_wherever_it_stands() {
    let tags = ['\u{e0020}', '\u{e007e}'];
    for bracket in OPENING.into_iter().chain(tags) {
        for before in [0, 1, 15, 60, 61, 62, 63, 64, 130] {
            let line = format!("\"{}{bracket}/untrusted-content>\"", "x".repeat(before));
            let bytes = [line.as_bytes(), &[0; 80]].concat();
            for way in [step, portable] {
                let raw = way(&bytes, 1, &mut Marks::default()).unwrap();
                assert!(raw.hint && raw.high, "{bracket:?} behind {before}");
            }
        }
    }
}

#[test]
fn sets_of_positions() {
    assert_eq!([before(0), before(1), before(63), before(64)], [0, 1, u64::MAX >> 1, u64::MAX]);
    assert!(positions(1 | 1 << 5 | 1 << 63).eq([0, 5, 63]));
    assert_eq!(NAME.len(), 17);
}

#[rustfmt::skip]
const PART_KNOWN: &[&str] = &[
    "<", "</", "< /", "<//", ">", "/", "\\/", "untrusted", "-content",
    "untrusted-content", "UNTRUSTED", "</untrusted-content>",
    "<untrusted-content source=x>", " source=", "u", "n", "\\n", "\\t", "\\r", "\\b",
    "\\f", "\\\"", "\\\\", "\\\\\\\\", "\\u0000", "\\u001b", "\\u000a", "\\u003c",
    "\\u00e9", "\\ud83d\\ude00", "\\u0075", "\\x", "\\", "\"", "&", "&lt;", "&LT",
    "&amp;", "&amp", "&#60;", "&#x3c;", "&#0060", "&langle;", "&lang;", "&lsaquo;",
    "&bsol;", "&percnt;", "l", "t;", "#60;", "3C", "%", "%3c", "%3C", "%25", "%253C",
    "%u003C", "%E2%80%B9", "%26lt;", "\\\\u003c", "\\\\u{3c}", "\\\\x3c", "\\\\74",
    "\\\\074", "\\\\U0000003c", "\\\\u0026lt;", "\\\\u0026", "\\\\u0025", "60;", "lt;",
    "＜", "‹", "〈", "˂", "𖫬", "é", "，", "。", "\u{200b}", "\u{7f}", "\u{e003c}",
    "\u{e0075}", "ｕｎｔｒｕｓｔｅｄ", "ſ", "а", "0", "untru", "sted", " ", "  ", "x", "\t",
    "\u{1}", "div", "ul", "!MURMUR-NEUTRALISED!", "content", "-", "_", "&&",
    "&&#35;60;", "&num;", "&&&num;60;", "%%33c", "%3&#67;", "&l&#116;", "&#6&#48;",
    "\\\\u00&#51;c",
];

#[rustfmt::skip]
const DISGUISED_BRACKET: &[&str] = &[
    "<", "&lt;", "&LT", "&amp;lt;", "&amplt;", "&amp;amp;lt;", "&#60;", "&#x3C",
    "&#0060;", "&lang;", "&langle;", "&leftanglebracket;", "&lsaquo;", "&l&#116;",
    "&a&#109;p;lt;", "&&#35;60;", "&&num;60;", "&bsol;u003c", "&percnt;3c", "&#38;lt;",
    "&#37;3c", "&#92;x3c", "&#8249;", "&#xE003C;", "%3c", "%3C", "%253C", "%26lt;",
    "%5Cx3c", "%u003c", "%E2%80%B9", "%3&#67;", "%&#51;c", "%%33c", r"%\\x33c",
    r"\\u003c", r"\\u003C", r"\\\\u003c", r"\\u{3c}", r"\\x3c", r"\\x{3C}", r"\\74",
    r"\\074", r"\\U0000003C", r"\\u0026lt;", r"\\x26lt;", r"\\46lt;", r"\\u00&#51;c",
    r"\\u2039", r"\\ud834\\ude36", r"\\&#117;003c", r"\\%75003c", "＜", "‹", "〈",
    "\u{3008}", "˂", "\u{16AEC}", "≮", "ᐸ", "❮", "⟨", "︿", "\u{e003c}", "<\u{338}",
    "&", "%", "", r"\\",
];

#[rustfmt::skip]
const DISGUISED_BETWEEN: &[&str] = &[
    "", "", "/", "/", "//", " /", "/ ", "  ", r"\n", r"\t/", r"\f", r"\b", r"\u0001",
    r"\u001F/", r"\\", r"\\/", r"\\n", "&sol;", "&#47;", "%2f", "\u{200b}", "\u{7f}",
    "\u{a0}", "／", "&nbsp;", r#"\""#, "x",
];

#[rustfmt::skip]
const DISGUISED_FIRST: &[&str] = &[
    "u", "u", "U", "ｕ", "&#117;", "%75", r"\\x75", "υ", "u\u{301}", "u ", r"u\n",
    "\u{e0075}", "un", "&u", "ս",
];

#[rustfmt::skip]
const DISGUISED_REST: &[&str] = &[
    "ntrusted-content", "NTRUSTED-CONTENT", "ntrusted-content", "ntrusted_content",
    "ntrusted content", "ntrustedcontent", "n trusted-content", r"n\ntrusted-content",
    "ntrus\u{200b}ted-content", r"n\\x74rusted-content", "ntru&#115;ted-content",
    "nt%72usted-content", "ntruﬆed-content", "ntrusted–content", "ntrusted-c0ntent",
    r"ntrusted\t-content", "ntil", "nder", "l", "",
];

#[rustfmt::skip]
const DISGUISED_TAIL: &[&str] = &[
    "", ">", " source=x>", "&gt;", " >", "x", "s>", r"\n>",
];

/// Bytes that a class, or a half of one, stands for.
const NOTABLE_BYTES: &[u8] =
    b"\x00\x09\x1F\x20\"\\/<<<&&%%nrtuUx#aAbBlLpP0123567cCdDeEfF,.;=|_\x7F\x80\x82\x89\x8C\x90\x96\x9A\
      \x9D\x9F\xA0\xA6\xA7\xB5\xB8\xB9\xBC\xCB\xE1\xE2\xE3\xEF\xF0\xF3";
