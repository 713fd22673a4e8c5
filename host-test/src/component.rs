//! The subject that is a component, called through wasmtime.

use crate::subject::{Answer, BlockWriter, Inspected, Record, Subject};
use murmur_fence_host::{
    Block, Component, Conversation, Fence, Item, MessagePage, Mode, Segment, ServedMessage,
    Verdict, World, Writer, WriterError,
};
use std::path::Path;

/// A loaded component as a subject.
#[derive(Clone, Debug)]
pub struct ComponentSubject {
    component: Component,
    fence: Fence,
}

impl ComponentSubject {
    /// The subject that a component is.
    pub fn new(component: Component) -> Self {
        ComponentSubject { fence: component.fence(), component }
    }
}

impl Subject for ComponentSubject {
    fn wrap(&self, source: &str, content: &str) -> Answer<String> {
        self.fence.wrap(source, content)
    }

    fn wrap_all(&self, items: &[Item<'_>]) -> Answer<Vec<String>> {
        self.fence.wrap_all(items)
    }

    fn neutralise(&self, content: &str) -> Answer<Option<String>> {
        self.fence.neutralise(content)
    }

    fn neutralise_all(&self, contents: &[&str]) -> Answer<Vec<Option<String>>> {
        self.fence.neutralise_all(contents)
    }

    fn open_marker(&self, source: &str) -> Answer<String> {
        self.fence.open_marker(source)
    }

    fn close_marker(&self) -> Answer<String> {
        self.fence.close_marker()
    }

    fn segments(&self, message: &str) -> Answer<Vec<Segment>> {
        self.fence.segments(message)
    }

    fn outer_block(&self, message: &str) -> Answer<Option<Block>> {
        self.fence.outer_block(message)
    }

    fn verify(&self, message: &str, mode: Mode) -> Answer<Verdict> {
        self.fence.verify(message, mode)
    }

    fn verify_all(&self, messages: &[&str], mode: Mode) -> Answer<Vec<Verdict>> {
        self.fence.verify_all(messages, mode)
    }

    fn restore(&self, body: &str) -> Answer<String> {
        self.fence.restore(body)
    }

    fn writer(&self, source: &str) -> Answer<Box<dyn BlockWriter>> {
        Ok(Box::new(self.fence.writer(source)?))
    }

    fn inspect(&self, message: &ServedMessage<'_>) -> Answer<Inspected> {
        self.fence.inspect(message)
    }

    fn inspect_all(&self, messages: &[ServedMessage<'_>]) -> Answer<Vec<Inspected>> {
        self.fence.inspect_all(messages)
    }

    fn record(&self, directory: Option<&Path>) -> Option<Result<Box<dyn Record>, String>> {
        if self.component.world() == World::Fence {
            return None;
        }
        Some(match self.component.conversation(directory) {
            Ok(conversation) => Ok(Box::new(conversation)),
            Err(error) => Err(error.to_string()),
        })
    }
}

impl BlockWriter for Writer {
    fn write(&mut self, chunk: &str) -> Answer<Result<String, WriterError>> {
        Writer::write(self, chunk)
    }

    fn finish(&mut self) -> Answer<Result<String, WriterError>> {
        Writer::finish(self)
    }
}

impl Record for Conversation {
    fn read_messages(
        &mut self,
        cursor: Option<&str>,
        limit: u32,
    ) -> Answer<Result<MessagePage, String>> {
        Conversation::read_messages(self, cursor, limit)
    }
}
