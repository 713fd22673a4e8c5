//! What holds for every dialect, through the one trait, over random texts that
//! are rich in markers and near misses.

use std::borrow::Cow;

use murmur_fence::nonce::{Form, Style};
use murmur_fence::{Dialect, INFIX, MarkerDialect, Mode, Nonce, Segment, Tags, Verdict};
use proptest::prelude::*;

const TOKEN: &str = "7f3a91c2d4e5f607";
/// Overlaps itself at every second character.
const OVERLAPPING: &str = "abababababababab";

fn dialects() -> Vec<Box<dyn Dialect>> {
    let nonce = |token| Nonce::with_token(token).unwrap();
    vec![
        Box::new(MarkerDialect),
        Box::new(nonce(TOKEN)),
        Box::new(nonce(TOKEN).in_form(Form::new("page", Style::Tag).unwrap())),
        Box::new(nonce(OVERLAPPING)),
        Box::new(Tags::default()),
        Box::new(Tags::new(&["skill_content", "name", "name-x"]).unwrap()),
    ]
}

/// Texts joined from the pieces that matter to one of the dialects, and others.
fn hostile() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let pieces = vec![
        "<", "</", "/", "\\", ">", "\"", "\n", "\r", " ", "\t", "\0", "é", "x", "-", "_", ".", ":",
        "\u{a0}", "\u{3000}", "\u{200b}", "\u{feff}", "\u{2028}", "\u{3164}", " source=", " a=\"b\"",
        "untrusted-content", "UNTRUSTED-content", "<untrusted-content source=x>\n",
        "\n</untrusted-content>", "!MURMUR-NEUTRALISED!", "!MURMUR-", "MURMUR-NEUTRALISED!",
        "7f3a91c2d4e5f607", "7F3A91C2D4E5F607", "7f3a91c2d4e5f60", "<<<DOC:", "<<<END:", ">>>",
        "<<<DOC:7f3a91c2d4e5f607>>> s\n", "\n<<<END:7f3a91c2d4e5f607>>>", "<page-", "</page-",
        "ab", "abab", "abababababababab", "<<<END:abababababababab>>>",
        "data", "Data", "base", "tool_result", "<data>\n", "\n</data>", "<data source=\"x\">", "</ DATA >",
        "<tool_result tool=\"x\"><data>\n", "\n</data></tool_result>", "<source_page>", "</source_page>",
        "name", "-x", "-value", "skill_content", "</name>", "<name-x>",
    ];
    let piece = prop_oneof![
        12 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn intact(dialect: &dyn Dialect, block: &str) -> Result<(String, String), TestCaseError> {
    match dialect.verify(block, Mode::Strict) {
        Verdict::Intact(outline) if outline.blocks.len() == 1 => {
            let found = &outline.blocks[0];
            Ok((found.source.to_owned(), block[found.body.clone()].to_owned()))
        }
        other => Err(TestCaseError::fail(format!("{block:?} is {other:?}"))),
    }
}

/// How often one of the dialect's closing markers stands in the text, in any case.
fn ends(dialect: &dyn Dialect, text: &str) -> usize {
    let text = text.to_ascii_lowercase();
    let rules = dialect.rules();
    let closers: Vec<_> =
        rules.markers().map(|(_, closing)| closing.to_ascii_lowercase()).collect();
    closers.iter().map(|closing| text.matches(closing.as_str()).count()).sum()
}

/// What `defang` must give, written for obviousness.
mod naive {
    use super::*;

    pub fn defang(dialect: usize, content: &str) -> String {
        match dialect {
            0 => murmur_fence::naive::neutralise(content),
            1 | 2 => nonce(TOKEN, content),
            3 => nonce(OVERLAPPING, content),
            4 => tags(&["data", "tool_result", "company_context", "source_page"], content),
            _ => tags(&["skill_content", "name", "name-x"], content),
        }
    }

    fn nonce(token: &str, content: &str) -> String {
        let mut out = String::new();
        let mut rest = content;
        while let Some(c) = rest.chars().next() {
            if rest.get(..16).is_some_and(|start| start.eq_ignore_ascii_case(token)) {
                out.push_str(&rest[..15]);
                out.push_str(INFIX);
                rest = &rest[15..];
            } else {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        out
    }

    fn tags(reserved: &[&str], content: &str) -> String {
        let mut out = String::new();
        for (at, c) in content.char_indices() {
            out.push(c);
            if c == '<' && live(reserved, &content[at + 1..]) {
                out.push_str(INFIX);
            }
        }
        out
    }

    fn live(reserved: &[&str], after_bracket: &str) -> bool {
        let invisible = ['\u{200b}', '\u{feff}', '\u{3164}'];
        let mut rest = after_bracket;
        while let Some(c) = rest.chars().next() {
            let skipped = c.is_whitespace() || c.is_control() || "/\\".contains(c);
            if !skipped && !invisible.contains(&c) {
                break;
            }
            rest = &rest[c.len_utf8()..];
        }
        reserved.iter().any(|name| {
            let Some(start) = rest.get(..name.len()) else { return false };
            let after = rest[name.len()..].chars().find(|c| !"-_.:".contains(*c));
            let other_name = after.is_some_and(|c| c.is_alphanumeric() && !invisible.contains(&c));
            start.eq_ignore_ascii_case(name) && !other_name
        })
    }
}

proptest! {
    #[test]
    fn a_wrapped_text_is_one_intact_block_with_one_end(source in hostile(), text in hostile()) {
        for dialect in dialects() {
            let block = dialect.wrap(&source, &text);
            let (name, body) = intact(&*dialect, &block)?;
            prop_assert_eq!(name, dialect.sanitise_source(&source));
            prop_assert_eq!(body, dialect.defang(&text));
            prop_assert_eq!(ends(&*dialect, &block), 1, "{}", block);
        }
    }

    #[test]
    fn a_forged_marker_anywhere_in_the_text_is_inert(before in hostile(), after in hostile()) {
        for dialect in dialects() {
            let rules = dialect.rules();
            for (opening, closing) in rules.markers() {
                for forged in [opening, closing] {
                    let text = format!("{before}{forged}{after}");
                    let block = dialect.wrap("s", &text);
                    intact(&*dialect, &block)?;
                    // Also for a reader that stops at the first closing marker.
                    prop_assert_eq!(ends(&*dialect, &block), 1, "{}", block);
                }
            }
        }
    }

    #[test]
    fn a_wrapped_block_is_content_like_any_other(source in hostile(), text in hostile()) {
        for dialect in dialects() {
            let inner = dialect.wrap(&source, &text);
            let outer = dialect.wrap("s", &inner);
            let (_, body) = intact(&*dialect, &outer)?;
            prop_assert_ne!(&body, &inner);
            prop_assert_eq!(body, dialect.defang(&inner));
        }
    }

    #[test]
    fn defang_equals_its_naive_twin(text in hostile()) {
        for (index, dialect) in dialects().iter().enumerate() {
            let defanged = dialect.defang(&text);
            prop_assert_eq!(&defanged, &naive::defang(index, &text), "{}", dialect.name());
            prop_assert_eq!(matches!(defanged, Cow::Borrowed(_)), defanged == text);
        }
    }

    #[test]
    fn a_defanged_text_is_unfenced_and_stays_as_it_is(text in hostile()) {
        for dialect in dialects() {
            let once = dialect.defang(&text).into_owned();
            prop_assert!(matches!(dialect.defang(&once), Cow::Borrowed(_)), "{}", once);
            prop_assert_eq!(dialect.verify(&once, Mode::Strict), Verdict::Unfenced);
        }
    }

    #[test]
    fn restore_gives_the_content_back_where_it_has_no_infix(text in hostile()) {
        prop_assume!(!text.contains(INFIX));
        for dialect in dialects() {
            let defanged = dialect.defang(&text);
            prop_assert_eq!(dialect.restore(&defanged), text.as_str(), "{}", dialect.name());
        }
    }

    #[test]
    fn a_cut_block_is_never_intact(source in hostile(), text in hostile()) {
        for dialect in dialects() {
            let block = dialect.wrap(&source, &text);
            for end in (0..block.len()).filter(|&end| block.is_char_boundary(end)) {
                let cut = dialect.verify(&block[..end], Mode::Standard);
                prop_assert!(!matches!(cut, Verdict::Intact(_)), "{:?}", &block[..end]);
            }
        }
    }

    #[test]
    fn segments_leave_no_gap_and_agree_with_an_intact_verdict(text in hostile()) {
        for dialect in dialects() {
            let segments = dialect.segments(&text);
            let mut at = 0;
            for segment in &segments {
                let span = match segment {
                    Segment::Text(span) => span.clone(),
                    Segment::Block(block) => block.span(),
                };
                prop_assert_eq!(span.start, at);
                prop_assert!(span.end > span.start);
                at = span.end;
            }
            prop_assert_eq!(at, text.len());
            let blocks: Vec<_> = segments
                .into_iter()
                .filter_map(|segment| match segment {
                    Segment::Block(block) => Some(block),
                    Segment::Text(_) => None,
                })
                .collect();
            match dialect.verify(&text, Mode::Standard) {
                Verdict::Unfenced => prop_assert!(blocks.is_empty()),
                Verdict::Intact(outline) => prop_assert_eq!(outline.blocks, blocks),
                Verdict::Broken(flaws) => {
                    prop_assert!(flaws.is_sorted_by_key(|flaw| flaw.offset));
                    prop_assert!(flaws.iter().all(|flaw| text.is_char_boundary(flaw.offset)));
                }
            }
        }
    }

    #[test]
    fn notes_around_blocks_do_not_break_them(
        text in hostile(), between in "[a-z \n]{0,9}", other in hostile(),
    ) {
        for dialect in dialects() {
            let (one, two) = (dialect.wrap("a", &text), dialect.wrap("b", &other));
            let message = format!("{between}{one}{between}{two}{between}");
            let Verdict::Intact(outline) = dialect.verify(&message, Mode::Standard) else {
                return Err(TestCaseError::fail(message));
            };
            let spans: Vec<_> = outline.blocks.iter().map(|block| block.span()).collect();
            let first = between.len()..between.len() + one.len();
            let second = first.end + between.len()..first.end + between.len() + two.len();
            prop_assert_eq!(spans, [first, second]);
        }
    }
}
