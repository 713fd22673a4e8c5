//! The nonce dialect with its fault, in the place of the shipped guests' own.

use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence::INFIX;

use crate::exports::murmur::fence::fence::{Mode, Segment, Verdict};
use crate::exports::murmur::fence::nonce::{
    self, Fenced, GuestNonce, Settings, SettingsError, TokenOccurs,
};
use crate::exports::murmur::fence::rules::{LabelError, Wording};
use crate::right_nonce::Nonce as Right;

pub struct Nonce(Right);

impl Nonce {
    pub fn native(&self) -> murmur_fence::Nonce {
        self.0.native()
    }
}

impl GuestNonce for Nonce {
    fn create(settings: Settings) -> Result<nonce::Nonce, SettingsError> {
        Right::of(settings).map(|right| nonce::Nonce::new(Nonce(right)))
    }

    fn fence(&self, source: String, content: String) -> Result<Fenced, TokenOccurs> {
        self.0.fence(source, content)
    }

    fn wrap(&self, source: String, content: String) -> String {
        if !cfg!(feature = "exact-token") {
            return self.0.wrap(source, content);
        }
        // A block of nothing is the opener, two newlines and the closer.
        let block = self.0.wrap(source, String::new());
        let body = self.defang(content.clone()).unwrap_or(content);
        block.replacen("\n\n", &["\n", &body, "\n"].concat(), 1)
    }

    fn defang(&self, content: String) -> Option<String> {
        if !cfg!(feature = "exact-token") {
            return self.0.defang(content);
        }
        let native = self.0.native();
        let (start, last) = native.token().split_at(native.token().len() - 1);
        let defanged = content.replace(native.token(), &[start, INFIX, last].concat());
        (defanged != content).then_some(defanged)
    }

    fn restore(&self, body: String) -> String {
        self.0.restore(body)
    }

    fn segments(&self, message: String) -> Vec<Segment> {
        self.0.segments(message)
    }

    fn verify(&self, message: String, mode: Mode) -> Verdict {
        self.0.verify(message, mode)
    }

    fn rules(&self, label: Option<String>) -> Result<Wording, LabelError> {
        self.0.rules(label)
    }
}
