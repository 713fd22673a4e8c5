//! Texts for a terminal: what they hold is shown, never acted on.

use serde_json::Value;

/// How many characters are shown on either side of a difference.
const AROUND: usize = 72;

/// A text with control, format and other invisible characters written as escapes.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Printable, and as they stand easier to read than escaped.
            '\'' | '"' | '\\' => out.push(c),
            _ => out.extend(c.escape_debug()),
        }
    }
    out
}

/// The beginning of a text, at most `limit` characters of it before escaping.
pub fn excerpt(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text),
    }
}

/// Two texts cut to where they differ.
pub fn difference(expected: &str, seen: &str) -> (String, String) {
    let common = expected
        .char_indices()
        .zip(seen.chars())
        .find(|((_, a), b)| a != b)
        .map_or(expected.len().min(seen.len()), |((at, _), _)| at);
    (around(expected, common), around(seen, common))
}

fn around(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    let start = before.char_indices().rev().nth(AROUND).map(|(start, _)| start);
    let end = after.char_indices().nth(AROUND).map(|(end, _)| end);
    let before =
        start.map_or_else(|| visible(before), |start| format!("…{}", visible(&before[start..])));
    let after = end.map_or_else(|| visible(after), |end| format!("{}…", visible(&after[..end])));
    format!("{before}{after}")
}

/// The first place in two JSON values where they differ, as a JSON pointer, with
/// what stands there.
pub fn first_difference<'a>(
    expected: &'a Value,
    seen: &'a Value,
) -> Option<(String, &'a Value, &'a Value)> {
    const NOTHING: &Value = &Value::Null;
    if expected == seen {
        return None;
    }
    let below = match (expected, seen) {
        (Value::Object(expected), Value::Object(seen)) if expected.keys().eq(seen.keys()) => {
            let members = expected.iter().map(|(key, value)| (key, value, &seen[key]));
            deeper(members.map(|(key, a, b)| (key.replace('~', "~0").replace('/', "~1"), a, b)))
        }
        (Value::Array(expected), Value::Array(seen)) => {
            let length = expected.len().max(seen.len());
            let at = |list: &'a [Value], index| list.get(index).unwrap_or(NOTHING);
            deeper((0..length).map(|i| (i.to_string(), at(expected, i), at(seen, i))))
        }
        _ => None,
    };
    Some(below.unwrap_or((String::new(), expected, seen)))
}

fn deeper<'a>(
    pairs: impl Iterator<Item = (String, &'a Value, &'a Value)>,
) -> Option<(String, &'a Value, &'a Value)> {
    for (step, expected, seen) in pairs {
        if let Some((pointer, expected, seen)) = first_difference(expected, seen) {
            return Some((format!("/{step}{pointer}"), expected, seen));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(visible("a\u{1b}[2J\r\n\u{202e}\0é\"\\"), "a\\u{1b}[2J\\r\\n\\u{202e}\\0é\"\\");
    }

    #[test]
    fn an_excerpt_counts_characters() {
        assert_eq!(excerpt("äöü", 3), "äöü");
        assert_eq!(excerpt("äöü", 2), "äö…");
    }

    #[test]
    fn a_difference_is_shown_where_it_is() {
        let common = "x".repeat(100);
        let (expected, seen) = difference(&format!("{common}abc"), &common);
        assert_eq!(expected, format!("…{}abc", "x".repeat(AROUND + 1)));
        assert_eq!(seen, format!("…{}", "x".repeat(AROUND + 1)));
    }

    #[test]
    fn the_first_difference_of_values_is_named_by_its_pointer() {
        let expected = json!({ "a": [1, { "b/c": "x" }] });
        let seen = json!({ "a": [1, { "b/c": "y" }, 3] });
        let (pointer, a, b) = first_difference(&expected, &seen).unwrap();
        assert_eq!((pointer.as_str(), a, b), ("/a/1/b~1c", &json!("x"), &json!("y")));
        assert!(first_difference(&seen, &seen).is_none());
        let (pointer, ..) = first_difference(&json!({ "a": 1 }), &json!({ "b": 1 })).unwrap();
        assert_eq!(pointer, "");
    }
}
