//! Endpoints: which model is asked, where, and in which API's form.

mod anthropic;
mod client;
mod error;
mod key;
mod openai;
mod retry;

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use client::{Answer, Client, Limits, Quota};
pub use error::{AskError, EndpointError};
pub use key::Key;
pub use retry::Retry;

use crate::prompt::{Prompt, Reply};

/// The form of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// Chat completions, as OpenAI and most local servers speak them.
    Openai,
    /// Anthropic's messages.
    Anthropic,
}

impl Api {
    /// The name as options and results spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Api::Openai => "openai",
            Api::Anthropic => "anthropic",
        }
    }

    /// The environment variable that customarily holds the key.
    pub fn key_variable(self) -> &'static str {
        match self {
            Api::Openai => "OPENAI_API_KEY",
            Api::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// What follows the base URL.
    fn path(self) -> &'static str {
        match self {
            Api::Openai => "/chat/completions",
            Api::Anthropic => "/messages",
        }
    }
}

impl FromStr for Api {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Api::Openai, Api::Anthropic]
            .into_iter()
            .find(|api| api.as_str() == name)
            .ok_or_else(|| format!("unknown API `{name}`; there are `openai` and `anthropic`"))
    }
}

/// A model somewhere.
#[derive(Clone, Debug)]
pub struct Endpoint {
    api: Api,
    url: String,
    model: String,
    key: Option<Key>,
    max_tokens: u32,
    temperature: Option<f64>,
}

impl Endpoint {
    /// A model at a base URL such as `http://127.0.0.1:8080/v1`; the API's own
    /// path is added unless the URL ends with it.
    ///
    /// # Errors
    ///
    /// A URL that is none, that carries a name or a password, or that would send
    /// a key to another machine without TLS; a model without a name.
    pub fn new(api: Api, base: &str, model: &str, key: Option<Key>) -> Result<Self, EndpointError> {
        let bad = |reason| EndpointError::Url { url: without_secrets(base), reason };
        let (scheme, rest) = base.split_once("://").ok_or_else(|| bad("it has no scheme"))?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(bad("it carries a name or a password; a key comes from the environment"));
        }
        if base.contains(['?', '#']) {
            return Err(bad("a base URL has no `?` and no `#`"));
        }
        if authority.is_empty() || base.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(bad("it names no host"));
        }
        match scheme {
            "https" => {}
            "http" if key.is_none() || is_loopback(authority) => {}
            "http" => return Err(bad("the key would cross the network unencrypted; use https")),
            _ => return Err(bad("the scheme is neither http nor https")),
        }
        if model.trim().is_empty() {
            return Err(EndpointError::NoModel);
        }
        let base = base.trim_end_matches('/');
        let url = match base.ends_with(api.path()) {
            true => base.to_owned(),
            false => format!("{base}{}", api.path()),
        };
        let model = model.to_owned();
        Ok(Endpoint { api, url, model, key, max_tokens: 1024, temperature: None })
    }

    /// With this limit of tokens for a reply; 1024 without.
    pub fn max_tokens(self, max_tokens: u32) -> Self {
        Endpoint { max_tokens, ..self }
    }

    /// With this temperature; the server's own without.
    pub fn temperature(self, temperature: f64) -> Self {
        Endpoint { temperature: Some(temperature), ..self }
    }

    /// The form of requests.
    pub fn api(&self) -> Api {
        self.api
    }

    /// The whole URL that requests go to.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The settings that shape a reply, in one line for a results file.
    pub(crate) fn sampling(&self) -> String {
        match self.temperature {
            Some(temperature) => {
                format!("max_tokens {}, temperature {temperature}", self.max_tokens)
            }
            None => format!("max_tokens {}", self.max_tokens),
        }
    }

    fn body(&self, prompt: &Prompt, max_tokens_field: &'static str) -> Value {
        match self.api {
            Api::Openai => openai::request(self, prompt, max_tokens_field),
            Api::Anthropic => anthropic::request(self, prompt),
        }
    }

    fn read(&self, answer: &Value) -> Result<(Reply, Usage), String> {
        match self.api {
            Api::Openai => openai::reply(answer),
            Api::Anthropic => anthropic::reply(answer),
        }
    }
}

/// What a reply cost, as far as the server says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// In the server's currency, where it names a cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Whether a URL's authority is this machine.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The URL for an error message: without what may be a password or a key.
fn without_secrets(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['?', '#']).map_or(url.len(), |at| start + at);
    let authority_end = url[start..end].find('/').map_or(end, |at| start + at);
    let host = url[start..authority_end].rfind('@').map_or(start, |at| start + at + 1);
    format!("{}{}", &url[..start], &url[host..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(api: Api, base: &str) -> String {
        Endpoint::new(api, base, "m", None).unwrap().url
    }

    #[test]
    fn the_path_of_the_api_is_added_once() {
        let openai = "http://127.0.0.1:8080/v1/chat/completions";
        assert_eq!(url(Api::Openai, "http://127.0.0.1:8080/v1"), openai);
        assert_eq!(url(Api::Openai, "http://127.0.0.1:8080/v1/"), openai);
        assert_eq!(url(Api::Openai, openai), openai);
        assert_eq!(url(Api::Anthropic, "https://a.example/v1"), "https://a.example/v1/messages");
    }

    #[test]
    fn what_is_no_base_url_is_refused_with_the_reason_and_without_the_secret() {
        let refusal = |base: &str, key: Option<Key>| {
            Endpoint::new(Api::Openai, base, "m", key).unwrap_err().to_string()
        };
        assert!(refusal("localhost:80/v1", None).contains("no scheme"));
        assert!(refusal("ftp://a.example", None).contains("neither http nor https"));
        assert!(refusal("https:///v1", None).contains("names no host"));
        let error = refusal("https://user:hunter2@a.example/v1", None);
        assert!(error.contains("https://a.example/v1"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        let error = refusal("https://a.example/v1?key=hunter2", None);
        assert!(!error.contains("hunter2"), "{error}");
        assert!(matches!(
            Endpoint::new(Api::Openai, "https://a.example", " ", None),
            Err(EndpointError::NoModel)
        ));
    }

    #[test]
    fn a_key_goes_unencrypted_to_this_machine_only() {
        let key = || Some(Key::new("k-123456789").unwrap());
        for base in ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:9/v1"] {
            assert!(Endpoint::new(Api::Openai, base, "m", key()).is_ok(), "{base}");
        }
        let away = "http://localhost.example/v1";
        let error = Endpoint::new(Api::Openai, away, "m", key()).unwrap_err().to_string();
        assert!(error.contains("unencrypted"), "{error}");
        assert!(Endpoint::new(Api::Openai, away, "m", None).is_ok());
    }
}
