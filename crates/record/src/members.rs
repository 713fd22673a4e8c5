//! Members of a JSON object, read as what they should be; whatever else they are
//! counts as absent.

use alloc::borrow::Cow;
use core::str::FromStr;

use crate::json::{Literal, Node, SizeError};

/// The string under a key.
pub(crate) fn string<'a>(
    object: Node<'_, 'a>,
    key: &str,
) -> Result<Option<Cow<'a, str>>, SizeError> {
    object.get(key).and_then(Node::string).map(Literal::decode).transpose()
}

/// The number, or the `true` or `false`, under a key.
pub(crate) fn scalar<T: FromStr>(object: Node<'_, '_>, key: &str) -> Option<T> {
    object.get(key)?.scalar()?.parse().ok()
}
