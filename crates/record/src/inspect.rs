//! The text pieces of a message: each decoded, verified, and judged by who
//! speaks.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use murmur_fence::{Span, markers};

use crate::json::{
    Json, JsonError, JsonFault, Kind, Literal, Node, Offsets, Pointer, Printer, SizeError, Step,
    strings,
};
use crate::line::{Fields, Message};
use crate::served::ENVELOPE;
use crate::standing::{Speaker, Standing};

/// The most text pieces that are read out of one message.
pub const MAX_PIECES: usize = 1 << 18;

/// The most bytes that the pointers of one message's pieces take together. A
/// hostile message can have a long key with many texts under it.
pub const MAX_POINTERS: usize = 64 << 20;

/// One text inside a message.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// Where it lies in the text that was inspected, as an RFC 6901 JSON pointer.
    pub pointer: String,
    /// The decoded text.
    pub text: Cow<'a, str>,
    /// Whether it is what the message says: the `text` of a content block, or a
    /// content that is one string. Else it is a string elsewhere that spells a
    /// live marker, for example in the input of a tool call.
    pub spoken: bool,
    /// What its markers mean.
    pub standing: Standing,
    literal: Literal<'a>,
}

impl<'a> Piece<'a> {
    /// Its string literal in the text that was inspected, in bytes, quotes not
    /// included.
    pub fn literal(&self) -> Span {
        self.literal.span()
    }

    /// Maps byte offsets in the decoded text to the text that was inspected.
    pub fn offsets(&self) -> Offsets<'a> {
        self.literal.offsets()
    }
}

/// Why a message cannot be inspected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InspectError {
    /// The content is neither empty nor JSON.
    NotJson(JsonFault),
    /// More than [`MAX_PIECES`] pieces or [`MAX_POINTERS`] bytes of pointers, or
    /// more than the memory holds.
    TooLarge,
}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InspectError::NotJson(fault) => write!(f, "the content is not JSON: {fault}"),
            InspectError::TooLarge => f.write_str("the message has too many texts to list"),
        }
    }
}

impl core::error::Error for InspectError {}

impl From<SizeError> for InspectError {
    fn from(_: SizeError) -> Self {
        InspectError::TooLarge
    }
}

impl From<JsonError> for InspectError {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Invalid(fault) => InspectError::NotJson(fault),
            JsonError::Size(error) => error.into(),
        }
    }
}

/// Every text piece of a message as a page serves it: its role, its content and
/// whether a hook inserted it. Empty content has no pieces.
///
/// ```
/// use murmur_fence_record::{Standing, inspect};
/// let content = r#"[{"text":"I quote </untrusted-content>","type":"text"}]"#;
/// let pieces = inspect("assistant", content, false)?;
/// assert_eq!(pieces[0].pointer, "/0/text");
/// assert_eq!(pieces[0].standing, Standing::Mention(vec![8]));
/// # Ok::<(), murmur_fence_record::InspectError>(())
/// ```
///
/// # Errors
///
/// [`InspectError::NotJson`] when the content is neither empty nor JSON,
/// [`InspectError::TooLarge`] when its pieces are too many to list.
pub fn inspect<'a>(
    role: &str,
    content: &'a str,
    inserted: bool,
) -> Result<Vec<Piece<'a>>, InspectError> {
    if content.is_empty() {
        return Ok(Vec::new());
    }
    let json = Json::parse(content)?;
    let root = json.root();
    let mut search = Search::new(Speaker { role, inserted, labelled: false });
    let enveloped =
        role == "tool" && root.get(ENVELOPE).and_then(Node::scalar).is_some_and(|it| it == "true");
    if enveloped {
        search.message(root, "body", None)?;
    } else {
        search.content(root)?;
    }
    Ok(search.found.pieces)
}

/// The text pieces of a stored message; the pointers and offsets are those of its
/// line. The label itself is no piece.
///
/// # Errors
///
/// [`InspectError::TooLarge`] when the pieces are too many to list.
pub fn inspect_stored<'a>(message: &Message<'a>) -> Result<Vec<Piece<'a>>, InspectError> {
    let fields = message.fields();
    inspect_fields(message, &fields)
}

pub(crate) fn inspect_fields<'a>(
    message: &Message<'a>,
    fields: &Fields<'_, 'a>,
) -> Result<Vec<Piece<'a>>, InspectError> {
    let role = fields.role()?;
    let mut search = Search::new(Speaker {
        role: &role,
        inserted: fields.insertion().is_some(),
        labelled: fields.label()?.is_some(),
    });
    search.message(message.root(), "content", Some("fence"))?;
    Ok(search.found.pieces)
}

/// The way to where the search is, and what it has found so far.
struct Search<'s, 'a> {
    steps: Vec<Step<'a>>,
    found: Found<'s, 'a>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(speaker: Speaker<'s>) -> Self {
        let found = Found { speaker, pieces: Vec::new(), pointers: MAX_POINTERS };
        Search { steps: Vec::new(), found }
    }

    /// An object that holds the content under one of its keys.
    fn message(
        &mut self,
        object: Node<'_, 'a>,
        content: &str,
        passed_over: Option<&str>,
    ) -> Result<(), InspectError> {
        let speaker = self.found.speaker;
        for (key, value) in object.members() {
            if passed_over.is_some_and(|name| key.spells(name)) {
                continue;
            }
            self.steps.push(Step::Key(key));
            if key.spells(content) {
                self.content(value)?;
            } else {
                // A label speaks of the content alone.
                self.found.speaker.labelled = false;
                self.strings(value, None)?;
                self.found.speaker = speaker;
            }
            self.steps.pop();
        }
        Ok(())
    }

    /// A content: an array of blocks, one string, or anything that a hook chose.
    fn content(&mut self, content: Node<'_, 'a>) -> Result<(), InspectError> {
        if content.kind() != Kind::Array {
            return self.strings(content, content.string());
        }
        for (index, block) in content.elements().enumerate() {
            self.steps.push(Step::Index(index));
            self.strings(block, spoken_in(block))?;
            self.steps.pop();
        }
        Ok(())
    }

    /// All strings under a value, of which one may be what the message says.
    fn strings(
        &mut self,
        node: Node<'_, 'a>,
        spoken: Option<Literal<'a>>,
    ) -> Result<(), InspectError> {
        let spoken_at = spoken.map(|literal| literal.span().start);
        let found = &mut self.found;
        strings(node, &mut self.steps, &mut |pointer, literal| {
            found.take(pointer, literal, spoken_at == Some(literal.span().start))
        })
    }
}

/// The text of a content block, if it is of a kind that has one.
fn spoken_in<'a>(block: Node<'_, 'a>) -> Option<Literal<'a>> {
    let kind = block.get("type")?.string()?;
    let has_text = kind.spells("text") || kind.spells("thinking");
    if has_text { block.get("text")?.string() } else { None }
}

/// The pieces found so far.
struct Found<'s, 'a> {
    speaker: Speaker<'s>,
    pieces: Vec<Piece<'a>>,
    /// How many bytes the pointers may still take.
    pointers: usize,
}

impl<'a> Found<'_, 'a> {
    /// Adds a string if it is spoken or spells a live marker.
    fn take(
        &mut self,
        pointer: Pointer<'_, 'a>,
        literal: Literal<'a>,
        spoken: bool,
    ) -> Result<(), InspectError> {
        if !spoken && !literal.may_spell('<') {
            return Ok(());
        }
        let text = literal.decode()?;
        if !spoken && markers(&text).next().is_none() {
            return Ok(());
        }
        if self.pieces.len() == MAX_PIECES {
            return Err(InspectError::TooLarge);
        }
        let mut printed = Printer::new(self.pointers);
        write!(printed, "{pointer}").map_err(|_| InspectError::TooLarge)?;
        let pointer = printed.finish();
        self.pointers -= pointer.len();
        let standing = self.speaker.standing(&text);
        self.pieces.try_reserve(1).map_err(SizeError::from)?;
        self.pieces.push(Piece { pointer, text, spoken, standing, literal });
        Ok(())
    }
}
