//! What must hold of every commit, beside the tests.

mod licences;
mod unsafe_code;
mod versions;

use std::fs;
use std::path::Path;

use xtask::{Guest, Layout, cargo, list_sources, show};

use super::{Failure, instructions, read, repro, say, wit_semver};

/// The most that a component may weigh, in bytes. A third of it is the lanes: the
/// TOML parser and what it needs of the core library; a sixth is the audit. The core
/// library that rustup ships keeps the texts of panics that cannot happen, some 11 kB;
/// one compiled along with the guests does not.
fn size_budget(guest: Guest) -> usize {
    match guest {
        Guest::Fence => 616 * 1024,
        Guest::Conversation => 656 * 1024,
    }
}

/// Runs every check.
pub fn ci() -> Result<(), Failure> {
    let root = Layout::of_this_workspace().root;
    say("checking versions, licences, the contract and the account of unsafe code");
    versions::versions(&root)?;
    licences::licences(&root)?;
    wit_semver(None)?;
    unsafe_code::unsafe_code(&root)?;
    say("checking the formatting");
    show(cargo(&root).args(["fmt", "--all", "--check"]))?;
    say("checking the lints");
    let deny = ["--", "-D", "warnings"];
    show(cargo(&root).args(["clippy", "--quiet", "--workspace", "--all-targets"]).args(deny))?;
    say("checking the documentation");
    let mut doc = cargo(&root);
    doc.args(["doc", "--quiet", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    show(&mut doc)?;
    say("building murmur-fence without default features");
    let bare = ["build", "--quiet", "--package", "murmur-fence", "--no-default-features"];
    show(cargo(&root).args(bare))?;
    instructions(false)?;
    say("checking that the components are reproducible");
    repro()?;
    say("checking the sizes of the components");
    sizes()?;
    say("checking that no file names a directory of one machine");
    private_paths(&root)
}

fn sizes() -> Result<(), Failure> {
    for guest in Guest::ALL {
        let size = read(&xtask::component(guest)?)?.len();
        let (name, budget) = (guest.name(), size_budget(guest));
        if size > budget {
            return Err(Failure::Check(format!(
                "{name} has {size} bytes, which is over its budget of {budget}; \
                 find what grew, or raise the budget and say why"
            )));
        }
        println!("{name}  {size} of {budget} bytes");
    }
    Ok(())
}

/// Directories in which people and build machines keep a checkout.
const PRIVATE: [&str; 4] = ["home", "root", "Users", "work"];

fn private_paths(root: &Path) -> Result<(), Failure> {
    let mut found = Vec::new();
    for path in list_sources(root)? {
        // Only text can name a path that somebody would follow.
        let Ok(text) = fs::read_to_string(root.join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            if names_private_path(line) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!(
        "these lines name a directory of one machine; make them relative:\n{}",
        found.join("\n")
    )))
}

/// Whether the line has an absolute path into a [`PRIVATE`] directory.
fn names_private_path(line: &str) -> bool {
    line.match_indices('/').any(|(at, _)| {
        // `a/home/b` and `~/work/` are relative; so is the path of a URL.
        let absolute =
            !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~/}>$".contains(c));
        absolute
            && PRIVATE.iter().any(|name| {
                line[at + 1..].strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_into_private_directories_are_found() {
        for name in PRIVATE {
            assert!(names_private_path(&format!("see /{name}/someone/notes")), "{name}");
            assert!(names_private_path(&format!("/{name}/x")), "{name}");
            assert!(names_private_path(&format!("path=\"/{name}/x\"")), "{name}");
        }
    }

    #[test]
    fn relative_paths_urls_and_other_directories_are_not() {
        for name in PRIVATE {
            assert!(!names_private_path(&format!("docs/{name}/x")), "{name}");
            assert!(!names_private_path(&format!("~/{name}/x")), "{name}");
            assert!(!names_private_path(&format!("https://example.org/{name}/x")), "{name}");
            assert!(!names_private_path(&format!("/{name}stead/x")), "{name}");
        }
        assert!(!names_private_path("/usr/lib/x"));
    }
}
