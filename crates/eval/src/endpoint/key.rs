//! The key of an endpoint: read from the environment, never shown.

use std::env;
use std::fmt;

use super::error::EndpointError;

/// A key. Its `Debug` form hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key as a header can carry it.
    ///
    /// # Errors
    ///
    /// Empty, or with a character that no header carries, such as the newline of
    /// a file that was read into the variable.
    pub fn new(key: &str) -> Result<Self, EndpointError> {
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(EndpointError::Key);
        }
        Ok(Key(key.to_owned()))
    }

    /// The key in an environment variable; none where it is unset or empty.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn from_env(variable: &str) -> Result<Option<Self>, EndpointError> {
        match env::var(variable) {
            Ok(key) if !key.is_empty() => Key::new(&key).map(Some),
            Ok(_) | Err(env::VarError::NotPresent) => Ok(None),
            Err(env::VarError::NotUnicode(_)) => Err(EndpointError::Key),
        }
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// The text without the key: servers repeat it in error messages.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key([key])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_not_shown() {
        let key = Key::new("sk-very-secret").unwrap();
        assert_eq!(format!("{key:?}"), "Key([key])");
        assert_eq!(key.redact("bad key sk-very-secret!"), "bad key [key]!");
    }

    #[test]
    fn what_no_header_carries_is_no_key() {
        for text in ["", "a\n", "a b", "ключ"] {
            assert!(Key::new(text).is_err(), "{text:?}");
        }
    }
}
