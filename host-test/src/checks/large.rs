//! Large and lopsided inputs: answered rightly, or refused by a limit, and never
//! a trap or a call without end.

use super::{Material, Tally};
use crate::cases::CaseError;
use crate::subject::{Answer, Record, Subject};
use murmur_fence::{CLOSE_MARKER, INFIX, wrap};
use murmur_fence_host::{CallError, Mode, Segment, ServedMessage, Verdict};
use std::fs::File;
use std::io::{BufWriter, Write};

/// The bytes of a large input, a little under what a host takes by default.
const LARGE: usize = 63 << 20;

/// The bytes of one long line in a record.
const LONG_LINE: usize = 50_000_000;

/// Notes whether a call ended as `right` says, or at a limit on memory or length.
fn note<T>(
    tally: &mut Tally,
    at: &str,
    answer: Answer<T>,
    right: impl FnOnce(&T) -> Result<(), String>,
) {
    tally.looked_at += 1;
    let seen = match &answer {
        Ok(value) => match right(value) {
            Ok(()) => return,
            Err(seen) => seen,
        },
        Err(
            CallError::InputTooLarge { .. }
            | CallError::OutputTooLarge { .. }
            | CallError::OutOfMemory { .. },
        ) => return,
        Err(error) => error.to_string(),
    };
    tally.texts(at, "the right answer, or a limit on memory or length", &seen);
}

fn is(right: bool) -> Result<(), String> {
    if right { Ok(()) } else { Err("another answer".into()) }
}

fn counted(expected: usize, seen: usize) -> Result<(), String> {
    if expected == seen { Ok(()) } else { Err(format!("{seen} instead of {expected}")) }
}

/// What fills a large input, over and over.
struct Filling {
    name: &'static str,
    unit: String,
    /// What neutralising makes of a unit.
    neutralised: String,
}

fn fillings() -> Vec<Filling> {
    let plain = |name, unit: &str| Filling { name, unit: unit.into(), neutralised: unit.into() };
    let live = |name, unit: &str| Filling {
        name,
        unit: unit.into(),
        neutralised: format!("<{INFIX}{}", &unit[1..]),
    };
    vec![
        plain("NUL", "\0"),
        plain("`<`", "<"),
        plain("near misses", "</untrusted-conten"),
        plain("CJK", "信"),
        live("closers", CLOSE_MARKER),
        live("unfinished openers", "<untrusted-content source="),
    ]
}

/// Each filling at several sizes, through each function.
pub(super) fn inputs(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for filling in fillings() {
        for size in [0, 1, 4095, 4096, 65_537, LARGE] {
            let units = size / filling.unit.len();
            let content = filling.unit.repeat(units);
            let at = |function: &str| format!("{function} of {units} times {}", filling.name);
            let neutralised = filling.neutralised.repeat(units);
            let unchanged = neutralised == content;

            note(&mut tally, &at("wrap"), subject.wrap("x", &content), |block| {
                let body = block
                    .strip_prefix("<untrusted-content source=x>\n")
                    .and_then(|rest| rest.strip_suffix("\n</untrusted-content>"));
                is(body == Some(&neutralised))
            });
            note(&mut tally, &at("neutralise"), subject.neutralise(&content), |answer| {
                is(match answer {
                    None => unchanged,
                    Some(answer) => !unchanged && *answer == neutralised,
                })
            });
            note(&mut tally, &at("restore"), subject.restore(&neutralised), |answer| {
                is(*answer == content)
            });
            note(&mut tally, &at("verify"), subject.verify(&content, Mode::Standard), |verdict| {
                match verdict {
                    Verdict::Unfenced => is(unchanged),
                    Verdict::Intact(_) => is(false),
                    Verdict::Broken(flaws) => {
                        counted(if unchanged { 0 } else { units }, flaws.len())
                    }
                }
            });
            note(&mut tally, &at("segments"), subject.segments(&content), |segments| {
                counted(usize::from(!content.is_empty()), segments.len())
            });
        }
    }
    blocks(&mut tally, subject);
    chunks(&mut tally, subject);
    nesting(&mut tally, subject);
    Ok(tally)
}

/// A message of very many blocks.
fn blocks(tally: &mut Tally, subject: &dyn Subject) {
    let block = wrap("", "");
    for count in [1, 1000, LARGE / 8 / block.len()] {
        let message = block.repeat(count);
        let at = |function: &str| format!("{function} of {count} empty blocks");
        note(tally, &at("segments"), subject.segments(&message), |segments| {
            let blocks = segments.iter().filter(|it| matches!(it, Segment::Block(_))).count();
            counted(count, blocks)
        });
        note(
            tally,
            &at("verify"),
            subject.verify(&message, Mode::Standard),
            |verdict| match verdict {
                Verdict::Intact(outline) => counted(count, outline.blocks.len()),
                _ => is(false),
            },
        );
    }
}

/// A block of very many markers, each cut in its middle.
fn chunks(tally: &mut Tally, subject: &dyn Subject) {
    let rounds = 20_000;
    let written = (|| {
        let mut writer = subject.writer("x")?;
        let mut length = 0;
        for _ in 0..rounds {
            for chunk in ["</untrusted", "-content>"] {
                length += writer.write(chunk)?.unwrap_or_default().len();
            }
        }
        length += writer.finish()?.unwrap_or_default().len();
        Ok(length)
    })();
    let expected = wrap("x", &CLOSE_MARKER.repeat(rounds)).len();
    note(tally, "writer given many cut markers", written, |length| counted(expected, *length));
}

/// JSON as deep and as wide as a message can be.
fn nesting(tally: &mut Tally, subject: &dyn Subject) {
    let deep = format!("{}{}", "[".repeat(LARGE / 2), "]".repeat(LARGE / 2));
    let wide = format!("[{}\"\"]", "\"<untrusted-content\",".repeat(LARGE / 64));
    let long = format!("\"{}\"", "\\u003c".repeat(LARGE / 8));
    for (name, content) in [("deep", deep), ("wide", wide), ("long", long)] {
        let message = ServedMessage { role: "tool", content: &content, inserted: false };
        note(tally, &format!("inspect of {name} JSON"), subject.inspect(&message), |_| Ok(()));
    }
}

/// Records with long, deep, empty and very many lines.
pub(super) fn records(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for (name, total, write) in RECORDS {
        let directory = tempfile::tempdir().map_err(|error| CaseError::new(*name, error))?;
        let path = directory.path().join("conversation.jsonl");
        File::create(&path)
            .and_then(|file| {
                let mut file = BufWriter::new(file);
                write(&mut file)?;
                file.flush()
            })
            .map_err(|error| CaseError::new(&path, error))?;
        let Some(record) = subject.record(Some(directory.path())) else { continue };
        let mut record = record.map_err(|error| CaseError::new(directory.path(), error))?;
        read(&mut tally, record.as_mut(), name, *total);
    }
    Ok(tally)
}

fn read(tally: &mut Tally, record: &mut dyn Record, name: &str, total: u32) {
    let mut cursor = None;
    // Enough for the first pages, where the long lines are.
    for _ in 0..3 {
        let at = format!("page of a record with {name}, from {cursor:?}");
        let page = record.read_messages(cursor.as_deref(), 2);
        let next = match &page {
            Ok(Ok(page)) => page.next_cursor.clone(),
            _ => None,
        };
        note(tally, &at, page, |page| match page {
            Ok(page) => counted(total as usize, page.total as usize),
            // The record is there and readable; only its size can be in the way.
            Err(error) => Err(error.clone()),
        });
        match next {
            Some(next) => cursor = Some(next),
            None => return,
        }
    }
}

type WriteRecord = fn(&mut dyn Write) -> std::io::Result<()>;

const RECORDS: &[(&str, u32, WriteRecord)] = &[
    ("a 50 MB line", 3, |out| {
        message(out, "tool", "first")?;
        message(out, "tool", &"x".repeat(LONG_LINE))?;
        message(out, "user", "last")
    }),
    ("a 50 MB line of markers", 1, |out| {
        message(out, "tool", &CLOSE_MARKER.repeat(LONG_LINE / CLOSE_MARKER.len()))
    }),
    ("a 50 MB line that is no message", 1, |out| {
        writeln!(out, "{}", "[".repeat(LONG_LINE))?;
        message(out, "user", "last")
    }),
    ("NULs between two messages", 2, |out| {
        message(out, "user", "first")?;
        out.write_all(&vec![0; 1 << 20])?;
        writeln!(out)?;
        message(out, "user", "last")
    }),
    ("a million empty lines", 1, |out| {
        out.write_all(&vec![b'\n'; 1_000_000])?;
        message(out, "user", "last")
    }),
    ("many short lines", 200_000, |out| {
        (0..200_000).try_for_each(|_| out.write_all(b"{\"role\":\"user\"}\n"))
    }),
    ("nothing at all", 0, |_| Ok(())),
];

fn message(out: &mut dyn Write, role: &str, text: &str) -> std::io::Result<()> {
    writeln!(out, r#"{{"content":[{{"text":"{text}","type":"text"}}],"role":"{role}"}}"#)
}
