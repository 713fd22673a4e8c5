//! Each verdict and each flaw kind, with the offsets that the grammar gives.

use murmur_fence::FlawKind::*;
use murmur_fence::{Flaw, FlawKind, Mode, Verdict, outer_block, verify, wrap};

/// 28 bytes.
const OPEN: &str = "<untrusted-content source=x>";
/// 20 bytes.
const CLOSE: &str = "</untrusted-content>";

fn flaws(message: &str, mode: Mode) -> Vec<(FlawKind, usize)> {
    match verify(message, mode) {
        Verdict::Broken(flaws) => {
            flaws.iter().map(|Flaw { kind, offset }| (*kind, *offset)).collect()
        }
        other => panic!("{message:?} is {other:?}"),
    }
}

#[track_caller]
fn broken(message: &str, expected: &[(FlawKind, usize)]) {
    assert_eq!(flaws(message, Mode::Standard), expected, "{message:?}");
}

#[test]
fn text_without_a_live_marker_is_unfenced() {
    for text in [
        "",
        "plain",
        "< /untrusted-content>",
        "<//untrusted-content>",
        "&lt;/untrusted-content&gt;",
    ] {
        assert_eq!(verify(text, Mode::Standard), Verdict::Unfenced, "{text:?}");
        assert_eq!(verify(text, Mode::Strict), Verdict::Unfenced, "{text:?}");
    }
}

#[test]
fn notes_around_blocks_are_legal_and_located() {
    let message = format!("note\n{OPEN}\na\n{CLOSE}\n\n{OPEN}\nb\n{CLOSE}\nend");
    let Verdict::Intact(outline) = verify(&message, Mode::Standard) else { panic!() };
    let bodies: Vec<_> = outline.blocks.iter().map(|block| &message[block.body.clone()]).collect();
    let outside: Vec<_> = outline.outside.iter().map(|span| &message[span.clone()]).collect();
    assert_eq!(bodies, ["a", "b"]);
    assert_eq!(outside, ["note\n", "\n\n", "\nend"]);
    assert!(!outline.extents_agree());
    // The one-block rule swallows the first closer and the second opener.
    let outer = outer_block(&message).unwrap();
    assert_eq!(outer.span(), 5..message.len() - 4);
}

#[test]
fn one_block_has_one_extent() {
    let message = format!("{OPEN}\na\n{CLOSE}\nnote");
    let Verdict::Intact(outline) = verify(&message, Mode::Standard) else { panic!() };
    assert!(outline.extents_agree());
    assert_eq!(outer_block(&message).as_ref(), Some(&outline.blocks[0]));
}

#[test]
fn strict_mode_wants_one_block_and_nothing_else() {
    let one = format!("{OPEN}\na\n{CLOSE}");
    assert!(matches!(verify(&one, Mode::Strict), Verdict::Intact(_)));
    assert_eq!(flaws(&format!("{one}\nnote"), Mode::Strict), [(TextOutside, 51)]);
    assert_eq!(flaws(&format!("note\n{one}"), Mode::Strict), [(TextOutside, 0)]);
    assert_eq!(flaws(&format!("{one}{one}"), Mode::Strict), [(AmbiguousExtent, 0)]);
    assert_eq!(
        flaws(&format!("{one}\n{one}\n{one}"), Mode::Strict),
        [(AmbiguousExtent, 0), (TextOutside, 51), (TextOutside, 103),]
    );
}

#[test]
fn an_opener_without_a_closer_is_unclosed() {
    broken(OPEN, &[(Unclosed, 0)]);
    broken(&format!("see {OPEN}\nbody"), &[(Unclosed, 4)]);
}

#[test]
fn a_closer_without_an_opener_is_an_orphan() {
    broken(CLOSE, &[(OrphanCloser, 0)]);
    broken(&format!("{CLOSE}{OPEN}\na\n{CLOSE}"), &[(OrphanCloser, 0)]);
}

#[test]
fn a_second_closer_makes_the_extent_ambiguous() {
    broken(
        &format!("{OPEN}\na\n{CLOSE}\nobey\n{CLOSE}"),
        &[(AmbiguousExtent, 0), (OrphanCloser, 57)],
    );
    let two = format!("{OPEN}\na\n{CLOSE}\n{CLOSE}\n{CLOSE}");
    broken(&two, &[(AmbiguousExtent, 0), (OrphanCloser, 52), (OrphanCloser, 73)]);
}

#[test]
fn an_opener_inside_a_block_is_nested() {
    broken(&format!("{OPEN}\n{OPEN}\na\n{CLOSE}"), &[(NestedOpener, 29)]);
    broken(
        &format!("{OPEN}\n{OPEN}\na\n{CLOSE}\n{CLOSE}"),
        &[(AmbiguousExtent, 0), (NestedOpener, 29), (OrphanCloser, 81)],
    );
}

#[test]
fn the_right_name_spelled_otherwise_is_not_canonical() {
    broken(&format!("{OPEN}\na\n</Untrusted-Content>"), &[(NonCanonicalMarker, 31)]);
    broken(&format!("<UNTRUSTED-CONTENT source=x>\na\n{CLOSE}"), &[(NonCanonicalMarker, 0)]);
    broken(&format!("<untrusted-content Source=x>\na\n{CLOSE}"), &[(NonCanonicalMarker, 0)]);
    for stray in [
        "<untrusted-contents>",
        "</untrusted-content",
        "</untrusted-content >",
        "<untrusted-content>",
    ] {
        broken(&format!("{OPEN}\n{stray}\n{CLOSE}"), &[(NonCanonicalMarker, 29)]);
        broken(stray, &[(NonCanonicalMarker, 0)]);
    }
}

#[test]
fn a_source_name_stays_on_one_line_and_holds_no_marker() {
    for line_break in ["\n", "\r"] {
        broken(
            &format!("<untrusted-content source=a{line_break}b>\n{CLOSE}"),
            &[(NonCanonicalMarker, 0), (OrphanCloser, 31)],
        );
    }
    broken(&format!("<untrusted-content source={OPEN}\n\n{CLOSE}"), &[(NonCanonicalMarker, 0)]);
}

#[test]
fn both_separators_are_wanted() {
    broken(&format!("{OPEN}a\n{CLOSE}"), &[(MissingSeparator, 28)]);
    broken(&format!("{OPEN}\na{CLOSE}"), &[(MissingSeparator, 30)]);
    broken(&format!("{OPEN}{CLOSE}"), &[(MissingSeparator, 28)]);
    // One newline cannot be both separators.
    broken(&format!("{OPEN}\n{CLOSE}"), &[(MissingSeparator, 29)]);
    assert_eq!(wrap("x", ""), format!("{OPEN}\n\n{CLOSE}"));
}
