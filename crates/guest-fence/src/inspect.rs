//! Interface `inspect`: the pieces of `murmur_fence_record`, as the WIT spells
//! them.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use murmur_fence_record as record;

use crate::exports::murmur::fence::inspect::{
    Guest, InspectError, JsonFault, Piece, PieceBlock, PieceFlaw, PieceOutline, Position,
    ServedMessage, Standing,
};
use crate::fence::{flaw_kind, offset, span};

impl Guest for crate::Component {
    fn inspect(message: ServedMessage) -> Result<Vec<Piece>, InspectError> {
        match record::inspect(&message.role, &message.content, message.inserted) {
            Ok(pieces) => Ok(pieces.into_iter().map(piece).collect()),
            Err(record::InspectError::NotJson(fault)) => Err(InspectError::NotJson(JsonFault {
                line: fault.line,
                column: fault.column,
                reason: fault.reason,
            })),
            Err(record::InspectError::TooLarge) => Err(InspectError::TooLarge),
        }
    }

    fn inspect_all(messages: Vec<ServedMessage>) -> Vec<Result<Vec<Piece>, InspectError>> {
        messages.into_iter().map(Self::inspect).collect()
    }
}

fn piece(piece: record::Piece<'_>) -> Piece {
    let literal = span(piece.literal());
    let mut offsets = piece.offsets();
    let mut position =
        |decoded| Position { decoded: offset(decoded), served: offset(offsets.served(decoded)) };
    let standing = match piece.standing {
        record::Standing::Unfenced => Standing::Unfenced,
        record::Standing::Intact(outline) => {
            let blocks = outline.blocks.into_iter().map(|block| PieceBlock {
                source: piece.text[block.source].to_owned(),
                start: position(block.opener.start),
                end: position(block.closer.end),
                body: span(block.body),
            });
            Standing::Intact(PieceOutline {
                blocks: blocks.collect(),
                notes: outline.notes.into_iter().map(span).collect(),
                extents_agree: outline.extents_agree,
            })
        }
        record::Standing::Broken(flaws) => {
            let flaws = flaws
                .into_iter()
                .map(|flaw| PieceFlaw { kind: flaw_kind(flaw.kind), at: position(flaw.offset) });
            Standing::Broken(flaws.collect())
        }
        record::Standing::Mention(markers) => {
            Standing::Mention(markers.into_iter().map(position).collect())
        }
    };
    Piece { pointer: piece.pointer, literal, text: piece.text.into_owned(), standing }
}
