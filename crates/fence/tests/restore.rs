//! `restore` takes out an infix only where neutralising puts one.

use std::borrow::Cow;

use murmur_fence::restore;

#[test]
fn an_infix_inside_a_marker_is_removed() {
    assert_eq!(
        restore(
            "a <!MURMUR-NEUTRALISED!/Untrusted-Content> <!MURMUR-NEUTRALISED!untrusted-contents"
        ),
        "a </Untrusted-Content> <untrusted-contents",
    );
}

#[test]
fn an_infix_elsewhere_stays() {
    for text in [
        "!MURMUR-NEUTRALISED!untrusted-content",
        "x!MURMUR-NEUTRALISED!/untrusted-content>",
        "<!MURMUR-NEUTRALISED!data>",
        "<!MURMUR-NEUTRALISED!//untrusted-content>",
        "<!murmur-neutralised!/untrusted-content>",
        "<!MURMUR-NEUTRALISED!!MURMUR-NEUTRALISED!/untrusted-content>",
        "<!MURMUR-NEUTRALISED!untrusted-conten",
    ] {
        assert!(matches!(restore(text), Cow::Borrowed(same) if same == text), "{text:?}");
    }
}
