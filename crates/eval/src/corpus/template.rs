//! A text with its payload marked and with places for a fence's own markers.

use std::borrow::Cow;
use std::fmt;

use super::disguise::Disguise;

/// Stands around a payload in a page file.
const PAYLOAD: (char, char) = ('⟪', '⟫');
/// Stands around the name of a slot in a page file.
const SLOT: (char, char) = ('⟦', '⟧');

/// What stands in a template's slots: the markers of the fence under attack, as
/// its attacker writes them.
#[derive(Clone, Copy, Debug)]
pub struct Markers<'a> {
    /// An opening marker that the attacker knows: of this fence, and from an
    /// earlier request where each has its own.
    pub opener: &'a str,
    /// A closing marker that the attacker knows.
    pub closer: &'a str,
    /// The closing marker of this very request, as if it had got out.
    pub live_closer: &'a str,
}

/// A stretch of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it gives.
    pub content: Content,
    /// Whether it belongs to the payload.
    pub payload: bool,
}

/// What a piece gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// This text.
    Text(String),
    /// A marker of the fence under attack, plain or disguised.
    Slot(Slot, Option<Disguise>),
}

/// Which marker stands in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// [`Markers::opener`].
    Opener,
    /// [`Markers::closer`].
    Closer,
    /// [`Markers::live_closer`].
    LiveCloser,
}

impl Slot {
    /// Reads `closer` or `closer fullwidth`.
    fn parse(text: &str) -> Option<Content> {
        let (name, disguise) = match text.split_once(' ') {
            Some((name, disguise)) => (name, Some(Disguise::parse(disguise)?)),
            None => (text, None),
        };
        let slot = match name {
            "opener" => Slot::Opener,
            "closer" => Slot::Closer,
            "live-closer" => Slot::LiveCloser,
            _ => return None,
        };
        Some(Content::Slot(slot, disguise))
    }
}

/// A text whose payload is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The byte at which the fault begins.
    pub offset: usize,
    /// What is wrong.
    pub problem: TemplateProblem,
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateProblem {
    /// A payload begins inside a payload.
    NestedPayload,
    /// A payload or a slot begins and does not end.
    Unclosed(char),
    /// A payload or a slot ends that did not begin.
    Unopened(char),
    /// A slot of an unknown name.
    UnknownSlot(String),
}

impl fmt::Display for TemplateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateProblem::NestedPayload => f.write_str("a payload begins inside a payload"),
            TemplateProblem::Unclosed(open) => write!(f, "`{open}` is not closed"),
            TemplateProblem::Unopened(close) => write!(f, "`{close}` closes nothing"),
            TemplateProblem::UnknownSlot(name) => write!(
                f,
                "unknown slot `{name}`; there are `opener`, `closer` and `live-closer`, \
                 and after a space a disguise: {}",
                Disguise::NAMES.join(", ")
            ),
        }
    }
}

impl Template {
    /// Reads the notation of page files.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut template = Template::default();
        let mut plain = String::new();
        let mut payload_start = None;
        let mut rest = text.char_indices();
        while let Some((offset, c)) = rest.next() {
            let fail = |problem| Err(TemplateError { offset, problem });
            if c == PAYLOAD.0 {
                if payload_start.is_some() {
                    return fail(TemplateProblem::NestedPayload);
                }
                template.push_text(&mut plain, false);
                payload_start = Some(offset);
            } else if c == PAYLOAD.1 {
                if payload_start.take().is_none() {
                    return fail(TemplateProblem::Unopened(c));
                }
                template.push_text(&mut plain, true);
            } else if c == SLOT.0 {
                let name_start = offset + c.len_utf8();
                let Some(length) = text[name_start..].find(SLOT.1) else {
                    return fail(TemplateProblem::Unclosed(c));
                };
                let name = &text[name_start..name_start + length];
                let Some(content) = Slot::parse(name) else {
                    return fail(TemplateProblem::UnknownSlot(name.to_owned()));
                };
                let payload = payload_start.is_some();
                template.push_text(&mut plain, payload);
                template.pieces.push(Piece { content, payload });
                while rest.next().is_some_and(|(_, c)| c != SLOT.1) {}
            } else if c == SLOT.1 {
                return fail(TemplateProblem::Unopened(c));
            } else {
                plain.push(c);
            }
        }
        if let Some(offset) = payload_start {
            return Err(TemplateError { offset, problem: TemplateProblem::Unclosed(PAYLOAD.0) });
        }
        template.push_text(&mut plain, false);
        Ok(template)
    }

    fn push_text(&mut self, text: &mut String, payload: bool) {
        if !text.is_empty() {
            self.pieces.push(Piece { content: Content::Text(std::mem::take(text)), payload });
        }
    }

    /// The pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The text, with these markers in its slots.
    pub fn render(&self, markers: Markers<'_>) -> String {
        self.pieces.iter().map(|piece| piece.text(markers)).collect()
    }

    /// What belongs to the payload, with empty slots.
    pub fn payload(&self) -> String {
        self.side(true)
    }

    /// What does not belong to the payload, with empty slots.
    pub fn carrier(&self) -> String {
        self.side(false)
    }

    fn side(&self, payload: bool) -> String {
        let nothing = Markers { opener: "", closer: "", live_closer: "" };
        let pieces = self.pieces.iter().filter(|piece| piece.payload == payload);
        pieces.map(|piece| piece.text(nothing)).collect()
    }

    /// Whether any piece belongs to the payload.
    pub fn has_payload(&self) -> bool {
        self.pieces.iter().any(|piece| piece.payload)
    }

    /// The same template with the payload's texts rewritten.
    pub fn rewrite_payload(&self, mut rewrite: impl FnMut(&str) -> String) -> Template {
        let pieces = self.pieces.iter().map(|piece| match &piece.content {
            Content::Text(text) if piece.payload => {
                Piece { content: Content::Text(rewrite(text)), payload: true }
            }
            _ => piece.clone(),
        });
        Template { pieces: pieces.collect() }
    }
}

impl Piece {
    fn text<'a>(&'a self, markers: Markers<'a>) -> Cow<'a, str> {
        let (marker, disguise) = match &self.content {
            Content::Text(text) => return Cow::Borrowed(text),
            Content::Slot(Slot::Opener, disguise) => (markers.opener, disguise),
            Content::Slot(Slot::Closer, disguise) => (markers.closer, disguise),
            Content::Slot(Slot::LiveCloser, disguise) => (markers.live_closer, disguise),
        };
        match disguise {
            Some(disguise) => Cow::Owned(disguise.apply(marker)),
            None => Cow::Borrowed(marker),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKERS: Markers<'static> =
        Markers { opener: "<a>", closer: "</a>", live_closer: "</now>" };

    #[test]
    fn renders_payload_and_slots_in_their_places() {
        let template = Template::parse("one ⟪two ⟦closer⟧ three⟫ ⟦opener⟧four").unwrap();
        assert_eq!(template.render(MARKERS), "one two </a> three <a>four");
        assert_eq!(template.payload(), "two  three");
        assert_eq!(template.carrier(), "one  four");
        let template = Template::parse("⟪⟦live-closer⟧⟦closer entity⟧⟫").unwrap();
        assert_eq!(template.render(MARKERS), "</now>&lt;/a&gt;");
    }

    #[test]
    fn rewrites_the_payload_and_nothing_else() {
        let template = Template::parse("a ⟪b⟦closer⟧⟫ c").unwrap();
        let loud = template.rewrite_payload(str::to_uppercase);
        assert_eq!(loud.render(MARKERS), "a B</a> c");
    }

    #[test]
    fn faults_name_their_place() {
        let fault = |text| Template::parse(text).unwrap_err();
        assert_eq!(fault("ab⟪c"), at(2, TemplateProblem::Unclosed('⟪')));
        assert_eq!(fault("ab⟫c"), at(2, TemplateProblem::Unopened('⟫')));
        assert_eq!(fault("⟪a⟪b⟫⟫"), at(4, TemplateProblem::NestedPayload));
        assert_eq!(fault("a⟦closer"), at(1, TemplateProblem::Unclosed('⟦')));
        assert_eq!(fault("a⟧"), at(1, TemplateProblem::Unopened('⟧')));
        assert_eq!(fault("⟦end⟧"), at(0, TemplateProblem::UnknownSlot("end".into())));
        let masked = TemplateProblem::UnknownSlot("closer masked".into());
        assert_eq!(fault("⟦closer masked⟧"), at(0, masked));
    }

    fn at(offset: usize, problem: TemplateProblem) -> TemplateError {
        TemplateError { offset, problem }
    }
}
