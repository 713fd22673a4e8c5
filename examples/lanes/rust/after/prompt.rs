//! Everything that the model reads in one turn.

use std::collections::HashMap;

use murmur_fence::wrap;

pub fn build_prompt(texts: &HashMap<String, String>, task: &str) -> String {
    let mut out: Vec<String> = texts.iter().map(|(lane, text)| wrap(lane, text)).collect();
    out.push(task.to_owned());
    out.join("\n\n")
}
