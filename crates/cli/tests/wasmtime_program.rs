//! The standard `wasmtime` program serves the pages that `page` prints.
//!
//! Runs where a `wasmtime` program is on the path, and says so where none is. To
//! run it: `cargo install wasmtime-cli --version 48.0.8 --locked`.

mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::{file, run};

/// A page as `wasmtime --invoke` prints it: in WAVE, absent options left out.
fn wave(answer: &Value) -> String {
    if let Some(reason) = answer["err"].as_str() {
        return format!("err({})", text(reason));
    }
    let page = &answer["ok"];
    let messages: Vec<_> = page["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let field = |key: &str| text(message[key].as_str().unwrap());
            format!(
                "{{role: {}, content: {}, id: some({})}}",
                field("role"),
                field("content"),
                field("id")
            )
        })
        .collect();
    let cursor = match page["next_cursor"].as_str() {
        Some(cursor) => format!("next-cursor: some({}), ", text(cursor)),
        None => String::new(),
    };
    format!("ok({{messages: [{}], {cursor}total: {}}})", messages.join(", "), page["total"])
}

/// A string in WAVE, with the escapes that these records need.
fn text(value: &str) -> String {
    let mut out = String::from("\"");
    for c in value.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\\' | '"' | '\'' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out + "\""
}

#[test]
fn the_wasmtime_program_serves_the_same_pages() {
    if Command::new("wasmtime").arg("--version").output().is_err() {
        eprintln!("skipped: no `wasmtime` program on the path");
        return;
    }
    let component = xtask::component(xtask::Guest::Conversation).unwrap();
    let component = component.to_str().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let record = file("crates/record/tests/data/r1-run-hostile.jsonl");
    fs::copy(record, directory.path().join("conversation.jsonl")).unwrap();
    let dir = directory.path().to_str().unwrap();

    for (cursor, limit) in
        [(None, "5"), (Some("mc_11"), "100"), (Some("mc_0"), "2"), (Some("nope"), "2")]
    {
        let mut arguments = vec!["page", "--dir", dir, "--component", component, "--limit", limit];
        arguments.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor]));
        let ours = run(&arguments).json();

        let option = cursor.map_or("none".to_owned(), |cursor| format!("some({})", text(cursor)));
        let output = Command::new("wasmtime")
            .args(["run", "--dir", &format!("{dir}::.")])
            .args(["--invoke", &format!("read-messages({option}, {limit})"), component])
            .output()
            .unwrap();
        let theirs = String::from_utf8(output.stdout).unwrap();
        assert_eq!(theirs.trim_end(), wave(&ours), "cursor {cursor:?}, limit {limit}");
    }
}
