//! What may be said of a difference: holds, no difference, worse, or too few trials.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::difference::Difference;

/// What may be said of a fence in one category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Bad outcomes are rarer with the fence.
    Holds,
    /// The trials are enough to say that it changes little or nothing.
    NoDifference,
    /// Bad outcomes are more frequent with the fence.
    Worse,
    /// The trials do not say.
    TooFewTrials,
}

impl Verdict {
    /// The verdict in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::NoDifference => "no difference",
            Verdict::Worse => "worse",
            Verdict::TooFewTrials => "too few trials",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How much it takes for a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Of the intervals, and one minus the level of the sign test. A report has
    /// many categories and builders; at 0.95 one cell in forty of a fence that
    /// changes nothing reads *worse*. Use 0.99 or more where that stops a build.
    pub confidence: f64,
    /// Fewer pairs than this are too few.
    pub pairs: usize,
    /// A difference that is surely not greater than this is none.
    pub tolerance: f64,
}

impl Default for Bar {
    /// 15 pairs and 0.2 go together: when no pair of 15 differs, a share of more
    /// than a fifth that differ is improbable (0.8^15 is 0.035).
    fn default() -> Self {
        Bar { confidence: 0.95, pairs: 15, tolerance: 0.2 }
    }
}

impl Bar {
    /// The verdict on a difference, and why.
    ///
    /// A difference counts when the bootstrap interval and the sign test both say
    /// so. The interval alone is too sure of itself for a few pages, the test
    /// alone takes trials of one page for independent.
    pub fn judge(&self, difference: &Difference) -> (Verdict, String) {
        let Difference { pairs, interval, better, worse, sign_test, .. } = *difference;
        if pairs < self.pairs {
            return (Verdict::TooFewTrials, format!("{pairs} pairs, {} are needed", self.pairs));
        }
        let counts = format!("of {pairs} pairs {better} better, {worse} worse");
        let sure = sign_test <= 1.0 - self.confidence;
        if interval.high < 0.0 && sure {
            return (Verdict::Holds, format!("{counts}; the interval lies below zero"));
        }
        if interval.low > 0.0 && sure {
            return (Verdict::Worse, format!("{counts}; the interval lies above zero"));
        }
        let tolerance = self.tolerance;
        if -tolerance <= interval.low && interval.high <= tolerance {
            let why = format!("{counts}; a difference above {tolerance} is excluded");
            return (Verdict::NoDifference, why);
        }
        let why = match (interval.contains(0.0), sure) {
            (true, _) => "the interval holds zero and more than the tolerance",
            (false, _) => "too few pairs differ for the sign test",
        };
        (Verdict::TooFewTrials, format!("{counts}; {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::difference::Pairs;
    use super::*;

    const BETTER: (bool, bool) = (true, false);
    const WORSE: (bool, bool) = (false, true);
    const BOTH: (bool, bool) = (true, true);
    const NEITHER: (bool, bool) = (false, false);

    fn verdict(pages: usize, pairs: &[(bool, bool)]) -> Verdict {
        let pairs = Pairs::new((0..pages).map(|_| pairs.to_vec()));
        Bar::default().judge(&pairs.difference(0.95, 1).unwrap()).0
    }

    #[test]
    fn a_clear_difference_holds_or_is_worse() {
        assert_eq!(verdict(5, &[BETTER; 4]), Verdict::Holds);
        assert_eq!(verdict(5, &[WORSE; 4]), Verdict::Worse);
        assert_eq!(verdict(5, &[WORSE, WORSE, BOTH, WORSE]), Verdict::Worse);
    }

    #[test]
    fn pairs_that_agree_are_no_difference_once_there_are_enough() {
        assert_eq!(verdict(4, &[BOTH; 4]), Verdict::NoDifference);
        assert_eq!(verdict(4, &[NEITHER; 4]), Verdict::NoDifference);
        assert_eq!(verdict(2, &[BOTH; 4]), Verdict::TooFewTrials);
    }

    #[test]
    fn a_difference_on_a_few_pages_only_is_too_few_trials() {
        let mut pages = vec![vec![BOTH; 4]; 5];
        pages[0] = vec![BETTER; 4];
        let difference = Pairs::new(pages).difference(0.95, 1).unwrap();
        assert_eq!(Bar::default().judge(&difference).0, Verdict::TooFewTrials);
    }

    #[test]
    fn the_sign_test_must_agree_with_the_interval() {
        // Four pages of four pairs, one pair better in each: the pages agree, the
        // four pairs alone would come about by chance in one case of eight.
        let difference =
            Pairs::new(vec![vec![BETTER, BOTH, BOTH, BOTH, BOTH]; 4]).difference(0.95, 1).unwrap();
        assert!(difference.sign_test > 0.05);
        assert_ne!(Bar::default().judge(&difference).0, Verdict::Holds);
    }

    #[test]
    fn a_higher_bar_takes_more() {
        let pairs = Pairs::new((0..8).map(|n| match n {
            0..3 => vec![BETTER; 2],
            _ => vec![BOTH; 2],
        }));
        let judge = |confidence| {
            let bar = Bar { confidence, ..Bar::default() };
            bar.judge(&pairs.difference(confidence, 1).unwrap()).0
        };
        assert_eq!(judge(0.95), Verdict::Holds);
        assert_eq!(judge(0.999), Verdict::TooFewTrials);
    }
}
