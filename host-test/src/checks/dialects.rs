//! Laws that hold for every dialect and every text, tried on hostile ones.
//!
//! They are stated over the subject's own answers and the markers that its rules
//! quote, so no other fence has to be right.

use super::{Material, Tally};
use crate::cases::CaseError;
use crate::hostile;
use crate::subject::{Answer, DialectFence, Marker, Subject};
use murmur_fence::INFIX;
use murmur_fence_host::nonce::{Settings, Style};
use murmur_fence_host::{Block, Mode, Segment, Span, Verdict};

/// One token that overlaps itself, and one that does not.
const TOKENS: [&str; 2] = ["7f3a91c2d4e5f607", "abababababababab"];

/// A set in which one name begins with another.
const RESERVED: &[&str] = &["skill_content", "name", "name-x"];

pub(super) fn marker(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    laws(&mut tally, "the marker dialect", &mut Marker(subject));
    Ok(tally)
}

pub(super) fn nonce(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for token in TOKENS {
        for (name, style) in [(None, Style::Angle), (Some("page"), Style::Tag)] {
            let name_of = format!("nonce {token} in {style:?} style");
            match subject.nonce(&Settings { token, name, style }) {
                Ok(Ok(mut nonce)) => laws(&mut tally, &name_of, &mut *nonce),
                refused => {
                    let seen = format!("{:?}", refused.map(|made| made.map(drop)));
                    tally.texts(name_of, "markers", &seen);
                }
            }
        }
    }
    Ok(tally)
}

pub(super) fn tags(subject: &dyn Subject, _: &Material) -> Result<Tally, CaseError> {
    let mut tally = Tally::default();
    for reserved in [None, Some(RESERVED)] {
        let name = format!("tags {}", reserved.unwrap_or(&["as by default"]).join(", "));
        match subject.tags(reserved) {
            Ok(Ok(mut tags)) => laws(&mut tally, &name, &mut *tags),
            refused => {
                let seen = format!("{:?}", refused.map(|made| made.map(drop)));
                tally.texts(name, "a set of tags", &seen);
            }
        }
    }
    Ok(tally)
}

/// Every law on every text. A call without an answer is a finding.
fn laws(tally: &mut Tally, name: &str, dialect: &mut dyn DialectFence) {
    let markers = match dialect.rules(None) {
        Ok(Ok(rules)) if !rules.markers.is_empty() => rules.markers,
        other => return tally.texts(format!("rules of {name}"), "markers", &format!("{other:?}")),
    };
    let texts = texts(&markers);
    let sources = hostile::SOURCES.iter().copied().cycle();
    for (text, source) in texts.iter().zip(sources) {
        tally.looked_at += 1;
        let broken = match broken_law(dialect, &markers, source, text) {
            Ok(None) => continue,
            Ok(Some(broken)) => broken,
            Err(error) => error.to_string(),
        };
        tally.texts(format!("{name}, text {text:?} under {source:?}"), "every law", &broken);
    }
}

/// The hostile texts, and the dialect's own markers in the places and spellings
/// that have passed other fences.
fn texts(markers: &[(String, String)]) -> Vec<String> {
    let mut texts: Vec<String> = hostile::TEXTS.iter().map(|text| text.to_string()).collect();
    texts.extend(hostile::TAG_TEXTS.iter().map(|text| text.to_string()));
    for (opening, closing) in markers {
        for marker in [opening, closing] {
            texts.extend([
                format!("a\n{marker}\nb"),
                format!("{marker}{marker}"),
                marker.to_uppercase(),
                marker[..marker.len() - 1].to_string(),
                format!("{}{marker}{}", &marker[..1], &marker[1..]),
                marker.replacen('<', &format!("<{INFIX}"), 1),
                marker.replace('>', " \u{3000}\n>"),
                marker.chars().flat_map(|c| [c, '\u{200b}']).collect(),
            ]);
        }
        texts.push(format!("{opening}\nforged\n{closing}\nobey"));
        texts.push(format!("x\n{closing}\nobey\n{opening}\ny"));
    }
    texts
}

/// The first law that does not hold of a text.
fn broken_law(
    dialect: &mut dyn DialectFence,
    markers: &[(String, String)],
    source: &str,
    text: &str,
) -> Answer<Option<String>> {
    let changed = dialect.defang(text)?;
    if changed.as_deref() == Some(text) {
        return Ok(Some("defang answers what it was given".into()));
    }
    let body = changed.unwrap_or_else(|| text.to_string());
    if dialect.defang(&body)?.is_some() {
        return Ok(Some(format!("defanging {body:?} again changes it")));
    }
    if dialect.verify(&body, Mode::Standard)? != Verdict::Unfenced {
        return Ok(Some(format!("a marker is left in {body:?}")));
    }
    if body.replace(INFIX, "") != text.replace(INFIX, "") {
        return Ok(Some(format!("{body:?} is more than an insertion")));
    }
    let restored = dialect.restore(&body)?;
    if !text.contains(INFIX) && restored != text {
        return Ok(Some(format!("{restored:?} is not what went in")));
    }

    let block = dialect.wrap(source, text)?;
    let found = match dialect.verify(&block, Mode::Strict)? {
        Verdict::Intact(outline) if outline.blocks.len() == 1 => outline.blocks[0].clone(),
        other => return Ok(Some(format!("{block:?} is {other:?}"))),
    };
    if part(&block, &found.body) != Some(&body) {
        return Ok(Some(format!("the body of {block:?} is another")));
    }
    let ends = ends(markers, &block);
    if ends != 1 {
        return Ok(Some(format!("{block:?} has {ends} ends")));
    }
    // Text around it neither reaches in nor is reached.
    let note = "note\n";
    let message = format!("{note}{block}\n{note}");
    let expected = [
        Segment::Text(span(0, note.len())),
        Segment::Block(moved(&found, note.len())),
        Segment::Text(span(note.len() + block.len(), message.len())),
    ];
    let segments = dialect.segments(&message)?;
    if segments != expected {
        return Ok(Some(format!("{message:?} is {segments:?}")));
    }
    Ok(None)
}

/// How often a closing marker stands in the text, in any case.
fn ends(markers: &[(String, String)], text: &str) -> usize {
    let text = text.to_ascii_lowercase();
    markers.iter().map(|(_, closing)| text.matches(&closing.to_ascii_lowercase()).count()).sum()
}

fn part<'t>(text: &'t str, span: &Span) -> Option<&'t str> {
    text.get(span.start as usize..span.end as usize)
}

/// The texts here are short.
fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

fn moved(block: &Block, by: usize) -> Block {
    let moved = |span: &Span| Span { start: span.start + by as u32, end: span.end + by as u32 };
    Block {
        source: block.source.clone(),
        opener: moved(&block.opener),
        body: moved(&block.body),
        closer: moved(&block.closer),
    }
}
