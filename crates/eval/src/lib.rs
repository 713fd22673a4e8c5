//! Measure whether a fence holds.

#![warn(missing_debug_implementations)]

pub mod builder;
pub mod corpus;
pub mod demo;
mod dialects;
pub mod endpoint;
pub mod judge;
mod mutate;
mod pool;
pub mod probe;
pub mod prompt;
pub mod report;
pub mod results;
mod rng;
pub mod run;
pub mod score;
pub mod scripted;
pub mod stats;

pub use dialects::DialectName;
