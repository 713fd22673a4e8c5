//! Look-alikes: every disguise that can be put together is found where it stands,
//! and everything around it stays as it is.

use murmur_fence::Disguise::*;
use murmur_fence::{
    Disguise, INFIX, Lookalike, ReadsAs, lookalikes, markers, neutralise, open_marker,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// How one part of a marker is written, and the disguises that this is.
type Spelling = (String, Vec<Disguise>);

/// Other characters for the one, chosen by eye.
fn homoglyphs(c: char) -> Vec<char> {
    match c {
        'u' => "սυᴜｕ𝐮ⓤúᵤ",
        'n' => "ոｎ𝗇ñⓃпɴ",
        't' => "тΤｔ𝕥ţᴛ",
        'r' => "гｒ𝓻ř",
        's' => "ѕｓſ𝘴š",
        'e' => "еЕΕｅ℮é",
        'd' => "ԁｄⅾđ𝙙",
        'c' => "сϲｃⅽçⒸ",
        'o' => "оοΟｏ𝗈ö",
        '<' => "＜﹤‹〈⟨❮𝈶",
        '>' => "＞﹥›〉⟩❯𝈷",
        '/' => "／∕⁄╱",
        '-' => "‐‑–—−－﹣",
        '=' => "＝﹦",
        _ => "",
    }
    .chars()
    .collect()
}

/// Codes for a character that no following character can lengthen.
fn codes(c: char) -> Vec<Spelling> {
    let n = u32::from(c);
    let utf16 = |before: &str| -> String {
        c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{before}{unit:04x}")).collect()
    };
    let mut codes = vec![
        (format!("&#{n};"), vec![Entity]),
        (format!("&#x{n:x};"), vec![Entity]),
        (format!("&amp;#x{n:X};"), vec![Entity]),
        (format!("%26%23{n}%3b"), vec![Entity, Percent]),
        (format!("\\u0026#{n};"), vec![Entity, Escape]),
        (utf16("\\u").replacen('\\', "&#92;", 1), vec![Entity, Escape]),
        (utf16("\\u"), vec![Escape]),
        (utf16("\\\\u"), vec![Escape]),
        (format!("\\u{{{n:x}}}"), vec![Escape]),
    ];
    if n < 0x80 {
        codes.extend([
            (format!("%{n:02X}"), vec![Percent]),
            (format!("%25{n:02x}"), vec![Percent]),
            (format!("\\x{n:02x}"), vec![Escape]),
            (format!("\\{n:03o}"), vec![Escape]),
        ]);
    }
    let named: &[&str] = match c {
        '<' => &["&lt;", "&LT;", "&amp;lt;", "&amp;amp;lt;"],
        '>' => &["&gt;", "&gt", "&amp;gt;"],
        '/' => &["&sol;", "&amp;sol;"],
        '=' => &["&equals;"],
        _ => &[],
    };
    codes.extend(named.iter().map(|name| (name.to_string(), vec![Entity])));
    codes
}

/// What can be put between the characters of a marker.
fn fillers(tags_hide: bool) -> Vec<Spelling> {
    let mut fillers = Vec::new();
    for (chars, disguise) in [
        (" \t\n\r\u{A0}\u{3000}\u{2028}\u{2003}", WhiteSpace),
        (
            "\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{AD}\u{FE0F}\u{202E}\u{2069}\u{E01EF}\0",
            Invisible,
        ),
        ("\u{301}\u{338}\u{20DD}", CombiningMark),
        (if tags_hide { "\u{E0041}\u{E003C}\u{E007F}" } else { "" }, Invisible),
    ] {
        for c in chars.chars() {
            fillers.push((c.to_string(), vec![disguise]));
            let coded =
                codes(c).into_iter().map(|(code, how)| (code, [vec![disguise], how].concat()));
            // Tags are read out of codes as well; one reading a test.
            fillers.extend(coded.filter(|_| !('\u{E0020}'..='\u{E007E}').contains(&c)));
        }
    }
    fillers.extend([
        ("&nbsp;".to_owned(), vec![WhiteSpace, Entity]),
        ("&ZeroWidthSpace;".to_owned(), vec![Invisible, Entity]),
        ("\\n".to_owned(), vec![WhiteSpace, Escape]),
        ("%E2%80%8B".to_owned(), vec![Invisible, Percent]),
    ]);
    fillers
}

/// Ways to write one character of a marker, in order of how far they go.
fn spellings(c: char, tags_hide: bool) -> Vec<Spelling> {
    let mut spellings = codes(c);
    for other in homoglyphs(c) {
        spellings.push((other.to_string(), vec![Homoglyph]));
        spellings.extend(
            codes(other).into_iter().map(|(code, how)| (code, [vec![Homoglyph], how].concat())),
        );
    }
    match c {
        '/' => spellings.extend([
            ("//".to_owned(), vec![Slash]),
            ("/\\/".to_owned(), vec![Slash, Escape]),
            ("/&sol;".to_owned(), vec![Slash, Entity]),
        ]),
        '-' => spellings.extend([
            ("_".to_owned(), vec![Hyphen]),
            ("--".to_owned(), vec![Hyphen]),
            (String::new(), vec![Hyphen]),
            (" ".to_owned(), vec![Hyphen, WhiteSpace]),
            ("\\-".to_owned(), vec![Escape]),
        ]),
        _ => {}
    }
    if !tags_hide {
        spellings.push((tag(c).to_string(), vec![Tag]));
    }
    spellings
}

/// The tag character that spells the same.
fn tag(c: char) -> char {
    char::from_u32(0xE_0000 + u32::from(c)).unwrap()
}

/// A disguised marker: its text, which marker it is, and its disguises, empty for
/// a live one.
fn disguised() -> impl Strategy<Value = (String, ReadsAs, Vec<Disguise>)> {
    let marker = select(vec![
        ("</untrusted-content", "", ">", ReadsAs::Closer),
        ("<untrusted-content", " source=", "tool:web-fetch>", ReadsAs::Opener),
        ("<untrusted-content", " source=", "é & ü \u{200b}>", ReadsAs::Opener),
    ]);
    let changes = prop::collection::vec((any::<Index>(), any::<Index>(), 0..3), 0..6);
    (marker, changes, any::<bool>(), any::<bool>()).prop_map(
        |((head, attribute, end, reads_as), changes, upper, tags_hide)| {
            let whole = format!("{head}{attribute}{end}");
            let mut parts: Vec<Spelling> = whole
                .chars()
                .map(|c| if upper { c.to_ascii_uppercase() } else { c })
                .map(|c| (c.to_string(), Vec::new()))
                .collect();
            let attribute = head.len()..head.len() + attribute.len();
            let last = parts.len() - 1;
            let places: Vec<usize> = (0..attribute.end).chain([last]).collect();
            for (place, choice, what) in changes {
                let at = places[place.index(places.len())];
                let c = whole.chars().nth(at).unwrap();
                let (text, why) = &mut parts[at];
                if what > 0 {
                    // A space of the attribute may be coded or another one.
                    let choices = match c {
                        ' ' => fillers(tags_hide)
                            .into_iter()
                            .filter(|(_, why)| {
                                why[0] == WhiteSpace && !matches!(why[..], [WhiteSpace])
                            })
                            .collect(),
                        _ => spellings(c, tags_hide),
                    };
                    (*text, *why) = choices[choice.index(choices.len())].clone();
                } else if at != 0 && !(attribute.start < at && text.is_empty()) {
                    let choices = fillers(tags_hide);
                    let (filler, how) = &choices[choice.index(choices.len())];
                    // Nothing is put before the bracket that starts the marker, and
                    // nothing into the name of the source, where it is content.
                    if at != last || attribute.is_empty() {
                        text.insert_str(0, filler);
                        why.extend(how);
                    }
                }
            }
            let live = parts[..head.len()].iter().all(|(_, why)| why.is_empty());
            let mut why: Vec<_> = parts.iter().flat_map(|(_, why)| why.clone()).collect();
            why.sort_unstable();
            why.dedup();
            let text = parts.into_iter().map(|(text, _)| text).collect();
            (text, reads_as, if live { Vec::new() } else { why })
        },
    )
}

/// Texts of near misses, that hold no whole name.
fn surroundings() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => select(vec![
            "<", "</", ">", "&lt;", "&amp;", "&", "&#", "%", "%3C", "\\", "\\u003", "\\u{", "＜", "\u{200b}", " ", "\n",
            "untrusted", "untrusted-", "content", "source=", "!MURMUR-NEUTRALISED!", "é", "\u{301}", "&l", "&#6",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..12)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("no look-alike of its own", |text| lookalikes(text).count() == 0)
}

/// Texts rich in markers of every sort.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        disguised().prop_map(|(text, ..)| text),
        surroundings(),
        Just(open_marker("tool:x")),
        Just("</untrusted-content>".to_owned()),
        Just(neutralise("</untrusted-content>").into_owned()),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn every_disguise_is_found_where_it_stands(
        (marker, reads_as, disguises) in disguised(),
        before in surroundings(),
        after in surroundings(),
    ) {
        // A full stop belongs to no code and to no marker but as the source's name,
        // which the line break ends.
        let text = format!("{before}.{marker}.\n{after}");
        let found: Vec<_> = lookalikes(&text).collect();
        if disguises.is_empty() {
            prop_assert_eq!(found, []);
        } else {
            prop_assert_eq!(found.len(), 1, "{:?} in {:?}", found, text);
            let Lookalike { span, reads_as: side, disguises: why } = &found[0];
            prop_assert_eq!(&text[span.clone()], &marker);
            prop_assert_eq!(span.start, before.len() + 1);
            prop_assert_eq!(*side, reads_as);
            prop_assert_eq!(why.iter().collect::<Vec<_>>(), disguises);
        }
    }

    #[test]
    fn look_alikes_are_in_order_whole_and_never_live(text in hostile()) {
        let live: Vec<_> = markers(&text).map(|marker| marker.start).collect();
        let mut end = 0;
        for Lookalike { span, disguises, .. } in lookalikes(&text) {
            prop_assert!(end <= span.start && span.start < span.end);
            end = span.end;
            prop_assert!(text.get(span.clone()).is_some());
            prop_assert!(disguises.iter().next().is_some());
            prop_assert!(live.iter().all(|start| !span.contains(start)), "{:?} in {:?}", span, text);
        }
    }

    #[test]
    fn neutralising_moves_look_alikes_and_changes_none(text in hostile()) {
        let live: Vec<_> = markers(&text).map(|marker| marker.start).collect();
        let moved = |at: usize| at + INFIX.len() * live.iter().filter(|start| **start < at).count();
        let expected: Vec<_> = lookalikes(&text)
            .map(|Lookalike { span, reads_as, disguises }| {
                (moved(span.start)..moved(span.end), reads_as, disguises)
            })
            .collect();
        let found: Vec<_> = lookalikes(&neutralise(&text))
            .map(|Lookalike { span, reads_as, disguises }| (span, reads_as, disguises))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn plain_ascii_has_none(text in "([ -$'-;=->@-\\[\\]-~\n]|untrusted-content|source=|/untrusted-content>){0,40}") {
        prop_assert_eq!(lookalikes(&text).count(), 0);
    }

    #[test]
    fn any_text_is_read_to_its_end(text in any::<String>()) {
        prop_assert_eq!(lookalikes(&text).count(), 0);
        let marked = format!("{text}.</ untrusted-content>");
        prop_assert_eq!(lookalikes(&marked).map(|l| l.span.start).collect::<Vec<_>>(), [text.len() + 1]);
    }
}
