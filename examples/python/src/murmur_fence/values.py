"""What the component answers. Offsets are bytes of the UTF-8 text that was handed in,
not characters: `text.encode()[span.start:span.end]`."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, fields
from typing import Any, ClassVar, Literal, Optional, Union

Mode = Literal["standard", "strict"]
FlawKind = Literal[
    "unclosed",
    "orphan-closer",
    "nested-opener",
    "non-canonical-marker",
    "missing-separator",
    "ambiguous-extent",
    "text-outside",
]
Trust = Literal["owner", "policy", "tool", "child", "model", "unknown"]


@dataclass(frozen=True)
class Span:
    """From `start` up to and without `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Block:
    source: str
    opener: Span
    body: Span
    closer: Span


@dataclass(frozen=True)
class TextSegment:
    case: ClassVar[str] = "text"
    span: Span


@dataclass(frozen=True)
class BlockSegment:
    case: ClassVar[str] = "block"
    block: Block


Segment = Union[TextSegment, BlockSegment]


@dataclass(frozen=True)
class Flaw:
    kind: FlawKind
    offset: int


@dataclass(frozen=True)
class Outline:
    blocks: list[Block]
    outside: list[Span]
    extents_agree: bool


@dataclass(frozen=True)
class Unfenced:
    """No live marker."""

    case: ClassVar[str] = "unfenced"


@dataclass(frozen=True)
class Intact:
    """Every live marker belongs to a whole block."""

    case: ClassVar[str] = "intact"
    outline: Outline


@dataclass(frozen=True)
class Broken:
    """At least one flaw."""

    case: ClassVar[str] = "broken"
    flaws: list[Flaw]


Verdict = Union[Unfenced, Intact, Broken]


@dataclass(frozen=True)
class Lookalike:
    span: Span
    reads_as: Literal["opener", "closer"]
    disguises: list[str]


@dataclass(frozen=True)
class Position:
    """One byte position, in the decoded text and in the served content."""

    decoded: int
    served: int


@dataclass(frozen=True)
class PieceBlock:
    source: str
    start: Position
    end: Position
    body: Span


@dataclass(frozen=True)
class PieceOutline:
    blocks: list[PieceBlock]
    notes: list[Span]
    extents_agree: bool


@dataclass(frozen=True)
class PieceFlaw:
    kind: FlawKind
    at: Position


@dataclass(frozen=True)
class IntactPiece:
    case: ClassVar[str] = "intact"
    outline: PieceOutline


@dataclass(frozen=True)
class BrokenPiece:
    case: ClassVar[str] = "broken"
    flaws: list[PieceFlaw]


@dataclass(frozen=True)
class Mention:
    """Marker text that is not the runtime's fence."""

    case: ClassVar[str] = "mention"
    markers: list[Position]


Standing = Union[Unfenced, IntactPiece, BrokenPiece, Mention]


@dataclass(frozen=True)
class Piece:
    pointer: str
    literal: Span
    text: str
    standing: Standing


@dataclass(frozen=True)
class Wording:
    """The rule for the model, whole and in parts."""

    label: str
    markers: list[tuple[str, str]]
    text: str
    region_rule: str
    phrase_rule: str
    label_rule: str


@dataclass(frozen=True)
class Turn:
    role: str
    text: str


@dataclass(frozen=True)
class Coercion:
    index: int
    role: str


@dataclass(frozen=True)
class Imported:
    turns: list[Turn]
    coercions: list[Coercion]


@dataclass(frozen=True)
class NonceReceipt:
    token: str
    opening: str
    closing: str
    source: str
    bytes: int


@dataclass(frozen=True)
class Fenced:
    block: str
    receipt: NonceReceipt


@dataclass(frozen=True)
class Place:
    """In characters, from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Lane:
    name: str
    trust: Trust
    budget: int
    description: Optional[str]
    place: Optional[Place]


@dataclass(frozen=True)
class Receipt:
    lane: str
    trust: Trust
    budget: int
    bytes: int
    cut: int
    declared: bool
    fenced: bool
    line: str


@dataclass(frozen=True)
class Assembled:
    text: str
    receipts: list[Receipt]
    rules: str


@dataclass(frozen=True)
class LaneCoverage:
    lane: str
    trust: Trust
    declared: bool
    seen: int
    fenced: int
    enforced: bool


@dataclass(frozen=True)
class TextFlaw:
    piece: Optional[str]
    flaw: Flaw


@dataclass(frozen=True)
class Coverage:
    declared: int
    enforced: int
    lanes: list[LaneCoverage]
    unregistered: list[str]
    flaws: list[TextFlaw]


@dataclass(frozen=True)
class Message:
    """`content` is JSON text: a list of pieces."""

    role: str
    content: str


@dataclass(frozen=True)
class Conversed:
    messages: list[Message]
    receipts: list[Receipt]
    rules: str


@dataclass(frozen=True)
class Finding:
    """With the members of the program's JSON; `line` counts from 1, and from the call's
    `first_line`."""

    code: str
    severity: Literal["error", "warning", "note"]
    line: int
    id: Optional[str]
    call: Optional[str]
    source: Optional[str]
    pointer: Optional[str]
    offset: Optional[int]
    column: Optional[int]
    text: str


@dataclass(frozen=True)
class Tally:
    """What is declared of one source, and what was done."""

    labelled: int
    marked: int
    intact: int
    due: int
    bare: int
    unlabelled: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(one + two for one, two in zip(astuple(self), astuple(other))))


@dataclass(frozen=True)
class Sums:
    """What lines come to: by source, by the ground on which a message is bare, and by
    the code of a finding. Sums of a record's parts add up to those of the record."""

    lines: int = 0
    messages: int = 0
    passed_over: int = 0
    sources: dict[str, Tally] = field(default_factory=dict)
    bare: dict[str, int] = field(default_factory=dict)
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    by_code: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(plain: Any) -> Sums:
        """Of the component's own."""
        return Sums(
            lines=plain["lines"],
            messages=plain["messages"],
            passed_over=plain["passed-over"],
            sources={one.pop("source"): Tally(**one) for one in map(dict, plain["sources"])},
            bare={one["name"]: one["count"] for one in plain["bare"]},
            errors=plain["errors"],
            warnings=plain["warnings"],
            notes=plain["notes"],
            by_code={one["name"]: one["count"] for one in plain["by-code"]},
        )

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            **{
                member.name: _add(getattr(self, member.name), getattr(other, member.name))
                for member in fields(self)
            }
        )


def _add(one: Any, two: Any) -> Any:
    if not isinstance(one, dict):
        return one + two
    return {
        name: one[name] + two[name] if name in one and name in two else (one | two)[name]
        for name in sorted(one.keys() | two.keys())
    }


@dataclass(frozen=True)
class Audited:
    """What lines come to, and the first findings in them."""

    sums: Sums
    findings: list[Finding]
