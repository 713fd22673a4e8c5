//! The subject that is a component, called through wasmtime.

use crate::subject::{
    Answer, BlockWriter, DialectFence, Inspected, Lanes, NonceFence, Prompt, Record, Say, Subject,
    TagsFence, Talk,
};
use murmur_fence_host::audit::{Audited, Options};
use murmur_fence_host::lanes::{
    Coverage, Dialect, DialectError, Lane, Problem, ReceiptError, Registry,
};
use murmur_fence_host::nonce::{Fenced, Nonce, Settings, SettingsError, TokenOccurs};
use murmur_fence_host::rules::{Imported, LabelError, ProvenanceError, Turn, Wording};
use murmur_fence_host::tags::{Attribute, FenceError, SetError, Tags};
use murmur_fence_host::{
    Block, Component, Conversation, Fence, Item, Lookalike, MessagePage, Mode, Segment,
    ServedMessage, Verdict, World, Writer, WriterError,
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

    fn lookalikes(&self, text: &str) -> Answer<Vec<Lookalike>> {
        self.fence.lookalikes(text)
    }

    fn writer(&self, source: &str) -> Answer<Box<dyn BlockWriter>> {
        Ok(Box::new(self.fence.writer(source)?))
    }

    fn nonce(&self, settings: &Settings<'_>) -> Answer<Result<Box<dyn NonceFence>, SettingsError>> {
        let nonce = self.fence.nonce(settings)?;
        Ok(nonce.map(|nonce| Box::new(nonce) as Box<dyn NonceFence>))
    }

    fn tags(&self, reserved: Option<&[&str]>) -> Answer<Result<Box<dyn TagsFence>, SetError>> {
        let tags = self.fence.tags(reserved)?;
        Ok(tags.map(|tags| Box::new(tags) as Box<dyn TagsFence>))
    }

    fn marker_rules(&self, label: Option<&str>) -> Answer<Result<Wording, LabelError>> {
        self.fence.marker_rules(label)
    }

    fn provenance(&self, modules: &[&str]) -> Answer<Result<String, ProvenanceError>> {
        self.fence.provenance(modules)
    }

    fn history(&self, turns: &[Turn<'_>]) -> Answer<Imported> {
        self.fence.history(turns)
    }

    fn registry(&self, text: &str) -> Answer<Result<Box<dyn Lanes>, Vec<Problem>>> {
        let registry = self.fence.registry(text)?;
        Ok(registry.map(|registry| Box::new(registry) as Box<dyn Lanes>))
    }

    fn registry_lenient(&self, text: &str) -> Answer<(Box<dyn Lanes>, Vec<Problem>)> {
        let (registry, problems) = self.fence.registry_lenient(text)?;
        Ok((Box::new(registry), problems))
    }

    fn inspect(&self, message: &ServedMessage<'_>) -> Answer<Inspected> {
        self.fence.inspect(message)
    }

    fn inspect_all(&self, messages: &[ServedMessage<'_>]) -> Answer<Vec<Inspected>> {
        self.fence.inspect_all(messages)
    }

    fn audit_lines(&self, lines: &str, options: Options<'_>) -> Answer<Audited> {
        self.fence.audit_lines(lines, options)
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

/// The methods that both resources have, by the same names.
macro_rules! dialect_fence {
    ($handle:ty) => {
        impl DialectFence for $handle {
            fn wrap(&mut self, source: &str, content: &str) -> Answer<String> {
                <$handle>::wrap(self, source, content)
            }

            fn defang(&mut self, content: &str) -> Answer<Option<String>> {
                <$handle>::defang(self, content)
            }

            fn restore(&mut self, body: &str) -> Answer<String> {
                <$handle>::restore(self, body)
            }

            fn segments(&mut self, message: &str) -> Answer<Vec<Segment>> {
                <$handle>::segments(self, message)
            }

            fn verify(&mut self, message: &str, mode: Mode) -> Answer<Verdict> {
                <$handle>::verify(self, message, mode)
            }

            fn rules(&mut self, label: Option<&str>) -> Answer<Result<Wording, LabelError>> {
                <$handle>::rules(self, label)
            }
        }
    };
}

dialect_fence!(Nonce);
dialect_fence!(Tags);

impl NonceFence for Nonce {
    fn fence(&mut self, source: &str, content: &str) -> Answer<Result<Fenced, TokenOccurs>> {
        Nonce::fence(self, source, content)
    }
}

impl TagsFence for Tags {
    fn fence(
        &mut self,
        tag: &str,
        body: &str,
        attributes: &[Attribute<'_>],
    ) -> Answer<Result<String, FenceError>> {
        Tags::fence(self, tag, body, attributes)
    }

    fn tool_result(&mut self, tool: &str, body: &str) -> Answer<Result<String, FenceError>> {
        Tags::tool_result(self, tool, body)
    }
}

impl Lanes for Registry {
    fn lanes(&mut self) -> Answer<Vec<Lane>> {
        Registry::lanes(self)
    }

    fn assemble(
        &mut self,
        dialect: Dialect<'_>,
        pushes: &[(&str, &str)],
    ) -> Answer<Result<Prompt, DialectError>> {
        let mut assembler = match self.assembler(dialect)? {
            Ok(assembler) => assembler,
            Err(error) => return Ok(Err(error)),
        };
        let pushed = pushes.iter().map(|(lane, text)| assembler.push(lane, text));
        Ok(Ok(Prompt { pushed: pushed.collect::<Answer<_>>()?, finished: assembler.finish()? }))
    }

    fn converse(
        &mut self,
        dialect: Dialect<'_>,
        steps: &[Say<'_>],
    ) -> Answer<Result<Talk, DialectError>> {
        let mut chat = match self.chat(dialect)? {
            Ok(chat) => chat,
            Err(error) => return Ok(Err(error)),
        };
        let mut pushed = Vec::new();
        for step in steps {
            match *step {
                Say::Message(role) => drop(chat.message(role)?),
                Say::Text(lane, text) => pushed.push(chat.push(lane, text)?),
                Say::Json(lane, value) => pushed.push(chat.push_json(lane, value)?),
            }
        }
        Ok(Ok(Talk { pushed, finished: chat.finish()? }))
    }

    fn messages_coverage(
        &mut self,
        dialect: Dialect<'_>,
        messages: &str,
    ) -> Answer<Result<Result<Coverage, String>, DialectError>> {
        Registry::messages_coverage(self, dialect, messages)
    }

    fn prompt_coverage(
        &mut self,
        dialect: Dialect<'_>,
        prompt: &str,
    ) -> Answer<Result<Coverage, DialectError>> {
        Registry::prompt_coverage(self, dialect, prompt)
    }

    fn receipt_coverage(&mut self, receipts: &str) -> Answer<Result<Coverage, ReceiptError>> {
        Registry::receipt_coverage(self, receipts)
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
