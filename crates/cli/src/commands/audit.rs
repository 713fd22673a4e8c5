//! `audit`: what of all that reached a model was declared fenced, what was, and
//! what should have been.

mod collect;
mod columns;
mod html;
mod human;
mod json;
mod progress;
mod sarif;
mod since;

use std::fs;
use std::path::PathBuf;

use clap::Args;
use murmur_fence_record::audit::{self, Finding, Options, Report};

use crate::failure::Failure;
use crate::input::Input;
use crate::whole_file::{self, WholeFile};
use crate::{FindingsFormat, Outcome};
use collect::Collected;
use since::Since;

#[derive(Args)]
pub struct AuditArguments {
    /// How to print; crates/cli/schemas/audit.schema.json describes the JSON
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
    /// Also write a page that shows the conversation with its fences; it needs
    /// neither scripts nor a network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// How many findings are shown at most; the rest is counted. 0 shows all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_findings: u64,
    /// Pass over what is older: 7d, 12h, 30m, 2026-11-30, 2026-11-30T12:00:00Z, or
    /// milliseconds since 1970. What tells no time is looked at
    #[arg(long, value_name = "WHEN")]
    since: Option<Since>,
    /// How many files are read at the same time; 0 is one a core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Records, traces, streams, pages and texts, and directories of them; `-` is
    /// standard input. A text is looked at where it is named itself
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<Input>,
}

/// An audit that ran to its end.
struct Audited {
    report: Report,
    collected: Collected,
}

impl Audited {
    /// The path of the file in which a finding is.
    fn path_of(&self, finding: &Finding) -> &str {
        &self.collected.files[finding.file].path
    }
}

pub fn run(arguments: AuditArguments) -> Result<Outcome, Failure> {
    whole_file::clean_up_on_interrupt()?;
    let page = arguments.html.as_deref().map(WholeFile::create).transpose()?;
    let options = Options {
        max_findings: (arguments.max_findings > 0).then_some(arguments.max_findings),
        since: arguments.since.map(|Since(milliseconds)| milliseconds),
        threads: arguments.threads,
        messages: page.is_some(),
        lookalikes: true,
    };
    let inputs = inputs(&arguments.paths)?;
    let mut collected = Collected::new();
    let report = audit::audit(inputs, &options, &mut collected)
        .map_err(|error| Failure::new(format!("the audit was stopped: {error}")))?;
    collected.done();
    if report.files.is_empty() {
        return Err(Failure::new(
            "nothing to audit: no record, trace, stream or page is in the directories named; name \
             a text itself to have it looked at",
        ));
    }
    let audited = Audited { report, collected };
    if let (Some(page), Some(path)) = (page, &arguments.html) {
        page.finish(&html::page(&audited))?;
        eprintln!("report: {}", path.display());
    }
    match arguments.format {
        FindingsFormat::Human => human::print(&audited)?,
        FindingsFormat::Json => crate::json::print(&json::audit(&audited))?,
        FindingsFormat::Sarif => crate::json::print(&sarif::log(&audited))?,
    }
    let counts = &audited.report.findings;
    let clean = counts.errors == 0 && counts.warnings == 0;
    Ok(if clean { Outcome::Clean } else { Outcome::Findings })
}

/// The inputs for the audit. One that was named and is not there is a mistake of
/// the caller and no finding.
fn inputs(paths: &[Input]) -> Result<Vec<audit::Input>, Failure> {
    let mut stdin = false;
    let input = |path: &Input| match path {
        Input::Stdin if stdin => {
            Err(Failure::new("`-` is named twice, and standard input can be read once"))
        }
        Input::Stdin => {
            stdin = true;
            let reader = Box::new(std::io::stdin());
            Ok(audit::Input::Reader { name: "-".to_owned(), reader })
        }
        Input::Path(path) => {
            fs::metadata(path).map_err(|error| Failure::at("open", path.display(), error))?;
            Ok(audit::Input::Path(path.clone()))
        }
    };
    paths.iter().map(input).collect()
}
