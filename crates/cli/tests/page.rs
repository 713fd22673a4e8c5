//! `page` gives what the runtime gave for the same record.

mod support;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::{Value, json};
use support::{Run, file, run};
use tempfile::TempDir;

static COMPONENT: LazyLock<PathBuf> =
    LazyLock::new(|| xtask::component(xtask::Guest::Conversation).unwrap());

/// A directory whose record is this.
fn directory(record: &[u8]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("conversation.jsonl"), record).unwrap();
    directory
}

fn page(directory: &TempDir, cursor: Option<&str>, limit: u64) -> Run {
    let (dir, component) = (directory.path().to_str().unwrap(), COMPONENT.to_str().unwrap());
    let limit = limit.to_string();
    let mut arguments = vec!["page", "--dir", dir, "--limit", &limit, "--component", component];
    if let Some(cursor) = cursor {
        arguments.extend(["--cursor", cursor]);
    }
    run(&arguments)
}

#[test]
fn every_recorded_call_gives_the_recorded_result() {
    let record = fs::read(file("crates/record/tests/data/r1-run-hostile.jsonl")).unwrap();
    let answers = file("crates/record/tests/data/r1-run-hostile.on-session-end.json");
    let recorded: Value = serde_json::from_slice(&fs::read(answers).unwrap()).unwrap();
    let directory = directory(&record);
    for (kind, calls) in [("probes", 12), ("walk", 8)] {
        let list = recorded[kind].as_array().unwrap();
        assert_eq!(list.len(), calls);
        for call in list {
            let run = page(&directory, call["cursor"].as_str(), call["limit"].as_u64().unwrap());
            assert_eq!(run.json(), call["result"], "{call}");
            let refused = call["result"].get("err").is_some();
            assert_eq!(run.status, i32::from(refused), "{call}");
        }
    }
}

#[test]
fn a_directory_without_a_record_is_an_empty_page_whatever_the_cursor() {
    let directory = tempfile::tempdir().unwrap();
    for cursor in [None, Some("nonsense")] {
        let empty = page(&directory, cursor, 5);
        let expected = json!({"ok": {"messages": [], "next_cursor": null, "total": 0}});
        assert_eq!((empty.json(), empty.status), (expected, 0));
    }
}

#[test]
fn a_record_that_is_not_utf8_is_unavailable() {
    let bad = page(&directory(b"{\"role\":\"user\"}\n\xff\n"), Some("nonsense"), 5);
    let expected = json!({"err": "unavailable: stream did not contain valid UTF-8"});
    assert_eq!((bad.json(), bad.status), (expected, 1));
}

#[test]
fn a_missing_directory_or_component_ends_with_status_2() {
    let component = COMPONENT.to_str().unwrap();
    let no_directory = run(&["page", "--dir", "no/such", "--component", component]);
    assert_eq!(no_directory.status, 2);
    assert!(no_directory.stderr.contains("`no/such`"), "{}", no_directory.stderr);

    let no_component = run(&["page", "--dir", ".", "--component", "no/such.wasm"]);
    assert_eq!(no_component.status, 2);
    assert!(no_component.stderr.contains("`no/such.wasm`"), "{}", no_component.stderr);

    let text = file("README.md");
    let not_a_component = run(&["page", "--dir", ".", "--component", &text]);
    assert_eq!(not_a_component.status, 2);
    assert!(not_a_component.stderr.contains("it is not WebAssembly"), "{}", not_a_component.stderr);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_record_is_refused_and_not_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("conversation.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let refused = page(&directory, None, 5);
    let expected = json!({"err": "unavailable: not a regular file"});
    assert_eq!((refused.json(), refused.status), (expected, 1));
}

#[test]
fn compiled_code_is_kept_where_asked() {
    let record = fs::read(file("crates/record/tests/data/r1-run-hostile.jsonl")).unwrap();
    let directory = directory(&record);
    let without = page(&directory, None, 3).json();
    let cache = tempfile::tempdir().unwrap();
    let page_with = |cache: &str| {
        let (dir, component) = (directory.path().to_str().unwrap(), COMPONENT.to_str().unwrap());
        let options = ["--limit", "3", "--component", component, "--cache", cache];
        run(&[&["page", "--dir", dir], &options[..]].concat())
    };
    for _ in 0..2 {
        assert_eq!(page_with(cache.path().to_str().unwrap()).json(), without);
        assert_ne!(fs::read_dir(cache.path()).unwrap().count(), 0);
    }

    let unusable = directory.path().join("conversation.jsonl");
    let refused = page_with(unusable.to_str().unwrap());
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains(unusable.to_str().unwrap()), "{}", refused.stderr);
}
