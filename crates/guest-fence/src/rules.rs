//! Interface `rules`: rule texts and imported turns of `murmur_fence`, as the WIT
//! spells them.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence::{Dialect, MarkerDialect, Rule, history, rules};

use crate::exports::murmur::fence::rules::{
    Coercion, Guest, Imported, LabelError, Misplaced, ModuleCharacter, ModuleLength,
    ProvenanceError, Turn, Wording,
};
use crate::fence::offset;

impl Guest for crate::Component {
    fn marker_rules(label: Option<String>) -> Result<Wording, LabelError> {
        wording(MarkerDialect.rules(), label)
    }

    fn provenance(modules: Vec<String>) -> Result<String, ProvenanceError> {
        let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
        murmur_fence::rules::provenance(&modules).map_err(provenance_error)
    }

    fn history(turns: Vec<Turn>) -> Imported {
        let turns = turns
            .into_iter()
            .map(|turn| history::Turn { role: turn.role.into(), text: turn.text.into() });
        let imported = history::history(turns);
        let turn = |turn: history::Turn<'_>| Turn {
            role: turn.role.into_owned(),
            text: turn.text.into_owned(),
        };
        let coercion = |coercion: history::Coercion<'_>| Coercion {
            index: offset(coercion.index),
            role: coercion.role.into_owned(),
        };
        Imported {
            turns: imported.turns.into_iter().map(turn).collect(),
            coercions: imported.coercions.into_iter().map(coercion).collect(),
        }
    }
}

/// The rules under the label, if one is given.
pub fn wording(mut rules: rules::Rules, label: Option<String>) -> Result<Wording, LabelError> {
    if let Some(label) = label {
        rules = rules.labelled(&label).map_err(label_error)?;
    }
    let owned = |(opening, closing): (&str, &str)| (opening.to_owned(), closing.to_owned());
    Ok(Wording {
        label: rules.label().to_owned(),
        markers: rules.markers().map(owned).collect(),
        text: rules.text(),
        region_rule: rules.alone(Rule::Region),
        phrase_rule: rules.alone(Rule::Phrase),
        label_rule: rules.alone(Rule::Label),
    })
}

pub fn misplaced(character: char, at: usize) -> Misplaced {
    Misplaced { character, offset: offset(at) }
}

fn label_error(error: rules::LabelError) -> LabelError {
    match error {
        rules::LabelError::Length { characters } => LabelError::Length(offset(characters)),
        rules::LabelError::Character { character, offset } => {
            LabelError::Character(misplaced(character, offset))
        }
    }
}

fn provenance_error(error: rules::ProvenanceError) -> ProvenanceError {
    use rules::ProvenanceError as Error;
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
