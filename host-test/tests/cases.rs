//! Every golden case, one test each for the native crates and for each component.
//!
//! `BLESS=1 cargo test -p host-test --test cases` writes what the native crates
//! answer as what the cases expect; the components must agree with it.

use host_test::cases::{self, Case, Kind};
use host_test::{ComponentSubject, Native, Subject};
use libtest_mimic::{Arguments, Failed, Trial};
use murmur_fence_host::{Component, Limits};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use xtask::Guest;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = match cases::find(Path::new(host_test::CASES)) {
        Ok(cases) => cases,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let mut trials = Vec::new();
    add(&mut trials, &cases, "native", Arc::new(Native), |_| true, bless);
    for (guest, name) in [(Guest::Fence, "fence"), (Guest::Conversation, "conversation")] {
        let subject: Arc<dyn Subject + Send> = match load(guest) {
            Ok(component) => Arc::new(ComponentSubject::new(component)),
            Err(error) => {
                let failed = move || Err(Failed::from(error));
                trials.push(Trial::test(format!("{name}: the component"), failed));
                continue;
            }
        };
        let has = move |kind| guest == Guest::Conversation || kind != Kind::Page;
        add(&mut trials, &cases, name, subject, has, false);
    }
    trials.push(Trial::test("every fault has a case, of every dialect", move || faults(&cases)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn faults(cases: &[Case]) -> Result<(), Failed> {
    let (mut dialects, mut faults) = (BTreeSet::new(), BTreeSet::new());
    for case in cases {
        let Some((dialect, fault)) = case.concern()? else { continue };
        dialects.insert(dialect);
        faults.insert(fault);
    }
    let expected = cases::FAULTS.map(String::from);
    if faults != BTreeSet::from(expected) || dialects != BTreeSet::from(cases::SUBJECTS) {
        return Err(format!("the cases have {dialects:?} and {faults:?}").into());
    }
    Ok(())
}

fn load(guest: Guest) -> Result<Component, String> {
    let path = xtask::component(guest).map_err(|error| error.to_string())?;
    Component::from_file(path, &Limits::default()).map_err(|error| error.to_string())
}

fn add(
    trials: &mut Vec<Trial>,
    cases: &[Case],
    name: &str,
    subject: Arc<dyn Subject + Send>,
    has: impl Fn(Kind) -> bool,
    bless: bool,
) {
    for case in cases.iter().filter(|case| has(case.kind)) {
        let (subject, case) = (Arc::clone(&subject), case.clone());
        let title = format!("{name}: {}", case.title());
        trials.push(Trial::test(title, move || run(&case, subject.as_ref(), bless)));
    }
}

fn run(case: &Case, subject: &dyn Subject, bless: bool) -> Result<(), Failed> {
    if bless {
        return Ok(case.bless(subject)?);
    }
    let findings = case.findings(subject, |_| true)?;
    if findings.is_empty() {
        return Ok(());
    }
    let findings: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    Err(Failed::from(format!(
        "\n{findings}If the new answer is right, `BLESS=1 cargo test -p host-test --test cases` \
         writes it; review what changes."
    )))
}
