//! The text pieces of served and stored messages, and what their markers mean.

use murmur_fence::FlawKind;
use murmur_fence_record::{
    InspectError, Line, MAX_PIECES, Piece, Standing, inspect, inspect_stored,
};
use serde_json::json;

const BLOCK: &str = "<untrusted-content source=tool:x>\nbody\n</untrusted-content>";
const CUT: &str = "<untrusted-content source=tool:x>\nbody\n</untrusted-conte";

/// The content of a tool message whose one text this is.
fn tool(text: &str) -> String {
    json!({
        "__murmur_tool_msg__": true,
        "body": [{"type": "text", "text": text}],
        "is_error": false,
        "tool_call_id": "call_1",
    })
    .to_string()
}

fn blocks(text: &str) -> String {
    json!([{"type": "text", "text": text}]).to_string()
}

fn only<'a>(role: &str, content: &'a str, inserted: bool) -> Piece<'a> {
    let mut pieces = inspect(role, content, inserted).unwrap();
    assert_eq!(pieces.len(), 1, "{content}");
    pieces.remove(0)
}

#[test]
fn a_tool_result_is_found_in_its_envelope_with_its_block_and_note() {
    let content = tool(&format!("{BLOCK}\nSession deadline: soon \"é\"."));
    let piece = only("tool", &content, false);
    assert_eq!(piece.pointer, "/body/0/text");
    assert!(piece.spoken);
    let Standing::Intact(outline) = &piece.standing else { panic!("{:?}", piece.standing) };
    let block = &outline.blocks[0];
    assert_eq!(&piece.text[block.source.clone()], "tool:x");
    assert_eq!(&piece.text[block.body.clone()], "body");
    assert_eq!(block.opener.start..block.closer.end, 0..BLOCK.len());
    assert_eq!(outline.notes, vec![BLOCK.len()..piece.text.len()]);
    assert!(outline.extents_agree);
    assert_eq!(
        &content[piece.literal()],
        format!("{}\\nSession deadline: soon \\\"é\\\".", BLOCK.replace('\n', "\\n"))
    );
}

#[test]
fn offsets_lead_back_into_the_served_content() {
    let content = tool(&format!("{BLOCK}\né\u{1}<untrusted-content"));
    let piece = only("tool", &content, false);
    let Standing::Broken(flaws) = &piece.standing else { panic!("{:?}", piece.standing) };
    assert_eq!((flaws.len(), flaws[0].kind), (1, FlawKind::NonCanonicalMarker));
    assert_eq!(flaws[0].offset, BLOCK.len() + 4);
    let served = piece.offsets().served(flaws[0].offset);
    assert_eq!(&content[served..served + 3], "<un");
    assert_eq!(served, content.rfind("<untrusted-content").unwrap());
}

#[test]
fn markers_of_those_who_carry_no_fence_are_mentions() {
    let whole = blocks(&format!("see: {BLOCK}"));
    for (role, inserted) in [
        ("assistant", false),
        ("system", false),
        ("narrator", false),
        ("user", true),
        ("tool", true),
    ] {
        let piece = only(role, &whole, inserted);
        assert_eq!(piece.standing, Standing::Mention(vec![5, 44]), "{role} {inserted}");
    }
    assert!(matches!(only("user", &whole, false).standing, Standing::Intact(_)));
    // Cut off at its very start, and still no fence of the runtime.
    assert_eq!(only("assistant", &blocks(CUT), false).standing, Standing::Mention(vec![0]));
    assert_eq!(only("assistant", &blocks("none"), false).standing, Standing::Unfenced);
}

#[test]
fn without_a_label_only_what_begins_as_the_runtime_does_is_broken() {
    let is_broken = |text: &str| {
        let (user, task) = (blocks(text), tool(text));
        let standings = [only("user", &user, false).standing, only("tool", &task, false).standing];
        match &standings {
            [Standing::Broken(_), Standing::Broken(_)] => true,
            [Standing::Mention(_), Standing::Mention(_)] => false,
            other => panic!("{other:?}"),
        }
    };
    for text in [
        CUT.to_owned(),
        CUT.to_uppercase(),
        "<untrusted-content".to_owned(),
        format!("Done check\n{CUT}"),
        format!("[call-member] call 1 to worker ended completed:\n{CUT}"),
        format!("[delegate-task] delegation 1 to w@1 ended failed:\n{CUT}"),
    ] {
        assert!(is_broken(&text), "{text}");
    }
    for text in [
        format!(" {CUT}"),
        format!("Done checks\n{CUT}"),
        "# House style\nA skill may spell </untrusted-content> itself.".to_owned(),
        "Tell me about <untrusted-content source=task:x> markers.".to_owned(),
        "</untrusted-content> at the start closes nothing".to_owned(),
    ] {
        assert!(!is_broken(&text), "{text}");
    }
}

#[test]
fn every_string_that_spells_a_marker_is_listed_and_no_other() {
    let content = json!([
        {"type": "text", "text": "plain"},
        {"type": "thinking", "text": "plain too", "signature": "c2ln"},
        {"type": "tool_call", "id": "</untrusted-content>", "name": "n",
         "input": {"a/b": {"c~d": ["no", "x <UNTRUSTED-CONTENT"]}, "text": "silent"}},
        {"type": "hologram", "text": "silent", "frames": [{"caption": "</untrusted-content"}]},
        "loose <untrusted-content source=y>",
        7,
    ])
    .to_string();
    let found: Vec<_> = inspect("assistant", &content, false)
        .unwrap()
        .into_iter()
        .map(|piece| (piece.pointer, piece.spoken, piece.standing))
        .collect();
    let mention = |at| Standing::Mention(vec![at]);
    let expected = [
        ("/0/text", true, Standing::Unfenced),
        ("/1/text", true, Standing::Unfenced),
        ("/2/id", false, mention(0)),
        ("/2/input/a~1b/c~0d/1", false, mention(2)),
        ("/3/frames/0/caption", false, mention(0)),
        ("/4", false, mention(6)),
    ];
    assert_eq!(found, expected.map(|(pointer, spoken, it)| (pointer.to_owned(), spoken, it)));
}

#[test]
fn an_escape_hides_no_marker() {
    let content = r#"[{"type":"tool_call","input":["\u003c\/untrusted-content>","<untrusted\u002dcontent","\u003c only"]}]"#;
    let pieces = inspect("assistant", content, false).unwrap();
    let pointers: Vec<_> = pieces.iter().map(|piece| piece.pointer.as_str()).collect();
    assert_eq!(pointers, ["/0/input/0", "/0/input/1"]);
}

#[test]
fn the_last_of_repeated_keys_is_what_is_said() {
    let content = r#"[{"text":"</untrusted-content>","type":"image","text":"seen","type":"text"}]"#;
    let piece = only("assistant", content, false);
    assert_eq!((piece.text.as_ref(), piece.standing), ("seen", Standing::Unfenced));
}

#[test]
fn content_may_be_empty_or_one_string_or_of_any_shape() {
    assert!(inspect("tool", "", false).unwrap().is_empty());
    let quoted = serde_json::to_string(BLOCK).unwrap();
    let piece = only("user", &quoted, false);
    assert_eq!(piece.pointer, "");
    assert!(piece.spoken && matches!(piece.standing, Standing::Intact(_)));
    let enveloped = json!({"__murmur_tool_msg__": true, "body": BLOCK}).to_string();
    let piece = only("tool", &enveloped, false);
    assert!(piece.spoken && piece.pointer == "/body");
    // A tool message that a hook wrote has no envelope; other roles never have.
    assert_eq!(only("tool", &blocks(BLOCK), false).pointer, "/0/text");
    assert!(!only("user", &tool(BLOCK), false).spoken);
    let unmarked = tool(BLOCK).replace("true", "false");
    assert!(!only("tool", &unmarked, false).spoken);
    for nothing in
        ["7", "null", "{}", "[]", "[[]]", r#"[{"type":"text"}]"#, r#"[{"type":"text","text":7}]"#]
    {
        assert!(inspect("user", nothing, false).unwrap().is_empty(), "{nothing}");
    }
}

#[test]
fn content_that_is_not_json_is_refused_with_the_place() {
    let Err(InspectError::NotJson(fault)) = inspect("user", "[1,\n 2,,", false) else { panic!() };
    assert_eq!((fault.line, fault.column, fault.reason.as_str()), (2, 4, "expected value"));
    assert!(matches!(inspect("user", " ", false), Err(InspectError::NotJson(_))));
}

#[test]
fn an_answer_that_would_outgrow_the_content_is_refused() {
    let mention = "\"<untrusted-content\"";
    let many = |count: usize| format!("[{}]", vec![mention; count].join(","));
    assert_eq!(inspect("user", &many(MAX_PIECES), false).unwrap().len(), MAX_PIECES);
    assert_eq!(inspect("user", &many(MAX_PIECES + 1), false).unwrap_err(), InspectError::TooLarge);
    // 65 pointers of a little more than one MiB each.
    let key = "k".repeat(1 << 20);
    let content = format!("{{\"{key}\":{}}}", many(65));
    assert_eq!(inspect("user", &content, false).unwrap_err(), InspectError::TooLarge);
    let content = format!("{{\"{key}\":{}}}", many(63));
    assert_eq!(inspect("user", &content, false).unwrap().len(), 63);
}

#[test]
fn a_stored_message_is_read_with_its_label() {
    let line = |text: &str, label: Option<&str>| {
        let mut line = json!({"role": "tool", "content": [{"type": "text", "text": text}], "tool_call_id": "</untrusted-content>"});
        if let Some(label) = label {
            line["fence"] = json!(label);
        }
        line.to_string()
    };
    let standings = |line: &str| {
        let Ok(Line::Message(message)) = Line::parse(line) else { panic!("{line}") };
        let pieces = inspect_stored(&message).unwrap();
        pieces.into_iter().map(|piece| (piece.pointer, piece.standing.as_str())).collect::<Vec<_>>()
    };
    let call_id = ("/tool_call_id".to_owned(), "mention");
    let text = "note first </untrusted-content>";
    let said = |standing| ("/content/0/text".to_owned(), standing);
    assert_eq!(standings(&line(text, None)), [said("mention"), call_id.clone()]);
    assert_eq!(standings(&line(text, Some("tool:x"))), [said("broken"), call_id.clone()]);
    // The label itself is no piece, whatever it spells.
    assert_eq!(standings(&line(BLOCK, Some("</untrusted-content>"))), [said("intact"), call_id]);
}
