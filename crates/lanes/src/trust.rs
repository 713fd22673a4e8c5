//! Trust classes: who wrote the text of a lane.

use core::fmt;
use core::str::FromStr;

/// Who wrote the text of a lane. Owner and policy are authoritative: the model
/// may follow their text. All others are untrusted and must reach it fenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trust {
    /// The person the agent works for.
    Owner,
    /// The product itself: its rules and fixed texts.
    Policy,
    /// A tool's output.
    Tool,
    /// A child process or a sub-agent on the same machine.
    Child,
    /// A model, or text pasted from a third party.
    Model,
    /// The registry spells no known class. Untrusted; no word gives it.
    Unknown,
}

impl Trust {
    /// The classes that `lanes.toml` can spell.
    pub const SPELLED: [Trust; 5] =
        [Trust::Owner, Trust::Policy, Trust::Tool, Trust::Child, Trust::Model];

    /// The class that a word spells, or [`Trust::Unknown`]: another case or
    /// white space around the word never makes text trusted.
    ///
    /// ```
    /// use murmur_fence_lanes::Trust;
    /// assert!(Trust::read("owner").is_authoritative());
    /// assert!(!Trust::read("Owner").is_authoritative());
    /// assert!(!Trust::read("owner ").is_authoritative());
    /// ```
    pub fn read(word: &str) -> Trust {
        word.parse().unwrap_or(Trust::Unknown)
    }

    /// The word of `lanes.toml`; `unknown` for [`Trust::Unknown`].
    pub fn as_str(self) -> &'static str {
        match self {
            Trust::Owner => "owner",
            Trust::Policy => "policy",
            Trust::Tool => "tool",
            Trust::Child => "child",
            Trust::Model => "model",
            Trust::Unknown => "unknown",
        }
    }

    /// Whether the model may follow instructions in the text.
    pub fn is_authoritative(self) -> bool {
        matches!(self, Trust::Owner | Trust::Policy)
    }

    /// Whether the text must be fenced.
    pub fn is_untrusted(self) -> bool {
        !self.is_authoritative()
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Trust {
    type Err = UnknownTrust;

    /// Exactly one of the five words; nothing is folded or trimmed.
    fn from_str(word: &str) -> Result<Self, UnknownTrust> {
        Self::SPELLED.into_iter().find(|class| class.as_str() == word).ok_or(UnknownTrust)
    }
}

/// The word is none of the five trust classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTrust;

impl fmt::Display for UnknownTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown trust; write owner, policy, tool, child or model")
    }
}

impl core::error::Error for UnknownTrust {}
