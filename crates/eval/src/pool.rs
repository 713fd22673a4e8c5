//! A few threads that work through jobs, and one that takes the results.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Works through the jobs in order with so many threads. The caller's thread
/// takes each result as it comes, and may stop the rest: jobs that have begun are
/// ended and their results taken, no further one begins.
pub(crate) fn work<J: Sync, R: Send>(
    jobs: &[J],
    workers: usize,
    work: impl Fn(&J) -> R + Sync,
    mut take: impl FnMut(&J, R) -> ControlFlow<()>,
) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        // A worker hands its result over before it begins another job, so that a
        // stop costs no more than one further job a worker.
        let (sender, results) = mpsc::sync_channel(0);
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    if sender.send((index, work(job))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (index, result) in results {
            if take(&jobs[index], result).is_break() {
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_whatever_the_number_of_threads() {
        for workers in [0, 1, 3, 100] {
            let jobs: Vec<u32> = (0..50).collect();
            let mut seen = Vec::new();
            work(
                &jobs,
                workers,
                |job| job * 2,
                |job, result| {
                    assert_eq!(result, job * 2);
                    seen.push(*job);
                    ControlFlow::Continue(())
                },
            );
            seen.sort_unstable();
            assert_eq!(seen, jobs);
        }
    }

    #[test]
    fn a_stop_leaves_the_rest_undone_and_no_result_untaken() {
        let jobs: Vec<u32> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let mut taken = 0;
        let count = |_: &u32| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::sleep(std::time::Duration::from_millis(1));
        };
        work(&jobs, 4, count, |_, ()| {
            taken += 1;
            if taken == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(taken, begun.load(Ordering::Relaxed));
        assert!(taken < 100, "{taken}");
    }
}
