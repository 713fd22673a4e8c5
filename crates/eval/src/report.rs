//! What a results file says: rates, differences and verdicts, and two runs compared.

mod chart;
mod compare;
mod date;
mod escape;
mod html;
mod scope;
mod style;
mod summary;
mod table;

pub use compare::{Change, Comparison, compare};
pub use html::html;
pub use scope::{Measure, Scope};
pub use summary::{Cell, Example, Judged, Row, Spent, Summary};
pub use table::{comparison_table, summary_table};
