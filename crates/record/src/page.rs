//! `read-messages`: a record page by page, newest message first.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str;

use crate::index::{Entry, Fault, Index, IndexError};
use crate::json::SizeError;
use crate::line::Line;
use crate::lines::MAX_LINE;
use crate::served::ServedMessage;
use crate::storage::Storage;

/// The most messages that one page holds.
pub const MAX_MESSAGES: u32 = 100;

/// The most bytes that the messages of one page hold together.
pub const MAX_PAGE: usize = 2 * MAX_LINE;

/// What a cursor begins with; the number of messages that are older than the page
/// before it follows in decimal.
const CURSOR: &str = "mc_";

/// One page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessagePage {
    /// Newest first.
    pub messages: Vec<ServedMessage>,
    /// The cursor of the next older page; none when there is none.
    pub next_cursor: Option<String>,
    /// How many messages the whole record holds now.
    pub total: u32,
}

/// Why a page is refused. Prints exactly as the runtime spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The caller was not given the conversation to read.
    NotGranted,
    /// The cursor is none that a page of this record has answered, or the record
    /// has become shorter since.
    InvalidCursor,
    /// The record cannot be read, for the reason given.
    Unavailable(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotGranted => f.write_str("not-granted"),
            ReadError::InvalidCursor => f.write_str("invalid-cursor"),
            ReadError::Unavailable(reason) => write!(f, "unavailable: {reason}"),
        }
    }
}

impl core::error::Error for ReadError {}

impl<E: fmt::Display> From<IndexError<E>> for ReadError {
    fn from(error: IndexError<E>) -> Self {
        ReadError::Unavailable(match error {
            IndexError::Storage(error) => error.to_string(),
            IndexError::Fault(fault) => fault.to_string(),
            IndexError::Changed => "the record changed while it was read".to_string(),
        })
    }
}

/// Reads pages of one record and remembers where its messages lie.
#[derive(Debug)]
pub struct Reader<S> {
    storage: S,
    index: Index,
    /// The most bytes of a page: `MAX_PAGE` outside the tests.
    room: usize,
}

impl<S: Storage> Reader<S> {
    /// A reader of the record in `storage`. Nothing is read yet.
    pub fn new(storage: S) -> Self {
        Reader { storage, index: Index::default(), room: MAX_PAGE }
    }

    /// Reads the page that ends before `cursor`; without one, the newest. `limit`
    /// is clamped to 1 up to [`MAX_MESSAGES`]. Without a record the answer is an
    /// empty page, whatever the cursor.
    ///
    /// # Errors
    ///
    /// [`ReadError::Unavailable`] when the record cannot be read, whatever the
    /// cursor; else [`ReadError::InvalidCursor`] when it is not `mc_` and a number
    /// up to the number of messages.
    pub fn read_messages(
        &mut self,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<MessagePage, ReadError> {
        match self.read_once(cursor, limit) {
            // A write to the middle of the record, or one that was under way, is
            // over by now or never will be.
            Err(PageError::Index(IndexError::Changed)) => {
                self.index.clear();
                self.read_once(cursor, limit)
            }
            answer => answer,
        }
        .map_err(|error| match error {
            PageError::Index(error) => error.into(),
            PageError::InvalidCursor => ReadError::InvalidCursor,
            PageError::Full(line) => ReadError::Unavailable(format!(
                "the message in line {line} makes the page longer than {} bytes; \
                 ask for fewer messages at once",
                self.room
            )),
        })
    }

    fn read_once(
        &mut self,
        cursor: Option<&str>,
        limit: u32,
    ) -> Result<MessagePage, PageError<S::Error>> {
        let Some(stat) = self.storage.stat().map_err(IndexError::Storage)? else {
            self.index.clear();
            return Ok(MessagePage::default());
        };
        self.index.refresh(&mut self.storage, stat)?;
        let messages = self.index.messages();
        let end = match cursor {
            None => messages.len(),
            Some(cursor) => position(cursor, messages.len()).ok_or(PageError::InvalidCursor)?,
        };
        let start = end.saturating_sub(limit.clamp(1, MAX_MESSAGES) as usize);
        let mut page = MessagePage {
            messages: Vec::with_capacity(end - start),
            next_cursor: (start > 0).then(|| format!("{CURSOR}{start}")),
            // More messages than that would not fit the index.
            total: u32::try_from(messages.len()).unwrap_or(u32::MAX),
        };
        let mut buffer = Vec::new();
        let mut room = self.room;
        for entry in messages[start..end].iter().rev() {
            let message = serve(&mut self.storage, *entry, &mut buffer, room)?;
            room -= message.size();
            page.messages.push(message);
        }
        Ok(page)
    }
}

/// Why one attempt at a page failed.
#[derive(Debug)]
enum PageError<E> {
    Index(IndexError<E>),
    InvalidCursor,
    /// With the number of the line whose message does not fit any more.
    Full(u64),
}

impl<E> From<IndexError<E>> for PageError<E> {
    fn from(error: IndexError<E>) -> Self {
        PageError::Index(error)
    }
}

/// The position that a cursor names. A plus sign and leading zeros pass, as in the
/// runtime; a number that this machine's `usize` does not hold is beyond any record.
fn position(cursor: &str, messages: usize) -> Option<usize> {
    let position: usize = cursor.strip_prefix(CURSOR)?.parse().ok()?;
    (position <= messages).then_some(position)
}

/// Reads one message at its place and lowers it into at most `room` bytes.
fn serve<S: Storage>(
    storage: &mut S,
    entry: Entry,
    buffer: &mut Vec<u8>,
    room: usize,
) -> Result<ServedMessage, PageError<S::Error>> {
    let length = entry.length as usize;
    let out_of_memory = || IndexError::Fault(Fault::OutOfMemory(entry.line, length));
    buffer.clear();
    buffer.try_reserve_exact(length).map_err(|_| out_of_memory())?;
    buffer.resize(length, 0);
    let mut filled = 0;
    while filled < length {
        let offset = entry.start + filled as u64;
        match storage.read_at(offset, &mut buffer[filled..]).map_err(IndexError::Storage)? {
            0 => return Err(IndexError::Changed.into()),
            read => filled += read,
        }
    }
    let text = str::from_utf8(buffer).map_err(|_| IndexError::Changed)?;
    match Line::parse(text) {
        Ok(Line::Message(message)) => match ServedMessage::lower(&message, room) {
            Ok(served) => Ok(served),
            Err(SizeError::TooLong) => Err(PageError::Full(entry.line)),
            Err(SizeError::OutOfMemory) => Err(out_of_memory().into()),
        },
        Ok(Line::Blank | Line::Skipped(_)) => Err(IndexError::Changed.into()),
        Err(_) => Err(out_of_memory().into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::storage::Stat;

    use super::*;

    /// A record of two messages of 13 bytes each as served.
    const RECORD: &[u8] =
        b"{\"role\":\"user\",\"content\":[1,2],\"id\":\"abcd\",\"source_id\":\"\"}
{\"role\":\"user\",\"content\":[1,2],\"id\":\"\",\"source_id\":\"abcd\"}
";

    /// The record up to a length.
    struct Growing(usize);

    impl Storage for Growing {
        type Error = core::convert::Infallible;

        fn stat(&mut self) -> Result<Option<Stat>, Self::Error> {
            Ok(Some(Stat { length: self.0 as u64, identity: (0, 0), modified: None }))
        }

        fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize, Self::Error> {
            let rest = &RECORD[offset as usize..self.0];
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            Ok(length)
        }
    }

    /// The refusal of a page that the message in a line makes too long.
    fn too_long(line: u64, room: usize) -> ReadError {
        ReadError::Unavailable(format!(
            "the message in line {line} makes the page longer than {room} bytes; \
             ask for fewer messages at once"
        ))
    }

    #[test]
    fn a_page_that_would_be_too_long_is_refused_and_a_smaller_one_is_not() {
        let read = |room: usize, limit: u32| {
            let mut reader = Reader { room, ..Reader::new(Growing(RECORD.len())) };
            reader.read_messages(None, limit).map(|page| page.messages.len())
        };
        // The role has 4 bytes, the content 5, the ids 4 together.
        assert_eq!((read(26, 2), read(13, 1)), (Ok(2), Ok(1)));
        assert_eq!(read(25, 2), Err(too_long(1, 25)));
        assert_eq!(read(12, 1), Err(too_long(2, 12)));
        assert_eq!(read(4, 1), Err(too_long(2, 4)));
    }

    #[test]
    fn lines_are_counted_on_when_the_record_grows() {
        let first = RECORD.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let mut reader = Reader::new(Growing(first));
        assert_eq!(reader.read_messages(None, 1).unwrap().total, 1);
        reader.storage = Growing(RECORD.len());
        reader.room = 12;
        assert_eq!(reader.read_messages(None, 1), Err(too_long(2, 12)));
    }
}
