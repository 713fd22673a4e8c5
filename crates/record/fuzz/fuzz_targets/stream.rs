//! Server-sent events: the chunks in which they come do not matter.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence_record::{Sse, SseItem, StreamMessage};

fn items(stream: &[u8], chunk: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |item: SseItem<'_>| found.push(format!("{item:?}"));
    let mut sse = Sse::new();
    stream.chunks(chunk).for_each(|chunk| sse.feed(chunk, &mut each));
    sse.finish(&mut each);
    found
}

fuzz_target!(|stream: &[u8]| {
    let whole = items(stream, usize::MAX);
    assert_eq!(items(stream, 1), whole);
    assert_eq!(items(stream, 7), whole);
    if let Ok(text) = str::from_utf8(stream) {
        _ = StreamMessage::parse(text);
    }
});
