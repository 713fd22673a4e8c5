//! How a standing is spelled in a report.

use alloc::vec::Vec;

use serde::{Serialize, Serializer};

use crate::standing::{PieceBlock, Standing};

/// One shape for every standing, so that a reader needs no cases.
#[derive(Serialize)]
struct Shape<'s> {
    standing: &'static str,
    blocks: Vec<Block>,
    notes: Vec<[usize; 2]>,
    extents_agree: Option<bool>,
    flaws: Vec<Flaw<'s>>,
    mentions: &'s [usize],
}

#[derive(Serialize)]
struct Block {
    source: [usize; 2],
    opener: [usize; 2],
    body: [usize; 2],
    closer: [usize; 2],
}

#[derive(Serialize)]
struct Flaw<'s> {
    kind: &'s str,
    offset: usize,
}

fn pair(span: &murmur_fence::Span) -> [usize; 2] {
    [span.start, span.end]
}

impl From<&PieceBlock> for Block {
    fn from(block: &PieceBlock) -> Self {
        Block {
            source: pair(&block.source),
            opener: pair(&block.opener),
            body: pair(&block.body),
            closer: pair(&block.closer),
        }
    }
}

pub(super) fn serialize<S: Serializer>(
    standing: &Standing,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut shape = Shape {
        standing: standing.as_str(),
        blocks: Vec::new(),
        notes: Vec::new(),
        extents_agree: None,
        flaws: Vec::new(),
        mentions: &[],
    };
    match standing {
        Standing::Unfenced => {}
        Standing::Intact(outline) => {
            shape.blocks = outline.blocks.iter().map(Block::from).collect();
            shape.notes = outline.notes.iter().map(pair).collect();
            shape.extents_agree = Some(outline.extents_agree);
        }
        Standing::Broken(flaws) => {
            let flaw =
                |flaw: &murmur_fence::Flaw| Flaw { kind: flaw.kind.as_str(), offset: flaw.offset };
            shape.flaws = flaws.iter().map(flaw).collect();
        }
        Standing::Mention(offsets) => shape.mentions = offsets,
    }
    shape.serialize(serializer)
}
