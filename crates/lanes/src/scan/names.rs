//! Which calls put a fence into a prompt, which look a lane up, and which take a
//! lane's name.

use core::fmt;
use core::str::FromStr;
use std::string::{String, ToString};
use std::vec::Vec;

use super::code::Call;

/// What the scan looks for. The default covers the usual names; add a project's
/// own.
///
/// Case and underscores do not matter after the first letter: `trustFence` also
/// finds `trust_fence`. `Fence` is another name than `fence`: a type's.
#[derive(Clone, Debug)]
pub struct Names {
    /// Calls whose result is, or carries, a fence for the lane that they take.
    pub fences: Vec<Callee>,
    /// Calls that look up what a lane is. They fence nothing themselves; inside a
    /// fence call they say for which lane.
    pub lookups: Vec<Callee>,
    /// Other calls that take a lane's name.
    pub lanes: Vec<Callee>,
    /// Properties, fields and keyword arguments that hold a lane's name.
    pub keys: Vec<String>,
}

impl Names {
    /// No names at all.
    pub fn none() -> Self {
        Names { fences: Vec::new(), lookups: Vec::new(), lanes: Vec::new(), keys: Vec::new() }
    }
}

/// A call by its name, with the place of the argument that names the lane.
///
/// Written `name`, `receiver.name` or `name:N`. The receiver is what the call is
/// made on, or its class, or the module that the name is brought in from, and
/// only its last words have to fit: `fence.wrap` is also `murmur_fence::wrap`. The
/// argument is the Nth, the first without `:N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee {
    /// What the call is made on; anything if none.
    pub receiver: Option<String>,
    /// The called name.
    pub name: String,
    /// Which argument names the lane, from 0.
    pub argument: usize,
    /// The fewest arguments of such a call. With fewer it is some other call.
    pub least_arguments: usize,
}

impl Callee {
    /// A call of that name on anything, whose first argument names the lane.
    fn named(name: &str) -> Self {
        Callee { receiver: None, name: name.to_string(), argument: 0, least_arguments: 1 }
    }

    /// Whether the call has the name and the arguments. Its receiver is for the
    /// caller to judge.
    pub(crate) fn may_be(&self, call: &Call) -> bool {
        is_spelling_of(&call.name, &self.name) && call.arguments.len() >= self.least_arguments
    }
}

impl FromStr for Callee {
    type Err = CalleeError;

    fn from_str(text: &str) -> Result<Self, CalleeError> {
        let (path, argument) = match text.rsplit_once(':') {
            Some((path, number)) => (path, number.parse().map_err(|_| CalleeError)?),
            None => (text, 1),
        };
        let argument = usize::checked_sub(argument, 1).ok_or(CalleeError)?;
        let (receiver, name) = match path.rsplit_once('.') {
            Some((receiver, name)) => (Some(receiver.to_string()), name),
            None => (None, path),
        };
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        };
        if !is_name(name) || receiver.as_deref().is_some_and(|receiver| !is_name(receiver)) {
            return Err(CalleeError);
        }
        let name = name.to_string();
        Ok(Callee { receiver, name, argument, least_arguments: argument + 1 })
    }
}

/// The text names no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalleeError;

impl fmt::Display for CalleeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no name of a call; write `name`, `receiver.name` or `name:N`, N from 1")
    }
}

impl core::error::Error for CalleeError {}

impl Default for Names {
    fn default() -> Self {
        let named = |names: &[&str]| names.iter().map(|name| Callee::named(name)).collect();
        let mut fences: Vec<Callee> = named(&[
            "fence",
            "fenceFor",
            "fenceLane",
            "fenceUntrusted",
            "laneFence",
            "openMarker",
            "provenanceNote",
            "trustBanner",
            "trustFence",
            "trustLabel",
            "trustLabelFor",
            "untrustedBanner",
            "wrapUntrusted",
        ]);
        let on = |receiver: &str, name, argument, least_arguments| Callee {
            receiver: Some(receiver.to_string()),
            name: String::from(name),
            argument,
            least_arguments,
        };
        // By these names alone, they are calls of many other things.
        fences.extend([
            on("fence", "wrap", 0, 2),
            on("fence", "wrapInto", 1, 3),
            on("assembler", "push", 0, 2),
        ]);
        Names {
            fences,
            lookups: named(&["laneOf", "laneTrust", "laneTrustOf", "trustOf", "trustOfLane"]),
            lanes: named(&[
                "addLane",
                "appendLane",
                "inject",
                "injectLane",
                "pushLane",
                "writeLane",
            ]),
            keys: ["lane"].map(String::from).into(),
        }
    }
}

/// Whether two names differ in spelling only.
pub(crate) fn is_spelling_of(name: &str, other: &str) -> bool {
    name.chars().next() == other.chars().next() && folded(name) == folded(other)
}

/// Whether the words of one name are the last words of the other, as those of
/// `assembler` are of `PromptAssembler`.
pub(crate) fn is_named_like(name: &str, other: &str) -> bool {
    let (name, other) = (words(name), words(other));
    !name.is_empty() && !other.is_empty() && (name.ends_with(&other) || other.ends_with(&name))
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for c in name.chars().filter(|c| !matches!(c, '#' | '$')) {
        let starts_word = matches!(before, '_' | '-') || c.is_uppercase() && !before.is_uppercase();
        before = c;
        match words.last_mut() {
            _ if matches!(c, '_' | '-') => {}
            Some(word) if !starts_word => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().collect()),
        }
    }
    words
}

/// A name without what spellings differ in.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|&c| c != '_').flat_map(char::to_lowercase).collect()
}
