//! The lane registry: which lanes exist, whom each is from, and how much each
//! may put into one prompt.

mod problem;
mod read;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "scan")]
pub(crate) use problem::Lines;
pub use problem::{Place, Problem, ProblemKind};

use crate::trust::Trust;

/// One way by which text reaches the model's input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Also the source name that the lane's fence carries.
    pub name: String,
    /// Who wrote the lane's text.
    pub trust: Trust,
    /// How many bytes of content the lane may put into one prompt, all its
    /// pushes together. Counted before neutralising and without the markers.
    pub budget: u32,
    /// For people.
    pub description: Option<String>,
    /// Where `lanes.toml` names the lane; none for a lane added by a program.
    pub place: Option<Place>,
}

impl Lane {
    /// A lane that a program adds.
    pub fn new(name: impl Into<String>, trust: Trust, budget: u32) -> Self {
        Lane { name: name.into(), trust, budget, description: None, place: None }
    }
}

/// The lanes, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registry {
    lanes: Vec<Lane>,
    by_name: BTreeMap<String, usize>,
}

impl Registry {
    /// A registry without lanes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `lanes.toml`: one table a lane, with the keys `trust`, `budget` (in
    /// bytes, see [`Lane::budget`]) and, if wanted, `description`.
    ///
    /// ```
    /// use murmur_fence_lanes::{Registry, Trust};
    /// let text = "[page_context]\ntrust = \"model\"\nbudget = 20000\n";
    /// let registry = Registry::parse(text).unwrap();
    /// assert_eq!(registry.get("page_context").unwrap().trust, Trust::Model);
    ///
    /// let problems = Registry::parse("[page]\ntrust = \"Model\"\nbudget = 1\n").unwrap_err();
    /// assert_eq!((problems[0].place.line, problems[0].place.column), (2, 9));
    /// ```
    ///
    /// # Errors
    ///
    /// Every problem, in the order in which the file has them; never empty.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let (registry, problems) = read::registry(text);
        if problems.is_empty() { Ok(registry) } else { Err(problems) }
    }

    /// Reads what can be read of a registry that is already in use, with its
    /// problems. Default deny: a lane whose trust is missing or not one of the
    /// five words is [`Trust::Unknown`], so untrusted; one whose budget cannot
    /// be used gets 0 bytes. Where a key is there twice, no lane is authoritative. A
    /// file that is not TOML gives no lane at all.
    pub fn parse_lenient(text: &str) -> (Self, Vec<Problem>) {
        read::registry(text)
    }

    /// Adds a lane.
    ///
    /// # Errors
    ///
    /// The name is taken, or no lane name.
    pub fn insert(&mut self, lane: Lane) -> Result<(), LaneNameError> {
        check_name(&lane.name)?;
        if self.by_name.contains_key(&lane.name) {
            return Err(LaneNameError::Taken);
        }
        self.by_name.insert(lane.name.clone(), self.lanes.len());
        self.lanes.push(lane);
        Ok(())
    }

    /// The lane of that very name.
    pub fn get(&self, name: &str) -> Option<&Lane> {
        self.index(name).map(|index| &self.lanes[index])
    }

    /// Where the lane stands in [`lanes`](Self::lanes).
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Every lane, in the order in which they were added.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// The lanes that must be fenced.
    pub fn untrusted(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().filter(|lane| lane.trust.is_untrusted())
    }
}

/// The longest lane name, in bytes.
const MAX_NAME: usize = 64;

/// Whether every dialect carries the name as it is, so that a block read back
/// names its lane byte for byte.
pub(crate) fn check_name(name: &str) -> Result<(), LaneNameError> {
    if name.is_empty() {
        return Err(LaneNameError::Empty);
    }
    if name.len() > MAX_NAME {
        return Err(LaneNameError::TooLong);
    }
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err(LaneNameError::Start);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
    match name.chars().find(|&c| !allowed(c)) {
        Some(c) => Err(LaneNameError::Character(c)),
        None => Ok(()),
    }
}

/// Why a text is no name for a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneNameError {
    /// Nothing stands there.
    Empty,
    /// Another lane has the name.
    Taken,
    /// More than 64 bytes.
    TooLong,
    /// The first character is no ASCII letter or digit.
    Start,
    /// A character that a marker cannot carry unchanged.
    Character(char),
}

impl fmt::Display for LaneNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneNameError::Empty => f.write_str("empty lane name; give the lane a name"),
            LaneNameError::Taken => {
                f.write_str("the lane is there already; keep one table for it or rename one")
            }
            LaneNameError::TooLong => {
                write!(f, "lane name of more than {MAX_NAME} bytes; shorten it")
            }
            LaneNameError::Start => {
                f.write_str("a lane name starts with an ASCII letter or digit; rename the lane")
            }
            LaneNameError::Character(c) => write!(
                f,
                "`{}` in a lane name; use ASCII letters, digits and `_-.:/`",
                c.escape_debug()
            ),
        }
    }
}

impl core::error::Error for LaneNameError {}
