//! `lanes`: exit status, the two numbers, and what is refused.

mod support;

use std::path::Path;
use std::process::Command;

use support::{file, run, run_with};

fn registry() -> String {
    file("examples/lanes/lanes.toml")
}

fn scan(tree: &str, format: &str) -> support::Run {
    let (registry, tree) = (registry(), file(&format!("examples/lanes/{tree}")));
    run(&["lanes", "scan", "--format", format, "--registry", &registry, &tree])
}

#[test]
fn a_single_literal_call_leaves_eight_of_nine_lanes_and_ends_with_status_1() {
    let found = scan("typescript/before", "human");
    assert_eq!(found.status, 1, "{found:?}");
    let lines: Vec<_> = found.text().lines().collect();
    assert!(lines.contains(&"  laneTrustOf('tool_results'"), "{}", found.text());
    assert!(lines.contains(&"9 declared, 1 enforced"), "{}", found.text());
    let uncovered = [
        "search_hits",
        "file_excerpts",
        "channel_envelope",
        "hook_memory",
        "watcher_report",
        "page_context",
        "api_assistant",
        "session_summary",
    ];
    for lane in uncovered {
        let named = format!("lane-unfenced: no fence call reaches lane `{lane}`");
        assert!(found.text().contains(&named), "{lane}\n{}", found.text());
    }
    let json = scan("typescript/before", "json");
    assert_eq!((json.status, &json.json()["uncovered"]), (1, &serde_json::json!(uncovered)));
}

#[test]
fn a_call_that_takes_the_lane_at_hand_is_clean() {
    let clean = scan("typescript/after", "human");
    assert_eq!(clean.status, 0, "{clean:?}");
    assert!(clean.text().ends_with("\n9 declared, 9 enforced\n"), "{}", clean.text());
}

#[test]
fn every_report_is_a_sarif_log_too() {
    let found = scan("typescript/before", "sarif");
    assert_eq!(found.status, 1);
    let result = &found.json()["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "lane-unfenced");
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["region"]["startLine"], 80);
    let clean = scan("typescript/after", "sarif");
    assert_eq!((clean.status, &clean.json()["runs"][0]["results"]), (0, &serde_json::json!([])));
}

#[test]
fn a_projects_own_names_can_be_given() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ts");
    std::fs::write(&path, "spotlight(text, lane); fence('tool_results', text);").unwrap();
    let (registry, path) = (registry(), path.to_str().unwrap().to_owned());
    let arguments = ["lanes", "scan", "--format", "json", "--registry", &registry, &path];
    let enforced = |more: &[&str]| run(&[&arguments, more].concat()).json()["enforced"].clone();
    assert_eq!(enforced(&[]), 1);
    assert_eq!(enforced(&["--fence-call", "spotlight:2"]), 9);
    assert_eq!(enforced(&["--only-given-names"]), 0);
}

#[test]
fn check_finds_what_is_wrong_and_where() {
    let registry = registry();
    let sound = run(&["lanes", "check", &registry]);
    assert_eq!(sound.status, 0);
    assert!(sound.text().ends_with("25 lanes: 8 owner, 8 policy, 3 tool, 3 child, 3 model\n"));
    let unsound = run_with(&["lanes", "check", "-"], b"[a]\nbudget = 1\ntrust = \"Owner\"\n");
    assert_eq!(unsound.status, 1);
    assert!(unsound.text().contains("\n-:3:9: registry-unsound: lane `a`"), "{}", unsound.text());
}

#[test]
fn coverage_counts_receipts_and_prompts() {
    let receipt =
        |fenced| format!("{{\"lane\":\"page_context\",\"trust\":\"model\",\"fenced\":{fenced}}}\n");
    let coverage =
        |input: &str| run_with(&["lanes", "coverage", "--receipts", "-"], input.as_bytes());
    assert_eq!(coverage(&receipt(true)).status, 0);
    let bare = coverage(&receipt(false));
    assert_eq!(bare.status, 1);
    assert!(bare.text().contains("\n1 declared, 0 enforced\n"), "{}", bare.text());
    let declared_only = coverage("{\"lane\":\"page_context\",\"trust\":\"model\"}\n");
    assert_eq!(declared_only.status, 2);
    assert!(declared_only.stderr.contains("line 1: lane `page_context` has no `fenced`"));

    let registry = file("examples/lanes/small.toml");
    let lanes = ["tool_results", "hook_memory", "page_context"];
    let prompt = |lanes: &[&str]| -> String {
        lanes.iter().map(|lane| murmur_fence::wrap(lane, "text") + "\n").collect()
    };
    let of_prompt = |prompt: &str| {
        let arguments = ["lanes", "coverage", "--registry", &registry, "--prompt", "-"];
        run_with(&arguments, prompt.as_bytes())
    };
    assert_eq!(of_prompt(&prompt(&lanes)).status, 0);
    assert_eq!(of_prompt(&prompt(&lanes[..2])).status, 1);
    let broken = of_prompt(&(prompt(&lanes) + "</untrusted-content>"));
    assert!(
        broken.text().contains("-: markers-broken: orphan-closer at byte "),
        "{}",
        broken.text()
    );
}

#[test]
fn coverage_reads_a_prompt_in_the_dialect_it_is_told() {
    let registry = file("examples/lanes/small.toml");
    let token = "7f3a91c2d4e5f607";
    let nonce = murmur_fence::Nonce::with_token(token).unwrap();
    let prompt = murmur_fence::Dialect::wrap(&nonce, "page_context", "text");
    let arguments =
        ["lanes", "coverage", "--format", "json", "--registry", &registry, "--prompt", "-"];
    let enforced = |more: &[&str]| {
        run_with(&[&arguments, more].concat(), prompt.as_bytes()).json()["enforced"].clone()
    };
    assert_eq!(enforced(&["--dialect", "nonce", "--token", token]), 1);
    assert_eq!(enforced(&["--dialect", "nonce", "--token", "0123456789abcdef"]), 0);
    assert_eq!(enforced(&["--dialect", "tags"]), 0);
    assert_eq!(enforced(&[]), 0);
}

#[test]
fn unusable_input_ends_with_status_2() {
    let registry = registry();
    for arguments in [
        &["lanes", "scan", "--registry", "no/such.toml", "."][..],
        &["lanes", "scan", "--registry", &registry, "no/such/tree"],
        &["lanes", "scan", "--registry", &registry, "--fence-call", "a:0"],
        &["lanes", "check", "no/such.toml"],
        &["lanes", "coverage"],
        &["lanes", "coverage", "--prompt", "-"],
        &["lanes", "coverage", "--registry", &registry, "--prompt", "-", "--dialect", "nonce"],
        &["lanes", "guard"],
    ] {
        assert_eq!(run(arguments).status, 2, "{arguments:?}");
    }
    let directory = tempfile::tempdir().unwrap();
    let unsound = directory.path().join("lanes.toml");
    std::fs::write(&unsound, "[a]\nbudget = 1\n").unwrap();
    let refused = run(&["lanes", "scan", "--registry", unsound.to_str().unwrap(), "."]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("lanes.toml:1:2: lane `a`: no trust"), "{}", refused.stderr);
}

#[test]
fn the_guard_refuses_a_staged_lane_without_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let status = command("git", directory.path()).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    let guard = || {
        let mut guard = command(env!("CARGO_BIN_EXE_murmur-fence"), directory.path());
        guard.args(["lanes", "guard", "--staged"]).output().unwrap()
    };
    git(&["init", "-q", "."]);
    std::fs::copy(registry(), directory.path().join("lanes.toml")).unwrap();
    std::fs::write(directory.path().join("a.ts"), "inject('mail_body', text);\n").unwrap();
    git(&["add", "lanes.toml"]);
    assert_eq!(guard().status.code(), Some(0));
    git(&["add", "a.ts"]);
    let refused = guard();
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8(refused.stdout).unwrap();
    assert!(text.starts_with("a.ts:1:8: lane-unregistered: `inject('mail_body'`"), "{text}");
}

/// A command in a directory, as no hook around these tests sets it up.
fn command(program: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory);
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    command
}

#[test]
fn coverage_reads_chat_messages() {
    let registry = file("examples/lanes/small.toml");
    let lanes = ["tool_results", "hook_memory", "page_context"];
    let request = |lanes: &[&str]| {
        let block = |lane: &&str| serde_json::json!({ "type": "text", "text": murmur_fence::wrap(lane, "x") });
        let blocks: Vec<_> = lanes.iter().map(block).collect();
        // The rule of the marker dialect, as it stands in a system prompt.
        let rule = "between <untrusted-content source=NAME> and </untrusted-content>";
        serde_json::json!({ "model": "m", "messages": [
            { "role": "system", "content": rule },
            { "role": "user", "content": blocks },
        ] })
    };
    let of_messages = |messages: &str, format: &str| {
        let arguments =
            ["lanes", "coverage", "--registry", &registry, "--messages", "-", "--format", format];
        run_with(&arguments, messages.as_bytes())
    };
    assert_eq!(of_messages(&request(&lanes).to_string(), "human").status, 0);
    let bare = of_messages(&request(&lanes[1..]).to_string(), "json");
    assert_eq!(bare.status, 1);
    assert!(bare.text().contains("\"uncovered\":[\"tool_results\"]"), "{}", bare.text());
    let none = of_messages("{}", "human");
    assert_eq!(none.status, 2);
    assert!(none.stderr.contains("no chat messages: an object without a list `messages`"));
    let both =
        run(&["lanes", "coverage", "--messages", "a", "--prompt", "b", "--registry", &registry]);
    assert_eq!(both.status, 2);
}

#[test]
fn coverage_reads_the_markers_as_they_are_named() {
    let registry = file("examples/lanes/small.toml");
    let token = "7f3a91c2d4e5f607";
    let lanes = ["tool_results", "hook_memory", "page_context"];
    let nonce = |lane: &&str| format!("<PAGE-{token}> {lane}\nx\n</PAGE-{token}>\n");
    let tags = |lane: &&str| format!("<page source=\"{lane}\">\nx\n</page>\n");
    let of_prompt = |prompt: String, dialect: &[&str]| {
        let arguments =
            ["lanes", "coverage", "--registry", &registry, "--prompt", "-", "--dialect"];
        run_with(&[&arguments[..], dialect].concat(), prompt.as_bytes()).status
    };
    let nonces: String = lanes.iter().map(nonce).collect();
    assert_eq!(
        of_prompt(nonces.clone(), &["nonce", "--token", token, "--name", "PAGE", "--style", "tag"]),
        0
    );
    assert_eq!(of_prompt(nonces.clone(), &["nonce", "--token", token]), 1);
    assert_eq!(of_prompt(nonces, &["nonce", "--token", token, "--name", "END"]), 2);
    let tagged: String = lanes.iter().map(tags).collect();
    assert_eq!(of_prompt(tagged.clone(), &["tags", "--tag", "note", "--tag", "page"]), 0);
    assert_eq!(of_prompt(tagged.clone(), &["tags"]), 1);
    assert_eq!(of_prompt(tagged, &["tags", "--tag", "1"]), 2);
}
