//! Every sequence of tokens up to a length: fast equals naive, nothing live
//! survives, every edit of a marker is seen. Length 6 in release, 4 otherwise; the
//! variable `LONGEST` sets another one.

use std::{env, thread};

use murmur_fence::{
    INFIX, Mode, NAME, Verdict, markers, naive, neutralise, segments, verify, wrap,
};

fn longest() -> usize {
    match env::var("LONGEST") {
        Ok(length) => length.parse().expect("LONGEST is a number of tokens"),
        Err(_) if cfg!(debug_assertions) => 4,
        Err(_) => 6,
    }
}

const TOKENS: [&str; 10] =
    ["<", "/", NAME, "UNTRUSTED-CONTENT", "untrusted-conten", INFIX, " source=", ">", "\n", "a"];

const OPENER: [&str; 5] = ["<", NAME, " source=", "s", ">"];
const CLOSER: [&str; 4] = ["<", "/", NAME, ">"];

/// Calls `check` with every sequence up to [`longest`], on every core; answers
/// how many there were.
fn for_every_sequence(check: impl Fn(&str) + Sync) -> usize {
    let check = &check;
    let longest = longest();
    let by_first_token = |first: &'static str| {
        move || {
            let mut count = 0;
            let mut digits = vec![0; longest - 1];
            let mut text = String::new();
            for length in 0..longest {
                let digits = &mut digits[..length];
                digits.fill(0);
                loop {
                    text.clear();
                    text.push_str(first);
                    digits.iter().for_each(|&digit| text.push_str(TOKENS[digit]));
                    check(&text);
                    count += 1;
                    if !advance(digits) {
                        break;
                    }
                }
            }
            count
        }
    };
    check("");
    thread::scope(|scope| {
        let workers: Vec<_> =
            TOKENS.iter().map(|&first| scope.spawn(by_first_token(first))).collect();
        1 + workers.into_iter().map(|worker| worker.join().unwrap()).sum::<usize>()
    })
}

/// Counts up by one; false after the last number.
fn advance(digits: &mut [usize]) -> bool {
    for digit in digits.iter_mut().rev() {
        *digit += 1;
        if *digit < TOKENS.len() {
            return true;
        }
        *digit = 0;
    }
    false
}

fn sequences() -> usize {
    (0..=longest() as u32).map(|length| TOKENS.len().pow(length)).sum()
}

#[test]
fn fast_equals_naive_and_wrapping_is_safe() {
    let count = for_every_sequence(|text| {
        let neutralised = neutralise(text);
        assert_eq!(neutralised, naive::neutralise(text));
        assert_eq!(markers(&neutralised).count(), 0, "{text:?}");
        assert_eq!(neutralise(&neutralised), neutralised, "{text:?}");
        assert_eq!(segments(text).collect::<Vec<_>>(), naive::segments(text), "{text:?}");

        let wrapped = wrap("s", text);
        let Verdict::Intact(outline) = verify(&wrapped, Mode::Strict) else {
            panic!("{wrapped:?}")
        };
        assert_eq!(&wrapped[outline.blocks[0].body.clone()], neutralised);
        assert_eq!(outline.blocks.len(), 1);
    });
    assert_eq!(count, sequences());
}

#[test]
fn every_edit_of_a_marker_is_flagged() {
    let openers = edits(&OPENER);
    let closers = edits(&CLOSER);
    let count = for_every_sequence(|text| {
        let body = neutralise(text);
        let (opener, closer) = (OPENER.concat(), CLOSER.concat());
        let mut message = String::new();
        let mut edited = |opener: &str, closer: &str, mode: Mode| {
            message.clear();
            [opener, "\n", &body, "\n", closer].iter().for_each(|part| message.push_str(part));
            match verify(&message, mode) {
                Verdict::Broken(_) => {}
                // A changed name is a whole marker for another source.
                Verdict::Intact(outline) if outline.blocks[0].source != "s" => {}
                other => panic!("{message:?} is {other:?}"),
            }
        };
        // Where the edited marker still ends or begins with a whole one, a token
        // was put before or after it: text that only strict mode refuses.
        let mode = |whole: bool| if whole { Mode::Strict } else { Mode::Standard };
        openers.iter().for_each(|edit| edited(edit, &closer, mode(edit.ends_with(&opener))));
        closers.iter().for_each(|edit| edited(&opener, edit, mode(edit.starts_with(&closer))));
    });
    assert_eq!(count, sequences());
}

/// The marker with one token deleted, replaced or inserted between two others.
fn edits(marker: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for at in 0..marker.len() {
        let (before, after) = (marker[..at].concat(), marker[at + 1..].concat());
        out.push(format!("{before}{after}"));
        for token in TOKENS.iter().filter(|&&token| token != marker[at]) {
            out.push(format!("{before}{token}{after}"));
        }
        if at > 0 {
            for token in TOKENS {
                out.push(format!("{before}{token}{}{after}", marker[at]));
            }
        }
    }
    out
}

#[test]
fn the_edits_are_all_there() {
    // A deletion a token, a replacement by each other token (the source `s` is
    // not among them), an insertion of each token into each gap.
    assert_eq!(edits(&OPENER).len(), 5 + (4 * 9 + 10) + 4 * 10);
    assert_eq!(edits(&CLOSER).len(), 4 + 4 * 9 + 3 * 10);
}
