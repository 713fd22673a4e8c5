//! Debian's wasm-capable rustc, unpacked below the target directory.
//!
//! apt-get resolves and downloads with state and cache directories of our own:
//! it needs no root, changes nothing in the system, and works on a machine whose
//! package lists are empty. What the system has installed already is not
//! downloaded again.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler::Compiler;
use crate::error::Attempt;
use crate::{Error, Layout, run};

/// The compiler, and the source of its library.
const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];

/// The source package of both and of the libraries that go with them.
const SOURCE_PACKAGE: &str = "rustc-web";

/// Written last: a directory without it is an interrupted download.
const STAMP: &str = "complete";

/// The system's configuration holds its mirrors and proxies, and with them hooks
/// that act on the system's own lists.
const APT_CONF: &str = "\
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::DEP-11-icons;
";

/// The compiler that an earlier run has unpacked.
pub(crate) fn unpacked(layout: &Layout) -> Option<Compiler> {
    let directory = directory(layout);
    if !directory.join(STAMP).is_file() {
        return None;
    }
    compiler(&directory).ok()
}

/// Downloads and unpacks the compiler, or waits for another process to do so.
pub(crate) fn fetch(layout: &Layout) -> Result<Compiler, Attempt> {
    fetch_locked(layout).map_err(|(what, error)| Attempt { what, outcome: error.last_line() })
}

fn directory(layout: &Layout) -> PathBuf {
    layout.toolchain().join("debian")
}

/// The step that failed, and how.
type Failure = (String, Error);

fn step<T>(what: &str, result: Result<T, Error>) -> Result<T, Failure> {
    result.map_err(|error| (what.to_owned(), error))
}

fn fetch_locked(layout: &Layout) -> Result<Compiler, Failure> {
    let parent = layout.toolchain();
    let preparing = "preparing Debian's rustc-web";
    step(preparing, create_dir(&parent))?;
    let _lock = step(preparing, lock(&parent.join("lock")))?;
    if let Some(compiler) = unpacked(layout) {
        return Ok(compiler);
    }

    let directory = directory(layout);
    let apt = Apt::new(directory.join("apt"));
    step(preparing, remove_dir(&directory))?;
    step(preparing, apt.prepare())?;

    // A list that cannot be fetched need not be the one that is wanted.
    let update = run(apt.command().arg("update"));
    if let Err(error @ Error::Start { .. }) = update {
        return Err(("`apt-get update`".to_owned(), error));
    }
    eprintln!("xtask: fetching a compiler for wasm from Debian, once, about 140 MB");
    let mut install = apt.command();
    install.args(["install", "--download-only", "--no-install-recommends", "-y"]);
    let download = run(install.args(PACKAGES));
    if let (Err(_), Err(error)) = (&download, update) {
        return Err(("`apt-get update`".to_owned(), error));
    }
    step("`apt-get install --download-only rustc-web rust-web-src`", download)?;

    let unpacking = "unpacking Debian's rustc-web";
    let archives = step(unpacking, apt.archives())?;
    eprintln!("xtask: unpacking {} packages", archives.len());
    for archive in &archives {
        let mut dpkg = Command::new("dpkg-deb");
        step("`dpkg-deb -x`", run(dpkg.arg("-x").arg(archive).arg(&directory)))?;
    }
    step(unpacking, remove_dir(&apt.directory))?;
    step(unpacking, prune_source(&directory.join("usr/src")))?;

    let compiler = step("Debian's rustc", compiler(&directory))?;
    if !compiler.has_library_source() {
        let output = format!("no library source in `{}`", compiler.sysroot.display());
        return Err((unpacking.to_owned(), Error::Failed { command: "dpkg-deb".into(), output }));
    }
    let stamp = directory.join(STAMP);
    step(unpacking, fs::write(&stamp, "").map_err(Error::file("write", stamp)))?;
    Ok(compiler)
}

/// The compiler in an unpacked directory.
fn compiler(directory: &Path) -> Result<Compiler, Error> {
    let lib = directory.join("usr/lib");
    // The one that is named after the architecture, as in `x86_64-linux-gnu`.
    let libraries = entries(&lib)?.into_iter().find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains("-linux-"))
    });
    Compiler::ask(directory.join("usr/bin/rustc"), libraries, directory)
}

/// Keeps the library of the Rust source; the rest is four fifths of it.
fn prune_source(directory: &Path) -> Result<(), Error> {
    for source in entries(directory)? {
        for entry in entries(&source)? {
            if entry.is_dir() && !entry.ends_with("library") {
                remove_dir(&entry)?;
            }
        }
    }
    Ok(())
}

/// An apt-get with its own lists, cache and view of what is installed.
struct Apt {
    directory: PathBuf,
}

impl Apt {
    fn new(directory: PathBuf) -> Apt {
        Apt { directory }
    }

    fn prepare(&self) -> Result<(), Error> {
        create_dir(&self.directory.join("state/lists/partial"))?;
        create_dir(&self.directory.join("cache/archives/partial"))?;
        let system = Path::new("/var/lib/dpkg/status");
        let installed = fs::read_to_string(system).map_err(Error::file("read", system))?;
        self.write("status", &without_our_packages(&installed))?;
        self.write("apt.conf", APT_CONF)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.directory.join(name);
        fs::write(&path, text).map_err(Error::file("write", path))
    }

    fn command(&self) -> Command {
        let mut command = Command::new("apt-get");
        command.env("LC_ALL", "C").arg("-q").arg("-c").arg(self.directory.join("apt.conf"));
        let mut option = |name: &str, value: &Path| {
            let mut setting = OsString::from(name);
            setting.push("=");
            setting.push(value);
            command.arg("-o").arg(setting);
        };
        option("Dir::State", &self.directory.join("state"));
        // Also tells apt which directory dpkg's lock is in.
        option("Dir::State::status", &self.directory.join("status"));
        option("Dir::Cache", &self.directory.join("cache"));
        // Root's apt-get would download as a user who may not write here.
        option("APT::Sandbox::User", Path::new("root"));
        option("Acquire::Languages", Path::new("none"));
        option("Acquire::Retries", Path::new("2"));
        option("Acquire::http::Timeout", Path::new("30"));
        command
    }

    fn archives(&self) -> Result<Vec<PathBuf>, Error> {
        let mut archives = entries(&self.directory.join("cache/archives"))?;
        archives.retain(|path| path.extension().is_some_and(|extension| extension == "deb"));
        Ok(archives)
    }
}

/// dpkg's status without the packages that are to be unpacked here. Were they
/// installed in the system, apt would leave them out.
fn without_our_packages(status: &str) -> String {
    let ours = |stanza: &&str| {
        stanza.lines().any(|line| match line.split_once(": ") {
            Some(("Package", name)) => PACKAGES.contains(&name),
            // The version of the source package may follow its name.
            Some(("Source", name)) => name.split(' ').next() == Some(SOURCE_PACKAGE),
            _ => false,
        })
    };
    let kept: Vec<&str> = status.split("\n\n").filter(|stanza| !ours(stanza)).collect();
    kept.join("\n\n")
}

fn lock(path: &Path) -> Result<File, Error> {
    let file = File::create(path).map_err(Error::file("create", path))?;
    file.lock().map_err(Error::file("lock", path))?;
    Ok(file)
}

fn create_dir(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::file("create", path))
}

fn remove_dir(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(Error::file("remove", path)),
    }
}

/// The paths in a directory, in order.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = fs::read_dir(directory)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        paths.sort();
        Ok(paths)
    };
    read().map_err(Error::file("list", directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn installed_packages_of_ours_are_hidden_from_apt_and_others_are_not() {
        let status = "\
Package: libstd-rust-web-1.96
Status: install ok installed
Source: rustc-web (1.96.0+dfsg1-1)

Package: rustc-web
Status: install ok installed

Package: rustc
Status: install ok installed
Depends: libstd-rust-1.63, rustc-web

Package: libllvm22
Source: llvm-toolchain-22
";
        let expected = "\
Package: rustc
Status: install ok installed
Depends: libstd-rust-1.63, rustc-web

Package: libllvm22
Source: llvm-toolchain-22
";
        assert_eq!(without_our_packages(status), expected);
    }
}
