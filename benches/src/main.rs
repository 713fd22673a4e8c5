//! Times the fence beside what else does such work, and writes the results.
//!
//! `cargo xtask bench` runs it; `--help` says what else it can do.

mod machine;
mod results;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use std::{env, fs};

use benches::corpus::Corpus;
use benches::paired::{Timed, compare};
use benches::subject::Inputs;
use clap::{Parser, ValueEnum};

use results::Results;

/// Time the fence beside what else does such work
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Only this part; the results are printed and not written
    #[arg(long)]
    only: Option<Part>,
    /// Only corpora of this name
    #[arg(long)]
    corpus: Option<String>,
    /// A fifth of the rounds, for a first look; the results are printed
    #[arg(long)]
    quick: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The ratios that are aimed at
    Targets,
    /// Every subject on every corpus, in five sizes
    Sizes,
    /// Python and Node on the same texts
    Scripts,
    /// The audit of a record, and pages
    Record,
    /// The component in its host
    Component,
}

/// The sizes, with how many rounds each has.
const SIZES: [(usize, usize); 5] =
    [(100, 41), (4 << 10, 41), (256 << 10, 41), ((257 << 10) + 13, 41), (16 << 20, 5)];

/// What one run of a subject lasts, or one call where that is longer.
const SLICE: Duration = Duration::from_micros(1500);

/// How often a target is measured, each time with texts at other addresses.
const REPEATS: usize = 5;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // From here on the allocator keeps what is freed, so that no subject pays for
    // fresh pages and the next one not.
    drop(Vec::<u8>::with_capacity(31 << 20));
    let mut results = Results::default();
    let wanted = |part| arguments.only.is_none_or(|only| only == part);
    let corpora: Vec<Corpus> = Corpus::ALL
        .into_iter()
        .filter(|corpus| arguments.corpus.as_ref().is_none_or(|only| only == corpus.name()))
        .collect();
    let fewer = |rounds: usize| if arguments.quick { rounds.div_ceil(5) } else { rounds };
    if wanted(Part::Targets) {
        eprintln!("bench: targets");
        targets(&mut results, &fewer);
    }
    if wanted(Part::Sizes) {
        for (size, rounds) in SIZES {
            eprintln!("bench: {size} bytes");
            let timed: Vec<_> = corpora
                .iter()
                .map(|corpus| (*corpus, time(*corpus, size, fewer(rounds), None)))
                .collect();
            results.size(size, &timed);
        }
    }
    if wanted(Part::Scripts) {
        eprintln!("bench: scripts");
        scripts(&mut results, &corpora);
    }
    if wanted(Part::Record) {
        eprintln!("bench: record");
        results.record(&record());
    }
    if wanted(Part::Component) {
        eprintln!("bench: component");
        results.component(&component());
    }
    let whole = arguments.only.is_none() && arguments.corpus.is_none() && !arguments.quick;
    if !whole {
        print!("{}", results.text());
        return ExitCode::SUCCESS;
    }
    let path = directory().join("RESULTS.md");
    match results.write(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to write {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

/// The directory of this crate.
fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn time(corpus: Corpus, size: usize, rounds: usize, only: Option<&[&str]>) -> Vec<Timed> {
    let inputs = Inputs::new(corpus.text(size));
    let mut subjects = inputs.subjects();
    subjects.retain(|subject| only.is_none_or(|only| only.contains(&subject.name)));
    compare(&mut subjects, rounds, SLICE)
}

/// One aim: the subject is to be so many times as fast as another.
struct Target {
    corpus: Corpus,
    size: usize,
    subject: &'static str,
    beside: &'static str,
    aim: f64,
}

const fn target(
    corpus: Corpus,
    size: usize,
    subject: &'static str,
    beside: &'static str,
    aim: f64,
) -> Target {
    Target { corpus, size, subject, beside, aim }
}

const K256: usize = 256 << 10;
const M16: usize = 16 << 20;
const OWNED: &str = "neutralise, owned";

const TARGETS: [Target; 21] = [
    target(Corpus::Text, K256, OWNED, "to_owned", 0.90),
    target(Corpus::Html, K256, OWNED, "to_owned", 0.70),
    target(Corpus::Json, K256, OWNED, "to_owned", 0.85),
    target(Corpus::Text, M16, OWNED, "to_owned", 0.95),
    target(Corpus::Html, M16, OWNED, "to_owned", 0.95),
    target(Corpus::Json, M16, OWNED, "to_owned", 0.95),
    target(Corpus::Text, K256, "neutralise", "memchr", 0.90),
    target(Corpus::Html, K256, "neutralise", "memchr", 0.55),
    target(Corpus::Text, K256, OWNED, "plain neutralise", 6.0),
    target(Corpus::Html, K256, OWNED, "plain neutralise", 25.0),
    target(Corpus::Json, K256, OWNED, "plain neutralise", 13.0),
    target(Corpus::Text, K256, OWNED, "naive twin", 6.0),
    target(Corpus::Html, K256, OWNED, "naive twin", 25.0),
    target(Corpus::Json, K256, OWNED, "naive twin", 13.0),
    target(Corpus::Brackets, K256, OWNED, "to_owned", 0.35),
    target(Corpus::Beginnings, K256, OWNED, "to_owned", 0.35),
    target(Corpus::Middles, K256, OWNED, "to_owned", 0.35),
    target(Corpus::NearMisses, K256, OWNED, "to_owned", 0.35),
    target(Corpus::Markers, K256, OWNED, "plain neutralise", 3.0),
    // At most 1.5 and 2 times the time.
    target(Corpus::Text, 100, "wrap_into, reused", "to_owned", 1.0 / 1.5),
    target(Corpus::Text, 100, "wrap", "to_owned", 0.5),
];

fn targets(results: &mut Results, fewer: &dyn Fn(usize) -> usize) {
    let rows = TARGETS.iter().map(|target| {
        let rounds = fewer(if target.size == M16 { 9 } else { 41 });
        let mut ratios: Vec<f64> = (0..REPEATS)
            .map(|repeat| {
                // Texts of other addresses each time: which pages share a place in
                // the cache is luck.
                let _elsewhere = vec![1_u8; (repeat + 1) * 4096 * 7];
                let only = [target.subject, target.beside];
                let timed = time(target.corpus, target.size, rounds, Some(&only));
                let of = |name| timed.iter().find(|timed| timed.name == name).expect("timed");
                of(target.subject).times_as_fast_as(of(target.beside))
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        results::Row {
            corpus: target.corpus.name(),
            size: target.size,
            subject: target.subject,
            beside: target.beside,
            aim: target.aim,
            ratios,
        }
    });
    results.targets(&rows.collect::<Vec<_>>());
}

/// Runs the scripts on each corpus, where their programs are there.
fn scripts(results: &mut Results, corpora: &[Corpus]) {
    let directory = directory();
    let scratch = env::temp_dir().join(format!("murmur-fence-benches-{}", std::process::id()));
    let rows: Vec<_> = corpora
        .iter()
        .map(|corpus| {
            let text = corpus.text(K256);
            fs::write(&scratch, &text).expect("the directory for temporary files takes one");
            let python = script("python3", &directory.join("scripts/replace.py"), &scratch);
            let node = script("node", &directory.join("scripts/replace.mjs"), &scratch);
            (*corpus, text.len(), python, node)
        })
        .collect();
    _ = fs::remove_file(&scratch);
    results.scripts(&rows);
}

/// Nanoseconds a call, as the script prints them.
fn script(program: &str, script: &Path, file: &Path) -> Option<f64> {
    let output = Command::new(program).arg(script).arg(file).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// What the measurement of the record crate prints.
fn record() -> String {
    run(&["--package", "murmur-fence-record", "--example", "measure_audit", "--", "1000"])
}

/// A program of its own, since wasmtime takes minutes to build.
fn component() -> String {
    let program = ["--package", "murmur-fence-benches", "--features", "component"];
    run(&[&program[..], &["--bin", "component"]].concat())
}

/// What a program of this workspace prints.
fn run(arguments: &[&str]) -> String {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(directory())
        .args(["run", "--quiet", "--release"])
        .args(arguments)
        .output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into(),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into(),
        Err(error) => format!("failed to run cargo: {error}"),
    }
}
