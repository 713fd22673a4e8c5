//! Cases of the dialects, `dialects/NAME/case.json`: one operation on one input.
//!
//! The cases' README describes the members. Errors are expected as their values in
//! the WIT.

use super::CaseError;
use crate::subject::{DialectFence, Lanes, Marker, Prompt, Say, Subject, Talk};
use crate::values::{self, flaw_kind};
use murmur_fence::INFIX;
use murmur_fence_host::lanes::{
    ChatError, Coverage, Dialect, FinishError, ProblemKind, PushError, Receipt, Trust,
};
use murmur_fence_host::nonce::{Settings, Style};
use murmur_fence_host::rules::Turn;
use murmur_fence_host::tags::Attribute;
use murmur_fence_host::{CallError, Mode, Segment, Span, Verdict};
use serde_json::{Map, Value, json};
use std::fmt;
use std::path::Path;

/// What a case is about: the dialect, or what is no dialect.
pub const SUBJECTS: [&str; 6] = ["marker", "nonce", "tags", "history", "lookalikes", "lanes"];

/// The kinds of fault, each of which has a case.
pub const FAULTS: [&str; 21] = [
    "closer-with-attributes",
    "white-space-before-bracket",
    "attribute-openers",
    "disguised-closer",
    "homoglyph-name",
    "folding-offsets",
    "already-wrapped",
    "rewrite-forms-marker",
    "forged-opener",
    "predictable-nonce",
    "quoted-terminator",
    "name-breaks-attribute",
    "truncation",
    "unwrap-loses-data",
    "first-closer",
    "one-lane-of-many",
    "tier-exact-string",
    "unmarked-structure",
    "decoded-after",
    "escaped-by-serializer",
    "quadratic-scan",
];

/// The token of the lanes' nonce dialect.
const TOKEN: &str = "7f3a91c2d4e5f607";

/// One case, read.
#[derive(Debug)]
pub(super) struct DialectCase {
    /// Of [`FAULTS`].
    pub(super) fault: String,
    /// Of [`SUBJECTS`].
    pub(super) dialect: &'static str,
    pub(super) operation: String,
    pub(super) settings: Value,
    pub(super) input: Value,
    pub(super) expected: Value,
}

/// Why there is nothing to compare.
pub(super) enum Stop {
    /// The case is not as the README describes.
    Malformed(String),
    /// A call ended without an answer.
    Call(CallError),
    /// What a case never has to expect.
    Seen(String),
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Self {
        Stop::Call(error)
    }
}

fn malformed(what: impl fmt::Display) -> Stop {
    Stop::Malformed(what.to_string())
}

impl DialectCase {
    pub(super) fn read(path: &Path, case: &Value) -> Result<Self, CaseError> {
        let case = || -> Result<DialectCase, Stop> {
            let dialect = word(&case["dialect"])?;
            let known = SUBJECTS.into_iter().find(|it| *it == dialect);
            Ok(DialectCase {
                fault: word(&case["fault"])?.to_string(),
                dialect: known.ok_or_else(|| malformed(format!("no dialect `{dialect}`")))?,
                operation: word(&case["operation"])?.to_string(),
                settings: case["settings"].clone(),
                input: case["input"].clone(),
                expected: resolve(&case["expected"])?,
            })
        };
        case().map_err(|stop| CaseError::new(path, stop.reason()))
    }

    /// What a subject answers, in the form of `expected`.
    pub(super) fn seen(&self, path: &Path, subject: &dyn Subject) -> Result<Value, CaseError> {
        match self.ask(subject) {
            Ok(seen) => Ok(seen),
            Err(Stop::Malformed(reason)) => Err(CaseError::new(path, reason)),
            Err(Stop::Call(error)) => Ok(json!({ "no-answer": error.to_string() })),
            Err(Stop::Seen(what)) => Ok(json!({ "never-expected": what })),
        }
    }

    fn ask(&self, subject: &dyn Subject) -> Result<Value, Stop> {
        let input = &self.input;
        match (self.dialect, self.operation.as_str()) {
            ("marker", operation) => through_the_trait(&mut Marker(subject), operation, input),
            ("nonce", operation) => self.nonce(subject, operation),
            ("tags", operation) => self.tags(subject, operation),
            ("history", "history") => history(subject, input),
            ("lookalikes", "lookalikes") => {
                let found = subject.lookalikes(&text(&input["message"])?)?;
                Ok(found.iter().map(values::lookalike).collect())
            }
            ("lanes", "assemble") => self.assemble(subject),
            ("lanes", "chat") => self.chat(subject),
            ("lanes", "messages-coverage") => self.messages_coverage(subject),
            ("lanes", "trust") => trust(subject, word(&input["word"])?),
            (dialect, operation) => {
                Err(malformed(format!("no operation `{operation}` of {dialect}")))
            }
        }
    }

    fn nonce(&self, subject: &dyn Subject, operation: &str) -> Result<Value, Stop> {
        let settings = Settings {
            token: word(&self.settings["token"])?,
            name: self.settings["name"].as_str(),
            style: if self.settings["style"] == "tag" { Style::Tag } else { Style::Angle },
        };
        let mut nonce = match subject.nonce(&settings)? {
            Ok(nonce) => nonce,
            Err(error) => return Ok(json!({ "error": values::settings_error(&error) })),
        };
        if operation != "fence" {
            return through_the_trait(&mut *nonce, operation, &self.input);
        }
        let (source, content) = (text(&self.input["source"])?, text(&self.input["content"])?);
        Ok(match nonce.fence(&source, &content)? {
            Ok(fenced) => json!({ "ok": fenced.block }),
            Err(error) => json!({ "error": values::token_occurs(&error) }),
        })
    }

    fn tags(&self, subject: &dyn Subject, operation: &str) -> Result<Value, Stop> {
        let names = self.settings["reserved"].as_array();
        let names: Option<Vec<&str>> =
            names.map(|names| names.iter().map(word).collect()).transpose()?;
        let mut tags = subject
            .tags(names.as_deref())?
            .map_err(|error| malformed(format!("the names cannot be reserved: {error:?}")))?;
        let input = &self.input;
        let block = match operation {
            "fence" => {
                let pairs =
                    input["attributes"].as_array().ok_or_else(|| malformed("attributes"))?;
                let pairs: Vec<(String, String)> = pairs
                    .iter()
                    .map(|pair| Ok((text(&pair[0])?, text(&pair[1])?)))
                    .collect::<Result<_, Stop>>()?;
                let attributes: Vec<Attribute> =
                    pairs.iter().map(|(name, value)| Attribute { name, value }).collect();
                tags.fence(word(&input["tag"])?, &text(&input["body"])?, &attributes)?
            }
            "tool-result" => tags.tool_result(&text(&input["tool"])?, &text(&input["body"])?)?,
            operation => return through_the_trait(&mut *tags, operation, input),
        };
        Ok(match block {
            Ok(block) => json!({ "ok": block }),
            Err(error) => json!({ "error": values::fence_error(&error) }),
        })
    }

    fn registry(&self, subject: &dyn Subject) -> Result<Box<dyn Lanes>, Stop> {
        let text = text(&self.settings["registry"])?;
        let made = subject.registry(&text)?;
        made.map_err(|problems| malformed(format!("the registry is not sound: {problems:?}")))
    }

    /// The same pushes in every dialect, which must all answer alike; the messages are
    /// those of the marker dialect.
    fn chat(&self, subject: &dyn Subject) -> Result<Value, Stop> {
        let mut lanes = self.registry(subject)?;
        let mut steps = Vec::new();
        for message in self.input["messages"].as_array().ok_or_else(|| malformed("messages"))? {
            let (role, pushes) = match (message["role"].as_str(), message["pushes"].as_array()) {
                (Some(role), Some(pushes)) => (role, pushes),
                _ => return Err(malformed("a message without `role` and `pushes`")),
            };
            steps.push(Say::Message(role));
            for push in pushes {
                let lane = word(&push[0])?;
                steps.push(match push[1].get("json") {
                    Some(value) => Say::Json(lane, word(value)?),
                    None => Say::Text(lane, word(&push[1])?),
                });
            }
        }
        let settings = Settings { token: TOKEN, name: None, style: Style::Angle };
        let mut seen = Vec::new();
        let mut messages = Value::Null;
        for dialect in [Dialect::Nonce(&settings), Dialect::Tags(None), Dialect::Marker] {
            let answer = conversed(&mut *lanes, dialect, &steps)?;
            messages = answer.0;
            seen.push(answer.1);
        }
        if seen.iter().any(|other| *other != seen[0]) {
            return Err(Stop::Seen(format!("the dialects answer differently: {seen:?}")));
        }
        let mut seen = seen.swap_remove(0);
        if seen.get("error").is_none() {
            seen["messages"] = messages;
        }
        Ok(seen)
    }

    /// The coverage of messages in the marker dialect.
    fn messages_coverage(&self, subject: &dyn Subject) -> Result<Value, Stop> {
        let mut lanes = self.registry(subject)?;
        let messages = match &self.input["messages"] {
            Value::String(text) => text.clone(),
            messages => messages.to_string(),
        };
        let seen = lanes.messages_coverage(Dialect::Marker, &messages)?;
        Ok(match seen.map_err(|error| malformed(format!("{error:?}")))? {
            Ok(coverage) => coverage_of(&coverage),
            Err(_) => json!("no messages"),
        })
    }

    /// The same pushes in every dialect, which must all answer alike.
    fn assemble(&self, subject: &dyn Subject) -> Result<Value, Stop> {
        let mut lanes = self.registry(subject)?;
        let pushes = self.input["pushes"].as_array().ok_or_else(|| malformed("pushes"))?;
        let pushes: Vec<(&str, &str)> = pushes
            .iter()
            .map(|push| Ok((word(&push[0])?, word(&push[1])?)))
            .collect::<Result<_, Stop>>()?;
        let settings = Settings { token: TOKEN, name: None, style: Style::Angle };
        let mut seen = Vec::new();
        for dialect in [Dialect::Marker, Dialect::Nonce(&settings), Dialect::Tags(None)] {
            seen.push(assembled(&mut *lanes, dialect, &pushes)?);
        }
        if seen.iter().all(|other| *other == seen[0]) {
            Ok(seen.swap_remove(0))
        } else {
            Err(Stop::Seen(format!("the dialects answer differently: {seen:?}")))
        }
    }
}

impl Stop {
    pub(super) fn reason(self) -> String {
        match self {
            Stop::Malformed(reason) | Stop::Seen(reason) => reason,
            Stop::Call(error) => error.to_string(),
        }
    }
}

fn assembled(
    lanes: &mut dyn Lanes,
    dialect: Dialect<'_>,
    pushes: &[(&str, &str)],
) -> Result<Value, Stop> {
    let made = lanes.assemble(dialect, pushes)?;
    let Prompt { pushed, finished } = made.map_err(|error| malformed(format!("{error:?}")))?;
    for answer in pushed {
        match answer {
            Ok(_) => {}
            Err(PushError::UnknownLane(lane)) => return Ok(json!({ "unknown-lane": lane })),
            Err(PushError::Finished) => return Ok(json!("finished")),
        }
    }
    let assembled = match finished {
        Ok(assembled) => assembled,
        Err(FinishError::Unfenced(_)) => return Ok(json!("unfenced")),
        Err(FinishError::Finished) => return Ok(json!("finished")),
    };
    let coverage = lanes.prompt_coverage(dialect, &assembled.text)?;
    let coverage = coverage.map_err(|error| malformed(format!("{error:?}")))?;
    let fenced = assembled.receipts.iter().map(|it| (it.lane.clone(), json!(it.fenced)));
    Ok(json!({
        "fenced": fenced.collect::<Map<String, Value>>(),
        "coverage": { "declared": coverage.declared, "enforced": coverage.enforced },
    }))
}

/// The messages; and per push whether it is fenced, with the coverage, or the first
/// error.
fn conversed(
    lanes: &mut dyn Lanes,
    dialect: Dialect<'_>,
    steps: &[Say<'_>],
) -> Result<(Value, Value), Stop> {
    let made = lanes.converse(dialect, steps)?;
    let Talk { pushed, finished } = made.map_err(|error| malformed(format!("{error:?}")))?;
    if let Some(error) = pushed.into_iter().find_map(Result::err) {
        return Ok((Value::Null, json!({ "error": chat_error(&error) })));
    }
    let Ok(talk) = finished else { return Err(Stop::Seen(format!("{finished:?}"))) };
    let messages = talk.messages.iter().map(|message| {
        let content: Value = serde_json::from_str(&message.content)
            .map_err(|error| Stop::Seen(format!("content that is no JSON: {error}")))?;
        Ok(json!({ "role": message.role, "content": content }))
    });
    let messages = messages.collect::<Result<Value, Stop>>()?;
    let coverage = lanes.messages_coverage(dialect, &messages.to_string())?;
    let coverage = coverage.map_err(|error| malformed(format!("{error:?}")))?;
    let coverage = coverage.map_err(Stop::Seen)?;
    let receipt = |it: &Receipt| json!([it.lane, it.bytes, it.cut, it.declared, it.fenced]);
    let receipts = talk.receipts.iter().map(receipt).collect::<Value>();
    Ok((messages, json!({ "receipts": receipts, "coverage": coverage_of(&coverage) })))
}

fn coverage_of(coverage: &Coverage) -> Value {
    let flaws = coverage.flaws.iter();
    let flaws = flaws.map(|it| json!([it.piece, flaw_kind(it.flaw.kind), it.flaw.offset]));
    json!({
        "declared": coverage.declared,
        "enforced": coverage.enforced,
        "unregistered": coverage.unregistered,
        "flaws": flaws.collect::<Value>(),
    })
}

fn chat_error(error: &ChatError) -> Value {
    match error {
        ChatError::UnknownLane(lane) => json!({ "unknown-lane": lane }),
        ChatError::AuthoritativeRole(it) => {
            json!({ "authoritative-role": { "lane": it.lane, "role": it.role } })
        }
        ChatError::ValueOverBudget(it) => {
            json!({ "value-over-budget": { "lane": it.lane, "bytes": it.bytes, "room": it.room } })
        }
        ChatError::MarkerInKey(it) => {
            json!({ "marker-in-key": { "lane": it.lane, "key": it.key } })
        }
        ChatError::NotJson(it) => json!({ "not-json": { "lane": it.lane } }),
        ChatError::NoMessage => json!("no-message"),
        ChatError::Finished => json!("finished"),
    }
}

/// What becomes of a lane whose trust is this word.
fn trust(subject: &dyn Subject, word: &str) -> Result<Value, Stop> {
    let text = format!("[lane]\ntrust = {}\nbudget = 1\n", json!(word));
    let strict = match subject.registry(&text)? {
        Ok(mut lanes) => trust_of(&mut *lanes)?,
        Err(problems) => match &problems[..] {
            [problem] if matches!(problem.kind, ProblemKind::UnknownTrust(_)) => "refused",
            _ => return Err(Stop::Seen(format!("{problems:?}"))),
        },
    };
    let lenient = trust_of(&mut *subject.registry_lenient(&text)?.0)?;
    Ok(json!({ "strict": strict, "lenient": lenient }))
}

fn trust_of(lanes: &mut dyn Lanes) -> Result<&'static str, Stop> {
    match lanes.lanes()?.first().map(|lane| lane.trust) {
        Some(Trust::Owner | Trust::Policy) => Ok("authoritative"),
        Some(Trust::Tool | Trust::Child | Trust::Model | Trust::Unknown) => Ok("untrusted"),
        None => Err(Stop::Seen("no lane".into())),
    }
}

fn through_the_trait(
    dialect: &mut dyn DialectFence,
    operation: &str,
    input: &Value,
) -> Result<Value, Stop> {
    let source = || text(&input["source"]);
    let content = || text(&input["content"]);
    match operation {
        "wrap" => {
            let content = content()?;
            let budget = input["budget"].as_u64().and_then(|budget| usize::try_from(budget).ok());
            let kept = content.floor_char_boundary(budget.unwrap_or(content.len()));
            Ok(json!(dialect.wrap(&source()?, &content[..kept])?))
        }
        "defang" => defang(dialect, &content()?),
        "round-trip" => {
            let block = dialect.wrap(&source()?, &content()?)?;
            let Verdict::Intact(outline) = dialect.verify(&block, Mode::Strict)? else {
                return Err(Stop::Seen(format!("not intact: {block:?}")));
            };
            let found = &outline.blocks[0];
            let body = slice(&block, &found.body)?;
            let restored = dialect.restore(body)?;
            Ok(json!({ "source": found.source, "body": body, "restored": restored }))
        }
        "segments" => {
            let message = text(&input["message"])?;
            let segments = dialect.segments(&message)?;
            let segment = |segment: &Segment| match segment {
                Segment::Text(span) => Ok(json!({ "text": slice(&message, span)? })),
                Segment::Block(block) => {
                    Ok(json!({ "source": block.source, "body": slice(&message, &block.body)? }))
                }
            };
            segments.iter().map(segment).collect()
        }
        "verify" => {
            let message = match input["message-json"].as_str() {
                Some(literal) => serde_json::from_str(literal).map_err(malformed)?,
                None => text(&input["message"])?,
            };
            let mode = if input["mode"] == "strict" { Mode::Strict } else { Mode::Standard };
            verdict(&message, &dialect.verify(&message, mode)?)
        }
        "rules" => {
            let label = word(&input["label"])?;
            let rules = dialect.rules(Some(label))?;
            let rules = rules.map_err(|error| malformed(format!("the label: {error:?}")))?;
            Ok(json!({
                "label": rules.label,
                "text": rules.text,
                "region-rule": rules.region_rule,
                "phrase-rule": rules.phrase_rule,
                "label-rule": rules.label_rule,
            }))
        }
        other => Err(malformed(format!("no operation `{other}`"))),
    }
}

/// The content made inert: by insertion, for good, and with nothing left.
fn defang(dialect: &mut dyn DialectFence, content: &str) -> Result<Value, Stop> {
    let once = dialect.defang(content)?.unwrap_or_else(|| content.to_string());
    if dialect.verify(&once, Mode::Strict)? != Verdict::Unfenced {
        return Err(Stop::Seen(format!("a marker is left in {once:?}")));
    }
    if dialect.defang(&once)?.is_some() {
        return Err(Stop::Seen(format!("not the same when defanged again: {once:?}")));
    }
    if once.replace(INFIX, "") != content.replace(INFIX, "") {
        return Err(Stop::Seen(format!("more than an insertion: {once:?}")));
    }
    Ok(json!(once))
}

fn verdict(message: &str, verdict: &Verdict) -> Result<Value, Stop> {
    Ok(match verdict {
        Verdict::Unfenced => json!({ "verdict": "unfenced" }),
        Verdict::Intact(outline) => {
            let blocks = outline.blocks.iter().map(|block| {
                Ok(json!({ "source": block.source, "body": slice(message, &block.body)? }))
            });
            let outside = outline.outside.iter().map(|span| slice(message, span));
            json!({
                "verdict": "intact",
                "blocks": blocks.collect::<Result<Vec<_>, Stop>>()?,
                "outside": outside.collect::<Result<Vec<_>, Stop>>()?,
            })
        }
        Verdict::Broken(flaws) => {
            let flaws = flaws.iter().map(|flaw| json!([flaw_kind(flaw.kind), flaw.offset]));
            json!({ "verdict": "broken", "flaws": flaws.collect::<Value>() })
        }
    })
}

fn history(subject: &dyn Subject, input: &Value) -> Result<Value, Stop> {
    let turns = input["turns"].as_array().ok_or_else(|| malformed("turns"))?;
    let turns: Vec<Turn> = turns
        .iter()
        .map(|turn| Ok(Turn { role: word(&turn[0])?, text: word(&turn[1])? }))
        .collect::<Result<_, Stop>>()?;
    let imported = subject.history(&turns)?;
    let turns = imported.turns.iter().map(|turn| json!([turn.role, turn.text]));
    let coercions = imported.coercions.iter().map(|it| json!([it.index, it.role]));
    Ok(json!({
        "turns": turns.collect::<Value>(),
        "coercions": coercions.collect::<Value>(),
    }))
}

/// The text of a span that a subject answered.
fn slice<'t>(text: &'t str, span: &Span) -> Result<&'t str, Stop> {
    text.get(span.start as usize..span.end as usize)
        .ok_or_else(|| Stop::Seen(format!("a span that is none: {span:?}")))
}

fn word(value: &Value) -> Result<&str, Stop> {
    value.as_str().ok_or_else(|| malformed(format!("not a string: {value}")))
}

/// A text of a case: a string, or parts to be joined.
pub(super) fn text(value: &Value) -> Result<String, Stop> {
    match resolve(value)? {
        Value::String(text) => Ok(text),
        other => Err(malformed(format!("not a text: {other}"))),
    }
}

/// The value with every list of parts joined to the text that it stands for.
pub(super) fn resolve(value: &Value) -> Result<Value, Stop> {
    match value {
        Value::Array(parts) if parts.iter().any(|part| part.get("repeat").is_some()) => {
            let parts = parts.iter().map(|part| match part.get("repeat") {
                Some(unit) => {
                    let times = part["times"].as_u64().and_then(|it| usize::try_from(it).ok());
                    let times = times.ok_or_else(|| malformed("a repetition without `times`"))?;
                    Ok(word(unit)?.repeat(times))
                }
                None => Ok(word(part)?.to_string()),
            });
            Ok(Value::String(parts.collect::<Result<_, Stop>>()?))
        }
        Value::Array(items) => items.iter().map(resolve).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, it)| Ok((name.clone(), resolve(it)?)));
            Ok(Value::Object(members.collect::<Result<_, Stop>>()?))
        }
        other => Ok(other.clone()),
    }
}
