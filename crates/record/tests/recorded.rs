//! What the runtime answered is what the reader answers.

use murmur_fence_record::{FileStorage, MessagePage, ReadError, Reader};
use serde_json::{Value, json};

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/r1-run-hostile.jsonl");
const ANSWERS: &str = include_str!("data/r1-run-hostile.on-session-end.json");

/// An answer in the form in which the hook wrote it down.
fn written(answer: Result<MessagePage, ReadError>) -> Value {
    match answer {
        Err(error) => json!({ "err": error.to_string() }),
        Ok(page) => {
            let messages = page.messages.into_iter().map(|message| {
                json!({
                    "role": message.role,
                    "content": message.content,
                    "id": message.id,
                    "source_id": message.source_id,
                    "inserted_by": message.inserted_by.map(|insertion| insertion.as_str()),
                })
            });
            json!({ "ok": {
                "messages": messages.collect::<Value>(),
                "next_cursor": page.next_cursor,
                "total": page.total,
            }})
        }
    }
}

fn replay(kind: &str, expected_calls: usize) {
    let recorded: Value = serde_json::from_str(ANSWERS).unwrap();
    let calls = recorded[kind].as_array().unwrap();
    assert_eq!(calls.len(), expected_calls, "{kind} in the recorded file");
    let mut reader = Reader::new(FileStorage::new(RECORD));
    for call in calls {
        let cursor = call["cursor"].as_str();
        let limit = u32::try_from(call["limit"].as_u64().unwrap()).unwrap();
        let answer = written(reader.read_messages(cursor, limit));
        assert_eq!(answer, call["result"], "cursor {cursor:?}, limit {limit}");
    }
}

#[test]
fn every_recorded_probe_is_answered_alike() {
    replay("probes", 12);
}

#[test]
fn the_recorded_walk_is_answered_alike() {
    replay("walk", 8);
}

#[test]
fn the_walk_follows_its_own_cursors_to_the_recorded_end() {
    let recorded: Value = serde_json::from_str(ANSWERS).unwrap();
    let mut reader = Reader::new(FileStorage::new(RECORD));
    let (mut cursor, mut answers) = (None, Vec::new());
    loop {
        let page = reader.read_messages(cursor.as_deref(), 2).unwrap();
        let next = page.next_cursor.clone();
        answers.push(json!({ "cursor": cursor, "limit": 2, "result": written(Ok(page)) }));
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(Value::Array(answers), recorded["walk"]);
}
