//! Which compiler the guests are built with, seen through programs that stand in
//! for rustc, cargo, rustup, apt-get and dpkg-deb and write down how they were
//! called.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// Held while a script is written and while a process starts: a process that
/// starts in between inherits the open file, and the script is busy.
static STARTING: Mutex<()> = Mutex::new(());

/// A machine: the programs on its `PATH` and its target directory.
struct Machine {
    directory: TempDir,
}

/// Writes an empty core module where cargo would.
const CARGO: &str = r#"
while [ $# -gt 0 ]; do
    case $1 in
        --package) package=$2 ;;
        --target-dir) target=$2 ;;
    esac
    shift
done
out=$target/wasm32-unknown-unknown/component
/bin/mkdir -p "$out"
file=$(printf %s "$package" | /usr/bin/tr - _)
printf '\0asm\1\0\0\0' > "$out/$file.wasm"
"#;

const RUSTUP_FAILS: &str = "
echo 'info: downloading component rust-std' >&2
echo 'error: could not reach the server' >&2
exit 1
";

/// Puts one package where `Dir::Cache` says.
const APT: &str = r#"
for argument; do
    case $argument in Dir::Cache=*) cache=${argument#Dir::Cache=} ;; esac
done
case " $* " in *' install '*) echo a package > "$cache/archives/rustc-web_1_all.deb" ;; esac
"#;

/// Unpacks a compiler without the target and with the source of the library.
const DPKG_DEB: &str = r#"
root=$3
/bin/mkdir -p "$root/usr/bin" "$root/usr/lib/some-linux-gnu" "$root/usr/lib/rustlib/src"
/bin/mkdir -p "$root/usr/src/rustc-1/library" "$root/usr/src/rustc-1/compiler"
/bin/ln -s ../../../src/rustc-1 "$root/usr/lib/rustlib/src/rust"
echo > "$root/usr/src/rustc-1/library/Cargo.lock"
{
    echo '#!/bin/sh'
    echo "echo $root/usr; echo some-host; echo $root/usr/lib/rustlib/wasm32-unknown-unknown/lib"
} > "$root/usr/bin/rustc"
/bin/chmod +x "$root/usr/bin/rustc"
"#;

impl Machine {
    /// With a cargo and a rustc, and with nothing else.
    fn new() -> Machine {
        let machine = Machine { directory: TempDir::new().unwrap() };
        let (sysroot, libdir) = (machine.path("sysroot"), machine.target_libdir());
        let rustc =
            format!("echo {}; echo some-host; echo {}", sysroot.display(), libdir.display());
        machine.program("rustc", &rustc);
        machine.program("cargo", CARGO);
        fs::create_dir_all(machine.linker().parent().unwrap()).unwrap();
        fs::write(machine.linker(), "").unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn target_libdir(&self) -> PathBuf {
        self.path("sysroot/lib/rustlib/wasm32-unknown-unknown/lib")
    }

    fn linker(&self) -> PathBuf {
        self.path("sysroot/lib/rustlib/some-host/bin/rust-lld")
    }

    fn install_target(&self) {
        fs::create_dir_all(self.target_libdir()).unwrap();
        fs::write(self.target_libdir().join("libcore-0123.rlib"), "").unwrap();
    }

    /// Puts a shell script on the `PATH` that logs its call and runs `body`.
    fn program(&self, name: &str, body: &str) {
        let log = self.path("log");
        let script = format!(
            "#!/bin/sh\n\
             echo \"{name} $* | RUSTC=$RUSTC BOOTSTRAP=$RUSTC_BOOTSTRAP \
             LINKER=$CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER\" >> {log}\n{body}\n",
            log = log.display(),
        );
        let path = self.path("bin").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _lock = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn xtask(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.arg("component").env_clear();
        command.env("PATH", self.path("bin")).env("CARGO_TARGET_DIR", self.path("target"));
        command
    }

    fn build(&self) -> Output {
        output(&mut self.xtask())
    }

    /// The calls of a program so far.
    fn calls(&self, program: &str) -> Vec<String> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        let mut calls: Vec<String> = log.lines().map(str::to_owned).collect();
        calls.retain(|call| call.split(' ').next() == Some(program));
        calls
    }
}

fn start(command: &mut Command) -> Child {
    let _lock = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn output(command: &mut Command) -> Output {
    start(command).wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[track_caller]
fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
}

/// A machine that has Debian's package programs, a rustup that cannot download,
/// and no target. None where the system is not Debian's.
fn debian() -> Option<Machine> {
    if !Path::new("/var/lib/dpkg/status").exists() {
        eprintln!("skipped: no dpkg on this system");
        return None;
    }
    let machine = Machine::new();
    machine.program("rustup", RUSTUP_FAILS);
    machine.program("apt-get", APT);
    machine.program("dpkg-deb", DPKG_DEB);
    Some(machine)
}

#[test]
fn an_installed_target_is_used_and_nothing_else_is_tried() {
    let machine = Machine::new();
    machine.install_target();
    machine.program("rustup", RUSTUP_FAILS);
    machine.program("apt-get", "exit 1");
    assert_success(&machine.build());

    let builds = machine.calls("cargo");
    assert_eq!(builds.len(), 2, "{builds:?}");
    for (build, package) in builds.iter().zip(["guest-fence", "guest-conversation"]) {
        assert!(build.starts_with("cargo build "), "{build}");
        assert!(build.contains(&format!(" --package {package} ")), "{build}");
        assert!(build.contains(" --target wasm32-unknown-unknown "), "{build}");
        assert!(!build.contains("-Z"), "{build}");
        assert!(build.ends_with("| RUSTC= BOOTSTRAP= LINKER="), "{build}");
    }
    assert_eq!(machine.calls("rustup"), [""; 0]);
    assert_eq!(machine.calls("apt-get"), [""; 0]);
    for name in ["murmur-fence", "murmur-fence-conversation"] {
        assert!(machine.path("target/components").join(format!("{name}.wasm")).is_file(), "{name}");
    }
}

#[test]
fn rustup_adds_a_missing_target() {
    let machine = Machine::new();
    let libdir = machine.target_libdir();
    let libdir = libdir.display();
    machine
        .program("rustup", &format!("/bin/mkdir -p {libdir}; echo > {libdir}/libcore-0123.rlib"));
    assert_success(&machine.build());
    let calls = machine.calls("rustup");
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].starts_with("rustup target add wasm32-unknown-unknown |"), "{calls:?}");
    assert!(machine.calls("cargo")[0].ends_with("| RUSTC= BOOTSTRAP= LINKER="));
}

#[test]
fn without_any_compiler_the_error_names_both_fixes_and_what_was_tried() {
    let machine = Machine::new();
    machine.program("rustup", RUSTUP_FAILS);
    let output = machine.build();
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(
        error
            .contains("run `rustup target add wasm32-unknown-unknown`, or use Debian with apt-get"),
        "{error}"
    );
    let libdir = machine.target_libdir();
    let tried = [
        format!("tried `rustc --print target-libdir`: no core library in `{}`", libdir.display()),
        "tried `rustup target add wasm32-unknown-unknown`: error: could not reach the server"
            .into(),
        "tried `apt-get update`: not found on PATH".into(),
    ];
    // On a system without dpkg it is the status file that is missing first.
    let tried = &tried[..if Path::new("/var/lib/dpkg/status").exists() { 3 } else { 2 }];
    for line in tried {
        assert!(error.lines().any(|found| found.trim() == line), "{line:?} is not in\n{error}");
    }
    assert_eq!(machine.calls("cargo"), [""; 0]);
}

#[test]
fn debians_compiler_is_fetched_once_and_builds_the_core_library() {
    let Some(machine) = debian() else { return };
    let output = machine.build();
    assert_success(&output);
    let rustup = "xtask: `rustup target add wasm32-unknown-unknown` did not help: \
                  error: could not reach the server";
    assert!(stderr(&output).lines().any(|line| line == rustup), "{}", stderr(&output));

    let build = &machine.calls("cargo")[0];
    let unpacked = machine.path("target/toolchain/debian");
    assert!(build.contains(" -Zbuild-std=core,alloc "), "{build}");
    let environment = format!(
        "| RUSTC={} BOOTSTRAP=1 LINKER={}",
        unpacked.join("usr/bin/rustc").display(),
        machine.linker().display(),
    );
    assert!(build.ends_with(&environment), "{build}");
    assert!(!unpacked.join("apt").exists(), "the downloads are kept");
    assert!(!unpacked.join("usr/src/rustc-1/compiler").exists(), "the rest of the source is kept");

    assert_success(&machine.build());
    assert_eq!(
        machine.calls("apt-get").len(),
        2,
        "one update, one download: {:?}",
        machine.calls("apt-get")
    );
    assert_eq!(machine.calls("rustup").len(), 1);
}

#[test]
fn apt_get_keeps_to_the_target_directory() {
    let Some(machine) = debian() else { return };
    assert_success(&machine.build());
    let apt = machine.path("target/toolchain/debian/apt");
    for call in machine.calls("apt-get") {
        for (option, path) in
            [("Dir::State", "state"), ("Dir::State::status", "status"), ("Dir::Cache", "cache")]
        {
            let setting = format!(" -o {option}={} ", apt.join(path).display());
            assert!(call.contains(&setting), "{setting:?} is not in {call}");
        }
    }
    assert!(machine.calls("apt-get")[1].contains(" install --download-only "));
}

#[test]
fn an_interrupted_unpacking_is_done_again() {
    let Some(machine) = debian() else { return };
    let fails = "echo half > \"$3/half\"; echo 'dpkg-deb: error: no space left' >&2; exit 2";
    machine.program("dpkg-deb", &format!("{DPKG_DEB}\n{fails}"));
    let error = stderr(&machine.build());
    assert!(error.contains("tried `dpkg-deb -x`: dpkg-deb: error: no space left"), "{error}");
    assert_eq!(machine.calls("cargo"), [""; 0]);

    machine.program("dpkg-deb", DPKG_DEB);
    assert_success(&machine.build());
    assert_eq!(machine.calls("apt-get").len(), 4, "{:?}", machine.calls("apt-get"));
    assert_eq!(machine.calls("cargo").len(), 2);
    assert!(!machine.path("target/toolchain/debian/half").exists(), "the first try is kept");
}

#[test]
fn what_apt_get_says_is_reported() {
    let Some(machine) = debian() else { return };
    machine.program(
        "apt-get",
        "case \" $* \" in *' install '*) echo 'E: Unable to locate package rustc-web' >&2; exit 100 ;; esac",
    );
    let error = stderr(&machine.build());
    let line = "tried `apt-get install --download-only rustc-web rust-web-src`: \
                E: Unable to locate package rustc-web";
    assert!(error.lines().any(|found| found.trim() == line), "{error}");
}

#[test]
fn processes_that_start_together_fetch_once() {
    let Some(machine) = debian() else { return };
    let children: Vec<Child> = (0..4).map(|_| start(&mut machine.xtask())).collect();
    for child in children {
        assert_success(&child.wait_with_output().unwrap());
    }
    assert_eq!(machine.calls("apt-get").len(), 2, "{:?}", machine.calls("apt-get"));
}

#[test]
fn wasm_rustc_wins_over_an_installed_target() {
    let machine = Machine::new();
    machine.install_target();
    let rustc = machine.path("bin/rustc");
    let other = machine.path("other-rustc");
    {
        let _lock = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        fs::copy(&rustc, &other).unwrap();
    }
    assert_success(&output(machine.xtask().env("WASM_RUSTC", &other)));
    let build = &machine.calls("cargo")[0];
    assert!(build.ends_with(&format!("| RUSTC={} BOOTSTRAP= LINKER=", other.display())), "{build}");
}

#[test]
fn a_wasm_rustc_that_cannot_build_is_refused() {
    let machine = Machine::new();
    machine.install_target();
    let output = output(machine.xtask().env("WASM_RUSTC", "/nowhere/rustc"));
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(
        error.contains("WASM_RUSTC names `/nowhere/rustc`, which cannot build the guests"),
        "{error}"
    );
    assert_eq!(machine.calls("cargo"), [""; 0]);
}

#[test]
fn a_file_given_for_a_component_is_taken_as_it_is() {
    let machine = Machine::new();
    let released = machine.path("released.wasm");
    fs::write(&released, b"abc").unwrap();
    let mut xtask = machine.xtask();
    for variable in ["MURMUR_FENCE_COMPONENT", "MURMUR_FENCE_CONVERSATION"] {
        xtask.env(variable, &released);
    }
    let output = output(&mut xtask);
    assert_success(&output);
    let line = format!(
        "{}  3 bytes  sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n",
        released.display(),
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), line.repeat(2));
    assert_eq!(machine.calls("cargo"), [""; 0]);
    assert_eq!(machine.calls("rustc"), [""; 0]);
}

#[test]
fn a_file_that_is_not_there_is_no_component() {
    let machine = Machine::new();
    machine.install_target();
    let output = output(machine.xtask().env("MURMUR_FENCE_COMPONENT", "/nowhere.wasm"));
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(
        error.contains("MURMUR_FENCE_COMPONENT names `/nowhere.wasm`, which is not a file"),
        "{error}"
    );
}
