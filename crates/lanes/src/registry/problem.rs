//! What is wrong in `lanes.toml`, and where.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::LaneNameError;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// The lines of a text, to name the place of a byte.
pub(crate) struct Lines<'a> {
    text: &'a str,
    /// The byte at which each line starts; never empty.
    starts: Vec<usize>,
    /// How many characters start before each block of [`BLOCK`] bytes. A line may be
    /// as long as the text and hold as many places, so no place is counted from the
    /// line's start.
    characters: Vec<usize>,
}

/// How many bytes are counted for one place at most.
const BLOCK: usize = 256;

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let starts = core::iter::once(0).chain(after_newlines).collect();
        let blocks = text.as_bytes().chunks(BLOCK).scan(0, |before, block| {
            let at_start = *before;
            *before += characters_in(block);
            Some(at_start)
        });
        Lines { text, starts, characters: blocks.collect() }
    }

    /// The place of a byte offset. One inside a character is that character's,
    /// and one past the end is the end.
    pub(crate) fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        let column = self.characters_before(offset) - self.characters_before(self.starts[line]);
        Place { line: number(line), column: number(column) }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset.saturating_sub(1) / BLOCK;
        let counted = self.characters.get(block).copied().unwrap_or_default();
        let rest = self.text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        counted + characters_in(rest)
    }
}

/// How many characters start in these bytes of a text.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
}

/// One problem of `lanes.toml`. Shows as `line:column: what; what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: ProblemKind,
}

/// What is wrong. The texts name what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The file is not TOML, or spells a key twice. Why, in the parser's words.
    Toml(String),
    /// A lane or a key of a lane is there twice.
    Duplicate(String),
    /// A key outside every lane that is no table.
    NotALane(String),
    /// The lane's name cannot be used.
    Name {
        /// As the file has it.
        name: String,
        /// Why not.
        error: LaneNameError,
    },
    /// The lane has a key that means nothing.
    UnknownKey {
        /// The lane.
        lane: String,
        /// The key.
        key: String,
    },
    /// The lane does not say whom it is from.
    MissingTrust(String),
    /// The lane does not say how much it may put into a prompt.
    MissingBudget(String),
    /// The trust is none of the five words.
    UnknownTrust {
        /// The lane.
        lane: String,
        /// The word as the file has it.
        word: String,
    },
    /// A value is of the wrong type.
    Type {
        /// The lane.
        lane: String,
        /// The key.
        key: &'static str,
        /// What belongs there.
        wanted: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// The budget is no number from 1 up to 4294967295.
    BudgetRange {
        /// The lane.
        lane: String,
        /// As the file has it.
        value: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.kind)
    }
}

impl core::error::Error for Problem {}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProblemKind::Toml(why) => write!(f, "not TOML: {why}"),
            ProblemKind::Duplicate(key) => {
                write!(f, "`{key}` is there twice; keep one of the two")
            }
            ProblemKind::NotALane(key) => {
                write!(f, "`{key}` is no lane; write a table `[name]` for each lane")
            }
            ProblemKind::Name { name, error } => {
                write!(f, "lane `{}`: {error}", name.escape_debug())
            }
            ProblemKind::UnknownKey { lane, key } => write!(
                f,
                "lane `{lane}`: unknown key `{}`; a lane has trust, budget and description, and \
                 a name with a dot is quoted: [\"a.b\"]",
                key.escape_debug(),
            ),
            ProblemKind::MissingTrust(lane) => write!(
                f,
                "lane `{lane}`: no trust; add trust = \"owner\", \"policy\", \"tool\", \"child\" \
                 or \"model\"",
            ),
            ProblemKind::MissingBudget(lane) => write!(
                f,
                "lane `{lane}`: no budget; add budget = N, the bytes it may put into a prompt",
            ),
            ProblemKind::UnknownTrust { lane, word } => write!(
                f,
                "lane `{lane}`: unknown trust \"{}\"; write exactly owner, policy, tool, child \
                 or model",
                word.escape_debug(),
            ),
            ProblemKind::Type { lane, key, wanted, found } => {
                write!(f, "lane `{lane}`: {key} is {found}; write {wanted}")
            }
            ProblemKind::BudgetRange { lane, value } => write!(
                f,
                "lane `{lane}`: budget {value} cannot be used; write a number of bytes from 1 \
                 up to {}",
                u32::MAX,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters_wherever_they_lie() {
        // Characters of one to four bytes, over the ends of blocks and of lines.
        let text: String = "aé€😀b\n".repeat(3).chars().chain("x€".repeat(700).chars()).collect();
        let lines = Lines::of(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            let place = lines.place(offset);
            assert_eq!((place.line as usize, place.column as usize), (line, column), "{offset}");
        }
        assert_eq!(lines.place(usize::MAX), lines.place(text.len()));
        assert_eq!(Lines::of("").place(0), Place { line: 1, column: 1 });
    }

    #[test]
    fn many_places_on_one_line_are_told_without_reading_the_line_for_each() {
        // From the line's start for each, this would be 8 * 10^10 steps.
        let text = "x".repeat(400_000);
        let lines = Lines::of(&text);
        for offset in 0..text.len() {
            assert_eq!(lines.place(offset).column as usize, offset + 1);
        }
    }
}
