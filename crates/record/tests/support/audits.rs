//! Audits of files that a test writes, and what they tell.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use murmur_fence_record::audit::{
    AuditedMessage, FileStart, Finding, Input, Options, Report, Visitor, audit,
};
use serde_json::{Value, json};

/// Everything that an audit told.
#[derive(Debug, Default)]
pub struct Heard {
    pub files: Vec<FileStart>,
    pub messages: Vec<AuditedMessage>,
    pub findings: Vec<Finding>,
}

impl Visitor for Heard {
    fn begin(&mut self, file: &FileStart) -> io::Result<()> {
        self.files.push(file.clone());
        Ok(())
    }

    fn message(&mut self, message: &AuditedMessage) -> io::Result<()> {
        self.messages.push(message.clone());
        Ok(())
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        assert_eq!(finding.file + 1, self.files.len(), "told after its file began");
        self.findings.push(finding.clone());
        Ok(())
    }
}

/// Audits paths, in every way that must not matter: on one thread and on several,
/// with messages and without.
pub fn audit_paths(paths: &[PathBuf], options: &Options) -> (Report, Heard) {
    let inputs = || paths.iter().cloned().map(Input::Path).collect();
    let run = |options: &Options| {
        let mut heard = Heard::default();
        let report = audit(inputs(), options, &mut heard).unwrap();
        (report, heard)
    };
    let alone = run(&Options { threads: 1, ..options.clone() });
    for options in
        [Options { threads: 3, ..options.clone() }, Options { messages: true, ..options.clone() }]
    {
        let (report, heard) = run(&options);
        assert_eq!(report, alone.0, "{options:?}");
        assert_eq!(heard.findings, alone.1.findings, "{options:?}");
        if options.messages {
            return (alone.0, Heard { messages: heard.messages, ..alone.1 });
        }
    }
    alone
}

/// A directory of files, audited.
pub fn audit_files(files: &[(&str, &str)]) -> (Report, Heard) {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    audit_paths(&[directory.path().to_owned()], &Options::default())
}

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The codes of the findings that are no notes.
pub fn codes(heard: &Heard) -> Vec<&'static str> {
    let grave = heard.findings.iter().filter(|it| it.severity.as_str() != "note");
    grave.map(|finding| finding.code.as_str()).collect()
}

/// The codes of all findings.
pub fn all_codes(heard: &Heard) -> Vec<&'static str> {
    heard.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// When everything in these tests happens, and the beginning of an id from then.
pub const NOW: u64 = 1_796_088_371_000;

pub fn message_id(after: u64) -> String {
    format!("msg_{:012x}7{:019x}", NOW + after, after)
}

/// A line of a record.
pub fn stored(role: &str, text: &str, more: Value) -> String {
    let mut line = json!({
        "role": role, "id": message_id(5), "content": [{"type": "text", "text": text}],
    });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string() + "\n"
}

/// A line of a trace.
pub fn event(kind: &str, after: u64, more: Value) -> String {
    let mut line = json!({
        "event_type": kind, "event_id": "evt_1", "session_id": "ses_1", "task_id": "tsk_1",
        "timestamp": NOW + after, "turn": 0,
    });
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line.to_string() + "\n"
}
