//! `strip` and `unwrap`: what a person reads, and the body of one block.

mod support;

use serde_json::json;
use support::{file, record, run, run_with};

const OPEN: &str = "<untrusted-content source=tool:fetch>";
const CLOSE: &str = "</untrusted-content>";
const FORGED: &str = "<!MURMUR-NEUTRALISED!/untrusted-content>";

fn strip(input: &str) -> String {
    let run = run_with(&["strip"], input.as_bytes());
    assert_eq!(run.status, 0, "{run:?}");
    run.text().to_owned()
}

#[test]
fn a_block_is_its_source_and_its_lines() {
    let text = format!("{OPEN}\none\n\n{FORGED}\ttwo\n{CLOSE}\nnote of the runtime");
    assert_eq!(
        strip(&text),
        "[tool:fetch]\n│ one\n│ \n│ [forged] </untrusted-content>\ttwo\n  note of the runtime\n"
    );
}

#[test]
fn no_text_can_pass_for_another() {
    let body = "[tool:other]\n│ x\ntool  msg_1";
    let text = format!("{OPEN}\n{body}\n{CLOSE}");
    let messages = record(&[
        ("tool", &text, json!({ "fence": "tool:fetch" })),
        ("assistant", body, json!({})),
    ]);
    let shown = strip(&messages);
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[0].starts_with("tool  msg_01a3b0c40000"), "{shown}");
    assert_eq!(&lines[1..5], ["[tool:fetch]", "│ [tool:other]", "│ │ x", "│ tool  msg_1"]);
    assert!(lines[6].starts_with("assistant  msg_01a3b0c40000"), "{shown}");
    assert_eq!(&lines[7..], ["  [tool:other]", "  │ x", "  tool  msg_1"]);
}

#[test]
fn a_terminal_is_safe_from_what_is_shown() {
    let text = format!("{OPEN}\n\x1b[2Ja\rb\u{202e}\n{CLOSE}");
    assert_eq!(strip(&text), "[tool:fetch]\n│ \\u{1b}[2Ja\\rb\\u{202e}\n");
}

#[test]
fn a_broken_fence_is_said_to_be_one() {
    let text = format!("{OPEN}\none\n{CLOSE}\ntwo\n{CLOSE}");
    assert_eq!(
        strip(&text),
        format!(
            "[broken fence: nothing shows where a block ends]\n! {OPEN}\n! one\n! {CLOSE}\n! two\n! {CLOSE}\n"
        )
    );
}

#[test]
fn a_served_message_and_a_page_read_as_the_record_does() {
    let body = json!([{ "text": format!("{OPEN}\nhi\n{CLOSE}"), "type": "text" }]);
    let envelope = json!({
        "__murmur_tool_msg__": true, "body": body, "is_error": false, "tool_call_id": "c"
    });
    let message = json!({
        "role": "tool", "content": envelope.to_string(), "id": null, "source_id": null,
        "inserted_by": null
    });
    let expected = "tool\n[tool:fetch]\n│ hi\n";
    assert_eq!(strip(&message.to_string()), expected);
    assert_eq!(strip(&format!("{message}\n")), expected);
    let page = json!({ "ok": { "messages": [message], "next_cursor": null, "total": 1 } });
    assert_eq!(strip(&page.to_string()), expected);
}

#[test]
fn a_torn_line_is_passed_over_and_told() {
    let whole = record(&[("user", "hello", json!({}))]);
    let run = run_with(&["strip", "-"], format!("{whole}{{\"role\"").as_bytes());
    assert_eq!(run.status, 1);
    assert!(run.text().ends_with("  hello\n"), "{run:?}");
    assert!(run.stderr.contains("line 2 is passed over"), "{run:?}");
}

#[test]
fn a_record_is_left_as_it_is() {
    let path = file("examples/records/hostile/conversation.jsonl");
    let before = std::fs::read(&path).unwrap();
    let shown = run(&["strip", &path]);
    assert_eq!(shown.status, 0);
    assert!(shown.text().contains("\n[member:north-quay]\n"));
    assert!(!shown.text().contains("MURMUR-NEUTRALISED"), "{}", shown.text());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_body_is_printed_byte_for_byte() {
    for body in ["", "\n", "one\ntwo", "ends in a break\n", "\x1b\r\u{202e}é", FORGED] {
        let text = format!("{OPEN}\n{body}\n{CLOSE}\nnote");
        let run = run_with(&["unwrap"], text.as_bytes());
        assert_eq!((run.text(), run.status), (body, 0));
    }
}

#[test]
fn one_of_several_blocks_is_named_by_its_number() {
    let two = format!("[call-member] a\n{OPEN}\none\n{CLOSE}\n\n{OPEN}\ntwo\n{CLOSE}");
    let messages = record(&[
        ("user", &two, json!({})),
        ("assistant", &format!("I quote {OPEN}\nnot mine\n{CLOSE}"), json!({})),
        ("tool", &format!("{OPEN}\nthree\n{CLOSE}"), json!({ "fence": "tool:fetch" })),
    ]);
    for (index, body) in ["one", "two", "three"].iter().enumerate() {
        let index = (index + 1).to_string();
        let run = run_with(&["unwrap", "--index", &index, "-"], messages.as_bytes());
        assert_eq!((run.text(), run.status), (*body, 0));
    }
    for (arguments, says) in [
        (vec!["unwrap"], "failed to unwrap `-`: there are 3 blocks; name one with --index, from 1"),
        (vec!["unwrap", "--index", "4"], "there are only 3 blocks"),
    ] {
        let run = run_with(&arguments, messages.as_bytes());
        assert_eq!((run.text(), run.status), ("", 2));
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
    assert_eq!(run(&["unwrap", "--index", "0"]).status, 2);
}

#[test]
fn without_a_whole_block_there_is_no_body() {
    for (text, says) in [
        ("plain".to_owned(), "there is no block"),
        (format!("{OPEN}\nopen"), "there is no whole block, and a fence is broken"),
        (
            format!("{OPEN}\na\n{CLOSE}\nb\n{CLOSE}"),
            "there is no whole block, and a fence is broken",
        ),
    ] {
        let run = run_with(&["unwrap", "-"], text.as_bytes());
        assert_eq!((run.text(), run.status), ("", 2), "{text}");
        assert!(run.stderr.contains(says), "{}", run.stderr);
    }
    assert!(run(&["unwrap", "no-such-file"]).stderr.contains("failed to open `no-such-file`"));
}
