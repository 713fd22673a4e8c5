//! Measure whether a fence holds.

#![warn(missing_debug_implementations)]

pub mod builder;
pub mod corpus;
mod mutate;
pub mod prompt;
mod rng;
pub mod score;
pub mod stats;
