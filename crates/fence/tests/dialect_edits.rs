//! Every edit of one token of a marker is flagged, in every dialect, around every
//! short body. The marker dialect has longer bodies in `exhaustive.rs`.

use murmur_fence::nonce::{Form, Style};
use murmur_fence::{Dialect, INFIX, MarkerDialect, Mode, Nonce, Tags, Verdict};

const LONGEST: u32 = if cfg!(debug_assertions) { 2 } else { 4 };

const TOKEN: &str = "7f3a91c2d4e5f607";

struct Grammar {
    dialect: Box<dyn Dialect>,
    tokens: Vec<&'static str>,
    /// With the source `s`.
    opener: Vec<&'static str>,
    closer: Vec<&'static str>,
}

fn grammars() -> Vec<Grammar> {
    let nonce = Nonce::with_token(TOKEN).unwrap();
    let tag_style = nonce.clone().in_form(Form::new("doc", Style::Tag).unwrap());
    vec![
        Grammar {
            dialect: Box::new(MarkerDialect),
            tokens: vec!["<", "/", "untrusted-content", INFIX, " source=", ">", "\n", "a"],
            opener: vec!["<", "untrusted-content", " source=", "s", ">"],
            closer: vec!["<", "/", "untrusted-content", ">"],
        },
        Grammar {
            dialect: Box::new(nonce),
            tokens: vec![
                "<<<",
                "DOC",
                "doc",
                "END",
                ":",
                TOKEN,
                "7F3A91C2D4E5F607",
                "7f3a91c2d4e5f60",
                INFIX,
                ">>>",
                ">",
                " ",
                "\n",
                "a",
            ],
            opener: vec!["<<<", "DOC", ":", TOKEN, ">>>", " ", "s"],
            closer: vec!["<<<", "END", ":", TOKEN, ">>>"],
        },
        Grammar {
            dialect: Box::new(tag_style),
            tokens: vec![
                "<",
                "/",
                "doc",
                "DOC",
                "-",
                TOKEN,
                "7F3A91C2D4E5F607",
                "7f3a91c2d4e5f60",
                INFIX,
                ">",
                " ",
                "\n",
                "a",
            ],
            opener: vec!["<", "doc", "-", TOKEN, ">", " ", "s"],
            closer: vec!["<", "/", "doc", "-", TOKEN, ">"],
        },
        Grammar {
            dialect: Box::new(Tags::new(&["data", "tool_result"]).unwrap()),
            tokens: vec![
                "<",
                "/",
                "data",
                "DATA",
                "dat",
                "tool_result",
                INFIX,
                " source=\"",
                "\"",
                ">",
                " ",
                "\n",
                "a",
            ],
            opener: vec!["<", "data", " source=\"", "s", "\"", ">"],
            closer: vec!["<", "/", "data", ">"],
        },
    ]
}

/// Every sequence of tokens up to [`LONGEST`].
fn sequences<'a>(tokens: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    (0..=LONGEST).flat_map(move |length| {
        (0..tokens.len().pow(length)).map(move |mut number| {
            (0..length)
                .map(|_| {
                    let token = tokens[number % tokens.len()];
                    number /= tokens.len();
                    token
                })
                .collect()
        })
    })
}

/// The marker with one token deleted, replaced or inserted between two others.
fn edits(marker: &[&str], tokens: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for at in 0..marker.len() {
        let (before, after) = (marker[..at].concat(), marker[at + 1..].concat());
        out.push(format!("{before}{after}"));
        for token in tokens.iter().filter(|&&token| token != marker[at]) {
            out.push(format!("{before}{token}{after}"));
        }
        if at > 0 {
            for token in tokens {
                out.push(format!("{before}{token}{}{after}", marker[at]));
            }
        }
    }
    out
}

#[test]
fn the_unedited_blocks_are_what_the_dialect_writes() {
    for Grammar { dialect, tokens, opener, closer } in grammars() {
        for content in sequences(&tokens) {
            let body = dialect.defang(&content);
            let block = [&opener.concat(), "\n", &*body, "\n", &closer.concat()].concat();
            assert_eq!(dialect.wrap("s", &content), block);
            assert!(
                matches!(dialect.verify(&block, Mode::Strict), Verdict::Intact(_)),
                "{block:?}"
            );
        }
    }
}

#[test]
fn every_edit_of_a_marker_is_flagged() {
    for Grammar { dialect, tokens, opener, closer } in grammars() {
        let (openers, closers) = (edits(&opener, &tokens), edits(&closer, &tokens));
        let (opener, closer) = (opener.concat(), closer.concat());
        let mut checked = 0;
        for content in sequences(&tokens) {
            let body = dialect.defang(&content);
            let mut edited = |opener: &str, closer: &str, mode: Mode| {
                checked += 1;
                let message = [opener, "\n", &*body, "\n", closer].concat();
                match dialect.verify(&message, mode) {
                    Verdict::Broken(_) => {}
                    // A changed name is a whole marker for another source.
                    Verdict::Intact(outline) if outline.blocks[0].source != "s" => {}
                    other => panic!("{} {message:?} is {other:?}", dialect.name()),
                }
            };
            // Where the edited marker still ends or begins with a whole one, a
            // token was put before or after it: text that only strict mode refuses.
            let mode = |whole: bool| if whole { Mode::Strict } else { Mode::Standard };
            openers.iter().for_each(|edit| edited(edit, &closer, mode(edit.ends_with(&opener))));
            closers.iter().for_each(|edit| edited(&opener, edit, mode(edit.starts_with(&closer))));
        }
        let contents: usize = (0..=LONGEST).map(|length| tokens.len().pow(length)).sum();
        assert_eq!(checked, contents * (openers.len() + closers.len()));
    }
}
