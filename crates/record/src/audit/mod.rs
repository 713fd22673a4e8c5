//! The audit: what of all that reached a model was declared fenced, what was
//! fenced, and what should have been.
//!
//! Records, traces, streams and pages are told apart by what they hold. Traces and
//! streams are read first; then each file is looked at, and each message of a
//! record is held against what they tell of the call that it answers. A report is
//! the same whatever the number of threads.
//!
//! Without the feature `std` there is only [`audit_stretch()`], which looks at lines
//! of a record by themselves.
//!
//! ```
//! use murmur_fence_record::audit::{Finding, Input, Options, Visitor, audit};
//!
//! #[derive(Default)]
//! struct Codes(Vec<&'static str>);
//! impl Visitor for Codes {
//!     fn finding(&mut self, finding: &Finding) -> std::io::Result<()> {
//!         self.0.push(finding.code.as_str());
//!         Ok(())
//!     }
//! }
//!
//! let record = br#"{"content":[{"text":"bare","type":"text"}],"fence":"tool:x","role":"tool"}"#;
//! let input = Input::Reader { name: "-".to_owned(), reader: Box::new(&record[..]) };
//! let mut codes = Codes::default();
//! let report = audit(vec![input], &Options::default(), &mut codes)?;
//! assert_eq!(codes.0, ["labelled-not-intact"]);
//! assert_eq!(report.files[0].sums.sources["tool:x"].coverage(), Some(0.0));
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "std")]
mod events;
#[cfg(feature = "std")]
mod files;
#[cfg(feature = "std")]
mod frames;
mod ground;
mod index;
#[cfg(feature = "std")]
mod pass;
#[cfg(feature = "std")]
mod quick;
mod record;
mod report;
#[cfg(feature = "std")]
mod run;
mod shape;
mod sheet;
mod stretch;
#[cfg(all(test, feature = "std"))]
mod tests;
#[cfg(feature = "std")]
mod texts;
mod utterance;
#[cfg(feature = "std")]
mod window;

#[cfg(feature = "std")]
use std::io;

#[cfg(feature = "std")]
pub use files::Input;
pub use report::{
    AuditedMessage, AuditedPiece, Bare, Counts, Evidence, FileStart, FileSummary, Finding, Ground,
    PassedOver, Place, Report, Severity, Sums, Surface, Tally,
};
pub use stretch::{NotUtf8, Stretch, StretchReport, audit_stretch};

/// How an audit is made.
#[cfg(feature = "std")]
#[derive(Clone, Debug)]
pub struct Options {
    /// How many findings the visitor is handed at most; all of them without a
    /// number. The rest is counted.
    pub max_findings: Option<u64>,
    /// Messages and events that were made before this time, in milliseconds since
    /// the Unix epoch, are counted and not looked at. A message tells its time by
    /// its id; one that does not is looked at.
    pub since: Option<u64>,
    /// How many threads look at files; 0 for one a core.
    pub threads: usize,
    /// Whether the visitor is handed each message. Everything is then decoded, on
    /// one thread.
    pub messages: bool,
    /// Whether look-alikes are searched for.
    pub lookalikes: bool,
}

#[cfg(feature = "std")]
impl Default for Options {
    /// A thousand findings, no messages, look-alikes, one thread a core.
    fn default() -> Self {
        Options {
            max_findings: Some(1000),
            since: None,
            threads: 0,
            messages: false,
            lookalikes: true,
        }
    }
}

/// Who is told what an audit comes upon: files in the order in which they were
/// named, those of a directory by name; in a file, everything in its order, a
/// message before what was found in it.
///
/// An error ends the audit, which answers it: that is also how to stop one.
#[cfg(feature = "std")]
pub trait Visitor {
    /// A file is next.
    fn begin(&mut self, _file: &FileStart) -> io::Result<()> {
        Ok(())
    }

    /// A message; only where [`Options::messages`] asks for them.
    fn message(&mut self, _message: &AuditedMessage) -> io::Result<()> {
        Ok(())
    }

    /// A finding.
    fn finding(&mut self, _finding: &Finding) -> io::Result<()> {
        Ok(())
    }

    /// A file is done.
    fn end(&mut self, _file: &FileSummary) -> io::Result<()> {
        Ok(())
    }

    /// So many bytes have been read, of so many; told a few times a second.
    fn progress(&mut self, _done: u64, _total: u64) -> io::Result<()> {
        Ok(())
    }
}

/// Audits files, directories and readers.
///
/// # Errors
///
/// Those of the visitor. What cannot be read is a finding, and the audit goes on.
#[cfg(feature = "std")]
pub fn audit(
    inputs: Vec<Input>,
    options: &Options,
    visitor: &mut dyn Visitor,
) -> io::Result<Report> {
    run::run(files::Plan::of(inputs), options, visitor)
}
