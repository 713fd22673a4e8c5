//! A rate with its Wilson interval.

use serde::{Deserialize, Serialize};

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether the value lies in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// How often something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rate {
    /// How often it happened.
    pub hits: usize,
    /// How often it could have.
    pub of: usize,
}

impl Rate {
    /// Counts the trues.
    pub fn count(outcomes: impl IntoIterator<Item = bool>) -> Self {
        let mut rate = Rate::default();
        for outcome in outcomes {
            rate.of += 1;
            rate.hits += usize::from(outcome);
        }
        rate
    }

    /// The share, from 0 to 1; 0 of nothing.
    pub fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.hits as f64 / self.of as f64 }
    }

    /// Wilson's score interval (Wilson 1927), without continuity correction; the
    /// whole of 0 to 1 for a rate of nothing. It takes the trials for
    /// independent: trials of one page are alike, so for a few pages with many
    /// trials it is too narrow for what *other* pages would give.
    pub fn interval(self, confidence: f64) -> Interval {
        if self.of == 0 {
            return Interval { low: 0.0, high: 1.0 };
        }
        let (n, share, z) = (self.of as f64, self.share(), z_score(confidence));
        let centre = share + z * z / (2.0 * n);
        let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        // The formula gives these ends up to rounding.
        let low = if self.hits == 0 { 0.0 } else { (centre - reach) / scale };
        let high = if self.hits == self.of { 1.0 } else { (centre + reach) / scale };
        Interval { low, high }
    }
}

/// How many standard deviations hold this share of a normal distribution.
pub(super) fn z_score(confidence: f64) -> f64 {
    quantile(0.5 + confidence.clamp(0.0, 1.0 - 1e-12) / 2.0)
}

/// The standard normal quantile, by bisection of the distribution function.
fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if normal_cdf(middle) < p { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The standard normal distribution function: its series around 0, which
/// converges everywhere and loses no digit that a report shows below 8.
fn normal_cdf(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs().max(1e-300) && n < 2000.0 {
        n += 2.0;
        term *= x * x / n;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of any table of the normal distribution.
    #[test]
    fn z_scores_are_those_of_the_tables() {
        for (confidence, z) in
            [(0.90, 1.644854), (0.95, 1.959964), (0.99, 2.575829), (0.999, 3.290527)]
        {
            assert!(
                (z_score(confidence) - z).abs() < 1e-6,
                "{confidence}: {}",
                z_score(confidence)
            );
        }
    }

    /// Newcombe (1998), table I, method 3, gives these for 95 percent.
    #[test]
    fn wilson_intervals_are_the_published_ones() {
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = Rate { hits, of }.interval(0.95);
            assert!((interval.low - low).abs() < 5e-5, "{hits}/{of}: {interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{hits}/{of}: {interval:?}");
        }
    }

    #[test]
    fn a_rate_of_nothing_may_be_anything() {
        assert_eq!(Rate::default().interval(0.95), Interval { low: 0.0, high: 1.0 });
        assert_eq!(Rate { hits: 7, of: 7 }.interval(0.95).high, 1.0);
    }
}
