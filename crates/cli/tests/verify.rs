//! `verify` on recorded runs, on the example records and on plain texts.

mod support;

use serde_json::{Value, json};
use support::{file, run, run_with};

fn verify(path: &str) -> (Value, i32) {
    let run = run(&["verify", "--format", "json", &file(path)]);
    (run.json(), run.status)
}

fn pieces(report: &Value) -> &Vec<Value> {
    report["files"][0]["pieces"].as_array().unwrap()
}

/// The verdicts of the pieces, each with the line of its message.
fn verdicts(report: &Value) -> Vec<(u64, &str)> {
    pieces(report)
        .iter()
        .map(|piece| (piece["message"].as_u64().unwrap(), piece["verdict"].as_str().unwrap()))
        .collect()
}

#[test]
fn recorded_runs_are_intact_wherever_they_are_labelled() {
    let records = [
        (
            "r1-run-hostile",
            json!({
                "tool:echo-tool": {"labelled": 1, "intact": 1, "unlabelled": 0},
                "tool:plugged-tool": {"labelled": 1, "intact": 1, "unlabelled": 0},
                "tool:raw-tool": {"labelled": 7, "intact": 7, "unlabelled": 0},
            }),
        ),
        (
            "r2-a2a-stream",
            json!({
                "task:event": {"labelled": 1, "intact": 1, "unlabelled": 0},
                "tool:echo-tool": {"labelled": 1, "intact": 1, "unlabelled": 0},
                "tool:plugged-tool": {"labelled": 1, "intact": 1, "unlabelled": 0},
                "tool:raw-tool": {"labelled": 7, "intact": 7, "unlabelled": 0},
            }),
        ),
        (
            "r5-formation-multiblock",
            json!({
                "member:reviewer": {"labelled": 0, "intact": 1, "unlabelled": 1},
                "member:worker": {"labelled": 0, "intact": 1, "unlabelled": 1},
                "tool:call-member": {"labelled": 2, "intact": 2, "unlabelled": 0},
            }),
        ),
    ];
    for (name, sources) in records {
        let (report, status) = verify(&format!("crates/record/tests/data/{name}.jsonl"));
        assert_eq!(status, 0, "{name}");
        assert_eq!(report["files"][0]["kind"], "record");
        assert_eq!(report["sources"], sources, "{name}");
        assert_eq!(report["findings"], json!([]), "{name}");
        for piece in pieces(&report) {
            assert_eq!(piece["flaws"], json!([]), "{piece}");
            if let Some(label) = piece["label"].as_str() {
                assert_eq!(piece["verdict"], "intact", "{piece}");
                assert_eq!(piece["sources"], json!([label]), "{piece}");
            }
            if piece["role"] == "assistant" {
                assert_ne!(piece["verdict"], "intact", "{piece}");
            }
        }
    }
}

#[test]
fn the_assistants_markers_are_mentions() {
    let (report, _) = verify("crates/record/tests/data/r1-run-hostile.jsonl");
    let last = pieces(&report).last().unwrap();
    // "Done. I quote: " is 15 bytes, the opener 40, "\nnot a block\n" 13.
    assert_eq!(
        *last,
        json!({
            "message": 17, "id": "msg_01a22f35985678809450bb10ab5611cd", "role": "assistant",
            "label": null, "pointer": "/content/0/text", "verdict": "mention", "sources": [],
            "flaws": [], "notes": [], "mentions": [15, 68],
        }),
    );
}

#[test]
fn notes_outside_the_blocks_are_named() {
    let (report, _) = verify("crates/record/tests/data/r5-formation-multiblock.jsonl");
    let several = pieces(&report).iter().find(|piece| piece["message"] == 6).unwrap();
    assert_eq!(several["sources"], json!(["member:worker", "member:reviewer"]));
    assert_eq!(several["notes"].as_array().unwrap().len(), 3);
    let human = run(&["verify", &file("crates/record/tests/data/r5-formation-multiblock.jsonl")]);
    assert!(human.text().contains("block member:worker  block member:reviewer  3 notes"));
}

#[test]
fn a_tampered_record_is_found_out() {
    let (report, status) = verify("examples/records/tampered");
    assert_eq!(status, 1);
    let found: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["line"].as_u64().unwrap(), finding["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            (3, "labelled-not-intact"),
            (4, "labelled-not-intact"),
            (5, "label-source-mismatch"),
            (6, "labelled-not-intact"),
            (8, "unreadable-line"),
        ],
    );
    assert_eq!(
        report["sources"]["tool:web-fetch"],
        json!({"labelled": 4, "intact": 0, "unlabelled": 0})
    );
    assert_eq!(
        pieces(&report)[2]["flaws"],
        json!([
            {"kind": "ambiguous-extent", "offset": 0},
            {"kind": "orphan-closer", "offset": 100},
        ])
    );
    let human = run(&["verify", &file("examples/records/tampered")]);
    assert_eq!(human.status, 1);
    assert!(human.text().contains("labelled-not-intact: line 3, byte 0 of /content/0/text"));
}

#[test]
fn the_hostile_record_is_whole() {
    let (report, status) = verify("examples/records/hostile");
    assert_eq!((status, &report["findings"]), (0, &json!([])));
    let mentions: Vec<_> =
        verdicts(&report).into_iter().filter(|(_, it)| *it == "mention").collect();
    let lines: Vec<_> = mentions.iter().map(|(line, _)| *line).collect();
    // The trusted task, the tool call's input, the skill, the thinking and the
    // answer of the assistant, the seeded message.
    assert_eq!(lines, [2, 7, 8, 17, 17, 18]);
}

#[test]
fn a_plain_text_is_one_message() {
    let block = "note\n<untrusted-content source=tool:x>\nbody\n</untrusted-content>";
    let intact = run_with(&["verify", "--format", "json", "-"], block.as_bytes());
    assert_eq!(intact.status, 0);
    let report = intact.json();
    assert_eq!(report["files"][0]["kind"], "text");
    assert_eq!(pieces(&report)[0]["sources"], json!(["tool:x"]));
    assert_eq!(pieces(&report)[0]["notes"], json!([[0, 5]]));

    let cut = run_with(&["verify", "--format", "json", "-"], &block.as_bytes()[..50]);
    assert_eq!(cut.status, 1);
    assert_eq!(pieces(&cut.json())[0]["flaws"], json!([{"kind": "unclosed", "offset": 5}]));
    assert_eq!(cut.json()["findings"][0]["line"], 2);

    assert_eq!(run_with(&["verify", "-"], b"plain").status, 0);
}

#[test]
fn several_files_are_summed_and_a_missing_one_ends_with_status_2() {
    let record = file("crates/record/tests/data/r1-run-hostile.jsonl");
    let both = run(&["verify", "--format", "json", &record, &record]);
    assert_eq!(both.json()["sources"]["tool:raw-tool"]["intact"], 14);
    assert_eq!(both.json()["files"].as_array().unwrap().len(), 2);

    let absent = run(&["verify", "no/such.jsonl"]);
    assert_eq!(absent.status, 2);
    assert!(absent.stderr.contains("`no/such.jsonl`"));
}

#[test]
fn a_record_cannot_write_to_the_terminal() {
    let line = r#"{"role":"\u001b[2Juser","content":[{"type":"text","text":"x"}],"id":"\u202eid"}"#;
    let human = run_with(&["verify", "-"], line.as_bytes());
    assert_eq!(human.status, 0);
    assert!(human.text().contains("\\u{1b}[2Juser") && human.text().contains("\\u{202e}id"));
    assert!(!human.text().contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn nothing_is_said_of_a_text_that_is_none() {
    let run = run_with(&["verify", "-"], b"abc\n\xff");
    assert_eq!((run.status, run.stdout.as_slice()), (2, &b""[..]));
}

#[test]
fn one_of_a_thing_is_no_plural() {
    let run = run_with(&["verify", "-"], b"hi </untrusted-content>");
    assert!(run.text().contains("\n  1 message, 1 finding\n"), "{}", run.text());
    assert!(run.text().contains(": 1 flaw, the first: orphan-closer at byte 3\n"));
    assert!(run.text().contains("\n        orphan-closer at byte 3\n"));
}
