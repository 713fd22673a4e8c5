//! Starting other programs, with an environment that a cargo around us has not
//! shaped.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Error;

/// Runs a program to its end and gives its standard output.
///
/// # Errors
/// [`Error::Start`] when there is no such program; [`Error::Failed`] with its
/// output when it does not end with success.
pub fn run(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start { program: quote(command.get_program()), source })?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let output = if stderr.trim().is_empty() { stdout } else { stderr };
    Err(Error::Failed { command: command_line(command), output })
}

/// Runs a program to its end and lets the user see its output as it comes.
///
/// # Errors
/// As [`run`], without the output.
pub fn show(command: &mut Command) -> Result<(), Error> {
    let status = command
        .status()
        .map_err(|source| Error::Start { program: quote(command.get_program()), source })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: command_line(command), output: String::new() })
}

/// The cargo that runs us, else the one on `PATH`, in a directory.
pub fn cargo(directory: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(directory);
    command
}

/// The same, as if no cargo ran us: without what it has set for its own build,
/// and without what the user has set for builds of native code.
pub(crate) fn unshaped_cargo(directory: &Path) -> Command {
    let mut command = cargo(directory);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(shapes_the_build) {
            command.env_remove(name);
        }
    }
    command
}

/// Whether a variable changes what cargo builds or where; those that say how it
/// reaches the registry or prints stay.
fn shapes_the_build(name: &str) -> bool {
    const KEPT: [&str; 8] = [
        "CARGO_ALIAS_",
        "CARGO_BUILD_JOBS",
        "CARGO_HOME",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTRIES_",
        "CARGO_REGISTRY_",
        "CARGO_TERM_",
    ];
    let cargo = name == "CARGO" || name.starts_with("CARGO_");
    let rustc = name.starts_with("RUSTC") || name.starts_with("RUSTDOC") || name == "RUSTFLAGS";
    rustc || (cargo && !KEPT.iter().any(|kept| name.starts_with(kept)))
}

fn command_line(command: &Command) -> String {
    let mut line = quote(command.get_program());
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&quote(argument));
    }
    line
}

/// A word as it would be typed into a shell; for messages.
pub fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_outer_cargo_sets_is_removed_and_the_users_network_settings_stay() {
        for name in [
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_MANIFEST_DIR",
            "CARGO_PKG_NAME",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "RUSTC",
            "RUSTC_BOOTSTRAP",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTFLAGS",
        ] {
            assert!(shapes_the_build(name), "{name}");
        }
        for name in
            ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_TERM_COLOR", "RUSTUP_TOOLCHAIN", "PATH"]
        {
            assert!(!shapes_the_build(name), "{name}");
        }
    }

    #[test]
    fn a_message_shows_a_command_line_that_can_be_pasted() {
        let mut command = Command::new("tar");
        command.args(["-x", "a b", "it's", ""]);
        assert_eq!(command_line(&command), r"tar -x 'a b' 'it'\''s' ''");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(
            error.to_string().starts_with("failed to start `no-such-program-here`: "),
            "{error}"
        );
        assert_eq!(error.last_line(), "not found on PATH");
    }
}
