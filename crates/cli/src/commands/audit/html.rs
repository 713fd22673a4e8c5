//! The audit as one HTML page: no script, nothing fetched, readable in light and
//! dark, on a phone and on paper.
//!
//! All that came from a file goes through `escape`, and the page's own policy
//! allows this style sheet and nothing else.

mod bar;
mod colours;
mod drawing;
mod escape;
mod findings;
mod message;
mod style;

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use murmur_fence_record::Kind;
use murmur_fence_record::audit::{Counts, FileSummary, Ground, Sums, Surface, Tally};
use sha2::{Digest, Sha256};

use super::Audited;
use super::human::{ground_in_words, percent, unit_of};
use crate::commands::counted;
use colours::Colours;
use escape::{Inline, attribute};

/// What a page is written to. Writing to a string cannot fail.
type Out = String;

pub fn page(audited: &Audited) -> String {
    let colours = Colours::of(audited);
    let style = style::sheet();
    let mut out = Out::new();
    open(&mut out, &style);
    head(&mut out, audited);
    sources(&mut out, audited, &colours);
    bare(&mut out, audited);
    findings::section(&mut out, audited);
    files(&mut out, audited);
    drawing::section(&mut out, audited, &colours);
    out += "</main>\n</body>\n</html>\n";
    out
}

fn open(out: &mut Out, style: &str) {
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Fence audit</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
    );
}

fn head(out: &mut Out, audited: &Audited) {
    let report = &audited.report;
    *out += "<header>\n<h1>Fence audit</h1>\n<p class=\"soft\">Of all that reached the model: what \
             was declared fenced, what was, and what should have been.</p>\n";
    let Counts { errors, warnings, notes, .. } = report.findings;
    let sums: Vec<_> = report.surfaces.values().map(|surface| sum(&surface.sums)).collect();
    let due = sums.iter().any(|sum| sum.due > 0);
    let whole = sums.iter().all(|sum| sum.intact == sum.due);
    let (class, mark, says) = match (errors, warnings, due) {
        (1.., _, _) if whole => ("error", "✕", "Something is wrong with these files."),
        (1.., _, _) => ("error", "✕", "Not every fence is what it should be."),
        (0, 1.., _) => ("warning", "!", "No fence is broken, but something wants a look."),
        (0, 0, true) => ("good", "✓", "Every text that must be fenced is, and whole."),
        (0, 0, false) => ("plain", "–", "Nothing in these files must be fenced."),
    };
    _ = write!(
        out,
        "<div class=\"verdict {class}\"><span class=\"mark\" aria-hidden=\"true\">{mark}</span>\
         <p><b>{says}</b> {}, {}, {}.</p></div>\n<div class=\"cards\">\n",
        counted(errors, "error"),
        counted(warnings, "warning"),
        counted(notes, "note"),
    );
    for (kind, surface) in &report.surfaces {
        card(out, *kind, surface);
    }
    _ = write!(out, "</div>\n<p class=\"soft small\">Made {}", moment(Timestamp::now()));
    let passed = &report.passed_over;
    let skipped = passed.texts + passed.unknown + passed.links + passed.special;
    if skipped > 0 {
        _ = write!(out, ". Passed over in directories: {}", counted(skipped, "other file"));
    }
    let old: u64 = report.surfaces.values().map(|surface| surface.sums.passed_over).sum();
    if old > 0 {
        _ = write!(out, ". Too old to be looked at: {}", counted(old, "message"));
    }
    *out += ".</p>\n</header>\n";
}

/// What a surface comes to.
fn card(out: &mut Out, kind: Kind, surface: &Surface) {
    let Tally { labelled, intact, due, unlabelled, .. } = sum(&surface.sums);
    let class = match intact == due {
        _ if due == 0 => " none",
        true => "",
        false => " bad",
    };
    _ = writeln!(
        out,
        "<div class=\"card{class}\"><h2>{}</h2><p class=\"big\">{}</p><p>{}</p>\
         <p class=\"soft small\">{}{}, {}</p></div>",
        plural_of(kind),
        percent((due > 0).then(|| intact as f64 / due as f64)),
        match (due, unlabelled) {
            (0, 0) => "nothing must be fenced".to_owned(),
            (0, _) => format!("{}, none declared", counted(unlabelled, "whole block")),
            _ => format!("{intact} of {due} intact"),
        },
        // Traces and pages tell no labels.
        match kind {
            Kind::Record | Kind::Stream => format!("{labelled} labelled. "),
            _ => String::new(),
        },
        counted(surface.sums.messages, unit_of(kind)),
        counted(surface.files, "file"),
    );
}

/// The tallies of all sources together.
fn sum(sums: &Sums) -> Tally {
    sums.sources.values().fold(Tally::default(), |mut all, tally| {
        all.labelled += tally.labelled;
        all.marked += tally.marked;
        all.intact += tally.intact;
        all.due += tally.due;
        all.bare += tally.bare;
        all.unlabelled += tally.unlabelled;
        all
    })
}

fn sources(out: &mut Out, audited: &Audited, colours: &Colours) {
    let surfaces = &audited.report.surfaces;
    let surfaces: Vec<_> =
        surfaces.iter().filter(|(_, surface)| !surface.sums.sources.is_empty()).collect();
    if surfaces.is_empty() {
        return;
    }
    *out += "<section>\n<h2 id=\"sources\">Sources</h2>\n<p class=\"soft small\">A bar is as long \
             as what must be fenced: in the colour of the source what is intact, red what is \
             declared and is not, pale red what came bare.</p>\n";
    for (kind, surface) in surfaces {
        let tallies = &surface.sums.sources;
        let longest = tallies.values().map(|tally| tally.due).max().unwrap_or(0);
        _ = write!(
            out,
            "<h3>{}</h3>\n<table class=\"sources\"><thead><tr><th>source</th>\
             <th><span class=\"sr\">bar</span></th><th>labelled</th><th>marked</th><th>intact</th>\
             <th>bare</th><th>coverage</th></tr></thead>\n<tbody>\n",
            plural_of(*kind),
        );
        for (source, tally) in tallies {
            let Tally { labelled, marked, intact, bare, .. } = *tally;
            let worse = |worse: bool| if worse { " class=\"bad\"" } else { "" };
            _ = writeln!(
                out,
                "<tr class=\"{}\"><th scope=\"row\"><span class=\"dot\"></span>{}</th>\
                 <td class=\"bar\">{}</td><td data-name=\"labelled\">{labelled}</td>\
                 <td data-name=\"marked\">{marked}</td>\
                 <td data-name=\"intact\"{}>{intact}</td><td data-name=\"bare\"{}>{bare}</td>\
                 <td data-name=\"coverage\"{}>{}</td></tr>",
                colours.class_of(source),
                Inline(source),
                bar::bar(tally, longest),
                worse(intact < tally.due),
                worse(bare > 0),
                worse(intact < tally.due),
                percent(tally.coverage()),
            );
        }
        *out += "</tbody></table>\n";
    }
    *out += "</section>\n";
}

fn bare(out: &mut Out, audited: &Audited) {
    let surfaces = &audited.report.surfaces;
    let surfaces: Vec<_> =
        surfaces.iter().filter(|(_, surface)| !surface.sums.bare.is_empty()).collect();
    if surfaces.is_empty() {
        return;
    }
    *out += "<section>\n<h2 id=\"bare\">Bare, and on which ground</h2>\n<div class=\"grounds\">\n";
    for (kind, surface) in surfaces {
        _ = write!(out, "<div class=\"card\"><h3>{}</h3><ul>", plural_of(*kind));
        for (ground, count) in &surface.sums.bare {
            let class = match ground {
                Ground::Due => " class=\"bad\"",
                _ => "",
            };
            _ = write!(out, "<li{class}><b>{count}</b> {}</li>", ground_in_words(*ground));
        }
        *out += "</ul></div>\n";
    }
    *out += "</div>\n</section>\n";
}

/// The files, where there is more than one or one of them has a problem.
fn files(out: &mut Out, audited: &Audited) {
    let files = &audited.report.files;
    if files.len() < 2 && files.iter().all(|file| file.problem.is_none()) {
        return;
    }
    const SHOWN: usize = 500;
    let bad = |file: &FileSummary| {
        let counts = &file.sums.findings;
        file.problem.is_some() || counts.errors + counts.warnings > 0
    };
    let mut order: Vec<usize> = (0..files.len()).collect();
    if files.len() > SHOWN {
        order.sort_by_key(|&index| !bad(&files[index]));
        order.truncate(SHOWN);
        order.sort_unstable();
    }
    *out += "<section>\n<h2 id=\"files\">Files</h2>\n<div class=\"scroll\"><table><thead><tr><th>file</th>\
             <th>kind</th><th class=\"n\">looked at</th><th class=\"n\">errors</th>\
             <th class=\"n\">warnings</th><th class=\"n\">notes</th></tr></thead>\n<tbody>\n";
    for &index in &order {
        let file = &files[index];
        let Counts { errors, warnings, notes, .. } = file.sums.findings;
        _ = write!(out, "<tr><td class=\"path\">{}", Inline(&file.start.path));
        if let Some(problem) = &file.problem {
            _ = write!(
                out,
                "<br><span class=\"bad\">not read to its end: {}</span>",
                Inline(problem)
            );
        }
        let looked_at = file.sums.messages - file.sums.passed_over;
        _ = writeln!(
            out,
            "</td><td>{}</td><td class=\"n\">{looked_at}</td><td class=\"n{}\">{errors}</td>\
             <td class=\"n\">{warnings}</td><td class=\"n\">{notes}</td></tr>",
            file.start.kind,
            if errors > 0 { " bad" } else { "" },
        );
    }
    *out += "</tbody></table></div>\n";
    if files.len() > order.len() {
        let left = counted((files.len() - order.len()) as u64, "more file");
        _ = writeln!(out, "<p class=\"soft small\">{left}, without an error or a warning.</p>");
    }
    *out += "</section>\n";
}

fn plural_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Record => "Records",
        Kind::Trace => "Traces",
        Kind::Stream => "Streams",
        Kind::Page => "Pages",
        Kind::Text => "Texts",
        Kind::Unknown => "Other files",
    }
}

/// A moment as a person reads it.
fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}
