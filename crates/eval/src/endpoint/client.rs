//! Asking an endpoint, with time limits, retries, and a cap on requests.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::error::AskError;
use super::retry::{Retry, asked_wait, is_fatal, may_pass};
use super::{Api, Endpoint, Usage, anthropic, is_loopback};
use crate::prompt::{Prompt, Reply};
use crate::rng::Rng;

/// How long one request may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// To connect.
    pub connect: Duration,
    /// From the first byte sent to the last one received.
    pub request: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { connect: Duration::from_secs(10), request: Duration::from_secs(120) }
    }
}

/// The most bytes of an answer.
const MAX_ANSWER: u64 = 8 << 20;

/// The most characters that an error repeats of an answer.
const MAX_EXCERPT: usize = 300;

/// What all requests of a run share: how many there may be, and until when.
#[derive(Debug)]
pub struct Quota {
    left: AtomicU64,
    deadline: Option<Instant>,
}

impl Quota {
    /// So many requests, none after the deadline.
    pub fn new(requests: Option<u64>, deadline: Option<Instant>) -> Self {
        Quota { left: AtomicU64::new(requests.unwrap_or(u64::MAX)), deadline }
    }

    /// Takes one request.
    fn take(&self) -> Result<(), AskError> {
        if self.time_left() == Some(Duration::ZERO) {
            return Err(AskError::Deadline);
        }
        let one_less = |left: u64| left.checked_sub(1);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        taken.map(drop).map_err(|_| AskError::Cap)
    }

    fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// A reply, and what it took.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The reply.
    pub reply: Reply,
    /// What it cost, as far as the server says.
    pub usage: Usage,
    /// Requests made for it.
    pub requests: u32,
    /// Of the request that was answered.
    pub elapsed: Duration,
}

/// Asks one endpoint. Threads may share it.
#[derive(Debug)]
pub struct Client {
    agent: ureq::Agent,
    endpoint: Endpoint,
    retry: Retry,
    limits: Limits,
    /// Newer OpenAI models know `max_completion_tokens` only.
    completion_tokens: AtomicBool,
}

/// How one attempt went wrong.
enum Attempt {
    /// It may go right in a while.
    Later {
        reason: String,
        asked: Option<Duration>,
    },
    /// It goes right in another form.
    AnotherForm,
    Failed(String),
    Fatal(String),
}

impl Client {
    /// A client of the endpoint.
    pub fn new(endpoint: Endpoint, limits: Limits, retry: Retry) -> Self {
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would take the key along.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(limits.connect))
            .user_agent(concat!("murmur-fence/", env!("CARGO_PKG_VERSION")));
        let authority = endpoint.url.split("://").nth(1).and_then(|rest| rest.split('/').next());
        if authority.is_some_and(is_loopback) {
            config = config.proxy(None);
        }
        Client {
            agent: config.build().into(),
            endpoint,
            retry,
            limits,
            completion_tokens: AtomicBool::new(false),
        }
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks until there is a reply or no sense in asking.
    ///
    /// # Errors
    ///
    /// See [`AskError`]. No error text holds the key.
    pub fn ask(&self, prompt: &Prompt, quota: &Quota, seed: u64) -> Result<Answer, AskError> {
        let mut rng = Rng::new(seed);
        let mut requests = 0;
        let mut failures = 0;
        loop {
            quota.take()?;
            requests += 1;
            let begin = Instant::now();
            let (reason, asked) = match self.attempt(prompt, quota) {
                Ok((reply, usage)) => {
                    return Ok(Answer { reply, usage, requests, elapsed: begin.elapsed() });
                }
                Err(Attempt::AnotherForm) => continue,
                Err(Attempt::Fatal(reason)) => return Err(AskError::Fatal(reason)),
                Err(Attempt::Failed(reason)) => {
                    return Err(AskError::Failed { attempts: requests, reason });
                }
                Err(Attempt::Later { reason, asked }) => (reason, asked),
            };
            if quota.time_left() == Some(Duration::ZERO) {
                return Err(AskError::Deadline);
            }
            failures += 1;
            if failures >= self.retry.attempts {
                return Err(AskError::Failed { attempts: requests, reason });
            }
            let wait = self.retry.wait(failures, asked, &mut rng);
            thread::sleep(wait.min(quota.time_left().unwrap_or(wait)));
        }
    }

    fn attempt(&self, prompt: &Prompt, quota: &Quota) -> Result<(Reply, Usage), Attempt> {
        let completion_tokens = self.completion_tokens.load(Ordering::Relaxed);
        let field = if completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        let (status, asked, text) = self
            .post(self.endpoint.body(prompt, field).to_string(), quota)
            .map_err(|error| self.transport(error))?;
        if status == 200 {
            let later = |reason: String| Attempt::Later {
                reason: format!("{reason}: {}", excerpt(&text)),
                asked: None,
            };
            let answer: Value = serde_json::from_str(&text)
                .map_err(|error| later(format!("the answer is no JSON: {error}")))?;
            return self.endpoint.read(&answer).map_err(later);
        }
        if status == 400 && !completion_tokens && text.contains("max_completion_tokens") {
            self.completion_tokens.store(true, Ordering::Relaxed);
            return Err(Attempt::AnotherForm);
        }
        let reason = format!("status {status}: {}", excerpt(&text));
        Err(match status {
            _ if may_pass(status) => Attempt::Later { reason, asked },
            401 | 403 if self.endpoint.key.is_none() => Attempt::Fatal(format!(
                "{reason}; no key was sent, set {}",
                self.endpoint.api.key_variable()
            )),
            _ if is_fatal(status) => {
                Attempt::Fatal(format!("{reason}; asked {}", self.endpoint.url))
            }
            _ => Attempt::Failed(reason),
        })
    }

    fn post(
        &self,
        body: String,
        quota: &Quota,
    ) -> Result<(u16, Option<Duration>, String), ureq::Error> {
        let limit = self.limits.request;
        let limit = quota.time_left().map_or(limit, |left| left.min(limit));
        let mut request = self
            .agent
            .post(&self.endpoint.url)
            .config()
            .timeout_global(Some(limit))
            .build()
            .header("content-type", "application/json");
        if self.endpoint.api == Api::Anthropic {
            request = request.header("anthropic-version", anthropic::VERSION);
        }
        if let Some(key) = &self.endpoint.key {
            request = match self.endpoint.api {
                Api::Openai => request.header("authorization", format!("Bearer {}", key.secret())),
                Api::Anthropic => request.header("x-api-key", key.secret()),
            };
        }
        let mut response = request.send(body)?;
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let asked = asked_wait(header);
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX_ANSWER).lossy_utf8(true);
        // Before anything is cut: half a key is a secret too.
        Ok((status, asked, self.shown(body.read_to_string()?)))
    }

    /// What a failed transport means. A connection that breaks may hold the next
    /// time; an address that does not exist will not.
    fn transport(&self, error: ureq::Error) -> Attempt {
        use ureq::Error;
        let reason = self.shown(format!("failed to reach {}: {error}", self.endpoint.url));
        match error {
            Error::BadUri(_)
            | Error::Http(_)
            | Error::Tls(_)
            | Error::Rustls(_)
            | Error::InvalidProxyUrl => Attempt::Fatal(reason),
            _ => Attempt::Later { reason, asked: None },
        }
    }

    /// A text as it may be shown and kept: without the key.
    fn shown(&self, text: String) -> String {
        match &self.endpoint.key {
            Some(key) => key.redact(&text),
            None => text,
        }
    }
}

/// The beginning of an answer, on one line.
fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_EXCERPT) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None if line.is_empty() => "(nothing)".to_owned(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_ends_by_count_and_by_time() {
        let quota = Quota::new(Some(2), None);
        assert_eq!(
            (quota.take(), quota.take(), quota.take()),
            (Ok(()), Ok(()), Err(AskError::Cap))
        );
        let over = Quota::new(None, Some(Instant::now()));
        assert_eq!(over.take(), Err(AskError::Deadline));
    }

    #[test]
    fn an_excerpt_is_one_line_of_bounded_length() {
        assert_eq!(excerpt("a\n  b\n"), "a b");
        assert_eq!(excerpt(" "), "(nothing)");
        assert_eq!(excerpt(&"ä".repeat(400)).chars().count(), 303);
    }
}
