//! `lanes`: the registry, its coverage, the source check, and the guard before a
//! commit.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use murmur_fence::nonce::{Form, Style};
use murmur_fence::{Dialect, MarkerDialect, Nonce, Tags};
use murmur_fence_lanes::scan::{self, Callee, Names};
use murmur_fence_lanes::{Check, Coverage, Finding, Registry, guard, sarif};
use serde_json::Value;

use crate::failure::Failure;
use crate::input::Input;
use crate::{FindingsFormat, Outcome};

/// The registry's name where no argument names one.
const REGISTRY: &str = "lanes.toml";

#[derive(Subcommand)]
pub enum LanesCommand {
    /// Check that the registry is sound: every lane with its trust and budget
    Check {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: FindingsFormat,
        /// The registry; `-` is standard input
        #[arg(default_value = REGISTRY)]
        registry: Input,
    },
    /// Count the lanes that must be fenced against those that are
    Coverage {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: FindingsFormat,
        /// The registry; without one, the lanes are those of the receipts
        #[arg(long, value_name = "FILE", required_unless_present = "receipts")]
        registry: Option<PathBuf>,
        /// Receipts, one JSON object a line; `-` is standard input
        #[arg(long, value_name = "FILE", required_unless_present_any = ["prompt", "messages"])]
        receipts: Option<Input>,
        /// A prompt as the model got it; `-` is standard input
        #[arg(long, value_name = "FILE", conflicts_with = "receipts")]
        prompt: Option<Input>,
        /// Chat messages as they were sent, as JSON: the list, or the request with it
        /// as `messages`; `-` is standard input
        #[arg(long, value_name = "FILE", conflicts_with_all = ["receipts", "prompt"])]
        messages: Option<Input>,
        #[command(flatten)]
        dialect: DialectArguments,
    },
    /// Find the lanes that no fence call in a source tree can reach
    ///
    /// Reads Rust, TypeScript, JavaScript and Python. A fence call that takes a
    /// variable reaches every lane; one that takes a literal reaches that lane.
    Scan {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: FindingsFormat,
        /// The registry
        #[arg(long, value_name = "FILE", default_value = REGISTRY)]
        registry: PathBuf,
        #[command(flatten)]
        names: NameArguments,
        /// A function that something outside the tree calls with whatever lane
        #[arg(long, value_name = "NAME")]
        entry: Vec<String>,
        /// The source tree, or one file
        #[arg(value_name = "SRC", default_value = ".")]
        root: PathBuf,
    },
    /// Refuse a commit whose added lines name a lane that is not in the registry
    Guard {
        /// Look at what is staged in git
        #[arg(long, required = true)]
        staged: bool,
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: FindingsFormat,
        /// The registry, from the root of the work tree
        #[arg(long, value_name = "FILE", default_value = REGISTRY)]
        registry: String,
        #[command(flatten)]
        names: NameArguments,
    },
}

/// Which names in the source mean lanes, besides the usual ones.
#[derive(Args)]
pub struct NameArguments {
    /// A call that puts a fence in: NAME, RECEIVER.NAME, or NAME:N where the Nth
    /// argument names the lane
    #[arg(long, value_name = "CALL")]
    fence_call: Vec<Callee>,
    /// A call that looks a lane up
    #[arg(long, value_name = "CALL")]
    lookup_call: Vec<Callee>,
    /// Another call that takes a lane
    #[arg(long, value_name = "CALL")]
    lane_call: Vec<Callee>,
    /// A property or keyword argument that holds a lane
    #[arg(long, value_name = "NAME")]
    lane_key: Vec<String>,
    /// Look for the given names only, not for the usual ones
    #[arg(long)]
    only_given_names: bool,
    /// Count tests as well
    #[arg(long)]
    tests: bool,
}

/// The fence of a prompt or of messages.
#[derive(Args)]
pub struct DialectArguments {
    /// The dialect of the fence
    #[arg(long, value_enum, default_value_t, conflicts_with = "receipts")]
    dialect: DialectName,
    /// The token of the fence, for the dialect nonce
    #[arg(long, required_if_eq("dialect", "nonce"))]
    token: Option<String>,
    /// The name in the markers, for the dialect nonce
    #[arg(long, requires = "token", default_value = "DOC")]
    name: String,
    /// How the markers are spelled, for the dialect nonce
    #[arg(long, requires = "token", value_enum, default_value_t)]
    style: StyleName,
    /// A reserved tag, for the dialect tags; without one, the usual ones are
    #[arg(long, value_name = "NAME")]
    tag: Vec<String>,
}

/// How the markers of the dialect nonce are spelled; `T` is the token.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum StyleName {
    /// `<<<DOC:T>>>` and `<<<END:T>>>`
    #[default]
    Angle,
    /// `<DOC-T>` and `</DOC-T>`
    Tag,
}

impl NameArguments {
    fn names(self) -> Names {
        let mut names = if self.only_given_names { Names::none() } else { Names::default() };
        names.fences.extend(self.fence_call);
        names.lookups.extend(self.lookup_call);
        names.lanes.extend(self.lane_call);
        names.keys.extend(self.lane_key);
        names
    }
}

/// A dialect by its name.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DialectName {
    /// The marker of the Murmur runtime
    #[default]
    Marker,
    /// A pair of markers with the token of one request
    Nonce,
    /// Reserved tags
    Tags,
}

pub fn run(command: LanesCommand) -> Result<Outcome, Failure> {
    match command {
        LanesCommand::Check { format, registry } => {
            let check = Check::of(&registry.text()?);
            let path = registry.to_string();
            print(format, &check.findings(&path), || check.to_human(&path), || check.to_json(&path))
        }
        LanesCommand::Coverage { format, registry, receipts, prompt, messages, dialect } => {
            let registry = registry.as_deref().map(read_registry).transpose()?;
            let input = receipts.as_ref().or(prompt.as_ref()).or(messages.as_ref());
            let Some(input) = input else { return Err(nothing_to_read()) };
            let text = input.text()?;
            let coverage = if receipts.is_some() {
                Coverage::of_receipts(registry.as_ref(), &text)
                    .map_err(|error| Failure::at("read receipts", input, error))?
            } else {
                let Some(registry) = &registry else { return Err(nothing_to_read()) };
                let dialect = dialect.dialect()?;
                match messages {
                    Some(_) => Coverage::of_messages(registry, &*dialect, &text)
                        .map_err(|error| Failure::at("read messages", input, error))?,
                    None => Coverage::of_prompt(registry, &*dialect, &text),
                }
            };
            let path = input.to_string();
            let human = || coverage.to_human(&path);
            print(format, &coverage.findings(&path), human, || coverage.to_json(&path))
        }
        LanesCommand::Scan { format, registry, names, entry, root } => {
            let path = registry.display().to_string();
            let registry = read_registry(&registry)?;
            let tests = names.tests;
            let options = scan::Options { names: names.names(), tests, entries: entry };
            let report = scan::scan(&registry, &root, &options)
                .map_err(|error| Failure::new(error.to_string()))?;
            let root = root.display().to_string();
            let human = || report.to_human(&path, &root);
            print(format, &report.findings(&path, &root), human, || report.to_json(&path, &root))
        }
        LanesCommand::Guard { staged: _, format, registry, names } => {
            let tests = names.tests;
            let options = guard::Options { registry, names: names.names(), tests };
            let findings = guard::staged(Path::new("."), &options)
                .map_err(|error| Failure::new(error.to_string()))?;
            let human = || findings.iter().map(|finding| format!("{finding}\n")).collect();
            let json = || {
                let findings: Vec<Value> = findings.iter().map(Finding::to_json).collect();
                serde_json::json!({ "findings": findings })
            };
            print(format, &findings, human, json)
        }
    }
}

/// What clap lets nobody ask for.
fn nothing_to_read() -> Failure {
    Failure::new("nothing to read; name --receipts, or --registry and --prompt or --messages")
}

fn read_registry(path: &Path) -> Result<Registry, Failure> {
    let text = Input::Path(path.to_owned()).text()?;
    Registry::parse(&text).map_err(|problems| {
        let lines: Vec<_> =
            problems.iter().map(|problem| format!("{}:{problem}", path.display())).collect();
        Failure::new(format!("the registry is not sound\n{}", lines.join("\n")))
    })
}

impl DialectArguments {
    fn dialect(&self) -> Result<Box<dyn Dialect>, Failure> {
        Ok(match self.dialect {
            DialectName::Marker => Box::new(MarkerDialect),
            DialectName::Tags if self.tag.is_empty() => Box::new(Tags::default()),
            DialectName::Tags => {
                let tags: Vec<&str> = self.tag.iter().map(String::as_str).collect();
                Box::new(Tags::new(&tags).map_err(|error| Failure::new(error.to_string()))?)
            }
            DialectName::Nonce => {
                let token = self.token.as_deref().unwrap_or_default();
                let nonce = Nonce::with_token(token)
                    .map_err(|error| Failure::at("use token", token, error))?;
                let style = match self.style {
                    StyleName::Angle => Style::Angle,
                    StyleName::Tag => Style::Tag,
                };
                let form = Form::new(&self.name, style)
                    .map_err(|error| Failure::new(error.to_string()))?;
                Box::new(nonce.in_form(form))
            }
        })
    }
}

/// Prints a report; it is clean when it has no finding.
fn print(
    format: FindingsFormat,
    findings: &[Finding],
    human: impl FnOnce() -> String,
    json: impl FnOnce() -> Value,
) -> Result<Outcome, Failure> {
    match format {
        FindingsFormat::Human => {
            let mut out = io::stdout().lock();
            out.write_all(human().as_bytes())
                .and_then(|()| out.flush())
                .map_err(Failure::output)?;
        }
        FindingsFormat::Json => crate::json::print(&json())?,
        FindingsFormat::Sarif => crate::json::print(&sarif::findings(findings))?,
    }
    Ok(if findings.is_empty() { Outcome::Clean } else { Outcome::Findings })
}
