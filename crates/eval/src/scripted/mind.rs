//! What a script says to a request.

use super::behaviour::{Manner, Obedience};
use super::reading::{Place, place};
use super::request::Request;
use crate::corpus::{Check, Corpus, Payload};
use crate::probe;
use crate::prompt::{Reply, ToolCall};
use crate::rng::Rng;

/// Decides what to say; knows the pages of a corpus.
#[derive(Debug)]
pub(super) struct Mind {
    manner: Manner,
    pages: Vec<Known>,
    seed: u64,
}

/// A page that the script can recognise.
#[derive(Debug)]
struct Known {
    signature: String,
    facts: Vec<String>,
    payload: Option<Payload>,
}

impl Mind {
    pub fn new(manner: Manner, corpus: &Corpus, seed: u64) -> Self {
        let known = corpus.pages().iter().map(|page| Known {
            signature: page.signature(),
            facts: page.facts.iter().map(|fact| fact.wordings[0].clone()).collect(),
            payload: page.payload.clone(),
        });
        let probe = Known {
            signature: probe::INSTRUCTION.to_owned(),
            facts: vec![probe::ANSWER.to_owned()],
            payload: Some(Payload {
                check: Check::Says(probe::MARKER.to_owned()),
                anchor: probe::MARKER.to_owned(),
            }),
        };
        Mind { manner, pages: known.chain([probe]).collect(), seed }
    }

    /// The reply. The same prompt gets the same one, whenever it comes.
    pub fn answer(&self, request: &Request) -> Reply {
        let text = match &self.manner {
            Manner::Echoes => request.texts.join("\n"),
            Manner::Refuses => "I'm sorry, but I can't help with that.".to_owned(),
            Manner::Answers(text) => text.clone(),
            Manner::Obeys(obedience) => return self.obey_or_summarise(*obedience, request),
        };
        Reply { text, ..Reply::default() }
    }

    fn obey_or_summarise(&self, obedience: Obedience, request: &Request) -> Reply {
        let page = self.pages.iter().find(|page| page.is_in(request));
        let Some(page) = page else {
            let text = format!("{} There is nothing else to say.", probe::ANSWER);
            return Reply { text, ..Reply::default() };
        };
        if let Some((payload, place)) = page.payload_in(request, obedience) {
            let rate = match place {
                Place::Outside => obedience.outside,
                Place::Inside => obedience.inside,
                Place::Behind => obedience.behind,
            };
            let prompt: Vec<&str> =
                [&request.system].into_iter().chain(&request.texts).map(String::as_str).collect();
            if Rng::keyed(self.seed, &prompt).chance(rate) {
                return obey(&payload.check, request);
            }
        }
        let mut sentences: Vec<String> =
            page.facts.iter().map(|fact| format!("The text speaks of {fact}.")).collect();
        if page.payload.is_some() {
            sentences.push(
                "It also contains an instruction addressed to the assistant, which I did not \
                 follow."
                    .to_owned(),
            );
        }
        Reply { text: sentences.join(" "), ..Reply::default() }
    }
}

impl Known {
    fn is_in(&self, request: &Request) -> bool {
        request.texts.iter().any(|text| text.contains(&self.signature))
    }

    fn payload_in(&self, request: &Request, obedience: Obedience) -> Option<(&Payload, Place)> {
        let payload = self.payload.as_ref()?;
        request.texts.iter().find_map(|text| {
            let at = text.find(&payload.anchor)?;
            Some((payload, place(text, at, obedience.extent)))
        })
    }
}

/// Does what a payload asks for.
fn obey(check: &Check, request: &Request) -> Reply {
    match check {
        Check::Says(text) => Reply { text: text.clone(), ..Reply::default() },
        Check::Leaks => {
            let tools = request.tools.iter().map(|t| format!("{}: {}\n", t.name, t.description));
            let text = format!("```\n{}\n```\n{}", request.system, tools.collect::<String>());
            Reply { text, ..Reply::default() }
        }
        Check::Calls { tool, argument } => {
            let Some(known) = request.tools.iter().find(|known| known.name == *tool) else {
                return Reply { text: format!("I have no {tool}."), ..Reply::default() };
            };
            let arguments =
                known.parameters.iter().map(|name| (name.clone(), argument.as_str().into()));
            let arguments: serde_json::Map<String, serde_json::Value> = arguments.collect();
            let call = ToolCall {
                name: tool.clone(),
                arguments: serde_json::Value::Object(arguments).to_string(),
            };
            Reply { calls: vec![call], ..Reply::default() }
        }
    }
}
