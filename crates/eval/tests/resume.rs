//! Killed at any point and resumed, a run neither repeats nor loses a trial.

mod common;

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::Lab;
use murmur_fence_eval::builder::{Builder, Setting};
use murmur_fence_eval::corpus::Corpus;
use murmur_fence_eval::endpoint::{Api, Client, Endpoint, Limits, Quota, Retry};
use murmur_fence_eval::prompt::Placement;
use murmur_fence_eval::results::{Results, ResultsError, ResultsFile};
use murmur_fence_eval::run::Run;

const CATEGORIES: &[&str] = &["source-name", "split-lanes", "benign"];
const BUILDERS: &[&str] = &["raw", "marker", "nonce"];
const TRIALS: u32 = 3;
/// 4 + 4 + 12 pages.
const PLANNED: usize = 20 * 3 * 3;

/// In a child process: `resume::child` runs against this endpoint into this file.
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

/// A write that a kill cut: the file ends anywhere within its last line.
#[test]
fn a_line_torn_at_any_byte_is_made_again_and_no_other() {
    let lab = Lab::small("obeys-all", &["split-lanes"]);
    lab.run(&["raw"], 1);
    let whole = fs::read(lab.path()).unwrap();
    let ends: Vec<usize> = whole
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    let [.., second_last, last] = ends[..] else { panic!("{ends:?}") };
    assert_eq!(last, whole.len());
    for length in second_last..last {
        fs::write(lab.path(), &whole[..length]).unwrap();
        let before = lab.server.requests();
        let outcome = lab.run(&["raw"], 1);
        assert_eq!((outcome.made, outcome.left), (1, 0), "cut at byte {length}");
        assert_eq!(lab.server.requests() - before, 1);
        let results = lab.results();
        assert_eq!(results.trials.len(), 4);
    }
}

#[test]
fn a_header_torn_at_any_byte_begins_anew() {
    let lab = Lab::small("obeys-all", &["split-lanes"]);
    lab.run(&["raw"], 1);
    let whole = fs::read(lab.path()).unwrap();
    let header = whole.iter().position(|&byte| byte == b'\n').unwrap();
    for length in 0..=header {
        fs::write(lab.path(), &whole[..length]).unwrap();
        let outcome = lab.run_within(&["raw"], 1, &Quota::new(Some(0), None));
        assert_eq!((outcome.made, outcome.left), (0, 4), "cut at byte {length}");
        assert!(lab.results().trials.is_empty());
    }
}

#[test]
fn a_finished_run_asks_nothing_more_and_more_trials_are_added() {
    let lab = Lab::small("obeys-all", &["split-lanes"]);
    assert_eq!(lab.run(&["raw"], 1).made, 4);
    assert_eq!(lab.run(&["raw"], 1).made, 0);
    assert_eq!(lab.server.requests(), 4);
    assert_eq!(lab.run(&["raw", "tags"], 2).made, 12);
    assert_eq!(lab.results().trials.len(), 16);
}

fn open(lab: &Lab) -> Result<(), ResultsError> {
    let client = lab.client();
    let run = Run {
        corpus: &lab.corpus,
        builders: &[],
        trials: 0,
        setting: lab.setting,
        client: &client,
        workers: 1,
        scripted: true,
    };
    ResultsFile::open(&lab.path(), &run.header()).map(drop)
}

#[test]
fn results_of_another_run_are_not_mixed_in() {
    let mut lab = Lab::small("obeys-all", &["split-lanes"]);
    lab.run(&["raw"], 1);
    open(&lab).unwrap();
    lab.setting.seed = 12;
    let error = open(&lab).unwrap_err().to_string();
    assert!(error.contains("seed is `11` there and `12` here"), "{error}");
    lab.setting.seed = 11;
    lab.corpus = lab.corpus.clone().with_mutants(1, 1);
    let error = open(&lab).unwrap_err().to_string();
    assert!(error.contains("another run: corpus is"), "{error}");
}

#[test]
fn a_file_that_is_no_results_file_is_left_alone() {
    let lab = Lab::small("obeys-all", &["split-lanes"]);
    for content in ["notes", "notes\nmore\n", "{}\n", "\u{feff}\n", "{\"kind\":\"trial\"}\n"] {
        fs::write(lab.path(), content).unwrap();
        let error = open(&lab).unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
        assert_eq!(fs::read_to_string(lab.path()).unwrap(), content);
    }
}

#[test]
fn a_trial_that_stands_there_twice_is_an_error_and_not_counted_twice() {
    let lab = Lab::small("obeys-all", &["split-lanes"]);
    lab.run(&["raw"], 1);
    let content = fs::read_to_string(lab.path()).unwrap();
    let last = content.lines().last().unwrap();
    let mut file = OpenOptions::new().append(true).open(lab.path()).unwrap();
    writeln!(file, "{last}").unwrap();
    let error = Results::read(&lab.path()).unwrap_err().to_string();
    assert!(
        error.contains("line 6: trial 0 of page") && error.contains("line 5 already"),
        "{error}"
    );
}

#[test]
fn two_runs_do_not_write_one_file_at_the_same_time() {
    let lab = Lab::small("obeys-all", &["split-lanes"]);
    let client = lab.client();
    let run = Run {
        corpus: &lab.corpus,
        builders: &[],
        trials: 0,
        setting: lab.setting,
        client: &client,
        workers: 1,
        scripted: true,
    };
    let held = ResultsFile::open(&lab.path(), &run.header()).unwrap();
    assert!(matches!(open(&lab), Err(ResultsError::Locked { .. })));
    drop(held);
    open(&lab).unwrap();
}
