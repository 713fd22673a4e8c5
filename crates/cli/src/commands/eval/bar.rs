//! A progress bar on a terminal, and nothing in a pipe.

use indicatif::{ProgressBar, ProgressStyle};

pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that counts these things. It hides itself where standard error is no
    /// terminal.
    pub fn new(what: &'static str) -> Self {
        let bar = ProgressBar::no_length();
        let template = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {what}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// So many in all, of which some are done.
    pub fn begin(&self, all: usize, done: usize) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
        self.0.reset_eta();
    }

    /// One more is done.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// So many of all are done.
    pub fn at(&self, done: usize, all: usize) {
        self.0.set_length(all as u64);
        self.0.set_position(done as u64);
    }

    /// A line above the bar.
    pub fn note(&self, text: &str) {
        self.0.suspend(|| eprintln!("{text}"));
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}
