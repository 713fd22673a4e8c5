//! What both assemblers share: admitting a lane, its budget, and reading a block
//! back.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use murmur_fence::{Block, Dialect, Mode, Verdict};

use crate::budget::cut;
use crate::receipt::Receipt;
use crate::registry::{Lane, Registry};

/// The registry and the dialect of one prompt, with what each lane has spent.
pub(crate) struct Ledger<'a> {
    registry: &'a Registry,
    pub(crate) dialect: &'a dyn Dialect,
    /// Bytes of content a lane has put in, by its index in the registry.
    spent: Vec<u32>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(registry: &'a Registry, dialect: &'a dyn Dialect) -> Self {
        Ledger { registry, dialect, spent: alloc::vec![0; registry.lanes().len()] }
    }

    /// The lane of a push. There is no way to text around this.
    pub(crate) fn lane(&self, name: &str) -> Result<&'a Lane, PushError> {
        self.registry.get(name).ok_or_else(|| PushError::UnknownLane { lane: name.to_owned() })
    }

    /// How many bytes of content the lane may still put in.
    pub(crate) fn room(&self, lane: &Lane) -> u32 {
        let spent = self.registry.index(&lane.name).map_or(lane.budget, |index| self.spent[index]);
        lane.budget.saturating_sub(spent)
    }

    /// What the lane's budget leaves of the content, which counts as spent.
    pub(crate) fn spend<'c>(&mut self, lane: &Lane, content: &'c str) -> &'c str {
        let kept = cut(content, self.room(lane));
        if let Some(index) = self.registry.index(&lane.name) {
            let bytes = u32::try_from(kept.len()).unwrap_or(u32::MAX);
            self.spent[index] = self.spent[index].saturating_add(bytes);
        }
        kept
    }

    /// The receipt of a push; `fenced` is what the caller read back.
    pub(crate) fn receipt(lane: &Lane, content: &str, kept: &str, fenced: bool) -> Receipt {
        Receipt {
            lane: lane.name.clone(),
            trust: lane.trust,
            budget: lane.budget,
            bytes: kept.len(),
            cut: content.len() - kept.len(),
            declared: lane.trust.is_untrusted(),
            fenced,
        }
    }

    /// Whether `text` is one intact block of the lane around the content, and
    /// nothing else.
    pub(crate) fn reads_as_block(&self, text: &str, lane: &str, content: &str) -> bool {
        match self.dialect.verify(text, Mode::Strict) {
            Verdict::Intact(outline) => match &outline.blocks[..] {
                [block] => {
                    block.span() == (0..text.len())
                        && self.names(block, lane)
                        && text.get(block.body.clone()) == Some(&*self.dialect.defang(content))
                }
                _ => false,
            },
            Verdict::Unfenced | Verdict::Broken(_) => false,
        }
    }

    /// Whether the block carries the lane's own name.
    pub(crate) fn names(&self, block: &Block<'_>, lane: &str) -> bool {
        block.source == self.dialect.sanitise_source(lane)
    }

    pub(crate) fn rules(&self) -> String {
        self.dialect.rules().text().to_string()
    }
}

impl fmt::Debug for Ledger<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("registry", self.registry)
            .field("dialect", &self.dialect.name())
            .field("spent", &self.spent)
            .finish()
    }
}

/// Why a push put nothing in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushError {
    /// The registry has no such lane.
    UnknownLane {
        /// The name that was pushed.
        lane: String,
    },
    /// The message's role speaks with authority, and the lane must not.
    AuthoritativeRole {
        /// The untrusted lane.
        lane: String,
        /// The message's role.
        role: String,
    },
    /// A value of an authoritative lane is larger than what is left of the
    /// lane's budget; a value cannot be cut.
    ValueOverBudget {
        /// The lane.
        lane: String,
        /// The value's size as JSON text, in bytes.
        bytes: usize,
        /// What the budget leaves, in bytes.
        room: u32,
    },
    /// What was pushed as JSON text is none.
    NotJson {
        /// The lane.
        lane: String,
        /// Why not, in the parser's words.
        why: String,
    },
    /// A key in a value of an authoritative lane spells a marker; rewriting it
    /// would change the value's shape.
    MarkerInKey {
        /// The lane.
        lane: String,
        /// The key.
        key: String,
    },
}

impl fmt::Display for PushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PushError::UnknownLane { lane } => write!(
                f,
                "lane `{}` is not in the registry; add it with its trust and budget",
                lane.escape_debug()
            ),
            PushError::AuthoritativeRole { lane, role } => write!(
                f,
                "untrusted lane `{lane}` in a message of role `{}`; push it into a `user` or \
                 `tool` message",
                role.escape_debug(),
            ),
            PushError::ValueOverBudget { lane, bytes, room } => write!(
                f,
                "a value of {bytes} bytes for lane `{lane}`, whose budget leaves {room}; push a \
                 smaller value or raise the budget",
            ),
            PushError::NotJson { lane, why } => {
                write!(f, "the value for lane `{}` is no JSON: {why}", lane.escape_debug())
            }
            PushError::MarkerInKey { lane, key } => write!(
                f,
                "lane `{lane}`: the key `{}` of the value spells a marker; rename the key",
                key.escape_debug(),
            ),
        }
    }
}

impl core::error::Error for PushError {}

/// The text is withheld: the dialect did not fence what had to be fenced. The
/// receipts say which pushes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfenced {
    /// One for each push, in their order.
    pub receipts: Vec<Receipt>,
}

impl Unfenced {
    /// The receipts, unless one of them is broken.
    pub(crate) fn check(receipts: Vec<Receipt>) -> Result<Vec<Receipt>, Unfenced> {
        if receipts.iter().any(Receipt::is_broken) {
            return Err(Unfenced { receipts });
        }
        Ok(receipts)
    }
}

impl fmt::Display for Unfenced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lanes: Vec<&str> = Vec::new();
        for receipt in self.receipts.iter().filter(|receipt| receipt.is_broken()) {
            if !lanes.contains(&&*receipt.lane) {
                lanes.push(&receipt.lane);
            }
        }
        write!(
            f,
            "the text is withheld: no intact block around {}; the dialect does not hold",
            lanes.join(", ")
        )
    }
}

impl core::error::Error for Unfenced {}
