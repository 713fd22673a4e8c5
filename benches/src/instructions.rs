//! Runs one subject on one text so many times, for a count of its instructions.
//!
//! `cargo xtask instructions` runs it twice under valgrind, and takes the difference
//! by the number of calls: what starting up costs is in both.

use std::process::ExitCode;

use benches::corpus::Corpus;
use benches::subject::Inputs;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [subject, corpus, size, calls] = arguments.as_slice() else {
        eprintln!("usage: instructions SUBJECT CORPUS SIZE CALLS");
        return ExitCode::from(2);
    };
    let corpus = Corpus::ALL.into_iter().find(|known| known.name() == corpus);
    let (Some(corpus), Ok(size), Ok(calls)) = (corpus, size.parse(), calls.parse()) else {
        eprintln!("error: no such corpus, or not a number");
        return ExitCode::from(2);
    };
    drop(Vec::<u8>::with_capacity(31 << 20));
    let inputs = Inputs::new(corpus.text(size));
    let mut subjects = inputs.subjects();
    let Some(subject) = subjects.iter_mut().find(|known| known.name == subject) else {
        eprintln!("error: no such subject");
        return ExitCode::from(2);
    };
    subject.run(calls);
    ExitCode::SUCCESS
}
