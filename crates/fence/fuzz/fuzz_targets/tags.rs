//! The tags dialect: what every dialect promises; attributes and tool results of
//! any text stay one intact block.

#![no_main]

use libfuzzer_sys::fuzz_target;
use murmur_fence::{Dialect, Mode, Tags, Verdict};

#[path = "../promises.rs"]
mod promises;

fuzz_target!(|input: (&str, &str)| {
    let (source, content) = input;
    let tags = Tags::default();
    promises::hold(&tags, source, content);
    let nested = tags.tool_result(source, content).expect("both names are reserved");
    assert!(matches!(tags.verify(&nested, Mode::Strict), Verdict::Intact(_)), "{nested:?}");
    let page = tags.fence("source_page", content, &[("url", source), ("title", content)]);
    let page = page.expect("a reserved tag and sound names");
    assert!(matches!(tags.verify(&page, Mode::Strict), Verdict::Intact(_)), "{page:?}");
});
