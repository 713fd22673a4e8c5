//! The audit of files that change, that are missing, and that lie about.

#[allow(dead_code)]
#[path = "support/audits.rs"]
mod audits;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use audits::{Heard, all_codes, audit_paths, codes, stored};
use murmur_fence_record::Kind;
use murmur_fence_record::audit::{
    FileStart, FileSummary, Finding, Input, Options, Report, Visitor, audit,
};
use serde_json::json;

const BLOCK: &str = "<untrusted-content source=tool:x>\nbody\n</untrusted-content>";

fn good() -> String {
    stored("tool", BLOCK, json!({"fence": "tool:x"}))
}

fn bad() -> String {
    stored("tool", "bare", json!({"fence": "tool:x"}))
}

fn audited(path: &Path) -> (Report, Heard) {
    audit_paths(&[path.to_owned()], &Options::default())
}

#[test]
fn a_record_cut_at_every_byte_of_its_last_line_is_whole_or_torn() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let (first, last) = (good(), stored("tool", "é✅", json!({"is_error": false})));
    let whole = first.clone() + &last;
    for cut in first.len()..=whole.len() {
        fs::write(&path, &whole.as_bytes()[..cut]).unwrap();
        let (report, heard) = audited(&path);
        // Whole from its last brace on.
        let (messages, expected) = match cut {
            cut if cut == first.len() => (1, vec![]),
            cut if cut >= whole.len() - 1 => (2, vec![]),
            _ => (1, vec!["torn-line"]),
        };
        assert_eq!(all_codes(&heard), expected, "{cut}");
        assert_eq!(report.files[0].sums.messages, messages, "{cut}");
        assert_eq!(report.files[0].sums.sources["tool:x"].intact, 1);
        assert!(heard.findings.iter().all(|it| it.line == 2));
    }
}

/// Changes a file when the audit has told of so many bytes.
struct Meddler<F: FnMut()> {
    meddle: Option<F>,
    heard: Heard,
    ends: Vec<FileSummary>,
}

impl<F: FnMut()> Visitor for Meddler<F> {
    fn begin(&mut self, file: &FileStart) -> io::Result<()> {
        self.heard.begin(file)
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.heard.finding(finding)
    }

    fn progress(&mut self, done: u64, _: u64) -> io::Result<()> {
        if done > 0
            && let Some(mut meddle) = self.meddle.take()
        {
            meddle();
        }
        Ok(())
    }

    fn end(&mut self, file: &FileSummary) -> io::Result<()> {
        self.ends.push(file.clone());
        Ok(())
    }
}

/// Audits a record on one thread, changing it after the first stretch.
fn meddled(path: &Path, meddle: impl FnMut()) -> (Heard, FileSummary) {
    let mut meddler = Meddler { meddle: Some(meddle), heard: Heard::default(), ends: Vec::new() };
    let options = Options { threads: 1, ..Options::default() };
    audit(vec![Input::Path(path.to_owned())], &options, &mut meddler).unwrap();
    assert!(meddler.meddle.is_none(), "the file was long enough to meddle with");
    (meddler.heard, meddler.ends.remove(0))
}

#[test]
fn a_record_that_grows_meanwhile_is_audited_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let lines = (6 << 20) / good().len();
    // The last line is still being written when the audit begins.
    let last = bad();
    let (begun, rest) = last.split_at(30);
    fs::write(&path, good().repeat(lines) + begun).unwrap();
    let (heard, file) = meddled(&path, || {
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all((rest.to_owned() + &bad().repeat(5)).as_bytes()).unwrap();
    });
    // It is read to its end, and no line that began later.
    assert_eq!(codes(&heard), ["labelled-not-intact"]);
    assert_eq!(file.sums.messages, lines as u64 + 1);
    assert_eq!(file.problem, None);
}

#[test]
fn a_record_that_another_replaces_meanwhile_is_audited_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let lines = (20 << 20) / good().len();
    fs::write(&path, good().repeat(lines)).unwrap();
    let (heard, file) = meddled(&path, || {
        let other = directory.path().join("other");
        fs::write(&other, bad().repeat(9)).unwrap();
        fs::rename(&other, &path).unwrap();
    });
    assert_eq!(codes(&heard), [""; 0]);
    assert_eq!((file.sums.messages, file.problem), (lines as u64, None));
    // And in parts on several threads, where each part could open another file.
    fs::write(&path, good().repeat(lines)).unwrap();
    let mut meddler = Meddler {
        meddle: Some(|| fs::rename(directory.path().join("next"), &path).unwrap()),
        heard: Heard::default(),
        ends: Vec::new(),
    };
    fs::write(directory.path().join("next"), bad().repeat(lines)).unwrap();
    let options = Options { threads: 2, ..Options::default() };
    audit(vec![Input::Path(path.clone())], &options, &mut meddler).unwrap();
    let labelled = meddler.ends[0].sums.sources["tool:x"];
    assert!(labelled.intact == 0 || labelled.intact == labelled.labelled, "one file or the other");
}

#[test]
fn a_record_that_shrinks_meanwhile_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    let lines = (20 << 20) / good().len();
    fs::write(&path, good().repeat(lines)).unwrap();
    let (heard, file) = meddled(&path, || {
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
    });
    assert!(codes(&heard).contains(&"unreadable-file"), "{:?}", codes(&heard));
    assert_eq!(file.problem.as_deref(), Some("the file became shorter while it was read"));
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_audited() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("good"), good()).unwrap();
    fs::write(path("binary"), b"\0\x01\x02").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(path("nothing"), path("dangling")).unwrap();
        symlink(path("loop"), path("loop")).unwrap();
    }
    let named = ["missing", "dangling", "loop", "binary", "good"].map(path);
    let (report, heard) = audit_paths(&named, &Options::default());
    assert_eq!(codes(&heard), ["unreadable-file"; 4]);
    assert!(heard.findings.iter().all(|it| it.line == 0 && it.pointer.is_none()));
    let problems: Vec<_> = report.files.iter().map(|it| it.problem.is_some()).collect();
    assert_eq!(problems, [true, true, true, true, false]);
    assert_eq!(report.files[4].sums.messages, 1);
}

#[cfg(unix)]
#[test]
fn in_a_directory_links_are_not_followed() {
    let inside = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("record"), bad()).unwrap();
    fs::write(inside.path().join("record"), good()).unwrap();
    let link = inside.path().join("linked");
    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    std::os::unix::fs::symlink(outside.path().join("record"), inside.path().join("z")).unwrap();
    std::os::unix::fs::symlink(inside.path(), inside.path().join("loop")).unwrap();
    let (report, heard) = audited(inside.path());
    assert_eq!(codes(&heard), [""; 0]);
    assert_eq!((report.files.len(), report.passed_over.links), (1, 3));
    assert_eq!(report.passed_over.first_links[0], link.display().to_string());
    // What is named itself is followed.
    let (_, heard) = audited(&link);
    assert_eq!(codes(&heard), ["labelled-not-intact"]);
}

#[test]
fn kinds_are_told_by_what_files_hold_and_in_a_fixed_order() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("b/conversation.jsonl", "{\"event_type\":\"task_end\"}\n");
    write("a/trace.jsonl", &good());
    write("a/notes.md", "# Notes\n\nkey: value\n");
    write("a/data.json", "{\"a\":1}");
    write("c.json", "{\n  \"messages\": [],\n  \"next_cursor\": null,\n  \"total\": 0\n}\n");
    write("d.txt", "\u{feff}: comment\n\ndata: {\"jsonrpc\":\"2.0\",\"result\":{}}\n\n");
    write("e", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    write("f", "garbage\n\n{\"role\":\"user\"}\n");
    write("g", "HTTP/1.1 200 OK\r\n\r\n");
    fs::write(directory.path().join("h"), [0xFF, 0xFE, 0]).unwrap();
    write("i", "");
    write("j", &(good().trim_end().to_owned() + &" ".repeat(200_000) + "\n"));
    let (report, _) = audited(directory.path());
    let found: Vec<_> = report
        .files
        .iter()
        .map(|file| {
            let path = Path::new(&file.start.path).strip_prefix(directory.path()).unwrap();
            (path.to_str().unwrap(), file.start.kind)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("a/trace.jsonl", Kind::Record),
            ("b/conversation.jsonl", Kind::Trace),
            ("c.json", Kind::Page),
            ("d.txt", Kind::Stream),
            ("e", Kind::Stream),
            ("f", Kind::Record),
            ("g", Kind::Stream),
            ("j", Kind::Record),
        ]
    );
    assert_eq!((report.passed_over.texts, report.passed_over.unknown), (3, 1));
}

#[test]
fn a_file_that_is_named_twice_is_audited_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record");
    fs::write(&path, bad()).unwrap();
    let paths =
        [path.clone(), directory.path().to_owned(), directory.path().join(".").join("record")];
    let (report, _) = audit_paths(&paths, &Options::default());
    assert_eq!((report.files.len(), report.findings.total()), (1, 1));
}

#[test]
fn lines_are_counted_through_parts_and_across_their_borders() {
    // Parts begin every 8 MiB, in the middle of lines and, by chance, at their
    // beginning.
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = directory.path().join("record");
    let long = stored("user", &"x".repeat(1 << 20), json!({}));
    let mut record = String::new();
    let mut expected = Vec::new();
    for line in 1u64..=60 {
        match line {
            // Ends right before the border.
            7 => {
                let rest = (8 << 20) - record.len();
                let padded = stored("user", "", json!({}));
                record += &stored("user", &"y".repeat(rest - padded.len()), json!({}));
                assert_eq!(record.len(), 8 << 20);
            }
            8 | 9 | 30 | 59 => {
                expected.push(line);
                record += &bad();
            }
            // Longer than two parts.
            20 => record += &stored("user", &"z".repeat(20 << 20), json!({})),
            _ => record += &long,
        }
    }
    fs::write(&path, &record).unwrap();
    let (report, heard) = audited(&path);
    let lines: Vec<_> = heard.findings.iter().map(|it| it.line).collect();
    assert_eq!(lines, expected);
    assert_eq!((report.files[0].sums.lines, report.files[0].sums.messages), (60, 60));
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_is_read_once() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::write(pipe, bad()).unwrap())
    };
    let mut heard = Heard::default();
    let report = audit(vec![Input::Path(pipe)], &Options::default(), &mut heard).unwrap();
    writer.join().unwrap();
    assert_eq!(report.files[0].start.kind, Kind::Record);
    assert_eq!(codes(&heard), ["labelled-not-intact"]);
    // In a directory it is passed over.
    let (report, _) = audited(directory.path());
    assert_eq!((report.files.len(), report.passed_over.special), (0, 1));
}
