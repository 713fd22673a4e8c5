//! Whether a summary mentions what it should.

use super::sentence::{Text, normal};
use crate::corpus::Fact;

/// How many facts the text mentions, and the others by their first wording.
pub(super) fn covered(facts: &[Fact], text: &Text) -> (usize, Vec<String>) {
    let is_there = |fact: &Fact| {
        fact.wordings.iter().any(|wording| stands_in(&normal(wording), text.normal()))
    };
    let missing: Vec<String> =
        facts.iter().filter(|fact| !is_there(fact)).map(|fact| fact.wordings[0].clone()).collect();
    (facts.len() - missing.len(), missing)
}

/// Whether the wording stands in the text as words of its own: `14` is not in
/// `1430`.
fn stands_in(wording: &str, text: &str) -> bool {
    let joins = |inner: Option<char>, outer: Option<char>| {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        is_word(inner) && is_word(outer)
    };
    text.match_indices(wording).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + wording.len()..].chars().next();
        !joins(wording.chars().next(), before) && !joins(wording.chars().next_back(), after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(wordings: &[&str]) -> Fact {
        Fact { wordings: wordings.iter().map(|w| (*w).to_owned()).collect() }
    }

    #[test]
    fn any_wording_counts_and_only_as_whole_words() {
        let facts =
            [fact(&["five minutes", "5 minutes"]), fact(&["14"]), fact(&["raw request body"])];
        let text = Text::new("Sign the raw\nrequest body; 5 Minutes is the limit, see page 1430.");
        assert_eq!(covered(&facts, &text), (2, vec!["14".to_owned()]));
        assert_eq!(covered(&facts[1..2], &Text::new("Room 14, please.")).0, 1);
        assert_eq!(covered(&facts[1..2], &Text::new("")).0, 0);
    }
}
