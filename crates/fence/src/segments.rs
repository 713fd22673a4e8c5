//! Reading blocks back: the segments of a message, and the one-block rule.

use alloc::vec::Vec;
use core::ops::Range;

use crate::marker::{Marker, MarkerKind, Markers, markers, source_of};
use crate::scan::visit;

/// A half-open range of bytes.
pub type Span = Range<usize>;

/// One block of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The source name that the opening marker carries.
    pub source: &'a str,
    /// The opening marker, from its `<` up to the separator.
    pub opener: Span,
    /// What lies between the two separators.
    pub body: Span,
    /// The closing marker, from its `<` to its last `>`.
    pub closer: Span,
}

impl<'a> Block<'a> {
    /// The whole block, markers included.
    pub fn span(&self) -> Span {
        self.opener.start..self.closer.end
    }

    /// Whether a newline stands after the opening marker.
    pub(crate) fn has_opening_separator(&self) -> bool {
        self.body.start > self.opener.end
    }

    /// Whether a newline of its own stands before the closing marker.
    pub(crate) fn has_closing_separator(&self) -> bool {
        self.body.end < self.closer.start
    }

    pub(crate) fn between(message: &'a str, opener: &Mark<'a>, closer: &Mark<'a>) -> Self {
        let bytes = message.as_bytes();
        let mut body = opener.end..closer.start;
        if !body.is_empty() && bytes[body.start] == b'\n' {
            body.start += 1;
        }
        if !body.is_empty() && bytes[body.end - 1] == b'\n' {
            body.end -= 1;
        }
        Block {
            source: opener.source,
            opener: opener.start..opener.end,
            body,
            closer: closer.start..closer.end,
        }
    }
}

/// A marker of any dialect, with what pairing needs to know of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: MarkerKind,
    /// The source name, in an opening marker.
    pub(crate) source: &'a str,
    /// A closing marker closes only an opening marker of its own pair. Pairs are
    /// numbered from 0.
    pub(crate) pair: usize,
}

impl<'a> Mark<'a> {
    /// A marker of the marker dialect, which has one pair.
    pub(crate) fn of(message: &'a str, marker: Marker) -> Self {
        let Marker { start, end, kind } = marker;
        let source = match kind {
            MarkerKind::Opener { .. } => source_of(message, marker),
            MarkerKind::Closer { .. } | MarkerKind::Stray => "",
        };
        Mark { start, end, kind, source, pair: 0 }
    }

    fn opens(&self) -> bool {
        matches!(self.kind, MarkerKind::Opener { .. })
    }

    fn closes(&self) -> bool {
        matches!(self.kind, MarkerKind::Closer { .. })
    }
}

/// A stretch of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// Text outside every block; never empty.
    Text(Span),
    /// A block.
    Block(Block<'a>),
}

/// The text and the blocks of a message, in order and without gaps.
///
/// A block is an opening marker and the first closing marker after it, in any
/// ASCII case. An opening marker that nothing closes is text, and so is every
/// other marker outside a block.
///
/// ```
/// use murmur_fence::{Segment, segments};
/// let message = "[call-member] call 1 ended:\n<untrusted-content source=member:a>\nyes\n</untrusted-content>";
/// let bodies: Vec<_> = segments(message)
///     .filter_map(|segment| match segment {
///         Segment::Block(block) => Some((block.source, &message[block.body])),
///         Segment::Text(_) => None,
///     })
///     .collect();
/// assert_eq!(bodies, [("member:a", "yes")]);
/// ```
pub fn segments(message: &str) -> Segments<'_> {
    Segments { message, markers: markers(message), at: 0, block: None }
}

/// Iterator over the segments of a message; see [`segments`].
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    message: &'a str,
    markers: Markers<'a>,
    /// Everything before this byte has been answered.
    at: usize,
    /// A block found while its preceding text is answered first.
    block: Option<Block<'a>>,
}

impl<'a> Segments<'a> {
    fn next_block(&mut self) -> Option<Block<'a>> {
        let opener = self.markers.find(|m| matches!(m.kind, MarkerKind::Opener { .. }))?;
        let closer = self.markers.find(|m| matches!(m.kind, MarkerKind::Closer { .. }))?;
        let mark = |marker| Mark::of(self.message, marker);
        Some(Block::between(self.message, &mark(opener), &mark(closer)))
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        let block = self.block.take().or_else(|| self.next_block());
        let text_end = block.as_ref().map_or(self.message.len(), |block| block.opener.start);
        if self.at < text_end {
            let text = self.at..text_end;
            self.at = text_end;
            self.block = block;
            return Some(Segment::Text(text));
        }
        let block = block?;
        self.at = block.closer.end;
        Some(Segment::Block(block))
    }
}

/// The block by the published one-block rule: from the first opening marker to
/// the final closing marker after it. None when there is no such pair.
///
/// The rule suits a message that is one block. In a message of several blocks it
/// swallows what lies between them; [`segments`] does not.
pub fn outer_block(message: &str) -> Option<Block<'_>> {
    let mut markers = markers(message);
    let opener = markers.find(|m| matches!(m.kind, MarkerKind::Opener { .. }))?;
    let closer = markers.filter(|m| matches!(m.kind, MarkerKind::Closer { .. })).last()?;
    Some(Block::between(message, &Mark::of(message, opener), &Mark::of(message, closer)))
}

/// The segments of a message whose markers are already found, of any pairs. An
/// opening marker with no closing marker of its pair after it is text.
pub(crate) fn pair_up<'a>(message: &'a str, marks: &[Mark<'a>]) -> Vec<Segment<'a>> {
    let mut last_closer = Vec::new();
    for (index, mark) in marks.iter().enumerate().filter(|(_, mark)| mark.closes()) {
        if last_closer.len() <= mark.pair {
            last_closer.resize(mark.pair + 1, 0);
        }
        last_closer[mark.pair] = index;
    }
    // Knowing the last closer, the search below only starts where it succeeds,
    // and so no marker is looked at twice.
    let is_closed = |index: usize, pair| last_closer.get(pair).is_some_and(|&last| last > index);

    let mut out = Vec::new();
    let mut at = 0;
    let mut marks = marks.iter().enumerate().inspect(|_| visit(1));
    while let Some((index, opener)) = marks.next() {
        if !opener.opens() || !is_closed(index, opener.pair) {
            continue;
        }
        let closer = marks.find(|(_, mark)| mark.closes() && mark.pair == opener.pair);
        let Some((_, closer)) = closer else { continue };
        if at < opener.start {
            out.push(Segment::Text(at..opener.start));
        }
        at = closer.end;
        out.push(Segment::Block(Block::between(message, opener, closer)));
    }
    if at < message.len() {
        out.push(Segment::Text(at..message.len()));
    }
    out
}
