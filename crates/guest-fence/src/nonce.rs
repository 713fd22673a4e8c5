//! Interface `nonce`: the nonce dialect of `murmur_fence`, as the WIT spells it.

use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence::Dialect;
use murmur_fence::nonce::{Form, FormError, TokenError};

use crate::exports::murmur::fence::fence::{Mode, Segment, Verdict};
use crate::exports::murmur::fence::nonce::{
    self, Fenced, Guest, GuestNonce, Receipt, Settings, SettingsError, Style, TokenOccurs,
};
use crate::exports::murmur::fence::rules::{LabelError, Wording};
use crate::fence::{changed, mode, offset, segment, verdict};
use crate::rules::{misplaced, wording};
use crate::tags::name_error;

impl Guest for crate::Component {
    type Nonce = Nonce;
}

/// The resource.
pub struct Nonce(murmur_fence::Nonce);

impl Nonce {
    pub fn of(settings: Settings) -> Result<Self, SettingsError> {
        let nonce = murmur_fence::Nonce::with_token(&settings.token).map_err(token_error)?;
        let style = match settings.style {
            Style::Angle => murmur_fence::nonce::Style::Angle,
            Style::Tag => murmur_fence::nonce::Style::Tag,
        };
        let form = Form::new(settings.name.as_deref().unwrap_or("DOC"), style);
        let form = form.map_err(|error| match error {
            FormError::Name { reason, .. } => SettingsError::Name(name_error(reason)),
            FormError::NameIsEnd => SettingsError::NameIsEnd,
        })?;
        Ok(Nonce(nonce.in_form(form)))
    }

    pub fn native(&self) -> murmur_fence::Nonce {
        self.0.clone()
    }
}

impl GuestNonce for Nonce {
    fn create(settings: Settings) -> Result<nonce::Nonce, SettingsError> {
        Nonce::of(settings).map(nonce::Nonce::new)
    }

    fn fence(&self, source: String, content: String) -> Result<Fenced, TokenOccurs> {
        use murmur_fence::nonce::TokenOccurs as Occurs;
        match self.0.fence(&source, &content) {
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
        }
    }

    fn wrap(&self, source: String, content: String) -> String {
        self.0.wrap(&source, &content)
    }

    fn defang(&self, content: String) -> Option<String> {
        changed(self.0.defang(&content))
    }

    fn restore(&self, body: String) -> String {
        changed(self.0.restore(&body)).unwrap_or(body)
    }

    fn segments(&self, message: String) -> Vec<Segment> {
        self.0.segments(&message).into_iter().map(segment).collect()
    }

    fn verify(&self, message: String, in_mode: Mode) -> Verdict {
        verdict(self.0.verify(&message, mode(in_mode)))
    }

    fn rules(&self, label: Option<String>) -> Result<Wording, LabelError> {
        wording(self.0.rules(), label)
    }
}

fn token_error(error: TokenError) -> SettingsError {
    match error {
        TokenError::Short { characters } => SettingsError::TokenTooShort(offset(characters)),
        TokenError::Long { characters } => SettingsError::TokenTooLong(offset(characters)),
        TokenError::Character { character, offset } => {
            SettingsError::TokenCharacter(misplaced(character, offset))
        }
        TokenError::Repeated { digit } => SettingsError::TokenRepeated(digit),
    }
}
