//! How the markers of a nonce pair are spelled around the token.

use alloc::format;
use alloc::string::{String, ToString};

use super::FormError;
use crate::name;

/// The name and the style of both markers. The default is `DOC` in angle style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    name: String,
    style: Style,
}

/// How a pair of markers is spelled. `T` stands for the token, `DOC` for the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// `<<<DOC:T>>>` and `<<<END:T>>>`: stands out in a trace.
    #[default]
    Angle,
    /// `<DOC-T>` and `</DOC-T>`: reads as a tag.
    Tag,
}

impl Form {
    /// Markers of this name. A name is an ASCII letter and then up to 63 ASCII
    /// letters, digits, `-` and `_`; in angle style it is not `END`.
    pub fn new(name: &str, style: Style) -> Result<Self, FormError> {
        name::check(name).map_err(|reason| FormError::Name { name: name.to_string(), reason })?;
        if style == Style::Angle && name.eq_ignore_ascii_case("END") {
            return Err(FormError::NameIsEnd);
        }
        Ok(Form { name: name.to_string(), style })
    }

    /// The opening marker around a token, without a source name.
    pub(super) fn opening(&self, token: &str) -> String {
        let name = &self.name;
        match self.style {
            Style::Angle => format!("<<<{name}:{token}>>>"),
            Style::Tag => format!("<{name}-{token}>"),
        }
    }

    /// The closing marker around a token.
    pub(super) fn closing(&self, token: &str) -> String {
        let name = &self.name;
        match self.style {
            Style::Angle => format!("<<<END:{token}>>>"),
            Style::Tag => format!("</{name}-{token}>"),
        }
    }

    /// How many bytes follow the token in both markers.
    pub(super) fn suffix_length(&self) -> usize {
        match self.style {
            Style::Angle => 3,
            Style::Tag => 1,
        }
    }
}

impl Default for Form {
    fn default() -> Self {
        Form { name: "DOC".to_string(), style: Style::default() }
    }
}
