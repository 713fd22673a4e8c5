//! SARIF 2.1.0: findings in the form that code hosts and editors read.

use std::string::String;
use std::vec::Vec;

use serde_json::{Value, json};

use crate::registry::Place;

/// A rule that findings break.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// The rule's name.
    pub id: &'a str,
    /// What it asks for, in one sentence.
    pub description: &'a str,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It must be fixed.
    Error,
    /// It should be looked at.
    Warning,
    /// It is worth knowing.
    Note,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        }
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The name of the rule; one of the log's.
    pub rule: &'a str,
    /// How bad.
    pub level: Level,
    /// What, and what to do.
    pub message: String,
    /// The file, as the reader of the log finds it.
    pub path: String,
    /// Where in the file; none for the whole file.
    pub place: Option<Place>,
}

/// A log of one run of this program.
pub fn log<'a>(rules: &[Rule<'_>], findings: impl IntoIterator<Item = Finding<'a>>) -> Value {
    let results = findings.into_iter().map(|finding| {
        let mut location = json!({ "artifactLocation": { "uri": uri(&finding.path) } });
        if let Some(Place { line, column }) = finding.place {
            location["region"] = json!({ "startLine": line, "startColumn": column });
        }
        let mut result = json!({
            "ruleId": finding.rule,
            "level": finding.level.as_str(),
            "message": { "text": finding.message },
            "locations": [{ "physicalLocation": location }],
        });
        if let Some(index) = rules.iter().position(|rule| rule.id == finding.rule) {
            result["ruleIndex"] = json!(index);
        }
        result
    });
    let results: Vec<Value> = results.collect();
    let rules = rules
        .iter()
        .map(|rule| json!({ "id": rule.id, "shortDescription": { "text": rule.description } }));
    json!({
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "murmur-fence",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Value>(),
            } },
            // Places count characters as Unicode has them, not as UTF-16 does.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// A path as a relative or absolute URI: `/` between names, and every byte that
/// a URI does not take as it is, escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                out.push('%');
                out.push(char::from(DIGITS[usize::from(byte >> 4)]));
                out.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
        }
    }
    out
}
