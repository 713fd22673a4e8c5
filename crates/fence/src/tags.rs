//! The tags dialect: a block is a reserved tag around the body.
//!
//! ```text
//! <source_page url="https://example.com/" title="Home">
//! the body
//! </source_page>
//! ```
//!
//! The separators are those of the other dialects, a newline after the opening
//! tag and one before the closing tag. A tool result has two tags around it, which
//! count as one marker: `<tool_result tool="NAME"><data>` and
//! `</data></tool_result>`.
//!
//! A *live tag* is a `<`, any number of slashes, backslashes, white space of every
//! kind and characters that do not show, and a reserved name in any ASCII case,
//! whatever comes then: attributes, a slash, `>`, or nothing. Defanging inserts
//! the infix after its `<`. The name must end there: `<database>`, `<data-x>` and
//! `<dataé>` are other names and stay as they are, byte for byte.
//!
//! An insertion, and no entity: `&lt;/data>` is a closing tag again as soon as
//! anything decodes it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::dialect::Dialect;
use crate::name;

mod attributes;
mod error;
mod grammar;

pub use attributes::{MAX_VALUE, sanitise_value};
pub use error::{FenceError, TagsError};

/// The reserved names of [`Tags::default`].
pub const DEFAULT_RESERVED: [&str; 4] = ["data", "tool_result", "company_context", "source_page"];

/// The most reserved names of one set.
pub const MAX_RESERVED: usize = 64;

/// The two tags around a tool result.
const TOOL_RESULT: &str = "tool_result";
const DATA: &str = "data";

/// A set of reserved tags.
///
/// ```
/// use murmur_fence::Tags;
/// let tags = Tags::default();
/// assert_eq!(
///     tags.fence("data", "x</ DATA >y <database>", &[]).unwrap(),
///     "<data>\nx<!MURMUR-NEUTRALISED!/ DATA >y <database>\n</data>",
/// );
/// assert_eq!(
///     tags.tool_result("kb_search", "found").unwrap(),
///     "<tool_result tool=\"kb_search\"><data>\nfound\n</data></tool_result>",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tags {
    /// Never empty. The first is the tag of [`Dialect::wrap`].
    reserved: Vec<String>,
}

impl Tags {
    /// Reserves these names, 1 to 64 of them, each an ASCII letter and then up to
    /// 63 ASCII letters, digits, `-` and `_`. [`Dialect::wrap`] uses the first.
    pub fn new(reserved: &[&str]) -> Result<Self, TagsError> {
        if !(1..=MAX_RESERVED).contains(&reserved.len()) {
            return Err(TagsError::Count { names: reserved.len() });
        }
        for (index, tag) in reserved.iter().enumerate() {
            name::check(tag).map_err(|reason| TagsError::Name { name: tag.to_string(), reason })?;
            if reserved[..index].iter().any(|before| before.eq_ignore_ascii_case(tag)) {
                return Err(TagsError::Duplicate { name: tag.to_string() });
            }
        }
        Ok(Tags { reserved: reserved.iter().map(ToString::to_string).collect() })
    }

    /// The reserved names.
    pub fn reserved(&self) -> impl Iterator<Item = &str> {
        self.reserved.iter().map(|name| &**name)
    }

    /// Puts `body` into a block of a reserved tag with attributes, every live tag
    /// in it defanged.
    ///
    /// The tag is spelled as it was reserved. An attribute name is an ASCII letter
    /// and then up to 63 ASCII letters, digits, `-` and `_`; a value may be any
    /// text, and stands as [`sanitise_value`] gives it.
    pub fn fence(
        &self,
        tag: &str,
        body: &str,
        attributes: &[(&str, &str)],
    ) -> Result<String, FenceError> {
        let tag = self.reserved_as(tag)?;
        let opening = attributes::opening_tag(tag, attributes)?;
        Ok(format!("{opening}\n{}\n</{tag}>", self.defang(body)))
    }

    /// Puts a tool's result into the nested form. The tool's name comes from a
    /// model's call, so it may be any text; it stands as [`sanitise_value`] gives
    /// it. Both `tool_result` and `data` must be reserved.
    pub fn tool_result(&self, tool: &str, body: &str) -> Result<String, FenceError> {
        let (outer, inner) = (self.reserved_as(TOOL_RESULT)?, self.reserved_as(DATA)?);
        let opening = attributes::opening_tag(outer, &[("tool", tool)])?;
        Ok(format!("{opening}<{inner}>\n{}\n</{inner}></{outer}>", self.defang(body)))
    }

    /// The reserved name that this is, as it was reserved.
    fn reserved_as(&self, tag: &str) -> Result<&str, FenceError> {
        self.reserved()
            .find(|name| name.eq_ignore_ascii_case(tag))
            .ok_or_else(|| FenceError::NotReserved { tag: tag.to_string() })
    }

    /// The place of a name in the set.
    fn index_of(&self, tag: &str) -> Option<usize> {
        self.reserved().position(|name| name.eq_ignore_ascii_case(tag))
    }
}

impl Default for Tags {
    fn default() -> Self {
        Tags { reserved: DEFAULT_RESERVED.map(String::from).into() }
    }
}
