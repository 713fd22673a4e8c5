//! What a component says of rules and of imported turns; called through
//! [`Fence`](crate::Fence).
//!
//! The documentation of the types is the WIT's. A turn that comes back is an
//! [`ImportedTurn`].

pub use crate::bindings::fence::exports::murmur::fence::rules::{
    Coercion, Imported, LabelError, Misplaced, ModuleCharacter, ModuleLength, ProvenanceError,
    TurnParam as Turn, TurnResult as ImportedTurn, Wording,
};
