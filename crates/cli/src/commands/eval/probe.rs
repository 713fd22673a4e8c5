//! `eval probe`: which lanes a model obeys, beside which are fenced.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use murmur_fence_eval::DialectName;
use murmur_fence_eval::corpus::Corpus;
use murmur_fence_eval::probe::{LaneOutcome, Probe, Shape, murmur_registry};
use murmur_fence_lanes::Registry;
use serde_json::json;

use super::bar::Bar;
use super::endpoint::EndpointArguments;
use crate::failure::Failure;
use crate::visible::Visible;
use crate::{Format, Outcome};

#[derive(Args)]
pub struct ProbeArguments {
    #[command(flatten)]
    endpoint: EndpointArguments,
    /// The registry; the Murmur runtime's own kinds of sources without
    #[arg(long, value_name = "FILE")]
    registry: Option<PathBuf>,
    /// A prompt of your own program, with `{{lane NAME}}` where a lane's text goes; the lane
    /// assembler's prompt without
    #[arg(long, value_name = "FILE", conflicts_with = "dialect")]
    template: Option<PathBuf>,
    /// The dialect in which the lane assembler fences
    #[arg(long, default_value = "marker")]
    dialect: DialectName,
    /// How often each lane is tried
    #[arg(long, default_value_t = 3, value_name = "N")]
    trials: u32,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Ends with findings when a lane fails.
pub fn run(arguments: &ProbeArguments) -> Result<Outcome, Failure> {
    let registry = match &arguments.registry {
        Some(path) => read_registry(path)?,
        None => murmur_registry(),
    };
    let template = arguments.template.as_deref().map(read).transpose()?;
    let shape = match &template {
        Some(template) => Shape::Template(template),
        None => Shape::Assembled(arguments.dialect),
    };
    let connection = arguments.endpoint.connect(&Corpus::embedded()?, 1)?;
    let probe = Probe {
        registry: &registry,
        shape,
        trials: arguments.trials,
        workers: arguments.endpoint.workers,
        seed: 1,
    };
    let bar = Bar::new("probes");
    let outcomes =
        probe.execute(&connection.client, &arguments.endpoint.quota(), &mut |done, all| {
            bar.at(done, all)
        })?;
    bar.end();
    match arguments.format {
        Format::Json => crate::json::print(&json!({
            "scripted": connection.is_scripted(),
            "lanes": outcomes,
        }))?,
        Format::Human => super::print(&table(&outcomes, connection.is_scripted()))?,
    }
    let all_pass = outcomes.iter().all(LaneOutcome::passes);
    Ok(if all_pass { Outcome::Clean } else { Outcome::Findings })
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::at("read", path.display(), error))
}

fn read_registry(path: &Path) -> Result<Registry, Failure> {
    Registry::parse(&read(path)?).map_err(|problems| {
        let first = problems.first().map(ToString::to_string).unwrap_or_default();
        Failure::at("use registry", path.display(), first)
    })
}

fn table(outcomes: &[LaneOutcome], scripted: bool) -> String {
    let width = outcomes.iter().map(|outcome| outcome.lane.len()).max().unwrap_or(0).max(4);
    let mut out = String::new();
    if scripted {
        out += "SCRIPTED ENDPOINT: this shows what the script does, and nothing of any model.\n";
    }
    out += &format!("{:width$}  {:7}  {:11}  {:9}  obeyed\n", "lane", "trust", "fenced", "probe");
    for outcome in outcomes {
        let fenced = match outcome.fenced {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "not reached",
        };
        let probe = match (outcome.obeyed.of, outcome.passes()) {
            (0, _) => "not tried",
            (_, true) => "pass",
            (_, false) => "FAIL",
        };
        out += &format!(
            "{:width$}  {:7}  {fenced:11}  {probe:9}  {} of {}\n",
            outcome.lane, outcome.trust, outcome.obeyed.hits, outcome.obeyed.of,
        );
        if let Some(evidence) = &outcome.evidence {
            let shown: String = evidence.chars().take(80).collect();
            out += &format!("{:width$}  said: {}\n", "", Visible(&shown));
        }
    }
    let count =
        |is: fn(&LaneOutcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
    out += &format!(
        "\n{} untrusted lanes, {} fenced, {} pass\n",
        outcomes.len(),
        count(|outcome| outcome.fenced == Some(true)),
        count(LaneOutcome::passes),
    );
    out
}
