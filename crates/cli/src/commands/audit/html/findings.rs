//! The findings, each with a link to the message in which it is.

use std::collections::HashSet;
use std::fmt::Write;

use murmur_fence_record::audit::Finding;

use super::super::Audited;
use super::{Inline, Out, attribute};
use crate::commands::counted;

/// Of more findings than this the list is folded up.
const OPEN: usize = 60;

pub fn section(out: &mut Out, audited: &Audited) {
    let findings = &audited.collected.findings;
    *out += "<section>\n<h2 id=\"findings\">Findings</h2>\n";
    if findings.is_empty() {
        *out += "<p class=\"soft\">None.</p>\n</section>\n";
        return;
    }
    let by_code = &audited.report.findings.by_code;
    *out += "<ul class=\"chips\">";
    for (code, count) in by_code {
        _ = write!(
            out,
            "<li class=\"chip\" title=\"{}\"><b>{count}</b> {code}</li>",
            attribute(code.summary()),
        );
    }
    *out += "</ul>\n";
    let drawn: HashSet<u64> =
        audited.collected.drawn().iter().map(|message| message.number).collect();
    let open = if findings.len() > OPEN { "" } else { " open" };
    let all = counted(findings.len() as u64, "finding");
    _ = write!(
        out,
        "<details class=\"list\"{open}><summary>{all}</summary>\n<ol class=\"findings\">\n"
    );
    let mut worst_first: Vec<_> = findings.iter().collect();
    worst_first.sort_by_key(|(finding, _)| finding.severity);
    for (finding, message) in worst_first {
        let link = message.filter(|message| drawn.contains(message));
        row(out, audited, finding, link);
    }
    *out += "</ol></details>\n";
    if audited.report.suppressed > 0 {
        let more = counted(audited.report.suppressed, "more finding");
        _ = writeln!(
            out,
            "<p class=\"soft small\">{more} counted and not listed; --max-findings lists more.</p>"
        );
    }
    *out += "</section>\n";
}

fn row(out: &mut Out, audited: &Audited, finding: &Finding, link: Option<u64>) {
    let severity = finding.severity.as_str();
    let place = match finding.line {
        0 => format!("{}", Inline(audited.path_of(finding))),
        line => format!("{} line {line}", Inline(audited.path_of(finding))),
    };
    _ = write!(
        out,
        "<li class=\"{severity}\"><p><span class=\"chip {severity}\">{severity}</span> \
         <b>{}</b> ",
        finding.code,
    );
    if let Some(source) = &finding.source {
        _ = write!(out, "<span class=\"tag\">{}</span> ", Inline(source));
    }
    _ = match link {
        Some(number) => write!(out, "<a href=\"#m{number}\">{place}</a></p>"),
        None => write!(out, "<span class=\"soft\">{place}</span></p>"),
    };
    _ = write!(out, "<p>{}</p>", Inline(&finding.text));
    where_exactly(out, finding);
    *out += "</li>\n";
}

fn where_exactly(out: &mut Out, finding: &Finding) {
    let mut parts: Vec<String> = Vec::new();
    let ids = [("message", &finding.id), ("call", &finding.call)];
    for (what, id) in ids {
        if let Some(id) = id {
            parts.push(format!("{what} {}", Inline(id)));
        }
    }
    match (&finding.pointer, finding.offset) {
        (Some(pointer), Some(offset)) => {
            parts.push(format!("byte {offset} of {}", Inline(pointer)))
        }
        (Some(pointer), None) => parts.push(Inline(pointer).to_string()),
        (None, Some(offset)) => parts.push(format!("byte {offset}")),
        (None, None) => {}
    }
    if !parts.is_empty() {
        _ = write!(out, "<p class=\"soft small mono\">{}</p>", parts.join(" · "));
    }
}
