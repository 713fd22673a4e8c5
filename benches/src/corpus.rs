//! The texts: made from a seed, so that every run on every machine has the same.

use std::fmt::Write;

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// Prose without any `<`.
    Text,
    /// Markup with a tag every few words.
    Html,
    /// JSON whose strings carry markup now and then.
    Json,
    /// Chinese prose.
    Cjk,
    /// Nothing but `<`.
    Brackets,
    /// Names of which only the last letter is wrong, with and without a slash.
    NearMisses,
    /// Opening and closing markers, one after the other.
    Markers,
    /// `<u`, the beginning of a marker, again and again.
    Beginnings,
    /// `d-c`, the middle of the name, again and again.
    Middles,
}

impl Corpus {
    /// Every kind.
    pub const ALL: [Corpus; 9] = [
        Corpus::Text,
        Corpus::Html,
        Corpus::Json,
        Corpus::Cjk,
        Corpus::Brackets,
        Corpus::NearMisses,
        Corpus::Markers,
        Corpus::Beginnings,
        Corpus::Middles,
    ];

    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Corpus::Text => "text",
            Corpus::Html => "html",
            Corpus::Json => "json",
            Corpus::Cjk => "cjk",
            Corpus::Brackets => "all-brackets",
            Corpus::NearMisses => "near-misses",
            Corpus::Markers => "all-markers",
            Corpus::Beginnings => "beginnings",
            Corpus::Middles => "middles",
        }
    }

    /// A text of this kind, of exactly `length` bytes.
    pub fn text(self, length: usize) -> String {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut text = String::with_capacity(length + 128);
        while text.len() < length {
            match self {
                Corpus::Text => sentence(&mut text, &mut random),
                Corpus::Html => element(&mut text, &mut random),
                Corpus::Json => member(&mut text, &mut random),
                Corpus::Cjk => chinese(&mut text, &mut random),
                Corpus::Brackets => text.push('<'),
                Corpus::NearMisses => {
                    text.push_str(["<untrusted-contenx>", "</untrusted-contend>"][random.below(2)]);
                }
                Corpus::Markers => {
                    text.push_str(
                        ["<untrusted-content source=x>", "</untrusted-content>"][random.below(2)],
                    );
                }
                Corpus::Beginnings => text.push_str("<u"),
                Corpus::Middles => text.push_str("d-c"),
            }
        }
        let end = text.floor_char_boundary(length);
        text.truncate(end);
        text.extend(std::iter::repeat_n('.', length - end));
        text
    }
}

/// A generator that is the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const WORDS: [&str; 48] = [
    "the",
    "of",
    "well-known",
    "river",
    "a",
    "answer",
    "which",
    "page",
    "to",
    "and",
    "under",
    "result",
    "in",
    "weather",
    "it",
    "follows",
    "report",
    "is",
    "long",
    "as",
    "station",
    "model",
    "author",
    "for",
    "with",
    "north",
    "were",
    "measured",
    "on",
    "by",
    "that",
    "during",
    "early",
    "not",
    "from",
    "spring",
    "he",
    "water",
    "at",
    "level",
    "this",
    "changed",
    "or",
    "series",
    "be",
    "table",
    "between",
    "years",
];

fn words(text: &mut String, random: &mut Random, count: usize) {
    for nth in 0..count {
        if nth > 0 {
            text.push(' ');
        }
        text.push_str(random.pick(&WORDS));
    }
}

fn sentence(text: &mut String, random: &mut Random) {
    let count = 5 + random.below(12);
    words(text, random, count);
    text.push_str(random.pick(&[". ", ", ", ".\n", "? ", ".\n\n"]));
}

fn element(text: &mut String, random: &mut Random) {
    let tag = random.pick(&["p", "div", "li", "a", "span", "td", "h2"]);
    let class = random.pick(&["nav-item", "lead", "col-6 mt-2", "footnote"]);
    match random.below(3) {
        0 => write!(text, "<{tag}>"),
        1 => write!(text, "<{tag} class=\"{class}\">"),
        _ => write!(text, "<{tag} class=\"{class}\" href=\"/page-{}.html\">", random.below(1000)),
    }
    .expect("a string takes everything");
    let count = 1 + random.below(9);
    words(text, random, count);
    write!(text, "</{tag}>").expect("a string takes everything");
    text.push_str(random.pick(&["", "\n", "\n  ", "<br>"]));
}

fn member(text: &mut String, random: &mut Random) {
    write!(text, "  {{\"id\": {}, \"title\": \"", random.below(100_000))
        .expect("a string takes everything");
    words(text, random, 4);
    text.push_str("\", \"body\": \"");
    let count = 4 + random.below(16);
    words(text, random, count);
    if random.below(3) == 0 {
        text.push_str("<br/>");
        words(text, random, 3);
    }
    text.push_str("\"},\n");
}

fn chinese(text: &mut String, random: &mut Random) {
    const CHARACTERS: &str =
        "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动";
    let characters: Vec<char> = CHARACTERS.chars().collect();
    for _ in 0..6 + random.below(14) {
        text.push(characters[random.below(characters.len())]);
    }
    text.push_str(random.pick(&["。", "，", "。\n", "、"]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_wanted_length_and_is_the_same_again() {
        for corpus in Corpus::ALL {
            for length in [0, 1, 100, 4096, 257 * 1024 + 13] {
                assert_eq!(corpus.text(length).len(), length, "{corpus:?}");
            }
            assert_eq!(corpus.text(5000), corpus.text(5000));
        }
    }

    #[test]
    fn only_the_markers_have_live_markers_and_prose_has_no_bracket() {
        for corpus in Corpus::ALL {
            let found = murmur_fence::markers(&corpus.text(10_000)).count();
            assert_eq!(found > 0, corpus == Corpus::Markers, "{corpus:?}: {found}");
        }
        assert!(!Corpus::Text.text(10_000).contains('<'));
        assert!(!Corpus::Cjk.text(10_000).contains('<'));
        assert!(Corpus::Html.text(10_000).matches('<').count() > 200);
    }
}
