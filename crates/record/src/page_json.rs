//! Pages of a record, as JSON: what `murmur-fence page` prints, and any other JSON
//! that holds such pages.

#[cfg(feature = "std")]
use alloc::borrow::Cow;
use alloc::format;
#[cfg(feature = "std")]
use alloc::string::String;

#[cfg(feature = "std")]
use crate::json::{Json, Literal};
use crate::json::{JsonError, Kind, Node};
#[cfg(feature = "std")]
use crate::line::Insertion;
#[cfg(feature = "std")]
use crate::members::string;

/// How deep pages are looked for.
const DEPTH: usize = 16;

/// One message of a page.
#[cfg(feature = "std")]
#[derive(Clone, Debug)]
pub(crate) struct PageMessage<'a> {
    /// Where it stands, as an RFC 6901 JSON pointer.
    pub(crate) pointer: String,
    pub(crate) role: Cow<'a, str>,
    pub(crate) content: Cow<'a, str>,
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) inserted_by: Option<Insertion>,
    /// Where its content stands in the text.
    pub(crate) literal: Literal<'a>,
}

/// Hands over each message of each page in a JSON text, in their order.
///
/// # Errors
///
/// When the text is not JSON, or for its size.
#[cfg(feature = "std")]
pub(crate) fn page_messages<'a>(
    text: &'a str,
    each: &mut dyn FnMut(PageMessage<'a>),
) -> Result<(), JsonError> {
    let json = Json::parse(text)?;
    find_pages(json.root(), "", DEPTH, &mut |pointer, messages| {
        for (index, node) in messages.elements().enumerate() {
            let Some(literal) = node.get("content").and_then(Node::string) else { continue };
            let mark = node.get("inserted_by").and_then(Node::string);
            each(PageMessage {
                pointer: format!("{pointer}/messages/{index}"),
                role: string(node, "role")?.unwrap_or_default(),
                content: literal.decode()?,
                id: string(node, "id")?,
                inserted_by: [Insertion::ReplaceContext, Insertion::SeedContext]
                    .into_iter()
                    .find(|known| mark.is_some_and(|mark| mark.spells(known.as_str()))),
                literal,
            });
        }
        Ok(())
    })
}

/// Whether pages are in it, if only an empty one, or the error in place of one.
pub(crate) fn holds_page(root: Node<'_, '_>) -> bool {
    let mut found = root.get("err").is_some_and(|error| error.kind() == Kind::String)
        && root.members().count() == 1;
    _ = find_pages(root, "", DEPTH, &mut |_, _| {
        found = true;
        Ok(())
    });
    found
}

/// The `messages` of each page: an array of objects with a role and a content that
/// are strings, beside a total.
fn find_pages<'j, 'a>(
    node: Node<'j, 'a>,
    pointer: &str,
    depth: usize,
    each: &mut dyn FnMut(&str, Node<'j, 'a>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    match node.kind() {
        Kind::Object => {
            if let Some(messages) = node.get("messages")
                && node.get("total").is_some()
                && messages.kind() == Kind::Array
                && messages.elements().all(is_message)
            {
                return each(pointer, messages);
            }
            for (key, value) in node.members() {
                if matches!(value.kind(), Kind::Object | Kind::Array) {
                    let key = key.decode()?.replace('~', "~0").replace('/', "~1");
                    find_pages(value, &format!("{pointer}/{key}"), depth, each)?;
                }
            }
        }
        Kind::Array => {
            for (index, element) in node.elements().enumerate() {
                if matches!(element.kind(), Kind::Object | Kind::Array) {
                    find_pages(element, &format!("{pointer}/{index}"), depth, each)?;
                }
            }
        }
        Kind::String | Kind::Scalar => {}
    }
    Ok(())
}

fn is_message(node: Node<'_, '_>) -> bool {
    ["role", "content"]
        .into_iter()
        .all(|key| node.get(key).is_some_and(|value| value.kind() == Kind::String))
}
