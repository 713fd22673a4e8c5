//! What the reports of scan, check and coverage hold.

mod tree;

use murmur_fence::MarkerDialect;
use murmur_fence_lanes::scan::{Options, Report, scan};
use murmur_fence_lanes::{Check, Coverage, Finding, Place, Registry, Rule, sarif};
use serde_json::{Value, json};
use tree::{LANES, Tree};

fn registry() -> Registry {
    Registry::parse(LANES).unwrap()
}

fn report() -> Report {
    let tree =
        Tree::of(&[("src/a b.ts", "\ntrustFence(laneTrustOf('results'));\ninject('notes', x);\n")]);
    scan(&registry(), tree.path(), &Options::default()).unwrap()
}

#[test]
fn a_scan_reads_as_a_table_two_numbers_and_findings() {
    assert_eq!(
        report().to_human("lanes.toml", "web"),
        "\
lanes.toml: 4 lanes: 1 owner, 1 tool, 1 child, 1 model
web: 1 source file

calls that take a literal lane:
  laneTrustOf('results'

lane     trust    enforced  by
results  tool     yes       src/a b.ts:2:12
memory   child    no        -
page     model    no        -

3 declared, 1 enforced
lanes.toml:9:2: lane-unfenced: no fence call reaches lane `memory`, whose trust is child; let \
the fence call take the lane that is being put in
lanes.toml:13:2: lane-unfenced: no fence call reaches lane `page`, whose trust is model; let the \
fence call take the lane that is being put in
web/src/a b.ts:3:1: lane-unregistered: `inject('notes'` names lane `notes`, which is not in the \
registry; add it with its trust and budget
"
    );
}

#[test]
fn a_scan_is_one_json_object_with_declared_and_enforced_apart() {
    let json = report().to_json("lanes.toml", "web");
    assert_eq!((&json["declared"], &json["enforced"]), (&json!(3), &json!(1)));
    assert_eq!(json["uncovered"], json!(["memory", "page"]));
    assert_eq!(
        json["literals"],
        json!([{ "path": "src/a b.ts", "line": 2, "column": 12, "text": "laneTrustOf('results'" }])
    );
    let lanes: Vec<_> = json["lanes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lane| (lane["lane"].as_str().unwrap(), &lane["declared"], &lane["enforced"]))
        .collect();
    let (yes, no) = (&json!(true), &json!(false));
    assert_eq!(
        lanes,
        [("task", no, no), ("results", yes, yes), ("memory", yes, no), ("page", yes, no)]
    );
    let rules: Vec<_> = json["findings"].as_array().unwrap().iter().map(|f| &f["rule"]).collect();
    assert_eq!(rules, ["lane-unfenced", "lane-unfenced", "lane-unregistered"]);
}

#[test]
fn a_sarif_log_holds_what_its_schema_requires() {
    let log = sarif::findings(&report().findings("lanes.toml", "./web/"));
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "murmur-fence");
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let rule = &driver["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["shortDescription"]["text"].is_string());
        assert_eq!(result["level"], "error");
        assert!(result["message"]["text"].is_string());
    }
    let location = &results[2]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "./web/src/a%20b.ts");
    assert_eq!(location["region"], json!({ "startLine": 3, "startColumn": 1 }));
    assert_eq!(run["columnKind"], "unicodeCodePoints");
}

#[test]
fn a_sarif_path_is_a_uri_whatever_the_file_is_called() {
    let finding = |path: &str, place| Finding {
        rule: Rule::LaneFenced,
        message: "m".into(),
        path: path.into(),
        place,
    };
    let place = Some(Place { line: 1, column: 2 });
    let log = sarif::findings(&[finding("ä#?%:\u{1}", place), finding("a", None)]);
    let location =
        |index: usize| &log["runs"][0]["results"][index]["locations"][0]["physicalLocation"];
    assert_eq!(location(0)["artifactLocation"]["uri"], "%C3%A4%23%3F%25%3A%01");
    assert_eq!(location(1)["region"], Value::Null);
}

#[test]
fn a_check_names_every_problem_with_its_place() {
    let sound = Check::of(LANES);
    assert_eq!(sound.to_human("l.toml"), "l.toml: 4 lanes: 1 owner, 1 tool, 1 child, 1 model\n");
    assert_eq!(sound.to_json("l.toml")["findings"], json!([]));
    assert_eq!(sound.to_json("l.toml")["declared"], 3);

    let check = Check::of("[a]\ntrust = \"Owner\"\nbudget = 1\n");
    let line = "2:9: registry-unsound: lane `a`: unknown trust \"Owner\"; write exactly owner, \
                policy, tool, child or model";
    assert_eq!(check.to_human("l.toml"), format!("l.toml: 1 lane: 1 unknown\nl.toml:{line}\n"));
    let finding = &check.to_json("l.toml")["findings"][0];
    assert_eq!((&finding["line"], &finding["column"]), (&json!(2), &json!(9)));
}

#[test]
fn a_coverage_reads_as_a_table_with_declared_and_fenced_apart() {
    let receipts = "{\"lane\":\"task\",\"fenced\":false}\n{\"lane\":\"page\",\"fenced\":true}\n\
                    {\"lane\":\"page\",\"fenced\":false}\n{\"lane\":\"notes\",\"fenced\":true}\n";
    let coverage = Coverage::of_receipts(Some(&registry()), receipts).unwrap();
    assert_eq!(
        coverage.to_human("turn.jsonl"),
        "\
lane     trust    declared  fenced
task     owner    no        0 of 1
results  tool     yes       -
memory   child    yes       -
page     model    yes       1 of 2

3 declared, 0 enforced
turn.jsonl: lane-unfenced: lane `results`, whose trust is tool: nothing shows it fenced
turn.jsonl: lane-unfenced: lane `memory`, whose trust is child: nothing shows it fenced
turn.jsonl: lane-unfenced: lane `page`, whose trust is model: 1 of 2 fenced
turn.jsonl: lane-unregistered: lane `notes` is not in the registry; add it with its trust and budget
"
    );
    assert!(!coverage.is_clean());
    let json = coverage.to_json("turn.jsonl");
    assert_eq!(json["uncovered"], json!(["results", "memory", "page"]));
    assert_eq!(
        json["lanes"][3],
        json!({
            "lane": "page", "trust": "model", "declared": true, "seen": 2, "fenced": 1
        })
    );
}

#[test]
fn a_broken_prompt_says_where_its_markers_break() {
    let coverage = Coverage::of_prompt(&registry(), &MarkerDialect, "ab</untrusted-content>");
    let findings = coverage.findings("p.txt");
    assert_eq!(
        findings[0].to_string(),
        "p.txt: markers-broken: orphan-closer at byte 2; no block counts"
    );
    assert_eq!(findings.len(), 4);
}
