//! One version for the crates, the contract, the examples and the change log.

use std::fs;
use std::path::Path;

use xtask::list_sources;

use crate::tasks::Failure;

/// Checks every mention of a version of the contract or of a crate of ours.
pub fn versions(root: &Path) -> Result<(), Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let mut wrong = Vec::new();
    for path in list_sources(root)? {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let Ok(text) = fs::read_to_string(root.join(&path)) else { continue };
        let name = path.to_string_lossy();
        if name == "CHANGELOG.md" {
            if !is_headed(&text, version) {
                wrong
                    .push(format!("{name}: the first heading is neither Unreleased nor {version}"));
            }
            continue;
        }
        if matches!(extension, Some("wit" | "md" | "toml")) {
            for other in mentioned(&text).filter(|other| *other != version) {
                wrong.push(format!("{name}: `murmur:fence` of version {other}"));
            }
        }
        if extension == Some("toml") {
            for other in dependencies(&text).filter(|other| *other != version) {
                wrong.push(format!("{name}: a crate of ours of version {other}"));
            }
        }
        if matches!(
            path.file_name().and_then(|name| name.to_str()),
            Some("pyproject.toml" | "package.json")
        ) && let Some(other) = packaged(&text).filter(|other| *other != version)
        {
            wrong.push(format!("{name}: version {other}"));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Failure::Check(format!(
            "the version of the workspace is {version}, and these say otherwise:\n{}",
            wrong.join("\n")
        ))),
    }
}

/// The versions in `murmur:fence@V` and `murmur:fence/name@V`.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.split("murmur:fence").skip(1).filter_map(|rest| {
        let name = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let rest = rest.strip_prefix('/').map_or(rest, |path| path.trim_start_matches(name));
        number(rest.strip_prefix('@')?)
    })
}

/// The versions of lines such as `murmur-fence = { path = "..", version = "V" }`.
fn dependencies(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| line.starts_with("murmur-fence") && line.contains("path = "))
        .filter_map(|line| {
            number(line.split_once("version = \"")?.1.trim_start_matches(['=', '^']))
        })
}

/// The first version in a package's own manifest.
fn packaged(text: &str) -> Option<&str> {
    text.lines().map(str::trim).find_map(|line| {
        let rest =
            line.strip_prefix("version = \"").or_else(|| line.strip_prefix("\"version\": \""))?;
        number(rest)
    })
}

/// The three numbers at the start of a text.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (number.split('.').count() == 3).then_some(number)
}

/// Whether the first section of the change log is the one to come or this version's.
fn is_headed(text: &str, version: &str) -> bool {
    let heading = text.lines().find_map(|line| line.strip_prefix("## ")).unwrap_or_default();
    heading == "Unreleased" || heading.split_whitespace().next() == Some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_where_they_stand() {
        let text =
            "import murmur:fence/fence@0.2.0; package murmur:fence@1.2.3. and murmur:fence alone";
        assert_eq!(mentioned(text).collect::<Vec<_>>(), ["0.2.0", "1.2.3"]);
        let text = "memchr = \"2.8.0\"\nmurmur-fence-host = { path = \"x\", version = \"0.3.0\" }";
        assert_eq!(dependencies(text).collect::<Vec<_>>(), ["0.3.0"]);
        assert_eq!(packaged("{\n  \"version\": \"0.4.0\",\n"), Some("0.4.0"));
        assert_eq!(packaged("[project]\nversion = \"0.5.0\"\n"), Some("0.5.0"));
    }

    #[test]
    fn a_change_log_begins_with_this_version_or_with_what_is_to_come() {
        assert!(is_headed("# Changelog\n\n## Unreleased\n", "0.1.0"));
        assert!(is_headed("# Changelog\n\n## 0.1.0 (2026-12-01)\n", "0.1.0"));
        assert!(!is_headed("# Changelog\n\n## 0.2.0\n", "0.1.0"));
        assert!(!is_headed("", "0.1.0"));
    }
}
