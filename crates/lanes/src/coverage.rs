//! Coverage: how many of the lanes that must be fenced are.
//!
//! What is declared and what is enforced are two numbers. The first comes from
//! the registry, or from receipts where there is none. The second comes from
//! receipts whose `fenced` was read back, or from the markers of a prompt.

mod messages;

pub use messages::MessagesError;

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use murmur_fence::{Dialect, Flaw, Mode, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::finding::{Finding, Rule};
use crate::registry::Registry;
use crate::trust::Trust;

/// Declared against enforced, lane by lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// In the registry's order; where no registry is given, as they came.
    pub lanes: Vec<LaneCoverage>,
    /// Lanes that were seen though the registry does not have them.
    pub unregistered: BTreeSet<String>,
    /// Why no block of a text counts, where its markers are broken.
    pub flaws: Vec<FlawAt>,
}

/// A flaw in the markers of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlawAt {
    /// The JSON pointer of the text among the messages; none where the prompt is one
    /// text.
    pub piece: Option<String>,
    /// The flaw. Its offset is in bytes of the text.
    pub flaw: Flaw,
}

/// One lane's part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaneCoverage {
    /// The lane.
    pub lane: String,
    /// Its trust in words; `unknown` where neither registry nor receipt spells a
    /// class.
    pub trust: &'static str,
    /// Whether the lane must be fenced.
    pub declared: bool,
    /// How many pushes or blocks were seen.
    pub seen: usize,
    /// How many of them are fenced.
    pub fenced: usize,
}

impl LaneCoverage {
    /// Whether the lane was seen and everything seen of it is fenced. A lane of
    /// which nothing was seen has shown nothing.
    pub fn is_enforced(&self) -> bool {
        self.seen > 0 && self.fenced == self.seen
    }
}

impl Coverage {
    /// How many lanes must be fenced.
    pub fn declared(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.declared).count()
    }

    /// How many of the lanes that must be fenced are.
    pub fn enforced(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.declared && lane.is_enforced()).count()
    }

    /// The lanes that must be fenced and are not.
    pub fn uncovered(&self) -> impl Iterator<Item = &LaneCoverage> {
        self.lanes.iter().filter(|lane| lane.declared && !lane.is_enforced())
    }

    /// Whether every lane that must be fenced is, every lane that was seen is
    /// registered, and the markers are whole.
    pub fn is_clean(&self) -> bool {
        self.uncovered().next().is_none() && self.unregistered.is_empty() && self.flaws.is_empty()
    }

    /// What is not as it has to be. `path` is that of the receipts or the prompt.
    pub fn findings(&self, path: &str) -> Vec<Finding> {
        let finding = |rule, message| Finding { rule, message, path: path.to_owned(), place: None };
        let broken = self.flaws.iter().map(|FlawAt { piece, flaw }| {
            let place = piece.as_ref().map(|piece| format!(" of {}", piece.escape_debug()));
            let place = place.unwrap_or_default();
            let message = format!("{} at byte {}{place}; no block counts", flaw.kind, flaw.offset);
            finding(Rule::MarkersWhole, message)
        });
        let unfenced = self.uncovered().map(|lane| {
            let LaneCoverage { lane, trust, seen, fenced, .. } = lane;
            let shown = match seen {
                0 => "nothing shows it fenced".to_owned(),
                _ => format!("{fenced} of {seen} fenced"),
            };
            finding(Rule::LaneFenced, format!("lane `{lane}`, whose trust is {trust}: {shown}"))
        });
        let unregistered = self.unregistered.iter().map(|lane| {
            let lane = lane.escape_debug();
            let message =
                format!("lane `{lane}` is not in the registry; add it with its trust and budget");
            finding(Rule::LaneRegistered, message)
        });
        broken.chain(unfenced).chain(unregistered).collect()
    }

    /// The coverage for reading: a table with `declared` and `fenced` apart, the
    /// two numbers, and the findings.
    pub fn to_human(&self, path: &str) -> String {
        let width = self.lanes.iter().map(|lane| lane.lane.len()).max().unwrap_or(0).max(4);
        let mut out = format!("{:width$}  trust    declared  fenced\n", "lane");
        for lane in &self.lanes {
            let declared = if lane.declared { "yes" } else { "no" };
            let fenced = match lane.seen {
                0 => "-".to_owned(),
                seen => format!("{} of {seen}", lane.fenced),
            };
            out += &format!("{:width$}  {:7}  {declared:8}  {fenced}\n", lane.lane, lane.trust);
        }
        out += &format!("\n{} declared, {} enforced\n", self.declared(), self.enforced());
        for finding in self.findings(path) {
            out += &format!("{finding}\n");
        }
        out
    }

    /// The coverage as one JSON object.
    pub fn to_json(&self, path: &str) -> Value {
        json!({
            "path": path,
            "declared": self.declared(),
            "enforced": self.enforced(),
            "uncovered": self.uncovered().map(|lane| &*lane.lane).collect::<Vec<_>>(),
            "lanes": self.lanes,
            "unregistered": self.unregistered,
            "findings": self.findings(path).iter().map(Finding::to_json).collect::<Vec<Value>>(),
        })
    }

    /// Reads receipts, one JSON object a line; blank lines are passed over. A
    /// line needs `lane` and `fenced`, and `trust` or `declared` where no
    /// registry is given; other keys are ignored.
    ///
    /// With a registry, its word counts, and every lane that it declares must show
    /// itself fenced. Without one, the lanes are those of the receipts. A receipt whose trust is
    /// no known word, or contradicts its `declared`, declares its lane.
    ///
    /// # Errors
    ///
    /// The first line that is no receipt.
    pub fn of_receipts(registry: Option<&Registry>, text: &str) -> Result<Coverage, ReceiptError> {
        let mut table = Table::new(registry);
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let at = |reason| ReceiptError { line: index + 1, reason };
            let read: Line = serde_json::from_str(line).map_err(|error| at(error.to_string()))?;
            read.check(registry.is_some()).map_err(at)?;
            table.saw(&read.lane, read.fenced == Some(true), || (read.is_declared(), read.class()));
        }
        Ok(table.coverage())
    }

    /// Reads a prompt text. A block counts for the lane of its source name. Where
    /// the markers are broken, no block counts: past a forged marker nothing
    /// says where a block ends.
    ///
    /// Text of a lane outside every block shows nowhere, so a lane without a
    /// block is uncovered. Give every lane some text to try them all.
    pub fn of_prompt(registry: &Registry, dialect: &dyn Dialect, prompt: &str) -> Coverage {
        let mut table = Table::new(Some(registry));
        table.read(dialect, None, prompt);
        table.coverage()
    }

    /// Reads chat messages as they were sent, as JSON: a list of objects with `role`
    /// and `content`, or the object that has such a list as `messages`. Content is a
    /// text, or whatever has texts in it: pieces, results of tools.
    ///
    /// Each text in it is read by itself as [`of_prompt`](Self::of_prompt) reads a
    /// prompt. Only a `user` or a `tool` message, to the letter, carries blocks: in
    /// any other a marker is a mention, as in a rule that quotes it.
    ///
    /// # Errors
    ///
    /// The text is no such list.
    pub fn of_messages(
        registry: &Registry,
        dialect: &dyn Dialect,
        text: &str,
    ) -> Result<Coverage, MessagesError> {
        let mut table = Table::new(Some(registry));
        messages::texts(text, |pointer, text| table.read(dialect, Some(pointer), text))?;
        Ok(table.coverage())
    }
}

/// The lanes met so far.
struct Table {
    /// Whether a registry says which lanes there are.
    is_closed: bool,
    rows: Vec<LaneCoverage>,
    by_name: BTreeMap<String, usize>,
    unregistered: BTreeSet<String>,
    flaws: Vec<FlawAt>,
}

impl Table {
    fn new(registry: Option<&Registry>) -> Self {
        let mut table = Table {
            is_closed: registry.is_some(),
            rows: Vec::new(),
            by_name: BTreeMap::new(),
            unregistered: BTreeSet::new(),
            flaws: Vec::new(),
        };
        for lane in registry.map_or(&[][..], Registry::lanes) {
            table.add(&lane.name, lane.trust.is_untrusted(), lane.trust);
        }
        table
    }

    fn add(&mut self, lane: &str, declared: bool, trust: Trust) -> usize {
        self.by_name.insert(lane.to_owned(), self.rows.len());
        let (lane, trust) = (lane.to_owned(), trust.as_str());
        self.rows.push(LaneCoverage { lane, trust, declared, seen: 0, fenced: 0 });
        self.rows.len() - 1
    }

    /// Counts one push or block. What it claims of its lane counts only where no
    /// registry does; declared once is declared.
    fn saw(&mut self, lane: &str, fenced: bool, claims: impl Fn() -> (bool, Trust)) {
        let index = match self.by_name.get(lane) {
            Some(&index) => index,
            None if self.is_closed => {
                self.unregistered.insert(lane.to_owned());
                return;
            }
            None => {
                let (declared, trust) = claims();
                self.add(lane, declared, trust)
            }
        };
        let row = &mut self.rows[index];
        row.declared |= !self.is_closed && claims().0;
        row.seen += 1;
        row.fenced += usize::from(fenced);
    }

    /// Counts the blocks of a text, unless its markers are broken.
    fn read(&mut self, dialect: &dyn Dialect, pointer: Option<&str>, text: &str) {
        match dialect.verify(text, Mode::Standard) {
            Verdict::Unfenced => {}
            Verdict::Intact(outline) => {
                for block in &outline.blocks {
                    self.saw(block.source, true, || (true, Trust::Unknown));
                }
            }
            Verdict::Broken(flaws) => {
                let piece = pointer.map(ToOwned::to_owned);
                let at = |flaw| FlawAt { piece: piece.clone(), flaw };
                self.flaws.extend(flaws.into_iter().map(at));
            }
        }
    }

    fn coverage(self) -> Coverage {
        Coverage { lanes: self.rows, unregistered: self.unregistered, flaws: self.flaws }
    }
}

/// What is read of a receipt's line.
#[derive(Deserialize)]
struct Line {
    lane: String,
    #[serde(default)]
    trust: Option<String>,
    #[serde(default)]
    declared: Option<bool>,
    #[serde(default)]
    fenced: Option<bool>,
}

impl Line {
    fn check(&self, has_registry: bool) -> Result<(), String> {
        if self.fenced.is_none() {
            return Err(format!(
                "lane `{}` has no `fenced`: the log says what was declared and not what was done; \
                 log the receipts of the assembler",
                self.lane.escape_debug(),
            ));
        }
        if !has_registry && self.trust.is_none() && self.declared.is_none() {
            return Err(format!(
                "lane `{}` has neither `trust` nor `declared`; name the registry",
                self.lane.escape_debug(),
            ));
        }
        Ok(())
    }

    fn class(&self) -> Trust {
        self.trust.as_deref().map_or(Trust::Unknown, Trust::read)
    }

    /// Default deny: only a receipt that says nothing else is authoritative.
    fn is_declared(&self) -> bool {
        let says_not = self.declared == Some(false) || self.declared.is_none();
        let trusted = match self.trust {
            Some(_) => self.class().is_authoritative(),
            None => self.declared == Some(false),
        };
        !(says_not && trusted)
    }
}

/// A line of the log that is no receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptError {
    /// From 1.
    pub line: usize,
    /// Why, and what to do.
    pub reason: String,
}

impl fmt::Display for ReceiptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl core::error::Error for ReceiptError {}
