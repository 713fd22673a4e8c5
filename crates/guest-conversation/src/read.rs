//! Interface `read`: pages of the record, as `murmur_fence_record` serves them.

use alloc::string::{String, ToString};
use core::cell::Cell;

use murmur_fence_record::{Insertion, ReadError, Reader, ServedMessage};

use crate::directory::Directory;
use crate::exports::murmur::conversation::read::{Guest, Message, MessagePage};
use crate::murmur::hook::lifecycle::ContextInsertion;

/// The reader of this instance, kept between calls for the sake of its index.
static READER: Kept = Kept(Cell::new(None));

struct Kept(Cell<Option<Reader<Directory>>>);

// SAFETY: an instance of a component runs in one thread.
unsafe impl Sync for Kept {}

impl Guest for crate::Component {
    fn read_messages(cursor: Option<String>, limit: u32) -> Result<MessagePage, String> {
        let granted = || Directory::granted().map(Reader::new);
        let Some(mut reader) = READER.0.take().or_else(granted) else {
            return Err(ReadError::NotGranted.to_string());
        };
        let answer = reader.read_messages(cursor.as_deref(), limit);
        READER.0.set(Some(reader));
        let page = answer.map_err(|error| error.to_string())?;
        Ok(MessagePage {
            messages: page.messages.into_iter().map(message).collect(),
            next_cursor: page.next_cursor,
            total: page.total,
        })
    }
}

fn message(served: ServedMessage) -> Message {
    Message {
        role: served.role,
        content: served.content,
        id: served.id,
        source_id: served.source_id,
        inserted_by: served.inserted_by.map(|insertion| match insertion {
            Insertion::ReplaceContext => ContextInsertion::ReplaceContext,
            Insertion::SeedContext => ContextInsertion::SeedContext,
        }),
    }
}
