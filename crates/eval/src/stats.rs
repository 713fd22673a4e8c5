//! Rates with their intervals, differences with theirs, and what may be said of them.

mod difference;
mod interval;
mod verdict;

pub use difference::{Difference, Pairs};
pub use interval::{Interval, Rate};
pub use verdict::{Bar, Verdict};
