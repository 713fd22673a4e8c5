//! Attributes of an opening tag: their names are checked, their values made
//! harmless, and both read back.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};

use super::FenceError;
use crate::name;
use crate::one_line::{breaks_line, one_line};
use crate::scan::run_length;

/// The most characters of an attribute value.
pub const MAX_VALUE: usize = 256;

/// Stands at the end of a value that was longer.
const CUT: char = '…';

/// The value as an opening tag carries it: `"`, `<` and `>` become `_`, what
/// breaks the line a space, and a value of more than [`MAX_VALUE`] characters
/// ends with `…` as its last. Borrows when nothing changes.
pub fn sanitise_value(value: &str) -> Cow<'_, str> {
    let bounded = match value.char_indices().nth(MAX_VALUE) {
        None => Cow::Borrowed(value),
        Some(_) => {
            let kept = value.chars().take(MAX_VALUE - 1);
            Cow::Owned(kept.chain([CUT]).collect())
        }
    };
    if !bounded.contains(|c| breaks_line(c) || breaks_value(c)) {
        return bounded;
    }
    let replaced = one_line(&bounded);
    Cow::Owned(replaced.chars().map(|c| if breaks_value(c) { '_' } else { c }).collect())
}

/// Whether the character would end the value, or look as if it did.
fn breaks_value(c: char) -> bool {
    matches!(c, '"' | '<' | '>')
}

/// The opening tag as the fence writes it.
pub(super) fn opening_tag(tag: &str, attributes: &[(&str, &str)]) -> Result<String, FenceError> {
    let mut out = String::from("<");
    out.push_str(tag);
    for (index, (name, value)) in attributes.iter().enumerate() {
        name::check(name)
            .map_err(|reason| FenceError::Attribute { name: name.to_string(), reason })?;
        if attributes[..index].iter().any(|(before, _)| before.eq_ignore_ascii_case(name)) {
            return Err(FenceError::Duplicate { name: name.to_string() });
        }
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        out.push_str(&sanitise_value(value));
        out.push('"');
    }
    out.push('>');
    Ok(out)
}

/// What stands between the name of an opening tag and its `>`, as the fence
/// writes it.
pub(super) struct Attributes<'a> {
    /// Length in bytes, up to and with the `>`.
    pub(super) length: usize,
    /// The value of the first attribute.
    pub(super) first: Option<&'a str>,
}

/// Reads the attributes at the start of `rest`. None where they are not spelled
/// as the fence spells them. Reads no further than to the next `<`.
pub(super) fn read(rest: &str) -> Option<Attributes<'_>> {
    let mut first = None;
    let mut at = 0;
    while let Some(attribute) = rest[at..].strip_prefix(' ') {
        let name_length =
            run_length(attribute, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        name::check(&attribute[..name_length]).ok()?;
        let quoted = attribute[name_length..].strip_prefix("=\"")?;
        let value_length = run_length(quoted, |c| !breaks_line(c) && !breaks_value(c));
        let after = quoted[value_length..].strip_prefix('"')?;
        first.get_or_insert(&quoted[..value_length]);
        at = rest.len() - after.len();
    }
    rest[at..].starts_with('>').then_some(Attributes { length: at + 1, first })
}
