//! The guard before a commit: staged source names no lane that the staged
//! registry does not have.

use core::fmt;
use std::format;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::string::{String, ToString};
use std::vec::Vec;

use crate::finding::{Finding, Rule};
use crate::registry::{Problem, Registry};
use crate::scan::{self, Names, Stray};

/// What the guard looks at.
#[derive(Clone, Debug)]
pub struct Options {
    /// The registry's path, from the root of the work tree.
    pub registry: String,
    /// What to look for.
    pub names: Names,
    /// Whether test files count.
    pub tests: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { registry: "lanes.toml".to_string(), names: Names::default(), tests: false }
    }
}

/// The name as the header of its table spells it.
fn toml_key(name: &str) -> String {
    let is_bare = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_string() } else { format!("\"{name}\"") }
}

/// The lane names on staged lines that the registry does not have, in the
/// repository around `dir`. Paths are from the root of the work tree. The
/// registry is the staged one: a table that is not staged would not be in the
/// commit.
///
/// # Errors
///
/// git fails, or the staged registry is missing or unsound.
pub fn staged(dir: &Path, options: &Options) -> Result<Vec<Finding>, GuardError> {
    let root = git(dir, &["rev-parse", "--show-toplevel"])?;
    let root = Path::new(root.trim_end_matches('\n'));
    let text =
        git(root, &["cat-file", "blob", &format!(":0:{}", options.registry)]).map_err(|error| {
            GuardError::NoRegistry { path: options.registry.clone(), why: error.to_string() }
        })?;
    let registry = Registry::parse(&text)
        .map_err(|problems| GuardError::Registry { path: options.registry.clone(), problems })?;
    let mut findings = Vec::new();
    for path in changed_files(root)? {
        if scan::is_passed_over(&path, options.tests) || !scan::is_source(Path::new(&path)) {
            continue;
        }
        let source = git(root, &["cat-file", "blob", &format!(":0:{path}")])?;
        let strays = scan::strays(Path::new(&path), &source, &options.names, &registry)
            .map_err(|why| GuardError::Source { path: path.clone(), why: why.as_str() })?;
        if strays.is_empty() {
            continue;
        }
        let added = added_lines(root, &path)?;
        for Stray { lane, place, call_place, call } in strays {
            // A call may be changed on another line than that of its literal.
            let lines = call_place.line..place.line + 1;
            if added.iter().any(|added| added.start < lines.end && lines.start < added.end) {
                let message = format!(
                    "`{call}` names lane `{lane}`, and {} does not say whose text that is; stage \
                     a table [{}] with its `trust` and `budget`",
                    options.registry,
                    toml_key(&lane),
                );
                let (rule, path) = (Rule::LaneRegistered, path.clone());
                findings.push(Finding { rule, message, path, place: Some(place) });
            }
        }
    }
    Ok(findings)
}

/// The files whose content the commit adds or changes. Renamed and copied files name
/// their lanes under the new path. A link or a submodule may be called like a source
/// file and is none.
fn changed_files(root: &Path) -> Result<Vec<String>, GuardError> {
    let listed = git(
        root,
        &["diff", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT"],
    )?;
    // `:OLDMODE NEWMODE OLDHASH NEWHASH STATUS`, then the path.
    let mut fields = listed.split('\0');
    let mut files = Vec::new();
    while let (Some(change), Some(path)) = (fields.next(), fields.next()) {
        if matches!(change.split(' ').nth(1), Some("100644" | "100755")) {
            files.push(path.to_string());
        }
    }
    Ok(files)
}

/// The lines of the staged file that the commit adds or changes, also where
/// `.gitattributes` or a zero byte makes git take it for binary.
fn added_lines(root: &Path, path: &str) -> Result<Vec<core::ops::Range<u32>>, GuardError> {
    let diff = git(
        root,
        &[
            "diff",
            "--cached",
            "--text",
            "--unified=0",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--",
            path,
        ],
    )?;
    // With no context, a line of content starts with `+`, `-` or `\`.
    Ok(diff.lines().filter(|line| line.starts_with("@@")).filter_map(added_range).collect())
}

/// What `@@ -3,0 +4,2 @@` adds: lines 4 and 5.
fn added_range(hunk: &str) -> Option<core::ops::Range<u32>> {
    let added = hunk.split(' ').find_map(|part| part.strip_prefix('+'))?;
    let (start, count) = match added.split_once(',') {
        Some((start, count)) => (start.parse().ok()?, count.parse().ok()?),
        None => (added.parse().ok()?, 1),
    };
    Some(start..u32::saturating_add(start, count))
}

fn git(dir: &Path, arguments: &[&str]) -> Result<String, GuardError> {
    let failed = |why: String| GuardError::Git { command: arguments[0].to_string(), why };
    let mut command = Command::new("git");
    // Every path is that of one file.
    for pathspecs in ["GLOB", "NOGLOB", "ICASE", "LITERAL"] {
        command.env_remove(format!("GIT_{pathspecs}_PATHSPECS"));
    }
    let output =
        command.arg("--literal-pathspecs").arg("-C").arg(dir).args(arguments).output().map_err(
            |error| match error.kind() {
                ErrorKind::NotFound => {
                    failed("there is no git on the PATH; install it".to_string())
                }
                _ => failed(error.to_string()),
            },
        )?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Why the guard cannot tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardError {
    /// git could not be run, or refused.
    Git {
        /// The command of git.
        command: String,
        /// Why.
        why: String,
    },
    /// The registry is not in git's index.
    NoRegistry {
        /// Its path from the root of the work tree.
        path: String,
        /// Why.
        why: String,
    },
    /// A staged file cannot be read as its language.
    Source {
        /// Its path from the root of the work tree.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// The staged registry is not sound.
    Registry {
        /// Its path from the root of the work tree.
        path: String,
        /// Every problem; never empty.
        problems: Vec<Problem>,
    },
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuardError::Git { command, why } => {
                write!(f, "failed to run `git {command}`: {why}")
            }
            GuardError::NoRegistry { path, why } => write!(
                f,
                "no registry `{path}` is staged or committed; add it to git, or name another one \
                 ({why})",
            ),
            GuardError::Source { path, why } => write!(
                f,
                "failed to read the staged `{path}`: {why}; change it, or leave it to another \
                 check with `git commit --no-verify`",
            ),
            GuardError::Registry { path, problems } => {
                let problems: Vec<_> =
                    problems.iter().map(|problem| format!("{path}:{problem}")).collect();
                write!(f, "the staged registry is not sound: {}", problems.join("\n"))
            }
        }
    }
}

impl core::error::Error for GuardError {}
