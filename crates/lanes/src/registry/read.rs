//! Reading `lanes.toml`, with the place of everything that is wrong in it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::problem::{Lines, Problem, ProblemKind};
use super::{Lane, Registry, check_name};
use crate::trust::Trust;

/// The lanes that could be read, and the problems in the order of the file.
pub(super) fn registry(text: &str) -> (Registry, Vec<Problem>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reading = Reading { text, lines: Lines::of(text), problems: Vec::new() };
    for error in &errors {
        reading.toml_error(error);
    }
    // What a broken syntax leaves may be another lane's.
    if reading.problems.iter().any(|problem| matches!(problem.kind, ProblemKind::Toml(_))) {
        return (Registry::new(), reading.problems);
    }
    // Of what is there twice, the first counts, and the other may have said less.
    let is_in_doubt = !reading.problems.is_empty();
    // The parser's table is ordered by name; people read their file's order.
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    let mut registry = Registry::new();
    for (name, value) in entries {
        if let Some(mut lane) = reading.lane(name.span().start, name.get_ref(), value) {
            if is_in_doubt && lane.trust.is_authoritative() {
                lane.trust = Trust::Unknown;
            }
            // Names come from the keys of one table, so none is taken.
            let _ = registry.insert(lane);
        }
    }
    reading.problems.sort_by_key(|problem| problem.place);
    (registry, reading.problems)
}

struct Reading<'a> {
    text: &'a str,
    lines: Lines<'a>,
    problems: Vec<Problem>,
}

impl Reading<'_> {
    fn problem(&mut self, offset: usize, kind: ProblemKind) {
        self.problems.push(Problem { place: self.lines.place(offset), kind });
    }

    fn toml_error(&mut self, error: &toml::de::Error) {
        let span = error.span().unwrap_or(0..0);
        let kind = match error.message() {
            "duplicate key" => {
                ProblemKind::Duplicate(self.text.get(span.clone()).unwrap_or_default().to_string())
            }
            why => ProblemKind::Toml(why.to_string()),
        };
        self.problem(span.start, kind);
    }

    /// The lane under a key; none where the key names no lane at all.
    fn lane(&mut self, offset: usize, name: &str, value: &Spanned<DeValue<'_>>) -> Option<Lane> {
        let Some(table) = value.get_ref().as_table() else {
            self.problem(offset, ProblemKind::NotALane(name.to_string()));
            return None;
        };
        if let Err(error) = check_name(name) {
            self.problem(offset, ProblemKind::Name { name: name.to_string(), error });
            return None;
        }
        let mut lane = Lane::new(name, Trust::Unknown, 0);
        lane.place = Some(self.lines.place(offset));
        let (mut has_trust, mut has_budget) = (false, false);
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "trust" => {
                    has_trust = true;
                    lane.trust = self.trust(name, value);
                }
                "budget" => {
                    has_budget = true;
                    lane.budget = self.budget(name, value);
                }
                "description" => lane.description = self.description(name, value),
                key_name => {
                    let (lane, key_name) = (name.to_string(), key_name.to_string());
                    let kind = ProblemKind::UnknownKey { lane, key: key_name };
                    self.problem(key.span().start, kind);
                }
            }
        }
        if !has_trust {
            self.problem(offset, ProblemKind::MissingTrust(name.to_string()));
        }
        if !has_budget {
            self.problem(offset, ProblemKind::MissingBudget(name.to_string()));
        }
        Some(lane)
    }

    fn trust(&mut self, lane: &str, value: &Spanned<DeValue<'_>>) -> Trust {
        const WANTED: &str = "one of the words owner, policy, tool, child, model in quotes";
        let Some(word) = value.get_ref().as_str() else {
            self.wrong_type(lane, "trust", WANTED, value);
            return Trust::Unknown;
        };
        word.parse().unwrap_or_else(|_| {
            let (lane, word) = (lane.to_string(), word.to_string());
            self.problem(value.span().start, ProblemKind::UnknownTrust { lane, word });
            Trust::Unknown
        })
    }

    fn budget(&mut self, lane: &str, value: &Spanned<DeValue<'_>>) -> u32 {
        let Some(integer) = value.get_ref().as_integer() else {
            self.wrong_type(lane, "budget", "a whole number of bytes without quotes", value);
            return 0;
        };
        match budget_of(integer) {
            Some(budget) => budget,
            None => {
                let kind = ProblemKind::BudgetRange {
                    lane: lane.to_string(),
                    value: format!("{integer}"),
                };
                self.problem(value.span().start, kind);
                0
            }
        }
    }

    fn description(&mut self, lane: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = value.get_ref().as_str().map(ToString::to_string);
        if text.is_none() {
            self.wrong_type(lane, "description", "a text in quotes", value);
        }
        text
    }

    fn wrong_type(
        &mut self,
        lane: &str,
        key: &'static str,
        wanted: &'static str,
        value: &Spanned<DeValue<'_>>,
    ) {
        let found = match value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        let kind = ProblemKind::Type { lane: lane.to_string(), key, wanted, found };
        self.problem(value.span().start, kind);
    }
}

fn budget_of(integer: &DeInteger<'_>) -> Option<u32> {
    u32::from_str_radix(integer.as_str(), integer.radix()).ok().filter(|&budget| budget > 0)
}
