//! Streams taken apart: events, lines and frames.

use std::fs;

use murmur_fence_record::{FrameLabel, Sse, SseItem, StreamMessage};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The items of a stream that is fed in chunks, as text.
fn items(stream: &[u8], chunks: &[usize]) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |item: SseItem<'_>| {
        found.push(match item {
            SseItem::Event(event) => {
                format!("{} {} {:?}", event.line, event.id.unwrap_or("-"), event.data)
            }
            other => format!("{other:?}"),
        });
    };
    let mut sse = Sse::new();
    let mut rest = stream;
    for chunk in chunks.iter().cycle().take(stream.len() + 1) {
        let (now, later) = rest.split_at(rest.len().min(*chunk));
        sse.feed(now, &mut each);
        rest = later;
    }
    sse.feed(rest, &mut each);
    sse.finish(&mut each);
    found
}

#[test]
fn events_ids_comments_and_line_ends() {
    for (stream, expected) in [
        ("data: a\n\n", vec![r#"1 - "a""#]),
        ("data:a\r\n\r\n", vec![r#"1 - "a""#]),
        ("data:  a\r\r", vec![r#"1 - " a""#]),
        ("\u{feff}data: a\n\n", vec![r#"1 - "a""#]),
        ("id: 7\ndata: a\n\ndata: b\n\n", vec![r#"2 7 "a""#, r#"4 7 "b""#]),
        ("id: 7\ndata: a\nid: 8\n\nid\ndata: b\n\n", vec![r#"2 8 "a""#, r#"6  "b""#]),
        (": hello\n\nevent: x\ndata: a\ndata\ndata: b\nretry: 5\n\n", vec![r#"4 - "a\n\nb""#]),
        ("data\n\n", vec![r#"1 - """#]),
        ("id: 1\n\n", vec![]),
        ("datax: a\n\n data: b\n\n", vec![]),
        ("data: a\n", vec!["Unfinished(1)"]),
        ("data: a\n\ndata: b", vec![r#"1 - "a""#, "Unfinished(3)"]),
        (
            "HTTP/1.1 200 OK\r\ncontent-type: x\r\ndata: no\r\n\r\ndata: a\r\n\r\n",
            vec![r#"5 - "a""#],
        ),
        ("", vec![]),
        ("\n\n\n", vec![]),
    ] {
        for chunks in [&[usize::MAX][..], &[1], &[2, 3]] {
            assert_eq!(items(stream.as_bytes(), chunks), expected, "{stream:?} {chunks:?}");
        }
    }
    assert_eq!(items(b"data: \xff\n\ndata: a\n\n", &[9]), ["NotUtf8(1, 6)", r#"3 - "a""#]);
}

/// The events of a stream by the standard's own steps, on a whole text.
fn by_the_standard(stream: &str) -> Vec<String> {
    let stream = stream.strip_prefix('\u{feff}').unwrap_or(stream);
    let text = stream.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<_> = text.split('\n').collect();
    // What nothing ends is a line for the numbers, and no event.
    let unfinished = lines.pop().filter(|last| !last.is_empty());
    let (mut id, mut data, mut first, mut found) = ("-".to_owned(), None::<String>, 0, Vec::new());
    for (number, line) in lines.into_iter().chain(unfinished).enumerate() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (line.is_empty(), field) {
            (true, _) => {
                if let Some(data) = data.take() {
                    found.push(format!("{first} {id} {data:?}"));
                }
            }
            (false, "data") => {
                match &mut data {
                    Some(data) => *data += &format!("\n{value}"),
                    None => (first, data) = (number + 1, Some(value.to_owned())),
                };
            }
            (false, "id") => id = value.to_owned(),
            _ => {}
        }
    }
    if data.is_some() {
        found.push(format!("Unfinished({first})"));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn any_stream_in_any_chunks_is_as_the_standard_says(
        parts in vec(select(&[
            "data:", "data: ", "data", "id: ", "id", ":", "event: x", "a", "{}", "é", "\n", "\r",
            "\r\n", "\n\n", " ", "\u{feff}", "\0",
        ][..]), 0..24),
        chunks in vec(1usize..9, 1..4),
    ) {
        let stream = parts.concat();
        // An id with a NUL is ignored by the standard; the twin does not know.
        prop_assume!(!stream.contains('\0') || !stream.contains("id"));
        prop_assert_eq!(items(stream.as_bytes(), &chunks), by_the_standard(&stream));
    }
}

#[test]
fn the_captured_stream_has_twenty_events_and_thirteen_frames() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/r2-a2a-stream.sse");
    let stream = fs::read(path).unwrap();
    let (mut events, mut frames) = (Vec::new(), Vec::new());
    let mut sse = Sse::new();
    let mut each = |item: SseItem<'_>| {
        let SseItem::Event(event) = item else { panic!("{item:?}") };
        events.push(event.id.map(str::to_owned));
        if let StreamMessage::Artifact(frame) = StreamMessage::parse(event.data).unwrap() {
            let label = match frame.label {
                FrameLabel::Fenced(label) => label.into_owned(),
                other => format!("{other:?}"),
            };
            assert_eq!(frame.context.as_deref(), Some("ctx_sse"));
            // 2026-12-01T01:26:49Z and a few milliseconds.
            assert_eq!(frame.timestamp.unwrap() / 1000, 1_796_088_409);
            let call = frame.call.as_deref().unwrap_or("-").to_owned();
            frames.push((frame.tool.unwrap().into_owned(), label, call, frame.is_error));
        }
    };
    stream.chunks(1000).for_each(|chunk| sse.feed(chunk, &mut each));
    sse.finish(&mut each);
    assert_eq!(events.len(), 20);
    assert_eq!((events[0].as_deref(), events[19].as_deref()), (None, Some("19")));
    assert_eq!(frames.len(), 13);
    let frame = |tool: &str, label: &str, call: &str, error| {
        (tool.to_owned(), label.to_owned(), call.to_owned(), Some(error))
    };
    assert_eq!(frames[0], frame("raw-tool", "tool:raw-tool", "toolu_raw_hostile", false));
    assert_eq!(frames[5], frame("raw-tool", "tool:raw-tool", "toolu_raw_failed", true));
    assert_eq!(frames[8], frame("house-style", "Bare", "toolu_skill", false));
    assert_eq!(frames[9], frame("bash", "Bare", "toolu_bash", true));
    assert_eq!(frames[12], frame("conv-hook", "Bare", "-", false));
}

#[test]
fn both_shapes_of_a_frame_are_read() {
    let key = murmur_fence_record::FRAME_KEY;
    let today = format!(
        r#"{{"jsonrpc":"2.0","result":{{"message":{{"metadata":{{"{key}":{{"frame":"artifact","toolName":"x","content":"a\nb","fenceSource":"tool:x","toolCallId":null,"isError":true,"durationMs":7,"exitCode":-1,"truncated":true}}}}}}}}}}"#
    );
    let StreamMessage::Artifact(frame) = StreamMessage::parse(&today).unwrap() else { panic!() };
    assert_eq!(frame.label, FrameLabel::Fenced("tool:x".into()));
    assert_eq!((frame.call.as_deref(), frame.is_error, frame.older), (None, Some(true), false));
    assert_eq!(
        (frame.duration_ms, frame.exit_code, frame.truncated),
        (Some(7), Some(-1), Some(true))
    );
    assert_eq!(
        frame.pointer,
        "/result/message/metadata/https:~1~1docs.murmur.nexus~1reference~1streaming-protocol~1\
         #murmur-stream-v1/content"
    );
    let content = frame.content.unwrap();
    assert_eq!(content.text, "a\nb");
    assert!(today[content.column(2)..].starts_with("b\""));

    let older = r#"{"id":1,"artifact":{"tool_name":"x","content":"c","fence_source":null}}"#;
    let StreamMessage::Artifact(frame) = StreamMessage::parse(older).unwrap() else { panic!() };
    assert_eq!(
        (frame.label, frame.older, &*frame.pointer),
        (FrameLabel::Bare, true, "/artifact/content")
    );
    let oldest = r#"{"id":1,"artifact":{"tool_name":"x","content":"c"}}"#;
    let StreamMessage::Artifact(frame) = StreamMessage::parse(oldest).unwrap() else { panic!() };
    assert_eq!(frame.label, FrameLabel::Absent);

    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","result":{"artifactUpdate":{"artifact":{"name":"r"}}}}"#, "Other"),
        (&today.replace("\"artifact\"", "\"text\""), "Other"),
        (r#"{"artifact":{"content":"c"}}"#, "Foreign"),
        ("[1]", "Foreign"),
        ("", "NotJson"),
        ("{", "NotJson"),
    ] {
        let parsed = format!("{:?}", StreamMessage::parse(text).unwrap());
        assert!(parsed.starts_with(expected), "{text}: {parsed}");
    }
}

#[test]
fn times_are_read_or_left_out() {
    let at = |time: &str| {
        let key = murmur_fence_record::FRAME_KEY;
        let text = format!(
            r#"{{"result":{{"statusUpdate":{{"status":{{"timestamp":"{time}"}},"metadata":{{"{key}":{{"frame":"artifact"}}}}}}}}}}"#
        );
        match StreamMessage::parse(&text).unwrap() {
            StreamMessage::Artifact(frame) => frame.timestamp,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(at("1970-01-01T00:00:00Z"), Some(0));
    assert_eq!(at("2000-02-29T12:00:00.5Z"), Some(951_825_600_500));
    assert_eq!(at("2000-03-01T00:00:00.123456Z"), Some(951_868_800_123));
    assert_eq!(at("2026-12-01T01:26:49.098Z"), Some(1_796_088_409_098));
    for time in [
        "",
        "2026",
        "2026-12-01",
        "2026-13-01T00:00:00Z",
        "2026-12-01T00:00:00+01:00",
        "x",
        "2026-12-01T00:00:00.xZ",
        "99999999999999999999-01-01T00:00:00Z",
    ] {
        assert_eq!(at(time), None, "{time}");
    }
}
