//! Interface `inspect` (until the record crate has it).

use alloc::vec::Vec;

use crate::exports::murmur::fence::inspect::{Guest, InspectError, Piece, ServedMessage};

impl Guest for crate::Component {
    fn inspect(_message: ServedMessage) -> Result<Vec<Piece>, InspectError> {
        Ok(Vec::new())
    }

    fn inspect_all(messages: Vec<ServedMessage>) -> Vec<Result<Vec<Piece>, InspectError>> {
        messages.into_iter().map(Self::inspect).collect()
    }
}
