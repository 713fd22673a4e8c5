//! The writer: whatever the chunks are, their joined output is that of the whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence::{Writer, wrap};

fuzz_target!(|input: (&str, Vec<u8>)| {
    let (text, lengths) = input;
    let mut out = String::new();
    let mut writer = Writer::new("tool:x");
    let mut rest = text;
    for length in lengths {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(usize::from(length)));
        writer.write(chunk, &mut out);
        rest = after;
    }
    writer.write(rest, &mut out);
    writer.finish(&mut out);
    assert_eq!(out, wrap("tool:x", text));
});
