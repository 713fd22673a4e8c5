//! Segments: as the naive twin finds them, without a gap, on characters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence::{Segment, naive, outer_block, segments};

fuzz_target!(|message: &str| {
    let fast: Vec<_> = segments(message).collect();
    assert_eq!(fast, naive::segments(message));
    let mut at = 0;
    for segment in &fast {
        let span = match segment {
            Segment::Text(span) => span.clone(),
            Segment::Block(block) => {
                assert!(message.get(block.body.clone()).is_some());
                block.span()
            }
        };
        assert_eq!(span.start, at);
        assert!(message.get(span.clone()).is_some_and(|text| !text.is_empty()));
        at = span.end;
    }
    assert_eq!(at, message.len());
    let has_block = fast.iter().any(|segment| matches!(segment, Segment::Block(_)));
    assert_eq!(outer_block(message).is_some(), has_block);
});
