//! Properties over random texts that are rich in markers and near misses.

use std::borrow::Cow;

use murmur_fence::{
    FlawKind, MarkerKind, Mode, Segment, Verdict, Writer, markers, naive, neutralise, outer_block,
    restore, sanitise_source, segments, verify, wrap, wrap_into,
};
use proptest::prelude::*;

/// Texts joined from the pieces that matter to the grammar, and from any others.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "<", "</", "/", ">", "\n", "\r\n", " ", " source=", " Source=", "x", "é", "✅", "\0", "!",
            "untrusted-content", "UNTRUSTED-CONTENT", "Untrusted-Content", "untrusted-conten", "ntrusted-content",
            "<untrusted-content", "</untrusted-content>", "</UNTRUSTED-content>", "<untrusted-content source=",
            "<untrusted-content source=tool:x>\n", "\n</untrusted-content>", "!MURMUR-NEUTRALISED!",
            "!murmur-neutralised!", "untruſted-content", "<\u{200b}/untrusted-content>", "＜/untrusted-content＞",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// `text` cut into chunks at the given places, moved to character boundaries.
fn chunks<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| {
            (0..=cut.index(text.len() + 1)).rev().find(|&i| text.is_char_boundary(i)).unwrap()
        })
        .chain([0, text.len()])
        .collect();
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn neutralise_equals_its_naive_twin(text in hostile()) {
        let fast = neutralise(&text);
        prop_assert_eq!(&fast, &naive::neutralise(&text));
        prop_assert_eq!(matches!(fast, Cow::Borrowed(_)), fast == text);
    }

    #[test]
    fn a_neutralised_text_has_no_live_marker_and_stays_as_it_is(text in hostile()) {
        let once = neutralise(&text).into_owned();
        prop_assert_eq!(markers(&once).count(), 0);
        prop_assert!(matches!(neutralise(&once), Cow::Borrowed(_)));
    }

    #[test]
    fn restore_undoes_neutralising_where_the_text_has_no_infix(text in hostile()) {
        prop_assume!(!text.contains(murmur_fence::INFIX));
        let neutralised = neutralise(&text);
        prop_assert_eq!(restore(&neutralised), text.as_str());
    }

    #[test]
    fn wrap_equals_its_naive_twin(source in hostile(), text in hostile()) {
        let wrapped = wrap(&source, &text);
        prop_assert_eq!(&wrapped, &naive::wrap(&source, &text));
        let mut appended = "before".to_owned();
        wrap_into(&mut appended, &source, &text);
        prop_assert_eq!(appended, format!("before{wrapped}"));
    }

    #[test]
    fn a_wrapped_text_is_one_intact_block(source in hostile(), text in hostile()) {
        let wrapped = wrap(&source, &text);
        let Verdict::Intact(outline) = verify(&wrapped, Mode::Strict) else {
            return Err(TestCaseError::fail(wrapped));
        };
        prop_assert_eq!(outline.blocks.len(), 1);
        let block = &outline.blocks[0];
        let (name, body, outer) = (sanitise_source(&source), neutralise(&text), outer_block(&wrapped));
        prop_assert_eq!(block.source, &*name);
        prop_assert_eq!(&wrapped[block.body.clone()], &*body);
        prop_assert_eq!(outer.as_ref(), Some(block));
    }

    #[test]
    fn segments_equal_their_naive_twin_and_leave_no_gap(text in hostile()) {
        let fast: Vec<_> = segments(&text).collect();
        prop_assert_eq!(&fast, &naive::segments(&text));
        let mut at = 0;
        for segment in &fast {
            let span = match segment {
                Segment::Text(span) => span.clone(),
                Segment::Block(block) => block.span(),
            };
            prop_assert_eq!(span.start, at);
            prop_assert!(span.end > span.start);
            at = span.end;
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn verdicts_and_segments_tell_the_same_story(text in hostile()) {
        let blocks: Vec<_> = segments(&text)
            .filter_map(|segment| match segment { Segment::Block(block) => Some(block), Segment::Text(_) => None })
            .collect();
        let live: Vec<_> = markers(&text).collect();
        match verify(&text, Mode::Standard) {
            Verdict::Unfenced => prop_assert!(live.is_empty()),
            Verdict::Intact(outline) => {
                prop_assert_eq!(&outline.blocks, &blocks);
                prop_assert_eq!(live.len(), 2 * blocks.len());
            }
            Verdict::Broken(flaws) => {
                let strays = live.iter().filter(|marker| marker.kind == MarkerKind::Stray).count();
                let non_canonical =
                    flaws.iter().filter(|flaw| flaw.kind == FlawKind::NonCanonicalMarker).count();
                prop_assert!(non_canonical >= strays);
                prop_assert!(flaws.is_sorted_by_key(|flaw| flaw.offset));
                prop_assert!(flaws.iter().all(|flaw| text.is_char_boundary(flaw.offset)));
            }
        }
    }

    #[test]
    fn the_writer_gives_what_wrap_gives(
        source in hostile(),
        text in hostile(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut out = String::new();
        let mut writer = Writer::new(&source);
        let mut taken = 0;
        for chunk in chunks(&text, &cuts) {
            writer.write(chunk, &mut out);
            taken += chunk.len();
            let certain = wrap(&source, &text[..taken]).len() - "\n</untrusted-content>".len();
            prop_assert!(out.len() + 18 >= certain, "more than 18 bytes held back");
        }
        writer.finish(&mut out);
        prop_assert_eq!(out, wrap(&source, &text));
    }
}
