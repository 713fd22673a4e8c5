//! Names that stand in markers: of a nonce pair, a tag or an attribute.

use core::fmt;

/// The most characters of a name.
pub const MAX_NAME: usize = 64;

/// Why a name cannot stand in a marker. A name is an ASCII letter and then up to
/// 63 ASCII letters, digits, `-` and `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// The name has no characters.
    Empty,
    /// The name has more than [`MAX_NAME`] characters.
    Long {
        /// How many it has.
        characters: usize,
    },
    /// The name has a character that is not allowed where it stands.
    Character {
        /// The character.
        character: char,
        /// Its byte offset in the name.
        offset: usize,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Empty => write!(f, "it is empty, at least one letter is needed"),
            NameError::Long { characters } => {
                write!(f, "it has {characters} characters, at most {MAX_NAME} are allowed")
            }
            NameError::Character { character, offset: 0 } => {
                write!(f, "it starts with {character:?}, an ASCII letter is needed there")
            }
            NameError::Character { character, offset } => write!(
                f,
                "it has {character:?} at byte {offset}, only ASCII letters, digits, '-' and '_' are allowed"
            ),
        }
    }
}

impl core::error::Error for NameError {}

/// Whether the name can stand in a marker.
pub(crate) fn check(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    let allowed = |offset: usize, c: char| {
        c.is_ascii_alphabetic() || offset > 0 && (c.is_ascii_digit() || matches!(c, '-' | '_'))
    };
    if let Some((offset, character)) = name.char_indices().find(|&(at, c)| !allowed(at, c)) {
        return Err(NameError::Character { character, offset });
    }
    // All of it is ASCII by now.
    match name.len() {
        ..=MAX_NAME => Ok(()),
        characters => Err(NameError::Long { characters }),
    }
}
