//! What a run of the capsule example in Murmur 0.8.0 left behind.

use std::fs;
use std::path::{Path, PathBuf};

use murmur_fence_host::{Component, Limits};
use murmur_fence_record::audit::{Input, Options, Report, Visitor, audit};
use murmur_fence_record::{Standing, inspect};
use serde_json::{Value, json};
use xtask::Guest;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/capsule/recorded")
}

fn evidence() -> Value {
    serde_json::from_str(&fs::read_to_string(recorded().join("hook.json")).unwrap()).unwrap()
}

/// The newest first, as the hook got them from the runtime.
fn read_by_the_hook(evidence: &Value) -> Vec<Value> {
    let pages = evidence["pages"].as_array().unwrap();
    pages.iter().flat_map(|page| page["messages"].as_array().unwrap().clone()).collect()
}

#[test]
fn the_component_serves_the_bytes_that_the_runtime_served() {
    let path = xtask::component(Guest::Conversation).unwrap();
    let component = Component::from_file(&path, &Limits::default()).unwrap();
    let conversation = component.conversation(Some(&recorded())).unwrap();
    let evidence = evidence();
    let mut cursor: Option<String> = None;
    for page in evidence["pages"].as_array().unwrap() {
        let served = conversation.read_messages(cursor.as_deref(), 100).unwrap().unwrap();
        let messages: Vec<Value> = served
            .messages
            .iter()
            .map(|message| {
                json!({
                    "content": message.content,
                    "id": message.id,
                    // No hook put a message in.
                    "inserted_by": null,
                    "role": message.role,
                    "source_id": message.source_id,
                })
            })
            .collect();
        assert!(served.messages.iter().all(|message| message.inserted_by.is_none()));
        assert_eq!(page["messages"], Value::from(messages));
        assert_eq!(page["total"], json!(served.total));
        assert_eq!(page["next_cursor"], json!(served.next_cursor));
        cursor = served.next_cursor;
    }
    assert_eq!(cursor, None);
}

#[test]
fn the_hook_reported_every_message_rightly() {
    let evidence = evidence();
    let report = &evidence["report"];
    // By the script: two calls of the fencing tool that it could answer and one it
    // could not, one of the echo tool; the skill, the unknown tool, the task and the
    // model's own messages only quote.
    let counts = ["intact", "broken", "mention", "unfenced", "unreadable", "total"];
    assert_eq!(counts.map(|word| report[word].as_u64().unwrap()), [4, 0, 6, 0, 0, 10]);
    let mut read = read_by_the_hook(&evidence);
    read.reverse();
    let reported = report["messages"].as_array().unwrap();
    assert_eq!(read.len(), reported.len());
    for (message, reported) in read.iter().zip(reported) {
        let [role, content] = ["role", "content"].map(|key| message[key].as_str().unwrap());
        let mut standings: Vec<&str> = inspect(role, content, false)
            .unwrap()
            .iter()
            .map(|piece| match piece.standing {
                Standing::Unfenced => "unfenced",
                Standing::Intact(_) => "intact",
                Standing::Broken(_) => "broken",
                Standing::Mention(_) => "mention",
            })
            .collect();
        standings.sort_by_key(|word| counts.iter().position(|one| one == word));
        assert_eq!((&message["id"], &message["role"]), (&reported["id"], &reported["role"]));
        let first = standings.first().copied().unwrap_or("unfenced");
        assert_eq!(reported["standing"], first, "{content}");
    }
}

struct Silent;

impl Visitor for Silent {}

#[test]
fn the_recorded_run_audits_without_error() {
    let inputs =
        ["conversation.jsonl", "trace.jsonl"].map(|name| Input::Path(recorded().join(name)));
    let report: Report = audit(inputs.into(), &Options::default(), &mut Silent).unwrap();
    let record = &report.files[0].sums;
    let tally = |source: &str| {
        let tally = &record.sources[source];
        (tally.labelled, tally.marked, tally.intact, tally.due)
    };
    assert_eq!(tally("tool:fencing-tool"), (3, 3, 3, 3));
    assert_eq!(tally("tool:echo-tool"), (1, 1, 1, 1));
    let codes: Vec<&str> = report.findings.by_code.keys().map(|code| code.as_str()).collect();
    assert_eq!(codes, ["look-alike"]);
}
