//! A component with one fault fails exactly the checks that are about it.

use host_test::CASES;
use host_test::checks::{Material, check_component};
use host_test::report::{Outcome, Report};
use std::fs;
use std::path::Path;

/// Each fault of the package `guest-wrong`, and the checks that tell.
const FAULTS: &[(&str, &[&str])] = &[
    ("closes-early", &["vectors", "wrap-cases", "marker-cases", "idempotence", "marker-laws"]),
    ("deletes-markers", &["vectors", "wrap-cases", "marker-cases", "idempotence", "marker-laws"]),
    ("forgets-chunks", &["writer-splits"]),
    ("final-closer", &["segment-cases", "marker-cases", "marker-laws"]),
    ("lenient-verdict", &["verdict-cases", "strict-cases", "marker-cases"]),
    ("short-batch", &["batches"]),
    (
        "traps-on-nul",
        &["vectors", "wrap-cases", "idempotence", "batches", "marker-laws", "large-inputs"],
    ),
    ("trusts-entities", &["lookalike-cases"]),
    ("folds-roles", &["history-cases"]),
    ("exact-token", &["nonce-cases", "nonce-laws"]),
    ("tidy-tags", &["tags-cases", "tags-laws"]),
    ("takes-any-lane", &["lane-cases"]),
    ("claims-fences", &["receipts"]),
    ("oldest-first", &["page-cases", "page-walks", "served-markers-intact"]),
    ("page-total", &["page-cases", "page-walks", "large-records"]),
    ("defaces-pages", &["page-cases", "served-markers-intact"]),
    ("believes-quotes", &["inspect-cases", "served-inspection"]),
    ("believes-labels", &["audit-cases", "audit-stretches"]),
    ("reads-clock", &["imports"]),
];

/// The checks that take long; run only where they are to tell.
const LARGE: [&str; 2] = ["large-inputs", "large-records"];

fn check(bytes: &[u8], expected: &[&str]) -> Report {
    let material = Material::read(Path::new(CASES)).unwrap();
    let skip = LARGE.iter().filter(|name| !expected.contains(name)).map(|it| it.to_string());
    check_component("wrong", bytes, &material, &skip.collect::<Vec<_>>()).unwrap()
}

#[test]
fn each_fault_fails_the_checks_that_are_about_it() {
    let mut wrong = Vec::new();
    for (fault, expected) in FAULTS {
        let name = format!("wrong-{fault}");
        let path = xtask::build_guest("guest-wrong", &[fault], &name).unwrap();
        let report = check(&fs::read(path).unwrap(), expected);
        if report.failed() != *expected {
            wrong.push(format!("{fault}: expected {expected:?}\n{}", report.human()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_a_fault_the_wrong_component_is_right() {
    let path = xtask::build_guest("guest-wrong", &[], "wrong-in-nothing").unwrap();
    let report = check(&fs::read(path).unwrap(), &[]);
    assert!(report.failed().is_empty(), "{}", report.human());
}

#[test]
fn an_import_beyond_the_world_is_named_and_the_rest_skipped() {
    let path = xtask::build_guest("guest-wrong", &["reads-clock"], "wrong-reads-clock").unwrap();
    let report = check(&fs::read(path).unwrap(), &["imports"]);
    let Outcome::Failed(findings) = &report.checks[0].outcome else { panic!("{report:?}") };
    let names: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(names, ["guest-wrong:faults/clock"]);
    for check in &report.checks[2..] {
        assert!(matches!(check.outcome, Outcome::Skipped(_)), "{check:?}");
    }
}

#[test]
fn missing_exports_are_named_and_the_rest_skipped() {
    // A component with nothing in it: the header alone.
    let report = check(b"\0asm\x0d\0\x01\0", &["exports"]);
    assert_eq!(report.failed(), ["exports"]);
    let Outcome::Failed(findings) = &report.checks[1].outcome else { panic!("{report:?}") };
    let names: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(
        names,
        [
            "murmur:fence/fence@0.1.0",
            "murmur:fence/nonce@0.1.0",
            "murmur:fence/tags@0.1.0",
            "murmur:fence/rules@0.1.0",
            "murmur:fence/lanes@0.1.0",
            "murmur:fence/inspect@0.1.0",
            "murmur:fence/audit@0.1.0",
        ]
    );
    for check in &report.checks[2..] {
        assert!(matches!(check.outcome, Outcome::Skipped(_)), "{check:?}");
    }
}
