//! The generated part of `RESULTS.md`.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use benches::corpus::Corpus;
use benches::paired::Timed;

use crate::machine;

const BEGIN: &str = "<!-- written by `cargo xtask bench`, from here -->\n";
const END: &str = "<!-- up to here -->\n";

/// A target and what was measured.
pub struct Row {
    pub corpus: &'static str,
    pub size: usize,
    pub subject: &'static str,
    pub beside: &'static str,
    pub aim: f64,
    /// In ascending order.
    pub ratios: Vec<f64>,
}

/// Text that grows by a section at a time.
#[derive(Default)]
pub struct Results {
    text: String,
}

impl Results {
    /// The ratios that are aimed at.
    pub fn targets(&mut self, rows: &[Row]) {
        self.heading("Targets", "cargo xtask bench --only targets");
        self.line("| text | size | subject | beside | aim | median | from, to | |");
        self.line("| --- | --- | --- | --- | --- | --- | --- | --- |");
        for Row { corpus, size, subject, beside, aim, ratios } in rows {
            let (median, low, high) =
                (ratios[ratios.len() / 2], ratios[0], ratios[ratios.len() - 1]);
            let met = if median >= *aim { "met" } else { "not met" };
            self.line(&format!(
                "| {corpus} | {} | {subject} | {beside} | {aim:.2} | {median:.2} | {low:.2}, {high:.2} | {met} |",
                shown(*size),
            ));
        }
    }

    /// Every subject on every corpus at one size.
    pub fn size(&mut self, size: usize, corpora: &[(Corpus, Vec<Timed>)]) {
        let unit = if size < 1000 { "nanoseconds a call" } else { "GB/s of content" };
        let title = format!("{}: {unit}", shown(size));
        self.heading(&title, "cargo xtask bench --only sizes");
        let Some((_, subjects)) = corpora.first() else { return };
        let names = corpora.iter().map(|(corpus, _)| corpus.name()).collect::<Vec<_>>();
        self.line(&format!("| | {} |", names.join(" | ")));
        self.line(&format!("| --- |{}", " --- |".repeat(names.len())));
        for (nth, subject) in subjects.iter().enumerate() {
            let cells = corpora.iter().map(|(_, timed)| {
                let taken = timed[nth].nanoseconds();
                if size < 1000 { format!("{taken:.0}") } else { speed(size, taken) }
            });
            self.line(&format!("| {} | {} |", subject.name, cells.collect::<Vec<_>>().join(" | ")));
        }
    }

    /// Python and Node.
    pub fn scripts(&mut self, rows: &[(Corpus, usize, Option<f64>, Option<f64>)]) {
        self.heading(
            "256 KB in Python and Node: GB/s of content",
            "cargo xtask bench --only scripts",
        );
        self.line("| | Python `re.sub` | Node `replace` |\n| --- | --- | --- |");
        for (corpus, size, python, node) in rows {
            let cell = |taken: &Option<f64>| {
                taken.map_or_else(|| "not there".to_owned(), |taken| speed(*size, taken))
            };
            self.line(&format!("| {} | {} | {} |", corpus.name(), cell(python), cell(node)));
        }
    }

    /// What the measurement of the record crate printed.
    pub fn record(&mut self, output: &str) {
        self.heading("Audit and pages", "cargo xtask bench --only record");
        self.line(&format!("```text\n{}\n```", output.trim_end()));
    }

    /// What the measurement of the component printed: a table.
    pub fn component(&mut self, output: &str) {
        self.heading("Component", "cargo xtask bench --only component");
        self.line(output.trim_end());
    }

    /// All sections.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts the sections into the file, between the two lines that mark their place.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let kept = fs::read_to_string(path)?;
        let missing = || io::Error::other("the lines around the generated part are not there");
        let (before, rest) = kept.split_once(BEGIN).ok_or_else(missing)?;
        let (_, after) = rest.split_once(END).ok_or_else(missing)?;
        let machine = machine::description();
        fs::write(path, format!("{before}{BEGIN}\n{machine}{}\n{END}{after}", self.text))
    }

    fn heading(&mut self, title: &str, command: &str) {
        self.line(&format!("\n### {title}\n\n`{command}`\n"));
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }
}

fn speed(size: usize, nanoseconds: f64) -> String {
    let speed = size as f64 / nanoseconds;
    if speed < 1.0 { format!("{speed:.2}") } else { format!("{speed:.1}") }
}

fn shown(size: usize) -> String {
    match size {
        0..1024 => format!("{size} B"),
        _ if size.is_multiple_of(1 << 20) => format!("{} MB", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{} KB", size >> 10),
        _ => format!("{} KB + {} B", size >> 10, size % 1024),
    }
}
