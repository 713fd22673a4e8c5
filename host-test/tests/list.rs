//! The list of calls that hosts in other languages run: it is whole, and it holds
//! natively and in the component.

use host_test::cases::{self, Call, Kind};
use host_test::{ComponentSubject, Native, Subject, vectors};
use murmur_fence_host::{Component, Limits};
use std::collections::BTreeMap;
use std::path::Path;
use xtask::Guest;

fn calls() -> Vec<Call> {
    cases::calls(Path::new(host_test::CASES)).unwrap()
}

#[test]
fn every_case_but_the_pages_and_every_vector_is_in_it() {
    let calls = calls();
    let of = |title: &str| calls.iter().filter(|call| call.name.starts_with(title)).count();
    for case in cases::find(Path::new(host_test::CASES)).unwrap() {
        let found = of(&format!("{} ", case.title()));
        let expected = match case.kind {
            Kind::Wrap | Kind::Message => 4..=4,
            Kind::Restore | Kind::Inspect | Kind::Audit => 1..=1,
            Kind::Page => 0..=0,
            // Asked of Rust hosts alone.
            Kind::Dialect if ["chat-", "messages-"].iter().any(|it| case.name.starts_with(it)) => {
                0..=0
            }
            Kind::Dialect => 1..=2,
        };
        assert!(expected.contains(&found), "{} has {found} calls", case.title());
    }
    let vectors = vectors::find(Path::new(host_test::CASES)).unwrap();
    assert_eq!((vectors.len(), of("vectors/")), (400, 3 * 400));
    let mut functions = BTreeMap::new();
    for call in &calls {
        *functions.entry(format!("{}.{}", call.interface, call.function)).or_insert(0) += 1;
    }
    for batch in ["wrap-all", "neutralise-all", "verify-all"] {
        assert!(functions.contains_key(&format!("fence.{batch}")), "{functions:?}");
    }
    for interface in ["fence", "nonce", "tags", "rules", "lanes", "inspect", "audit"] {
        assert!(functions.keys().any(|name| name.starts_with(interface)), "{functions:?}");
    }
}

fn holds(subject: &dyn Subject) {
    let findings = calls().iter().filter_map(|call| call.finding(subject)).collect::<Vec<_>>();
    let shown: String = findings.iter().take(9).map(|it| format!("{it}\n")).collect();
    assert!(findings.is_empty(), "{} findings\n{shown}", findings.len());
}

#[test]
fn it_holds_natively() {
    holds(&Native);
}

#[test]
fn it_holds_in_the_component() {
    let path = xtask::component(Guest::Fence).unwrap();
    holds(&ComponentSubject::new(Component::from_file(path, &Limits::default()).unwrap()));
}

#[test]
fn what_is_changed_is_found() {
    for mut call in calls() {
        call.result = match call.result {
            serde_json::Value::Null => serde_json::json!("x"),
            _ => serde_json::json!(0),
        };
        assert!(call.finding(&Native).is_some(), "{}", call.name);
    }
}
