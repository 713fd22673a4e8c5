//! Unsafe code stands only in the files that SECURITY.md accounts for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use xtask::list_sources;

use crate::tasks::Failure;

/// The section of SECURITY.md whose table names the files.
const SECTION: &str = "## Unsafe code";

/// Compares the files that have unsafe code with those that are accounted for.
pub fn unsafe_code(root: &Path) -> Result<(), Failure> {
    let unreadable =
        |error: std::io::Error| Failure::Check(format!("failed to read SECURITY.md: {error}"));
    let account = fs::read_to_string(root.join("SECURITY.md")).map_err(unreadable)?;
    let accounted = accounted(&account);
    let mut found = BTreeSet::new();
    for path in list_sources(root)? {
        if path.extension().is_some_and(|extension| extension == "rs")
            && fs::read_to_string(root.join(&path)).is_ok_and(|text| has_unsafe_code(&text))
        {
            found.insert(path.to_string_lossy().into_owned());
        }
    }
    if found == accounted {
        return Ok(());
    }
    let list = |set: BTreeSet<&String>| set.into_iter().cloned().collect::<Vec<_>>().join(", ");
    Err(Failure::Check(format!(
        "the files with unsafe code are not those in `{SECTION}` of SECURITY.md; \
         not accounted for: [{}]; accounted for without need: [{}]",
        list(found.difference(&accounted).collect()),
        list(accounted.difference(&found).collect()),
    )))
}

/// The file at the head of each row of the section's table.
fn accounted(text: &str) -> BTreeSet<String> {
    let section = text.split(SECTION).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect()
}

/// Whether code, comments aside, has the keyword before what it marks.
fn has_unsafe_code(text: &str) -> bool {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).any(|line| {
        line.match_indices("unsafe").any(|(at, keyword)| {
            let before = line[..at].chars().next_back();
            let after = line[at + keyword.len()..].trim_start();
            let starts = ["{", "fn ", "impl ", "impl<", "extern ", "trait "];
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-' && c != '"')
                && starts.iter().any(|start| after.starts_with(start))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_functions_and_impls_are_found_and_words_are_not() {
        let keyword = "unsafe";
        for rest in [" { x() }", " fn f() {}", " impl Sync for X {}", " extern \"C\" {}"] {
            assert!(has_unsafe_code(&format!("    let y = 1;\n    {keyword}{rest}")), "{rest}");
        }
        for text in
            ["fn is_unsafe(c: char) {", "// unsafe { }", "allow(unsafe_code)", "'unsafe-inline'"]
        {
            assert!(!has_unsafe_code(text), "{text}");
        }
    }

    #[test]
    fn the_account_is_the_table_of_its_own_section() {
        let text = "| `a.rs` |\n## Unsafe code\n| file |\n| `b/c.rs` | why `d.rs` |\n\n## Next\n| `e.rs` |\n";
        assert_eq!(accounted(text), BTreeSet::from(["b/c.rs".to_owned()]));
    }
}
