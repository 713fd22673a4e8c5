//! Interface `audit`: a stretch of a record in `murmur_fence_record::audit`, as the
//! WIT spells it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use murmur_fence_record::audit as record;

use crate::exports::murmur::fence::audit::{
    Audited, Count, Finding, Guest, NotUtf8, Options, Severity, Sums, Tally,
};
use crate::fence::offset;

impl Guest for crate::Component {
    fn audit_lines(lines: String, options: Options) -> Audited {
        let not_utf8: Vec<_> = options.not_utf8.into_iter().map(not_utf8).collect();
        let report = record::audit_stretch(&record::Stretch {
            lines: &lines,
            first_line: options.first_line,
            not_utf8: &not_utf8,
            max_findings: options.max_findings.into(),
            since: options.since,
            lookalikes: options.lookalikes,
        });
        Audited {
            sums: sums(report.sums),
            findings: report.findings.into_iter().map(finding).collect(),
        }
    }
}

fn not_utf8(line: NotUtf8) -> record::NotUtf8 {
    let NotUtf8 { line, valid_up_to, cut_off } = line;
    record::NotUtf8 { line, valid_up_to: valid_up_to as usize, cut_off }
}

fn sums(sums: record::Sums) -> Sums {
    let sources = sums.sources.into_iter().map(|(source, tally)| Tally {
        source,
        labelled: small(tally.labelled),
        marked: small(tally.marked),
        intact: small(tally.intact),
        due: small(tally.due),
        bare: small(tally.bare),
        unlabelled: small(tally.unlabelled),
    });
    let bare = sums.bare.into_iter().map(|(ground, number)| count(ground.as_str(), number));
    let by_code = sums.findings.by_code.iter().map(|(code, number)| count(code.as_str(), *number));
    Sums {
        lines: small(sums.lines),
        messages: small(sums.messages),
        passed_over: small(sums.passed_over),
        sources: sources.collect(),
        bare: bare.collect(),
        errors: small(sums.findings.errors),
        warnings: small(sums.findings.warnings),
        notes: small(sums.findings.notes),
        by_code: by_code.collect(),
    }
}

fn count(name: &str, count: u64) -> Count {
    Count { name: name.to_string(), count: small(count) }
}

/// A count of what is in one text: it is no greater than the text is long.
fn small(count: u64) -> u32 {
    count as u32
}

fn finding(finding: record::Finding) -> Finding {
    Finding {
        code: finding.code.to_string(),
        severity: match finding.severity {
            record::Severity::Error => Severity::Error,
            record::Severity::Warning => Severity::Warning,
            record::Severity::Note => Severity::Note,
        },
        line: finding.line,
        id: finding.id,
        call: finding.call,
        source: finding.source,
        pointer: finding.pointer,
        offset: finding.offset.map(offset),
        column: finding.column.map(offset),
        text: finding.text,
    }
}
