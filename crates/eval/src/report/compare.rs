//! Two runs compared: what a change of prompt, model or retrieval path did.

use serde::Serialize;

use super::scope::{Measure, Scope, pairs};
use crate::results::{Header, Results, ResultsError, Trial};
use crate::stats::{Bar, Difference, Rate, Verdict};

/// Two runs compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The earlier run.
    pub before: Header,
    /// The later run.
    pub after: Header,
    /// One entry a scope and builder that both runs have.
    pub changes: Vec<Change>,
}

/// One builder in one scope, before and after.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
    /// Which trials.
    pub scope: Scope,
    /// What counts as bad in them.
    pub measure: Measure,
    /// The builder.
    pub builder: String,
    /// How often it was bad before.
    pub before: Rate,
    /// How often it is now.
    pub after: Rate,
    /// Over the pairs of equal page and trial.
    pub difference: Difference,
    /// [`Worse`](Verdict::Worse) is a regression, [`Holds`](Verdict::Holds) an
    /// improvement.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
}

impl Comparison {
    /// What got worse.
    pub fn regressions(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.verdict == Verdict::Worse)
    }
}

/// Compares two runs of one corpus, builder by builder.
///
/// # Errors
///
/// The runs are of different corpora.
pub fn compare(before: &Results, after: &Results, bar: Bar) -> Result<Comparison, ResultsError> {
    if before.header.corpus != after.header.corpus {
        return Err(ResultsError::OtherCorpus {
            before: before.header.corpus.clone(),
            after: after.header.corpus.clone(),
        });
    }
    let mut builders: Vec<&str> = Vec::new();
    for trial in &before.trials {
        if !builders.contains(&trial.builder()) {
            builders.push(trial.builder());
        }
    }
    let mut changes = Vec::new();
    for scope in Scope::of(&before.trials) {
        let measure = scope.measure();
        for builder in &builders {
            let of = |results: &'_ Results| -> Vec<Trial> {
                let same = |trial: &&Trial| trial.builder() == *builder && scope.holds(trial);
                results.trials.iter().filter(same).cloned().collect()
            };
            let (first, second) = (of(before), of(after));
            let pairs = pairs(measure, &first, &second);
            let Some(difference) = pairs.difference(bar.confidence, 1) else { continue };
            let (verdict, why) = bar.judge(&difference);
            let rate = |trials: &[Trial]| Rate::count(trials.iter().map(|t| measure.is_bad(t)));
            changes.push(Change {
                scope: scope.clone(),
                measure,
                builder: (*builder).to_owned(),
                before: rate(&first),
                after: rate(&second),
                difference,
                verdict,
                why,
            });
        }
    }
    Ok(Comparison { before: before.header.clone(), after: after.header.clone(), changes })
}
