//! The lanes of the native crate, in the contract's types.

use super::{dialects, flaw, offset};
use crate::subject::{Answer, Lanes, Prompt, Say, Talk};
use murmur_fence_host::lanes::{
    Assembled, ChatError, Conversed, Coverage, Dialect, DialectError, FinishError, Lane,
    LaneCoverage, LaneKey, LaneNameError, LaneValue, LargeValue, Message, MisplacedLane, NoJson,
    Place, Problem, ProblemKind, PushError, Receipt, ReceiptError, RefusedLane, TextFlaw, Trust,
    WrongType,
};
use murmur_fence_lanes as native;

/// A registry of the crate.
pub(super) struct NativeLanes(pub(super) native::Registry);

impl Lanes for NativeLanes {
    fn lanes(&mut self) -> Answer<Vec<Lane>> {
        Ok(self.0.lanes().iter().map(lane).collect())
    }

    fn assemble(
        &mut self,
        dialect: Dialect<'_>,
        pushes: &[(&str, &str)],
    ) -> Answer<Result<Prompt, DialectError>> {
        let dialect = match native_dialect(dialect) {
            Ok(dialect) => dialect,
            Err(error) => return Ok(Err(error)),
        };
        let mut assembler = native::Assembler::new(&self.0, &*dialect);
        let pushed = pushes.iter().map(|&(lane, text)| {
            let pushed = assembler.push(lane, text).map(receipt);
            pushed.map_err(|_| PushError::UnknownLane(lane.into()))
        });
        let pushed = pushed.collect();
        let finished = match assembler.finish() {
            Ok(assembled) => Ok(Assembled {
                text: assembled.text,
                receipts: assembled.receipts.iter().map(receipt).collect(),
                rules: assembled.rules,
            }),
            Err(native::Unfenced { receipts }) => {
                Err(FinishError::Unfenced(receipts.iter().map(receipt).collect()))
            }
        };
        Ok(Ok(Prompt { pushed, finished }))
    }

    fn converse(
        &mut self,
        dialect: Dialect<'_>,
        steps: &[Say<'_>],
    ) -> Answer<Result<Talk, DialectError>> {
        let dialect = match native_dialect(dialect) {
            Ok(dialect) => dialect,
            Err(error) => return Ok(Err(error)),
        };
        let mut chat = native::Chat::new(&self.0, &*dialect);
        let mut pushed = Vec::new();
        for step in steps {
            let answer = match *step {
                Say::Message(role) => {
                    chat.message(role);
                    continue;
                }
                Say::Text(lane, text) => {
                    chat.last_message().map(|mut it| it.push(lane, text).map(receipt))
                }
                Say::Json(lane, value) => {
                    chat.last_message().map(|mut it| it.push_json_text(lane, value).map(receipt))
                }
            };
            pushed.push(match answer {
                Some(answer) => answer.map_err(chat_error),
                None => Err(ChatError::NoMessage),
            });
        }
        let finished = match chat.finish() {
            Ok(native::Messages { messages, receipts, rules }) => {
                let message =
                    |it: native::Message| Message { content: it.content_json(), role: it.role };
                let receipts = receipts.iter().map(receipt).collect();
                Ok(Conversed {
                    messages: messages.into_iter().map(message).collect(),
                    receipts,
                    rules,
                })
            }
            Err(native::Unfenced { receipts }) => {
                Err(FinishError::Unfenced(receipts.iter().map(receipt).collect()))
            }
        };
        Ok(Ok(Talk { pushed, finished }))
    }

    fn messages_coverage(
        &mut self,
        dialect: Dialect<'_>,
        messages: &str,
    ) -> Answer<Result<Result<Coverage, String>, DialectError>> {
        Ok(native_dialect(dialect).map(|dialect| {
            native::Coverage::of_messages(&self.0, &*dialect, messages)
                .map(|seen| coverage(&seen))
                .map_err(|error| error.reason)
        }))
    }

    fn prompt_coverage(
        &mut self,
        dialect: Dialect<'_>,
        prompt: &str,
    ) -> Answer<Result<Coverage, DialectError>> {
        Ok(native_dialect(dialect)
            .map(|dialect| coverage(&native::Coverage::of_prompt(&self.0, &*dialect, prompt))))
    }

    fn receipt_coverage(&mut self, receipts: &str) -> Answer<Result<Coverage, ReceiptError>> {
        Ok(match native::Coverage::of_receipts(Some(&self.0), receipts) {
            Ok(seen) => Ok(coverage(&seen)),
            Err(error) => Err(ReceiptError { line: offset(error.line), reason: error.reason }),
        })
    }
}

fn native_dialect(dialect: Dialect<'_>) -> Result<Box<dyn murmur_fence::Dialect>, DialectError> {
    Ok(match dialect {
        Dialect::Marker => Box::new(murmur_fence::MarkerDialect),
        Dialect::Nonce(settings) => {
            Box::new(dialects::nonce(settings).map_err(DialectError::Nonce)?)
        }
        Dialect::Tags(reserved) => Box::new(dialects::tags(reserved).map_err(DialectError::Tags)?),
    })
}

fn lane(lane: &native::Lane) -> Lane {
    Lane {
        name: lane.name.clone(),
        trust: trust(lane.trust),
        budget: lane.budget,
        description: lane.description.clone(),
        place: lane.place.map(place),
    }
}

fn trust(trust: native::Trust) -> Trust {
    match trust {
        native::Trust::Owner => Trust::Owner,
        native::Trust::Policy => Trust::Policy,
        native::Trust::Tool => Trust::Tool,
        native::Trust::Child => Trust::Child,
        native::Trust::Model => Trust::Model,
        native::Trust::Unknown => Trust::Unknown,
    }
}

fn place(place: native::Place) -> Place {
    Place { line: place.line, column: place.column }
}

fn receipt(receipt: &native::Receipt) -> Receipt {
    Receipt {
        lane: receipt.lane.clone(),
        trust: trust(receipt.trust),
        budget: receipt.budget,
        bytes: offset(receipt.bytes),
        cut: offset(receipt.cut),
        declared: receipt.declared,
        fenced: receipt.fenced,
        line: receipt.to_json(),
    }
}

fn coverage(coverage: &native::Coverage) -> Coverage {
    let lane = |lane: &native::coverage::LaneCoverage| LaneCoverage {
        lane: lane.lane.clone(),
        trust: trust(native::Trust::read(lane.trust)),
        declared: lane.declared,
        seen: offset(lane.seen),
        fenced: offset(lane.fenced),
        enforced: lane.is_enforced(),
    };
    Coverage {
        declared: offset(coverage.declared()),
        enforced: offset(coverage.enforced()),
        lanes: coverage.lanes.iter().map(lane).collect(),
        unregistered: coverage.unregistered.iter().cloned().collect(),
        flaws: coverage.flaws.iter().map(text_flaw).collect(),
    }
}

pub(super) fn problem(problem: native::Problem) -> Problem {
    use native::ProblemKind as Kind;
    let message = problem.kind.to_string();
    let kind = match problem.kind {
        Kind::Toml(why) => ProblemKind::Toml(why),
        Kind::Duplicate(key) => ProblemKind::Duplicate(key),
        Kind::NotALane(key) => ProblemKind::NotALane(key),
        Kind::Name { name, error } => {
            ProblemKind::Name(RefusedLane { name, reason: name_error(error) })
        }
        Kind::UnknownKey { lane, key } => ProblemKind::UnknownKey(LaneKey { lane, key }),
        Kind::MissingTrust(lane) => ProblemKind::MissingTrust(lane),
        Kind::MissingBudget(lane) => ProblemKind::MissingBudget(lane),
        Kind::UnknownTrust { lane, word } => {
            ProblemKind::UnknownTrust(LaneValue { lane, value: word })
        }
        Kind::Type { lane, key, wanted, found } => ProblemKind::WrongType(WrongType {
            lane,
            key: key.into(),
            wanted: wanted.into(),
            found: found.into(),
        }),
        Kind::BudgetRange { lane, value } => ProblemKind::BudgetRange(LaneValue { lane, value }),
    };
    Problem { place: place(problem.place), kind, message }
}

fn name_error(error: native::LaneNameError) -> LaneNameError {
    use native::LaneNameError as Error;
    match error {
        Error::Empty => LaneNameError::Empty,
        Error::Taken => LaneNameError::Taken,
        Error::TooLong => LaneNameError::TooLong,
        Error::Start => LaneNameError::Start,
        Error::Character(character) => LaneNameError::Character(character),
    }
}

fn text_flaw(at: &native::coverage::FlawAt) -> TextFlaw {
    TextFlaw { piece: at.piece.clone(), flaw: flaw(at.flaw) }
}

fn chat_error(error: native::PushError) -> ChatError {
    use native::PushError as Error;
    match error {
        Error::UnknownLane { lane } => ChatError::UnknownLane(lane),
        Error::AuthoritativeRole { lane, role } => {
            ChatError::AuthoritativeRole(MisplacedLane { lane, role })
        }
        Error::ValueOverBudget { lane, bytes, room } => {
            ChatError::ValueOverBudget(LargeValue { lane, bytes: offset(bytes), room })
        }
        Error::MarkerInKey { lane, key } => ChatError::MarkerInKey(LaneKey { lane, key }),
        Error::NotJson { lane, why } => ChatError::NotJson(NoJson { lane, reason: why }),
    }
}
