//! A results file in figures: for each scope and builder its rates, and what they
//! say against the builder that fences nothing.

use serde::Serialize;

use super::scope::{Measure, Scope, pairs};
use crate::builder::Builder;
use crate::results::{Failure, Header, Results, Trial};
use crate::stats::{Bar, Difference, Rate, Verdict};

/// A results file in figures.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// What the trials are of.
    pub header: Header,
    /// What a verdict takes.
    pub bar: Bar,
    /// The builder that others are compared with.
    pub baseline: String,
    /// The builders, the baseline first.
    pub builders: Vec<String>,
    /// One row a scope.
    pub rows: Vec<Row>,
    /// How many trials.
    pub trials: usize,
    /// On how many pages.
    pub pages: usize,
    /// What failed and was not made up for.
    pub failures: Vec<Failure>,
    /// What it took.
    pub spent: Spent,
    /// Replies that show what the figures mean.
    pub examples: Vec<Example>,
    /// What a judge model said beside the score, for each builder with judgements.
    pub judged: Vec<Judged>,
}

/// One scope.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Which.
    pub scope: Scope,
    /// What counts as bad.
    pub measure: Measure,
    /// Pages with trials in it.
    pub pages: usize,
    /// One cell a builder, in the order of [`Summary::builders`].
    pub cells: Vec<Cell>,
}

/// One builder in one scope.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The builder.
    pub builder: String,
    /// How often it was bad, by the row's measure.
    pub bad: Rate,
    /// How often a canary leaked.
    pub leaked: Rate,
    /// How often the payload was obeyed.
    pub obeyed: Rate,
    /// How often the reply tells of an instruction; on benign pages a false alarm.
    pub described: Rate,
    /// How often the reply serves the user.
    pub useful: Rate,
    /// How often it refuses or is empty.
    pub refused: Rate,
    /// Against the baseline; none for the baseline itself, and without a pair.
    pub difference: Option<Difference>,
    /// What may be said; none for the baseline itself.
    pub verdict: Option<Verdict>,
    /// Why.
    pub why: String,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Requests of the trials that have a reply.
    pub requests: u64,
    /// Tokens of requests, where the server counts them.
    pub input_tokens: Option<u64>,
    /// Tokens of replies, where the server counts them.
    pub output_tokens: Option<u64>,
    /// Where the server names a cost, or prices are given.
    pub cost: Option<f64>,
}

/// A reply that shows what a figure means.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    /// The page.
    pub page: String,
    /// The builder.
    pub builder: String,
    /// The rule that decided.
    pub why: String,
    /// The sentence or call that it was decided by.
    pub evidence: String,
}

/// How a judge model's word stands beside the score.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The judge.
    pub judge: String,
    /// The builder.
    pub builder: String,
    /// Both say that the attack worked.
    pub both: usize,
    /// Neither says so.
    pub neither: usize,
    /// The score alone says so.
    pub score_only: usize,
    /// The judge alone says so.
    pub judge_only: usize,
    /// The judge said neither yes nor no.
    pub unclear: usize,
}

impl Summary {
    /// The figures of a results file. The baseline is `raw`; without trials of it,
    /// the builder that comes next in the list of [`Builder`].
    pub fn new(results: &Results, bar: Bar) -> Self {
        let mut builders: Vec<String> = Vec::new();
        for trial in &results.trials {
            if !builders.iter().any(|known| known == trial.builder()) {
                builders.push(trial.builder().to_owned());
            }
        }
        // Trials end in no order of theirs.
        let rank = |name: &String| name.parse::<Builder>().map_or((u8::MAX, 0, 0), |b| b.rank());
        builders.sort_by_key(|name| (rank(name), name.clone()));
        let baseline = builders.first().cloned().unwrap_or_default();
        let rows = Scope::of(&results.trials).into_iter();
        let rows = rows.map(|scope| row(scope, results, &builders, &bar)).collect();
        Summary {
            header: results.header.clone(),
            bar,
            baseline,
            rows,
            trials: results.trials.len(),
            pages: count_pages(results.trials.iter()),
            failures: results.failures.clone(),
            spent: Spent::new(&results.trials),
            examples: examples(results, &builders),
            judged: judged(results, &builders),
            builders,
        }
    }

    /// Cells in which the builder is worse than the baseline.
    pub fn worse(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        let cells = self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
        cells.filter(|(_, cell)| cell.verdict == Some(Verdict::Worse))
    }

    /// With a cost by prices in so much a million tokens, where the server named
    /// none and counts tokens.
    pub fn priced(mut self, input: f64, output: f64) -> Self {
        let Spent { input_tokens, output_tokens, cost, .. } = &mut self.spent;
        if let (None, Some(read), Some(written)) = (&cost, input_tokens, output_tokens) {
            *cost = Some((*read as f64 * input + *written as f64 * output) / 1e6);
        }
        self
    }
}

fn count_pages<'a>(trials: impl Iterator<Item = &'a Trial>) -> usize {
    let mut pages: Vec<&str> = trials.map(Trial::page).collect();
    pages.sort_unstable();
    pages.dedup();
    pages.len()
}

fn row(scope: Scope, results: &Results, builders: &[String], bar: &Bar) -> Row {
    let in_scope = || results.trials.iter().filter(|trial| scope.holds(trial));
    let measure = scope.measure();
    let cells = builders.iter().enumerate().map(|(index, builder)| {
        let of = |name: &'_ str| -> Vec<&Trial> {
            in_scope().filter(|trial| trial.builder() == name).collect()
        };
        let trials = of(builder);
        let rate = |is: fn(&Trial) -> bool| Rate::count(trials.iter().map(|trial| is(trial)));
        let difference = (index > 0)
            .then(|| pairs(measure, of(&builders[0]), trials.iter().copied()))
            .and_then(|pairs| pairs.difference(bar.confidence, 1));
        let (verdict, why) = match (index, &difference) {
            (0, _) => (None, String::new()),
            (_, Some(difference)) => {
                let (verdict, why) = bar.judge(difference);
                (Some(verdict), why)
            }
            (_, None) => (Some(Verdict::TooFewTrials), "no pair of trials".to_owned()),
        };
        Cell {
            builder: builder.clone(),
            bad: Rate::count(trials.iter().map(|trial| measure.is_bad(trial))),
            leaked: rate(|trial| trial.score.leaked.yes),
            obeyed: rate(|trial| trial.score.obeyed.yes),
            described: rate(|trial| trial.score.described.yes),
            useful: rate(|trial| trial.score.useful()),
            refused: rate(|trial| trial.score.refused.yes),
            difference,
            verdict,
            why,
        }
    });
    let cells = cells.collect();
    let pages = count_pages(in_scope());
    Row { measure, pages, cells, scope }
}

impl Spent {
    fn new(trials: &[Trial]) -> Self {
        // A total of which a part is unknown is unknown.
        let sum = |of: fn(&Trial) -> Option<u64>| trials.iter().map(of).sum::<Option<u64>>();
        let known = !trials.is_empty();
        Spent {
            requests: trials.iter().map(|trial| u64::from(trial.requests)).sum(),
            input_tokens: sum(|trial| trial.usage.input_tokens).filter(|_| known),
            output_tokens: sum(|trial| trial.usage.output_tokens).filter(|_| known),
            cost: trials.iter().map(|t| t.usage.cost).sum::<Option<f64>>().filter(|_| known),
        }
    }
}

/// The first attack that worked, by page and number, for each builder and category.
fn examples(results: &Results, builders: &[String]) -> Vec<Example> {
    let mut examples: Vec<(usize, &str, Example)> = Vec::new();
    let mut trials: Vec<&Trial> = results.trials.iter().collect();
    trials.sort_by_key(|trial| (trial.page(), trial.number()));
    for trial in trials {
        let finding = match (&trial.score.obeyed, &trial.score.leaked) {
            (obeyed, _) if obeyed.yes => obeyed,
            (_, leaked) if leaked.yes => leaked,
            _ => continue,
        };
        let builder = builders.iter().position(|name| name == trial.builder()).unwrap_or_default();
        if !examples.iter().any(|(b, category, _)| *b == builder && *category == trial.category) {
            let example = Example {
                page: trial.page().to_owned(),
                builder: trial.builder().to_owned(),
                why: finding.why.clone(),
                evidence: finding.evidence.clone().unwrap_or_default(),
            };
            examples.push((builder, &trial.category, example));
        }
    }
    examples.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    examples.into_iter().map(|(_, _, example)| example).collect()
}

fn judged(results: &Results, builders: &[String]) -> Vec<Judged> {
    let mut judged: Vec<Judged> = Vec::new();
    for judgement in &results.judgements {
        let Some(trial) = results.trials.iter().find(|trial| trial.key() == judgement.key) else {
            continue;
        };
        let same = |j: &Judged| j.judge == judgement.judge && j.builder == trial.builder();
        let place = judged.iter().position(same).unwrap_or_else(|| {
            let (judge, builder) = (judgement.judge.clone(), trial.builder().to_owned());
            judged.push(Judged { judge, builder, ..Judged::default() });
            judged.len() - 1
        });
        let entry = &mut judged[place];
        let counter = match (trial.score.compromised(), judgement.obeyed) {
            (true, Some(true)) => &mut entry.both,
            (false, Some(false)) => &mut entry.neither,
            (true, Some(false)) => &mut entry.score_only,
            (false, Some(true)) => &mut entry.judge_only,
            (_, None) => &mut entry.unclear,
        };
        *counter += 1;
    }
    judged.sort_by_key(|j| builders.iter().position(|name| *name == j.builder));
    judged
}
