//! A scripted endpoint, a corpus and a results file, ready for a run.

#![allow(dead_code, reason = "no test file uses all of it")]

use std::path::PathBuf;
use std::time::Duration;

use murmur_fence_eval::builder::{Builder, Setting};
use murmur_fence_eval::corpus::Corpus;
use murmur_fence_eval::endpoint::{Api, Client, Endpoint, Key, Limits, Quota, Retry};
use murmur_fence_eval::prompt::Placement;
use murmur_fence_eval::report::{Cell, Summary};
use murmur_fence_eval::results::{Results, ResultsFile};
use murmur_fence_eval::run::{Outcome, Run};
use murmur_fence_eval::scripted::Server;
use murmur_fence_eval::stats::Bar;
use tempfile::TempDir;

pub struct Lab {
    pub corpus: Corpus,
    pub server: Server,
    pub setting: Setting,
    pub api: Api,
    pub key: Option<Key>,
    pub limits: Limits,
    pub attempts: u32,
    pub workers: usize,
    dir: TempDir,
}

impl Lab {
    pub fn new(behaviour: &str) -> Self {
        Lab::with_corpus(behaviour, Corpus::embedded().unwrap())
    }

    pub fn with_mutants(behaviour: &str, count: usize) -> Self {
        Lab::with_corpus(behaviour, Corpus::embedded().unwrap().with_mutants(count, 3))
    }

    /// The pages of a few categories only.
    pub fn small(behaviour: &str, categories: &[&str]) -> Self {
        let corpus = Corpus::embedded().unwrap();
        let corpus = corpus.select(|page| categories.contains(&page.category())).unwrap();
        Lab::with_corpus(behaviour, corpus)
    }

    pub fn with_corpus(behaviour: &str, corpus: Corpus) -> Self {
        let server = Server::start(behaviour.parse().unwrap(), &corpus, 11).unwrap();
        Lab {
            corpus,
            server,
            setting: Setting { seed: 11, placement: Placement::Message, tools: true },
            api: Api::Openai,
            key: None,
            limits: Limits { connect: Duration::from_secs(5), request: Duration::from_secs(20) },
            attempts: 4,
            workers: 4,
            dir: TempDir::new().unwrap(),
        }
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().join("results.jsonl")
    }

    pub fn client(&self) -> Client {
        self.client_at(&self.server.url())
    }

    pub fn client_at(&self, url: &str) -> Client {
        let endpoint = Endpoint::new(self.api, url, "scripted", self.key.clone()).unwrap();
        let retry = Retry {
            attempts: self.attempts,
            first_wait: Duration::from_millis(1),
            longest_wait: Duration::from_millis(5),
        };
        Client::new(endpoint, self.limits, retry)
    }

    pub fn run(&self, builders: &[&str], trials: u32) -> Outcome {
        self.run_within(builders, trials, &Quota::new(None, None))
    }

    pub fn run_within(&self, builders: &[&str], trials: u32, quota: &Quota) -> Outcome {
        let builders: Vec<Builder> = builders.iter().map(|name| name.parse().unwrap()).collect();
        let client = self.client();
        let run = Run {
            corpus: &self.corpus,
            builders: &builders,
            trials,
            setting: self.setting,
            client: &client,
            workers: self.workers,
            scripted: true,
        };
        let (mut file, resumed) = ResultsFile::open(&self.path(), &run.header()).unwrap();
        run.execute(quota, &mut file, &resumed, &mut |_| {}).unwrap()
    }

    pub fn results(&self) -> Results {
        Results::read(&self.path()).unwrap()
    }
}

pub fn summary(results: &Results, bar: Bar) -> Summary {
    Summary::new(results, bar)
}

/// The cell of a builder in a scope.
pub fn cell<'a>(summary: &'a Summary, scope: &str, builder: &str) -> &'a Cell {
    let row = summary.rows.iter().find(|row| row.scope.title() == scope);
    let row = row.unwrap_or_else(|| panic!("no row {scope}"));
    let cell = row.cells.iter().find(|cell| cell.builder == builder);
    cell.unwrap_or_else(|| panic!("no cell {builder}"))
}
