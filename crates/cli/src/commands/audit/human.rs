//! The audit for reading.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use murmur_fence_record::Kind;
use murmur_fence_record::audit::{Counts, FileSummary, Finding, Ground, Severity, Sums, Tally};

use super::Audited;
use crate::commands::counted;
use crate::failure::Failure;
use crate::visible::Visible;

/// Of more files than this, those without an error or a warning are only counted.
const FILES_SHOWN: usize = 12;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default();
const NOTE: Style = AnsiColor::Cyan.on_default();

/// Prints the audit, in colour on a terminal.
pub fn print(audited: &Audited) -> Result<(), Failure> {
    let out = anstream::AutoStream::auto(io::stdout().lock());
    let mut out = io::BufWriter::new(out);
    write(&mut out, audited).and_then(|()| out.flush()).map_err(Failure::output)
}

fn write(out: &mut impl Write, audited: &Audited) -> io::Result<()> {
    let report = &audited.report;
    let all = report.files.len() <= FILES_SHOWN;
    let mut left_out = 0;
    for (index, file) in report.files.iter().enumerate() {
        let counts = &file.sums.findings;
        if all || counts.errors + counts.warnings > 0 {
            write_file(out, audited, index, file)?;
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        writeln!(out, "{DIM}{left_out} more files without an error or a warning{DIM:#}\n")?;
    }
    for (kind, surface) in report.surfaces.iter().filter(|(_, surface)| surface.files > 1) {
        writeln!(out, "{BOLD}all {} {kind} files{BOLD:#}", surface.files)?;
        write_sums(out, &surface.sums)?;
        writeln!(out)?;
    }
    write_summary(out, audited)
}

fn write_file(
    out: &mut impl Write,
    audited: &Audited,
    index: usize,
    file: &FileSummary,
) -> io::Result<()> {
    let path = Visible(&file.start.path);
    let messages = counted(file.sums.messages, unit_of(file.start.kind));
    write!(out, "{BOLD}{path}{BOLD:#}  {}, {messages}", file.start.kind)?;
    if file.sums.passed_over > 0 {
        write!(out, ", {} too old to be looked at", file.sums.passed_over)?;
    }
    writeln!(out)?;
    if let Some(problem) = &file.problem {
        writeln!(out, "  {ERROR}not read to its end:{ERROR:#} {}", Visible(problem))?;
    }
    write_sums(out, &file.sums)?;
    let findings = audited.collected.findings.iter().map(|(finding, _)| finding);
    let mut shown = 0;
    let mut last = None;
    for finding in findings.filter(|finding| finding.file == index) {
        // Those of one kind in one place stand under one heading.
        let heading = Some((finding.code, finding.severity, finding.line, &finding.id));
        if last != heading {
            write_heading(out, finding)?;
            last = heading;
        }
        write_finding(out, finding)?;
        shown += 1;
    }
    let left = file.sums.findings.total() - shown;
    if left > 0 {
        let left = counted(left, "more finding");
        writeln!(out, "  {DIM}and {left}; --max-findings shows more{DIM:#}")?;
    }
    writeln!(out)
}

fn write_sums(out: &mut impl Write, sums: &Sums) -> io::Result<()> {
    if !sums.sources.is_empty() {
        writeln!(
            out,
            "  {DIM}labelled    marked    intact      bare  coverage  unlabelled  source{DIM:#}"
        )?;
    }
    for (source, tally) in &sums.sources {
        let Tally { labelled, marked, intact, due, bare, unlabelled } = *tally;
        let style = match due {
            0 => Style::new(),
            _ if intact == due => GOOD,
            _ => ERROR,
        };
        writeln!(
            out,
            "  {labelled:>8}  {marked:>8}  {style}{intact:>8}{style:#}  {bare:>8}  \
             {style}{:>8}{style:#}  {unlabelled:>10}  {}",
            percent(tally.coverage()),
            Visible(source),
        )?;
    }
    let grounds: Vec<String> = sums
        .bare
        .iter()
        .map(|(ground, count)| format!("{count} {}", ground_in_words(*ground)))
        .collect();
    if !grounds.is_empty() {
        writeln!(out, "  bare: {}", grounds.join(", "))?;
    }
    Ok(())
}

fn write_heading(out: &mut impl Write, finding: &Finding) -> io::Result<()> {
    let style = match finding.severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Note => NOTE,
    };
    write!(out, "  {style}{:<7}{style:#} {}", finding.severity.as_str(), finding.code)?;
    if finding.line > 0 {
        write!(out, "  line {}", finding.line)?;
    }
    if let Some(source) = &finding.source {
        write!(out, "  {}", Visible(source))?;
    }
    for id in finding.id.iter().chain(&finding.call) {
        write!(out, "  {DIM}{}{DIM:#}", Visible(id))?;
    }
    writeln!(out)
}

fn write_finding(out: &mut impl Write, finding: &Finding) -> io::Result<()> {
    write!(out, "          {}", Visible(&finding.text))?;
    match (&finding.pointer, finding.offset) {
        (Some(pointer), Some(offset)) => {
            write!(out, " {DIM}(byte {offset} of {}){DIM:#}", Visible(pointer))?;
        }
        (None, Some(offset)) => write!(out, " {DIM}(byte {offset} of the line){DIM:#}")?,
        _ => {}
    }
    writeln!(out)
}

fn write_summary(out: &mut impl Write, audited: &Audited) -> io::Result<()> {
    let report = &audited.report;
    let kinds: Vec<String> =
        report.surfaces.iter().map(|(kind, surface)| format!("{} {kind}", surface.files)).collect();
    let files = counted(report.files.len() as u64, "file");
    let Counts { errors, warnings, notes, .. } = report.findings;
    let (error, warning) = (if errors > 0 { ERROR } else { GOOD }, WARNING);
    let warning = if warnings > 0 { warning } else { GOOD };
    writeln!(
        out,
        "{files} ({}): {error}{}{error:#}, {warning}{}{warning:#}, {}",
        kinds.join(", "),
        counted(errors, "error"),
        counted(warnings, "warning"),
        counted(notes, "note"),
    )?;
    let passed = &report.passed_over;
    let skipped: Vec<String> = [
        (passed.texts, "text"),
        (passed.unknown, "binary file"),
        (passed.links, "symbolic link"),
        (passed.special, "special file"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| counted(count, what))
    .collect();
    if !skipped.is_empty() {
        writeln!(out, "{DIM}passed over in directories: {}{DIM:#}", skipped.join(", "))?;
    }
    Ok(())
}

/// The ground on which a message is bare, in words that stand after a number.
pub fn ground_in_words(ground: Ground) -> &'static str {
    match ground {
        Ground::ModelText => "written by the model",
        Ground::HookInserted => "put there by a hook",
        Ground::TrustedTask => "of a trusted task",
        Ground::OperatorSkill => "of a skill that the operator pinned",
        Ground::Refusal => "of a call that was refused",
        Ground::DispatchFailure => "of a call that could not be dispatched",
        Ground::OtherRole => "of a role that is never fenced",
        Ground::CannotTell => "on a ground that these files do not tell",
        Ground::Due => "that should have been fenced",
    }
}

/// A share as a whole number of hundredths. What is not whole is never rounded up
/// to it, nor what is something down to nothing.
pub fn percent(share: Option<f64>) -> String {
    match share {
        None => "-".to_owned(),
        Some(share) if share >= 1.0 => "100 %".to_owned(),
        Some(share) if share <= 0.0 => "0 %".to_owned(),
        Some(share) => format!("{:.0} %", (share * 100.0).clamp(1.0, 99.0)),
    }
}

/// What is counted as a message in a file of this kind.
pub fn unit_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Trace => "call",
        Kind::Stream => "frame",
        Kind::Text => "text",
        Kind::Record | Kind::Page | Kind::Unknown => "message",
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn only_all_is_a_hundred_and_only_none_is_zero() {
        let shown = [None, Some(1.0), Some(0.9999), Some(0.5), Some(0.0001), Some(0.0)];
        assert_eq!(shown.map(percent), ["-", "100 %", "99 %", "50 %", "1 %", "0 %"]);
    }
}
