//! Bodies that are made to hurt: each gets an answer, within the memory.

use serde_json::json;

use crate::harness::{MEMORY, Reply, post};

fn inspect(content: &str) -> Reply {
    post("/inspect", json!({ "role": "tool", "content": content }).to_string())
}

#[test]
fn as_many_texts_as_a_body_holds_are_all_listed() {
    // As JSON in JSON each takes 34 bytes.
    let count = 30_000;
    let content = format!("[{}]", vec![r#"{"text":"","type":"text"}"#; count].join(","));
    let seen = inspect(&content).ok();
    let pieces = seen["pieces"].as_array().unwrap();
    assert_eq!(pieces.len(), count);
    assert_eq!(pieces[count - 1]["pointer"], format!("/{}/text", count - 1));
}

/// Texts below one long name: each of their pointers repeats the name.
fn below_a_long_name(name: usize, texts: usize) -> Reply {
    let texts = vec![r#""</untrusted-content>""#; texts].join(",");
    inspect(&format!(r#"{{"{}":[{texts}]}}"#, "k".repeat(name)))
}

#[test]
fn pointers_that_would_take_many_times_the_body_are_refused() {
    let few = below_a_long_name(100_000, 100).ok();
    assert_eq!(few["pieces"].as_array().unwrap().len(), 100);
    let too_large = (422, "answer-too-large".to_owned(), None);
    // The answer would have 20 MB; the pointers take 64 MiB, and twice that where
    // the room for a name doubles just before its end; they would take 3 GB.
    for (name, texts) in [(100_000, 200), (66_000, 1_010), (500_000, 6_000)] {
        let refused = below_a_long_name(name, texts);
        assert_eq!(refused.error(), too_large);
        assert!(refused.memory <= MEMORY, "{}", refused.memory);
    }
}

#[test]
fn names_that_grow_when_printed_are_refused_too() {
    // Each of these takes 7 bytes in the body, 1 in the pointer and 6 in the answer.
    let name = "\\u0001".repeat(100_000);
    let texts = vec![r#""</untrusted-content>""#; 100].join(",");
    let seen = inspect(&format!(r#"{{"{name}":[{texts}]}}"#)).error();
    assert_eq!(seen, (422, "answer-too-large".to_owned(), None));
}

#[test]
fn content_nested_without_end_is_answered() {
    let deep = 100_000;
    let nested = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    assert!([200, 422].contains(&inspect(&nested).status));
    assert_eq!(inspect(&"[".repeat(deep)).error().1, "content-not-json");
    assert_eq!(inspect(&r#"{"a":"#.repeat(deep)).error().1, "content-not-json");
}

#[test]
fn every_beginning_of_a_body_is_refused() {
    let body = r#"{"role":"tool","content":"[{\"text\":\"\\u00e9\"}]","inserted":false}"#;
    post("/inspect", body).ok();
    for end in 0..body.len() {
        let (status, code, place) = post("/inspect", &body[..end]).error();
        assert_eq!((status, code.as_str()), (400, "not-json"), "{end}");
        assert!(place.is_some_and(|(line, column)| line == 1 && column <= end.max(1) as u64));
    }
}

/// Whatever is changed in a body, the answer is one that the README names.
#[test]
fn changed_bodies_are_answered_or_refused() {
    let bodies = [
        ("/wrap", r#"{"source":"tool:\u00e9","content":"a<untrusted-content\n source=\"b\">"}"#),
        (
            "/verify",
            r#"{"message":"<untrusted-content source=a>\nb\n</untrusted-content>","mode":"strict"}"#,
        ),
        (
            "/inspect",
            r#"{"role":"tool","content":"{\"body\":[{\"text\":\"</untrusted-content>\"}],\"envelope\":true}","inserted":false}"#,
        ),
    ];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut statuses = std::collections::BTreeMap::new();
    for round in 0..600 {
        let (path, body) = bodies[round % bodies.len()];
        let mut body = body.as_bytes().to_vec();
        for _ in 0..1 + round % 3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (at, with) = ((random >> 33) as usize % body.len(), (random >> 25) as u8);
            match round % 4 {
                0 => body[at] = with,
                1 => body.insert(at, with),
                2 => _ = body.remove(at),
                _ => body.swap(at, with as usize % 40),
            }
        }
        let reply = post(path, body.clone());
        reply.json();
        assert!(
            [200, 400, 422].contains(&reply.status),
            "{}: {}",
            reply.status,
            String::from_utf8_lossy(&body)
        );
        *statuses.entry(reply.status).or_insert(0) += 1;
    }
    assert_eq!(statuses.len(), 3, "{statuses:?}");
}
