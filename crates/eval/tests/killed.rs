//! Killed at any point and resumed, a run neither repeats nor loses a trial.
//!
//! In a program of its own: a process that is being started shares the open files
//! of the others here for a moment, and with them the locks of their results.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::Lab;
use murmur_fence_eval::builder::{Builder, Setting};
use murmur_fence_eval::corpus::Corpus;
use murmur_fence_eval::endpoint::{Api, Client, Endpoint, Limits, Quota, Retry};
use murmur_fence_eval::prompt::Placement;
use murmur_fence_eval::results::{Results, ResultsFile};
use murmur_fence_eval::run::Run;

const CATEGORIES: &[&str] = &["source-name", "split-lanes", "benign"];
const BUILDERS: &[&str] = &["raw", "marker", "nonce"];
const TRIALS: u32 = 3;
/// 4 + 4 + 12 pages.
const PLANNED: usize = 20 * 3 * 3;

/// In a child process: `child` runs against this endpoint into this file.
const URL: &str = "MURMUR_FENCE_TEST_URL";
const PATH: &str = "MURMUR_FENCE_TEST_PATH";

/// Not a test of its own: the process that the others kill.
#[test]
fn child() {
    let (Ok(url), Ok(path)) = (std::env::var(URL), std::env::var(PATH)) else { return };
    let corpus = Corpus::embedded().unwrap();
    let corpus = corpus.select(|page| CATEGORIES.contains(&page.category())).unwrap();
    let endpoint = Endpoint::new(Api::Openai, &url, "scripted", None).unwrap();
    let client = Client::new(endpoint, Limits::default(), Retry::default());
    let builders: Vec<Builder> = BUILDERS.iter().map(|name| name.parse().unwrap()).collect();
    let run = Run {
        corpus: &corpus,
        builders: &builders,
        trials: TRIALS,
        setting: Setting { seed: 11, placement: Placement::Message, tools: true },
        client: &client,
        workers: 4,
        scripted: true,
    };
    let (mut file, resumed) = ResultsFile::open(Path::new(&path), &run.header()).unwrap();
    run.execute(&Quota::new(None, None), &mut file, &resumed, &mut |_| {}).unwrap();
}

/// Runs the child and kills it once so many lines were added; whether it came to
/// its end first.
fn run_and_kill(url: &str, path: &Path, added: Option<usize>) -> bool {
    let before = lines(path);
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(URL, url)
        .env(PATH, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let Some(added) = added else { return child.wait().unwrap().success() };
    loop {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        if lines(path) >= before + added {
            // SIGKILL: no destructor runs, no buffer is written.
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whole lines of the file.
fn lines(path: &Path) -> usize {
    fs::read(path).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count()
}

fn assert_complete(results: &Results) {
    let mut counts: HashMap<_, u32> = HashMap::new();
    for trial in &results.trials {
        *counts.entry(trial.key()).or_default() += 1;
    }
    assert!(counts.values().all(|&count| count == 1));
    assert_eq!(counts.len(), PLANNED);
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_the_same_end() {
    let lab = Lab::small("rates=0.5/0.1/0.5,slow=4", CATEGORIES);
    let path = lab.path();
    let mut counts = Vec::new();
    // At once, during the header, and after ever so many trials.
    for added in [0, 1, 1, 5, 2, 17, 0, 23, 3, 11, 29, 8] {
        assert!(!run_and_kill(&lab.server.url(), &path, Some(added)), "there is more to do");
        counts.push(lines(&path));
    }
    assert!(run_and_kill(&lab.server.url(), &path, None), "the last run comes to its end");
    assert!(counts.is_sorted(), "nothing is taken away: {counts:?}");
    assert!(counts.iter().all(|&count| count < PLANNED), "killed before its end: {counts:?}");
    assert_complete(&lab.results());

    // The interrupted run and one without a break have the same trials.
    let whole = Lab::small("rates=0.5/0.1/0.5", CATEGORIES);
    whole.run(BUILDERS, TRIALS);
    let scores = |results: Results| {
        let scores = results.trials.into_iter().map(|trial| (trial.key(), trial.score));
        scores.collect::<HashMap<_, _>>()
    };
    assert_eq!(scores(lab.results()), scores(whole.results()));
}
