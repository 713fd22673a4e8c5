//! What traces and streams tell of calls and tasks, to be held against records.
//!
//! Of each call a few dozen bytes are kept, whatever its output; so the index
//! grows with the number of calls and not with the length of the files.

mod digest;
#[cfg(feature = "std")]
mod gather;

use alloc::boxed::Box;
#[cfg(not(feature = "std"))]
use alloc::collections::BTreeMap as Map;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::collections::HashMap as Map;

#[cfg(feature = "std")]
pub(super) use digest::has_replaced_handle;
pub(super) use digest::{Digest, Digests, without_handles};
#[cfg(feature = "std")]
pub(super) use gather::Tracing;

/// How long after its call was traced a result may have entered the record, in
/// milliseconds: hooks run between the two.
const WINDOW: u64 = 10 * 60 * 1000;

/// How many calls of one id are compared with a message, and how many tasks that
/// began before it; more of them at once do not occur.
const MOST_CALLS: usize = 64;
const MOST_TASKS: usize = 256;

/// How far two readings of one moment may be apart, in milliseconds.
const JITTER: u64 = 1000;

/// What the traces and streams of an audit tell.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) digests: Digests,
    /// By the hash of the provider's id.
    calls: Map<u64, Vec<Call>>,
    skills: Vec<Skill>,
    refusals: Vec<Refusal>,
    tasks: Vec<Task>,
}

/// Where something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The index of the file.
    pub(super) file: usize,
    pub(super) line: u64,
}

/// What one surface tells of a call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) origin: Origin,
    time: Option<u64>,
    /// The hash of the context, if it is known.
    context: Option<u64>,
    pub(super) tool: Option<Box<str>>,
    pub(super) told: Told,
    /// The text, if it is there.
    pub(super) text: Option<Digest>,
    /// The length that is told of the text.
    pub(super) bytes: Option<u64>,
}

/// What is told of a call, beside its text.
#[derive(Clone, Debug)]
pub(super) enum Told {
    /// By a trace.
    Trace {
        /// Whether it came to `ok`.
        succeeded: Option<bool>,
        /// The runtime's words where it could not run the call.
        error: Option<Box<str>>,
    },
    /// By a stream.
    Stream {
        is_error: Option<bool>,
        /// The label; the inner option is none where it says that there is none.
        label: Option<Option<Box<str>>>,
    },
}

/// A skill that was read.
#[derive(Clone, Debug)]
pub(super) struct Skill {
    time: u64,
    context: Option<u64>,
    bytes: u64,
    pub(super) name: Box<str>,
    pub(super) trusted: bool,
}

/// A call that was refused.
#[derive(Clone, Debug)]
struct Refusal {
    time: u64,
    context: Option<u64>,
    reason: Box<str>,
}

/// A task.
#[derive(Clone, Debug)]
pub(super) struct Task {
    start: u64,
    end: Option<u64>,
    /// When the model first answered. What enters the context before that is the
    /// task itself; later come reports and the operator's own words.
    answered: Option<u64>,
    context: Option<u64>,
    pub(super) trusted: bool,
    pub(super) origin: Box<str>,
}

/// Whose message it is that something is looked up for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whose {
    /// The hash of the record's context, if it is known.
    pub(super) context: Option<u64>,
    /// When the message was made.
    pub(super) time: Option<u64>,
}

impl Whose {
    fn may_be_of(self, context: Option<u64>) -> bool {
        self.context.zip(context).is_none_or(|(own, other)| own == other)
    }

    /// How far from `then` the message was made.
    fn distance(self, then: u64) -> Option<u64> {
        self.time.map(|time| time.abs_diff(then))
    }
}

/// What is found of the task that a message belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Belongs<'i> {
    /// A trusted task.
    Trusted,
    /// A task that is not trusted, and the message is the task itself.
    IsTask(&'i Task),
    /// Not known.
    Unknown,
}

impl Index {
    /// Whether there is nothing to hold a record against.
    pub(super) fn is_empty(&self) -> bool {
        // Without std nothing is gathered; the compiler then leaves out all that asks
        // an index.
        cfg!(not(feature = "std"))
            || self.calls.is_empty()
                && self.skills.is_empty()
                && self.refusals.is_empty()
                && self.tasks.is_empty()
    }

    /// What is told of the call that a message answers. Ids are the provider's and
    /// come again in other sessions, so of several the nearest before the message
    /// is meant; where time does not tell them apart, all are returned.
    pub(super) fn calls(&self, id: &str, whose: Whose) -> Vec<&Call> {
        if self.is_empty() {
            return Vec::new();
        }
        let Some(all) = self.calls.get(&self.digests.hash(id)) else { return Vec::new() };
        // Sorted by time, those without one first.
        let (timeless, timed) = all.split_at(all.partition_point(|call| call.time.is_none()));
        let timed = match whose.time {
            Some(_) => near(timed, whose, |call| call.time.unwrap_or(0)),
            None => timed,
        };
        let found = || {
            let may_be = |call: &&Call| whose.may_be_of(call.context);
            timeless
                .iter()
                .take(MOST_CALLS)
                .chain(timed.iter().rev().take(MOST_CALLS))
                .filter(may_be)
        };
        let distance = |call: &Call| match (call.time, whose.time) {
            (Some(then), Some(_)) => whose.distance(then),
            _ => Some(0),
        };
        let surface = |call: &Call| usize::from(matches!(call.told, Told::Stream { .. }));
        let mut nearest = [u64::MAX; 2];
        for call in found() {
            if let Some(distance) = distance(call) {
                let nearest = &mut nearest[surface(call)];
                *nearest = (*nearest).min(distance);
            }
        }
        found().filter(|call| distance(call) == Some(nearest[surface(call)])).collect()
    }

    /// The skill whose text a message with a text of so many bytes is.
    pub(super) fn skill(&self, bytes: u64, whose: Whose) -> Option<&Skill> {
        let near = near(&self.skills, whose, |skill| skill.time);
        near.iter()
            .filter(|skill| skill.bytes == bytes && whose.may_be_of(skill.context))
            .filter_map(|skill| Some((whose.distance(skill.time)?, skill)))
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, skill)| skill)
    }

    /// Whether a text is what the model is told of a call that was refused.
    pub(super) fn is_refusal(&self, text: &str, whose: Whose) -> bool {
        let near = near(&self.refusals, whose, |refusal| refusal.time);
        near.iter()
            .any(|refusal| whose.may_be_of(refusal.context) && text.contains(&*refusal.reason))
    }

    /// The task that a user message belongs to.
    pub(super) fn task(&self, whose: Whose) -> Belongs<'_> {
        let Some(time) = whose.time.filter(|_| !self.is_empty()) else { return Belongs::Unknown };
        let begun = self.tasks.partition_point(|task| task.start <= time);
        let mut found: Option<&Task> = None;
        for task in self.tasks[..begun].iter().rev().take(MOST_TASKS) {
            if !whose.may_be_of(task.context) || task.end.is_some_and(|end| end < time) {
                continue;
            }
            match found {
                None => found = Some(task),
                // Two sessions at once, and nothing tells whose message it is.
                Some(other) if other.trusted != task.trusted => return Belongs::Unknown,
                Some(_) => {}
            }
            // A context has one task at a time.
            if whose.context.is_some() && task.context.is_some() {
                break;
            }
        }
        match found {
            Some(task) if task.trusted => Belongs::Trusted,
            Some(task) if task.answered.is_none_or(|answered| time <= answered) => {
                Belongs::IsTask(task)
            }
            _ => Belongs::Unknown,
        }
    }
}

/// The entries, sorted by time, that may be of the same moment as a message.
fn near<T>(sorted: &[T], whose: Whose, time: impl Fn(&T) -> u64) -> &[T] {
    let Some(now) = whose.time else { return &[] };
    let from = sorted.partition_point(|entry| time(entry) + WINDOW < now);
    let to = sorted.partition_point(|entry| time(entry) <= now + JITTER);
    &sorted[from..to.max(from)]
}
