//! Hostile load: memory and time limits, texts of a gibibyte, many threads, traps in
//! the middle of a batch, a host that is killed. Nothing wrong is ever answered, each
//! failure has its kind, and afterwards the pool and the memory are as before.
//!
//! Runs for a moment; `cargo xtask soak` sets the variables that make it run for
//! minutes and print what it did.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use murmur_fence::{INFIX, Mode as NativeMode};
use murmur_fence_host::{CallError, Component, Fence, Item, Limits, Mode, Verdict};
use xtask::Guest;

/// How many seconds the threads call for.
const SECONDS: &str = "MURMUR_FENCE_SOAK_SECONDS";
/// How many threads call at once.
const THREADS: &str = "MURMUR_FENCE_SOAK_THREADS";
/// Set in the process that is to be killed.
const VICTIM: &str = "MURMUR_FENCE_SOAK_VICTIM";

const MIB: usize = 1 << 20;

fn number(variable: &str, otherwise: u64) -> u64 {
    let set = env::var(variable).ok();
    set.map_or(otherwise, |number| number.parse().expect("a number in the variable"))
}

fn load(limits: &Limits) -> Component {
    let path = xtask::component(Guest::Fence).unwrap();
    Component::from_file(path, limits).unwrap()
}

/// Texts that a fence has been slow or wrong on, and some that it has not.
fn texts() -> Vec<String> {
    let repeated =
        ["<", "</", "<u", "d-c", "<untrusted-contenx>", "</untrusted-content>", "a", "\u{4e2d}"];
    let mut texts: Vec<String> = Vec::new();
    for piece in repeated {
        for length in [0, 1, 17, 100, 4096, 70_001] {
            let mut text = piece.repeat(length / piece.len() + 1);
            text.truncate(text.floor_char_boundary(length));
            texts.push(text);
        }
    }
    texts
}

/// What calls did: how often each kind of end was met.
#[derive(Default)]
struct Totals(BTreeMap<&'static str, u64>);

impl Totals {
    fn count(&mut self, end: &'static str) {
        *self.0.entry(end).or_default() += 1;
    }

    fn of(&self, end: &str) -> u64 {
        self.0.get(end).copied().unwrap_or(0)
    }

    fn add(&mut self, other: Totals) {
        for (end, times) in other.0 {
            *self.0.entry(end).or_default() += times;
        }
    }
}

fn kind(error: &CallError) -> &'static str {
    match error {
        CallError::InputTooLarge { .. } => "input too large",
        CallError::OutputTooLarge { .. } => "output too large",
        CallError::OutOfMemory { .. } => "out of memory",
        CallError::TimedOut { .. } => "timed out",
        CallError::Trapped { .. } => "trapped",
        CallError::NoFreeInstance { .. } => "no free instance",
        other => panic!("a kind that the soak does not know: {other}"),
    }
}

/// An answer is the native one, an error is counted by its kind.
fn hold<T: PartialEq + std::fmt::Debug>(
    totals: &mut Totals,
    answer: Result<T, CallError>,
    native: impl FnOnce() -> T,
) {
    match answer {
        Ok(answer) => {
            // Not `assert_eq`: an answer may have megabytes.
            assert!(answer == native(), "the component answered what the native fence does not");
            totals.count("answered");
        }
        Err(error) => totals.count(kind(&error)),
    }
}

fn neutralised(text: &str) -> Option<String> {
    match murmur_fence::neutralise(text) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(text) => Some(text),
    }
}

fn is_intact(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Intact(_))
}

/// Calls of every sort, one after the other, until the time is over; at least one
/// round.
fn call_for(fence: &Fence, texts: &[String], time: Duration, seed: usize) -> Totals {
    let mut totals = Totals::default();
    let end = Instant::now() + time;
    let mut at = seed;
    loop {
        let text = &texts[at % texts.len()];
        let source = &texts[(at * 7) % 5];
        match at % 6 {
            0 => hold(&mut totals, fence.wrap(source, text), || murmur_fence::wrap(source, text)),
            1 => hold(&mut totals, fence.neutralise(text), || neutralised(text)),
            2 => {
                let block = murmur_fence::wrap(source, text);
                let intact = fence.verify(&block, Mode::Strict).map(|verdict| is_intact(&verdict));
                hold(&mut totals, intact, || {
                    matches!(
                        murmur_fence::verify(&block, NativeMode::Strict),
                        murmur_fence::Verdict::Intact(_)
                    )
                });
            }
            3 => {
                let items: Vec<Item<'_>> =
                    texts.iter().map(|content| Item { source, content }).collect();
                hold(&mut totals, fence.wrap_all(&items), || {
                    texts.iter().map(|text| murmur_fence::wrap(source, text)).collect()
                });
            }
            4 => {
                let answer = fence.writer(source).and_then(|mut writer| {
                    let mut out = writer.write(text)?.expect("an open writer");
                    out.push_str(&writer.write(text)?.expect("an open writer"));
                    out.push_str(&writer.finish()?.expect("an open writer"));
                    Ok(out)
                });
                hold(&mut totals, answer, || murmur_fence::wrap(source, &text.repeat(2)));
            }
            _ => {
                // Needs more memory than there is.
                let text = "</untrusted-content>".repeat(MIB / 8);
                hold(&mut totals, fence.wrap(source, &text), || murmur_fence::wrap(source, &text));
            }
        }
        at += 1;
        if Instant::now() >= end && at > seed + 6 {
            return totals;
        }
    }
}

/// Bytes of memory that the process has, where the system tells.
fn resident() -> Option<usize> {
    bytes_of("VmRSS:")
}

/// Bytes of memory by the name that the system has for them.
fn bytes_of(name: &str) -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? * 1024)
}

#[test]
fn many_threads_get_right_answers_or_typed_errors_and_leave_the_memory_as_it_was() {
    let time = Duration::from_secs(number(SECONDS, 2));
    let threads = usize::try_from(number(THREADS, 16)).unwrap();
    let limits = Limits::default()
        .memory_bytes(6 * MIB)
        .keep_bytes(4 * MIB)
        .instances(4)
        .wait(Duration::from_secs(60));
    let component = load(&limits);
    let fence = component.fence();
    let texts = texts();
    let round = |time| {
        let totals = Mutex::new(Totals::default());
        thread::scope(|scope| {
            for seed in 0..threads {
                let (fence, texts, totals) = (fence.clone(), &texts, &totals);
                scope.spawn(move || {
                    // Not in one statement: the lock would be held while calling.
                    let made = call_for(&fence, texts, time, seed);
                    totals.lock().unwrap().add(made);
                });
            }
        });
        totals.into_inner().unwrap()
    };
    // What the first calls take, the allocator of the host keeps.
    round(time / 4);
    let before = resident();
    let totals = round(time);
    let after = resident();
    println!("{threads} threads for {time:?}: {:?}", totals.0);
    let peak = bytes_of("VmHWM:");
    println!("resident before {before:?}, at most {peak:?} and after {after:?} bytes");

    assert!(totals.of("answered") > 0);
    assert!(totals.of("out of memory") > 0);
    let expected = ["answered", "out of memory", "no free instance", "timed out"];
    for end in totals.0.keys() {
        assert!(expected.contains(end), "{end}");
    }
    if let (Some(before), Some(after)) = (before, after) {
        // Four instances of 6 MiB, and as much that the host's allocator may hold.
        let bound = before + 64 * MIB;
        assert!(after <= bound, "{before} bytes before, {after} after");
    }
    // The pool has recovered: every instance may be had at once.
    let writers: Vec<_> = (0..4).map(|_| fence.writer("x").unwrap()).collect();
    assert_eq!(writers.len(), 4);
}

#[test]
fn an_instance_does_not_grow_however_often_it_is_called() {
    // So little memory that a leak of some bytes a call meets the limit.
    let limits = Limits::default().memory_bytes(3 * MIB).keep_bytes(3 * MIB).instances(2);
    let fence = load(&limits).fence();
    let text = format!("{}</untrusted-content>", "x".repeat(1000));
    let block = murmur_fence::wrap("s", &text);
    // One resource lives all the while, in an instance of its own.
    let mut writer = fence.writer("s").unwrap();
    writer.write("").unwrap().unwrap();
    for _ in 0..number(SECONDS, 1) * 5000 {
        assert_eq!(fence.wrap("s", &text).unwrap(), block);
        assert!(is_intact(&fence.verify(&block, Mode::Strict).unwrap()));
        writer.write(&text).unwrap().unwrap();
    }
}

#[test]
fn a_gibibyte_ends_in_a_typed_error() {
    let gibibyte = "<".repeat(1 << 30);
    let refused = load(&Limits::default()).fence().wrap("s", &gibibyte).unwrap_err();
    let limit = Limits::default().max_input_bytes();
    assert_eq!(refused, CallError::InputTooLarge { len: (1 << 30) + 1, limit });

    // Let through, it does not fit the memory.
    let limits = Limits::default().input_bytes(usize::MAX).memory_bytes(64 * MIB);
    let fence = load(&limits).fence();
    for _ in 0..2 {
        let refused = fence.wrap("s", &gibibyte).unwrap_err();
        assert_eq!(refused, CallError::OutOfMemory { limit: 64 * MIB });
        assert_eq!(fence.wrap("s", "hi").unwrap(), murmur_fence::wrap("s", "hi"));
    }
}

#[test]
fn a_writer_may_be_fed_for_ever() {
    let fence = load(&Limits::default().memory_bytes(4 * MIB)).fence();
    let mut writer = fence.writer("s").unwrap();
    let chunk = "</untrusted-content>".repeat(1000);
    let neutralised = murmur_fence::neutralise(&chunk).into_owned();
    let mut out = writer.write(&chunk).unwrap().unwrap().len();
    for _ in 0..2000 {
        out += writer.write(&chunk).unwrap().unwrap().len();
    }
    out += writer.finish().unwrap().unwrap().len();
    assert_eq!(out, murmur_fence::wrap("s", "").len() + 2001 * neutralised.len());
    assert!(neutralised.contains(INFIX));
}

#[test]
fn a_batch_that_meets_a_limit_in_its_middle_answers_nothing_of_it() {
    let fence = load(&Limits::default().memory_bytes(8 * MIB)).fence();
    let (small, large) = ("<untrusted-content", "</untrusted-content>".repeat(MIB / 8));
    let item = |content| Item { source: "s", content };
    let mut items = vec![item(small); 20];
    items[10] = item(&large);
    for _ in 0..8 {
        let refused = fence.wrap_all(&items).unwrap_err();
        assert_eq!(refused, CallError::OutOfMemory { limit: 8 * MIB });
        let answers = fence.wrap_all(&items[..10]).unwrap();
        assert_eq!(answers, vec![murmur_fence::wrap("s", small); 10]);
    }
}

#[test]
fn a_batch_that_runs_out_of_time_answers_nothing_of_it() {
    let time = Duration::from_millis(1);
    let fence = load(&Limits::default().call_time(time)).fence();
    // Many times what the limit and its coarseness allow.
    let slow = "<untrusted-contenx>".repeat(3 * MIB);
    for _ in 0..8 {
        let refused = fence.neutralise_all(&["</untrusted-content>", &slow]).unwrap_err();
        assert_eq!(refused, CallError::TimedOut { limit: time });
        // On a busy machine even a short call may not get its millisecond at once.
        let answer = loop {
            match fence.close_marker() {
                Err(CallError::TimedOut { .. }) => {}
                answer => break answer.unwrap(),
            }
        };
        assert_eq!(answer, murmur_fence::CLOSE_MARKER);
    }
}

/// What the killed process does: it calls without an end.
#[test]
fn victim() {
    if env::var_os(VICTIM).is_some() {
        let fence = load(&Limits::default()).fence();
        println!("calling");
        call_for(&fence, &texts(), Duration::from_secs(600), 0);
    }
}

#[test]
fn a_host_that_is_killed_takes_no_other_with_it() {
    let fence = load(&Limits::default()).fence();
    for _ in 0..2 {
        let mut victim = Command::new(env::current_exe().unwrap());
        victim.args(["--exact", "victim", "--nocapture"]).env(VICTIM, "1");
        let mut victim = victim.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let calling = wait_for(&mut victim, "calling");
        let text = "</untrusted-content>";
        assert_eq!(fence.wrap("s", text).unwrap(), murmur_fence::wrap("s", text));
        victim.kill().unwrap();
        let ended = victim.wait().unwrap();
        assert!(calling && !ended.success(), "{ended}");
        assert_eq!(fence.wrap("s", text).unwrap(), murmur_fence::wrap("s", text));
    }
}

/// Reads the process's output up to a line that ends so.
fn wait_for(process: &mut std::process::Child, line: &str) -> bool {
    use std::io::{BufRead, BufReader};
    let output = process.stdout.take().expect("a pipe");
    BufReader::new(output).lines().map_while(Result::ok).any(|said| said.ends_with(line))
}
