//! Writes a conversation record of about the wanted size to standard output.
//!
//! `cargo run --release -p murmur-fence-record --example generate_record -- 1000 > record.jsonl`
//! writes 1000 MB. The same size and seed give the same record.

mod generator;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let size: Option<u64> = arguments.next().and_then(|size| size.parse().ok());
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse());
    let (Some(megabytes), Ok(seed)) = (size, seed) else {
        eprintln!("usage: generate_record MEGABYTES [SEED]");
        return ExitCode::from(2);
    };
    match write(megabytes * 1_000_000, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to write the record: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(size: u64, seed: u64) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut written = 0;
    for line in generator::Record::new(seed) {
        if written >= size {
            break;
        }
        writeln!(out, "{line}")?;
        written += line.len() as u64 + 1;
    }
    out.flush()
}
