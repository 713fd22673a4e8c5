//! Sends what `dist` made to an OCI registry, with the `wkg` program.

use std::path::Path;
use std::process::Command;

use xtask::{Guest, Layout, quote, show};

use super::dist::{WIT_PACKAGE, dist};
use super::{Failure, say, write};

/// The namespace of the packages, which `wkg` looks up in its configuration.
const NAMESPACE: &str = "murmur";

/// Where to send to.
#[derive(Debug, PartialEq, Eq)]
struct Registry<'a> {
    host: &'a str,
    prefix: &'a str,
}

impl<'a> Registry<'a> {
    fn read(text: &'a str) -> Result<Registry<'a>, Failure> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c);
        let (host, prefix) = text.split_once('/').unwrap_or((text, ""));
        let whole =
            !host.is_empty() && !prefix.is_empty() && prefix.split('/').all(|p| !p.is_empty());
        let host_only = |c: char| c.is_ascii_alphanumeric() || "._-:[]".contains(c);
        if whole && host.chars().all(host_only) && prefix.chars().all(allowed) {
            return Ok(Registry { host, prefix });
        }
        Err(Failure::Check(format!(
            "--registry `{text}` is not HOST/PREFIX; give it as in `127.0.0.1:5000/example`"
        )))
    }

    /// Only this machine is spoken to without encryption.
    fn plain(&self) -> bool {
        let name = match self.host.strip_prefix("[::1]") {
            Some(port) => return port.is_empty() || port.starts_with(':'),
            None => self.host.split(':').next().unwrap_or_default(),
        };
        matches!(name, "127.0.0.1" | "localhost")
    }

    /// What `wkg` needs to know to find the namespace there.
    fn configuration(&self) -> String {
        let Registry { host, prefix } = self;
        let protocol = match self.plain() {
            true => format!("\n[registry.\"{host}\".oci]\nprotocol = \"http\"\n"),
            false => String::new(),
        };
        format!(
            "[namespace_registries.{NAMESPACE}]\nregistry = \"{host}\"\n\n\
             [namespace_registries.{NAMESPACE}.metadata]\npreferredProtocol = \"oci\"\n\n\
             [namespace_registries.{NAMESPACE}.metadata.oci]\nregistry = \"{host}\"\n\
             namespacePrefix = \"{prefix}/\"\n{protocol}"
        )
    }
}

/// The name of a component in a registry. `murmur:fence` is the contract's.
fn package(guest: Guest) -> &'static str {
    match guest {
        Guest::Fence => "fence-component",
        Guest::Conversation => "fence-conversation",
    }
}

/// Makes the release and sends it, or with `dry_run` prints how.
pub fn publish(registry: &str, dry_run: bool) -> Result<(), Failure> {
    let registry = Registry::read(registry)?;
    let layout = Layout::of_this_workspace();
    let directory = dist()?;
    let configuration = layout.target.join("wkg/config.toml");
    write(&configuration, registry.configuration().as_bytes())?;
    for command in &mut commands(&registry, &directory, &layout, &configuration) {
        println!("{}", line(command));
        if !dry_run {
            show(command)?;
        }
    }
    if dry_run {
        say("nothing was sent");
    }
    Ok(())
}

fn commands(
    registry: &Registry<'_>,
    directory: &Path,
    layout: &Layout,
    configuration: &Path,
) -> Vec<Command> {
    let wkg = |arguments: &[&str]| {
        let mut wkg = Command::new("wkg");
        wkg.current_dir(&layout.root).args(arguments);
        wkg
    };
    let mut contract = wkg(&["publish", "--config"]);
    contract.arg(configuration).arg("--cache").arg(layout.target.join("wkg/cache"));
    contract.arg(directory.join(WIT_PACKAGE));
    let version = env!("CARGO_PKG_VERSION");
    let mut commands = vec![contract];
    for guest in Guest::ALL {
        let mut push = wkg(&["oci", "push"]);
        if registry.plain() {
            push.args(["--insecure", registry.host]);
        }
        let mut annotations = vec![
            ("title", guest.name()),
            ("description", guest.description()),
            ("version", version),
            ("licenses", env!("CARGO_PKG_LICENSE")),
        ];
        let repository = env!("CARGO_PKG_REPOSITORY");
        if !repository.is_empty() {
            annotations.push(("source", repository));
        }
        for (key, value) in annotations {
            push.arg("--annotation").arg(format!("org.opencontainers.image.{key}={value}"));
        }
        let Registry { host, prefix } = registry;
        push.arg(format!("{host}/{prefix}/{NAMESPACE}/{}:{version}", package(guest)));
        push.arg(directory.join(format!("{}.wasm", guest.name())));
        commands.push(push);
    }
    commands
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_a_host_and_a_prefix() {
        let read = |text| Registry::read(text).ok().map(|found| (found.host, found.prefix));
        assert_eq!(read("127.0.0.1:5000/a/b"), Some(("127.0.0.1:5000", "a/b")));
        for wrong in ["", "host", "host/", "/prefix", "a/b//c", "host/A", "ho\"st/a", "host/a\n"] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn only_this_machine_is_spoken_to_in_plain() {
        let plain = |host| Registry { host, prefix: "x" }.plain();
        for host in ["127.0.0.1:5000", "localhost", "localhost:80", "[::1]:5000"] {
            assert!(plain(host), "{host}");
        }
        for host in ["example.org", "127.0.0.1.example.org", "localhost.example.org:80", "10.0.0.1"]
        {
            assert!(!plain(host), "{host}");
        }
    }

    #[test]
    fn the_contract_and_both_components_are_sent_under_one_version() {
        let registry = Registry::read("example.org/team").unwrap();
        let layout = Layout { root: "/r".into(), target: "/t".into() };
        let commands = commands(&registry, Path::new("/d"), &layout, Path::new("/c.toml"));
        let lines: Vec<String> = commands.iter().map(line).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("wkg publish --config /c.toml"), "{}", lines[0]);
        assert!(lines[0].ends_with("/d/murmur-fence-wit.wasm"), "{}", lines[0]);
        let version = env!("CARGO_PKG_VERSION");
        for (line, name) in lines[1..].iter().zip(["component", "conversation"]) {
            let reference = format!("example.org/team/murmur/fence-{name}:{version} /d/");
            assert!(line.contains(&reference), "{line}");
            assert!(line.contains("org.opencontainers.image.licenses=Apache-2.0"), "{line}");
            assert!(!line.contains("--insecure"), "{line}");
        }
    }
}
