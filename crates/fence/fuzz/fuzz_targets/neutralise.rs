//! Neutralising and wrapping: as the naive twins do it, at any length and place.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use murmur_fence::{markers, naive, neutralise, neutralise_into, restore, wrap, wrap_into};

fuzz_target!(|input: &[u8]| {
    let [shift, text @ ..] = input else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    // Short inputs are quick to change and long ones reach the vector code: the same
    // text is tried behind up to 255 bytes of filling.
    let text = format!("{}{text}{}", " ".repeat(usize::from(*shift)), ".".repeat(150));

    let fast = neutralise(&text);
    assert_eq!(fast, naive::neutralise(&text));
    assert_eq!(matches!(fast, Cow::Borrowed(_)), fast == text);
    assert_eq!(markers(&fast).count(), 0);
    assert_eq!(neutralise(&fast), fast);
    if !text.contains(murmur_fence::INFIX) {
        assert_eq!(restore(&fast), text);
    }

    let mut appended = String::from("é");
    neutralise_into(&mut appended, &text);
    assert_eq!(appended.strip_prefix('é'), Some(&*fast));

    let source = text.split('\n').next_back().unwrap_or("");
    let wrapped = wrap(source, &text);
    assert_eq!(wrapped, naive::wrap(source, &text));
    appended.clear();
    wrap_into(&mut appended, source, &text);
    assert_eq!(appended, wrapped);
});
