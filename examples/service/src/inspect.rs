//! The pieces of a message as JSON.

use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence_record as record;
use serde::Serialize;

use crate::fault::Fault;
use crate::verify::span;

/// The most that an answer may have, in bytes. The names of a hostile message's
/// members stand in the pointer of every text below them, so without a bound the
/// answer could be many times the request.
const MAX_ANSWER: usize = 16 << 20;

#[derive(Serialize)]
struct Piece<'a> {
    pointer: &'a str,
    literal: [usize; 2],
    text: &'a str,
    #[serde(flatten)]
    standing: Standing<'a>,
}

/// `verdict` names the case; the other members are those of the case.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
enum Standing<'a> {
    Unfenced,
    Intact { blocks: Vec<Block<'a>>, notes: Vec<[usize; 2]>, extents_agree: bool },
    Broken { flaws: Vec<Flaw> },
    Mention { mentions: Vec<Position> },
}

#[derive(Serialize)]
struct Block<'a> {
    source: &'a str,
    start: Position,
    end: Position,
    body: [usize; 2],
}

#[derive(Serialize)]
struct Flaw {
    kind: &'static str,
    at: Position,
}

/// One place, in bytes of the text and in bytes of the content.
#[derive(Serialize)]
struct Position {
    decoded: usize,
    served: usize,
}

/// Every piece in one object. Each is given up as it is printed, so that only one
/// form of the large part lies in memory.
pub fn pieces(pieces: Vec<record::Piece<'_>>) -> Result<String, Fault> {
    let mut json = String::from(r#"{"pieces":["#);
    for (index, found) in pieces.into_iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        let piece = crate::answer::json(&piece(&found))?;
        if json.len() + piece.len() > MAX_ANSWER {
            return Err(Fault::Answer);
        }
        json.push_str(&piece);
    }
    json.push_str("]}");
    Ok(json)
}

fn piece<'a>(piece: &'a record::Piece<'_>) -> Piece<'a> {
    let mut offsets = piece.offsets();
    let mut position = |decoded| Position { decoded, served: offsets.served(decoded) };
    let standing = match &piece.standing {
        record::Standing::Unfenced => Standing::Unfenced,
        record::Standing::Intact(outline) => {
            let blocks = outline.blocks.iter().map(|block| Block {
                source: &piece.text[block.source.clone()],
                start: position(block.opener.start),
                end: position(block.closer.end),
                body: span(block.body.clone()),
            });
            Standing::Intact {
                blocks: blocks.collect(),
                notes: outline.notes.iter().cloned().map(span).collect(),
                extents_agree: outline.extents_agree,
            }
        }
        record::Standing::Broken(flaws) => {
            let flaws = flaws
                .iter()
                .map(|flaw| Flaw { kind: flaw.kind.as_str(), at: position(flaw.offset) });
            Standing::Broken { flaws: flaws.collect() }
        }
        record::Standing::Mention(markers) => {
            Standing::Mention { mentions: markers.iter().copied().map(position).collect() }
        }
    };
    Piece { pointer: &piece.pointer, literal: span(piece.literal()), text: &piece.text, standing }
}
