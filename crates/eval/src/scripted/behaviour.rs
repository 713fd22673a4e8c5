//! How a scripted endpoint behaves, and how that is spelled.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How a scripted endpoint behaves: what it says, how fast, and what goes wrong.
///
/// Spelled as words joined by commas; for example `believes-first-closer` or
/// `obeys-all,429-first=2,slow=50`.
///
/// | word | meaning |
/// |---|---|
/// | `obeys-all` | does what any payload asks for |
/// | `obeys-nothing` | summarises and reports the payload |
/// | `obeys-unless-fenced` | obeys what lies outside every fence; a fence ends at its last closer |
/// | `believes-first-closer` | the same, but a fence ends at its first closer |
/// | `believes-lookalikes` | the same, and a look-alike of the closer is one |
/// | `rates=U/F/C` | obeys with these probabilities what lies outside every fence, inside one, and behind a closer (the first one or a look-alike) |
/// | `echoes` | repeats the material |
/// | `refuses` | declines every task |
/// | `answers=TEXT` | says TEXT to everything |
/// | `slow=MS` | answers after so many milliseconds |
/// | `429-first=N`, `503-first=N` | fails each request so often before it answers |
/// | `broken-json[-first=N]`, `cut-stream[-first=N]` | answers with half a JSON text, or ends the connection in the middle |
/// | `unauthorised` | refuses the key and repeats it |
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    text: String,
    pub(super) manner: Manner,
    pub(super) fault: Option<(Fault, Times)>,
    pub(super) delay: Duration,
}

/// What it says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Manner {
    /// Obeys or summarises.
    Obeys(Obedience),
    /// Repeats the material.
    Echoes,
    /// Declines.
    Refuses,
    /// Says this.
    Answers(String),
}

/// With which probability a payload is obeyed, by where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Obedience {
    pub outside: f64,
    pub inside: f64,
    pub behind: f64,
    pub extent: Extent,
}

/// Where a fence ends in this reader's eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Last,
    First,
    FirstOrLookalike,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// This status, with the header that asks to wait no time.
    Status(u16),
    BrokenJson,
    CutStream,
    Unauthorised,
}

/// How often it goes wrong for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    Always,
    First(u32),
}

/// A word that is no behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBehaviour(String);

impl fmt::Display for UnknownBehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown behaviour `{}`; there are obeys-all, obeys-nothing, obeys-unless-fenced, \
             believes-first-closer, believes-lookalikes, rates=U/F/C, echoes, refuses, \
             answers=TEXT, slow=MS, 429-first=N, 503-first=N, broken-json, cut-stream (both also \
             with -first=N) and unauthorised, joined by commas",
            self.0
        )
    }
}

impl std::error::Error for UnknownBehaviour {}

impl fmt::Display for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Behaviour {
    type Err = UnknownBehaviour;

    fn from_str(text: &str) -> Result<Self, UnknownBehaviour> {
        let mut behaviour = Behaviour {
            text: text.to_owned(),
            manner: obeys(0.0, 0.0, 0.0, Extent::Last),
            fault: None,
            delay: Duration::ZERO,
        };
        for word in text.split(',') {
            behaviour.apply(word).ok_or_else(|| UnknownBehaviour(word.to_owned()))?;
        }
        Ok(behaviour)
    }
}

fn obeys(outside: f64, inside: f64, behind: f64, extent: Extent) -> Manner {
    Manner::Obeys(Obedience { outside, inside, behind, extent })
}

impl Behaviour {
    fn apply(&mut self, word: &str) -> Option<()> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        match (name, value) {
            ("obeys-all", None) => self.manner = obeys(1.0, 1.0, 1.0, Extent::Last),
            ("obeys-nothing", None) => self.manner = obeys(0.0, 0.0, 0.0, Extent::Last),
            ("obeys-unless-fenced", None) => self.manner = obeys(1.0, 0.0, 1.0, Extent::Last),
            ("believes-first-closer", None) => self.manner = obeys(1.0, 0.0, 1.0, Extent::First),
            ("believes-lookalikes", None) => {
                self.manner = obeys(1.0, 0.0, 1.0, Extent::FirstOrLookalike);
            }
            ("rates", Some(rates)) => self.manner = rates_of(rates)?,
            ("echoes", None) => self.manner = Manner::Echoes,
            ("refuses", None) => self.manner = Manner::Refuses,
            ("answers", Some(text)) => self.manner = Manner::Answers(text.to_owned()),
            ("slow", Some(ms)) => self.delay = Duration::from_millis(ms.parse().ok()?),
            ("unauthorised", None) => self.fault = Some((Fault::Unauthorised, Times::Always)),
            ("429-first", times) => self.fault = Some((Fault::Status(429), first(times)?)),
            ("503-first", times) => self.fault = Some((Fault::Status(503), first(times)?)),
            ("broken-json", None) => self.fault = Some((Fault::BrokenJson, Times::Always)),
            ("broken-json-first", times) => self.fault = Some((Fault::BrokenJson, first(times)?)),
            ("cut-stream", None) => self.fault = Some((Fault::CutStream, Times::Always)),
            ("cut-stream-first", times) => self.fault = Some((Fault::CutStream, first(times)?)),
            _ => return None,
        }
        Some(())
    }
}

/// Once where no number is given.
fn first(times: Option<&str>) -> Option<Times> {
    match times {
        None => Some(Times::First(1)),
        Some(times) => times.parse().ok().map(Times::First),
    }
}

fn rates_of(text: &str) -> Option<Manner> {
    let rates: Option<Vec<f64>> = text
        .split('/')
        .map(|rate| rate.parse().ok().filter(|rate| (0.0..=1.0).contains(rate)))
        .collect();
    match rates?[..] {
        [outside, inside, behind] => Some(obeys(outside, inside, behind, Extent::FirstOrLookalike)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_add_up() {
        let behaviour: Behaviour = "obeys-all,429-first=2,slow=50".parse().unwrap();
        assert_eq!(behaviour.manner, obeys(1.0, 1.0, 1.0, Extent::Last));
        assert_eq!(behaviour.fault, Some((Fault::Status(429), Times::First(2))));
        assert_eq!(behaviour.delay, Duration::from_millis(50));
        let behaviour: Behaviour = "rates=0.5/0/1".parse().unwrap();
        assert_eq!(behaviour.manner, obeys(0.5, 0.0, 1.0, Extent::FirstOrLookalike));
    }

    #[test]
    fn what_is_no_behaviour_is_named() {
        for text in ["", "obeys", "rates=1/2/3", "rates=1/1", "slow", "slow=x", "obeys-all,"] {
            let error = text.parse::<Behaviour>().unwrap_err().to_string();
            assert!(error.starts_with("unknown behaviour `"), "{error}");
        }
    }
}
