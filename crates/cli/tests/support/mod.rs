//! Running the program as a user does.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run printed, and its exit status.
#[derive(Debug)]
pub struct Run {
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub status: i32,
}

impl Run {
    pub fn text(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the program with these arguments and this standard input.
pub fn run_with(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_murmur-fence"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments may end before it reads.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Run {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code().unwrap(),
    }
}

pub fn run(arguments: &[&str]) -> Run {
    run_with(arguments, b"")
}

/// A file of the repository.
pub fn file(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path).to_str().unwrap().to_owned()
}

/// A record: a line a message of this role, text and other members.
/// Their ids tell the time 0x01a3b0c40000, in milliseconds since the epoch.
pub fn record(messages: &[(&str, &str, Value)]) -> String {
    let mut out = String::new();
    for (index, (role, text, more)) in messages.iter().enumerate() {
        let mut line = more.clone();
        line["role"] = (*role).into();
        line["content"] = serde_json::json!([{ "type": "text", "text": text }]);
        line["id"] = format!("msg_01a3b0c4000070008000{index:012}").into();
        out.push_str(&line.to_string());
        out.push('\n');
    }
    out
}

/// Every error that a schema finds in a value.
pub fn schema_errors(schema: &str, value: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
