//! Measure whether a fence holds.

#![warn(missing_debug_implementations)]

pub mod corpus;
mod rng;
