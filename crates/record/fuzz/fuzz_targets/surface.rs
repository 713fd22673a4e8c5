//! Any file: told apart and audited.

#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use murmur_fence_record::Kind;
use murmur_fence_record::audit::{Input, Options, Visitor, audit};

struct Silent;

impl Visitor for Silent {}

fuzz_target!(|file: &[u8]| {
    assert!(Kind::detect(file, true).is_some(), "all of it is there to tell");
    let input =
        Input::Reader { name: "-".to_owned(), reader: Box::new(io::Cursor::new(file.to_vec())) };
    let options = Options { threads: 1, messages: true, ..Options::default() };
    audit(vec![input], &options, &mut Silent).expect("nothing stops it");
});
