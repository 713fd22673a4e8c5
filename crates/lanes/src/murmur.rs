//! The Murmur runtime's own policy: who sets a task in motion and whom it is
//! from, which sources are fenced, and what never is. As of Murmur 0.8.

use core::fmt;

/// Who set a task in motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The operator: the task given on the command line or in the work
    /// directory.
    User,
    /// A timer.
    Schedule,
    /// The runtime itself.
    System,
    /// Any caller from outside that claims no origin the runtime accepts.
    Event,
    /// Another capsule, by its header.
    Peer,
    /// The report of something that the capsule had started: a sub-capsule, or
    /// a shell command in the background.
    Completion,
}

/// What decides the trust of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrustRule {
    /// Trusted, whatever is claimed.
    Always,
    /// What the sender claims to hand on; untrusted without a claim. The runtime
    /// does not authenticate the claim unless its door is set to.
    Inherited,
    /// Untrusted, whatever is claimed.
    Never,
}

/// The runtime's two classes of trust. They change marking, never permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskTrust {
    /// The payload goes to the model as it is.
    Trusted,
    /// The payload is fenced under `task:` and the origin.
    Untrusted,
}

impl Origin {
    /// Every origin.
    pub const ALL: [Origin; 6] = [
        Origin::User,
        Origin::Schedule,
        Origin::System,
        Origin::Event,
        Origin::Peer,
        Origin::Completion,
    ];

    /// The origin that a request from outside gets for the value of its origin
    /// header: only `peer` and `completion`, in any ASCII case, can be claimed.
    /// Everything else, also the names of the runtime's own origins, is an event.
    pub fn from_header(value: Option<&str>) -> Origin {
        let claims = |origin: &Origin| {
            value.is_some_and(|value| value.eq_ignore_ascii_case(origin.as_str()))
        };
        [Origin::Peer, Origin::Completion].into_iter().find(claims).unwrap_or(Origin::Event)
    }

    /// The word in the record's `task:` sources and in the trace.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::User => "user",
            Origin::Schedule => "schedule",
            Origin::System => "system",
            Origin::Event => "event",
            Origin::Peer => "peer",
            Origin::Completion => "completion",
        }
    }

    /// What decides the trust of a task of this origin.
    pub fn rule(self) -> TrustRule {
        match self {
            Origin::User | Origin::Schedule | Origin::System => TrustRule::Always,
            Origin::Peer | Origin::Completion => TrustRule::Inherited,
            Origin::Event => TrustRule::Never,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The trust of a task, from its origin and the value of its trust header.
///
/// ```
/// use murmur_fence_lanes::murmur::{Origin, TaskTrust, origin_trust};
/// assert_eq!(origin_trust(Origin::Peer, Some("trusted")), TaskTrust::Trusted);
/// assert_eq!(origin_trust(Origin::Peer, Some("trusted ")), TaskTrust::Untrusted);
/// assert_eq!(origin_trust(Origin::Event, Some("trusted")), TaskTrust::Untrusted);
/// ```
pub fn origin_trust(origin: Origin, claimed: Option<&str>) -> TaskTrust {
    let claims_trust = claimed.is_some_and(|value| value.eq_ignore_ascii_case("trusted"));
    match origin.rule() {
        TrustRule::Always => TaskTrust::Trusted,
        TrustRule::Inherited if claims_trust => TaskTrust::Trusted,
        TrustRule::Inherited | TrustRule::Never => TaskTrust::Untrusted,
    }
}

/// A kind of source that the runtime fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceKind {
    /// How the source name starts, with the colon before the name; the whole
    /// source where no name follows.
    pub prefix: &'static str,
    /// What the name after the prefix names; none where no name follows.
    pub names: Option<&'static str>,
    /// Whether the record labels such a message in its `fence` key. Where it
    /// does not, only the markers tell.
    pub labelled: bool,
    /// What the block holds.
    pub holds: &'static str,
}

/// Every kind of source that the runtime fences. A reader still accepts any
/// other name: the runtime may gain a kind.
pub const SOURCE_KINDS: [SourceKind; 6] = [
    SourceKind {
        prefix: "tool:",
        names: Some("the tool, without its scope"),
        labelled: true,
        holds: "the result of a component, native, shell or runtime-provided tool, its failure \
                included",
    },
    SourceKind {
        prefix: "skill:",
        names: Some("the skill, without its scope"),
        labelled: true,
        holds: "the text of a skill that a running capsule pulled in",
    },
    SourceKind {
        prefix: "task:",
        names: Some("the origin"),
        labelled: true,
        holds: "an untrusted task's payload, or the feedback that reopens such a task",
    },
    SourceKind {
        prefix: "member:",
        names: Some("the member, as the roster has it"),
        labelled: false,
        holds: "the answer of one ended call to a member; a message may hold several",
    },
    SourceKind {
        prefix: "delegation:",
        names: Some("the capsule, without its scope"),
        labelled: false,
        holds: "the outcome of one ended delegation; a message may hold several",
    },
    SourceKind {
        prefix: "done-check",
        names: None,
        labelled: false,
        holds: "the output of the command that checks whether a task is done",
    },
];

/// The kind of a source, or none when the runtime writes no such source.
///
/// ```
/// use murmur_fence_lanes::murmur::source_kind;
/// assert!(source_kind("tool:web-fetch").is_some_and(|kind| kind.labelled));
/// assert!(source_kind("page_context").is_none());
/// ```
pub fn source_kind(source: &str) -> Option<&'static SourceKind> {
    SOURCE_KINDS.iter().find(|kind| match kind.names {
        Some(_) => source.starts_with(kind.prefix),
        None => source == kind.prefix,
    })
}

/// Text that the runtime hands to the model without a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exemption {
    /// Which text.
    pub what: &'static str,
    /// Why it is bare.
    pub why: &'static str,
}

/// What the runtime never fences. A marker in such text is verbatim and is no
/// fence.
pub fn never_fenced() -> &'static [Exemption] {
    &NEVER_FENCED
}

const NEVER_FENCED: [Exemption; 11] = [
    Exemption {
        what: "an operator-pinned skill",
        why: "the operator put it into the lock file, which makes it trusted",
    },
    Exemption {
        what: "a trusted task's payload, the message that keeps a capsule working included",
        why: "trust decides the marking, and this trust came from the origin or was handed on",
    },
    Exemption {
        what: "a trusted completion, also one that reports a background command",
        why: "it inherits the trust of the task that started it, whatever the command printed",
    },
    Exemption {
        what: "a dispatch failure: unknown tool, missing field, a tool that traps or does not load",
        why: "nothing ran, and the runtime words the failure; a tool name that the model chose \
              stands in it unescaped",
    },
    Exemption {
        what: "a refusal by a policy hook or by a read-only file system",
        why: "nothing ran, and the operator's policy words the refusal",
    },
    Exemption { what: "a hook's artifact", why: "the operator bound the hook to the capsule" },
    Exemption {
        what: "a hook's seed or compaction summary",
        why: "the hook's messages replace the context as they are, blocks inside them included",
    },
    Exemption { what: "the model's own text", why: "it is no input from outside" },
    Exemption {
        what: "MURMUR.md",
        why: "the runtime writes it; the system prompt calls it data and no instructions",
    },
    Exemption {
        what: "tool manifests and descriptions",
        why: "they reach the model as the tool list and not as a message",
    },
    Exemption {
        what: "the runtime's notes before and after a block",
        why: "they are the runtime's own voice and stand outside the block on purpose",
    },
];
