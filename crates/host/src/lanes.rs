//! The lanes of a component: a registry in an instance of its own, and the prompts
//! that are put together over it.
//!
//! The documentation of the types is the WIT's. A lane that is handed in is a
//! [`NewLane`].

use crate::bindings::fence::exports::murmur::fence::lanes::Dialect as Around;
use crate::component::Shared;
use crate::error::CallError;
use crate::fence::{STRING_BYTES, list_len};
use crate::handle::Handle;
use crate::instance::State;
use crate::interfaces::Interfaces;
use crate::nonce::{Settings, SettingsError, settings_len};
use crate::tags::SetError;
use std::fmt;
use std::sync::Arc;
use wasmtime::Store;
use wasmtime::component::ResourceAny;

pub use crate::bindings::fence::exports::murmur::fence::lanes::{
    Assembled, ChatError, Conversed, Coverage, FinishError, LaneCoverage, LaneKey, LaneNameError,
    LaneParam as NewLane, LaneResult as Lane, LaneValue, LargeValue, Message, MisplacedLane,
    NoJson, Place, Problem, ProblemKind, PushError, Receipt, ReceiptError, RefusedLane, TextFlaw,
    Trust, WrongType,
};

/// The fence around untrusted lanes.
#[derive(Clone, Copy, Debug)]
pub enum Dialect<'a> {
    /// The marker dialect, that of the runtime.
    Marker,
    /// The nonce dialect with these markers.
    Nonce(&'a Settings<'a>),
    /// The tags dialect with these reserved names, or with the default ones.
    Tags(Option<&'a [&'a str]>),
}

/// Why there is no such dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialectError {
    /// The settings make no pair of markers.
    Nonce(SettingsError),
    /// The names cannot be reserved.
    Tags(SetError),
}

/// The lanes of an agent.
///
/// It holds an instance from [`Fence::registry`](crate::Fence::registry) until it
/// is dropped. Every method may return any [`CallError`]; after one but
/// [`CallError::InputTooLarge`] the instance is gone and every further call is an
/// error too.
pub struct Registry {
    handle: Handle,
}

impl Registry {
    pub(crate) fn parse(
        shared: &Arc<Shared>,
        text: &str,
    ) -> Result<Result<Self, Vec<Problem>>, CallError> {
        let made = Handle::make(shared, text.len(), |exports, store| {
            exports.lanes(store)?.registry().call_parse(store, text)
        })?;
        Ok(made.map(|handle| Registry { handle }))
    }

    pub(crate) fn parse_lenient(
        shared: &Arc<Shared>,
        text: &str,
    ) -> Result<(Self, Vec<Problem>), CallError> {
        let mut problems = Vec::new();
        let made = Handle::make(shared, text.len(), |exports, store| {
            let registry = exports.lanes(store)?.registry();
            let (registry, found) = registry.call_parse_lenient(store, text)?;
            problems = found;
            Ok(Ok::<_, std::convert::Infallible>(registry))
        })?;
        match made {
            Ok(handle) => Ok((Registry { handle }, problems)),
            Err(never) => match never {},
        }
    }

    pub(crate) fn create(
        shared: &Arc<Shared>,
        lanes: &[NewLane<'_>],
    ) -> Result<Result<Self, RefusedLane>, CallError> {
        let lane_len = |lane: &NewLane<'_>| {
            2 * STRING_BYTES + lane.name.len() + lane.description.map_or(0, str::len)
        };
        let made = Handle::make(shared, lanes.iter().map(lane_len).sum(), |exports, store| {
            exports.lanes(store)?.registry().call_create(store, lanes)
        })?;
        Ok(made.map(|handle| Registry { handle }))
    }

    /// The lanes, in the order in which they were added.
    pub fn lanes(&mut self) -> Result<Vec<Lane>, CallError> {
        self.handle.call(0, |exports, store, registry| {
            exports.lanes(store)?.registry().call_lanes(store, registry)
        })
    }

    /// Starts a prompt over these lanes.
    pub fn assembler(
        &mut self,
        dialect: Dialect<'_>,
    ) -> Result<Result<Assembler<'_>, DialectError>, CallError> {
        let made = self.with_dialect(0, dialect, |exports, store, registry, around| {
            exports.lanes(store)?.assembler().call_constructor(store, registry, around)
        })?;
        Ok(made.map(|assembler| Assembler { assembler, registry: self }))
    }

    /// Starts a list of chat messages over these lanes.
    pub fn chat(
        &mut self,
        dialect: Dialect<'_>,
    ) -> Result<Result<Chat<'_>, DialectError>, CallError> {
        let made = self.with_dialect(0, dialect, |exports, store, registry, around| {
            exports.lanes(store)?.chat().call_constructor(store, registry, around)
        })?;
        Ok(made.map(|chat| Chat { chat, registry: self }))
    }

    /// The coverage that receipts show against these lanes, one JSON object a line.
    pub fn receipt_coverage(
        &mut self,
        receipts: &str,
    ) -> Result<Result<Coverage, ReceiptError>, CallError> {
        self.handle.call(receipts.len(), |exports, store, registry| {
            exports.lanes(store)?.call_receipt_coverage(store, Some(registry), receipts)
        })
    }

    /// The coverage that a prompt shows against these lanes.
    pub fn prompt_coverage(
        &mut self,
        dialect: Dialect<'_>,
        prompt: &str,
    ) -> Result<Result<Coverage, DialectError>, CallError> {
        self.with_dialect(prompt.len(), dialect, |exports, store, registry, around| {
            exports.lanes(store)?.call_prompt_coverage(store, registry, around, prompt)
        })
    }

    /// The coverage that chat messages show against these lanes; given as JSON text.
    /// An error says why the text is no list of messages.
    pub fn messages_coverage(
        &mut self,
        dialect: Dialect<'_>,
        messages: &str,
    ) -> Result<Result<Result<Coverage, String>, DialectError>, CallError> {
        self.with_dialect(messages.len(), dialect, |exports, store, registry, around| {
            let lanes = exports.lanes(store)?;
            lanes.call_messages_coverage(store, registry, around, messages)
        })
    }

    /// Calls an export with the registry and the dialect, which is made for the one
    /// call.
    fn with_dialect<T>(
        &mut self,
        len: usize,
        dialect: Dialect<'_>,
        call: impl FnOnce(&Interfaces, &mut Store<State>, ResourceAny, Around) -> wasmtime::Result<T>,
    ) -> Result<Result<T, DialectError>, CallError> {
        let dialect_len = match dialect {
            Dialect::Marker => 0,
            Dialect::Nonce(settings) => settings_len(settings),
            Dialect::Tags(reserved) => reserved.map_or(0, list_len),
        };
        self.handle.call(len + dialect_len, |exports, store, registry| {
            let (around, made) = match dialect {
                Dialect::Marker => (Around::Marker, None),
                Dialect::Nonce(settings) => {
                    let nonce = exports.nonce(store)?.nonce();
                    match nonce.call_create(&mut *store, settings.clone())? {
                        Ok(nonce) => (Around::Nonce(nonce), Some(nonce)),
                        Err(error) => return Ok(Err(DialectError::Nonce(error))),
                    }
                }
                Dialect::Tags(reserved) => {
                    let tags = exports.tags(store)?.tags();
                    match tags.call_create(&mut *store, reserved)? {
                        Ok(tags) => (Around::Tags(tags), Some(tags)),
                        Err(error) => return Ok(Err(DialectError::Tags(error))),
                    }
                }
            };
            let answer = call(exports, &mut *store, registry, around)?;
            if let Some(made) = made {
                made.resource_drop(store)?;
            }
            Ok(Ok(answer))
        })
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

/// Puts one prompt together, push by push, in the instance of its registry.
pub struct Assembler<'r> {
    assembler: ResourceAny,
    registry: &'r mut Registry,
}

impl Assembler<'_> {
    /// Appends the text of a lane; answers what was put in.
    pub fn push(
        &mut self,
        lane: &str,
        text: &str,
    ) -> Result<Result<Receipt, PushError>, CallError> {
        let assembler = self.assembler;
        self.registry.handle.call(lane.len() + text.len(), |exports, store, _| {
            exports.lanes(store)?.assembler().call_push(store, assembler, lane, text)
        })
    }

    /// The text, with its receipts and the rule for the model.
    pub fn finish(&mut self) -> Result<Result<Assembled, FinishError>, CallError> {
        let assembler = self.assembler;
        self.registry.handle.call(0, |exports, store, _| {
            exports.lanes(store)?.assembler().call_finish(store, assembler)
        })
    }
}

impl Drop for Assembler<'_> {
    fn drop(&mut self) {
        let assembler = self.assembler;
        // As with any handle: a trap shows in the instance.
        let _ = self.registry.handle.call(0, |_, store, _| assembler.resource_drop(store));
    }
}

impl fmt::Debug for Assembler<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assembler").finish_non_exhaustive()
    }
}

/// Puts a list of chat messages together, in the instance of its registry.
pub struct Chat<'r> {
    chat: ResourceAny,
    registry: &'r mut Registry,
}

impl Chat<'_> {
    /// Starts the next message; false where the messages are finished already.
    pub fn message(&mut self, role: &str) -> Result<bool, CallError> {
        let chat = self.chat;
        self.registry.handle.call(role.len(), |exports, store, _| {
            exports.lanes(store)?.chat().call_message(store, chat, role)
        })
    }

    /// Appends the text of a lane to the message that was started last.
    pub fn push(
        &mut self,
        lane: &str,
        text: &str,
    ) -> Result<Result<Receipt, ChatError>, CallError> {
        let chat = self.chat;
        self.registry.handle.call(lane.len() + text.len(), |exports, store, _| {
            exports.lanes(store)?.chat().call_push(store, chat, lane, text)
        })
    }

    /// Appends a value, given as JSON text, to the message that was started last.
    pub fn push_json(
        &mut self,
        lane: &str,
        value: &str,
    ) -> Result<Result<Receipt, ChatError>, CallError> {
        let chat = self.chat;
        self.registry.handle.call(lane.len() + value.len(), |exports, store, _| {
            exports.lanes(store)?.chat().call_push_json(store, chat, lane, value)
        })
    }

    /// The messages, with their receipts and the rule for the model.
    pub fn finish(&mut self) -> Result<Result<Conversed, FinishError>, CallError> {
        let chat = self.chat;
        self.registry
            .handle
            .call(0, |exports, store, _| exports.lanes(store)?.chat().call_finish(store, chat))
    }
}

impl Drop for Chat<'_> {
    fn drop(&mut self) {
        let chat = self.chat;
        // As with any handle: a trap shows in the instance.
        let _ = self.registry.handle.call(0, |_, store, _| chat.resource_drop(store));
    }
}

impl fmt::Debug for Chat<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chat").finish_non_exhaustive()
    }
}
