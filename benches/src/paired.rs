//! Timing on a machine that is never quiet: every round runs every subject once,
//! and what counts is the median of the ratios within a round.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Something to time.
pub struct Subject<'a> {
    /// The name in tables.
    pub name: &'static str,
    run: Box<dyn FnMut(u32) + 'a>,
}

impl<'a> Subject<'a> {
    /// Times `work`. What it answers is dropped within the time.
    pub fn new<T>(name: &'static str, mut work: impl FnMut() -> T + 'a) -> Self {
        let run = Box::new(move |times| {
            for _ in 0..times {
                black_box(work());
            }
        });
        Subject { name, run }
    }

    /// Runs it so often.
    pub fn run(&mut self, times: u32) {
        (self.run)(times);
    }

    fn time(&mut self, times: u32) -> Duration {
        let start = Instant::now();
        self.run(times);
        start.elapsed()
    }
}

/// The times of one subject.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The subject.
    pub name: &'static str,
    /// Nanoseconds a call, one figure a round.
    pub rounds: Vec<f64>,
}

impl Timed {
    /// Nanoseconds a call: the median of the rounds.
    pub fn nanoseconds(&self) -> f64 {
        median(self.rounds.clone())
    }

    /// How many times as fast as `other`: the median of what each round shows.
    pub fn times_as_fast_as(&self, other: &Timed) -> f64 {
        median(other.rounds.iter().zip(&self.rounds).map(|(other, this)| other / this).collect())
    }
}

/// Runs the subjects in turn, `rounds` times, each for about `slice` or once.
pub fn compare(subjects: &mut [Subject<'_>], rounds: usize, slice: Duration) -> Vec<Timed> {
    let times: Vec<u32> = subjects.iter_mut().map(|subject| calls_in(subject, slice)).collect();
    let mut timed: Vec<Timed> = subjects
        .iter()
        .map(|subject| Timed { name: subject.name, rounds: Vec::with_capacity(rounds) })
        .collect();
    for _ in 0..rounds {
        for ((subject, &times), timed) in subjects.iter_mut().zip(&times).zip(&mut timed) {
            timed.rounds.push(subject.time(times).as_nanos() as f64 / f64::from(times));
        }
    }
    timed
}

/// How many calls fill the slice, after a warm-up.
fn calls_in(subject: &mut Subject<'_>, slice: Duration) -> u32 {
    let mut times = 1;
    loop {
        let taken = subject.time(times);
        if taken >= slice || times >= 1 << 24 {
            let fit = f64::from(times) * slice.as_secs_f64() / taken.as_secs_f64();
            return fit.max(1.0) as u32;
        }
        times *= 2;
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_median_of_the_ratios_in_a_round() {
        let timed = |rounds: &[f64]| Timed { name: "", rounds: rounds.to_vec() };
        // The third round was disturbed, for both alike; the second for one.
        let (slow, fast) = (timed(&[20.0, 20.0, 80.0]), timed(&[10.0, 90.0, 40.0]));
        assert_eq!(fast.times_as_fast_as(&slow), 2.0);
        assert_eq!(fast.nanoseconds(), 40.0);
    }

    #[test]
    fn every_subject_runs_in_every_round() {
        let calls = std::cell::Cell::new(0);
        let mut subjects =
            [Subject::new("one", || calls.set(calls.get() + 1)), Subject::new("other", || ())];
        let timed = compare(&mut subjects, 5, Duration::ZERO);
        assert_eq!(timed.iter().map(|timed| timed.rounds.len()).collect::<Vec<_>>(), [5, 5]);
        // Once to see how long it takes, and once a round.
        assert_eq!(calls.get(), 6);
    }
}
