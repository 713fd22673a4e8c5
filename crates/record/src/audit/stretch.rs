//! The audit of a stretch of a record: lines that are handed over as one text, in
//! parts as small as somebody wants them.

use alloc::vec::Vec;

use super::index::Index;
use super::record::RecordAudit;
use super::report::{Finding, Sums};
use super::sheet::{Kept, Sheet};
use super::utterance::Judge;
use crate::lines::MAX_LINE;

/// Whole lines of a record, and how they are to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'l> {
    /// The lines with their line ends. Only the last one of the record may lack its
    /// newline, and is then one that was torn or is being written.
    pub lines: &'l str,
    /// The number of the first of them in the record, from 1.
    pub first_line: u64,
    /// Which of them are no UTF-8, in ascending order. They stand in `lines` as some
    /// other text that is not empty.
    pub not_utf8: &'l [NotUtf8],
    /// How many findings are answered at most; the rest is counted.
    pub max_findings: u64,
    /// As [`Options::since`](super::Options::since).
    pub since: Option<u64>,
    /// Whether look-alikes are searched for.
    pub lookalikes: bool,
}

/// A line that is no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUtf8 {
    /// Its number in the record, from 1.
    pub line: u64,
    /// Up to which byte it is UTF-8.
    pub valid_up_to: usize,
    /// Whether what comes then is the beginning of a character that the end of the
    /// line cuts off.
    pub cut_off: bool,
}

/// What a stretch comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StretchReport {
    /// The sums. Those of all stretches of a record add up, with [`Sums::add`], to
    /// those of the record by itself; by source, as long as there are no more than
    /// [`Sums::MAX_SOURCES`].
    pub sums: Sums,
    /// The first findings, each with the number of its line in the record.
    pub findings: Vec<Finding>,
}

/// Audits lines of a record by themselves: nothing is held against them, neither a
/// trace nor a stream.
pub fn audit_stretch(stretch: &Stretch<'_>) -> StretchReport {
    let index = Index::default();
    let judge = Judge { index: &index, lookalikes: stretch.lookalikes };
    let audit = RecordAudit { judge, context: None, since: stretch.since };
    let mut not_utf8 = stretch.not_utf8.iter().peekable();
    let first = stretch.first_line.max(1);
    let mut kept = Kept::default();
    let mut sheet = Sheet::new(0, stretch.max_findings, &mut kept);
    for line in stretch.lines.split_inclusive('\n') {
        let (line, terminated) = match line.strip_suffix('\n') {
            Some(line) => (line, true),
            None => (line, false),
        };
        let number = first.saturating_add(sheet.sums.lines);
        while not_utf8.next_if(|it| it.line < number).is_some() {}
        let broken = not_utf8.peek().filter(|it| it.line == number);
        if let Some(NotUtf8 { valid_up_to, cut_off, .. }) = broken {
            let (valid_up_to, cut_off) = (*valid_up_to, *cut_off);
            audit.not_utf8(valid_up_to, cut_off, terminated, &mut sheet);
        } else if line.len() > MAX_LINE {
            audit.too_long(&mut sheet);
        } else {
            let stripped = if terminated { line.strip_suffix('\r') } else { None };
            audit.text(stripped.unwrap_or(line), terminated, &mut sheet);
        }
    }
    let sums = sheet.sums;
    for finding in &mut kept.findings {
        finding.line = finding.line.saturating_add(first - 1);
    }
    StretchReport { sums, findings: kept.findings }
}
