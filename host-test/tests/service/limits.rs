//! How large a body may be, and how it may come.

use serde_json::json;
use wasmtime_wasi_http::Error;

use crate::harness::{MEMORY, Reply, post, send};

/// The limit that the README names, in bytes.
const MAX_BODY: usize = 1 << 20;

const JSON: (&str, &str) = ("content-type", "application/json");

/// A body of a wrap with exactly so many bytes.
fn body(length: usize) -> Vec<u8> {
    let (head, tail) = (r#"{"source":"a","content":""#, r#""}"#);
    let fill = "x".repeat(length - head.len() - tail.len());
    format!("{head}{fill}{tail}").into_bytes()
}

/// Sends it in chunks of this size, its length not declared.
fn chunked(body: &[u8], size: usize) -> Reply {
    send("POST", "/wrap", &[JSON], body.chunks(size).map(|chunk| Ok(chunk.to_vec())).collect())
}

fn is_too_large(reply: &Reply) {
    assert_eq!(reply.error(), (413, "body-too-large".to_owned(), None));
}

#[test]
fn a_body_may_have_one_mebibyte_and_no_more() {
    let block = format!(
        "<untrusted-content source=a>\n{}\n</untrusted-content>",
        "x".repeat(MAX_BODY - 27)
    );
    let expected = json!({ "block": block });
    assert_eq!(post("/wrap", body(MAX_BODY)).ok(), expected);
    assert_eq!(chunked(&body(MAX_BODY), 10_000).ok(), expected);
    is_too_large(&post("/wrap", body(MAX_BODY + 1)));
    is_too_large(&chunked(&body(MAX_BODY + 1), 10_000));
}

#[test]
fn a_body_that_is_declared_too_long_is_not_read() {
    for length in ["1048577", "18446744073709551615"] {
        let reply = send("POST", "/wrap", &[JSON, ("content-length", length)], vec![Ok(body(100))]);
        is_too_large(&reply);
        assert_eq!(reply.taken, 0);
    }
}

#[test]
fn a_body_of_undeclared_length_is_read_up_to_the_limit() {
    let chunk = 64 << 10;
    let endless = (0..4096).map(|_| Ok(vec![b' '; chunk])).collect();
    let reply = send("POST", "/wrap", &[JSON], endless);
    is_too_large(&reply);
    // The chunk that goes beyond, and what a host reads ahead.
    assert!(reply.taken > MAX_BODY, "{}", reply.taken);
    assert!(reply.taken <= MAX_BODY + 4 * chunk, "{}", reply.taken);
}

#[test]
fn chunks_of_any_size_make_the_same_body() {
    let whole = json!({ "source": "é", "content": "a</untrusted-content>é😀" }).to_string();
    let expected = post("/wrap", whole.as_str()).ok();
    for size in [1, 2, 3, 7] {
        assert_eq!(chunked(whole.as_bytes(), size).ok(), expected, "{size}");
    }
    let (one, two) = whole.as_bytes().split_at(20);
    let with_empty = [&b""[..], one, b"", b"", two, b""].map(|chunk| Ok(chunk.to_vec()));
    assert_eq!(send("POST", "/wrap", &[JSON], with_empty.into()).ok(), expected);
}

#[test]
fn a_client_that_breaks_off_gets_no_answer_of_what_came() {
    // What came is a whole question; the client was not done.
    let chunks = vec![Ok(body(100)), Err(Error::ConnectionTerminated)];
    let reply = send("POST", "/wrap", &[JSON], chunks);
    assert_eq!(reply.error(), (400, "body-cut-off".to_owned(), None));
}

#[test]
fn the_largest_block_is_whole_and_fits_the_memory() {
    let marker = "<untrusted-content";
    let content = marker.repeat((MAX_BODY - 100) / marker.len());
    let reply = post("/wrap", json!({ "source": "a", "content": content }).to_string());
    assert_eq!(reply.ok(), json!({ "block": murmur_fence::naive::wrap("a", &content) }));
    assert!(reply.memory <= MEMORY, "{}", reply.memory);
}

#[test]
fn the_most_flaws_are_all_told() {
    let marker = "</untrusted-content>";
    let count = (MAX_BODY - 100) / marker.len();
    let reply = post("/verify", json!({ "message": marker.repeat(count) }).to_string());
    let flaws: Vec<_> = (0..count)
        .map(|index| json!({ "kind": "orphan-closer", "offset": index * marker.len() }))
        .collect();
    assert_eq!(reply.ok(), json!({ "verdict": "broken", "flaws": flaws }));
    assert!(reply.memory <= MEMORY, "{}", reply.memory);
}
