//! Receipts: what was declared of a push, and what was done.

use alloc::string::String;

use serde::{Serialize, Serializer};

use crate::trust::Trust;

/// What one push put into the text. Its JSON line is what a log keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The lane.
    pub lane: String,
    /// The lane's trust.
    #[serde(serialize_with = "as_word")]
    pub trust: Trust,
    /// The lane's whole budget, in bytes.
    pub budget: u32,
    /// How many bytes of content went in.
    pub bytes: usize,
    /// How many bytes of content the budget cut off the end.
    pub cut: usize,
    /// What the registry says: whether the lane must be fenced.
    pub declared: bool,
    /// What the written bytes say: whether this content stands in an intact
    /// block that names the lane.
    pub fenced: bool,
}

impl Receipt {
    /// Whether the content was to be fenced and is not.
    pub fn is_broken(&self) -> bool {
        self.declared && !self.fenced
    }

    /// The receipt as one line of JSON, without the newline.
    ///
    /// ```
    /// use murmur_fence::MarkerDialect;
    /// use murmur_fence_lanes::{Assembler, Lane, Registry, Trust};
    /// let mut registry = Registry::new();
    /// registry.insert(Lane::new("page_context", Trust::Model, 4)).unwrap();
    /// let mut prompt = Assembler::new(&registry, &MarkerDialect);
    /// assert_eq!(
    ///     prompt.push("page_context", "Hello").unwrap().to_json(),
    ///     "{\"lane\":\"page_context\",\"trust\":\"model\",\"budget\":4,\"bytes\":4,\"cut\":1,\
    ///      \"declared\":true,\"fenced\":true}",
    /// );
    /// ```
    pub fn to_json(&self) -> String {
        // Texts, numbers and truth values only: nothing here fails to print.
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn as_word<S: Serializer>(trust: &Trust, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(trust.as_str())
}
