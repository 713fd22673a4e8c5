//! Held against `serde_json::Value`, which does the same with more memory.

use std::borrow::ToOwned;
use std::format;
use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::*;

fn printed(text: &str) -> Result<String, JsonError> {
    let json = Json::parse(text)?;
    let mut printer = Printer::new(usize::MAX);
    printer.value(json.root())?;
    Ok(printer.finish())
}

/// Pointer and decoded text of each string value, in the order of the text.
fn walked(text: &str) -> Vec<(String, String)> {
    let json = Json::parse(text).unwrap();
    let mut found = Vec::new();
    strings::<SizeError>(json.root(), &mut Vec::new(), &mut |pointer, literal| {
        found.push((pointer.to_string(), literal.decode()?.into_owned()));
        Ok(())
    })
    .unwrap();
    found
}

/// The same from a `Value`, in the order of its keys.
fn walked_value(value: &Value, pointer: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => found.push((pointer.to_owned(), text.clone())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walked_value(item, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                walked_value(member, &format!("{pointer}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// Everything that can be compared about one text.
fn same_as_value(text: &str) {
    let value = match serde_json::from_str::<Value>(text) {
        Err(error) => {
            let Err(JsonError::Invalid(fault)) = Json::parse(text) else {
                panic!("accepted, but refused as a value: {text:?}");
            };
            assert_eq!(
                format!("{} at line {} column {}", fault.reason, error.line(), error.column()),
                error.to_string()
            );
            assert_eq!(
                (fault.line as usize, fault.column as usize),
                (error.line().max(1), error.column().max(1))
            );
            return;
        }
        Ok(value) => value,
    };
    assert_eq!(printed(text).unwrap(), value.to_string(), "printed from {text:?}");
    let mut expected = Vec::new();
    walked_value(&value, "", &mut expected);
    let mut seen = walked(text);
    for (pointer, string) in &seen {
        assert_eq!(value.pointer(pointer).and_then(Value::as_str), Some(string.as_str()));
    }
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected, "walked in {text:?}");
}

#[test]
fn edges_are_accepted_and_printed_as_a_value_is() {
    for text in [
        "",
        " ",
        "\u{feff}1",
        "1 2",
        "[1,]",
        "{\"a\":1,}",
        "{,}",
        "nul",
        "nulll",
        "True",
        "'a'",
        "01",
        "-",
        "-0",
        "-0.0",
        "0e5",
        "1.",
        ".5",
        "1e",
        "1e3",
        "1E+3",
        "1e15",
        "1e16",
        "1e17",
        "1.50",
        "1e308",
        "1e309",
        "-1e400",
        "1e-400",
        "0e999999999999999999999",
        "1e999999999999999999999",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "0.1e1",
        "100000000000000000",
        "999999999999999999",
        "1000000000000000000",
        "-99999999999999999",
        "-999999999999999999",
        "3.141592653589793238462643383279",
        "5e-324",
        "2.2250738585072011e-308",
        r#""\ud83d\ude00""#,
        r#""\ud800""#,
        r#""\ud800\n""#,
        r#""\ud800\u0041""#,
        r#""\udc00""#,
        r#""\u00e9\/\b\f\n\r\t\"\\""#,
        r#""\u0000\u000f\u0010\u001f\u007f\u000B""#,
        r#""\x""#,
        r#""\u12""#,
        "\"\u{1}\"",
        "\"\u{7f}\u{2028}\"",
        "\"tab\there\"",
        "\"open",
        "[",
        "[1",
        "{\"a\"",
        "{\"a\":",
        "{1:2}",
        r#"{"b":1,"a":2,"b":3}"#,
        r#"{"a":{"x":"hidden"},"a":{"y":"seen"}}"#,
        r#"{"a":[1,{"a":"x"}],"\u0061":"seen","b":{"z":1,"y":[{"q":1,"p":2}]}}"#,
        r#"{"":"","a/b~c":{"~1":"deep"},"é":"x","\ud83d\ude00":"y","z":"z"}"#,
        "{ \"b\" : [ ] , \"a\" : { } }",
        "[\n[\r\n]\t]",
    ] {
        same_as_value(text);
    }
    // More repetitions than a sort keeps in order by accident.
    let repeated: Vec<String> =
        (0..200).map(|number| format!("\"{}\":\"{number}\"", number % 3)).collect();
    same_as_value(&format!("{{{}}}", repeated.join(",")));
    for depth in [1, 126, 127, 128, 129, 5000] {
        let brackets = "[".repeat(depth) + &"]".repeat(depth);
        same_as_value(&brackets);
        same_as_value(&"[".repeat(depth));
        let objects = "{\"b\":0,\"a\":".repeat(depth) + "\"x\"" + &"}".repeat(depth);
        same_as_value(&objects);
    }
}

#[test]
fn keys_are_printed_in_byte_order() {
    // Held by the output itself and not only against `Value`: were `Value` built
    // to keep the order of the text, both could agree on the wrong one.
    assert_eq!(
        printed(r#"{"type":"text","text":"hi","Z":0,"é":1,"a":{"2":0,"10":0}}"#).unwrap(),
        r#"{"Z":0,"a":{"10":0,"2":0},"text":"hi","type":"text","é":1}"#
    );
    // And the crate that the runtime's form comes from still has it.
    let value: Value = serde_json::from_str(r#"{"b":1,"a":1.50}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":1.5,"b":1}"#, "built with preserve_order?");
}

#[test]
fn a_printer_stops_at_its_limit() {
    let json = Json::parse(r#"["1234567"]"#).unwrap();
    for (limit, fits) in [(11, true), (10, false), (0, false)] {
        let mut printer = Printer::new(limit);
        let expected = if fits { Ok(()) } else { Err(SizeError::TooLong) };
        assert_eq!(printer.value(json.root()), expected, "limit {limit}");
    }
}

/// JSON texts of every shape: white space, escapes, number forms, repeated keys.
fn json_text() -> impl Strategy<Value = String> {
    let space = select(&["", "", "", " ", "\n", "\r\n\t"][..]);
    let scalar = select(
        &[
            "null",
            "true",
            "false",
            "0",
            "-0",
            "7",
            "-12",
            "1.50",
            "1e3",
            "1E-7",
            "1e300",
            "12345678901234567890",
            "-123456789012345678901",
            "0.30000000000000004",
            "1e15",
            "123456789012345678",
        ][..],
    );
    let leaf = prop_oneof![scalar.prop_map(str::to_owned), string_text()];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        let element =
            (space.clone(), inner.clone()).prop_map(|(space, value)| space.to_owned() + &value);
        let member = (string_text(), space.clone(), inner)
            .prop_map(|(key, space, value)| format!("{space}{key}{space}:{space}{value}{space}"));
        let array =
            prop::collection::vec(element, 0..5).prop_map(|items| format!("[{}]", items.join(",")));
        let object = prop::collection::vec(member, 0..6)
            .prop_map(|items| format!("{{{}}}", items.join(",")));
        prop_oneof![array, object]
    })
}

/// String literals of few different texts, so that keys repeat.
fn string_text() -> impl Strategy<Value = String> {
    let part = select(
        &[
            "a",
            "b",
            "text",
            "type",
            "é",
            "✅",
            "/",
            "~",
            " ",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u0061",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\u0000",
            "\\u001F",
            "\\u003c",
            "<",
            "</untrusted-content>",
            "😀",
        ][..],
    );
    prop::collection::vec(part, 0..4).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

proptest! {
    #[test]
    fn a_text_is_read_as_a_value_is(text in json_text()) {
        same_as_value(&text);
    }

    #[test]
    fn a_damaged_text_is_refused_as_a_value_is(
        text in json_text(),
        at in any::<prop::sample::Index>(),
        with in select(&["", "\"", "\\", ",", ":", "[", "}", "0", "e", "-", "\u{1}", "\\ud800", "\u{a0}", "x"][..]),
    ) {
        let characters: Vec<char> = text.chars().collect();
        let at = at.index(characters.len());
        let mut damaged: String = characters[..at].iter().collect();
        damaged += with;
        damaged.extend(&characters[at + 1..]);
        same_as_value(&damaged);
    }

    #[test]
    fn offsets_lead_to_the_bytes_that_spell_a_text(text in string_text(), order in any::<bool>()) {
        let json = Json::parse(&text).unwrap();
        let literal = json.root().string().unwrap();
        let decoded = literal.decode().unwrap();
        prop_assert_eq!(literal.span(), 1..text.len() - 1);
        let mut places: Vec<usize> =
            decoded.char_indices().map(|(at, _)| at).chain([decoded.len()]).collect();
        if order {
            places.reverse();
        }
        let mut offsets = literal.offsets();
        for at in places {
            let served = offsets.served(at);
            let before: String = serde_json::from_str(&format!("{}\"", &text[..served])).unwrap();
            prop_assert_eq!(&before, &decoded[..at]);
        }
        prop_assert_eq!(offsets.served(usize::MAX), text.len() - 1);
    }

    #[test]
    fn what_may_spell_a_character_is_never_missed(text in string_text()) {
        let json = Json::parse(&text).unwrap();
        let literal = json.root().string().unwrap();
        if literal.decode().unwrap().contains('<') {
            prop_assert!(literal.may_spell('<'));
        }
    }
}
