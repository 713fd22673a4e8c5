//! The audit of `murmur-fence-record`, in the contract's types.

use super::offset;
use murmur_fence_host::audit::{Audited, Count, Finding, NotUtf8, Options, Severity, Sums, Tally};
use murmur_fence_record::audit as record;

/// Audits a stretch of a record.
pub(super) fn lines(lines: &str, options: &Options<'_>) -> Audited {
    let not_utf8: Vec<_> = options.not_utf8.iter().map(not_utf8).collect();
    let report = record::audit_stretch(&record::Stretch {
        lines,
        first_line: options.first_line,
        not_utf8: &not_utf8,
        max_findings: options.max_findings.into(),
        since: options.since,
        lookalikes: options.lookalikes,
    });
    audited(report.sums, report.findings)
}

/// What an audit came to, of a stretch or of a file.
pub(crate) fn audited(sums: record::Sums, findings: Vec<record::Finding>) -> Audited {
    let sources = sums.sources.into_iter().map(|(source, tally)| Tally {
        source,
        labelled: small(tally.labelled),
        marked: small(tally.marked),
        intact: small(tally.intact),
        due: small(tally.due),
        bare: small(tally.bare),
        unlabelled: small(tally.unlabelled),
    });
    let bare = sums.bare.iter().map(|(ground, number)| count(ground.as_str(), *number));
    let by_code = sums.findings.by_code.iter();
    let sums = Sums {
        lines: small(sums.lines),
        messages: small(sums.messages),
        passed_over: small(sums.passed_over),
        sources: sources.collect(),
        bare: bare.collect(),
        errors: small(sums.findings.errors),
        warnings: small(sums.findings.warnings),
        notes: small(sums.findings.notes),
        by_code: by_code.map(|(code, number)| count(code.as_str(), *number)).collect(),
    };
    Audited { sums, findings: findings.into_iter().map(finding).collect() }
}

fn not_utf8(line: &NotUtf8) -> record::NotUtf8 {
    let NotUtf8 { line, valid_up_to, cut_off } = *line;
    record::NotUtf8 { line, valid_up_to: valid_up_to as usize, cut_off }
}

fn count(name: &str, count: u64) -> Count {
    Count { name: name.to_owned(), count: small(count) }
}

/// The contract counts in 32 bits what one text can hold.
fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn finding(finding: record::Finding) -> Finding {
    Finding {
        code: finding.code.as_str().to_owned(),
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
