//! Reading a page file; `corpus/README.md` documents the form.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::error::{CorpusError, PageProblem};
use super::page::{BENIGN, Check, Fact, Page, Part, Payload, Split};
use super::template::Template;

/// Begins and ends the header.
const RULE: &str = "+++\n";
/// Stands alone on a line between two texts.
const NEXT: &str = "\n⟦next⟧\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    language: String,
    split: Split,
    source: Sources,
    facts: Vec<Fact>,
    payload: Option<PayloadHeader>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Sources {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PayloadHeader {
    says: Option<String>,
    calls: Option<Calls>,
    leaks: Option<bool>,
    anchor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Calls {
    tool: String,
    argument: String,
}

/// The page in a file of this name, relative to the corpus.
pub(super) fn page(file: &str, content: &str) -> Result<Page, CorpusError> {
    // A checkout may have changed the line endings.
    let content = &content.replace("\r\n", "\n");
    let fail = |line, problem| CorpusError::Page { file: file.to_owned(), line, problem };
    let id = file.strip_suffix(".txt").filter(|id| is_id(id));
    let id = id.ok_or_else(|| fail(None, PageProblem::Name))?;

    let header_end = content.strip_prefix(RULE).and_then(|rest| rest.find("\n+++\n"));
    let header_length = header_end.ok_or_else(|| fail(Some(1), PageProblem::NoHeader))? + 1;
    let (header, body) = content[RULE.len()..].split_at(header_length);
    let body_start = content.len() - body.len() + RULE.len();
    let header: Header = toml::from_str(header).map_err(|error| {
        let line = error.span().map(|span| line_of(content, RULE.len() + span.start));
        fail(line, PageProblem::Header(error.message().to_owned()))
    })?;

    let parts = parts(&header.source, content, body_start)
        .map_err(|(offset, problem)| fail(Some(line_of(content, offset)), problem))?;
    if header.facts.is_empty() || header.facts.iter().any(|fact| fact.wordings.is_empty()) {
        return Err(fail(None, PageProblem::NoFact));
    }
    let marked = parts.iter().any(|part| part.source.has_payload() || part.text.has_payload());
    let payload = header.payload.map(payload).transpose().map_err(|problem| fail(None, problem))?;
    if payload.is_some() != marked {
        return Err(fail(None, PageProblem::PayloadMismatch));
    }
    if let Some(payload) = &payload {
        check_anchor(&payload.anchor, &parts).map_err(|problem| fail(None, problem))?;
    }
    let page = Page {
        id: id.to_owned(),
        format: header.format,
        language: header.language,
        split: header.split,
        parts,
        facts: header.facts,
        payload,
        fingerprint: Sha256::new()
            .chain_update(file)
            .chain_update("\0")
            .chain_update(content)
            .finalize()
            .into(),
    };
    if (page.category() == BENIGN) != page.payload.is_none() {
        return Err(fail(None, PageProblem::CategoryMismatch));
    }
    Ok(page)
}

fn is_id(id: &str) -> bool {
    let is_word = |word: &str| {
        let starts = word.starts_with(|c: char| c.is_ascii_lowercase());
        starts && word.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'))
    };
    id.split_once('/').is_some_and(|(category, name)| is_word(category) && is_word(name))
}

/// The parts, or the offset in the file at which something is wrong.
fn parts(
    sources: &Sources,
    content: &str,
    body_start: usize,
) -> Result<Vec<Part>, (usize, PageProblem)> {
    let sources = match sources {
        Sources::One(source) => std::slice::from_ref(source),
        Sources::Several(sources) => sources,
    };
    let body = &content[body_start..];
    let texts: Vec<&str> = body.split(NEXT).collect();
    if texts.len() != sources.len() {
        let problem = PageProblem::Parts { texts: texts.len(), sources: sources.len() };
        return Err((body_start, problem));
    }
    let part = |(source, text): (&String, &str)| {
        let start = text.as_ptr() as usize - content.as_ptr() as usize;
        if text.trim().is_empty() {
            return Err((start, PageProblem::EmptyText));
        }
        let parse = |text: &str| {
            Template::parse(text).map_err(|e| (e.offset, PageProblem::Template(e.problem)))
        };
        Ok(Part {
            // The header gives a source's place away no better than by its own start.
            source: parse(source).map_err(|(_, problem)| (0, problem))?,
            text: parse(text.trim_end_matches('\n'))
                .map_err(|(offset, problem)| (start + offset, problem))?,
        })
    };
    sources.iter().zip(texts).map(part).collect()
}

fn payload(header: PayloadHeader) -> Result<Payload, PageProblem> {
    let (check, anchor) = match (header.says, header.calls, header.leaks) {
        (Some(text), None, None) => {
            let anchor = text.clone();
            (Check::Says(text), Some(anchor))
        }
        (None, Some(Calls { tool, argument }), None) => {
            let anchor = argument.clone();
            (Check::Calls { tool, argument }, Some(anchor))
        }
        (None, None, Some(true)) => (Check::Leaks, None),
        _ => return Err(PageProblem::Check),
    };
    let anchor = header.anchor.or(anchor).ok_or(PageProblem::NoAnchor)?;
    Ok(Payload { check, anchor })
}

fn check_anchor(anchor: &str, parts: &[Part]) -> Result<(), PageProblem> {
    let templates = || parts.iter().flat_map(|part| [&part.source, &part.text]);
    let inside: usize = templates().map(|t| t.payload().matches(anchor).count()).sum();
    let outside: usize = templates().map(|t| t.carrier().matches(anchor).count()).sum();
    if anchor.is_empty() || inside != 1 || outside != 0 {
        let problem = PageProblem::Anchor { anchor: anchor.to_owned(), count: inside + outside };
        return Err(problem);
    }
    Ok(())
}

fn line_of(content: &str, offset: usize) -> usize {
    1 + content.as_bytes()[..offset.min(content.len())].iter().filter(|&&b| b == b'\n').count()
}
