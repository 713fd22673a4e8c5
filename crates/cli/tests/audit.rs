//! `audit`: its reports, its exit status and its options.

mod support;

use std::fs;

use serde_json::{Value, json};
use support::{Run, file, record, run, run_with, schema_errors};

const SCHEMA: &str = include_str!("../schemas/audit.schema.json");
const SARIF: &str = include_str!("data/sarif-2.1.0.schema.json");

const OPEN: &str = "<untrusted-content source=tool:fetch>\n";
const CLOSE: &str = "\n</untrusted-content>";

/// Everything a report can hold: a note, a warning, errors, a torn line, two files
/// and a place in Murmur's layout.
fn archive() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let context = directory.path().join("conversations/porter/ctx_1");
    fs::create_dir_all(&context).unwrap();
    let messages = record(&[
        ("user", "wind?", json!({})),
        ("tool", &format!("{OPEN}é ok{CLOSE}"), json!({ "fence": "tool:fetch" })),
        (
            "tool",
            &format!("{OPEN}é&lt;/untrusted-content&gt;{CLOSE}"),
            json!({ "fence": "tool:fetch" }),
        ),
        ("tool", "bare", json!({ "fence": "tool:fetch", "tool_call_id": "call_7" })),
    ]);
    fs::write(context.join("conversation.jsonl"), messages + "{\"role\":").unwrap();
    fs::write(directory.path().join("trace.jsonl"), "{\"event_type\":\"turn_start\"}\n").unwrap();
    directory
}

fn audit(arguments: &[&str], path: &str) -> Run {
    run(&[&["audit"], arguments, &[path]].concat())
}

#[test]
fn recorded_runs_are_clean_and_fully_covered() {
    let run = audit(&["--format", "json"], &file("crates/record/tests/data"));
    assert_eq!(run.status, 0, "{run:?}");
    let report = run.json();
    let records = &report["surfaces"]["record"];
    assert_eq!(records["files"], 3);
    // Seven hostile results in each of two runs.
    assert_eq!(
        records["sources"]["tool:raw-tool"],
        json!({
            "labelled": 14, "marked": 14, "intact": 14, "due": 14, "bare": 0, "unlabelled": 0,
            "coverage": 1.0
        })
    );
    assert_eq!(report["counts"]["errors"], 0);
    assert_eq!(report["counts"]["warnings"], 0);
}

#[test]
fn the_json_is_as_its_schema_says() {
    let archive = archive();
    let archive = archive.path().to_str().unwrap();
    for path in [archive, &file("crates/record/tests/data"), &file("examples/records")] {
        let report = audit(&["--format", "json"], path).json();
        assert_eq!(schema_errors(SCHEMA, &report), [""; 0], "{path}");
    }
    // The schema itself refuses what it does not name.
    let mut report = audit(&["--format", "json"], archive).json();
    report["findings"][0]["severity"] = "fatal".into();
    report["surplus"] = true.into();
    assert_eq!(schema_errors(SCHEMA, &report).len(), 2);
}

#[test]
fn the_schema_names_every_code() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let codes = murmur_fence_record::FindingCode::ALL.map(|code| code.as_str());
    assert_eq!(schema["$defs"]["code"]["enum"], json!(codes));
    let grounds = murmur_fence_record::audit::Ground::ALL.map(|ground| ground.as_str());
    let mut named: Vec<_> = schema["$defs"]["ground"]["enum"].as_array().unwrap().clone();
    named.sort_by_key(Value::to_string);
    let mut grounds: Vec<Value> = grounds.iter().map(|&ground| ground.into()).collect();
    grounds.sort_by_key(Value::to_string);
    assert_eq!(named, grounds);
}

#[test]
fn a_finding_says_what_and_where() {
    let archive = archive();
    let run = audit(&["--format", "json"], archive.path().to_str().unwrap());
    assert_eq!(run.status, 1);
    let report = run.json();
    let found: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            (&finding["code"], &finding["severity"], &finding["line"], &finding["offset"])
        })
        .collect();
    let (alike, error) = (json!("look-alike"), json!("labelled-not-intact"));
    // After the opening marker, its line break and an é of two bytes; the torn line
    // ends after its eight bytes.
    let offset = json!(OPEN.len() + 2);
    assert_eq!(found[0], (&alike, &json!("note"), &json!(3), &offset));
    assert_eq!(found[1], (&error, &json!("error"), &json!(4), &json!(0)));
    assert_eq!(
        (found[2].0, found[2].1, found[2].2),
        (&json!("torn-line"), &json!("warning"), &json!(5))
    );
    assert_eq!(found.len(), 3);
    let finding = &report["findings"][1];
    assert_eq!(finding["call"], "call_7");
    assert_eq!(finding["source"], "tool:fetch");
    assert_eq!(finding["pointer"], "/content/0/text");
    let record = &report["files"][0];
    assert_eq!(record["place"], json!({ "record": "porter", "context": "ctx_1" }));
    assert_eq!(record["kind"], "record");
    assert_eq!(report["files"][1]["kind"], "trace");
}

#[test]
fn the_table_has_declared_and_done_apart() {
    let archive = archive();
    let run = audit(&[], archive.path().to_str().unwrap());
    let lines: Vec<_> = run.text().lines().collect();
    assert!(lines[0].ends_with("conversation.jsonl  record, 4 messages"), "{}", lines[0]);
    assert_eq!(
        &lines[1..4],
        [
            "  labelled    marked    intact      bare  coverage  unlabelled  source",
            "         3         2         2         0      67 %           0  tool:fetch",
            "  bare: 1 on a ground that these files do not tell",
        ]
    );
    assert_eq!(lines.last(), Some(&"2 files (1 record, 1 trace): 1 error, 1 warning, 1 note"));
    assert!(!run.text().contains('\x1b'), "no colour in a pipe");
}

#[test]
fn notes_alone_are_clean() {
    let text = format!("{OPEN}&lt;/untrusted-content&gt;{CLOSE}");
    let messages = record(&[("tool", &text, json!({ "fence": "tool:fetch" }))]);
    let run = run_with(&["audit", "--format", "json", "-"], messages.as_bytes());
    assert_eq!((run.json()["counts"]["notes"].as_u64(), run.status), (Some(1), 0));
    assert_eq!(run.json()["files"][0]["path"], "-");
}

#[test]
fn more_findings_than_asked_for_are_counted() {
    let archive = archive();
    let path = archive.path().to_str().unwrap();
    let report = audit(&["--format", "json", "--max-findings", "1"], path).json();
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
    assert_eq!(report["suppressed"], 2);
    assert_eq!(report["counts"]["errors"], 1);
    let all = audit(&["--format", "json", "--max-findings", "0"], path).json();
    assert_eq!((all["findings"].as_array().unwrap().len(), &all["suppressed"]), (3, &json!(0)));
    let human = audit(&["--max-findings", "1"], path);
    assert!(human.text().contains("and 2 more findings; --max-findings shows more"));
}

#[test]
fn what_is_older_is_counted_and_not_looked_at() {
    let broken = record(&[("tool", "bare", json!({ "fence": "tool:x" }))]);
    let at = |since: &str| {
        run_with(&["audit", "--format", "json", "--since", since, "-"], broken.as_bytes())
    };
    let milliseconds = 0x01a3_b0c4_0000_u64;
    for (since, passed, status) in [
        (milliseconds.to_string(), 0, 1),
        ((milliseconds + 1).to_string(), 1, 0),
        ("2020-01-01".to_owned(), 0, 1),
        ("2999-01-01T00:00:00Z".to_owned(), 1, 0),
    ] {
        let run = at(&since);
        assert_eq!(run.json()["files"][0]["passed_over"], passed, "{since}");
        assert_eq!(run.status, status, "{since}");
    }
    let run = at("last week");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("7d, 12h or 30m"), "{}", run.stderr);
}

#[test]
fn the_report_is_the_same_with_any_number_of_threads() {
    let path = file("examples/records");
    let one = audit(&["--format", "json", "--threads", "1"], &path).json();
    assert_eq!(one, audit(&["--format", "json", "--threads", "4"], &path).json());
}

#[test]
fn what_cannot_be_used_is_no_finding() {
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    for (arguments, says) in [
        (vec!["audit", "no-such-file"], "failed to open `no-such-file`"),
        (vec!["audit", empty], "nothing to audit"),
        (vec!["audit", "-", "-"], "named twice"),
        (vec!["audit", "--html", empty, "-"], "it is a directory; name a file"),
        (
            vec!["audit", "--html", "no/such/place.html", "-"],
            "failed to write `no/such/place.html`",
        ),
    ] {
        let run = run(&arguments);
        assert_eq!(run.status, 2, "{arguments:?}");
        assert!(run.stderr.contains(says), "{}", run.stderr);
        assert_eq!(run.text(), "", "{arguments:?}");
    }
}

#[test]
fn sarif_is_as_its_schema_says_and_points_at_characters() {
    let archive = archive();
    let run = audit(&["--format", "sarif"], archive.path().to_str().unwrap());
    assert_eq!(run.status, 1);
    let log = run.json();
    // One pattern of the published schema is no regular expression by today's rules.
    let schema = SARIF.replace("{2}]?$\"", "{2}$\"");
    assert_eq!(schema_errors(&schema, &log), [""; 0]);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let levels: Vec<_> = results.iter().map(|result| &result["level"]).collect();
    assert_eq!(levels, ["note", "error", "warning"]);
    let location = &results[0]["locations"][0]["physicalLocation"];
    let uri = location["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.ends_with("conversations/porter/ctx_1/conversation.jsonl"));
    // `{"content":[{"text":"`, the opening marker with its break as two characters,
    // and é, which is one character, as the columns count.
    let before = r#"{"content":[{"text":""#.len() + OPEN.len() + 1 + 1;
    assert_eq!(location["region"], json!({ "startLine": 3, "startColumn": before + 1 }));
    for result in results {
        let rule = &log["runs"][0]["tool"]["driver"]["rules"]
            [result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
}

#[test]
fn a_fingerprint_outlives_the_lines_before_it() {
    let messages =
        record(&[("user", "hello", json!({})), ("tool", "bare", json!({ "fence": "tool:x" }))]);
    let fingerprint = |record: &str| {
        let log = run_with(&["audit", "--format", "sarif", "-"], record.as_bytes()).json();
        log["runs"][0]["results"][0]["partialFingerprints"].clone()
    };
    let whole = fingerprint(&messages);
    assert!(whole.is_object());
    let (_, truncated) = messages.split_once('\n').unwrap();
    assert_eq!(fingerprint(truncated), whole);
    let renamed = messages.replace("msg_", "msx_");
    assert_ne!(fingerprint(&renamed), whole);
}
