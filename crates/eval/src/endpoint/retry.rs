//! When to ask again, and how long to wait before.

use std::time::Duration;

use crate::rng::Rng;

/// When to ask again.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// How often a request is made at most, the first one included.
    pub attempts: u32,
    /// The wait after the first failure; doubles with each further one.
    pub first_wait: Duration,
    /// No wait is longer, whatever the server asks for.
    pub longest_wait: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            attempts: 6,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
        }
    }
}

impl Retry {
    /// The wait after the `failures`th failure in a row, at least what the server
    /// asks for. Between half and the whole of the doubled wait, so that workers
    /// that failed together do not come back together.
    pub(super) fn wait(&self, failures: u32, asked: Option<Duration>, rng: &mut Rng) -> Duration {
        let doubled = self.first_wait.saturating_mul(1 << failures.saturating_sub(1).min(16));
        let spread = doubled.min(self.longest_wait).mul_f64(0.5 + rng.unit() / 2.0);
        spread.max(asked.unwrap_or_default()).min(self.longest_wait)
    }
}

/// Whether an answer of this status may be another one in a while: time-outs,
/// conflicts, rate limits, and what a server or the proxy before it has trouble
/// with (529 is an overloaded Anthropic endpoint).
pub(super) fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 520..=529)
}

/// Whether an answer of this status is the same for every request.
pub(super) fn is_fatal(status: u16) -> bool {
    matches!(status, 300..=399 | 401 | 402 | 403 | 404 | 405)
}

/// The wait that a server asks for: `retry-after` in seconds, or Azure's and
/// OpenAI's `retry-after-ms`. A date is passed over: the clocks may differ.
pub(super) fn asked_wait(header: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok();
    let seconds =
        number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_double_within_their_spread_and_end_at_the_longest() {
        let retry = Retry::default();
        let mut rng = Rng::new(1);
        for (failures, longest) in [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (40, 60)] {
            let longest = SECOND * longest;
            for _ in 0..50 {
                let wait = retry.wait(failures, None, &mut rng);
                assert!(longest / 2 <= wait && wait <= longest, "{failures}: {wait:?}");
            }
        }
    }

    #[test]
    fn a_wait_that_the_server_asks_for_is_kept_up_to_the_longest() {
        let retry = Retry::default();
        let wait = |seconds| retry.wait(1, Some(SECOND * seconds), &mut Rng::new(1));
        assert_eq!(wait(7), SECOND * 7);
        assert_eq!(wait(7000), SECOND * 60);
    }

    #[test]
    fn reads_both_headers_and_passes_over_what_is_no_number() {
        let asked = |name: &'static str, value: &'static str| {
            asked_wait(move |header| (header == name).then(|| value.to_owned()))
        };
        assert_eq!(asked("retry-after", "2"), Some(SECOND * 2));
        assert_eq!(asked("retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(asked("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"), None);
        assert_eq!(asked("retry-after", "-1"), None);
        assert_eq!(asked("retry-after", "1e300"), None);
    }

    #[test]
    fn statuses_that_may_pass_are_never_fatal() {
        assert!((200..600).all(|status| !(may_pass(status) && is_fatal(status))));
        assert!(may_pass(429) && may_pass(529) && is_fatal(401));
        assert!(!may_pass(400) && !is_fatal(400));
    }
}
