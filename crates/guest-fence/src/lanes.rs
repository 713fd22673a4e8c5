//! Interface `lanes`: the registry and the assembler of `murmur_fence_lanes`, as
//! the WIT spells them.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use murmur_fence_lanes as native;
use self_cell::self_cell;

use crate::exports::murmur::fence::lanes::{
    self, Assembled, ChatError, Conversed, Coverage, Dialect, FinishError, Guest, GuestAssembler,
    GuestChat, GuestRegistry, Lane, LaneCoverage, LaneKey, LaneNameError, LaneValue, LargeValue,
    Message, MisplacedLane, NoJson, Place, Problem, ProblemKind, PushError, Receipt, ReceiptError,
    RefusedLane, RegistryBorrow, TextFlaw, Trust, WrongType,
};
use crate::fence::{flaw, offset};
use crate::nonce::Nonce;
use crate::tags::Tags;

impl Guest for crate::Component {
    type Registry = Registry;
    type Assembler = Assembler;
    type Chat = Chat;

    fn receipt_coverage(
        registry: Option<RegistryBorrow<'_>>,
        receipts: String,
    ) -> Result<Coverage, ReceiptError> {
        let registry = registry.as_ref().map(|registry| &registry.get::<Registry>().0);
        match native::Coverage::of_receipts(registry, &receipts) {
            Ok(seen) => Ok(coverage(&seen)),
            Err(error) => Err(ReceiptError { line: offset(error.line), reason: error.reason }),
        }
    }

    fn prompt_coverage(
        registry: RegistryBorrow<'_>,
        dialect: Dialect<'_>,
        prompt: String,
    ) -> Coverage {
        let registry = &registry.get::<Registry>().0;
        coverage(&native::Coverage::of_prompt(registry, &*native_dialect(dialect), &prompt))
    }

    fn messages_coverage(
        registry: RegistryBorrow<'_>,
        dialect: Dialect<'_>,
        messages: String,
    ) -> Result<Coverage, String> {
        let registry = &registry.get::<Registry>().0;
        native::Coverage::of_messages(registry, &*native_dialect(dialect), &messages)
            .map(|seen| coverage(&seen))
            .map_err(|error| error.reason)
    }
}

/// The resource.
pub struct Registry(native::Registry);

impl GuestRegistry for Registry {
    fn parse(text: String) -> Result<lanes::Registry, Vec<Problem>> {
        match native::Registry::parse(&text) {
            Ok(registry) => Ok(lanes::Registry::new(Registry(registry))),
            Err(problems) => Err(problems.into_iter().map(problem).collect()),
        }
    }

    fn parse_lenient(text: String) -> (lanes::Registry, Vec<Problem>) {
        let (registry, problems) = native::Registry::parse_lenient(&text);
        let problems = problems.into_iter().map(problem).collect();
        (lanes::Registry::new(Registry(registry)), problems)
    }

    fn create(lanes: Vec<Lane>) -> Result<lanes::Registry, RefusedLane> {
        let mut registry = native::Registry::new();
        for lane in lanes {
            let name = lane.name.clone();
            registry
                .insert(native_lane(lane))
                .map_err(|error| RefusedLane { name, reason: name_error(error) })?;
        }
        Ok(lanes::Registry::new(Registry(registry)))
    }

    fn lanes(&self) -> Vec<Lane> {
        self.0.lanes().iter().map(lane).collect()
    }
}

/// What an assembler works on. Copies, since a handle's owner may drop it before
/// the assembler is done.
struct Ground {
    registry: native::Registry,
    dialect: Box<dyn murmur_fence::Dialect>,
}

/// None once it is finished.
type Begun<'a> = Option<native::Assembler<'a>>;

self_cell! {
    struct Prompt {
        owner: Ground,
        #[not_covariant]
        dependent: Begun,
    }
}

/// The resource.
pub struct Assembler(RefCell<Prompt>);

impl GuestAssembler for Assembler {
    fn new(registry: RegistryBorrow<'_>, dialect: Dialect<'_>) -> Self {
        let registry = registry.get::<Registry>().0.clone();
        let ground = Ground { registry, dialect: native_dialect(dialect) };
        Assembler(RefCell::new(Prompt::new(ground, |ground| {
            Some(native::Assembler::new(&ground.registry, &*ground.dialect))
        })))
    }

    fn push(&self, lane: String, text: String) -> Result<Receipt, PushError> {
        self.0.borrow_mut().with_dependent_mut(|_, begun| {
            let assembler = begun.as_mut().ok_or(PushError::Finished)?;
            // The other errors are those of chat messages.
            let pushed = assembler.push(&lane, &text).map(receipt);
            pushed.map_err(|_| PushError::UnknownLane(lane))
        })
    }

    fn finish(&self) -> Result<Assembled, FinishError> {
        self.0.borrow_mut().with_dependent_mut(|_, begun| {
            match begun.take().ok_or(FinishError::Finished)?.finish() {
                Ok(assembled) => Ok(Assembled {
                    text: assembled.text,
                    receipts: assembled.receipts.iter().map(receipt).collect(),
                    rules: assembled.rules,
                }),
                Err(native::Unfenced { receipts }) => {
                    Err(FinishError::Unfenced(receipts.iter().map(receipt).collect()))
                }
            }
        })
    }
}

/// None once it is finished.
type Talking<'a> = Option<native::Chat<'a>>;

self_cell! {
    struct Talk {
        owner: Ground,
        #[not_covariant]
        dependent: Talking,
    }
}

/// The resource.
pub struct Chat(RefCell<Talk>);

impl Chat {
    fn push_with(
        &self,
        push: impl FnOnce(&mut native::MessageWriter<'_, '_>) -> Result<Receipt, native::PushError>,
    ) -> Result<Receipt, ChatError> {
        self.0.borrow_mut().with_dependent_mut(|_, talking| {
            let chat = talking.as_mut().ok_or(ChatError::Finished)?;
            let mut message = chat.last_message().ok_or(ChatError::NoMessage)?;
            push(&mut message).map_err(chat_error)
        })
    }
}

impl GuestChat for Chat {
    fn new(registry: RegistryBorrow<'_>, dialect: Dialect<'_>) -> Self {
        let registry = registry.get::<Registry>().0.clone();
        let ground = Ground { registry, dialect: native_dialect(dialect) };
        Chat(RefCell::new(Talk::new(ground, |ground| {
            Some(native::Chat::new(&ground.registry, &*ground.dialect))
        })))
    }

    fn message(&self, role: String) -> bool {
        self.0.borrow_mut().with_dependent_mut(|_, talking| match talking {
            Some(chat) => {
                chat.message(&role);
                true
            }
            None => false,
        })
    }

    fn push(&self, lane: String, text: String) -> Result<Receipt, ChatError> {
        self.push_with(|message| message.push(&lane, &text).map(receipt))
    }

    fn push_json(&self, lane: String, value: String) -> Result<Receipt, ChatError> {
        self.push_with(|message| message.push_json_text(&lane, &value).map(receipt))
    }

    fn finish(&self) -> Result<Conversed, FinishError> {
        self.0.borrow_mut().with_dependent_mut(|_, talking| {
            match talking.take().ok_or(FinishError::Finished)?.finish() {
                Ok(native::Messages { messages, receipts, rules }) => Ok(Conversed {
                    messages: messages.into_iter().map(message).collect(),
                    receipts: receipts.iter().map(receipt).collect(),
                    rules,
                }),
                Err(native::Unfenced { receipts }) => {
                    Err(FinishError::Unfenced(receipts.iter().map(receipt).collect()))
                }
            }
        })
    }
}

fn message(message: native::Message) -> Message {
    Message { content: message.content_json(), role: message.role }
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

fn native_dialect(dialect: Dialect<'_>) -> Box<dyn murmur_fence::Dialect> {
    match dialect {
        Dialect::Marker => Box::new(murmur_fence::MarkerDialect),
        Dialect::Nonce(nonce) => Box::new(nonce.get::<Nonce>().native()),
        Dialect::Tags(tags) => Box::new(tags.get::<Tags>().native()),
    }
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

fn native_lane(lane: Lane) -> native::Lane {
    native::Lane {
        name: lane.name,
        trust: match lane.trust {
            Trust::Owner => native::Trust::Owner,
            Trust::Policy => native::Trust::Policy,
            Trust::Tool => native::Trust::Tool,
            Trust::Child => native::Trust::Child,
            Trust::Model => native::Trust::Model,
            Trust::Unknown => native::Trust::Unknown,
        },
        budget: lane.budget,
        description: lane.description,
        place: lane.place.map(|place| native::Place { line: place.line, column: place.column }),
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

fn text_flaw(at: &native::coverage::FlawAt) -> TextFlaw {
    TextFlaw { piece: at.piece.clone(), flaw: flaw(at.flaw) }
}

fn problem(problem: native::Problem) -> Problem {
    let message = problem.kind.to_string();
    Problem { place: place(problem.place), kind: problem_kind(problem.kind), message }
}

fn problem_kind(kind: native::ProblemKind) -> ProblemKind {
    use native::ProblemKind as Kind;
    match kind {
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
            key: key.to_owned(),
            wanted: wanted.to_owned(),
            found: found.to_owned(),
        }),
        Kind::BudgetRange { lane, value } => ProblemKind::BudgetRange(LaneValue { lane, value }),
    }
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
