//! Interface `fence`: the types of `murmur_fence`, as the WIT spells them.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::exports::murmur::fence::fence::{
    Block, Disguises, Flaw, FlawKind, Guest, GuestWriter, Item, Lookalike, Mode, Outline, ReadsAs,
    Segment, Span, Verdict, WriterError,
};

impl Guest for crate::Component {
    type Writer = Writer;

    fn wrap(source: String, content: String) -> String {
        murmur_fence::wrap(&source, &content)
    }

    fn wrap_all(items: Vec<Item>) -> Vec<String> {
        items.into_iter().map(|item| murmur_fence::wrap(&item.source, &item.content)).collect()
    }

    fn neutralise(content: String) -> Option<String> {
        changed(murmur_fence::neutralise(&content))
    }

    fn neutralise_all(contents: Vec<String>) -> Vec<Option<String>> {
        contents.iter().map(|content| changed(murmur_fence::neutralise(content))).collect()
    }

    fn open_marker(source: String) -> String {
        murmur_fence::open_marker(&source)
    }

    fn close_marker() -> String {
        murmur_fence::CLOSE_MARKER.to_owned()
    }

    fn segments(message: String) -> Vec<Segment> {
        murmur_fence::segments(&message).map(segment).collect()
    }

    fn outer_block(message: String) -> Option<Block> {
        murmur_fence::outer_block(&message).map(block)
    }

    fn verify(message: String, mode: Mode) -> Verdict {
        verdict(murmur_fence::verify(&message, self::mode(mode)))
    }

    fn verify_all(messages: Vec<String>, mode: Mode) -> Vec<Verdict> {
        let mode = self::mode(mode);
        messages.iter().map(|message| verdict(murmur_fence::verify(message, mode))).collect()
    }

    fn restore(body: String) -> String {
        changed(murmur_fence::restore(&body)).unwrap_or(body)
    }

    fn lookalikes(text: String) -> Vec<Lookalike> {
        murmur_fence::lookalikes(&text).map(lookalike).collect()
    }
}

/// The resource: empty once it is finished.
pub struct Writer(Cell<Option<murmur_fence::Writer>>);

impl GuestWriter for Writer {
    fn new(source: String) -> Self {
        Writer(Cell::new(Some(murmur_fence::Writer::new(&source))))
    }

    fn write(&self, chunk: String) -> Result<String, WriterError> {
        let mut writer = self.0.take().ok_or(WriterError::Finished)?;
        let mut out = String::new();
        writer.write(&chunk, &mut out);
        self.0.set(Some(writer));
        Ok(out)
    }

    fn finish(&self) -> Result<String, WriterError> {
        let writer = self.0.take().ok_or(WriterError::Finished)?;
        let mut out = String::new();
        writer.finish(&mut out);
        Ok(out)
    }
}

/// The text where it was changed, or none when it stands as it is.
pub fn changed(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

pub fn mode(mode: Mode) -> murmur_fence::Mode {
    match mode {
        Mode::Standard => murmur_fence::Mode::Standard,
        Mode::Strict => murmur_fence::Mode::Strict,
    }
}

pub fn verdict(verdict: murmur_fence::Verdict<'_>) -> Verdict {
    match verdict {
        murmur_fence::Verdict::Unfenced => Verdict::Unfenced,
        murmur_fence::Verdict::Intact(outline) => Verdict::Intact(Outline {
            extents_agree: outline.extents_agree(),
            blocks: outline.blocks.into_iter().map(block).collect(),
            outside: outline.outside.into_iter().map(span).collect(),
        }),
        murmur_fence::Verdict::Broken(flaws) => {
            Verdict::Broken(flaws.into_iter().map(flaw).collect())
        }
    }
}

pub fn segment(segment: murmur_fence::Segment<'_>) -> Segment {
    match segment {
        murmur_fence::Segment::Text(text) => Segment::Text(span(text)),
        murmur_fence::Segment::Block(found) => Segment::Block(block(found)),
    }
}

pub fn flaw(flaw: murmur_fence::Flaw) -> Flaw {
    Flaw { kind: flaw_kind(flaw.kind), offset: offset(flaw.offset) }
}

fn lookalike(found: murmur_fence::Lookalike) -> Lookalike {
    Lookalike {
        span: span(found.span),
        reads_as: match found.reads_as {
            murmur_fence::ReadsAs::Opener => ReadsAs::Opener,
            murmur_fence::ReadsAs::Closer => ReadsAs::Closer,
        },
        disguises: found.disguises.iter().map(disguise).fold(Disguises::empty(), |a, b| a | b),
    }
}

fn disguise(disguise: murmur_fence::Disguise) -> Disguises {
    match disguise {
        murmur_fence::Disguise::WhiteSpace => Disguises::WHITE_SPACE,
        murmur_fence::Disguise::Slash => Disguises::SLASH,
        murmur_fence::Disguise::Hyphen => Disguises::HYPHEN,
        murmur_fence::Disguise::Homoglyph => Disguises::HOMOGLYPH,
        murmur_fence::Disguise::Invisible => Disguises::INVISIBLE,
        murmur_fence::Disguise::CombiningMark => Disguises::COMBINING_MARK,
        murmur_fence::Disguise::Tag => Disguises::TAG,
        murmur_fence::Disguise::Entity => Disguises::ENTITY,
        murmur_fence::Disguise::Percent => Disguises::PERCENT,
        murmur_fence::Disguise::Escape => Disguises::ESCAPE,
    }
}

fn block(block: murmur_fence::Block<'_>) -> Block {
    Block {
        source: block.source.to_owned(),
        opener: span(block.opener),
        body: span(block.body),
        closer: span(block.closer),
    }
}

pub fn span(range: murmur_fence::Span) -> Span {
    Span { start: offset(range.start), end: offset(range.end) }
}

/// A guest's memory ends below 4 GiB, so nothing is cut off.
pub fn offset(offset: usize) -> u32 {
    offset as u32
}

pub fn flaw_kind(kind: murmur_fence::FlawKind) -> FlawKind {
    match kind {
        murmur_fence::FlawKind::Unclosed => FlawKind::Unclosed,
        murmur_fence::FlawKind::OrphanCloser => FlawKind::OrphanCloser,
        murmur_fence::FlawKind::NestedOpener => FlawKind::NestedOpener,
        murmur_fence::FlawKind::NonCanonicalMarker => FlawKind::NonCanonicalMarker,
        murmur_fence::FlawKind::MissingSeparator => FlawKind::MissingSeparator,
        murmur_fence::FlawKind::AmbiguousExtent => FlawKind::AmbiguousExtent,
        murmur_fence::FlawKind::TextOutside => FlawKind::TextOutside,
    }
}
