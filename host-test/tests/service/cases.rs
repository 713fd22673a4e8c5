//! The golden cases and the recorded vectors, asked over HTTP.

use std::fs;
use std::path::Path;

use host_test::cases::{self, Kind};
use host_test::vectors;
use serde_json::{Map, Value, json};

use crate::harness::post;

fn wrapped(source: &str, content: &str) -> Value {
    post("/wrap", json!({ "source": source, "content": content }).to_string()).ok()
}

#[test]
fn wrap_gives_the_bytes_of_every_case() {
    let mut count = 0;
    for case in all(Kind::Wrap) {
        let text = |name| fs::read_to_string(case.directory.join(name)).unwrap();
        let seen = wrapped(&text("source.txt"), &text("content.txt"));
        assert_eq!(seen, json!({ "block": text("expected.txt") }), "{}", case.title());
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn wrap_gives_the_bytes_that_the_runtime_recorded() {
    let vectors = vectors::find(Path::new(host_test::CASES)).unwrap();
    assert!(vectors.len() >= 400, "{}", vectors.len());
    for vector in vectors {
        let seen = wrapped(&vector.source, &vector.content);
        assert_eq!(seen, json!({ "block": vector.wrapped }), "{}", vector.at);
    }
}

#[test]
fn verify_gives_the_verdicts_of_every_case() {
    let mut count = 0;
    for case in all(Kind::Message) {
        let message = fs::read_to_string(case.directory.join("message.txt")).unwrap();
        let expected = case.expected().unwrap();
        for mode in ["standard", "strict"] {
            let body = json!({ "message": message, "mode": mode }).to_string();
            let seen = post("/verify", body).ok();
            assert_eq!(seen, judgement(&expected[mode], &[]), "{} {mode}", case.title());
        }
        let seen = post("/verify", json!({ "message": message }).to_string()).ok();
        assert_eq!(seen, judgement(&expected["standard"], &[]), "{}", case.title());
        count += 1;
    }
    assert!(count >= 40, "{count}");
}

#[test]
fn inspect_gives_the_pieces_of_every_case() {
    let mut refused = 0;
    for case in all(Kind::Inspect) {
        let message = fs::read_to_string(case.directory.join("message.json")).unwrap();
        let expected = case.expected().unwrap()["inspect"].clone();
        let reply = post("/inspect", message);
        match expected["ok"].as_array() {
            Some(pieces) => {
                let pieces: Value = pieces.iter().map(piece).collect();
                assert_eq!(reply.ok(), json!({ "pieces": pieces }), "{}", case.title());
            }
            None => {
                let fault = &expected["err"]["not-json"];
                let place = fault["line"].as_u64().zip(fault["column"].as_u64());
                assert!(place.is_some(), "{}", case.title());
                let seen = (422, "content-not-json".to_owned(), place);
                assert_eq!(reply.error(), seen, "{}", case.title());
                refused += 1;
            }
        }
    }
    assert!(refused >= 3, "{refused}");
}

fn all(kind: Kind) -> impl Iterator<Item = cases::Case> {
    let cases = cases::find(Path::new(host_test::CASES)).unwrap();
    cases.into_iter().filter(move |case| case.kind == kind)
}

/// A verdict of a case in the form of the service: the name of the case beside what
/// goes with it.
fn judgement(expected: &Value, beside: &[(&str, &Value)]) -> Value {
    let (verdict, with) = match expected {
        Value::String(verdict) => (verdict.as_str(), Value::Null),
        Value::Object(only) => {
            let (verdict, with) = only.iter().next().unwrap();
            (verdict.as_str(), with.clone())
        }
        other => panic!("no verdict: {other}"),
    };
    let mut out: Map<_, _> = match (verdict, with) {
        ("unfenced", Value::Null) => Map::new(),
        ("intact", Value::Object(outline)) => outline,
        ("broken", flaws) => Map::from_iter([("flaws".to_owned(), flaws)]),
        ("mention", mentions) => Map::from_iter([("mentions".to_owned(), mentions)]),
        (other, with) => panic!("no verdict: {other} {with}"),
    };
    out.insert("verdict".to_owned(), json!(verdict));
    out.extend(beside.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())));
    Value::Object(out)
}

fn piece(expected: &Value) -> Value {
    let beside = ["pointer", "literal", "text"].map(|name| (name, &expected[name]));
    judgement(&expected["standing"], &beside)
}
