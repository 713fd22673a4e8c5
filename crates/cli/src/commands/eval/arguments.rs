//! Arguments that several of the evaluation's commands share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use murmur_fence_eval::corpus::{Page, Split};
use murmur_fence_eval::prompt::Placement;
use murmur_fence_eval::report::Summary;
use murmur_fence_eval::scripted::Behaviour;
use murmur_fence_eval::stats::Bar;

use crate::Format;
use crate::failure::Failure;

/// Which pages.
#[derive(Args)]
pub struct CorpusArguments {
    /// Pages of your own instead of those that come with the program
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Only pages of this split: train or held-out
    #[arg(long)]
    split: Option<Split>,
    /// Only pages of this category; may be repeated or joined by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    category: Vec<String>,
    /// So many fresh payloads beside every attack, drawn from the seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub mutants: usize,
    /// Of fresh payloads, canaries and tokens
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl CorpusArguments {
    pub fn keeps(&self, page: &Page) -> bool {
        self.split.is_none_or(|split| page.split == split)
            && (self.category.is_empty()
                || self.category.iter().any(|category| category == page.category()))
    }
}

/// How to report.
#[derive(Args)]
pub struct ReportArguments {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The HTML report; beside the results without
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Of intervals and verdicts; take 0.99 or more where a verdict stops a build
    #[arg(long, default_value_t = 0.95, value_name = "SHARE")]
    confidence: f64,
    /// End with status 1 when a verdict is this
    #[arg(long, value_enum)]
    pub fail_on: Option<FailOn>,
    /// Price of a million tokens of requests, where the server names no cost
    #[arg(long, value_name = "PRICE", requires = "price_out")]
    price_in: Option<f64>,
    /// Price of a million tokens of replies
    #[arg(long, value_name = "PRICE", requires = "price_in")]
    price_out: Option<f64>,
}

impl ReportArguments {
    pub fn bar(&self) -> Result<Bar, Failure> {
        if !(0.5..1.0).contains(&self.confidence) {
            return Err(Failure::new(format!(
                "--confidence {} is not from 0.5 up to but not 1",
                self.confidence
            )));
        }
        Ok(Bar { confidence: self.confidence, ..Bar::default() })
    }

    pub fn priced(&self, summary: Summary) -> Summary {
        match (self.price_in, self.price_out) {
            (Some(input), Some(output)) => summary.priced(input, output),
            _ => summary,
        }
    }
}

/// What makes the exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A fence is worse than none; in a comparison, a regression
    Worse,
}

/// Where the page stands in the prompt.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum PlacementName {
    /// In the user's own message
    #[default]
    Message,
    /// In the result of a tool
    ToolResult,
}

impl From<PlacementName> for Placement {
    fn from(name: PlacementName) -> Self {
        match name {
            PlacementName::Message => Placement::Message,
            PlacementName::ToolResult => Placement::ToolResult,
        }
    }
}

/// Reads a behaviour; the error lists them all.
pub fn behaviour(text: &str) -> Result<Behaviour, String> {
    text.parse().map_err(|error: murmur_fence_eval::scripted::UnknownBehaviour| error.to_string())
}
