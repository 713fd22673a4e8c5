//! The golden cases and the recorded vectors as one list of calls, which a host in
//! any language can run. The cases' README describes its form.

use super::dialect::{DialectCase, Stop, resolve, text};
use super::{Case, CaseError, Kind};
use crate::vectors::{self, Vector};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// One call of the contract, and what is recorded of its answer.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    /// The case's title, or the file and line of the vector, and what is called.
    pub name: String,
    /// The interface of `murmur:fence`.
    pub interface: &'static str,
    /// The function; of a resource, one that makes it and calls its method.
    pub function: String,
    /// What is handed in.
    pub arguments: Vec<Value>,
    /// What comes out. Members that an object leaves out are not recorded.
    pub result: Value,
}

/// All calls that the cases and vectors of a directory are about, but those of
/// pages, which read a file.
///
/// # Errors
///
/// When a file cannot be read, or a case is not as the README describes.
pub fn calls(root: &Path) -> Result<Vec<Call>, CaseError> {
    let mut calls = Vec::new();
    for case in super::find(root)? {
        calls.extend(of_case(&case)?);
    }
    let vectors = vectors::find(root)?;
    for vector in &vectors {
        let at = vector.at.strip_prefix(&format!("{}/", root.display())).unwrap_or(&vector.at);
        calls.extend(of_vector(at, vector));
    }
    if !vectors.is_empty() {
        calls.extend(batches(&vectors));
    }
    calls.extend(batch(&calls, "verify", "verify-all", &json!("standard")));
    calls.extend(batch(&calls, "verify", "verify-all", &json!("strict")));
    calls.extend(batch(&calls, "inspect", "inspect-all", &Value::Null));
    Ok(calls)
}

fn call(
    title: &str,
    interface: &'static str,
    function: &str,
    arguments: Vec<Value>,
    result: Value,
) -> Call {
    let name = format!("{title} {function}");
    Call { name, interface, function: function.into(), arguments, result }
}

fn of_case(case: &Case) -> Result<Vec<Call>, CaseError> {
    let title = case.title();
    let fence = |function, arguments, result| call(&title, "fence", function, arguments, result);
    let expected = case.expected()?;
    Ok(match case.kind {
        Kind::Wrap => {
            let (source, content) = (case.text("source.txt")?, case.text("content.txt")?);
            let closer = expected["wrap"].as_str().and_then(|block| block.rsplit('\n').next());
            vec![
                fence("wrap", vec![json!(source), json!(content)], expected["wrap"].clone()),
                fence("open-marker", vec![json!(source)], expected["open-marker"].clone()),
                fence("neutralise", vec![json!(content)], expected["neutralise"].clone()),
                fence("close-marker", vec![], json!(closer)),
            ]
        }
        Kind::Restore => {
            let body = json!(case.text("body.txt")?);
            vec![fence("restore", vec![body], expected["restore"].clone())]
        }
        Kind::Message => {
            let message = json!(case.text("message.txt")?);
            let with = |mode: &str| vec![message.clone(), json!(mode)];
            let result = |member: &str| spans(&expected[member]);
            vec![
                fence("segments", vec![message.clone()], result("segments")),
                fence("outer-block", vec![message.clone()], result("outer-block")),
                fence("verify", with("standard"), result("standard")),
                fence("verify", with("strict"), result("strict")),
            ]
        }
        Kind::Inspect => {
            let message = case.json("message.json")?;
            let result = spans(&expected["inspect"]);
            vec![call(&title, "inspect", "inspect", vec![message], result)]
        }
        Kind::Page => vec![],
        Kind::Audit => {
            let result = expected["audit-lines"].clone();
            vec![call(&title, "audit", "audit-lines", case.audit_case()?.arguments(), result)]
        }
        Kind::Dialect => {
            let malformed = |stop| CaseError::new(case.directory.join("case.json"), stop);
            of_dialect(&title, &case.dialect_case()?).map_err(malformed)?
        }
    })
}

fn of_vector(at: &str, vector: &Vector) -> [Call; 3] {
    let Vector { source, content, open, neutralised, wrapped, .. } = vector;
    let neutralised = (neutralised != content).then_some(neutralised);
    let of = |function, arguments, result| call(at, "fence", function, arguments, result);
    [
        of("wrap", vec![json!(source), json!(content)], json!(wrapped)),
        of("open-marker", vec![json!(source)], json!(open)),
        of("neutralise", vec![json!(content)], json!(neutralised)),
    ]
}

/// Every vector in one call, for each function that takes many texts.
fn batches(vectors: &[Vector]) -> [Call; 2] {
    let items = vectors.iter().map(|it| json!({ "source": it.source, "content": it.content }));
    let wrapped = vectors.iter().map(|it| json!(it.wrapped)).collect();
    let contents = vectors.iter().map(|it| json!(it.content)).collect();
    let neutralised = vectors
        .iter()
        .map(|it| json!((it.neutralised != it.content).then_some(&it.neutralised)))
        .collect();
    [
        call("vectors", "fence", "wrap-all", vec![items.collect()], wrapped),
        call("vectors", "fence", "neutralise-all", vec![contents], neutralised),
    ]
}

/// All calls of a function so far in one call of the function that takes many.
fn batch(calls: &[Call], one: &str, all: &str, mode: &Value) -> Option<Call> {
    let chosen: Vec<&Call> = calls
        .iter()
        .filter(|call| call.function == one && matches!(call.interface, "fence" | "inspect"))
        .filter(|call| mode.is_null() || call.arguments.get(1) == Some(mode))
        .collect();
    let interface = chosen.first()?.interface;
    let mut arguments = vec![chosen.iter().map(|call| call.arguments[0].clone()).collect()];
    if !mode.is_null() {
        arguments.push(mode.clone());
    }
    let result = chosen.iter().map(|call| call.result.clone()).collect();
    Some(call("cases", interface, all, arguments, result))
}

fn of_dialect(title: &str, case: &DialectCase) -> Result<Vec<Call>, String> {
    let DialectCase { dialect, operation, settings, input, expected, .. } = case;
    // What makes the resource comes before the method's own arguments.
    let (interface, made) = match *dialect {
        "nonce" => {
            let style = settings["style"].as_str().unwrap_or("angle");
            let name = &settings["name"];
            let settings = json!({ "token": settings["token"], "name": name, "style": style });
            ("nonce", vec![settings])
        }
        "tags" => ("tags", vec![settings["reserved"].clone()]),
        "history" => ("rules", vec![]),
        "lanes" => ("lanes", vec![]),
        _ => ("fence", vec![]),
    };
    let text = |member: &str| text(&input[member]).map(Value::String).map_err(Stop::reason);
    let of = |function: &str, arguments: Vec<Value>, result: Value| {
        call(title, interface, function, [made.clone(), arguments].concat(), result)
    };
    let fallible = || match expected.get("error") {
        Some(error) => json!({ "err": error }),
        None => expected.clone(),
    };
    let calls = match operation.as_str() {
        "wrap" => {
            let Value::String(mut content) = text("content")? else { unreachable!() };
            let budget = input["budget"].as_u64().and_then(|budget| usize::try_from(budget).ok());
            content.truncate(content.floor_char_boundary(budget.unwrap_or(content.len())));
            vec![of("wrap", vec![text("source")?, json!(content)], expected.clone())]
        }
        "defang" => {
            let content = text("content")?;
            let inert = if content == *expected { Value::Null } else { expected.clone() };
            let function = if *dialect == "marker" { "neutralise" } else { "defang" };
            vec![of(function, vec![content], inert)]
        }
        "round-trip" => {
            vec![of("restore", vec![expected["body"].clone()], expected["restored"].clone())]
        }
        "segments" => {
            let message = text("message")?;
            let result = segments(message.as_str().unwrap_or_default(), expected)?;
            vec![of("segments", vec![message], result)]
        }
        "verify" => {
            let message: Value = match input["message-json"].as_str() {
                Some(literal) => serde_json::from_str(literal).map_err(|it| it.to_string())?,
                None => text("message")?,
            };
            let mode = input["mode"].as_str().unwrap_or("standard");
            let result = verdict(message.as_str().unwrap_or_default(), expected)?;
            vec![of("verify", vec![message, json!(mode)], result)]
        }
        "rules" => {
            let function = if *dialect == "marker" { "marker-rules" } else { "rules" };
            let result = json!({ "ok": expected });
            let rules = of(function, vec![text("label")?], result);
            vec![Call {
                interface: if interface == "fence" { "rules" } else { interface },
                ..rules
            }]
        }
        "fence" if *dialect == "nonce" => {
            let refused = expected["error"].as_object().and_then(|error| error.keys().next());
            if refused.is_some_and(|error| !error.starts_with("in-")) {
                return Ok(vec![of("create", vec![], fallible())]);
            }
            let result = match expected.get("ok") {
                Some(block) => json!({ "ok": { "block": block } }),
                None => fallible(),
            };
            vec![of("fence", vec![text("source")?, text("content")?], result)]
        }
        "fence" => {
            let attributes = resolve(&input["attributes"]).map_err(Stop::reason)?;
            let attributes = attributes.as_array().into_iter().flatten();
            let attributes =
                attributes.map(|pair| json!({ "name": pair[0], "value": pair[1] })).collect();
            vec![of("fence", vec![text("tag")?, text("body")?, attributes], fallible())]
        }
        "tool-result" => vec![of("tool-result", vec![text("tool")?, text("body")?], fallible())],
        "history" => {
            let pairs = |list: &Value, first: &str, second: &str| -> Value {
                let pairs = list.as_array().into_iter().flatten();
                pairs.map(|pair| json!({ first: pair[0], second: pair[1] })).collect()
            };
            let result = json!({
                "turns": pairs(&expected["turns"], "role", "text"),
                "coercions": pairs(&expected["coercions"], "index", "role"),
            });
            vec![of("history", vec![pairs(&input["turns"], "role", "text")], result)]
        }
        "lookalikes" => vec![of("lookalikes", vec![text("message")?], spans(expected))],
        "assemble" => {
            let result = match expected.get("unknown-lane") {
                Some(lane) => json!({ "err": { "unknown-lane": lane } }),
                None => {
                    let fenced = expected["fenced"].as_object().into_iter().flatten();
                    let enforced = |(lane, it): (&String, &Value)| json!({ "lane": lane, "declared": true, "enforced": it });
                    let mut coverage = expected["coverage"].clone();
                    // By lane, in the registry's order, which is not the map's.
                    let mut lanes: Vec<Value> = fenced.map(enforced).collect();
                    let place = |lane: &Value| {
                        let name = lane["lane"].as_str().unwrap_or_default();
                        settings["registry"].as_str().and_then(|it| it.find(&format!("[{name}]")))
                    };
                    lanes.sort_by_key(place);
                    coverage["lanes"] = json!(lanes);
                    json!({ "ok": coverage })
                }
            };
            vec![of(
                "assemble",
                vec![settings["registry"].clone(), input["pushes"].clone()],
                result,
            )]
        }
        "trust" => {
            if *expected != json!({ "strict": "refused", "lenient": "untrusted" }) {
                return Err(format!("a trust of which no call is made: {expected}"));
            }
            let word = &input["word"];
            let registry = json!(format!("[lane]\ntrust = {word}\nbudget = 1\n"));
            let kind = json!({ "unknown-trust": { "lane": "lane", "value": word } });
            // What is refused is unknown where it is read all the same: so the WIT.
            let lane = json!({ "name": "lane", "trust": "unknown" });
            vec![
                of("parse", vec![registry.clone()], json!({ "err": [{ "kind": kind }] })),
                of("parse-lenient", vec![registry], json!([lane])),
            ]
        }
        // Asked of Rust hosts alone: what comes out is told apart by dialect.
        "chat" | "messages-coverage" => vec![],
        other => return Err(format!("no operation `{other}`")),
    };
    Ok(calls)
}

/// The value with every `[start, end]` as the record that it stands for.
pub(super) fn spans(value: &Value) -> Value {
    match value {
        Value::Array(items) => match &items[..] {
            [Value::Number(start), Value::Number(end)] => json!({ "start": start, "end": end }),
            items => items.iter().map(spans).collect(),
        },
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, it)| (name.clone(), spans(it))).collect())
        }
        other => other.clone(),
    }
}

/// A verdict, from one whose blocks are texts.
fn verdict(message: &str, expected: &Value) -> Result<Value, String> {
    match expected["verdict"].as_str() {
        Some("unfenced") => Ok(json!("unfenced")),
        Some("broken") => {
            let flaws = expected["flaws"].as_array().into_iter().flatten();
            let flaws = flaws.map(|flaw| json!({ "kind": flaw[0], "offset": flaw[1] }));
            Ok(json!({ "broken": flaws.collect::<Value>() }))
        }
        _ => match (&expected["blocks"], &expected["outside"]) {
            (Value::Array(blocks), Value::Array(outside))
                if blocks.len() == 1 && outside.is_empty() =>
            {
                let block = block(message, 0, &blocks[0])?;
                Ok(json!({ "intact": { "blocks": [block], "outside": [] } }))
            }
            _ => Err("more than one block or text about it, whose places are not recorded".into()),
        },
    }
}

/// Segments, from those that are texts.
fn segments(message: &str, expected: &Value) -> Result<Value, String> {
    let mut at = 0;
    let mut found = Vec::new();
    for segment in expected.as_array().into_iter().flatten() {
        if let Some(text) = segment["text"].as_str() {
            found.push(json!({ "text": { "start": at, "end": at + text.len() } }));
            at += text.len();
        } else {
            // The block ends where the text after it begins.
            let block = block(message, at, segment)?;
            at = block["closer"]["end"].as_u64().and_then(|it| it.try_into().ok()).unwrap_or(at);
            found.push(json!({ "block": block }));
        }
    }
    match at == message.len() {
        true => Ok(Value::Array(found)),
        false => Err("segments that are not the whole message".into()),
    }
}

/// Where a block stands that begins at `start`: its opener and its closer are one
/// line each, and its body is recorded.
fn block(message: &str, start: usize, recorded: &Value) -> Result<Value, String> {
    let place = || {
        let body = recorded["body"].as_str()?;
        let opener_end = start + message[start..].find('\n')?;
        let body_start = opener_end + 1;
        let body_end = body_start + body.len();
        let closer_start = body_end + 1;
        message[body_start..].starts_with(body).then_some(())?;
        let line = message.get(closer_start..)?.lines().next()?;
        let closer_end = closer_start + line.len();
        let span = |start, end| json!({ "start": start, "end": end });
        Some(json!({
            "source": recorded["source"],
            "opener": span(start, opener_end),
            "body": span(body_start, body_end),
            "closer": span(closer_start, closer_end),
        }))
    };
    place().ok_or_else(|| format!("no block with this body at byte {start}"))
}
