//! What is measured, and on which texts: shared by the timings and the
//! instruction counts.

pub mod corpus;
pub mod paired;
pub mod plain;
pub mod subject;
