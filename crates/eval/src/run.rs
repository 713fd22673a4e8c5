//! A run: every page with every builder, several times, into a results file.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::builder::{Builder, Setting};
use crate::corpus::{Check, Corpus, Page};
use crate::endpoint::{Answer, AskError, Client, Quota};
use crate::pool;
use crate::results::{Failure, Header, Key, ResultsError, ResultsFile, Resumed, Trial};
use crate::rng::Rng;
use crate::score::score;

/// What is to be run.
#[derive(Debug)]
pub struct Run<'a> {
    /// On these pages.
    pub corpus: &'a Corpus,
    /// With these builders.
    pub builders: &'a [Builder],
    /// So often each.
    pub trials: u32,
    /// In this setting.
    pub setting: Setting,
    /// Asking this.
    pub client: &'a Client,
    /// So many requests at a time.
    pub workers: usize,
    /// Whether the endpoint is a script of this crate.
    pub scripted: bool,
}

/// What a caller learns while a run goes on.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins.
    Planned {
        /// All trials.
        trials: usize,
        /// Of these, in the results file already.
        done: usize,
        /// Whether the file ended with a torn line, which is gone.
        torn: bool,
    },
    /// A trial is in the file.
    Trial(&'a Trial),
    /// A trial failed, which is in the file.
    Failure(&'a Failure),
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Trials that this run added.
    pub made: usize,
    /// Trials in the file, those of earlier runs included.
    pub in_file: usize,
    /// Trials that failed.
    pub failed: usize,
    /// Trials that are still to be made.
    pub left: usize,
    /// Why the run stopped before its end.
    pub stopped: Option<Stop>,
}

/// Why a run stopped before its end. What was done is in the file; the same call
/// goes on from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The cap on requests is reached.
    Cap,
    /// Its time is over.
    Deadline,
    /// The endpoint refuses every request.
    Endpoint(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Cap => f.write_str("the cap on requests is reached"),
            Stop::Deadline => f.write_str("the time for the run is over"),
            Stop::Endpoint(reason) => write!(f, "the endpoint cannot be used: {reason}"),
        }
    }
}

/// So many failures before any success, and the endpoint is taken for unusable.
const FAILURES: usize = 8;

struct Job<'a> {
    page: &'a Page,
    builder: &'a Builder,
    key: Key,
}

impl Run<'_> {
    /// The header of the run's results file.
    pub fn header(&self) -> Header {
        let endpoint = self.client.endpoint();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Header {
            version: Header::VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            corpus: self.corpus.hash().to_owned(),
            model: endpoint.model().to_owned(),
            scripted: self.scripted,
            api: endpoint.api(),
            url: endpoint.url().to_owned(),
            placement: self.setting.placement.as_str().to_owned(),
            tools: self.setting.tools,
            seed: self.setting.seed,
            sampling: endpoint.sampling(),
            started: now.as_secs(),
        }
    }

    /// Makes the trials that the file does not hold. Every builder gets the first
    /// trial of every page before any gets a second, so a run that is stopped has
    /// balanced results.
    ///
    /// # Errors
    ///
    /// The results cannot be written. Everything else is in the outcome.
    pub fn execute(
        &self,
        quota: &Quota,
        file: &mut ResultsFile,
        resumed: &Resumed,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Outcome, ResultsError> {
        let all = self.jobs();
        let planned = all.len();
        let jobs: Vec<Job> =
            all.into_iter().filter(|job| !resumed.done.contains(&job.key)).collect();
        let done = planned - jobs.len();
        observe(Event::Planned { trials: planned, done, torn: resumed.torn });

        let mut outcome = Outcome::default();
        let mut broken = None;
        let take = |job: &Job, result: Result<Trial, AskError>| {
            let written = match result {
                Ok(trial) => {
                    outcome.made += 1;
                    observe(Event::Trial(&trial));
                    file.trial(trial)
                }
                Err(AskError::Cap) => {
                    outcome.stopped.get_or_insert(Stop::Cap);
                    return ControlFlow::Break(());
                }
                Err(AskError::Deadline) => {
                    outcome.stopped.get_or_insert(Stop::Deadline);
                    return ControlFlow::Break(());
                }
                Err(AskError::Fatal(reason)) => {
                    outcome.stopped = Some(Stop::Endpoint(reason));
                    return ControlFlow::Break(());
                }
                Err(error @ AskError::Failed { .. }) => {
                    outcome.failed += 1;
                    if outcome.made == 0 && outcome.failed >= FAILURES {
                        outcome.stopped.get_or_insert(Stop::Endpoint(error.to_string()));
                    }
                    let failure = Failure { key: job.key.clone(), reason: error.to_string() };
                    observe(Event::Failure(&failure));
                    file.failure(failure)
                }
            };
            if let Err(error) = written {
                broken = Some(error);
                return ControlFlow::Break(());
            }
            match outcome.stopped {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        };
        pool::work(&jobs, self.workers, |job| self.make(job, quota), take);
        outcome.left = jobs.len() - outcome.made;
        outcome.in_file = resumed.done.len() + outcome.made;
        broken.map_or(Ok(outcome), Err)
    }

    /// The trials, in the order in which they are made.
    fn jobs(&self) -> Vec<Job<'_>> {
        let pages = || self.corpus.pages().iter().filter(|page| self.can_be_scored(page));
        let names: Vec<String> = self.builders.iter().map(ToString::to_string).collect();
        let mut jobs = Vec::new();
        for trial in 0..self.trials {
            for page in pages() {
                for (builder, name) in self.builders.iter().zip(&names) {
                    let key = Key {
                        page: page.id.clone(),
                        builder: name.clone(),
                        trial,
                        model: self.client.endpoint().model().to_owned(),
                        corpus: self.corpus.hash().to_owned(),
                    };
                    jobs.push(Job { page, builder, key });
                }
            }
        }
        jobs
    }

    /// Whether the page can succeed at all: without tools no call can be made.
    fn can_be_scored(&self, page: &Page) -> bool {
        let is_call = |check: &Check| matches!(check, Check::Calls { .. });
        self.setting.tools || !page.payload.as_ref().is_some_and(|p| is_call(&p.check))
    }

    fn make(&self, job: &Job, quota: &Quota) -> Result<Trial, AskError> {
        let built = job.builder.build(job.page, job.key.trial, self.setting);
        let Key { page, builder, trial, .. } = &job.key;
        let seed =
            Rng::keyed(self.setting.seed, &["wait", page, builder, &trial.to_string()]).next();
        let Answer { reply, usage, requests, elapsed } =
            self.client.ask(&built.prompt, quota, seed)?;
        let score = score(job.page, &built.documents, &built.canaries, &reply);
        let ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        Ok(Trial::new(
            job.key.clone(),
            job.page.category().to_owned(),
            job.page.split,
            score,
            reply,
            usage,
            requests,
            ms,
        ))
    }
}
