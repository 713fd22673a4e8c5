//! A line of a trace, and the audit of a trace.

#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use murmur_fence_record::TraceLine;
use murmur_fence_record::audit::{Input, Options, Visitor, audit};

struct Silent;

impl Visitor for Silent {}

fuzz_target!(|trace: &[u8]| {
    if let Ok(text) = str::from_utf8(trace) {
        _ = TraceLine::parse(text);
    }
    let reader = io::Cursor::new([b"{\"event_type\":\"x\"}\n", trace].concat());
    let input = Input::Reader { name: "-".to_owned(), reader: Box::new(reader) };
    let options = Options { threads: 1, ..Options::default() };
    audit(vec![input], &options, &mut Silent).expect("nothing stops it");
});
