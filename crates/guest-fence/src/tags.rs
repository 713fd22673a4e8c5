//! Interface `tags`: the tags dialect of `murmur_fence`, as the WIT spells it.

use alloc::string::String;
use alloc::vec::Vec;

use murmur_fence::Dialect;
use murmur_fence::tags::TagsError;

use crate::exports::murmur::fence::fence::{Mode, Segment, Verdict};
use crate::exports::murmur::fence::rules::{LabelError, Wording};
use crate::exports::murmur::fence::tags::{
    self, Attribute, FenceError, Guest, GuestTags, NameError, RefusedName, SetError,
};
use crate::fence::{changed, mode, offset, segment, verdict};
use crate::rules::{misplaced, wording};

impl Guest for crate::Component {
    type Tags = Tags;
}

/// The resource.
pub struct Tags(murmur_fence::Tags);

impl Tags {
    pub fn of(reserved: Option<Vec<String>>) -> Result<Self, SetError> {
        let Some(names) = reserved else { return Ok(Tags(murmur_fence::Tags::default())) };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        murmur_fence::Tags::new(&names).map(Tags).map_err(set_error)
    }

    pub fn native(&self) -> murmur_fence::Tags {
        self.0.clone()
    }
}

impl GuestTags for Tags {
    fn create(reserved: Option<Vec<String>>) -> Result<tags::Tags, SetError> {
        Tags::of(reserved).map(tags::Tags::new)
    }

    fn fence(
        &self,
        tag: String,
        body: String,
        attributes: Vec<Attribute>,
    ) -> Result<String, FenceError> {
        let attributes: Vec<(&str, &str)> =
            attributes.iter().map(|it| (it.name.as_str(), it.value.as_str())).collect();
        self.0.fence(&tag, &body, &attributes).map_err(fence_error)
    }

    fn tool_result(&self, tool: String, body: String) -> Result<String, FenceError> {
        self.0.tool_result(&tool, &body).map_err(fence_error)
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

fn set_error(error: TagsError) -> SetError {
    match error {
        TagsError::Count { names } => SetError::Count(offset(names)),
        TagsError::Name { name, reason } => SetError::Name(refused(name, reason)),
        TagsError::Duplicate { name } => SetError::Duplicate(name),
    }
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

pub fn name_error(error: murmur_fence::NameError) -> NameError {
    use murmur_fence::NameError as Error;
    match error {
        Error::Empty => NameError::Empty,
        Error::Long { characters } => NameError::TooLong(offset(characters)),
        Error::Character { character, offset } => {
            NameError::Character(misplaced(character, offset))
        }
    }
}
