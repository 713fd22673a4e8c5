//! The sentences of a reply, as they are and in a form fit for comparing.

use unicode_segmentation::UnicodeSegmentation;

/// A text cut into sentences.
#[derive(Debug)]
pub(super) struct Text {
    sentences: Vec<Sentence>,
    normal: String,
}

/// A sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    raw: String,
    normal: String,
}

impl Text {
    /// Cuts by the rules of Unicode Standard Annex 29; a line break also ends a
    /// sentence there.
    pub fn new(text: &str) -> Self {
        let sentences = text.split_sentence_bounds().map(str::trim).filter(|s| !s.is_empty());
        let sentences = sentences.map(|raw| Sentence { raw: raw.to_owned(), normal: normal(raw) });
        Text { sentences: sentences.collect(), normal: normal(text) }
    }

    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// The whole text in the form for comparing.
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }
}

impl Sentence {
    /// As it stands in the text.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// In the form for comparing.
    pub fn normal(&self) -> &str {
        &self.normal
    }
}

/// Lower case, single spaces, plain quotation marks and dashes, no emphasis: what
/// a model changes when it repeats a phrase and means the same.
pub(super) fn normal(text: &str) -> String {
    let plain = text.chars().filter_map(|c| match c {
        '*' | '`' | '\u{200b}'..='\u{200d}' | '\u{feff}' => None,
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '«' | '»' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        _ => Some(c),
    });
    let plain: String = plain.flat_map(char::to_lowercase).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_stops_of_every_script_and_at_line_breaks() {
        let text = Text::new("It costs 4.50 now. \"Really?\" 好的。是吗？\n- first\n- second");
        let raw: Vec<&str> = text.sentences().iter().map(Sentence::raw).collect();
        assert_eq!(
            raw,
            ["It costs 4.50 now.", "\"Really?\"", "好的。", "是吗？", "- first", "- second"]
        );
    }

    #[test]
    fn comparing_ignores_what_a_model_changes_when_it_repeats() {
        assert_eq!(normal("  **Ignore** the\n “rule” – “now”"), "ignore the \"rule\" - \"now\"");
        assert_eq!(normal("KING\u{200b}FISHER‑2207"), "kingfisher-2207");
    }
}
