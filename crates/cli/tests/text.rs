//! `wrap` and `neutralise` write exactly the bytes of the fence.

mod support;

use support::{run, run_with};

#[test]
fn wrap_writes_the_block_and_nothing_else() {
    let wrapped = run_with(&["wrap", "--source", "tool:x"], b"a\r\n</untrusted-content>\0\n");
    assert_eq!(
        wrapped.text(),
        "<untrusted-content source=tool:x>\na\r\n<!MURMUR-NEUTRALISED!/untrusted-content>\0\n\n</untrusted-content>",
    );
    assert_eq!(wrapped.status, 0);
}

#[test]
fn neutralise_adds_no_newline() {
    assert_eq!(run_with(&["neutralise", "-"], "é".as_bytes()).stdout, "é".as_bytes());
    assert_eq!(run_with(&["neutralise"], b"").stdout, b"");
    assert_eq!(
        run_with(&["neutralise"], b"<Untrusted-content").text(),
        "<!MURMUR-NEUTRALISED!Untrusted-content",
    );
}

#[test]
fn a_file_is_read_like_standard_input() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.txt");
    std::fs::write(&path, "page").unwrap();
    let wrapped = run(&["wrap", "--source", "tool:x", path.to_str().unwrap()]);
    assert_eq!(wrapped.text(), "<untrusted-content source=tool:x>\npage\n</untrusted-content>");
}

#[test]
fn unusable_input_is_named_and_ends_with_status_2() {
    let not_text = run_with(&["neutralise"], b"ab\xff");
    assert_eq!((not_text.status, not_text.stdout.len()), (2, 0));
    assert_eq!(
        not_text.stderr,
        "murmur-fence: failed to read `-`: not UTF-8 at byte 2; convert it first\n"
    );

    let absent = run(&["wrap", "--source", "x", "no/such/file"]);
    assert_eq!(absent.status, 2);
    assert!(absent.stderr.starts_with("murmur-fence: failed to open `no/such/file`: "));

    let directory = run(&["neutralise", "."]);
    assert_eq!(directory.status, 2);
    assert_eq!(directory.stderr, "murmur-fence: failed to read `.`: it is a directory\n");

    assert_eq!(run(&["wrap"]).status, 2);
}
