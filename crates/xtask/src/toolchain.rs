//! Finding or fetching a way to compile for wasm32-unknown-unknown.
//!
//! In this order:
//!
//! 1. `WASM_RUSTC` names a compiler: that one and no other.
//! 2. The current rustc has the target: a plain `cargo build`.
//! 3. A compiler that an earlier run unpacked below `target/toolchain`.
//! 4. rustup can add the target to the current toolchain.
//! 5. Debian's `rustc-web` and `rust-web-src`, unpacked below
//!    `target/toolchain` without root, compile the core library along with the
//!    guests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler::{Compiler, TARGET, library_path};
use crate::error::Attempt;
use crate::{Error, Layout, debian, run};

/// A way to compile the guests.
#[derive(Clone, Debug)]
pub struct Toolchain {
    compiler: Compiler,
    /// Whether cargo is told to use `compiler`; else it finds the same one.
    named: bool,
    /// The linker of a compiler without the target, which has to compile the
    /// core library too.
    build_std: Option<PathBuf>,
}

impl Toolchain {
    /// Finds a way, fetching a compiler if it must. Says on standard error what
    /// takes long or was tried in vain.
    ///
    /// # Errors
    /// [`Error::NoToolchain`] with all that was tried;
    /// [`Error::UnusableCompiler`] for a bad `WASM_RUSTC`.
    pub fn find(layout: &Layout) -> Result<Toolchain, Error> {
        let current = Compiler::current(&layout.root);
        if let Some(rustc) = env::var_os("WASM_RUSTC").filter(|rustc| !rustc.is_empty()) {
            return Toolchain::named(rustc.into(), layout, current.ok().as_ref());
        }

        let mut attempts = Vec::new();
        let rustc = "`rustc --print target-libdir`";
        let linker = match current {
            Ok(current) if current.has_target() => return Ok(Toolchain::installed(current)),
            Ok(current) => {
                attempts.push(Attempt { what: rustc.into(), outcome: current.missing_target() });
                current
                    .linker()
                    .ok_or("the current toolchain has no rust-lld, which links for wasm")
            }
            Err(error) => {
                attempts.push(Attempt { what: rustc.into(), outcome: error.last_line() });
                Err("there is no rustc whose linker it could use")
            }
        };

        if let (Some(compiler), Ok(linker)) = (debian::unpacked(layout), &linker) {
            return Ok(Toolchain::from_source(compiler, linker.clone()));
        }

        match add_target(&layout.root) {
            Ok(current) => return Ok(Toolchain::installed(current)),
            Err(attempt) => {
                eprintln!("xtask: {} did not help: {}", attempt.what, attempt.outcome);
                attempts.push(attempt);
            }
        }

        let what = "Debian's rustc-web".to_owned();
        match linker {
            Err(missing) => attempts.push(Attempt { what, outcome: missing.into() }),
            Ok(linker) => match debian::fetch(layout) {
                Ok(compiler) => return Ok(Toolchain::from_source(compiler, linker)),
                Err(attempt) => attempts.push(attempt),
            },
        }
        Err(Error::NoToolchain(attempts))
    }

    fn installed(compiler: Compiler) -> Toolchain {
        Toolchain { compiler, named: false, build_std: None }
    }

    fn from_source(compiler: Compiler, linker: PathBuf) -> Toolchain {
        Toolchain { compiler, named: true, build_std: Some(linker) }
    }

    fn named(
        rustc: PathBuf,
        layout: &Layout,
        current: Option<&Compiler>,
    ) -> Result<Toolchain, Error> {
        let unusable = |reason| Error::UnusableCompiler { rustc: rustc.clone(), reason };
        let compiler = Compiler::ask(rustc.clone(), None, &layout.root)
            .map_err(|error| unusable(error.last_line()))?;
        if compiler.has_target() {
            return Ok(Toolchain { compiler, named: true, build_std: None });
        }
        if !compiler.has_library_source() {
            let missing = compiler.missing_target();
            return Err(unusable(format!("{missing}, and no library source in its sysroot")));
        }
        let linker = compiler.linker().or_else(|| current.and_then(Compiler::linker));
        let linker = linker.ok_or_else(|| unusable("there is no rust-lld to link with".into()))?;
        Ok(Toolchain::from_source(compiler, linker))
    }

    /// The release of the compiler, as in `1.95.0`.
    ///
    /// # Errors
    /// When it does not start, or does not say.
    pub fn release(&self) -> Result<String, Error> {
        self.compiler.release()
    }

    /// Where the compiler and its library lie.
    pub fn sysroot(&self) -> &Path {
        &self.compiler.sysroot
    }

    /// Makes a `cargo build` use this toolchain.
    pub(crate) fn apply(&self, cargo: &mut Command) {
        cargo.args(["--target", TARGET]);
        if self.named {
            cargo.env("RUSTC", &self.compiler.program);
        }
        if let Some(libraries) = &self.compiler.libraries {
            cargo.env("LD_LIBRARY_PATH", library_path(libraries));
        }
        if let Some(linker) = &self.build_std {
            cargo.arg("-Zbuild-std=core,alloc");
            // Lets a stable cargo and rustc take the flag above.
            cargo.env("RUSTC_BOOTSTRAP", "1");
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
    }
}

/// Has rustup add the target, and looks whether the current rustc has it then.
fn add_target(root: &Path) -> Result<Compiler, Attempt> {
    let failed = |outcome| Attempt { what: format!("`rustup target add {TARGET}`"), outcome };
    let mut rustup = Command::new("rustup");
    rustup.current_dir(root).args(["target", "add", TARGET]);
    // Without a network this has to end in seconds, not minutes.
    rustup.env("RUSTUP_MAX_RETRIES", "0").env("RUSTUP_DOWNLOAD_TIMEOUT", "20");
    // Its last line is reported, which is not to be that of a backtrace.
    rustup.env("RUST_BACKTRACE", "0");
    run(&mut rustup).map_err(|error| failed(error.last_line()))?;
    match Compiler::current(root) {
        Ok(compiler) if compiler.has_target() => {
            eprintln!("xtask: added the {TARGET} target with rustup");
            Ok(compiler)
        }
        Ok(compiler) => Err(failed(format!("done, but {}", compiler.missing_target()))),
        Err(error) => Err(failed(error.last_line())),
    }
}
