//! The shipped components behind this crate: the record in its directory, and
//! the limits met by the real thing.

use murmur_fence_host::{
    CallError, Component, Conversation, Item, Limits, MessagePage, Mode, ServedMessage, Standing,
    Verdict, World,
};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::thread;
use xtask::Guest;

fn load(which: Guest, limits: &Limits) -> Component {
    Component::from_file(xtask::component(which).unwrap(), limits).unwrap()
}

fn page(conversation: &Conversation, cursor: Option<&str>, limit: u32) -> MessagePage {
    conversation.read_messages(cursor, limit).unwrap().unwrap()
}

fn contents(page: &MessagePage) -> Vec<&str> {
    page.messages.iter().map(|message| message.content.as_str()).collect()
}

fn append(directory: &Path, text: &str) {
    let path = directory.join("conversation.jsonl");
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn both_components_fence() {
    for which in Guest::ALL {
        let fence = load(which, &Limits::default()).fence();
        let wrapped = fence.wrap("tool:x", "hi").unwrap();
        assert_eq!(wrapped, "<untrusted-content source=tool:x>\nhi\n</untrusted-content>");
        assert!(matches!(fence.verify(&wrapped, Mode::Strict).unwrap(), Verdict::Intact(_)));
        assert_eq!(fence.verify_all(&["", "x"], Mode::Standard).unwrap().len(), 2);
        assert_eq!(fence.neutralise_all(&["x", "</untrusted-content"]).unwrap()[0], None);
        let item = Item { source: "tool:x", content: "hi" };
        let items = [item.clone(), item];
        assert_eq!(fence.wrap_all(&items).unwrap(), [&*wrapped, &*wrapped]);
    }
}

#[test]
fn a_served_message_is_inspected() {
    let fence = load(Guest::Fence, &Limits::default()).fence();
    let content =
        r#"[{"text":"<untrusted-content source=tool:x>\nhi\n</untrusted-content>","type":"text"}]"#;
    let standing = |role| {
        let message = ServedMessage { role, content, inserted: false };
        fence.inspect(&message).unwrap().unwrap().remove(0).standing
    };
    assert!(matches!(standing("user"), Standing::Intact(_)));
    assert!(matches!(standing("assistant"), Standing::Mention(_)));
}

#[test]
fn the_grant_is_the_directory() {
    let component = load(Guest::Conversation, &Limits::default());
    assert_eq!(component.world(), World::Conversation);
    let none = component.conversation(None).unwrap();
    assert_eq!(none.read_messages(None, 5).unwrap(), Err("not-granted".to_string()));

    let directory = tempfile::tempdir().unwrap();
    let empty = component.conversation(Some(directory.path())).unwrap();
    assert_eq!(page(&empty, None, 5).total, 0);
}

#[test]
fn a_record_that_grows_is_read_on() {
    let component = load(Guest::Conversation, &Limits::default());
    let directory = tempfile::tempdir().unwrap();
    let conversation = component.conversation(Some(directory.path())).unwrap();
    for count in 0..250u32 {
        append(directory.path(), &format!("{{\"role\":\"user\",\"content\":{count}}}\n"));
        let newest = page(&conversation, None, 2);
        assert_eq!(newest.total, count + 1);
        assert_eq!(newest.messages[0].content, count.to_string());
    }
    // A torn line counts once it is whole.
    append(directory.path(), r#"{"role":"user","#);
    assert_eq!(page(&conversation, None, 1).total, 250);
    append(directory.path(), "\"content\":\"whole\"}\n");
    assert_eq!(contents(&page(&conversation, None, 1)), ["\"whole\""]);

    // Another record under the same name, as truncating leaves it.
    let other = directory.path().join("other");
    fs::write(&other, "{\"role\":\"user\",\"content\":\"other\"}\n").unwrap();
    fs::rename(other, directory.path().join("conversation.jsonl")).unwrap();
    let other = page(&conversation, None, 100);
    assert_eq!((other.total, contents(&other)), (1, vec!["\"other\""]));
}

#[test]
fn conversations_do_not_mix() {
    let component = load(Guest::Conversation, &Limits::default().instances(6));
    thread::scope(|scope| {
        for id in 0..5 {
            let component = &component;
            scope.spawn(move || {
                let directory = tempfile::tempdir().unwrap();
                let conversation = component.conversation(Some(directory.path())).unwrap();
                for round in 0..20 {
                    let line = format!("{{\"role\":\"user\",\"content\":\"{id}/{round}\"}}\n");
                    append(directory.path(), &line);
                    let newest = page(&conversation, None, 1);
                    assert_eq!(newest.messages[0].content, format!("\"{id}/{round}\""));
                    assert_eq!(newest.total, round + 1);
                    // The fence has its own instances.
                    assert!(component.fence().wrap("x", "y").is_ok());
                }
            });
        }
    });
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_directory_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    append(outside.path(), "{\"role\":\"user\",\"content\":\"secret\"}\n");
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("conversation.jsonl");
    std::os::unix::fs::symlink(outside.path().join("conversation.jsonl"), &record).unwrap();
    let component = load(Guest::Conversation, &Limits::default());
    let conversation = component.conversation(Some(directory.path())).unwrap();
    let error = conversation.read_messages(None, 5).unwrap().unwrap_err();
    assert!(error.starts_with("unavailable: "), "{error}");
    assert!(!error.contains("secret"));
}

#[test]
fn a_text_beyond_the_memory_is_a_typed_error_and_the_next_call_works() {
    let limit = 16 << 20;
    let limits = Limits::default().memory_bytes(limit);
    for which in Guest::ALL {
        let fence = load(which, &limits).fence();
        let markers = "</untrusted-content>".repeat(300_000);
        assert_eq!(fence.wrap("x", &markers), Err(CallError::OutOfMemory { limit }));
        assert!(fence.wrap("x", "y").is_ok());
        let mut writer = fence.writer("x").unwrap();
        assert_eq!(writer.write(&markers).unwrap_err(), CallError::OutOfMemory { limit });
        drop(writer);
        assert!(fence.wrap("x", "y").is_ok());
    }
}

#[test]
fn a_text_of_the_input_limit_is_taken_and_a_longer_one_refused() {
    let fence = load(Guest::Fence, &Limits::default()).fence();
    let text = "<".repeat(64 << 20);
    assert_eq!(fence.neutralise(&text).unwrap(), None);
    let (len, limit) = ((64 << 20) + 1, 64 << 20);
    assert_eq!(fence.wrap("x", &text), Err(CallError::InputTooLarge { len, limit }));
}

#[test]
fn a_line_beyond_the_memory_makes_the_record_unavailable_and_no_more() {
    let component = load(Guest::Conversation, &Limits::default().memory_bytes(16 << 20));
    let directory = tempfile::tempdir().unwrap();
    append(directory.path(), "{\"role\":\"user\",\"content\":\"first\"}\n");
    let conversation = component.conversation(Some(directory.path())).unwrap();
    assert_eq!(contents(&page(&conversation, None, 1)), ["\"first\""]);

    let long = "x".repeat(20 << 20);
    append(directory.path(), &format!("{{\"role\":\"user\",\"content\":\"{long}\"}}\n"));
    let error = conversation.read_messages(None, 1).unwrap().unwrap_err();
    assert!(error.starts_with("unavailable: line 2: "), "{error}");

    fs::remove_file(directory.path().join("conversation.jsonl")).unwrap();
    append(directory.path(), "{\"role\":\"user\",\"content\":\"last\"}\n");
    assert_eq!(contents(&page(&conversation, None, 1)), ["\"last\""]);
}

#[test]
fn many_threads_get_the_same_answers() {
    let component = load(Guest::Fence, &Limits::default().instances(3));
    let text = "a</UNTRUSTED-content>b";
    let expected = component.fence().wrap("tool:x", text).unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            let fence = component.fence();
            let expected = &expected;
            scope.spawn(move || {
                for _ in 0..200 {
                    assert_eq!(fence.wrap("tool:x", text).unwrap(), *expected);
                }
            });
        }
    });
}
