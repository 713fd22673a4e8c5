//! From a guest's sources to a component file.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use wit_component::ComponentEncoder;

use crate::compiler::TARGET;
use crate::process::{run, unshaped_cargo};
use crate::{Error, Layout, Toolchain, metadata};

/// The two components that this project ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guest {
    /// World `fence-component`: `murmur-fence.wasm`.
    Fence,
    /// World `conversation`: `murmur-fence-conversation.wasm`.
    Conversation,
}

impl Guest {
    /// Both of them.
    pub const ALL: [Guest; 2] = [Guest::Fence, Guest::Conversation];

    /// The package that it is built from.
    pub fn package(self) -> &'static str {
        match self {
            Guest::Fence => "guest-fence",
            Guest::Conversation => "guest-conversation",
        }
    }

    /// The name of its file, without `.wasm`.
    pub fn name(self) -> &'static str {
        match self {
            Guest::Fence => "murmur-fence",
            Guest::Conversation => "murmur-fence-conversation",
        }
    }

    /// What it is, in one sentence, as its metadata says.
    pub fn description(self) -> &'static str {
        match self {
            Guest::Fence => {
                "The untrusted fence: marks where text came from and proves the marks; imports nothing"
            }
            Guest::Conversation => {
                "The untrusted fence and a conversation record, read from the first preopened directory"
            }
        }
    }

    /// The variable that names a file to be used in place of a built one.
    pub fn variable(self) -> &'static str {
        match self {
            Guest::Fence => "MURMUR_FENCE_COMPONENT",
            Guest::Conversation => "MURMUR_FENCE_CONVERSATION",
        }
    }
}

/// The path of a component, built from the sources as they are now unless
/// [`Guest::variable`] names a file. Any number of processes may call it at once.
///
/// # Errors
/// What the variable names is not a file; no compiler ([`Error::NoToolchain`]);
/// the compiler's own errors ([`Error::Failed`]).
pub fn component(which: Guest) -> Result<PathBuf, Error> {
    if let Some(path) = env::var_os(which.variable()).filter(|path| !path.is_empty()) {
        let layout = Layout::of_this_workspace();
        let path = layout.root.join(path);
        return match path.is_file() {
            true => Ok(path),
            false => Err(Error::MissingComponent { variable: which.variable(), path }),
        };
    }
    build_guest(which.package(), &[], which.name())
}

/// Builds a guest package with some of its features as `{out_name}.wasm`; within
/// one process, once.
///
/// # Errors
/// As [`component`].
pub fn build_guest(package: &str, features: &[&str], out_name: &str) -> Result<PathBuf, Error> {
    static BUILT: Mutex<BTreeMap<(String, String, String), PathBuf>> = Mutex::new(BTreeMap::new());
    let request = (package.to_owned(), features.join(","), out_name.to_owned());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = built.get(&request) {
        return Ok(path.clone());
    }
    let layout = Layout::of_this_workspace();
    let toolchain = Toolchain::find(&layout)?;
    let build = Build::new(layout.root.clone(), layout.wasm());
    let component = build.component(&toolchain, package, features)?;
    let path = layout.components().join(format!("{out_name}.wasm"));
    write_at_once(&path, &component)?;
    built.insert(request, path.clone());
    Ok(path)
}

/// Bytes of linear memory that a guest starts with: 1 MiB of stack, its constants, and a
/// heap of at least the 64 KiB that its allocator asks for first.
const INITIAL_MEMORY: usize = (1 << 20) + (256 << 10);

/// A build of guests: which sources, and where.
#[derive(Clone, Debug)]
pub struct Build {
    sources: PathBuf,
    target: PathBuf,
    cargo_home: Option<PathBuf>,
}

impl Build {
    /// Of the workspace at `sources`, in a target directory of its own.
    pub fn new(sources: PathBuf, target: PathBuf) -> Build {
        let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo_home = cargo_home.or_else(|| Some(env::home_dir()?.join(".cargo")));
        Build { sources, target, cargo_home }
    }

    /// Where cargo keeps the sources of dependencies.
    pub fn cargo_home(&self) -> Option<&Path> {
        self.cargo_home.as_deref()
    }

    /// With another home for cargo.
    pub fn with_cargo_home(self, cargo_home: PathBuf) -> Build {
        Build { cargo_home: Some(cargo_home), ..self }
    }

    /// The bytes of one package's component.
    ///
    /// # Errors
    /// [`Error::Failed`] with the compiler's output; [`Error::Encode`] when the
    /// module is not what its world says.
    pub fn component(
        &self,
        toolchain: &Toolchain,
        package: &str,
        features: &[&str],
    ) -> Result<Vec<u8>, Error> {
        let module = self.module(toolchain, package, features)?;
        let encode = || ComponentEncoder::default().validate(true).module(&module)?.encode();
        let encoded = encode().map_err(|error| format!("{error:#}"));
        encoded
            .and_then(|component| metadata::stamp(package, &component))
            .map_err(|reason| Error::Encode { package: package.to_owned(), reason })
    }

    fn module(
        &self,
        toolchain: &Toolchain,
        package: &str,
        features: &[&str],
    ) -> Result<Vec<u8>, Error> {
        fs::create_dir_all(&self.target).map_err(Error::file("create", &self.target))?;
        // Builds of one package with different features share a file name: it
        // must be read before another build writes it. Cargo's own lock ends
        // with cargo.
        let lock_path = self.target.join("xtask.lock");
        let lock = File::create(&lock_path).map_err(Error::file("create", &lock_path))?;
        lock.lock().map_err(Error::file("lock", &lock_path))?;

        let mut cargo = unshaped_cargo(&self.sources);
        cargo.args(["build", "--quiet", "--locked", "--profile", "component", "--lib"]);
        cargo.args(["--package", package, "--features", &features.join(",")]);
        cargo.arg("--target-dir").arg(&self.target);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", self.rustflags(toolchain));
        if let Some(cargo_home) = &self.cargo_home {
            cargo.env("CARGO_HOME", cargo_home);
        }
        toolchain.apply(&mut cargo);
        run(&mut cargo)?;

        let file = format!("{}.wasm", package.replace('-', "_"));
        let path = self.target.join(TARGET).join("component").join(file);
        fs::read(&path).map_err(Error::file("read", path))
    }

    /// Flags for the guests alone: build scripts and macros do not get them.
    fn rustflags(&self, toolchain: &Toolchain) -> OsString {
        // The marker scan is several times faster; every host of components has
        // it. The standard library that rustup ships links with it all the same.
        let mut flags = OsString::from("-Ctarget-feature=+simd128");
        // Room for a first small call, so that it need not grow the memory: for a host
        // that is a change of its page tables, forth and, for the next instance, back.
        flags.push(format!("\x1f-Clink-arg=--initial-memory={INITIAL_MEMORY}"));
        // Where it was built must not show in a component. The last match counts.
        let cargo_home = self.cargo_home.as_deref().map(|path| (path, "/cargo"));
        let remapped = [(self.sources.as_path(), "/murmur-fence"), (&self.target, "/target")];
        for (from, to) in
            remapped.into_iter().chain(cargo_home).chain([(toolchain.sysroot(), "/rust")])
        {
            // The separator of CARGO_ENCODED_RUSTFLAGS.
            flags.push("\x1f--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
        flags
    }
}

/// Writes a file so that a reader sees the old one or the new one, however many
/// processes and threads write it at once. One that holds these bytes already is
/// left as it is.
pub(crate) fn write_at_once(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(Error::file("create", directory))?;
    // Its own default is a file that nobody else can read.
    let mut temporary = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        .map_err(Error::file("write a file in", directory))?;
    temporary.write_all(bytes).map_err(Error::file("write", temporary.path()))?;
    let moved = temporary.persist(path).map_err(|failed| failed.error);
    moved.map(drop).map_err(Error::file("write", path))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_that_write_one_file_at_once_all_succeed_and_no_reader_sees_a_part() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("made/component.wasm");
        let contents = [vec![b'a'; 1 << 20], vec![b'b'; 1 << 20]];
        thread::scope(|scope| {
            for writer in 0..4 {
                let (path, contents) = (&path, &contents);
                scope.spawn(move || {
                    for turn in 0..20 {
                        write_at_once(path, &contents[(writer + turn) % 2]).unwrap();
                        let read = fs::read(path).unwrap();
                        assert!(contents.contains(&read), "{} bytes", read.len());
                    }
                });
            }
        });
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "temporary files are left");
    }
}
