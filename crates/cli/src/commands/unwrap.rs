//! `unwrap`: the body of one block, byte for byte.

use std::fmt;
use std::io::{self, Write};
use std::num::NonZeroUsize;

use murmur_fence_record::Standing;
use murmur_fence_record::audit::AuditedMessage;

use crate::Outcome;
use crate::commands::strip::each_message;
use crate::failure::Failure;
use crate::input::Input;

/// Why there is no body to print.
#[derive(Debug, PartialEq, Eq)]
enum NoBody {
    None,
    Broken,
    Several(usize),
    Fewer(usize),
}

impl fmt::Display for NoBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBody::None => f.write_str("there is no block"),
            NoBody::Broken => {
                f.write_str("there is no whole block, and a fence is broken; `verify` says where")
            }
            NoBody::Several(count) => {
                write!(f, "there are {count} blocks; name one with --index, from 1")
            }
            NoBody::Fewer(count) => write!(f, "there are only {count} blocks"),
        }
    }
}

/// The blocks that went by.
#[derive(Default)]
struct Blocks {
    count: usize,
    broken: bool,
    /// The body of the block that is wanted: the first where none was named.
    body: Option<String>,
}

impl Blocks {
    fn add(&mut self, message: &AuditedMessage, wanted: usize) {
        for piece in message.pieces.iter().filter(|piece| piece.spoken) {
            match &piece.standing {
                Standing::Intact(outline) => {
                    for block in &outline.blocks {
                        self.count += 1;
                        if self.count == wanted {
                            self.body = Some(piece.text[block.body.clone()].to_owned());
                        }
                    }
                }
                Standing::Broken(_) => self.broken = true,
                Standing::Unfenced | Standing::Mention(_) => {}
            }
        }
    }

    fn body(self, index: Option<NonZeroUsize>) -> Result<String, NoBody> {
        match (self.count, index) {
            (0, _) if self.broken => Err(NoBody::Broken),
            (0, _) => Err(NoBody::None),
            (2.., None) => Err(NoBody::Several(self.count)),
            _ => self.body.ok_or(NoBody::Fewer(self.count)),
        }
    }
}

pub fn run(index: Option<NonZeroUsize>, file: &Input) -> Result<Outcome, Failure> {
    let wanted = index.map_or(1, NonZeroUsize::get);
    let mut blocks = Blocks::default();
    let outcome = each_message(file, |message| {
        blocks.add(message, wanted);
        Ok(())
    })?;
    let body = blocks.body(index).map_err(|error| Failure::at("unwrap", file, error))?;
    let mut out = io::stdout().lock();
    out.write_all(body.as_bytes()).and_then(|()| out.flush()).map_err(Failure::output)?;
    Ok(outcome)
}
