//! A verdict as JSON, and what it shares with the pieces of a message.

use alloc::vec::Vec;

use murmur_fence::{Span, Verdict};
use serde::Serialize;

/// `verdict` names the case; the other members are those of the case.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Judgement<'a> {
    Unfenced,
    Intact { blocks: Vec<Block<'a>>, outside: Vec<[usize; 2]>, extents_agree: bool },
    Broken { flaws: Vec<Flaw> },
}

#[derive(Serialize)]
pub struct Block<'a> {
    source: &'a str,
    opener: [usize; 2],
    body: [usize; 2],
    closer: [usize; 2],
}

#[derive(Serialize)]
pub struct Flaw {
    kind: &'static str,
    offset: usize,
}

pub fn verdict(verdict: Verdict<'_>) -> Judgement<'_> {
    match verdict {
        Verdict::Unfenced => Judgement::Unfenced,
        Verdict::Intact(outline) => Judgement::Intact {
            extents_agree: outline.extents_agree(),
            outside: outline.outside.into_iter().map(span).collect(),
            blocks: outline.blocks.into_iter().map(block).collect(),
        },
        Verdict::Broken(flaws) => {
            let flaw =
                |flaw: murmur_fence::Flaw| Flaw { kind: flaw.kind.as_str(), offset: flaw.offset };
            Judgement::Broken { flaws: flaws.into_iter().map(flaw).collect() }
        }
    }
}

/// Start and end, the end not included.
pub fn span(span: Span) -> [usize; 2] {
    [span.start, span.end]
}

fn block(block: murmur_fence::Block<'_>) -> Block<'_> {
    Block {
        source: block.source,
        opener: span(block.opener),
        body: span(block.body),
        closer: span(block.closer),
    }
}
