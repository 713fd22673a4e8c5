//! How much of the files is read, on a terminal; nothing in a pipe.

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    /// It hides itself where standard error is no terminal.
    pub fn new() -> Self {
        let bar = ProgressBar::no_length();
        let template = "{wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// So many bytes of so many are read.
    pub fn at(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}
