//! What a subject answers to a call of the list.

use super::audit::AuditCase;
use super::list::{Call, spans};
use crate::report::Finding;
use crate::subject::{DialectFence, Marker, Subject};
use crate::values;
use murmur_fence_host::lanes::{
    Dialect, Lane, LaneCoverage, Problem, ProblemKind, PushError, Trust,
};
use murmur_fence_host::nonce::{Settings, Style};
use murmur_fence_host::rules::{Coercion, ImportedTurn, Turn, Wording};
use murmur_fence_host::tags::Attribute;
use murmur_fence_host::{CallError, Item, Mode, ServedMessage};
use serde_json::{Value, json};

/// Why there is no answer.
enum Stop {
    /// The call ended without one.
    Call(CallError),
    /// No such call is made.
    Unknown(String),
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Stop {
        Stop::Call(error)
    }
}

impl Call {
    /// Where a subject's answer differs from what is recorded.
    pub fn finding(&self, subject: &dyn Subject) -> Option<Finding> {
        let seen = match self.answer(subject) {
            Ok(seen) => spans(&seen),
            Err(Stop::Call(error)) => json!({ "no-answer": error.to_string() }),
            Err(Stop::Unknown(what)) => json!({ "no-such-call": what }),
        };
        Finding::of_values(&self.name, &self.result, &recorded(&self.result, &seen))
    }

    fn answer(&self, subject: &dyn Subject) -> Result<Value, Stop> {
        let first = self.arguments.first().unwrap_or(&Value::Null);
        let second = self.arguments.get(1).unwrap_or(&Value::Null);
        Ok(match (self.interface, self.function.as_str()) {
            ("fence", "wrap-all") => {
                let items: Vec<Item> = list(first).iter().map(item).collect();
                json!(subject.wrap_all(&items)?)
            }
            ("fence", "neutralise-all") => json!(subject.neutralise_all(&words(first))?),
            ("fence", "open-marker") => json!(subject.open_marker(word(first))?),
            ("fence", "close-marker") => json!(subject.close_marker()?),
            ("fence", "outer-block") => values::outer_block(&subject.outer_block(word(first))?),
            ("fence", "verify-all") => {
                let verdicts = subject.verify_all(&words(first), mode(second))?;
                verdicts.iter().map(values::verdict).collect()
            }
            ("fence", "lookalikes") => {
                subject.lookalikes(word(first))?.iter().map(values::lookalike).collect()
            }
            ("fence", function) => method(&mut Marker(subject), function, &self.arguments)?,
            ("rules", "marker-rules") => rules(&mut Marker(subject), first)?,
            ("rules", "history") => {
                let turns: Vec<Turn> = list(first).iter().map(turn).collect();
                let imported = subject.history(&turns)?;
                let turn = |it: &ImportedTurn| json!({ "role": it.role, "text": it.text });
                let coercion = |it: &Coercion| json!({ "index": it.index, "role": it.role });
                json!({
                    "turns": imported.turns.iter().map(turn).collect::<Value>(),
                    "coercions": imported.coercions.iter().map(coercion).collect::<Value>(),
                })
            }
            ("inspect", "inspect") => values::inspected(&subject.inspect(&served(first))?),
            ("inspect", "inspect-all") => {
                let messages: Vec<ServedMessage> = list(first).iter().map(served).collect();
                subject.inspect_all(&messages)?.iter().map(values::inspected).collect()
            }
            ("audit", "audit-lines") => {
                let case = AuditCase::of(&self.arguments).ok_or_else(|| unknown("lines"))?;
                values::audited(&case.answer(subject)?)
            }
            ("nonce", function) => {
                let style = if first["style"] == "tag" { Style::Tag } else { Style::Angle };
                let (token, name) = (word(&first["token"]), first["name"].as_str());
                let mut nonce = match subject.nonce(&Settings { token, name, style })? {
                    Ok(nonce) => nonce,
                    Err(error) => return Ok(json!({ "err": values::settings_error(&error) })),
                };
                let rest = &self.arguments[1..];
                match function {
                    "fence" => match nonce.fence(word(&rest[0]), word(&rest[1]))? {
                        Ok(fenced) => json!({ "ok": { "block": fenced.block } }),
                        Err(error) => json!({ "err": values::token_occurs(&error) }),
                    },
                    function => method(&mut *nonce, function, rest)?,
                }
            }
            ("tags", function) => {
                let names = (!first.is_null()).then(|| words(first));
                let mut tags = subject.tags(names.as_deref())?.map_err(unknown)?;
                let rest = &self.arguments[1..];
                let block = match function {
                    "fence" => {
                        let attributes: Vec<_> = list(&rest[2]).iter().map(attribute).collect();
                        tags.fence(word(&rest[0]), word(&rest[1]), &attributes)?
                    }
                    "tool-result" => tags.tool_result(word(&rest[0]), word(&rest[1]))?,
                    function => return method(&mut *tags, function, rest),
                };
                match block {
                    Ok(block) => json!({ "ok": block }),
                    Err(error) => json!({ "err": values::fence_error(&error) }),
                }
            }
            ("lanes", "assemble") => assemble(subject, word(first), second)?,
            ("lanes", "parse") => match subject.registry(word(first))? {
                Ok(mut lanes) => json!({ "ok": trusts(&lanes.lanes()?) }),
                Err(problems) => {
                    let kind = |it: &Problem| match &it.kind {
                        ProblemKind::UnknownTrust(it) => {
                            json!({ "kind": { "unknown-trust": { "lane": it.lane, "value": it.value } } })
                        }
                        other => json!({ "kind": format!("{other:?}") }),
                    };
                    json!({ "err": problems.iter().map(kind).collect::<Value>() })
                }
            },
            ("lanes", "parse-lenient") => {
                trusts(&subject.registry_lenient(word(first))?.0.lanes()?)
            }
            (interface, function) => return Err(unknown(format!("{interface}.{function}"))),
        })
    }
}

/// What the dialects have in common.
fn method(
    dialect: &mut dyn DialectFence,
    function: &str,
    arguments: &[Value],
) -> Result<Value, Stop> {
    let first = arguments.first().unwrap_or(&Value::Null);
    let second = arguments.get(1).unwrap_or(&Value::Null);
    Ok(match function {
        "wrap" => json!(dialect.wrap(word(first), word(second))?),
        "defang" | "neutralise" => json!(dialect.defang(word(first))?),
        "restore" => json!(dialect.restore(word(first))?),
        "segments" => values::segments(&dialect.segments(word(first))?),
        "verify" => values::verdict(&dialect.verify(word(first), mode(second))?),
        "rules" => rules(dialect, first)?,
        other => return Err(unknown(other)),
    })
}

fn rules(dialect: &mut dyn DialectFence, label: &Value) -> Result<Value, Stop> {
    let Wording { label, text, region_rule, phrase_rule, label_rule, .. } =
        dialect.rules(label.as_str())?.map_err(unknown)?;
    Ok(json!({ "ok": {
        "label": label,
        "text": text,
        "region-rule": region_rule,
        "phrase-rule": phrase_rule,
        "label-rule": label_rule,
    }}))
}

/// The coverage of a prompt in the marker dialect, or why a push was refused.
fn assemble(subject: &dyn Subject, registry: &str, pushes: &Value) -> Result<Value, Stop> {
    let mut lanes = subject.registry(registry)?.map_err(unknown)?;
    let pushes: Vec<(&str, &str)> =
        list(pushes).iter().map(|it| (word(&it[0]), word(&it[1]))).collect();
    let prompt = lanes.assemble(Dialect::Marker, &pushes)?.map_err(unknown)?;
    for pushed in prompt.pushed {
        match pushed {
            Err(PushError::UnknownLane(lane)) => {
                return Ok(json!({ "err": { "unknown-lane": lane } }));
            }
            Err(PushError::Finished) => return Ok(json!({ "err": "finished" })),
            Ok(_) => {}
        }
    }
    let assembled = prompt.finished.map_err(unknown)?;
    let coverage = lanes.prompt_coverage(Dialect::Marker, &assembled.text)?.map_err(unknown)?;
    let lane = |it: &LaneCoverage| json!({ "lane": it.lane, "declared": it.declared, "enforced": it.enforced });
    Ok(json!({ "ok": {
        "declared": coverage.declared,
        "enforced": coverage.enforced,
        "lanes": coverage.lanes.iter().map(lane).collect::<Value>(),
    }}))
}

fn trusts(lanes: &[Lane]) -> Value {
    let trust = |trust| match trust {
        Trust::Owner => "owner",
        Trust::Policy => "policy",
        Trust::Tool => "tool",
        Trust::Child => "child",
        Trust::Model => "model",
        Trust::Unknown => "unknown",
    };
    lanes.iter().map(|lane| json!({ "name": lane.name, "trust": trust(lane.trust) })).collect()
}

/// The seen value without the members that the recorded one leaves out.
pub(super) fn recorded(result: &Value, seen: &Value) -> Value {
    match (result, seen) {
        (Value::Object(result), Value::Object(seen)) => {
            let kept = seen.iter().filter_map(|(name, it)| {
                // A variant's case is no member that could be left out.
                let known = result.get(name).map(|result| recorded(result, it));
                (known.is_some() || seen.len() == 1)
                    .then(|| (name.clone(), known.unwrap_or_else(|| it.clone())))
            });
            Value::Object(kept.collect())
        }
        (Value::Array(result), Value::Array(seen)) if result.len() == seen.len() => {
            result.iter().zip(seen).map(|(result, seen)| recorded(result, seen)).collect()
        }
        _ => seen.clone(),
    }
}

fn unknown(what: impl std::fmt::Debug) -> Stop {
    Stop::Unknown(format!("{what:?}"))
}

fn item(item: &Value) -> Item<'_> {
    Item { source: word(&item["source"]), content: word(&item["content"]) }
}

fn turn(turn: &Value) -> Turn<'_> {
    Turn { role: word(&turn["role"]), text: word(&turn["text"]) }
}

fn attribute(attribute: &Value) -> Attribute<'_> {
    Attribute { name: word(&attribute["name"]), value: word(&attribute["value"]) }
}

fn served(message: &Value) -> ServedMessage<'_> {
    ServedMessage {
        role: word(&message["role"]),
        content: word(&message["content"]),
        inserted: message["inserted"] == true,
    }
}

fn mode(value: &Value) -> Mode {
    if value == "strict" { Mode::Strict } else { Mode::Standard }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn words(value: &Value) -> Vec<&str> {
    list(value).iter().map(word).collect()
}
