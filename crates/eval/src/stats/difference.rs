//! The difference between two builders over the same pages and trials.

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use crate::rng::Rng;

/// How often the trials of one builder and of another turned out differently,
/// page by page.
///
/// The outcome in question is a bad one, so a difference below zero speaks for
/// the second builder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// For each page: second minus first, one number a pair of trials.
    pages: Vec<Vec<i8>>,
}

/// A difference of rates with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Pairs of trials.
    pub pairs: usize,
    /// Pages that they are of.
    pub pages: usize,
    /// The second rate minus the first one.
    pub mean: f64,
    /// Of the mean, from the bootstrap.
    pub interval: Interval,
    /// Pairs in which only the first was bad.
    pub better: usize,
    /// Pairs in which only the second was bad.
    pub worse: usize,
    /// Of the exact sign test over the pairs that differ (McNemar's), two-sided.
    pub sign_test: f64,
}

/// How often the pages are drawn anew.
const REPLICATES: usize = 2000;

impl Pairs {
    /// Pairs of outcomes (first, second), grouped by page.
    pub fn new(pages: impl IntoIterator<Item = Vec<(bool, bool)>>) -> Self {
        let differences = |pairs: Vec<(bool, bool)>| -> Vec<i8> {
            pairs.into_iter().map(|(first, second)| i8::from(second) - i8::from(first)).collect()
        };
        Pairs { pages: pages.into_iter().filter(|p| !p.is_empty()).map(differences).collect() }
    }

    /// The difference, with a percentile interval of the two-level bootstrap:
    /// pages are drawn with replacement, and pairs within each drawn page. Pages
    /// are what other attacks would differ from, so they, and not the trials, are
    /// the unit; drawing the pairs as well makes the interval rather too wide
    /// than too narrow for a few pages (Davison and Hinkley 1997, section 3.8).
    ///
    /// None without a pair.
    pub fn difference(&self, confidence: f64, seed: u64) -> Option<Difference> {
        let all = || self.pages.iter().flatten().copied();
        let pairs = all().count();
        if pairs == 0 {
            return None;
        }
        let (better, worse) = (all().filter(|&d| d < 0).count(), all().filter(|&d| d > 0).count());
        let mut means: Vec<f64> = Vec::with_capacity(REPLICATES);
        let mut rng = Rng::new(seed);
        for _ in 0..REPLICATES {
            let (mut sum, mut count) = (0i64, 0usize);
            for _ in 0..self.pages.len() {
                let page = &self.pages[rng.below(self.pages.len())];
                sum += (0..page.len()).map(|_| i64::from(page[rng.below(page.len())])).sum::<i64>();
                count += page.len();
            }
            means.push(sum as f64 / count as f64);
        }
        means.sort_by(f64::total_cmp);
        let tail = ((1.0 - confidence) / 2.0 * REPLICATES as f64).floor() as usize;
        let tail = tail.min((REPLICATES - 1) / 2);
        Some(Difference {
            pairs,
            pages: self.pages.len(),
            mean: (worse as f64 - better as f64) / pairs as f64,
            interval: Interval { low: means[tail], high: means[REPLICATES - 1 - tail] },
            better,
            worse,
            sign_test: sign_test(better, worse),
        })
    }
}

/// The probability of a split at least as uneven when each pair that differs goes
/// either way with probability one half.
fn sign_test(better: usize, worse: usize) -> f64 {
    let n = better + worse;
    let few = better.min(worse);
    // Sums C(n, k) / 2^n in logarithms; n may be thousands.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for k in 0..=few {
        sum += log_term.exp();
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BETTER: (bool, bool) = (true, false);
    const WORSE: (bool, bool) = (false, true);
    const SAME: (bool, bool) = (true, true);

    /// Computed by hand: 2 * (1 + 8) / 2^8, 2 / 2^5, and the even split.
    #[test]
    fn the_sign_test_is_the_exact_binomial_one() {
        for (better, worse, p) in
            [(7, 1, 0.0703125), (5, 0, 0.0625), (3, 3, 1.0), (0, 0, 1.0), (0, 10, 0.001953125)]
        {
            assert!((sign_test(better, worse) - p).abs() < 1e-12, "{better}, {worse}");
        }
        assert!(sign_test(2000, 1000) < 1e-60);
    }

    /// With one pair a page the mean of a replicate is a binomial count over n,
    /// so the ends are quantiles of a binomial distribution. For n = 50 and a
    /// share of 0.3 those of 2.5 and 97.5 percent are 9 and 22 (summing
    /// C(50, k) 0.3^k 0.7^(50 - k)); a replicate count of 2000 may miss by one.
    #[test]
    fn the_bootstrap_agrees_with_the_binomial_distribution() {
        let pages = (0..50).map(|n| vec![if n < 15 { BETTER } else { SAME }]);
        let difference = Pairs::new(pages).difference(0.95, 1).unwrap();
        assert_eq!((difference.pairs, difference.pages, difference.better), (50, 50, 15));
        assert!((difference.mean + 0.3).abs() < 1e-12);
        assert!((difference.interval.low * 50.0 + 22.0).abs() <= 1.0, "{difference:?}");
        assert!((difference.interval.high * 50.0 + 9.0).abs() <= 1.0, "{difference:?}");
    }

    /// Ten pairs a page that agree with each other are worth about one: the
    /// interval is that of the pages, three times as wide as that of the pairs.
    #[test]
    fn trials_of_one_page_do_not_count_as_pages() {
        let clustered = (0..20).map(|n| vec![if n < 10 { BETTER } else { SAME }; 10]);
        let spread = (0..200).map(|n| vec![if n < 100 { BETTER } else { SAME }]);
        let width = |pairs: Pairs| {
            let interval = pairs.difference(0.95, 3).unwrap().interval;
            interval.high - interval.low
        };
        let (clustered, spread) = (width(Pairs::new(clustered)), width(Pairs::new(spread)));
        assert!(clustered > 2.5 * spread, "{clustered} {spread}");
    }

    #[test]
    fn a_seed_gives_the_interval_again() {
        let pairs = Pairs::new((0..9).map(|n| vec![BETTER, if n % 2 == 0 { WORSE } else { SAME }]));
        assert_eq!(pairs.difference(0.9, 4), pairs.difference(0.9, 4));
        assert_ne!(pairs.difference(0.9, 4), pairs.difference(0.9, 5));
        assert_eq!(Pairs::default().difference(0.9, 4), None);
    }
}
