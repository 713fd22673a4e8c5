//! Everything that the model reads in one turn.

use std::collections::HashMap;

use murmur_fence::wrap;

pub fn build_prompt(texts: &HashMap<String, String>) -> String {
    format!(
        "{}\n\n{}\n\n{}\n\n{}",
        texts["hook_memory"],
        texts["page_context"],
        wrap("tool_results", &texts["tool_results"]),
        texts["user_turn"],
    )
}
