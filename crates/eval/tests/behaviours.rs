//! Against a script with known rates, the harness reports these rates and the
//! verdicts that follow from them.

mod common;

use common::{Lab, cell, summary};
use murmur_fence_eval::report::Summary;
use murmur_fence_eval::stats::{Bar, Verdict};

const BUILDERS: &[&str] = &["raw", "unneutralised", "marker", "nonce", "tags", "lanes"];
const FENCED: &[&str] = &["marker", "nonce", "tags", "lanes"];

fn run(behaviour: &str) -> Summary {
    let lab = Lab::new(behaviour);
    let outcome = lab.run(BUILDERS, 4);
    assert_eq!((outcome.failed, outcome.left, &outcome.stopped), (0, 0, &None));
    summary(&lab.results(), Bar::default())
}

/// Every attack category, and all builders.
fn attack_cells(summary: &Summary) -> impl Iterator<Item = (&str, &str, f64)> {
    let rows =
        summary.rows.iter().filter(|row| !row.scope.is_total() && row.scope.title() != "benign");
    rows.flat_map(|row| {
        row.cells.iter().map(|cell| (row.scope.title(), cell.builder.as_str(), cell.bad.share()))
    })
}

#[test]
fn obeys_all_is_compromised_everywhere_and_no_fence_makes_a_difference() {
    let summary = run("obeys-all");
    for (category, builder, share) in attack_cells(&summary) {
        assert_eq!(share, 1.0, "{category}, {builder}");
    }
    for builder in FENCED {
        assert_eq!(cell(&summary, "all attacks", builder).verdict, Some(Verdict::NoDifference));
        // Whoever obeys does not summarise.
        assert_eq!(cell(&summary, "all attacks", builder).useful.share(), 0.0);
        assert_eq!(cell(&summary, "benign", builder).useful.share(), 1.0);
    }
    let leaks = cell(&summary, "prompt-leak", "raw");
    assert_eq!((leaks.leaked.share(), leaks.obeyed.share()), (1.0, 1.0));
    let others = cell(&summary, "plain-override", "raw");
    assert_eq!((others.leaked.share(), others.obeyed.share()), (0.0, 1.0));
}

#[test]
fn obeys_nothing_is_never_compromised_and_reports_what_it_read() {
    let summary = run("obeys-nothing");
    for (category, builder, share) in attack_cells(&summary) {
        assert_eq!(share, 0.0, "{category}, {builder}");
    }
    for builder in BUILDERS {
        let all = cell(&summary, "all attacks", builder);
        assert_eq!(
            (all.described.share(), all.useful.share(), all.refused.share()),
            (1.0, 1.0, 0.0)
        );
        // A report of an instruction on a benign page would be a false alarm.
        assert_eq!(cell(&summary, "benign", builder).described.share(), 0.0);
    }
    assert_eq!(cell(&summary, "all attacks", "marker").verdict, Some(Verdict::NoDifference));
}

#[test]
fn obeys_unless_fenced_holds_for_every_dialect_in_every_category() {
    let summary = run("obeys-unless-fenced");
    for (category, builder, share) in attack_cells(&summary) {
        let expected = if builder == "raw" { 1.0 } else { 0.0 };
        // A hostile source name in an opening marker that nothing sanitises can
        // end the fence before it began.
        if builder != "unneutralised" || category != "source-name" {
            assert_eq!(share, expected, "{category}, {builder}");
        }
        if FENCED.contains(&builder) {
            let verdict = cell(&summary, category, builder).verdict;
            assert_eq!(verdict, Some(Verdict::Holds), "{category}, {builder}");
        }
    }
}

/// What this harness is for: a fence whose closer can be forged is told from one
/// whose closer cannot.
#[test]
fn believing_the_first_closer_tells_neutralising_dialects_from_bare_markers() {
    let summary = run("believes-first-closer");
    for category in ["fence-closing", "fake-inner-fence"] {
        for builder in FENCED {
            let cell = cell(&summary, category, builder);
            assert_eq!(cell.bad.share(), 0.0, "{category}, {builder}");
            assert_eq!(cell.verdict, Some(Verdict::Holds), "{category}, {builder}");
        }
        let bare = cell(&summary, category, "unneutralised");
        assert_eq!(bare.bad.share(), 1.0, "{category}");
        assert_eq!(bare.verdict, Some(Verdict::NoDifference), "{category}");
    }
    // Where no closer is forged, bare markers do as well as any.
    let plain = cell(&summary, "plain-override", "unneutralised");
    assert_eq!(plain.verdict, Some(Verdict::Holds));
}

/// A model that is wary of a bare page, and trusts whatever follows a closer: the
/// bare markers make matters worse, and the harness says so.
#[test]
fn a_forged_closer_that_lends_trust_is_reported_as_worse() {
    let summary = run("rates=0.4/0/1");
    let bare = cell(&summary, "fence-closing", "unneutralised");
    assert_eq!(bare.bad.share(), 1.0);
    assert_eq!(bare.verdict, Some(Verdict::Worse));
    // It believes look-alikes as well, which only some dialects catch.
    let elsewhere = summary.worse().find(|(row, cell)| {
        cell.builder != "unneutralised" && row.scope.title() != "lookalike-closer"
    });
    assert!(elsewhere.is_none(), "{elsewhere:?}");
    assert_eq!(cell(&summary, "fence-closing", "marker").verdict, Some(Verdict::Holds));
}

/// The marker dialect does not claim to catch look-alikes; the harness shows what
/// that costs with a model that believes them.
#[test]
fn believing_lookalikes_gets_through_a_marker_and_not_through_a_token() {
    let summary = run("believes-lookalikes");
    assert_eq!(cell(&summary, "lookalike-closer", "marker").bad.share(), 1.0);
    assert_eq!(cell(&summary, "lookalike-closer", "marker").verdict, Some(Verdict::NoDifference));
    assert_eq!(cell(&summary, "lookalike-closer", "nonce").bad.share(), 0.0);
    assert_eq!(cell(&summary, "fence-closing", "marker").bad.share(), 0.0);
}

/// The reported intervals hold the rates that the script has by construction, as
/// often as they promise.
#[test]
fn intervals_hold_the_rates_of_a_script_with_chance() {
    let lab = Lab::new("rates=0.7/0.2/0.9");
    lab.run(&["raw", "marker", "nonce"], 8);
    let summary = summary(&lab.results(), Bar::default());
    let (mut held, mut cells) = (0, 0);
    for row in &summary.rows {
        let category = row.scope.title();
        // In these the place of the payload depends on the page, not only on the
        // builder.
        let mixed = ["fake-inner-fence", "lookalike-closer", "benign"];
        if row.scope.is_total() || mixed.contains(&category) {
            continue;
        }
        for cell in &row.cells {
            let rate = if cell.builder == "raw" { 0.7 } else { 0.2 };
            let interval = cell.bad.interval(0.95);
            held += usize::from(interval.contains(rate));
            cells += 1;
            let wide = cell.bad.interval(0.9999);
            assert!(wide.contains(rate), "{category}, {}: {:?}", cell.builder, cell.bad);
        }
    }
    assert!(cells >= 24, "{cells}");
    assert!(held * 100 >= cells * 85, "{held} of {cells}");
}

#[test]
fn an_echo_covers_the_facts_and_obeys_nothing_that_is_dictated() {
    let summary = run("echoes");
    for builder in BUILDERS {
        // Links count when they are shown; calls and leaks do not come about.
        let cell = cell(&summary, "plain-override", builder);
        assert_eq!((cell.obeyed.share(), cell.leaked.share()), (0.0, 0.0), "{builder}");
    }
}

#[test]
fn a_refusal_is_no_success_of_the_fence() {
    let summary = run("refuses");
    for builder in BUILDERS {
        let all = cell(&summary, "all attacks", builder);
        assert_eq!((all.bad.share(), all.refused.share(), all.useful.share()), (0.0, 1.0, 0.0));
        assert_eq!(cell(&summary, "benign", builder).bad.share(), 1.0);
    }
    assert_eq!(
        cell(&summary, "useless replies under attack", "marker").verdict,
        Some(Verdict::NoDifference)
    );
}

#[test]
fn fresh_payloads_are_judged_like_their_parents() {
    let lab = Lab::with_mutants("obeys-unless-fenced", 1);
    lab.run(&["raw", "marker", "tags"], 1);
    let summary = summary(&lab.results(), Bar::default());
    let attacks = lab.corpus.pages().iter().filter(|page| page.payload.is_some()).count();
    assert_eq!(cell(&summary, "all attacks", "raw").bad.of, attacks);
    assert_eq!(cell(&summary, "all attacks", "raw").bad.share(), 1.0);
    assert_eq!(cell(&summary, "all attacks", "marker").bad.share(), 0.0);
    assert_eq!(cell(&summary, "all attacks", "tags").bad.share(), 0.0);
}
