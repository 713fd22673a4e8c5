//! What is declared of a text, held against what its markers show.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use murmur_fence::{Flaw, sanitise_source};

use crate::code::FindingCode;
use crate::inspect::Piece;
use crate::line::Insertion;
use crate::standing::{PieceOutline, Speaker, Standing};

/// A declaration: the texts of a message are one whole block of a source.
pub(crate) struct Declared<'d> {
    source: &'d str,
    role: &'d str,
    inserted: Option<Insertion>,
    /// What declares it: `labelled "tool:x"`.
    words: String,
    /// Where the declaration stands.
    pointer: &'static str,
    /// What it is called when it does not hold.
    not_intact: FindingCode,
}

/// Something that is not as declared.
pub(crate) struct Fault<'f> {
    pub(crate) code: FindingCode,
    /// Which of the texts it stands in, if it stands in one.
    pub(crate) index: Option<usize>,
    pub(crate) pointer: &'f str,
    /// A byte of the decoded text.
    pub(crate) offset: usize,
    pub(crate) text: String,
}

/// One text, with its standing.
#[derive(Clone, Copy)]
pub(crate) struct Said<'s> {
    pub(crate) pointer: &'s str,
    pub(crate) text: &'s str,
    /// Whether it is what the message says.
    pub(crate) spoken: bool,
    pub(crate) standing: &'s Standing,
}

impl<'s> From<&'s Piece<'_>> for Said<'s> {
    fn from(piece: &'s Piece<'_>) -> Self {
        let Piece { pointer, text, spoken, standing, .. } = piece;
        Said { pointer, text, spoken: *spoken, standing }
    }
}

impl<'d> Declared<'d> {
    /// The label of a stored message.
    pub(crate) fn by_label(source: &'d str, role: &'d str, inserted: Option<Insertion>) -> Self {
        let words = format!("labelled {source:?}");
        let not_intact = FindingCode::LabelledNotIntact;
        Declared { source, role, inserted, words, pointer: "/fence", not_intact }
    }

    /// What an output is bound to be, for the reason that `words` give.
    #[cfg(feature = "std")]
    pub(crate) fn of_output(source: &'d str, words: String) -> Self {
        let not_intact = FindingCode::UnlabelledBroken;
        Declared { source, role: "tool", inserted: None, words, pointer: "", not_intact }
    }

    /// Whether all that is said is one block of the source, at the very start, with
    /// the runtime's notes after it; what is not so is reported.
    pub(crate) fn judge<'s>(
        &self,
        said: impl Iterator<Item = Said<'s>> + Clone,
        report: &mut dyn FnMut(Fault<'_>),
    ) -> bool {
        let source = sanitise_source(self.source);
        let words = &self.words;
        let mut intact = true;
        let mut add = |code, index, pointer: &str, offset, text| {
            intact = false;
            report(Fault { code, index, pointer, offset, text });
        };
        let not_intact = self.not_intact;
        let speaker =
            Speaker { role: self.role, inserted: self.inserted.is_some(), labelled: true };
        if let (false, Some(insertion)) = (speaker.can_fence(), self.inserted) {
            let text = format!("{words}, but a hook inserted it by {insertion}");
            add(not_intact, None, self.pointer, 0, text);
        } else if !speaker.can_fence() {
            let text = format!("{words}, but the role {:?} carries no fence", self.role);
            add(not_intact, None, self.pointer, 0, text);
        } else if !said.clone().any(|said| said.spoken) {
            add(not_intact, None, "/content", 0, format!("{words}, but there is no text"));
        }
        for (index, said) in said.enumerate() {
            let index = Some(index);
            match said.standing {
                Standing::Unfenced => {
                    let text = format!("{words}, but no block marks it");
                    add(not_intact, index, said.pointer, 0, text);
                }
                Standing::Intact(outline) if said.spoken => {
                    if let Some((offset, reason)) = not_one_block(outline) {
                        add(not_intact, index, said.pointer, offset, format!("{words}, {reason}"));
                    }
                    for block in &outline.blocks {
                        let named = &said.text[block.source.clone()];
                        if named != source {
                            let text = format!("{words}, but the block names {named:?}");
                            let code = FindingCode::LabelSourceMismatch;
                            add(code, index, said.pointer, block.opener.start, text);
                        }
                    }
                }
                Standing::Broken(flaws) => {
                    let text = format!("{words}, but {}", listed(flaws));
                    add(not_intact, index, said.pointer, first(flaws), text);
                }
                Standing::Intact(_) | Standing::Mention(_) => {}
            }
        }
        intact
    }
}

/// A text that nothing is declared of, that begins as a fenced one and has flaws.
pub(crate) fn unlabelled_broken<'f>(index: usize, pointer: &'f str, flaws: &[Flaw]) -> Fault<'f> {
    let text = format!("begins as a fenced text does, but {}", listed(flaws));
    let (code, offset) = (FindingCode::UnlabelledBroken, first(flaws));
    Fault { code, index: Some(index), pointer, offset, text }
}

/// Why a text of whole blocks is not one block at the start, and where.
fn not_one_block(outline: &PieceOutline) -> Option<(usize, Cow<'static, str>)> {
    let start = outline.blocks.first()?.opener.start;
    if start > 0 {
        return Some((start, "but its block does not begin at the start".into()));
    }
    let second = outline.blocks.get(1)?.opener.start;
    let blocks = outline.blocks.len();
    Some((second, format!("but it holds {blocks} blocks where one is written").into()))
}

fn first(flaws: &[Flaw]) -> usize {
    flaws.first().map_or(0, |flaw| flaw.offset)
}

/// The flaws in words; of many, the first few.
fn listed(flaws: &[Flaw]) -> String {
    const FEW: usize = 3;
    let mut text = String::from("broken: ");
    for (index, flaw) in flaws.iter().take(FEW).enumerate() {
        let comma = if index > 0 { ", " } else { "" };
        text += &format!("{comma}{} at byte {}", flaw.kind, flaw.offset);
    }
    if flaws.len() > FEW {
        text += &format!(" and {} more", flaws.len() - FEW);
    }
    text
}
