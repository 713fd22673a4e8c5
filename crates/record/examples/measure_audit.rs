//! Measures the audit of a record against parsing it, and pages of a long record
//! against those of a short one, all in one run.
//!
//! `cargo run --release -p murmur-fence-record --example measure_audit -- 1000`
//! makes a record of 1000 MB and goes through it.

mod generator;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use murmur_fence_record::audit::{Input, Options, Report, Visitor, audit};
use murmur_fence_record::{FileStorage, Reader};
use serde_json::Value;

fn main() -> ExitCode {
    let size = std::env::args().nth(1).map_or(Ok(1000), |size| size.parse());
    let Ok(megabytes) = size else {
        eprintln!("usage: measure_audit [MEGABYTES]");
        return ExitCode::from(2);
    };
    match measure(megabytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to measure: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(megabytes: u64) -> io::Result<()> {
    let directory = tempfile::tempdir()?;
    let record = directory.path().join("record");
    let bytes = write(&record, megabytes * 1_000_000)?;
    println!("a record of {} MB", bytes / 1_000_000);

    reset_peak();
    let (report, alone) = timed(|| audited(&record, 1))?;
    println!(
        "  {} messages, {} findings, peak memory {}",
        report.files[0].sums.messages,
        report.findings.total(),
        peak().unwrap_or_else(|| "unknown".to_owned())
    );
    show("audit, one thread", bytes, alone);
    reset_peak();
    let (_, together) = timed(|| audited(&record, 0))?;
    // The threads' own time is not this one's.
    show("audit, a thread a core", bytes, Spent { cpu: None, ..together });
    println!("  peak memory {}", peak().unwrap_or_else(|| "unknown".to_owned()));
    let (lines, parsed) = timed(|| parse(&record))?;
    show("into serde_json::Value", bytes, parsed);
    println!("  {lines} values");
    let ratio = |audit: Spent| {
        parsed.cpu.unwrap_or(parsed.wall).as_secs_f64()
            / audit.cpu.unwrap_or(audit.wall).as_secs_f64()
    };
    println!("one thread: {:.1} times as fast as parsing", ratio(alone));
    println!(
        "a thread a core: {:.1} times as fast, by the clock",
        parsed.wall.as_secs_f64() / together.wall.as_secs_f64()
    );
    pages(directory.path())
}

/// What something took.
#[derive(Clone, Copy)]
struct Spent {
    wall: Duration,
    /// The processor's time of this thread, where the system tells.
    cpu: Option<Duration>,
}

fn timed<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<(T, Spent)> {
    let (start, cpu) = (Instant::now(), cpu_time());
    let answer = work()?;
    let wall = start.elapsed();
    let cpu = cpu_time().zip(cpu).map(|(after, before)| after - before);
    Ok((answer, Spent { wall, cpu }))
}

fn write(path: &Path, size: u64) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut written = 0;
    for line in generator::Record::new(1) {
        if written >= size {
            break;
        }
        writeln!(out, "{line}")?;
        written += line.len() as u64 + 1;
    }
    out.flush()?;
    Ok(written)
}

struct Silent;

impl Visitor for Silent {}

fn audited(path: &Path, threads: usize) -> io::Result<Report> {
    let options = Options { threads, ..Options::default() };
    audit(vec![Input::Path(path.to_owned())], &options, &mut Silent)
}

/// Each line into a value, as plainly as that is done.
fn parse(path: &Path) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(256 << 10, File::open(path)?);
    let (mut line, mut values) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        let value: Value = serde_json::from_slice(&line)?;
        values += u64::from(value.is_object());
        line.clear();
    }
    Ok(values)
}

/// The page of the newest 20 messages of a short and of a long record, and what a
/// new line adds to it.
fn pages(directory: &Path) -> io::Result<()> {
    let mut readers = Vec::new();
    for megabytes in [10, 200] {
        let path = directory.join(format!("record-{megabytes}"));
        write(&path, megabytes * 1_000_000)?;
        // The pages must hold the same for the times to say something.
        let newest: String = generator::Record::new(2).take(100).map(|line| line + "\n").collect();
        fs::OpenOptions::new().append(true).open(&path)?.write_all(newest.as_bytes())?;
        let mut reader = Reader::new(FileStorage::new(&path));
        let start = Instant::now();
        reader.read_messages(None, 20).map_err(io::Error::other)?;
        println!("indexed {megabytes} MB in {:?}", start.elapsed());
        readers.push(reader);
    }
    let mut fastest = [Duration::MAX; 2];
    for _ in 0..500 {
        for (reader, fastest) in readers.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            reader.read_messages(None, 20).map_err(io::Error::other)?;
            *fastest = start.elapsed().min(*fastest);
        }
    }
    let ratio = fastest[1].as_secs_f64() / fastest[0].as_secs_f64();
    println!("newest 20: {:?} at 10 MB, {:?} at 200 MB, {ratio:.2} times", fastest[0], fastest[1]);
    Ok(())
}

fn show(what: &str, bytes: u64, spent: Spent) {
    let speed = |time: Duration| bytes as f64 / 1e9 / time.as_secs_f64();
    let cpu =
        spent.cpu.map_or_else(String::new, |cpu| format!(", {:.2} GB/s of one core", speed(cpu)));
    println!("{what}: {:.2} GB/s by the clock{cpu}", speed(spent.wall));
}

/// The processor's time of this thread, on Linux.
fn cpu_time() -> Option<Duration> {
    let spent = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(spent.split(' ').next()?.parse().ok()?))
}

/// Forgets the peak of the memory so far, on Linux.
fn reset_peak() {
    _ = fs::write("/proc/self/clear_refs", "5");
}

/// The most memory that was in use, on Linux.
fn peak() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
