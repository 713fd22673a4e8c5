//! The subject that is the native crates, called without any component.

pub(crate) mod audit;
mod dialects;
mod lanes;

use crate::subject::{
    Answer, BlockWriter, DialectFence, Inspected, Lanes, NonceFence, Record, Subject, TagsFence,
};
use dialects::NativeDialect;
use lanes::NativeLanes;
use murmur_fence_host as host;
use murmur_fence_host::audit::{Audited, Options};
use murmur_fence_host::lanes::Problem;
use murmur_fence_host::nonce::{Settings, SettingsError};
use murmur_fence_host::rules::{Imported, LabelError, ProvenanceError, Turn, Wording};
use murmur_fence_host::tags::SetError;
use murmur_fence_host::{
    Block, Item, Lookalike, MessagePage, Mode, Segment, ServedMessage, Span, Verdict, WriterError,
};
use murmur_fence_record::{FileStorage, ReadError, Reader};
use std::borrow::Cow;
use std::path::Path;

/// `murmur-fence`, `murmur-fence-lanes` and `murmur-fence-record`.
#[derive(Clone, Copy, Debug)]
pub struct Native;

impl Subject for Native {
    fn wrap(&self, source: &str, content: &str) -> Answer<String> {
        Ok(murmur_fence::wrap(source, content))
    }

    fn wrap_all(&self, items: &[Item<'_>]) -> Answer<Vec<String>> {
        items.iter().map(|item| self.wrap(item.source, item.content)).collect()
    }

    fn neutralise(&self, content: &str) -> Answer<Option<String>> {
        Ok(changed(murmur_fence::neutralise(content)))
    }

    fn neutralise_all(&self, contents: &[&str]) -> Answer<Vec<Option<String>>> {
        contents.iter().map(|content| self.neutralise(content)).collect()
    }

    fn open_marker(&self, source: &str) -> Answer<String> {
        Ok(murmur_fence::open_marker(source))
    }

    fn close_marker(&self) -> Answer<String> {
        Ok(murmur_fence::CLOSE_MARKER.to_string())
    }

    fn segments(&self, message: &str) -> Answer<Vec<Segment>> {
        Ok(murmur_fence::segments(message).map(segment).collect())
    }

    fn outer_block(&self, message: &str) -> Answer<Option<Block>> {
        Ok(murmur_fence::outer_block(message).map(block))
    }

    fn verify(&self, message: &str, mode: Mode) -> Answer<Verdict> {
        Ok(verdict(murmur_fence::verify(message, self::mode(mode))))
    }

    fn verify_all(&self, messages: &[&str], mode: Mode) -> Answer<Vec<Verdict>> {
        messages.iter().map(|message| self.verify(message, mode)).collect()
    }

    fn restore(&self, body: &str) -> Answer<String> {
        Ok(murmur_fence::restore(body).into_owned())
    }

    fn lookalikes(&self, text: &str) -> Answer<Vec<Lookalike>> {
        Ok(murmur_fence::lookalikes(text).map(dialects::lookalike).collect())
    }

    fn writer(&self, source: &str) -> Answer<Box<dyn BlockWriter>> {
        Ok(Box::new(NativeWriter(Some(murmur_fence::Writer::new(source)))))
    }

    fn nonce(&self, settings: &Settings<'_>) -> Answer<Result<Box<dyn NonceFence>, SettingsError>> {
        let nonce = dialects::nonce(settings);
        Ok(nonce.map(|nonce| Box::new(NativeDialect(nonce)) as Box<dyn NonceFence>))
    }

    fn tags(&self, reserved: Option<&[&str]>) -> Answer<Result<Box<dyn TagsFence>, SetError>> {
        let tags = dialects::tags(reserved);
        Ok(tags.map(|tags| Box::new(NativeDialect(tags)) as Box<dyn TagsFence>))
    }

    fn marker_rules(&self, label: Option<&str>) -> Answer<Result<Wording, LabelError>> {
        NativeDialect(murmur_fence::MarkerDialect).rules(label)
    }

    fn provenance(&self, modules: &[&str]) -> Answer<Result<String, ProvenanceError>> {
        Ok(murmur_fence::rules::provenance(modules).map_err(dialects::provenance_error))
    }

    fn history(&self, turns: &[Turn<'_>]) -> Answer<Imported> {
        Ok(dialects::history(turns))
    }

    fn registry(&self, text: &str) -> Answer<Result<Box<dyn Lanes>, Vec<Problem>>> {
        Ok(match murmur_fence_lanes::Registry::parse(text) {
            Ok(registry) => Ok(Box::new(NativeLanes(registry))),
            Err(problems) => Err(problems.into_iter().map(lanes::problem).collect()),
        })
    }

    fn registry_lenient(&self, text: &str) -> Answer<(Box<dyn Lanes>, Vec<Problem>)> {
        let (registry, problems) = murmur_fence_lanes::Registry::parse_lenient(text);
        let problems = problems.into_iter().map(lanes::problem).collect();
        Ok((Box::new(NativeLanes(registry)), problems))
    }

    fn inspect(&self, message: &ServedMessage<'_>) -> Answer<Inspected> {
        Ok(inspect(message))
    }

    fn inspect_all(&self, messages: &[ServedMessage<'_>]) -> Answer<Vec<Inspected>> {
        Ok(messages.iter().map(inspect).collect())
    }

    fn audit_lines(&self, lines: &str, options: Options<'_>) -> Answer<Audited> {
        Ok(audit::lines(lines, &options))
    }

    fn record(&self, directory: Option<&Path>) -> Option<Result<Box<dyn Record>, String>> {
        let path = directory.map(|directory| directory.join("conversation.jsonl"));
        let reader = path.map(|path| Reader::new(FileStorage::new(path)));
        Some(Ok(Box::new(NativeRecord(reader))))
    }
}

/// A writer that is gone once it is finished.
struct NativeWriter(Option<murmur_fence::Writer>);

impl BlockWriter for NativeWriter {
    fn write(&mut self, chunk: &str) -> Answer<Result<String, WriterError>> {
        Ok(match &mut self.0 {
            Some(writer) => {
                let mut out = String::new();
                writer.write(chunk, &mut out);
                Ok(out)
            }
            None => Err(WriterError::Finished),
        })
    }

    fn finish(&mut self) -> Answer<Result<String, WriterError>> {
        Ok(match self.0.take() {
            Some(writer) => {
                let mut out = String::new();
                writer.finish(&mut out);
                Ok(out)
            }
            None => Err(WriterError::Finished),
        })
    }
}

/// A record, or none that was granted.
struct NativeRecord(Option<Reader<FileStorage>>);

impl Record for NativeRecord {
    fn read_messages(
        &mut self,
        cursor: Option<&str>,
        limit: u32,
    ) -> Answer<Result<MessagePage, String>> {
        let page = match &mut self.0 {
            Some(reader) => reader.read_messages(cursor, limit),
            None => Err(ReadError::NotGranted),
        };
        Ok(match page {
            Ok(page) => Ok(MessagePage {
                messages: page.messages.into_iter().map(message).collect(),
                next_cursor: page.next_cursor,
                total: page.total,
            }),
            Err(error) => Err(error.to_string()),
        })
    }
}

fn message(message: murmur_fence_record::ServedMessage) -> host::Message {
    host::Message {
        role: message.role,
        content: message.content,
        id: message.id,
        source_id: message.source_id,
        inserted_by: message.inserted_by.map(|insertion| match insertion {
            murmur_fence_record::Insertion::ReplaceContext => {
                host::ContextInsertion::ReplaceContext
            }
            murmur_fence_record::Insertion::SeedContext => host::ContextInsertion::SeedContext,
        }),
    }
}

fn inspect(message: &ServedMessage<'_>) -> Inspected {
    let pieces = murmur_fence_record::inspect(message.role, message.content, message.inserted);
    match pieces {
        Ok(pieces) => Ok(pieces.into_iter().map(piece).collect()),
        Err(murmur_fence_record::InspectError::NotJson(fault)) => {
            Err(host::InspectError::NotJson(host::JsonFault {
                line: fault.line,
                column: fault.column,
                reason: fault.reason,
            }))
        }
        Err(murmur_fence_record::InspectError::TooLarge) => Err(host::InspectError::TooLarge),
    }
}

fn piece(piece: murmur_fence_record::Piece<'_>) -> host::Piece {
    use murmur_fence_record::Standing;
    let mut offsets = piece.offsets();
    let mut at = |decoded: usize| host::Position {
        decoded: offset(decoded),
        served: offset(offsets.served(decoded)),
    };
    let standing = match &piece.standing {
        Standing::Unfenced => host::Standing::Unfenced,
        Standing::Intact(outline) => {
            let block = |block: &murmur_fence_record::PieceBlock| host::PieceBlock {
                source: piece.text[block.source.clone()].to_string(),
                start: at(block.opener.start),
                end: at(block.closer.end),
                body: span(block.body.clone()),
            };
            host::Standing::Intact(host::PieceOutline {
                blocks: outline.blocks.iter().map(block).collect(),
                notes: outline.notes.iter().cloned().map(span).collect(),
                extents_agree: outline.extents_agree,
            })
        }
        Standing::Broken(flaws) => {
            let flaw = |flaw: &murmur_fence::Flaw| host::PieceFlaw {
                kind: flaw_kind(flaw.kind),
                at: at(flaw.offset),
            };
            host::Standing::Broken(flaws.iter().map(flaw).collect())
        }
        Standing::Mention(markers) => {
            host::Standing::Mention(markers.iter().map(|marker| at(*marker)).collect())
        }
    };
    host::Piece {
        literal: span(piece.literal()),
        pointer: piece.pointer,
        text: piece.text.into_owned(),
        standing,
    }
}

/// The text where it was changed, or none when it stands as it is.
fn changed(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

fn mode(mode: Mode) -> murmur_fence::Mode {
    match mode {
        Mode::Standard => murmur_fence::Mode::Standard,
        Mode::Strict => murmur_fence::Mode::Strict,
    }
}

fn verdict(verdict: murmur_fence::Verdict<'_>) -> Verdict {
    match verdict {
        murmur_fence::Verdict::Unfenced => Verdict::Unfenced,
        murmur_fence::Verdict::Intact(outline) => Verdict::Intact(host::Outline {
            extents_agree: outline.extents_agree(),
            blocks: outline.blocks.into_iter().map(block).collect(),
            outside: outline.outside.into_iter().map(span).collect(),
        }),
        murmur_fence::Verdict::Broken(flaws) => {
            Verdict::Broken(flaws.into_iter().map(flaw).collect())
        }
    }
}

fn segment(segment: murmur_fence::Segment<'_>) -> Segment {
    match segment {
        murmur_fence::Segment::Text(text) => Segment::Text(span(text)),
        murmur_fence::Segment::Block(found) => Segment::Block(block(found)),
    }
}

fn flaw(flaw: murmur_fence::Flaw) -> host::Flaw {
    host::Flaw { kind: flaw_kind(flaw.kind), offset: offset(flaw.offset) }
}

fn block(block: murmur_fence::Block<'_>) -> Block {
    Block {
        source: block.source.to_string(),
        opener: span(block.opener),
        body: span(block.body),
        closer: span(block.closer),
    }
}

fn span(span: murmur_fence::Span) -> Span {
    Span { start: offset(span.start), end: offset(span.end) }
}

/// The contract counts in 32 bits; no text that a component can hold is longer.
fn offset(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn flaw_kind(kind: murmur_fence::FlawKind) -> host::FlawKind {
    match kind {
        murmur_fence::FlawKind::Unclosed => host::FlawKind::Unclosed,
        murmur_fence::FlawKind::OrphanCloser => host::FlawKind::OrphanCloser,
        murmur_fence::FlawKind::NestedOpener => host::FlawKind::NestedOpener,
        murmur_fence::FlawKind::NonCanonicalMarker => host::FlawKind::NonCanonicalMarker,
        murmur_fence::FlawKind::MissingSeparator => host::FlawKind::MissingSeparator,
        murmur_fence::FlawKind::AmbiguousExtent => host::FlawKind::AmbiguousExtent,
        murmur_fence::FlawKind::TextOutside => host::FlawKind::TextOutside,
    }
}
