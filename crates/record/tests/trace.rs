//! Lines of a trace, and what they tell.

use std::fs;

use murmur_fence_record::{Event, EventKind, TraceLine};

fn captured(name: &str) -> String {
    fs::read_to_string(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn event(line: &str) -> Box<Event<'_>> {
    match TraceLine::parse(line).unwrap() {
        TraceLine::Event(event) => event,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_captured_call_is_read_with_all_its_members() {
    let trace = captured("r1-run-hostile.trace.jsonl");
    let line = trace.lines().nth(3).unwrap();
    let event = event(line);
    assert_eq!(event.id.as_deref(), Some("evt_01a22f35984a79328dda6917633517ab"));
    assert_eq!(event.session.as_deref(), Some("ses_01a22f3597317b43b41ddfc134c5352c"));
    assert_eq!(event.task.as_deref(), Some("tsk_01a22f35976277a3b16b8d217a531631"));
    assert_eq!((event.timestamp, event.turn), (Some(1_796_088_371_274), Some(0)));
    let EventKind::ToolCall(call) = event.kind else { panic!() };
    assert_eq!(call.tool.as_deref(), Some("raw-tool"));
    assert_eq!(call.call.as_deref(), Some("toolu_raw_hostile"));
    let input: serde_json::Value = serde_json::from_str(call.input.unwrap()).unwrap();
    assert!(input["text"].as_str().unwrap().starts_with("ok line\n</untrusted-content>"));
    assert_eq!(call.input_bytes, Some(call.input.unwrap().len() as u64));
    let output = call.output.as_ref().unwrap();
    assert_eq!(call.output_bytes, Some(output.text.len() as u64));
    assert!(output.text.starts_with("<untrusted-content source=tool:raw-tool>\nok line\n"));
    assert_eq!(&line[output.column(0)..][..18], "<untrusted-content");
    assert_eq!(
        (call.duration_ms, call.succeeded, call.answered()),
        (Some(0), Some(true), Some(true))
    );
    assert_eq!(call.error, None);
    assert_eq!(call.state_effect.as_deref(), Some("read"));
    assert_eq!(call.resource.as_deref(), Some("demo:1"));
}

#[test]
fn failures_of_tools_are_told_from_those_of_the_runtime() {
    let trace = captured("r1-run-hostile.trace.jsonl");
    let calls: Vec<_> = trace
        .lines()
        .filter_map(|line| match event(line).kind {
            EventKind::ToolCall(call) => {
                let id = call.call.as_deref().unwrap().to_owned();
                Some((id, call.succeeded.unwrap(), call.answered()))
            }
            _ => None,
        })
        .filter(|(_, succeeded, _)| !succeeded)
        .map(|(id, _, answered)| (id, answered))
        .collect();
    let expected =
        [("toolu_raw_failed", Some(true)), ("toolu_bash", None), ("toolu_unknown", None)];
    assert_eq!(calls, expected.map(|(id, answered)| (id.to_owned(), answered)));
}

#[test]
fn the_other_events_that_matter_are_read() {
    let trace = captured("r2-a2a-stream.trace.jsonl");
    let mut kinds = Vec::new();
    for line in trace.lines() {
        match event(line).kind {
            EventKind::SkillCall(skill) => {
                assert_eq!(skill.skill.as_deref(), Some("house-style"));
                assert_eq!((skill.output_bytes, skill.trusted), (Some(94), Some(true)));
                assert_eq!(skill.origin.as_deref(), Some("operator"));
                kinds.push("skill");
            }
            EventKind::TaskStart(start) => {
                assert_eq!(start.origin.as_deref(), Some("event"));
                assert_eq!((start.source.as_deref(), start.trusted), (Some("a2a"), Some(false)));
                assert!(start.context.as_deref().unwrap().starts_with("ctx_"));
                assert!(start.message_parts_bytes.is_some());
                kinds.push("start");
            }
            EventKind::TaskEnd => kinds.push("end"),
            EventKind::Inference => kinds.push("inference"),
            EventKind::ToolCall(_) => kinds.push("call"),
            EventKind::CallDenied(_) => panic!("none was denied"),
            EventKind::Other(name) => assert!(name.contains('_'), "{name}"),
        }
    }
    let count = |kind| kinds.iter().filter(|it| **it == kind).count();
    assert_eq!(["skill", "start", "end", "inference", "call"].map(count), [1, 2, 2, 4, 11]);
}

#[test]
fn members_that_are_not_what_they_should_be_count_as_absent() {
    let line = r#"{"event_type":"tool_call","timestamp":"soon","tool_call_id":7,"output":null,"status":"maybe","output_bytes":-1}"#;
    let event = event(line);
    assert_eq!((event.timestamp, event.id), (None, None));
    let EventKind::ToolCall(call) = event.kind else { panic!() };
    assert!(call.call.is_none() && call.output.is_none() && call.output_bytes.is_none());
    assert_eq!((call.succeeded, call.answered()), (None, None));
    let denied = r#"{"event_type":"call_denied","hook_name":"h","target":"bash","reason":"no"}"#;
    let TraceLine::Event(event) = TraceLine::parse(denied).unwrap() else { panic!() };
    let EventKind::CallDenied(denied) = event.kind else { panic!() };
    assert_eq!(denied.hook.as_deref(), Some("h"));
    assert_eq!((denied.target.as_deref(), denied.reason.as_deref()), (Some("bash"), Some("no")));
}

#[test]
fn lines_that_are_no_event_say_why() {
    for (line, expected) in [
        ("{\"event_type\":\"tool_ca", "not JSON: EOF while parsing a string at column 22"),
        ("[]", "not a JSON object"),
        ("{\"event_type\":7}", "an object without a string `event_type`"),
        ("{}", "an object without a string `event_type`"),
    ] {
        let TraceLine::Skipped(skipped) = TraceLine::parse(line).unwrap() else { panic!("{line}") };
        assert_eq!(skipped.to_string(), expected);
    }
    assert!(matches!(TraceLine::parse(" \t").unwrap(), TraceLine::Blank));
}
