//! Look-alikes: in order, apart, on characters, each with a disguise, and none of
//! them a live marker.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence::{lookalikes, markers};

fuzz_target!(|text: &str| {
    let live: Vec<_> = markers(text).map(|marker| marker.start).collect();
    let mut end = 0;
    for found in lookalikes(text) {
        assert!(found.span.start >= end);
        assert!(text.get(found.span.clone()).is_some_and(|spelled| !spelled.is_empty()));
        assert!(found.disguises.iter().next().is_some());
        assert!(!live.contains(&found.span.start));
        end = found.span.end;
    }
});
