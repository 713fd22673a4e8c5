//! `eval`: measure whether a fence holds.

mod arguments;
mod bar;
mod endpoint;
mod probe;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use murmur_fence_eval::builder::{Builder, Setting};
use murmur_fence_eval::corpus::Corpus;
use murmur_fence_eval::demo;
use murmur_fence_eval::endpoint::Quota;
use murmur_fence_eval::judge::Judge;
use murmur_fence_eval::prompt::Placement;
use murmur_fence_eval::report::{Summary, compare, comparison_table, html, summary_table};
use murmur_fence_eval::results::{Results, ResultsFile};
use murmur_fence_eval::run::{Event, Outcome as Ended, Run, Stop};
use murmur_fence_eval::scripted::{Behaviour, Server};

use self::arguments::{CorpusArguments, FailOn, PlacementName, ReportArguments};
use self::bar::Bar;
use self::endpoint::EndpointArguments;
use crate::failure::Failure;
use crate::visible::Visible;
use crate::whole_file::WholeFile;
use crate::{Format, Outcome};

/// Where results go without an argument.
const RESULTS: &str = "murmur-fence-eval.jsonl";

/// How many failures are shown while a run goes on.
const FAILURES_SHOWN: usize = 3;

/// Puts an adversarial corpus through prompts with and without a fence, asks a
/// model, and reports for each kind of attack whether the fence holds.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvalArguments {
    #[command(subcommand)]
    command: Option<EvalCommand>,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Subcommand)]
enum EvalCommand {
    /// Report on a results file again
    Report {
        /// The results
        #[arg(default_value = RESULTS)]
        results: PathBuf,
        #[command(flatten)]
        report: ReportArguments,
    },
    /// Compare two runs of one corpus: what got better, what got worse
    Compare {
        /// The results of the earlier run
        before: PathBuf,
        /// The results of the later run
        after: PathBuf,
        #[command(flatten)]
        report: ReportArguments,
    },
    /// Put an instruction into each untrusted lane in turn, and see which the model obeys
    Probe(probe::ProbeArguments),
    /// Ask a second model about each attack in a results file, beside the score
    Judge {
        /// The results
        #[arg(default_value = RESULTS)]
        results: PathBuf,
        #[command(flatten)]
        endpoint: EndpointArguments,
        #[command(flatten)]
        corpus: CorpusArguments,
    },
    /// Answer requests as a script says, in the place of a model
    Serve {
        /// What it does; `--behaviour help` lists it all
        #[arg(long, default_value = "believes-first-closer", value_parser = arguments::behaviour)]
        behaviour: Behaviour,
        /// Where it listens
        #[arg(long, default_value = "127.0.0.1:8089")]
        address: String,
        #[command(flatten)]
        corpus: CorpusArguments,
    },
}

#[derive(Args)]
struct RunArguments {
    /// Run everything against a script, in less than a minute and without a key
    #[arg(long, conflicts_with_all = ["endpoint", "scripted", "builders", "trials"])]
    demo: bool,
    #[command(flatten)]
    endpoint: EndpointArguments,
    #[command(flatten)]
    corpus: CorpusArguments,
    /// A way to build the prompt; may be repeated or joined by commas. raw, unneutralised, marker,
    /// nonce, tags (these three also with +region, +phrase, +label, +none), lanes, lanes-nonce,
    /// lanes-tags
    #[arg(long = "builder", value_name = "NAME", value_delimiter = ',',
          default_values = ["raw", "marker", "nonce", "tags", "lanes"])]
    builders: Vec<Builder>,
    /// How often each page is tried with each builder
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
    /// Where the page stands in the prompt
    #[arg(long, value_enum, default_value_t)]
    placement: PlacementName,
    /// Give the model no tools; pages that ask for a call are left out
    #[arg(long)]
    no_tools: bool,
    /// The results file; a run that was stopped goes on in it
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArguments,
}

pub fn run(arguments: EvalArguments) -> Result<Outcome, Failure> {
    match arguments.command {
        None => run_and_report(arguments.run),
        Some(EvalCommand::Report { results, report }) => self::report(&results, &report, None),
        Some(EvalCommand::Compare { before, after, report }) => {
            compare_runs(&before, &after, &report)
        }
        Some(EvalCommand::Probe(arguments)) => probe::run(&arguments),
        Some(EvalCommand::Judge { results, endpoint, corpus }) => {
            judge(&results, &endpoint, &corpus)
        }
        Some(EvalCommand::Serve { behaviour, address, corpus }) => {
            serve(behaviour, &address, &corpus)
        }
    }
}

fn run_and_report(mut arguments: RunArguments) -> Result<Outcome, Failure> {
    let mut directory = None;
    if arguments.demo {
        arguments.endpoint.scripted =
            Some(demo::BEHAVIOUR.parse().map_err(|error| Failure::new(format!("{error}")))?);
        arguments.corpus.mutants = demo::MUTANTS;
        arguments.corpus.seed = demo::SEED;
        arguments.trials = demo::TRIALS;
        arguments.builders = demo::builders();
        if arguments.results.is_none() {
            directory = Some(demo_directory()?);
        }
    }
    let path = match (&arguments.results, &directory) {
        (Some(path), _) => path.clone(),
        (None, Some(directory)) => directory.join("results.jsonl"),
        (None, None) => PathBuf::from(RESULTS),
    };
    let ended = make(&arguments, &path)?;
    if let (Some(Stop::Endpoint(reason)), 0) = (&ended.stopped, ended.in_file) {
        return Err(Failure::new(reason.clone()));
    }
    let outcome = self::report(&path, &arguments.report, Some(&ended))?;
    if arguments.demo {
        eprintln!("a model is measured with: murmur-fence eval --endpoint URL --model NAME");
    }
    match ended.stopped {
        Some(Stop::Endpoint(reason)) => Err(Failure::new(reason)),
        _ => Ok(outcome),
    }
}

/// A directory of its own, so that one demonstration does not go on with another's
/// results.
fn demo_directory() -> Result<PathBuf, Failure> {
    let path = std::env::temp_dir().join(format!("murmur-fence-demo-{}", std::process::id()));
    fs::create_dir_all(&path).map_err(|error| Failure::at("create", path.display(), error))?;
    Ok(path)
}

/// Makes the trials.
fn make(arguments: &RunArguments, path: &Path) -> Result<Ended, Failure> {
    let placement = Placement::from(arguments.placement);
    if arguments.no_tools && placement == Placement::ToolResult {
        return Err(Failure::new(
            "--no-tools takes away the tool whose result --placement tool-result is; leave one out",
        ));
    }
    let corpus = arguments.corpus.load()?;
    let connection = arguments.endpoint.connect(&corpus, arguments.corpus.seed)?;
    let run = Run {
        corpus: &corpus,
        builders: &arguments.builders,
        trials: arguments.trials,
        setting: Setting { seed: arguments.corpus.seed, placement, tools: !arguments.no_tools },
        client: &connection.client,
        workers: arguments.endpoint.workers,
        scripted: connection.is_scripted(),
    };
    let (mut file, resumed) = ResultsFile::open(path, &run.header())?;
    let bar = Bar::new("trials");
    let mut failures = 0;
    let mut observe = |event: Event<'_>| match event {
        Event::Planned { trials, done, torn } => {
            bar.begin(trials, done);
            if torn {
                bar.note("the last line of the results was torn and is made again");
            }
            if done > 0 {
                bar.note(&format!("{done} of {trials} trials are in `{}`", path.display()));
            }
        }
        Event::Trial(_) => bar.step(),
        Event::Failure(failure) => {
            failures += 1;
            // The others are in the results, and most likely of the same kind.
            if failures <= FAILURES_SHOWN {
                let trial = failure.key.to_string();
                bar.note(&format!("{} failed: {}", Visible(&trial), Visible(&failure.reason)));
            }
        }
        _ => {}
    };
    let ended = run.execute(&arguments.endpoint.quota(), &mut file, &resumed, &mut observe)?;
    bar.end();
    Ok(ended)
}

/// Reports on a results file, after a run or on its own.
fn report(
    path: &Path,
    arguments: &ReportArguments,
    ended: Option<&Ended>,
) -> Result<Outcome, Failure> {
    let results = Results::read(path)?;
    let summary = arguments.priced(Summary::new(&results, arguments.bar()?));
    let page = arguments.html.clone().unwrap_or_else(|| path.with_extension("html"));
    WholeFile::create(&page)?.finish(&html(&summary))?;
    match arguments.format {
        Format::Json => crate::json::print(&summary)?,
        Format::Human => print(&summary_table(&summary))?,
    }
    eprintln!("results: {}\nreport:  {}", path.display(), page.display());
    if let Some(Ended { left, stopped: Some(stop), .. }) = ended {
        eprintln!("stopped with {left} trials left: {stop}; the same command goes on from there");
    }
    let is_worse = arguments.fail_on == Some(FailOn::Worse) && summary.worse().next().is_some();
    Ok(if is_worse { Outcome::Findings } else { Outcome::Clean })
}

fn compare_runs(
    before: &Path,
    after: &Path,
    arguments: &ReportArguments,
) -> Result<Outcome, Failure> {
    let comparison = compare(&Results::read(before)?, &Results::read(after)?, arguments.bar()?)?;
    match arguments.format {
        Format::Json => crate::json::print(&comparison)?,
        Format::Human => print(&comparison_table(&comparison))?,
    }
    let is_worse =
        arguments.fail_on == Some(FailOn::Worse) && comparison.regressions().next().is_some();
    Ok(if is_worse { Outcome::Findings } else { Outcome::Clean })
}

fn judge(
    path: &Path,
    endpoint: &EndpointArguments,
    corpus: &CorpusArguments,
) -> Result<Outcome, Failure> {
    let (mut file, results) = ResultsFile::reopen(path)?;
    let corpus = corpus.load()?;
    if corpus.hash() != results.header.corpus {
        return Err(Failure::new(format!(
            "the results are of corpus {}, and this one is {}; give the same --corpus, --mutants \
             and --seed as the run",
            Visible(&results.header.corpus),
            corpus.hash()
        )));
    }
    let connection = endpoint.connect(&corpus, 0)?;
    let judge = Judge { corpus: &corpus, client: &connection.client, workers: endpoint.workers };
    let bar = Bar::new("replies");
    let ended = judge.execute(&endpoint.quota(), &mut file, &results, &mut |done, all| {
        bar.at(done, all);
    })?;
    bar.end();
    eprintln!("{} replies judged, {} failed, {} left", ended.made, ended.failed, ended.left);
    match ended.stopped {
        Some(Stop::Endpoint(reason)) => Err(Failure::new(reason)),
        _ => Ok(Outcome::Clean),
    }
}

fn serve(
    behaviour: Behaviour,
    address: &str,
    corpus: &CorpusArguments,
) -> Result<Outcome, Failure> {
    let corpus = corpus.load()?;
    let server = Server::bind(address, behaviour, &corpus, 1)
        .map_err(|error| Failure::at("listen on", address, error))?;
    eprintln!("a script, not a model, answers at {}; stop it with Ctrl-C", server.url());
    server.wait();
    Ok(Outcome::Clean)
}

/// Requests and time that a run may take.
fn quota(requests: Option<u64>, seconds: Option<u64>) -> Quota {
    Quota::new(requests, seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)))
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::output)
}

/// The errors of the evaluation say what, where and what to do themselves.
macro_rules! failure_from {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::new(error.to_string())
            }
        })*
    };
}

failure_from!(
    murmur_fence_eval::corpus::CorpusError,
    murmur_fence_eval::endpoint::EndpointError,
    murmur_fence_eval::probe::ProbeError,
    murmur_fence_eval::results::ResultsError
);

impl CorpusArguments {
    fn load(&self) -> Result<Corpus, Failure> {
        let corpus = match &self.corpus {
            Some(directory) => Corpus::from_dir(directory)?,
            None => Corpus::embedded()?,
        };
        let corpus = corpus.with_mutants(self.mutants, self.seed);
        Ok(corpus.select(|page| self.keeps(page))?)
    }
}
