//! What can be wrong with a token, a form or a source of randomness.

use alloc::string::String;
use core::fmt;

use super::{DRAWS, MAX_TOKEN, MIN_TOKEN};
use crate::name::NameError;

/// Why a text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// Fewer than [`MIN_TOKEN`] characters.
    Short {
        /// How many there are.
        characters: usize,
    },
    /// More than [`MAX_TOKEN`] characters.
    Long {
        /// How many there are.
        characters: usize,
    },
    /// A character that is no lower-case hexadecimal digit.
    Character {
        /// The character.
        character: char,
        /// Its byte offset in the token.
        offset: usize,
    },
    /// One digit over and over: what a buffer holds that nobody filled.
    Repeated {
        /// The digit.
        digit: char,
    },
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Short { characters } => write!(
                f,
                "the token has {characters} characters, at least {MIN_TOKEN} are needed (64 bits): \
                 draw it from a cryptographically secure generator"
            ),
            TokenError::Long { characters } => {
                write!(f, "the token has {characters} characters, at most {MAX_TOKEN} are allowed")
            }
            TokenError::Character { character, offset } => write!(
                f,
                "the token has {character:?} at byte {offset}: \
                 write the random bytes as the digits 0 to 9 and a to f"
            ),
            TokenError::Repeated { digit } => write!(
                f,
                "the token is {digit:?} over and over, as from a buffer that was never filled: \
                 check the source of randomness"
            ),
        }
    }
}

impl core::error::Error for TokenError {}

/// Why a form is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormError {
    /// The name cannot stand in a marker.
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: NameError,
    },
    /// The name `END` in angle style, where it would make both markers one.
    NameIsEnd,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormError::Name { name, reason } => {
                write!(f, "{name:?} cannot name a marker: {reason}")
            }
            FormError::NameIsEnd => write!(
                f,
                "the name END would make the opening marker a closing one: choose another name"
            ),
        }
    }
}

impl core::error::Error for FormError {}

/// Why no fresh token was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreshError<E> {
    /// The source of randomness failed.
    Random(E),
    /// Every one of [`DRAWS`] tokens occurs in a text or is no token. No sound
    /// generator comes to this.
    Exhausted,
}

impl<E: fmt::Display> fmt::Display for FreshError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreshError::Random(error) => write!(f, "failed to draw a token: {error}"),
            FreshError::Exhausted => write!(
                f,
                "none of {DRAWS} drawn tokens can be used, each occurs in the text or is no token: \
                 check the source of randomness"
            ),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for FreshError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            FreshError::Random(error) => Some(error),
            FreshError::Exhausted => None,
        }
    }
}

/// The token occurs in what is to be wrapped. Draw another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenOccurs {
    /// In the content.
    InContent {
        /// The byte offset of the first copy.
        offset: usize,
    },
    /// In the source name.
    InSource {
        /// The byte offset of the first copy.
        offset: usize,
    },
}

impl fmt::Display for TokenOccurs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, offset) = match self {
            TokenOccurs::InContent { offset } => ("content", offset),
            TokenOccurs::InSource { offset } => ("source name", offset),
        };
        write!(f, "the token occurs in the {place} at byte {offset}: draw another token")
    }
}

impl core::error::Error for TokenOccurs {}
