//! Every check passes for the native crates and for both components.

use host_test::checks::{self, Material, check_component, check_subject};
use host_test::report::{Checked, Outcome, Report};
use host_test::{CASES, Native};
use murmur_fence_host::World;
use std::fs;
use std::path::Path;
use xtask::Guest;

fn material() -> Material {
    Material::read(Path::new(CASES)).unwrap()
}

/// The checks of the world `conversation` that are not of the world `fence`.
const OF_RECORDS: [&str; 5] =
    ["page-cases", "page-walks", "large-records", "served-inspection", "served-markers-intact"];

fn assert_all_passed(report: &Report) {
    let due = |name: &&str| match report.world {
        World::Conversation => true,
        World::Fence => !OF_RECORDS.contains(name),
    };
    let seen: Vec<&str> = report.checks.iter().map(|check| check.name).collect();
    assert_eq!(seen, checks::names().filter(due).collect::<Vec<_>>());
    let passed = |check: &Checked| matches!(check.outcome, Outcome::Passed(_));
    assert!(report.checks.iter().all(passed), "{}", report.human());
}

#[test]
fn the_native_crates_pass() {
    let world = World::Conversation;
    let checks = check_subject(&Native, world, &material(), &[]).unwrap();
    let report = Report { component: "native".into(), world, checks };
    assert!(report.failed().is_empty(), "{}", report.human());
}

#[test]
fn the_fence_component_passes() {
    let path = xtask::component(Guest::Fence).unwrap();
    let report = check_component("fence", &fs::read(path).unwrap(), &material(), &[]).unwrap();
    assert_eq!(report.world, World::Fence);
    // Purity: not one import of any kind.
    assert_eq!(report.checks[0], Checked { name: "imports", outcome: Outcome::Passed(0) });
    assert_all_passed(&report);
}

#[test]
fn the_conversation_component_passes() {
    let path = xtask::component(Guest::Conversation).unwrap();
    let report =
        check_component("conversation", &fs::read(path).unwrap(), &material(), &[]).unwrap();
    assert_eq!(report.world, World::Conversation);
    assert_all_passed(&report);
}
