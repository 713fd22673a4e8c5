//! Judging one message, of whatever surface: its label, its marks, and the ground
//! on which it is bare.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence::{Flaw, FlawKind, lookalikes, markers, outer_block, sanitise_source};

use super::ground::{Difference, Heard, differences, ground};
use super::index::Index;
use super::report::{AuditedMessage, AuditedPiece, Bare, Evidence, Ground, Severity};
use super::sheet::{Sheet, Spot};
use crate::code::FindingCode;
use crate::declared::{Declared, Fault, Said, unlabelled_broken};
use crate::line::Insertion;
use crate::standing::{PieceOutline, Standing, reports};

/// A message and all that is said in it.
pub(super) struct Utterance<'u> {
    pub(super) heard: Heard<'u>,
    pub(super) label: Label<'u>,
    pub(super) said: Vec<Said<'u>>,
    /// Tells at which byte of the line a byte of a text stands as it is written.
    pub(super) column: &'u dyn Fn(usize, usize) -> usize,
}

/// What is declared of a message.
#[derive(Clone, Copy, Debug)]
pub(super) enum Label<'u> {
    /// It is fenced under a source.
    Fenced(&'u str),
    /// It is not.
    Bare,
    /// The surface does not tell.
    Untold,
}

/// How an audit looks at messages.
#[derive(Clone, Copy)]
pub(super) struct Judge<'a> {
    pub(super) index: &'a Index,
    pub(super) lookalikes: bool,
}

impl Judge<'_> {
    /// Judges a message of a record, also against what other surfaces tell of the
    /// call that it answers.
    pub(super) fn judge(&self, utterance: &Utterance<'_>, sheet: &mut Sheet<'_>) {
        self.judge_alone(utterance, sheet);
        if let Some(text) = utterance.only_text() {
            self.compare(&utterance.heard, utterance.label, text, sheet);
        }
    }

    /// Judges a message: counts it, and reports what is to be said of it by itself.
    pub(super) fn judge_alone(&self, utterance: &Utterance<'_>, sheet: &mut Sheet<'_>) {
        let has_block = utterance
            .said
            .iter()
            .any(|said| said.spoken && matches!(said.standing, Standing::Intact(_)));
        let text = || utterance.only_text().map(Cow::Borrowed);
        let grounded = match utterance.label {
            Label::Fenced(_) => None,
            Label::Bare | Label::Untold => Some(ground(self.index, &utterance.heard, &text)),
        };
        let bare = grounded.as_ref().map(|grounded| grounded.bare);
        sheet.message(|file| utterance.shown(file, bare.filter(|_| !has_block)));
        if let Label::Fenced(label) = utterance.label {
            utterance.judge_label(label, sheet);
        } else {
            let quoted = bare.is_some_and(is_quotation) && !utterance.is_report();
            utterance.judge_marks(quoted, sheet);
        }
        if let Some(grounded) = grounded.filter(|_| !has_block) {
            sheet.bare(grounded.bare.ground);
            if let Some(due) = grounded.due {
                let source = sanitise_source(&due.source);
                sheet.sums.count(&source, |tally| {
                    tally.due += 1;
                    tally.bare += 1;
                });
                let spot = match utterance.said.first() {
                    Some(_) => utterance.spot_at(0, 0),
                    None => utterance.spot(),
                };
                let spot = Spot { source: Some(&source), ..spot };
                sheet.find(due.code, Severity::Error, spot, due.text);
            }
        }
        if self.lookalikes && utterance.heard.role != "assistant" {
            utterance.find_lookalikes(sheet);
        }
    }

    /// Holds a message against what other surfaces tell of its call.
    pub(super) fn compare(
        &self,
        heard: &Heard<'_>,
        label: Label<'_>,
        text: &str,
        sheet: &mut Sheet<'_>,
    ) {
        let label = match label {
            Label::Fenced(label) => Some(label),
            Label::Bare | Label::Untold => None,
        };
        for Difference { code, text } in differences(self.index, heard, label, text) {
            let severity = match code {
                FindingCode::OutputBytesMismatch => Severity::Warning,
                _ => Severity::Error,
            };
            let Heard { line, id, call, .. } = *heard;
            let spot = Spot { line, id, call, source: label, ..Spot::default() };
            sheet.find(code, severity, spot, text);
        }
    }
}

/// Whether a ground says for certain that markers in the message are none of the
/// runtime's, but part of a text that it passes on as it is.
fn is_quotation(bare: Bare) -> bool {
    let passed_on = matches!(
        bare.ground,
        Ground::TrustedTask | Ground::OperatorSkill | Ground::Refusal | Ground::DispatchFailure
    );
    passed_on && bare.evidence == Evidence::Trace
}

impl<'u> Utterance<'u> {
    /// What it says, if that is exactly one text.
    fn only_text(&self) -> Option<&'u str> {
        let mut spoken = self.said.iter().filter(|said| said.spoken);
        spoken.next().filter(|_| spoken.next().is_none()).map(|said| said.text)
    }

    /// Whether it is one in which the runtime reports to a continued task.
    fn is_report(&self) -> bool {
        self.heard.role == "user" && self.only_text().is_some_and(reports)
    }

    /// What a tool gave, where nothing but the call declares it: tells whether it is
    /// one whole block of the source.
    pub(super) fn judge_output(
        &self,
        declared: &Declared<'_>,
        source: &str,
        sheet: &mut Sheet<'_>,
    ) -> bool {
        let intact = declared.judge(self.said.iter().copied(), &mut |fault| {
            self.report(fault, Severity::Error, source, sheet);
        });
        self.judge_bodies(sheet);
        intact
    }

    fn spot(&self) -> Spot<'_> {
        let Heard { line, id, call, .. } = self.heard;
        Spot { line, id, call, ..Spot::default() }
    }

    /// Where a byte of one of the texts stands.
    fn spot_at(&self, index: usize, offset: usize) -> Spot<'_> {
        Spot {
            pointer: self.said.get(index).map(|said| said.pointer),
            offset: Some(offset),
            column: Some((self.column)(index, offset)),
            ..self.spot()
        }
    }

    /// A label: all that is said must be one whole block of its source.
    fn judge_label(&self, label: &str, sheet: &mut Sheet<'_>) {
        let source = sanitise_source(label);
        let declared = Declared::by_label(label, self.heard.role, self.heard.inserted);
        let intact = declared.judge(self.said.iter().copied(), &mut |fault| {
            self.report(fault, Severity::Error, &source, sheet);
        });
        let marked =
            self.said.iter().any(|said| said.spoken && *said.standing != Standing::Unfenced);
        sheet.sums.count(&source, |tally| {
            tally.labelled += 1;
            tally.due += 1;
            tally.marked += u64::from(marked);
            tally.intact += u64::from(intact);
        });
        self.judge_bodies(sheet);
    }

    /// No label, or none that is told: blocks may stand there all the same.
    fn judge_marks(&self, quoted: bool, sheet: &mut Sheet<'_>) {
        for (index, said) in self.said.iter().enumerate() {
            match said.standing {
                Standing::Intact(outline) => {
                    self.count_blocks(said, outline, sheet);
                    if said.spoken && matches!(self.label, Label::Bare) {
                        self.unlabelled_blocks(index, said, outline, quoted, sheet);
                    }
                    if !quoted && !outline.extents_agree {
                        let blocks = outline.blocks.len();
                        let spot = self.spot_at(index, outline.blocks[0].opener.start);
                        let text = format!(
                            "{blocks} blocks in one text: by the rule of the final closing \
                             marker they would be one"
                        );
                        sheet.find(FindingCode::ExtentsDisagree, Severity::Note, spot, text);
                    }
                }
                Standing::Broken(flaws) if !quoted => {
                    if let Some(block) = outer_block(said.text) {
                        sheet.sums.count(block.source, |tally| tally.marked += 1);
                    }
                    let fault = unlabelled_broken(index, said.pointer, flaws);
                    self.report(fault, Severity::Error, "", sheet);
                }
                _ => {}
            }
        }
        if !quoted {
            self.judge_bodies(sheet);
        }
    }

    fn count_blocks(&self, said: &Said<'_>, outline: &PieceOutline, sheet: &mut Sheet<'_>) {
        let source = |index: usize| &said.text[outline.blocks[index].source.clone()];
        for index in 0..outline.blocks.len() {
            // A text counts once for a source, however many blocks of it there are;
            // those of one source mostly follow each other.
            let first = index == 0 || source(index - 1) != source(index);
            sheet.sums.count(source(index), |tally| {
                tally.marked += u64::from(first);
                tally.unlabelled += 1;
            });
        }
    }

    /// Whole blocks in a text that has no label.
    fn unlabelled_blocks(
        &self,
        index: usize,
        said: &Said<'_>,
        outline: &PieceOutline,
        quoted: bool,
        sheet: &mut Sheet<'_>,
    ) {
        let sources: Vec<_> =
            outline.blocks.iter().map(|block| &said.text[block.source.clone()]).collect();
        let reported = self.is_report() && sources.iter().all(|source| never_labelled(source));
        let (severity, why) = match (quoted, reported) {
            (true, _) => (Severity::Note, "; quoted in a text that is passed on as it is"),
            (false, true) => (Severity::Note, "; the runtime never labels these"),
            (false, false) => {
                (Severity::Warning, "; the label is missing, or the blocks are quoted")
            }
        };
        let named = sources.first().copied().unwrap_or_default();
        let spot =
            Spot { source: Some(named), ..self.spot_at(index, outline.blocks[0].opener.start) };
        let few = sources.iter().take(3).map(|source| format!("{source:?}")).collect::<Vec<_>>();
        let more = sources.len().saturating_sub(3);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!("whole blocks of {}{more} without a label{why}", few.join(", "));
        sheet.find(FindingCode::IntactUnlabelled, severity, spot, text);
    }

    /// Live markers between the opening marker of a block and the final closing
    /// one.
    fn judge_bodies(&self, sheet: &mut Sheet<'_>) {
        for (index, said) in self.said.iter().enumerate() {
            let Standing::Broken(flaws) = said.standing else { continue };
            let Some(block) = outer_block(said.text) else { continue };
            let inside = block.opener.end..block.closer.start;
            let mut live = markers(said.text).filter(|marker| inside.contains(&marker.start));
            if let Some(first) = live.next() {
                let count = 1 + live.count();
                let spot = Spot { source: Some(block.source), ..self.spot_at(index, first.start) };
                let text = match count {
                    1 => "a live marker inside the block".to_owned(),
                    _ => format!("{count} live markers inside the block; this is the first"),
                };
                sheet.find(FindingCode::LiveMarkerInBody, Severity::Error, spot, text);
            }
            let ambiguous = |flaw: &&Flaw| flaw.kind == FlawKind::AmbiguousExtent;
            if let Some(flaw) = flaws.iter().find(ambiguous) {
                let spot = Spot { source: Some(block.source), ..self.spot_at(index, flaw.offset) };
                let text = "the block ends at its first closing marker by one rule, and at the \
                            final one by the other";
                sheet.find(FindingCode::ExtentsDisagree, Severity::Error, spot, text);
            }
        }
    }

    pub(super) fn find_lookalikes(&self, sheet: &mut Sheet<'_>) {
        for (index, said) in self.said.iter().enumerate().filter(|(_, said)| said.spoken) {
            for found in lookalikes(said.text) {
                sheet.find_with(FindingCode::LookAlike, Severity::Note, || {
                    let ways: Vec<_> =
                        found.disguises.iter().map(|disguise| disguise.as_str()).collect();
                    let reads_as = match found.reads_as {
                        murmur_fence::ReadsAs::Opener => "an opening marker",
                        murmur_fence::ReadsAs::Closer => "a closing marker",
                    };
                    let text = format!("reads like {reads_as}: {}", ways.join(", "));
                    let source = match self.label {
                        Label::Fenced(label) => Some(label),
                        Label::Bare | Label::Untold => None,
                    };
                    (Spot { source, ..self.spot_at(index, found.span.start) }, text.into())
                });
            }
        }
    }

    fn report(&self, fault: Fault<'_>, severity: Severity, source: &str, sheet: &mut Sheet<'_>) {
        let source = Some(source).filter(|source| !source.is_empty());
        let spot = match fault.index {
            Some(index) => Spot { source, ..self.spot_at(index, fault.offset) },
            None => Spot {
                source,
                pointer: Some(fault.pointer),
                offset: Some(fault.offset),
                ..self.spot()
            },
        };
        sheet.find(fault.code, severity, spot, fault.text);
    }

    fn shown(&self, file: usize, bare: Option<Bare>) -> AuditedMessage {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let heard = &self.heard;
        AuditedMessage {
            file,
            line: heard.line,
            role: heard.role.to_owned(),
            id: owned(heard.id),
            time_ms: heard.time,
            label: match self.label {
                Label::Fenced(label) => Some(label.to_owned()),
                Label::Bare | Label::Untold => None,
            },
            inserted_by: heard.inserted.map(Insertion::as_str),
            call: owned(heard.call),
            is_error: heard.is_error,
            bare,
            pieces: self
                .said
                .iter()
                .map(|said| AuditedPiece {
                    pointer: said.pointer.to_owned(),
                    text: said.text.to_owned(),
                    spoken: said.spoken,
                    standing: said.standing.clone(),
                })
                .collect(),
        }
    }
}

/// The sources that the runtime writes without a label.
fn never_labelled(source: &str) -> bool {
    source == "done-check" || source.starts_with("member:") || source.starts_with("delegation:")
}
