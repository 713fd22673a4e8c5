//! SARIF 2.1.0: findings in the form that code hosts and editors read.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::finding::{Finding, Rule};
use crate::registry::Place;

/// A rule as a log lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SarifRule<'a> {
    /// What results name.
    pub id: &'a str,
    /// What has to hold, in one sentence.
    pub description: &'a str,
}

/// How bad a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It must be put right.
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

/// One result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SarifResult<'a> {
    /// The id of the rule; one of the log's.
    pub rule: &'a str,
    /// How bad it is.
    pub level: Level,
    /// What, and what to do.
    pub message: &'a str,
    /// The file, as the reader of the log finds it.
    pub path: &'a str,
    /// Where in the file; none for the whole file.
    pub place: Option<Place>,
    /// What tells it from others and stays the same from run to run.
    pub fingerprint: Option<String>,
}

/// The log of one run with findings of this crate's rules.
pub fn findings(findings: &[Finding]) -> Value {
    let rules =
        Rule::ALL.map(|rule| SarifRule { id: rule.as_str(), description: rule.description() });
    let results = findings.iter().map(|finding| SarifResult {
        rule: finding.rule.as_str(),
        level: Level::Error,
        message: &finding.message,
        path: &finding.path,
        place: finding.place,
        fingerprint: None,
    });
    log(&rules, results)
}

/// The log of one run of this program.
pub fn log<'a>(
    rules: &[SarifRule<'_>],
    results: impl IntoIterator<Item = SarifResult<'a>>,
) -> Value {
    let results = results.into_iter().map(|result| {
        let mut location = json!({ "artifactLocation": { "uri": uri(result.path) } });
        if let Some(Place { line, column }) = result.place {
            location["region"] = json!({ "startLine": line, "startColumn": column });
        }
        let mut out = json!({
            "ruleId": result.rule,
            "level": result.level.as_str(),
            "message": { "text": result.message },
            "locations": [{ "physicalLocation": location }],
        });
        if let Some(index) = rules.iter().position(|rule| rule.id == result.rule) {
            out["ruleIndex"] = json!(index);
        }
        if let Some(fingerprint) = result.fingerprint {
            out["partialFingerprints"] = json!({ "murmurFence/v1": fingerprint });
        }
        out
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
                "rules": rules.collect::<Vec<Value>>(),
            } },
            // Places count characters as Unicode has them, not as UTF-16 does.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// A path as a URI reference: `/` between names, and every byte that a URI does
/// not take as it is, escaped.
fn uri(path: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let path = match cfg!(windows) {
        true => path.replace('\\', "/"),
        false => path.to_string(),
    };
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.extend([
                '%',
                char::from(DIGITS[usize::from(byte >> 4)]),
                char::from(DIGITS[usize::from(byte & 15)]),
            ]),
        }
    }
    out
}
