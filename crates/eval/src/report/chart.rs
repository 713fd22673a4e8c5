//! A chart of one row of the summary: rates as dots, intervals as bars, as SVG.

use std::fmt::Write;

use super::escape;
use super::html::{class_of, percent};
use super::summary::Row;
use crate::stats::Verdict;

/// The drawing is made for this width in CSS pixels and scales from there.
const WIDTH: f64 = 340.0;
const LABEL: f64 = 100.0;
const PLOT: f64 = 134.0;
const RIGHT: f64 = LABEL + PLOT + 16.0;
const TOP: f64 = 8.0;
const ROW: f64 = 25.0;

/// The chart. The first builder is the baseline; its rate runs down as a line
/// that the others are compared with by eye.
pub(super) fn svg(row: &Row, confidence: f64) -> String {
    let bottom = TOP + ROW * row.cells.len() as f64;
    let height = bottom + 18.0;
    let mut out = String::new();
    let described: Vec<String> = row
        .cells
        .iter()
        .map(|cell| format!("{} {}", cell.builder, percent(cell.bad.share())))
        .collect();
    let _ = write!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}: {}\">",
        escape::html(row.scope.title()),
        escape::html(&described.join(", ")),
    );
    for tick in [0.0, 0.5, 1.0] {
        let x = x_of(tick);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
             <text class=\"tick\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 14.0,
            percent(tick),
        );
    }
    if let Some(baseline) = row.cells.first().filter(|cell| cell.bad.of > 0) {
        let x = x_of(baseline.bad.share());
        let _ = write!(
            out,
            "<line class=\"base\" x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{bottom}\"/>"
        );
    }
    for (index, cell) in row.cells.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        let text = y + 4.5;
        let series = if index == 0 { "raw" } else { "fenced" };
        let _ = write!(
            out,
            "<text class=\"name\" x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text>",
            LABEL - 12.0,
            escape::html(&shortened(&cell.builder)),
        );
        if cell.bad.of == 0 {
            let _ = write!(out, "<text class=\"tick\" x=\"{LABEL}\" y=\"{text}\">no trial</text>");
            continue;
        }
        let interval = cell.bad.interval(confidence);
        let (low, high, dot) = (x_of(interval.low), x_of(interval.high), x_of(cell.bad.share()));
        let _ = write!(
            out,
            "<g class=\"{series}\"><line x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y}\" y2=\"{y}\"/>\
             <circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"4.5\"/></g>\
             <text class=\"rate\" x=\"{}\" y=\"{text}\" text-anchor=\"end\">{}</text>",
            RIGHT + 28.0,
            percent(cell.bad.share()),
        );
        if let Some(verdict) = cell.verdict {
            let _ = write!(
                out,
                "<text class=\"{}\" x=\"{}\" y=\"{text}\">{}</text>",
                class_of(verdict),
                RIGHT + 35.0,
                in_short(verdict),
            );
        }
    }
    out += "</svg>";
    out
}

/// The verdict in the room that a phone leaves; the table has it whole.
fn in_short(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::NoDifference => "no diff.",
        Verdict::Worse => "worse",
        Verdict::TooFewTrials => "too few",
    }
}

fn x_of(share: f64) -> f64 {
    LABEL + PLOT * share
}

/// A builder's name as the label's width takes it.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(15) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
