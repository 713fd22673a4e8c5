//! Instructions that calls of the fence take, counted by valgrind: unlike times,
//! they are the same on a busy machine.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use xtask::{Error, Layout, cargo, run, show};

use super::apt::install;
use super::{Failure, read, say};

/// What is counted: subject, corpus, bytes.
const CASES: [(&str, &str, &str); 20] = [
    ("neutralise", "text", "16384"),
    ("neutralise", "html", "16384"),
    ("neutralise", "json", "16384"),
    ("neutralise", "near-misses", "16384"),
    ("neutralise", "text", "100"),
    ("neutralise, owned", "text", "16384"),
    ("neutralise, owned", "html", "16384"),
    ("neutralise, owned", "all-brackets", "16384"),
    ("neutralise, owned", "all-markers", "16384"),
    ("wrap", "text", "100"),
    ("wrap_into, reused", "text", "100"),
    ("verify", "all-markers", "16384"),
    ("segments", "all-markers", "16384"),
    ("lookalikes", "html", "16384"),
    ("lookalikes", "cjk", "16384"),
    ("nonce wrap", "text", "16384"),
    ("nonce verify", "json", "16384"),
    ("tags wrap", "html", "16384"),
    ("tags verify", "html", "16384"),
    ("tags wrap", "text", "100"),
];

/// How many instructions more than recorded are let pass, in percent.
const TOLERANCE: u64 = 5;

/// Calls in the shorter and in the longer run; the difference is what counts.
const CALLS: (u64, u64) = (10, 30);

/// Counts, and holds the counts to the recorded ones or, with `record`, records them.
/// Without valgrind, and with no right to install it, the check is left out, except
/// in CI, where `CI` is set: there that fails.
pub fn instructions(record: bool) -> Result<(), Failure> {
    if !has_avx2() {
        say("no AVX2 here, so instructions are not counted: the recorded counts have it");
        return Ok(());
    }
    if let Err(error) = valgrind() {
        let found = format!(
            "no valgrind, so instructions are not counted; install it, or run this as root on \
             Debian: {error}"
        );
        if record || env::var_os("CI").is_some() {
            return Err(Failure::Check(found));
        }
        say(&found);
        return Ok(());
    }
    let Layout { root, target } = Layout::of_this_workspace();
    let recorded = root.join("benches/instructions.txt");
    say("building the program whose instructions are counted");
    let build = ["build", "--release", "--quiet", "--package", "murmur-fence-benches"];
    show(cargo(&root).args(build).args(["--bin", "instructions"]))?;
    let program = target.join("release/instructions");
    say("counting instructions");
    let counts = CASES
        .into_iter()
        .map(|(subject, corpus, size)| {
            let total = |calls| count(&program, [subject, corpus, size], calls);
            let difference = total(CALLS.1)?.saturating_sub(total(CALLS.0)?);
            Ok((format!("{subject} | {corpus} | {size}"), difference / (CALLS.1 - CALLS.0)))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    if record {
        return write(&recorded, &counts);
    }
    let text = String::from_utf8_lossy(&read(&recorded)?).into_owned();
    compare(&counts, &parse(&text))
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

/// Finds valgrind, or installs it with apt-get, as root on Debian may.
fn valgrind() -> Result<(), Error> {
    if run(Command::new("valgrind").arg("--version")).is_ok() {
        return Ok(());
    }
    install("valgrind", "to count instructions")
}

/// The instructions of a whole run.
fn count(program: &Path, case: [&str; 3], calls: u64) -> Result<u64, Failure> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = valgrind.arg(program).args(case).arg(calls.to_string()).output();
    let text = output.map_or_else(
        |error| error.to_string(),
        |output| String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    let collected = text.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.and_then(|(_, count)| count.trim().parse().ok());
    count.ok_or_else(|| Failure::Check(format!("valgrind counted nothing: {text}")))
}

fn write(path: &Path, counts: &[(String, u64)]) -> Result<(), Failure> {
    let mut text = String::from(
        "# Instructions a call: subject, corpus, bytes, count. `cargo xtask instructions --record`\n\
         # writes this. Counted with AVX2, as valgrind has it on a processor that has it.\n",
    );
    for (case, count) in counts {
        writeln!(text, "{case} | {count}").expect("a string takes everything");
    }
    Ok(super::write(path, text.as_bytes())?)
}

fn parse(text: &str) -> BTreeMap<&str, u64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (case, count) = line.rsplit_once(" | ")?;
            Some((case, count.parse().ok()?))
        })
        .collect()
}

fn compare(counts: &[(String, u64)], recorded: &BTreeMap<&str, u64>) -> Result<(), Failure> {
    let mut over = Vec::new();
    for (case, count) in counts {
        let Some(&before) = recorded.get(case.as_str()) else {
            over.push(format!("{case}: {count}, and none is recorded"));
            continue;
        };
        println!("{case}: {count}, recorded {before}");
        if count * 100 > before * (100 + TOLERANCE) {
            over.push(format!("{case}: {count} instructions, {before} are recorded"));
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!(
        "more than {TOLERANCE} % over the recorded instructions; find what grew, or, where the \
         compiler changed or it is worth it, record anew with `cargo xtask instructions --record`:\n{}",
        over.join("\n")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_five_percent_more_fails_and_so_does_what_is_not_recorded() {
        let recorded = parse("# text\nwrap | text | 100 | 1000\n");
        let count = |count| [("wrap | text | 100".to_owned(), count)];
        assert!(compare(&count(1050), &recorded).is_ok());
        assert!(compare(&count(500), &recorded).is_ok());
        assert!(compare(&count(1051), &recorded).is_err());
        assert!(compare(&[("other | text | 100".to_owned(), 1)], &recorded).is_err());
    }
}
