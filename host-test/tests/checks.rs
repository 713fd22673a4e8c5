//! Every check passes for the native crates and for both components.

use host_test::checks::{Material, check_component, check_subject};
use host_test::report::{Checked, Outcome};
use host_test::{CASES, Native};
use murmur_fence_host::World;
use std::fs;
use std::path::Path;
use xtask::Guest;

/// Every check that a subject of the world `conversation` has to pass.
const NAMES: [&str; 19] = [
    "vectors",
    "wrap-cases",
    "restore-cases",
    "segment-cases",
    "outer-block-cases",
    "verdict-cases",
    "strict-cases",
    "inspect-cases",
    "markers",
    "idempotence",
    "batches",
    "writer-splits",
    "writer-finished",
    "large-inputs",
    "page-cases",
    "page-walks",
    "large-records",
    "served-inspection",
    "served-markers-intact",
];

fn material() -> Material {
    Material::read(Path::new(CASES)).unwrap()
}

fn assert_passed(checks: &[Checked], names: &[&str]) {
    let seen: Vec<&str> = checks.iter().map(|check| check.name).collect();
    assert_eq!(seen, names);
    for Checked { name, outcome } in checks {
        assert!(matches!(outcome, Outcome::Passed(_)), "{name}: {outcome:#?}");
    }
}

#[test]
fn the_native_crates_pass() {
    let checks = check_subject(&Native, World::Conversation, &material()).unwrap();
    assert_passed(&checks, &NAMES);
}

#[test]
fn the_fence_component_passes() {
    let path = xtask::component(Guest::Fence).unwrap();
    let report = check_component("fence", &fs::read(path).unwrap(), &material()).unwrap();
    assert_eq!(report.world, World::Fence);
    // Purity: not one import of any kind.
    assert_eq!(report.checks[0], Checked { name: "imports", outcome: Outcome::Passed(0) });
    let names = ["imports", "exports"].iter().chain(&NAMES[..14]).copied().collect::<Vec<_>>();
    assert_passed(&report.checks, &names);
}

#[test]
fn the_conversation_component_passes() {
    let path = xtask::component(Guest::Conversation).unwrap();
    let report = check_component("conversation", &fs::read(path).unwrap(), &material()).unwrap();
    assert_eq!(report.world, World::Conversation);
    let names = ["imports", "exports"].iter().chain(&NAMES).copied().collect::<Vec<_>>();
    assert_passed(&report.checks, &names);
}
