//! The other dialects, rules and look-alikes of the native crate, in the contract's
//! types.

use super::{changed, mode, offset, segment, span, verdict};
use crate::subject::{Answer, DialectFence, NonceFence, TagsFence};
use murmur_fence::nonce::{Form, FormError, TokenError};
use murmur_fence::tags::TagsError;
use murmur_fence::{Dialect, Disguise, history as imports};
use murmur_fence_host::nonce::{Fenced, Receipt, Settings, SettingsError, Style, TokenOccurs};
use murmur_fence_host::rules::{
    Coercion, Imported, ImportedTurn, LabelError, Misplaced, ModuleCharacter, ModuleLength,
    ProvenanceError, Turn, Wording,
};
use murmur_fence_host::tags::{Attribute, FenceError, NameError, RefusedName, SetError};
use murmur_fence_host::{Disguises, Lookalike, Mode, ReadsAs, Segment, Verdict};

/// A dialect of the crate.
pub(super) struct NativeDialect<D>(pub(super) D);

impl<D: Dialect> DialectFence for NativeDialect<D> {
    fn wrap(&mut self, source: &str, content: &str) -> Answer<String> {
        Ok(self.0.wrap(source, content))
    }

    fn defang(&mut self, content: &str) -> Answer<Option<String>> {
        Ok(changed(self.0.defang(content)))
    }

    fn restore(&mut self, body: &str) -> Answer<String> {
        Ok(self.0.restore(body).into_owned())
    }

    fn segments(&mut self, message: &str) -> Answer<Vec<Segment>> {
        Ok(self.0.segments(message).into_iter().map(segment).collect())
    }

    fn verify(&mut self, message: &str, in_mode: Mode) -> Answer<Verdict> {
        Ok(verdict(self.0.verify(message, mode(in_mode))))
    }

    fn rules(&mut self, label: Option<&str>) -> Answer<Result<Wording, LabelError>> {
        Ok(match label {
            None => Ok(wording(&self.0.rules())),
            Some(label) => match self.0.rules().labelled(label) {
                Ok(rules) => Ok(wording(&rules)),
                Err(error) => Err(label_error(error)),
            },
        })
    }
}

impl NonceFence for NativeDialect<murmur_fence::Nonce> {
    fn fence(&mut self, source: &str, content: &str) -> Answer<Result<Fenced, TokenOccurs>> {
        use murmur_fence::nonce::TokenOccurs as Occurs;
        Ok(match self.0.fence(source, content) {
            Ok(fenced) => Ok(Fenced {
                block: fenced.block,
                receipt: Receipt {
                    token: fenced.receipt.token,
                    opening: fenced.receipt.opening,
                    closing: fenced.receipt.closing,
                    source: fenced.receipt.source,
                    bytes: offset(fenced.receipt.bytes),
                },
            }),
            Err(Occurs::InContent { offset: at }) => Err(TokenOccurs::InContent(offset(at))),
            Err(Occurs::InSource { offset: at }) => Err(TokenOccurs::InSource(offset(at))),
        })
    }
}

impl TagsFence for NativeDialect<murmur_fence::Tags> {
    fn fence(
        &mut self,
        tag: &str,
        body: &str,
        attributes: &[Attribute<'_>],
    ) -> Answer<Result<String, FenceError>> {
        let attributes: Vec<_> = attributes.iter().map(|it| (it.name, it.value)).collect();
        Ok(self.0.fence(tag, body, &attributes).map_err(fence_error))
    }

    fn tool_result(&mut self, tool: &str, body: &str) -> Answer<Result<String, FenceError>> {
        Ok(self.0.tool_result(tool, body).map_err(fence_error))
    }
}

pub(super) fn nonce(settings: &Settings<'_>) -> Result<murmur_fence::Nonce, SettingsError> {
    let nonce = murmur_fence::Nonce::with_token(settings.token).map_err(|error| match error {
        TokenError::Short { characters } => SettingsError::TokenTooShort(offset(characters)),
        TokenError::Long { characters } => SettingsError::TokenTooLong(offset(characters)),
        TokenError::Character { character, offset } => {
            SettingsError::TokenCharacter(misplaced(character, offset))
        }
        TokenError::Repeated { digit } => SettingsError::TokenRepeated(digit),
    })?;
    let style = match settings.style {
        Style::Angle => murmur_fence::nonce::Style::Angle,
        Style::Tag => murmur_fence::nonce::Style::Tag,
    };
    let form = Form::new(settings.name.unwrap_or("DOC"), style).map_err(|error| match error {
        FormError::Name { reason, .. } => SettingsError::Name(name_error(reason)),
        FormError::NameIsEnd => SettingsError::NameIsEnd,
    })?;
    Ok(nonce.in_form(form))
}

pub(super) fn tags(reserved: Option<&[&str]>) -> Result<murmur_fence::Tags, SetError> {
    let Some(reserved) = reserved else { return Ok(murmur_fence::Tags::default()) };
    murmur_fence::Tags::new(reserved).map_err(|error| match error {
        TagsError::Count { names } => SetError::Count(offset(names)),
        TagsError::Name { name, reason } => SetError::Name(refused(name, reason)),
        TagsError::Duplicate { name } => SetError::Duplicate(name),
    })
}

fn fence_error(error: murmur_fence::tags::FenceError) -> FenceError {
    use murmur_fence::tags::FenceError as Error;
    match error {
        Error::NotReserved { tag } => FenceError::NotReserved(tag),
        Error::Attribute { name, reason } => FenceError::AttributeName(refused(name, reason)),
        Error::Duplicate { name } => FenceError::DuplicateAttribute(name),
    }
}

fn refused(name: String, reason: murmur_fence::NameError) -> RefusedName {
    RefusedName { name, reason: name_error(reason) }
}

fn name_error(error: murmur_fence::NameError) -> NameError {
    use murmur_fence::NameError as Error;
    match error {
        Error::Empty => NameError::Empty,
        Error::Long { characters } => NameError::TooLong(offset(characters)),
        Error::Character { character, offset } => {
            NameError::Character(misplaced(character, offset))
        }
    }
}

fn misplaced(character: char, at: usize) -> Misplaced {
    Misplaced { character, offset: offset(at) }
}

fn wording(rules: &murmur_fence::Rules) -> Wording {
    use murmur_fence::Rule;
    let markers = rules.markers().map(|(opening, closing)| (opening.into(), closing.into()));
    Wording {
        label: rules.label().into(),
        markers: markers.collect(),
        text: rules.text(),
        region_rule: rules.alone(Rule::Region),
        phrase_rule: rules.alone(Rule::Phrase),
        label_rule: rules.alone(Rule::Label),
    }
}

fn label_error(error: murmur_fence::rules::LabelError) -> LabelError {
    use murmur_fence::rules::LabelError as Error;
    match error {
        Error::Length { characters } => LabelError::Length(offset(characters)),
        Error::Character { character, offset } => {
            LabelError::Character(misplaced(character, offset))
        }
    }
}

pub(super) fn provenance_error(error: murmur_fence::rules::ProvenanceError) -> ProvenanceError {
    use murmur_fence::rules::ProvenanceError as Error;
    match error {
        Error::NoModules => ProvenanceError::NoModules,
        Error::Length { index, characters } => ProvenanceError::Length(ModuleLength {
            index: offset(index),
            characters: offset(characters),
        }),
        Error::Character { index, character, offset: at } => {
            let at = misplaced(character, at);
            ProvenanceError::Character(ModuleCharacter { index: offset(index), at })
        }
    }
}

pub(super) fn history(turns: &[Turn<'_>]) -> Imported {
    let turns =
        turns.iter().map(|turn| imports::Turn { role: turn.role.into(), text: turn.text.into() });
    let imported = imports::history(turns);
    let turn = |turn: imports::Turn<'_>| ImportedTurn {
        role: turn.role.into_owned(),
        text: turn.text.into_owned(),
    };
    let coercion = |coercion: imports::Coercion<'_>| Coercion {
        index: offset(coercion.index),
        role: coercion.role.into_owned(),
    };
    Imported {
        turns: imported.turns.into_iter().map(turn).collect(),
        coercions: imported.coercions.into_iter().map(coercion).collect(),
    }
}

pub(super) fn lookalike(found: murmur_fence::Lookalike) -> Lookalike {
    let disguise = |disguise| match disguise {
        Disguise::WhiteSpace => Disguises::WHITE_SPACE,
        Disguise::Slash => Disguises::SLASH,
        Disguise::Hyphen => Disguises::HYPHEN,
        Disguise::Homoglyph => Disguises::HOMOGLYPH,
        Disguise::Invisible => Disguises::INVISIBLE,
        Disguise::CombiningMark => Disguises::COMBINING_MARK,
        Disguise::Tag => Disguises::TAG,
        Disguise::Entity => Disguises::ENTITY,
        Disguise::Percent => Disguises::PERCENT,
        Disguise::Escape => Disguises::ESCAPE,
    };
    Lookalike {
        span: span(found.span),
        reads_as: match found.reads_as {
            murmur_fence::ReadsAs::Opener => ReadsAs::Opener,
            murmur_fence::ReadsAs::Closer => ReadsAs::Closer,
        },
        disguises: found.disguises.iter().map(disguise).fold(Disguises::empty(), |a, b| a | b),
    }
}
