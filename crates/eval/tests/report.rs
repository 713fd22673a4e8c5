//! Reports: what they say, and that nothing hostile gets into them alive.

mod common;

use std::fs;

use common::{Lab, cell};
use murmur_fence_eval::report::{Summary, compare, comparison_table, html, summary_table};
use murmur_fence_eval::results::Results;
use murmur_fence_eval::stats::{Bar, Verdict};

const CATEGORIES: &[&str] = &["plain-override", "fence-closing", "benign"];

fn results(behaviour: &str, builders: &[&str]) -> Results {
    let lab = Lab::small(behaviour, CATEGORIES);
    lab.run(builders, 4);
    lab.results()
}

#[test]
fn the_table_has_a_row_a_category_and_a_column_a_builder() {
    let results = results("obeys-unless-fenced", &["marker", "raw"]);
    let table = summary_table(&Summary::new(&results, Bar::default()));
    let lines: Vec<&str> = table.lines().collect();
    let line = |start: &str| {
        *lines.iter().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{table}"))
    };
    assert_eq!(
        line("category").split_whitespace().collect::<Vec<_>>(),
        ["category", "bad", "is", "raw", "marker"]
    );
    assert!(line("fence-closing").ends_with("100%  0% holds"), "{table}");
    assert!(line("benign").ends_with("0%    0% no difference"), "{table}");
    assert!(line("all attacks").ends_with("100%  0% holds"), "{table}");
    // Every figure of a script is labelled as such.
    assert!(line("SCRIPTED").contains("nothing of any model"));
}

#[test]
fn builders_stand_in_a_fixed_order_whatever_ended_first() {
    let results = results(
        "obeys-nothing",
        &["tags", "lanes", "marker+region", "raw", "nonce", "unneutralised", "marker"],
    );
    let summary = Summary::new(&results, Bar::default());
    let expected = ["raw", "unneutralised", "marker", "marker+region", "nonce", "tags", "lanes"];
    assert_eq!(summary.builders, expected);
    assert_eq!(summary.baseline, "raw");
}

#[test]
fn the_json_form_has_the_rates_and_verdicts() {
    let results = results("obeys-unless-fenced", &["raw", "marker"]);
    let summary = Summary::new(&results, Bar::default());
    let json = serde_json::to_value(&summary).unwrap();
    let row = json["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["scope"]["category"] == "fence-closing");
    let cell = &row.unwrap()["cells"][1];
    assert_eq!(cell["builder"], "marker");
    assert_eq!(cell["verdict"], "holds");
    assert_eq!((&cell["bad"]["hits"], &cell["bad"]["of"]), (&0.into(), &24.into()));
    assert_eq!(json["header"]["scripted"], true);
}

#[test]
fn only_trials_that_both_builders_have_are_compared() {
    let lab = Lab::small("obeys-unless-fenced", &["fence-closing"]);
    lab.run(&["raw"], 3);
    lab.run(&["raw", "marker"], 1);
    let summary = Summary::new(&lab.results(), Bar::default());
    let marker = cell(&summary, "fence-closing", "marker");
    assert_eq!(cell(&summary, "fence-closing", "raw").bad.of, 18);
    assert_eq!((marker.bad.of, marker.difference.unwrap().pairs), (6, 6));
    assert_eq!(marker.verdict, Some(Verdict::TooFewTrials));
}

#[test]
fn tokens_are_counted_and_priced() {
    let results = results("obeys-nothing", &["raw"]);
    let summary = Summary::new(&results, Bar::default()).priced(2.0, 10.0);
    let trials = results.trials.len() as u64;
    assert_eq!(summary.spent.input_tokens, Some(100 * trials));
    let output = summary.spent.output_tokens.unwrap();
    let expected = (200.0 * trials as f64 + 10.0 * output as f64) / 1e6;
    assert!((summary.spent.cost.unwrap() - expected).abs() < 1e-9);
}

/// What a page, a builder, a model or a server may say, in every place where the
/// report shows it.
#[test]
fn nothing_hostile_gets_into_the_page_or_onto_the_terminal_alive() {
    let lab = Lab::small("obeys-all", CATEGORIES);
    lab.run(&["raw", "marker"], 1);
    let hostile = "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\\\" onmouseover='a' \\u202e\\u001b[31m";
    let content = fs::read_to_string(lab.path()).unwrap();
    let content = content
        .replace("\"model\":\"scripted\"", &format!("\"model\":\"{hostile}\""))
        .replace("\"builder\":\"marker\"", &format!("\"builder\":\"{hostile}\""))
        .replace("\"category\":\"fence-closing\"", &format!("\"category\":\"{hostile}\""))
        .replace("\"evidence\":\"", &format!("\"evidence\":\"{hostile}"))
        .replace("\"why\":\"", &format!("\"why\":\"{hostile}"))
        .replace("\"page\":\"", &format!("\"page\":\"{hostile}"));
    let failure =
        content.lines().nth(1).unwrap().replace("\"kind\":\"trial\"", "\"kind\":\"failure\"");
    let failure = failure.replace("\"trial\":0", &format!("\"trial\":9,\"reason\":\"{hostile}\""));
    fs::write(lab.path(), format!("{content}{failure}\n")).unwrap();

    let results = Results::read(&lab.path()).unwrap();
    assert_eq!(results.failures.len(), 1);
    let summary = Summary::new(&results, Bar::default());
    let page = html(&summary);
    assert!(page.contains("&lt;script&gt;alert(1)"), "shown as text");
    assert!(!page.contains("<script") && !page.contains("<img"));
    // The page's own style sheet and title are ended once.
    assert_eq!((page.matches("</style>").count(), page.matches("</title>").count()), (1, 1));
    for character in ['\u{202e}', '\u{1b}'] {
        assert!(!page.contains(character));
        assert!(!summary_table(&summary).contains(character));
    }
    let attribute = page.split("title=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert!(attribute.into_iter().all(|value| !value.contains('<')));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = html(&Summary::new(&results("obeys-nothing", &["raw", "marker"]), Bar::default()));
    for reference in ["src=", "href=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(reference), "{reference}");
    }
    assert!(page.contains("prefers-color-scheme:dark"));
    assert_eq!(page.matches("<svg").count(), 6, "three categories and three totals");
    assert!(page.contains("A script answered, not a model."));
}

#[test]
fn a_run_that_got_worse_is_a_regression_and_an_equal_one_is_not() {
    let heeds = results("obeys-unless-fenced", &["raw", "marker"]);
    let deaf = results("obeys-all", &["raw", "marker"]);
    let change = |before: &Results, after: &Results, builder: &str| {
        let comparison = compare(before, after, Bar::default()).unwrap();
        let found = comparison
            .changes
            .iter()
            .find(|change| change.builder == builder && change.scope.title() == "fence-closing");
        (found.unwrap().verdict, comparison.regressions().count(), comparison_table(&comparison))
    };
    let (verdict, regressions, table) = change(&heeds, &deaf, "marker");
    assert_eq!(verdict, Verdict::Worse);
    assert!(regressions >= 3, "{table}");
    assert!(table.contains("REGRESSION"), "{table}");
    assert_eq!(change(&heeds, &deaf, "raw").0, Verdict::NoDifference);
    assert_eq!(change(&deaf, &heeds, "marker").0, Verdict::Holds);
    assert_eq!(change(&heeds, &heeds, "marker"), {
        let (_, _, table) = change(&heeds, &heeds, "marker");
        (Verdict::NoDifference, 0, table)
    });
}

#[test]
fn runs_of_different_corpora_are_not_compared() {
    let before = results("obeys-nothing", &["raw"]);
    let mut after = before.clone();
    after.header.corpus = "0000000000000000".to_owned();
    let error = compare(&before, &after, Bar::default()).unwrap_err().to_string();
    assert!(error.contains("different corpora"), "{error}");
}

#[test]
fn a_summary_of_benign_pages_alone_and_one_without_trials_have_no_attacks() {
    let lab = Lab::small("refuses", &["benign"]);
    lab.run(&["raw", "marker"], 2);
    let results = lab.results();
    let summary = Summary::new(&results, Bar::default());
    assert_eq!(summary.rows.len(), 1);
    assert_eq!(cell(&summary, "benign", "raw").bad.share(), 1.0);
    let _ = html(&summary);

    let empty = Results { trials: Vec::new(), ..results };
    let summary = Summary::new(&empty, Bar::default());
    assert!(summary.rows.is_empty() && summary.spent.input_tokens.is_none());
    assert!(html(&summary).contains("</html>") && summary_table(&summary).contains("0 trials"));
}
