//! The report as one HTML page.

use super::summary::Summary;

/// The summary as one self-contained page.
pub fn html(_summary: &Summary) -> String {
    String::new()
}
