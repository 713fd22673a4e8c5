//! Whether the contract still serves who was built for the one last released.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wit_parser::{PackageId, Resolve, WorldId};
use xtask::{Layout, run};

use super::{Failure, say};

/// The package whose versions are compared.
const PACKAGE: &str = "murmur:fence";

/// Compares `wit/` with a directory, with a git revision, or with the last release.
pub fn wit_semver(against: Option<&str>) -> Result<(), Failure> {
    let layout = Layout::of_this_workspace();
    let (name, previous) = match against {
        Some(against) => {
            let directory = layout.root.join(against);
            match directory.is_dir() {
                true => (against.to_owned(), directory),
                false => (against.to_owned(), of_revision(&layout, against)?),
            }
        }
        None => match last_release(&layout.root) {
            Some(tag) => (tag.clone(), of_revision(&layout, &tag)?),
            None => {
                let version = env!("CARGO_PKG_VERSION");
                println!("{PACKAGE}@{version}  no release yet to compare with");
                return Ok(());
            }
        },
    };
    say(&format!("comparing wit/ with that of {name}"));
    let outcome = compare(&previous, &layout.root.join("wit"))
        .map_err(|reason| Failure::Check(format!("wit/ against that of {name}: {reason}")))?;
    println!("{PACKAGE}  {outcome}");
    Ok(())
}

fn last_release(root: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["-c", "safe.directory=*"]);
    git.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"]);
    Some(run(&mut git).ok()?.trim().to_owned()).filter(|tag| !tag.is_empty())
}

/// Writes the `wit` directory of a revision below the target directory.
fn of_revision(layout: &Layout, revision: &str) -> Result<PathBuf, Failure> {
    let to = layout.target.join("wit-previous");
    let failed = |error: std::io::Error| {
        Failure::Check(format!("failed to write `{}`: {error}", to.display()))
    };
    if to.exists() {
        fs::remove_dir_all(&to).map_err(failed)?;
    }
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&layout.root).args(["-c", "safe.directory=*"]).args(arguments);
        run(&mut git)
    };
    // Neither an option nor a path is a revision.
    let commit =
        git(&["rev-parse", "--verify", "--end-of-options", &format!("{revision}^{{commit}}")])?;
    let commit = commit.trim();
    for path in git(&["ls-tree", "-r", "-z", "--name-only", commit, "wit"])?.split_terminator('\0')
    {
        let file = to.join(path.strip_prefix("wit/").unwrap_or(path));
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        fs::write(&file, git(&["show", &format!("{commit}:{path}")])?).map_err(failed)?;
    }
    Ok(to)
}

/// Holds the package in `new` to that in `previous`, unless its version says that it
/// is another series.
fn compare(previous: &Path, new: &Path) -> Result<String, String> {
    let (mut old, old_package) = load(previous)?;
    let (mut resolve, new_package) = load(new)?;
    let was = old.packages[old_package].name.clone();
    let is = resolve.packages[new_package].name.clone();
    let series = |name: &wit_parser::PackageName| {
        name.version.as_ref().map(|version| match version.major {
            0 => (0, version.minor),
            major => (major, 0),
        })
    };
    if series(&was) != series(&is) {
        return Ok(format!("{is} is another series than {was}: nothing to hold it to"));
    }
    // Both may have one version, and then would be taken for one package.
    let mut apart = was.clone();
    apart.version = None;
    old.packages[old_package].name = apart.clone();
    old.package_names.shift_remove(&was);
    old.package_names.insert(apart, old_package);

    let worlds: Vec<(String, WorldId)> =
        old.packages[old_package].worlds.iter().map(|(name, id)| (name.clone(), *id)).collect();
    let merged = resolve.merge(old).map_err(|error| format!("{error:#}"))?;
    for (name, id) in &worlds {
        let old_world =
            merged.map_world(*id, Default::default()).map_err(|error| format!("{error:#}"))?;
        let new_world = *resolve.packages[new_package]
            .worlds
            .get(name)
            .ok_or_else(|| format!("the world `{name}` is gone"))?;
        // A host that was written for the old world loads a component of the new one:
        // what the check calls new is what is asked for.
        wit_component::semver_check(resolve.clone(), new_world, old_world).map_err(|error| {
            format!(
                "the world `{name}` no longer serves who was built for {was}; keep what it had, \
                 or raise the version to another series: {error:#}"
            )
        })?;
    }
    Ok(format!("{is} serves all that {was} did, in {} worlds", worlds.len()))
}

fn load(directory: &Path) -> Result<(Resolve, PackageId), String> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve
        .push_dir(directory)
        .map_err(|error| format!("failed to read `{}`: {error:#}", directory.display()))?;
    Ok((resolve, package))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "package murmur:fence@0.1.0;
        interface i {
            record r { a: u32 }
            f: func(x: r) -> string;
            g: func();
        }
        world w { export i; }";

    fn against_old(new: &str) -> Result<String, String> {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("all.wit"), text).unwrap();
            path
        };
        compare(&write("old", OLD), &write("new", new))
    }

    #[test]
    fn the_same_contract_and_one_with_another_function_pass() {
        assert!(against_old(OLD).unwrap().contains("serves all"));
        let more = OLD.replace("g: func();", "g: func(); h: func() -> u32;");
        assert!(against_old(&more).unwrap().contains("serves all"));
        let next = more.replace("@0.1.0", "@0.1.1");
        assert!(against_old(&next).unwrap().contains("serves all"));
    }

    #[test]
    fn a_function_that_is_gone_is_refused() {
        let reason = against_old(&OLD.replace("g: func();", "")).unwrap_err();
        assert!(reason.contains("the world `w` no longer serves"), "{reason}");
    }

    #[test]
    fn a_changed_type_is_refused() {
        for new in [
            OLD.replace("a: u32", "a: u64"),
            OLD.replace("a: u32", "a: u32, b: u32"),
            OLD.replace("-> string", "-> option<string>"),
        ] {
            let reason = against_old(&new).unwrap_err();
            assert!(reason.contains("the world `w` no longer serves"), "{reason}");
        }
    }

    #[test]
    fn a_world_that_is_gone_is_refused() {
        let reason = against_old(&OLD.replace("world w", "world v")).unwrap_err();
        assert_eq!(reason, "the world `w` is gone");
    }

    #[test]
    fn another_import_is_refused() {
        let new = OLD.replace("export i;", "export i; import log: func(line: string);");
        assert!(against_old(&new).is_err());
    }

    #[test]
    fn another_series_may_break() {
        let new = OLD.replace("@0.1.0", "@0.2.0").replace("g: func();", "");
        assert!(against_old(&new).unwrap().contains("another series"));
    }
}
