//! A conversation record, read page by page through the component, with what the
//! markers of each message show.

use crate::checks::to_inspect;
use crate::native::Native;
use crate::report::Finding;
use crate::show::{excerpt, visible};
use crate::subject::{Inspected, Subject};
use crate::values;
use murmur_fence_host::{
    CallError, Component, InspectError, LoadError, Message, Piece, PieceOutline, Standing,
};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// How many characters of a message's text are shown.
const EXCERPT: usize = 56;

/// Why a record cannot be walked to its end.
#[derive(Debug)]
pub enum RecordError {
    /// The component or the directory cannot be used.
    Load(LoadError),
    /// A call ended without an answer.
    Call(CallError),
    /// The component refuses a page, for the reason that it gives.
    Refused(String),
    /// The component inspects a message otherwise than the native crate does.
    Differs {
        /// The message's position in the record, from 1.
        message: u32,
        /// What the native crate sees, and what the component does.
        finding: Box<Finding>,
    },
    /// The output cannot be written.
    Output(io::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Load(error) => error.fmt(f),
            RecordError::Call(error) => error.fmt(f),
            RecordError::Refused(reason) => {
                write!(f, "the component refuses the page: {}", visible(reason))
            }
            RecordError::Differs { message, finding } => write!(
                f,
                "the component inspects message {message} otherwise than the native crate\n{finding}"
            ),
            RecordError::Output(error) => write!(f, "failed to write: {error}"),
        }
    }
}

impl std::error::Error for RecordError {}

impl From<CallError> for RecordError {
    fn from(error: CallError) -> Self {
        RecordError::Call(error)
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        RecordError::Output(error)
    }
}

/// What the messages of a record come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Messages served.
    pub messages: u32,
    /// Messages with whole blocks and no flaw.
    pub intact: u32,
    /// Messages with a flaw.
    pub broken: u32,
    /// Messages whose markers are no fence of the runtime's.
    pub mentions: u32,
    /// Messages without any live marker.
    pub unfenced: u32,
    /// Messages that could not be inspected.
    pub uninspected: u32,
    /// Blocks and, of those, the ones in pieces without a flaw, by source.
    pub sources: BTreeMap<String, (u32, u32)>,
}

impl Summary {
    /// Whether every message could be inspected and nothing is broken.
    pub fn is_clean(&self) -> bool {
        self.broken == 0 && self.uninspected == 0
    }
}

/// Walks the record in a directory from its newest message to its oldest, `limit`
/// messages a page, and writes a line for each message.
///
/// What the markers mean is the component's own statement, held against the
/// native crate's.
///
/// # Errors
///
/// [`RecordError`]; what the record holds is no error.
pub fn walk(
    component: &Component,
    directory: &Path,
    limit: u32,
    out: &mut dyn Write,
) -> Result<Summary, RecordError> {
    let fence = component.fence();
    let conversation = component.conversation(Some(directory)).map_err(RecordError::Load)?;
    let mut summary = Summary::default();
    let mut cursor: Option<String> = None;
    let mut position = None;
    for number in 1.. {
        let page = conversation.read_messages(cursor.as_deref(), limit)?;
        let page = page.map_err(RecordError::Refused)?;
        writeln!(
            out,
            "page {number}: cursor {}, {} of {} messages",
            cursor.as_deref().map_or("none".into(), visible),
            page.messages.len(),
            page.total
        )?;
        for message in &page.messages {
            let at = position.unwrap_or(page.total);
            let inspected = fence.inspect(&to_inspect(message))?;
            compare(at, message, &inspected)?;
            line(out, at, message, &inspected)?;
            summary.add(&inspected);
            position = Some(at.saturating_sub(1));
        }
        match page.next_cursor {
            Some(next) if !page.messages.is_empty() => cursor = Some(next),
            _ => break,
        }
    }
    write!(out, "{summary}")?;
    Ok(summary)
}

fn compare(at: u32, message: &Message, inspected: &Inspected) -> Result<(), RecordError> {
    let native = Native.inspect(&to_inspect(message))?;
    let (expected, seen) = (values::inspected(&native), values::inspected(inspected));
    let title = "inspect (expected: native, seen: component)";
    match Finding::of_values(title, &expected, &seen) {
        Some(finding) => Err(RecordError::Differs { message: at, finding: Box::new(finding) }),
        None => Ok(()),
    }
}

/// One line for a message, and one for each flaw in it.
fn line(out: &mut dyn Write, at: u32, message: &Message, inspected: &Inspected) -> io::Result<()> {
    let role = excerpt(&message.role, 10);
    let id = message.id.as_deref().map_or("-".into(), shortened);
    write!(out, "{at:>5}  {role:<10}  {id:<13}  {:<9}  ", verdict(inspected))?;
    let pieces = match inspected {
        Ok(pieces) => pieces,
        Err(InspectError::NotJson(fault)) => {
            return writeln!(
                out,
                "not JSON at line {} column {}: {}",
                fault.line,
                fault.column,
                visible(&fault.reason)
            );
        }
        Err(InspectError::TooLarge) => return writeln!(out, "too many texts to list"),
    };
    let text = pieces.first().map_or("", spoken);
    writeln!(out, "{:<30}  {}", marks(pieces).join(", "), excerpt(text, EXCERPT))?;
    for piece in pieces {
        if let Standing::Broken(flaws) = &piece.standing {
            for flaw in flaws {
                writeln!(
                    out,
                    "       flaw: {} at byte {} of {} (byte {} of the served content)",
                    values::flaw_kind(flaw.kind),
                    flaw.at.decoded,
                    visible(&piece.pointer),
                    flaw.at.served
                )?;
            }
        }
    }
    Ok(())
}

/// What the markers of a message come to: the sources of its blocks, and how many
/// notes, flaws and mentioned markers.
fn marks(pieces: &[Piece]) -> Vec<String> {
    let mut marks = sources(pieces);
    let (mut notes, mut flaws, mut mentions) = (0, 0, 0);
    for piece in pieces {
        match &piece.standing {
            Standing::Unfenced => {}
            Standing::Intact(outline) => notes += outline.notes.len(),
            Standing::Broken(found) => flaws += found.len(),
            Standing::Mention(markers) => mentions += markers.len(),
        }
    }
    marks.extend((notes > 0).then(|| counted(notes, "note")));
    marks.extend((flaws > 0).then(|| counted(flaws, "flaw")));
    marks.extend((mentions > 0).then(|| format!("mentions {}", counted(mentions, "marker"))));
    marks
}

/// The text of a piece, from the body on where it begins with a block: the source
/// has been told.
fn spoken(piece: &Piece) -> &str {
    let first = match &piece.standing {
        Standing::Intact(outline) => outline.blocks.first(),
        _ => None,
    };
    let body = first.filter(|block| block.start.decoded == 0).map(|block| block.body.start);
    let body = body.unwrap_or_default() as usize;
    piece.text.get(body..).unwrap_or(&piece.text)
}

/// Enough of an id to find it by: ids begin with the time and end at random.
fn shortened(id: &str) -> String {
    let characters: Vec<char> = id.chars().collect();
    match characters.len() {
        0..=13 => visible(id),
        length => {
            let head: String = characters[..6].iter().collect();
            let tail: String = characters[length - 6..].iter().collect();
            format!("{}…{}", visible(&head), visible(&tail))
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// The worst that a piece of the message says.
fn verdict(inspected: &Inspected) -> &'static str {
    let Ok(pieces) = inspected else { return "unread" };
    let rank = |standing: &Standing| match standing {
        Standing::Unfenced => 0,
        Standing::Mention(_) => 1,
        Standing::Intact(_) => 2,
        Standing::Broken(_) => 3,
    };
    let worst = pieces.iter().map(|piece| &piece.standing).max_by_key(|standing| rank(standing));
    worst.map_or("unfenced", values::standing_name)
}

fn outlines(pieces: &[Piece]) -> impl Iterator<Item = &PieceOutline> {
    pieces.iter().filter_map(|piece| match &piece.standing {
        Standing::Intact(outline) => Some(outline),
        _ => None,
    })
}

/// The sources of the blocks in a message, each once, in order.
fn sources(pieces: &[Piece]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for block in outlines(pieces).flat_map(|outline| &outline.blocks) {
        let name = visible(&block.source);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Summary {
    fn add(&mut self, inspected: &Inspected) {
        self.messages += 1;
        match verdict(inspected) {
            "intact" => self.intact += 1,
            "broken" => self.broken += 1,
            "mention" => self.mentions += 1,
            "unfenced" => self.unfenced += 1,
            _ => self.uninspected += 1,
        }
        for piece in inspected.iter().flatten() {
            match &piece.standing {
                Standing::Intact(outline) => {
                    for block in &outline.blocks {
                        let (blocks, intact) =
                            self.sources.entry(block.source.clone()).or_default();
                        *blocks += 1;
                        *intact += 1;
                    }
                }
                Standing::Broken(_) => {
                    for segment in murmur_fence::segments(&piece.text) {
                        if let murmur_fence::Segment::Block(block) = segment {
                            self.sources.entry(block.source.to_string()).or_default().0 += 1;
                        }
                    }
                }
                Standing::Unfenced | Standing::Mention(_) => {}
            }
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} messages: {} intact, {} broken, {} with mentions only, {} unfenced",
            self.messages, self.intact, self.broken, self.mentions, self.unfenced
        )?;
        if self.uninspected > 0 {
            writeln!(f, "{} messages could not be inspected", self.uninspected)?;
        }
        if self.sources.is_empty() {
            return Ok(());
        }
        writeln!(f, "{:<30}  {:>6}  {:>6}", "source", "blocks", "intact")?;
        for (source, (blocks, intact)) in &self.sources {
            writeln!(f, "{:<30}  {blocks:>6}  {intact:>6}", visible(source))?;
        }
        Ok(())
    }
}
