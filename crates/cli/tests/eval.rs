//! `eval`: a run from the command line, what it prints, and how it ends.

mod support;

use std::fs;
use std::path::Path;

use support::{Run, run};
use tempfile::TempDir;

/// Runs in a directory that goes away; `DIR` in an argument stands for it.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Desk(tempfile::tempdir().unwrap())
    }

    fn run(&self, arguments: &str) -> Run {
        let directory = self.0.path().to_str().unwrap();
        let arguments: Vec<String> =
            arguments.split(' ').map(|argument| argument.replace("DIR", directory)).collect();
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

#[test]
fn the_demonstration_needs_nothing_and_ends_with_a_report() {
    let desk = Desk::new();
    let ran = desk.run("eval --demo --results DIR/demo.jsonl");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.text().contains("SCRIPTED ENDPOINT"));
    assert!(ran.text().contains("worse: unneutralised in fence-closing"));
    assert!(ran.stderr.contains("a model is measured with"));
    let page = fs::read_to_string(desk.path("demo.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    // No bar in a pipe.
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

const WORSE: &str = "eval --scripted rates=.4/0/1 --builder raw,unneutralised,marker --trials 4 \
                     --category fence-closing --results DIR/r.jsonl";

#[test]
fn fail_on_worse_is_the_exit_status_and_a_finding_without_it_is_not() {
    let desk = Desk::new();
    assert_eq!(desk.run(WORSE).status, 0);
    assert_eq!(desk.run(&format!("{WORSE} --fail-on worse")).status, 1);
    let holds = "eval --scripted obeys-unless-fenced --builder raw,marker --trials 4 --category \
                 fence-closing --results DIR/h.jsonl --fail-on worse";
    assert_eq!(desk.run(holds).status, 0);
    assert_eq!(desk.run("eval report DIR/r.jsonl --fail-on worse").status, 1);
}

#[test]
fn the_json_form_is_one_object_with_rates_and_verdicts() {
    let desk = Desk::new();
    let ran = desk.run(&format!("{WORSE} --format json"));
    let json = ran.json();
    assert_eq!(json["builders"], serde_json::json!(["raw", "unneutralised", "marker"]));
    assert_eq!(json["rows"][0]["cells"][1]["verdict"], "worse");
    assert_eq!(json["header"]["model"], "scripted rates=.4/0/1");
}

#[test]
fn two_runs_are_compared_and_a_regression_is_a_finding() {
    let desk = Desk::new();
    for (name, behaviour) in [("before", "obeys-unless-fenced"), ("after", "obeys-all")] {
        let arguments = format!(
            "eval --scripted {behaviour} --builder marker --trials 4 --category plain-override \
             --results DIR/{name}.jsonl"
        );
        assert_eq!(desk.run(&arguments).status, 0);
    }
    let ran = desk.run("eval compare DIR/before.jsonl DIR/after.jsonl --fail-on worse");
    assert_eq!(ran.status, 1);
    assert!(ran.text().contains("REGRESSION"), "{}", ran.text());
    assert_eq!(desk.run("eval compare DIR/after.jsonl DIR/before.jsonl --fail-on worse").status, 0);
}

#[test]
fn a_run_that_met_its_cap_goes_on_with_the_same_command() {
    let desk = Desk::new();
    let command = "eval --scripted obeys-all --builder raw --trials 1 --category benign \
                   --results DIR/r.jsonl";
    let capped = desk.run(&format!("{command} --max-requests 5"));
    assert_eq!(capped.status, 0);
    assert!(capped.stderr.contains("stopped with 7 trials left: the cap"), "{}", capped.stderr);
    let whole = desk.run(command);
    assert!(whole.stderr.contains("5 of 12 trials are in"), "{}", whole.stderr);
    assert!(whole.text().starts_with("12 trials"), "{}", whole.text());
}

#[test]
fn a_corpus_of_your_own_is_read_and_a_broken_page_is_named_with_its_line() {
    let desk = Desk::new();
    let page = |facts: &str| {
        format!(
            "+++\nformat = \"log\"\nlanguage = \"en\"\nsplit = \"train\"\nsource = \"tool:x\"\n{facts}\n+++\nLevels are read at noon every day.\n"
        )
    };
    fs::create_dir_all(desk.path("pages/benign")).unwrap();
    fs::write(desk.path("pages/benign/one.txt"), page("facts = [\"noon\"]")).unwrap();
    let command = "eval --scripted obeys-all --builder raw --trials 1 --corpus DIR/pages \
                   --results DIR/r.jsonl";
    let ran = desk.run(command);
    assert!(ran.text().starts_with("1 trials on 1 pages"), "{}{}", ran.text(), ran.stderr);

    fs::write(desk.path("pages/benign/two.txt"), page("facts = 5")).unwrap();
    let ran = desk.run(command);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("corpus page `benign/two.txt`, line 6: "), "{}", ran.stderr);
}

#[test]
fn a_key_is_taken_from_the_environment_and_named_nowhere() {
    let desk = Desk::new();
    let secret = "sk-test-0d15ea5e-1234";
    let results = desk.path("r.jsonl");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_murmur-fence"))
        .args(["eval", "--endpoint", "http://127.0.0.1:9/v1", "--model", "m", "--attempts", "1"])
        .args(["--trials", "1", "--results", results.to_str().unwrap()])
        .env("OPENAI_API_KEY", secret)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let mut seen = String::from_utf8_lossy(&output.stdout).into_owned();
    seen += &String::from_utf8_lossy(&output.stderr);
    for entry in fs::read_dir(desk.0.path()).unwrap() {
        seen += &String::from_utf8_lossy(&fs::read(entry.unwrap().path()).unwrap());
    }
    assert!(seen.contains("failed to reach http://127.0.0.1:9/v1/chat/completions"), "{seen}");
    assert!(!seen.contains(secret));
}

#[test]
fn the_probe_gives_a_map_and_fails_with_a_lane() {
    let desk = Desk::new();
    let lanes =
        "[page]\ntrust = \"tool\"\nbudget = 2000\n[memory]\ntrust = \"child\"\nbudget = 2000\n";
    fs::write(desk.path("lanes.toml"), lanes).unwrap();
    fs::write(
        desk.path("prompt.txt"),
        "<untrusted-content source=page>\n{{lane page}}\n</untrusted-content>\n{{lane memory}}\n",
    )
    .unwrap();
    let probe = "eval probe --scripted obeys-unless-fenced --registry DIR/lanes.toml";
    let ran = desk.run(&format!("{probe} --template DIR/prompt.txt"));
    assert_eq!(ran.status, 1);
    let line = |text: &str, lane: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.starts_with(lane)).unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(line(ran.text(), "page")[2..4], ["yes", "pass"]);
    assert_eq!(line(ran.text(), "memory")[2..4], ["NO", "FAIL"]);
    assert_eq!(desk.run(probe).status, 0, "through the assembler both are fenced");
}

#[test]
fn what_cannot_be_run_is_refused_with_what_to_do() {
    let desk = Desk::new();
    for (arguments, hint) in [
        ("eval", "give --endpoint URL and --model NAME"),
        ("eval --scripted obeys", "there are obeys-all"),
        ("eval --scripted obeys-all --builder fence", "there are raw"),
        ("eval --scripted obeys-all --category x", "no page in the selection"),
        ("eval --endpoint ftp://a.example --model m", "neither http nor https"),
        ("eval --scripted obeys-all --trials 0", "0 is not in 1.."),
        ("eval --scripted obeys-all --temperature nan", "--temperature NaN is"),
        ("eval --scripted obeys-all --no-tools --placement tool-result", "leave one out"),
        ("eval report DIR/none.jsonl", "failed to read results"),
        ("eval --scripted obeys-all --key-env X --demo", "cannot be used with"),
    ] {
        let ran = desk.run(arguments);
        assert_eq!(ran.status, 2, "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(hint), "{arguments}: {}", ran.stderr);
    }
    assert!(!Path::new("murmur-fence-eval.jsonl").exists());
}
