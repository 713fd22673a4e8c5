//! Reading forwards through a text. Every dialect scans with these few steps, so
//! that tests can count what a scan costs.

/// The offset of the first `needle`.
#[inline]
pub(crate) fn find_byte(needle: u8, haystack: &[u8]) -> Option<usize> {
    visited(memchr::memchr(needle, haystack), haystack)
}

/// The offset of the first of two bytes.
#[inline]
pub(crate) fn find_either(one: u8, other: u8, haystack: &[u8]) -> Option<usize> {
    visited(memchr::memchr2(one, other, haystack), haystack)
}

/// The offset of the first of three bytes.
#[inline]
pub(crate) fn find_of_three(needles: [u8; 3], haystack: &[u8]) -> Option<usize> {
    let [one, two, three] = needles;
    visited(memchr::memchr3(one, two, three, haystack), haystack)
}

/// How many bytes at the start of `text` are characters of a kind.
pub(crate) fn run_length(text: &str, is_of_kind: impl Fn(char) -> bool) -> usize {
    let end = text.find(|c| !is_of_kind(c));
    visited(end, text.as_bytes()).unwrap_or(text.len())
}

/// Whether `bytes` start with `name` in any ASCII case.
#[inline]
pub(crate) fn starts_with_name(bytes: &[u8], name: &[u8]) -> bool {
    let spelled = bytes.get(..name.len());
    visit(spelled.map_or(0, <[u8]>::len));
    spelled.is_some_and(|spelled| spelled.eq_ignore_ascii_case(name))
}

/// Counts what a search has read: up to and with the byte it found, or all.
#[inline]
fn visited(found: Option<usize>, haystack: &[u8]) -> Option<usize> {
    visit(found.map_or(haystack.len(), |at| at + 1));
    found
}

/// Counts bytes read, or other steps of a scan.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn visit(_steps: usize) {}

#[cfg(test)]
pub(crate) use count::{steps, visit};

#[cfg(test)]
mod count {
    use std::cell::Cell;

    std::thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn visit(steps: usize) {
        STEPS.set(STEPS.get() + steps);
    }

    /// How many steps `work` takes; a byte read twice is two.
    pub(crate) fn steps<T>(work: impl FnOnce() -> T) -> usize {
        STEPS.set(0);
        work();
        STEPS.get()
    }
}
