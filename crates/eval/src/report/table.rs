//! The report for a terminal or a pipe.

use std::fmt::Write;

use super::compare::Comparison;
use super::escape::line;
use super::html::percent;
use super::summary::{Cell, Summary};
use crate::stats::Verdict;

/// The summary as text, ending with a newline.
pub fn summary_table(summary: &Summary) -> String {
    let mut out = String::new();
    let Summary { header, trials, pages, builders, baseline, bar, .. } = summary;
    let _ = writeln!(
        out,
        "{} trials on {pages} pages (corpus {}), model {}",
        trials,
        header.corpus,
        line(&header.model)
    );
    if header.scripted {
        out += "SCRIPTED ENDPOINT: these figures show what the script does. They say nothing of \
                any model.\n";
    }
    let _ = writeln!(
        out,
        "rate of bad replies; verdict against {}, at confidence {}\n",
        line(baseline),
        bar.confidence
    );
    let mut rows = vec![header_cells(builders)];
    let mut totals_begin = None;
    for row in &summary.rows {
        if row.scope.is_total() {
            totals_begin.get_or_insert(rows.len());
        }
        let mut cells = vec![line(row.scope.title()), row.measure.title().to_owned()];
        cells.extend(row.cells.iter().map(cell_text));
        rows.push(cells);
    }
    write_rows(&mut out, &rows, totals_begin);
    write_notes(&mut out, summary);
    out
}

fn header_cells(builders: &[String]) -> Vec<String> {
    let mut cells = vec!["category".to_owned(), "bad is".to_owned()];
    cells.extend(builders.iter().map(|builder| line(builder)));
    cells
}

fn cell_text(cell: &Cell) -> String {
    if cell.bad.of == 0 {
        return "-".to_owned();
    }
    let rate = percent(cell.bad.share());
    match cell.verdict {
        None => rate,
        Some(verdict) => format!("{rate} {verdict}"),
    }
}

/// Columns as wide as their widest cell, a rule after the header and before the
/// totals.
fn write_rows(out: &mut String, rows: &[Vec<String>], totals_begin: Option<usize>) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    for (index, row) in rows.iter().enumerate() {
        if index == 1 || Some(index) == totals_begin {
            let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            let _ = writeln!(out, "{}", rule.join("  "));
        }
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())));
        let text = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "{}", text.trim_end());
    }
}

fn write_notes(out: &mut String, summary: &Summary) {
    let worse: Vec<_> = summary.worse().collect();
    if !worse.is_empty() {
        out.push('\n');
    }
    for (row, cell) in worse {
        let _ = writeln!(
            out,
            "worse: {} in {}: {}",
            line(&cell.builder),
            line(row.scope.title()),
            cell.why
        );
    }
    let spent = &summary.spent;
    let _ = write!(out, "\n{} requests", spent.requests);
    if let (Some(input), Some(output)) = (spent.input_tokens, spent.output_tokens) {
        let _ = write!(out, ", {input} tokens in, {output} out");
    }
    if let Some(cost) = spent.cost {
        let _ = write!(out, ", cost {cost:.4}");
    }
    out.push('\n');
    for judged in &summary.judged {
        let _ = writeln!(
            out,
            "judge {} on {}: agrees with the score {} times, alone says yes {}, no {}, unclear {}",
            line(&judged.judge),
            line(&judged.builder),
            judged.both + judged.neither,
            judged.judge_only,
            judged.score_only,
            judged.unclear
        );
    }
    if let Some(failure) = summary.failures.last() {
        let _ = writeln!(
            out,
            "{} trials failed; the last: {}: {}",
            summary.failures.len(),
            line(&failure.key.to_string()),
            line(&failure.reason)
        );
    }
}

/// The comparison as text, ending with a newline.
pub fn comparison_table(comparison: &Comparison) -> String {
    let mut out = format!(
        "before: model {}; after: model {}; corpus {}\n\n",
        line(&comparison.before.model),
        line(&comparison.after.model),
        comparison.after.corpus
    );
    let header = ["category", "builder", "before", "after", "difference", "verdict"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for change in &comparison.changes {
        let interval = change.difference.interval;
        rows.push(vec![
            line(change.scope.title()),
            line(&change.builder),
            percent(change.before.share()),
            percent(change.after.share()),
            format!(
                "{:+.0} [{:+.0}, {:+.0}]",
                100.0 * change.difference.mean,
                100.0 * interval.low,
                100.0 * interval.high
            ),
            changed(change.verdict).to_owned(),
        ]);
    }
    write_rows(&mut out, &rows, None);
    out
}

/// A verdict between two runs in words.
fn changed(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "better",
        Verdict::Worse => "REGRESSION",
        Verdict::NoDifference => "no difference",
        Verdict::TooFewTrials => "too few trials",
    }
}
