//! What a run of the capsule example in Murmur 0.8.0 left behind.

use std::fs;
use std::path::{Path, PathBuf};

use murmur_fence_host::{Component, Limits};
use murmur_fence_record::audit::{Input, Options, Report, Visitor, audit};
use serde_json::{Value, json};
use xtask::Guest;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/capsule/recorded")
}

fn evidence() -> Value {
    serde_json::from_str(&fs::read_to_string(recorded().join("hook.json")).unwrap()).unwrap()
}

/// What the frames of the stream carry that are artifacts of the hook.
fn artifacts() -> Vec<Value> {
    let stream = fs::read_to_string(recorded().join("stream.sse")).unwrap();
    let data = stream.lines().filter_map(|line| line.strip_prefix("data:"));
    let frames = data.filter_map(|data| {
        let data: Value = serde_json::from_str(data).unwrap();
        let metadata = data.pointer("/result/statusUpdate/metadata")?.as_object()?;
        metadata.values().next().cloned()
    });
    frames
        .filter(|frame| frame["frame"] == "artifact" && frame["toolName"] == "verdicts-hook")
        .map(|frame| serde_json::from_str(frame["content"].as_str().unwrap()).unwrap())
        .collect()
}

#[test]
fn the_component_serves_the_bytes_that_the_runtime_served() {
    let path = xtask::component(Guest::Conversation).unwrap();
    let component = Component::from_file(&path, &Limits::default()).unwrap();
    let conversation = component.conversation(Some(&recorded())).unwrap();
    let evidence = evidence();
    let limit = u32::try_from(evidence["limit"].as_u64().unwrap()).unwrap();
    let pages = evidence["pages"].as_array().unwrap();
    // 14 messages, four on a page.
    assert_eq!((limit, pages.len()), (4, 4));
    let mut cursor: Option<String> = None;
    for page in pages {
        let served = conversation.read_messages(cursor.as_deref(), limit).unwrap().unwrap();
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

/// Of each message of the run, who wrote it, what its markers are, and the source of
/// its block: as the script and the runtime's rules have it.
const RUN: [(&str, &str, Option<&str>); 14] = [
    // The operator's task and the model's own words only quote markers.
    ("user", "mention", None),
    ("assistant", "mention", None),
    ("tool", "intact", Some("tool:fencing-tool")),
    ("tool", "intact", Some("tool:echo-tool")),
    // The tool refused its input; that is an answer of the tool too.
    ("tool", "intact", Some("tool:fencing-tool")),
    ("assistant", "mention", None),
    // The skill that the operator pinned, and the call of a tool that is not there.
    ("tool", "mention", None),
    ("tool", "mention", None),
    ("tool", "intact", Some("tool:fencing-tool")),
    ("assistant", "mention", None),
    // What came in at the door.
    ("user", "intact", Some("task:event")),
    ("assistant", "mention", None),
    ("tool", "intact", Some("tool:echo-tool")),
    ("assistant", "mention", None),
];

#[test]
fn the_hook_reported_every_message_rightly() {
    let evidence = evidence();
    let report = &evidence["report"];
    let counts = ["intact", "broken", "mention", "unfenced", "unreadable", "total"];
    assert_eq!(counts.map(|word| report[word].as_u64().unwrap()), [6, 0, 8, 0, 0, 14]);
    let messages = report["messages"].as_array().unwrap();
    assert_eq!(messages.len(), RUN.len());
    for (message, (role, standing, source)) in messages.iter().zip(RUN) {
        let blocks = message.pointer("/texts/0/blocks").and_then(Value::as_array);
        let sources = blocks.into_iter().flatten().map(|block| block["source"].as_str().unwrap());
        assert_eq!((&message["role"], &message["standing"]), (&json!(role), &json!(standing)));
        assert_eq!(sources.collect::<Vec<_>>(), Vec::from_iter(source), "{message}");
    }
    let pages = evidence["pages"].as_array().unwrap();
    let read = pages.iter().flat_map(|page| page["messages"].as_array().unwrap());
    let reported = messages.iter().rev().map(|message| &message["id"]);
    assert!(read.map(|message| &message["id"]).eq(reported));
}

#[test]
fn the_hooks_artifact_reached_whoever_sent_the_message() {
    // One: that of the answer which completed the task, before it was recorded.
    let [artifact] = &artifacts()[..] else { panic!("not one artifact") };
    let all = evidence()["report"]["messages"].as_array().unwrap().clone();
    assert_eq!(artifact["messages"], Value::from(&all[..13]));
    assert_eq!((&artifact["intact"], &artifact["mention"]), (&json!(6), &json!(7)));
}

struct Silent;

impl Visitor for Silent {}

#[test]
fn the_recorded_run_audits_without_error() {
    let inputs = ["conversation.jsonl", "trace.jsonl", "stream.sse"]
        .map(|name| Input::Path(recorded().join(name)));
    let report: Report = audit(inputs.into(), &Options::default(), &mut Silent).unwrap();
    let tally = |file: usize, source: &str| {
        let tally = &report.files[file].sums.sources[source];
        (tally.labelled, tally.marked, tally.intact, tally.due)
    };
    assert_eq!(tally(0, "tool:fencing-tool"), (3, 3, 3, 3));
    assert_eq!(tally(0, "tool:echo-tool"), (2, 2, 2, 2));
    assert_eq!(tally(0, "task:event"), (1, 1, 1, 1));
    // The stream is that of the message at the door.
    assert_eq!(tally(2, "tool:echo-tool"), (1, 1, 1, 1));
    let codes: Vec<&str> = report.findings.by_code.keys().map(|code| code.as_str()).collect();
    assert_eq!(codes, ["look-alike"]);
}
