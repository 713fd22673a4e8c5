//! The sheet on which one part of a file is reckoned up.

use alloc::borrow::{Cow, ToOwned};
use alloc::vec::Vec;

use super::report::{AuditedMessage, Finding, Ground, Severity, Sums};
use crate::code::FindingCode;

/// Where findings and messages go, in their order.
pub(super) trait Sink {
    /// Takes a finding; whether more is wanted.
    fn finding(&mut self, finding: Finding) -> bool;

    /// Takes a message; whether more is wanted.
    fn message(&mut self, _message: AuditedMessage) -> bool {
        true
    }

    /// Whether messages are wanted at all.
    fn wants_messages(&self) -> bool {
        false
    }
}

/// Keeps findings until they are told.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) findings: Vec<Finding>,
}

impl Sink for Kept {
    fn finding(&mut self, finding: Finding) -> bool {
        self.findings.push(finding);
        true
    }
}

/// The sums of one part of a file, and the way out for what is found.
pub(super) struct Sheet<'s> {
    pub(super) sums: Sums,
    file: usize,
    sink: &'s mut dyn Sink,
    /// How many findings may still be handed on.
    room: u64,
    /// Whether the sink wants nothing more.
    stopped: bool,
}

/// Where a finding stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot<'t> {
    pub(super) line: u64,
    pub(super) id: Option<&'t str>,
    pub(super) call: Option<&'t str>,
    pub(super) source: Option<&'t str>,
    pub(super) pointer: Option<&'t str>,
    pub(super) offset: Option<usize>,
    pub(super) column: Option<usize>,
}

impl<'s> Sheet<'s> {
    pub(super) fn new(file: usize, room: u64, sink: &'s mut dyn Sink) -> Self {
        Sheet { sums: Sums::default(), file, sink, room, stopped: false }
    }

    /// Counts a finding and hands it on while there is room.
    pub(super) fn find(
        &mut self,
        code: FindingCode,
        severity: Severity,
        spot: Spot<'_>,
        text: impl Into<Cow<'static, str>>,
    ) {
        self.find_with(code, severity, || (spot, text.into()));
    }

    /// The same, with what costs time told only where there is room.
    pub(super) fn find_with<'t>(
        &mut self,
        code: FindingCode,
        severity: Severity,
        tell: impl FnOnce() -> (Spot<'t>, Cow<'static, str>),
    ) {
        self.sums.findings.count(code, severity);
        let Some(room) = self.room.checked_sub(1) else { return };
        self.room = room;
        let (spot, text) = tell();
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let finding = Finding {
            code,
            severity,
            file: self.file,
            line: spot.line,
            id: owned(spot.id),
            call: owned(spot.call),
            source: owned(spot.source),
            pointer: owned(spot.pointer),
            offset: spot.offset,
            column: spot.column,
            text: text.into_owned(),
        };
        let more = self.sink.finding(finding);
        self.note(more);
    }

    pub(super) fn wants_messages(&self) -> bool {
        self.sink.wants_messages()
    }

    /// Hands on a message, if messages are wanted.
    pub(super) fn message(&mut self, message: impl FnOnce(usize) -> AuditedMessage) {
        if self.sink.wants_messages() {
            let more = self.sink.message(message(self.file));
            self.note(more);
        }
    }

    /// Counts a message that is bare.
    pub(super) fn bare(&mut self, ground: Ground) {
        *self.sums.bare.entry(ground).or_default() += 1;
    }

    fn note(&mut self, more: bool) {
        if !more {
            self.stopped = true;
            self.room = 0;
        }
    }

    /// Whether the sink wants nothing more, so that nothing more is worth doing.
    pub(super) fn stopped(&self) -> bool {
        self.stopped
    }
}
