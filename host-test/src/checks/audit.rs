//! The audit of a record in stretches.

use super::record::records;
use super::{Material, Tally};
use crate::cases::{CaseError, Kind};
use crate::native::audit::audited;
use crate::subject::{Answer, Subject};
use crate::values::{self, answer};
use murmur_fence_host::audit::{Audited, Count, NotUtf8, Options, Sums};
use murmur_fence_record::audit::{self as record, Finding, Input, Visitor, audit};
use std::fs;
use std::io;

/// How many lines the stretches have; in the last case, all.
const LENGTHS: [usize; 4] = [1, 2, 3, usize::MAX];

/// Cut into stretches of any length, a record comes to what the native audit says of
/// it as a file.
pub(super) fn stretches(subject: &dyn Subject, material: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    let mut all = Vec::new();
    for directory in records(material) {
        all.push(directory.join("conversation.jsonl"));
    }
    for case in material.cases.iter().filter(|case| case.kind == Kind::Audit) {
        all.push(case.directory.join("lines.jsonl"));
    }
    for path in all {
        let bytes = fs::read(&path).map_err(|error| CaseError::new(&path, error))?;
        // Not every file tells from its first lines that it is a record.
        let Some(expected) = native(&bytes).map_err(|error| CaseError::new(&path, error))? else {
            continue;
        };
        let expected = values::audited(&sorted(expected));
        for length in LENGTHS {
            let seen = answer(added(subject, &bytes, length), values::audited);
            let at = format!("{} in stretches of {length} lines", path.display());
            tally.values(at, &expected, &seen);
        }
    }
    Ok(tally)
}

/// What the native audit says of a record that lies alone; none for another file.
fn native(bytes: &[u8]) -> io::Result<Option<Audited>> {
    #[derive(Default)]
    struct Findings(Vec<Finding>);
    impl Visitor for Findings {
        fn finding(&mut self, finding: &Finding) -> io::Result<()> {
            self.0.push(finding.clone());
            Ok(())
        }
    }

    let reader = Box::new(io::Cursor::new(bytes.to_vec()));
    let input = Input::Reader { name: "record".to_owned(), reader };
    let mut findings = Findings::default();
    let options = record::Options { max_findings: None, threads: 1, ..Default::default() };
    let report = audit(vec![input], &options, &mut findings)?;
    let file = report.files.into_iter().next();
    let file = file.filter(|file| file.start.kind == murmur_fence_record::Kind::Record);
    Ok(file.map(|file| audited(file.sums, findings.0)))
}

/// What the subject says of the stretches, added up.
fn added(subject: &dyn Subject, bytes: &[u8], length: usize) -> Answer<Audited> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut whole = subject.audit_lines("", options(1, &[]))?;
    let mut first_line = 1;
    for stretch in lines.chunks(length) {
        let numbered = stretch.iter().zip(first_line..);
        let not_utf8: Vec<_> =
            numbered.filter_map(|(line, number)| not_utf8(line, number)).collect();
        let text = String::from_utf8_lossy(&stretch.concat()).into_owned();
        let part = subject.audit_lines(&text, options(first_line, &not_utf8))?;
        add(&mut whole.sums, part.sums);
        whole.findings.extend(part.findings);
        first_line += stretch.len() as u64;
    }
    Ok(sorted(whole))
}

/// The same with its counts by name, since their order says nothing.
fn sorted(mut audited: Audited) -> Audited {
    audited.sums.bare.sort_by(|a, b| a.name.cmp(&b.name));
    audited.sums.by_code.sort_by(|a, b| a.name.cmp(&b.name));
    audited
}

fn options(first_line: u64, not_utf8: &[NotUtf8]) -> Options<'_> {
    Options { first_line, not_utf8, max_findings: u32::MAX, since: None, lookalikes: true }
}

fn not_utf8(line: &[u8], number: u64) -> Option<NotUtf8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let error = std::str::from_utf8(line).err()?;
    Some(NotUtf8 {
        line: number,
        valid_up_to: error.valid_up_to().try_into().unwrap_or(u32::MAX),
        cut_off: error.error_len().is_none(),
    })
}

/// Adds up as the contract says that answers add up.
fn add(sums: &mut Sums, part: Sums) {
    sums.lines += part.lines;
    sums.messages += part.messages;
    sums.passed_over += part.passed_over;
    sums.errors += part.errors;
    sums.warnings += part.warnings;
    sums.notes += part.notes;
    counts(&mut sums.bare, part.bare);
    counts(&mut sums.by_code, part.by_code);
    for tally in part.sources {
        match sums.sources.iter_mut().find(|it| it.source == tally.source) {
            None => sums.sources.push(tally),
            Some(sum) => {
                sum.labelled += tally.labelled;
                sum.marked += tally.marked;
                sum.intact += tally.intact;
                sum.due += tally.due;
                sum.bare += tally.bare;
                sum.unlabelled += tally.unlabelled;
            }
        }
    }
    sums.sources.sort_by(|a, b| a.source.cmp(&b.source));
}

fn counts(sums: &mut Vec<Count>, part: Vec<Count>) {
    for count in part {
        match sums.iter_mut().find(|it| it.name == count.name) {
            None => sums.push(count),
            Some(sum) => sum.count += count.count,
        }
    }
}
