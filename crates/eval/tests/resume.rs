//! A results file that a kill or a hand has left in any state goes on or is refused.

mod common;

use std::fs::{self, OpenOptions};
use std::io::Write;

use common::Lab;
use murmur_fence_eval::endpoint::Quota;
use murmur_fence_eval::results::{Results, ResultsError, ResultsFile};
use murmur_fence_eval::run::Run;

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
