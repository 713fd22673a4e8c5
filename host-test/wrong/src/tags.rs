//! The tags dialect with its fault, in the place of the shipped guests' own.

use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence::INFIX;

use crate::exports::murmur::fence::fence::{Mode, Segment, Verdict};
use crate::exports::murmur::fence::rules::{LabelError, Wording};
use crate::exports::murmur::fence::tags::{self, Attribute, FenceError, GuestTags, SetError};
use crate::right_tags::Tags as Right;

pub use crate::right_tags::name_error;

pub struct Tags(Right);

impl Tags {
    pub fn native(&self) -> murmur_fence::Tags {
        self.0.native()
    }

    /// The body as this component writes it, in a block that the right one wrote.
    fn retouched(&self, block: String) -> String {
        if !cfg!(feature = "tidy-tags") {
            return block;
        }
        // An insertion before anything but a name or a slash is taken out again.
        let mut parts = block.split(INFIX);
        let mut out = String::from(parts.next().unwrap_or_default());
        for part in parts {
            let after = part.strip_prefix('/').unwrap_or(part);
            if after.starts_with(|c: char| c.is_ascii_alphabetic()) {
                out.push_str(INFIX);
            }
            out.push_str(part);
        }
        out
    }
}

impl GuestTags for Tags {
    fn create(reserved: Option<Vec<String>>) -> Result<tags::Tags, SetError> {
        Right::of(reserved).map(|right| tags::Tags::new(Tags(right)))
    }

    fn fence(
        &self,
        tag: String,
        body: String,
        attributes: Vec<Attribute>,
    ) -> Result<String, FenceError> {
        self.0.fence(tag, body, attributes).map(|block| self.retouched(block))
    }

    fn tool_result(&self, tool: String, body: String) -> Result<String, FenceError> {
        self.0.tool_result(tool, body).map(|block| self.retouched(block))
    }

    fn wrap(&self, source: String, content: String) -> String {
        self.retouched(self.0.wrap(source, content))
    }

    fn defang(&self, content: String) -> Option<String> {
        let defanged = self.retouched(self.0.defang(content.clone())?);
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
