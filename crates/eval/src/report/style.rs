//! The style sheet of the HTML report.

pub(super) const CSS: &str = "";
