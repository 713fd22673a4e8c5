//! Which model is asked, and with what care.

use std::time::Duration;

use clap::Args;
use murmur_fence_eval::corpus::Corpus;
use murmur_fence_eval::endpoint::{Api, Client, Endpoint, Key, Limits, Quota, Retry};
use murmur_fence_eval::scripted::{Behaviour, Server};

use super::arguments;
use crate::failure::Failure;

#[derive(Args)]
pub struct EndpointArguments {
    /// Base URL of the model's server, such as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// The model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The form of requests: openai (chat completions) or anthropic (messages)
    #[arg(long, default_value = "openai")]
    api: Api,
    /// The environment variable that holds the key; OPENAI_API_KEY or ANTHROPIC_API_KEY without
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// Ask a local script instead of a model; a wrong name lists what there is
    #[arg(long, value_name = "BEHAVIOUR", conflicts_with_all = ["endpoint", "model"],
          value_parser = arguments::behaviour)]
    pub scripted: Option<Behaviour>,
    /// The most tokens of a reply
    #[arg(long, default_value_t = 1024, value_name = "N")]
    max_tokens: u32,
    /// The temperature; the server's own without
    #[arg(long)]
    temperature: Option<f64>,
    /// Requests at a time
    #[arg(long, default_value_t = 8, value_name = "N")]
    pub workers: usize,
    /// Seconds that one request may take
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    timeout: u64,
    /// How often a request is made at most before its trial counts as failed
    #[arg(long, default_value_t = 6, value_name = "N")]
    attempts: u32,
    /// Stop after so many requests, those made again included
    #[arg(long, value_name = "N")]
    max_requests: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
}

/// A client, with the script that it asks if it asks one.
pub struct Connection {
    pub client: Client,
    server: Option<Server>,
}

impl Connection {
    pub fn is_scripted(&self) -> bool {
        self.server.is_some()
    }
}

impl EndpointArguments {
    pub fn connect(&self, corpus: &Corpus, seed: u64) -> Result<Connection, Failure> {
        // The behaviour is a part of the name: results of two are not mixed.
        let mut scripted = String::new();
        let server = match &self.scripted {
            Some(behaviour) => {
                scripted = format!("scripted {behaviour}");
                let server = Server::start(behaviour.clone(), corpus, seed).map_err(|error| {
                    Failure::new(format!("failed to start the script: {error}"))
                })?;
                Some(server)
            }
            None => None,
        };
        let (url, model, key) = match (&server, &self.endpoint, &self.model) {
            (Some(server), ..) => (server.url(), scripted.as_str(), None),
            (None, Some(url), Some(model)) => {
                let variable = self.key_env.as_deref().unwrap_or(self.api.key_variable());
                let key = Key::from_env(variable)?;
                if key.is_none() && self.key_env.is_some() {
                    return Err(Failure::new(format!("the environment has no {variable}")));
                }
                (url.clone(), model.as_str(), key)
            }
            _ => {
                return Err(Failure::new(
                    "no model to ask: give --endpoint URL and --model NAME, or --scripted \
                     BEHAVIOUR, or --demo",
                ));
            }
        };
        let endpoint = Endpoint::new(self.api, &url, model, key)?.max_tokens(self.max_tokens);
        let endpoint = match self.temperature {
            Some(temperature) if !temperature.is_finite() || temperature < 0.0 => {
                return Err(Failure::new(format!(
                    "--temperature {temperature} is below 0 or no number"
                )));
            }
            Some(temperature) => endpoint.temperature(temperature),
            None => endpoint,
        };
        let limits =
            Limits { request: Duration::from_secs(self.timeout.max(1)), ..Limits::default() };
        let retry = Retry { attempts: self.attempts.max(1), ..Retry::default() };
        Ok(Connection { client: Client::new(endpoint, limits, retry), server })
    }

    pub fn quota(&self) -> Quota {
        super::quota(self.max_requests, self.time_limit)
    }
}
