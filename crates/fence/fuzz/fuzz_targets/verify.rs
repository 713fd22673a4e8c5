//! Verdicts: in step with the segments, at offsets on characters; and what was
//! wrapped is intact.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence::{Mode, Segment, Verdict, neutralise, sanitise_source, segments, verify, wrap};

fuzz_target!(|message: &str| {
    let blocks: Vec<_> = segments(message)
        .filter_map(|segment| match segment {
            Segment::Block(block) => Some(block),
            Segment::Text(_) => None,
        })
        .collect();
    match verify(message, Mode::Standard) {
        Verdict::Unfenced => assert_eq!(neutralise(message), message),
        Verdict::Intact(outline) => {
            assert_eq!(outline.blocks, blocks);
            let outside = outline.outside.iter().map(|text| text.len()).sum::<usize>();
            let inside = outline.blocks.iter().map(|block| block.span().len()).sum::<usize>();
            assert_eq!(outside + inside, message.len());
        }
        Verdict::Broken(flaws) => {
            assert!(!flaws.is_empty());
            assert!(flaws.is_sorted_by_key(|flaw| flaw.offset));
            assert!(flaws.iter().all(|flaw| message.is_char_boundary(flaw.offset)));
            // Strict mode only adds.
            let Verdict::Broken(strict) = verify(message, Mode::Strict) else { panic!() };
            assert!(flaws.iter().all(|flaw| strict.contains(flaw)));
        }
    }
    let wrapped = wrap(message, message);
    let Verdict::Intact(outline) = verify(&wrapped, Mode::Strict) else { panic!("{wrapped:?}") };
    assert_eq!(outline.blocks.len(), 1);
    assert_eq!(outline.blocks[0].source, sanitise_source(message));
    assert_eq!(wrapped[outline.blocks[0].body.clone()], neutralise(message));
});
