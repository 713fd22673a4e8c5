//! What a rustc at hand can do for wasm32-unknown-unknown.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::process::run;
use crate::{Error, quote};

/// The target that the guests are compiled for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// A rustc and what it says about itself.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    pub program: PathBuf,
    /// Where its shared libraries lie, if the system does not find them.
    pub libraries: Option<PathBuf>,
    pub sysroot: PathBuf,
    host: String,
    target_libdir: PathBuf,
}

impl Compiler {
    /// Asks the rustc that a cargo in `directory` would use.
    pub fn current(directory: &Path) -> Result<Compiler, Error> {
        Compiler::ask("rustc".into(), None, directory)
    }

    /// Asks `program`, started in `directory`.
    pub fn ask(
        program: PathBuf,
        libraries: Option<PathBuf>,
        directory: &Path,
    ) -> Result<Compiler, Error> {
        let mut command = Command::new(&program);
        command.current_dir(directory).args(["--print", "sysroot", "--print", "host-tuple"]);
        command.args(["--print", "target-libdir", "--target", TARGET]);
        if let Some(libraries) = &libraries {
            command.env("LD_LIBRARY_PATH", library_path(libraries));
        }
        let answer = run(&mut command)?;
        let lines: Vec<&str> = answer.lines().collect();
        let [sysroot, host, target_libdir] = lines[..] else {
            let command = format!("{} --print ...", quote(program.as_os_str()));
            return Err(Error::Failed { command, output: format!("not three lines: {answer:?}") });
        };
        Ok(Compiler {
            libraries,
            sysroot: sysroot.into(),
            host: host.to_owned(),
            target_libdir: target_libdir.into(),
            program,
        })
    }

    /// The release that it says it is.
    pub fn release(&self) -> Result<String, Error> {
        let mut command = Command::new(&self.program);
        command.arg("--version");
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", library_path(libraries));
        }
        let said = run(&mut command)?;
        said.split_whitespace().nth(1).map(str::to_owned).ok_or_else(|| Error::Failed {
            command: format!("{} --version", quote(self.program.as_os_str())),
            output: format!("no release in {said:?}"),
        })
    }

    /// Whether the target is installed: its core library is there.
    pub fn has_target(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.target_libdir) else { return false };
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libcore-") && name.ends_with(".rlib")
        })
    }

    /// Why `has_target` says no.
    pub fn missing_target(&self) -> String {
        format!("no core library in `{}`", self.target_libdir.display())
    }

    /// Whether the core library can be compiled: its source lies where
    /// `-Zbuild-std` looks.
    pub fn has_library_source(&self) -> bool {
        self.sysroot.join("lib/rustlib/src/rust/library/Cargo.lock").is_file()
    }

    /// The linker that comes with a rustup toolchain.
    pub fn linker(&self) -> Option<PathBuf> {
        let name = format!("rust-lld{}", env::consts::EXE_SUFFIX);
        let linker = self.sysroot.join("lib/rustlib").join(&self.host).join("bin").join(name);
        linker.is_file().then_some(linker)
    }
}

/// A value for `LD_LIBRARY_PATH` that puts a directory in front.
pub(crate) fn library_path(first: &Path) -> OsString {
    let mut path = first.as_os_str().to_owned();
    if let Some(rest) = env::var_os("LD_LIBRARY_PATH").filter(|rest| !rest.is_empty()) {
        path.push(OsStr::new(":"));
        path.push(rest);
    }
    path
}
