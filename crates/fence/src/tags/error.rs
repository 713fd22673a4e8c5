//! What can be wrong with a reserved set, a tag or an attribute.

use alloc::string::String;
use core::fmt;

use super::MAX_RESERVED;
use crate::name::NameError;

/// Why names cannot be reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagsError {
    /// No names, or more than [`MAX_RESERVED`].
    Count {
        /// How many there are.
        names: usize,
    },
    /// A name that cannot name a tag.
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: NameError,
    },
    /// A name that is in the set twice, case aside.
    Duplicate {
        /// The name.
        name: String,
    },
}

impl fmt::Display for TagsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TagsError::Count { names } => {
                write!(f, "{names} names to reserve, 1 to {MAX_RESERVED} are allowed")
            }
            TagsError::Name { name, reason } => write!(f, "{name:?} cannot name a tag: {reason}"),
            TagsError::Duplicate { name } => {
                write!(f, "{name:?} is reserved twice, case aside: leave one out")
            }
        }
    }
}

impl core::error::Error for TagsError {}

/// Why a block cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenceError {
    /// The tag is not in the reserved set, so its closing tag in a body would not
    /// be defanged.
    NotReserved {
        /// The tag.
        tag: String,
    },
    /// A name that cannot name an attribute.
    Attribute {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: NameError,
    },
    /// An attribute that is there twice, case aside.
    Duplicate {
        /// The name.
        name: String,
    },
}

impl fmt::Display for FenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenceError::NotReserved { tag } => {
                write!(f, "{tag:?} is not a reserved tag: reserve it, or use one that is")
            }
            FenceError::Attribute { name, reason } => {
                write!(f, "{name:?} cannot name an attribute: {reason}")
            }
            FenceError::Duplicate { name } => {
                write!(f, "the attribute {name:?} is given twice, case aside: leave one out")
            }
        }
    }
}

impl core::error::Error for FenceError {}
