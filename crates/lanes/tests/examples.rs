//! The trees of `examples/lanes`: one fence call with one literal, and its twin.

use std::fs;
use std::path::PathBuf;

use murmur_fence_lanes::scan::{Options, Report, scan};
use murmur_fence_lanes::{Registry, Trust};

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/lanes")
}

fn registry(name: &str) -> Registry {
    Registry::parse(&fs::read_to_string(examples().join(name)).unwrap()).unwrap()
}

fn report(registry: &Registry, tree: &str) -> Report {
    scan(registry, &examples().join(tree), &Options::default()).unwrap()
}

fn uncovered(report: &Report) -> Vec<&str> {
    report.uncovered().map(|lane| lane.name.as_str()).collect()
}

#[test]
fn nine_declared_one_enforced_and_the_eight_by_name() {
    let registry = registry("lanes.toml");
    let count = |trust| registry.lanes().iter().filter(|lane| lane.trust == trust).count();
    assert_eq!(Trust::SPELLED.map(count), [8, 8, 3, 3, 3]);

    let before = report(&registry, "typescript/before");
    assert_eq!((before.declared(), before.enforced()), (9, 1));
    assert_eq!(before.literal_set(), ["laneTrustOf('tool_results'"]);
    assert_eq!(
        uncovered(&before),
        [
            "search_hits",
            "file_excerpts",
            "channel_envelope",
            "hook_memory",
            "watcher_report",
            "page_context",
            "api_assistant",
            "session_summary",
        ]
    );
    assert!(!before.is_clean());

    let after = report(&registry, "typescript/after");
    assert_eq!((after.declared(), after.enforced()), (9, 9));
    assert_eq!(after.literal_set(), Vec::<&str>::new());
    assert!(after.is_clean());
}

#[test]
fn a_lane_added_to_the_registry_alone_is_found() {
    let path = examples().join("lanes.toml");
    let more = fs::read_to_string(path).unwrap() + "[mail_body]\ntrust = \"model\"\nbudget = 1\n";
    let after = report(&Registry::parse(&more).unwrap(), "typescript/after");
    assert_eq!((after.declared(), after.enforced()), (10, 9));
    assert_eq!(uncovered(&after), ["mail_body"]);
}

#[test]
fn the_small_trees_read_alike_in_every_language() {
    let registry = registry("small.toml");
    for (language, literal) in [
        ("javascript", "wrap(`tool_results`"),
        ("python", "wrap_untrusted(\"tool_results\""),
        ("rust", "wrap(\"tool_results\""),
    ] {
        let before = report(&registry, &format!("{language}/before"));
        assert_eq!(before.literal_set(), [literal], "{language}");
        assert_eq!(uncovered(&before), ["hook_memory", "page_context"], "{language}");
        let after = report(&registry, &format!("{language}/after"));
        assert!(after.is_clean(), "{language}\n{}", after.to_human("small.toml", language));
        assert_eq!(after.literal_set(), Vec::<&str>::new(), "{language}");
    }
}
