"""The untrusted fence in Python: `murmur-fence.wasm` in wasmtime, with types.

    fence = Fence("target/components/murmur-fence.wasm")
    block = fence.wrap("tool:web-fetch", page)
    match fence.verify(block):
        case Intact(outline): ...

The documentation of each function is that of the WIT, `wit/` of the project.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Optional, Union

from . import values
from ._build import build
from ._component import Handle, Loaded
from ._given import at_least, listed, of_class, records
from ._lines import as_text
from .errors import Ended, FenceError, LoadError, Refused
from .values import (
    Assembled, Audited, Block, Broken, Conversed, Coverage, Fenced, Finding, Imported, Intact, Lane,
    Lookalike, Mode, Piece, Receipt, Segment, Sums, Unfenced, Verdict, Wording,
)

__all__ = [
    "Assembler", "Audited", "Block", "Broken", "Chat", "Ended", "Fence", "FenceError", "Intact",
    "LoadError", "Nonce", "Refused", "Registry", "Sums", "Tags", "Unfenced", "Writer", "values",
]


class Fence:
    """The component. Any thread may use it, and calls run side by side; what it hands
    out (writers, nonces, tags, registries) stays in the thread that made it.

    `max_memory` bounds an instance, in bytes; a wrap needs up to 9 times its text.
    `fuel` bounds each call in wasmtime's units of work; without it there is no bound.
    """

    def __init__(
        self,
        path: Union[str, Path],
        *,
        max_memory: int = 512 << 20,
        fuel: Optional[int] = None,
    ) -> None:
        at_least(1, max_memory, "max_memory")
        if fuel is not None:
            at_least(1, fuel, "fuel")
        self._loaded = Loaded(Path(path), max_memory, fuel)

    def _call(self, interface: str, name: str, *arguments: Any) -> Any:
        return self._loaded.call(interface, name, *arguments)

    def wrap(self, source: str, content: str) -> str:
        text: str = self._call("fence", "wrap", source, content)
        return text

    def wrap_all(self, items: Iterable[tuple[str, str]]) -> list[str]:
        """`wrap` for each source and content, in one call."""
        given = records(items, ("source", "content"), "items")
        texts: list[str] = self._call("fence", "wrap-all", given)
        return texts

    def neutralise(self, content: str) -> str:
        """The content with its markers neutralised; itself if it has none."""
        inert: Optional[str] = self._call("fence", "neutralise", content)
        return content if inert is None else inert

    def neutralise_all(self, contents: Iterable[str]) -> list[str]:
        given = listed(contents, "contents")
        answers: list[Optional[str]] = self._call("fence", "neutralise-all", given)
        return [old if new is None else new for old, new in zip(given, answers)]

    def open_marker(self, source: str) -> str:
        marker: str = self._call("fence", "open-marker", source)
        return marker

    def close_marker(self) -> str:
        marker: str = self._call("fence", "close-marker")
        return marker

    def segments(self, message: str) -> list[Segment]:
        found: list[Segment] = build(list[Segment], self._call("fence", "segments", message))
        return found

    def outer_block(self, message: str) -> Optional[Block]:
        found: Optional[Block] = build(
            Optional[Block], self._call("fence", "outer-block", message)
        )
        return found

    def verify(self, message: str, mode: Mode = "standard") -> Verdict:
        verdict: Verdict = build(Verdict, self._call("fence", "verify", message, mode))
        return verdict

    def verify_all(self, messages: Iterable[str], mode: Mode = "standard") -> list[Verdict]:
        plain = self._call("fence", "verify-all", listed(messages, "messages"), mode)
        verdicts: list[Verdict] = build(list[Verdict], plain)
        return verdicts

    def restore(self, body: str) -> str:
        text: str = self._call("fence", "restore", body)
        return text

    def lookalikes(self, text: str) -> list[Lookalike]:
        found: list[Lookalike] = build(list[Lookalike], self._call("fence", "lookalikes", text))
        return found

    def writer(self, source: str) -> Writer:
        return Writer(self._loaded, self._call("fence", "[constructor]writer", source))

    def inspect(self, role: str, content: str, inserted: bool = False) -> list[Piece]:
        """Every text of a message as `murmur:conversation/read` serves it."""
        message = {"role": role, "content": content, "inserted": inserted}
        pieces: list[Piece] = build(list[Piece], self._call("inspect", "inspect", message))
        return pieces

    def inspect_all(
        self, messages: Iterable[tuple[str, str, bool]]
    ) -> list[Union[list[Piece], Refused]]:
        """`inspect` for each role, content and mark; an error stands in its place."""
        given = records(messages, ("role", "content", "inserted"), "messages")
        return [
            build(list[Piece], plain["ok"]) if "ok" in plain else Refused("inspect", plain["err"])
            for plain in self._call("inspect", "inspect-all", given)
        ]

    def audit_lines(
        self,
        lines: Union[str, bytes],
        *,
        first_line: int = 1,
        max_findings: int = 1000,
        since: Optional[int] = None,
        lookalikes: bool = True,
    ) -> Audited:
        """The audit of whole lines of a record, in bytes where some may be no UTF-8. The
        sums of several calls add up: `first.sums + second.sums`.

        `first_line` is the number of the first of them in the record, from 1; `since` is
        in milliseconds since the Unix epoch.
        """
        of_class(lines, (str, bytes), "lines")
        at_least(1, first_line, "first_line")
        text, not_utf8 = as_text(lines, first_line)
        options = {
            "first-line": first_line,
            "not-utf8": not_utf8,
            "max-findings": max_findings,
            "since": since,
            "lookalikes": lookalikes,
        }
        plain = self._call("audit", "audit-lines", text, options)
        findings: list[Finding] = build(list[Finding], plain["findings"])
        return Audited(Sums.of(plain["sums"]), findings)

    def nonce(
        self,
        token: Optional[str] = None,
        name: Optional[str] = None,
        style: Literal["angle", "tag"] = "angle",
    ) -> Nonce:
        """Markers around a token: 128 bits of the system's randomness unless given."""
        token = secrets.token_hex(16) if token is None else token
        settings = {"token": token, "name": name, "style": style}
        return Nonce(self._loaded, self._call("nonce", "[static]nonce.create", settings), "nonce")

    def tags(self, reserved: Optional[Iterable[str]] = None) -> Tags:
        names = None if reserved is None else listed(reserved, "reserved")
        return Tags(self._loaded, self._call("tags", "[static]tags.create", names), "tags")

    def marker_rules(self, label: Optional[str] = None) -> Wording:
        wording: Wording = build(Wording, self._call("rules", "marker-rules", label))
        return wording

    def provenance(self, modules: Iterable[str]) -> str:
        text: str = self._call("rules", "provenance", listed(modules, "modules"))
        return text

    def history(self, turns: Iterable[tuple[str, str]]) -> Imported:
        given = records(turns, ("role", "text"), "turns")
        imported: Imported = build(Imported, self._call("rules", "history", given))
        return imported

    def registry(self, text: str) -> Registry:
        """The lanes of a `lanes.toml`; Refused holds every problem."""
        return Registry(self._loaded, self._call("lanes", "[static]registry.parse", text))

    def lenient_registry(self, text: str) -> tuple[Registry, list[Mapping[str, Any]]]:
        """What can be read of a `lanes.toml`, and the problems. Default deny."""
        handle, problems = self._call("lanes", "[static]registry.parse-lenient", text)
        return Registry(self._loaded, handle), problems

    def receipt_coverage(self, receipts: str, registry: Optional[Registry] = None) -> Coverage:
        if registry is not None:
            of_class(registry, Registry, "registry")
        handle = None if registry is None else registry._handle
        plain = self._call("lanes", "receipt-coverage", handle, receipts)
        coverage: Coverage = build(Coverage, plain)
        return coverage


class _Resource:
    """Something that lives in the component until it is closed."""

    def __init__(self, loaded: Loaded, handle: Handle) -> None:
        self._loaded = loaded
        self._handle = handle

    def close(self) -> None:
        """Frees it in the component; a second time does nothing. The instance frees the
        rest with itself."""
        self._handle.drop()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


class Writer(_Resource):
    """Writes one block in chunks."""

    def write(self, chunk: str) -> str:
        text: str = self._loaded.call("fence", "[method]writer.write", chunk, on=self._handle)
        return text

    def finish(self) -> str:
        text: str = self._loaded.call("fence", "[method]writer.finish", on=self._handle)
        return text


class _Dialect(_Resource):
    """What nonces and tags have in common."""

    def __init__(self, loaded: Loaded, handle: Handle, name: str) -> None:
        super().__init__(loaded, handle)
        self._name = name

    def _call(self, function: str, *arguments: Any) -> Any:
        method = f"[method]{self._name}.{function}"
        return self._loaded.call(self._name, method, *arguments, on=self._handle)

    def wrap(self, source: str, content: str) -> str:
        text: str = self._call("wrap", source, content)
        return text

    def defang(self, content: str) -> str:
        """The content with its markers made inert; itself if it has none."""
        inert: Optional[str] = self._call("defang", content)
        return content if inert is None else inert

    def restore(self, body: str) -> str:
        text: str = self._call("restore", body)
        return text

    def segments(self, message: str) -> list[Segment]:
        found: list[Segment] = build(list[Segment], self._call("segments", message))
        return found

    def verify(self, message: str, mode: Mode = "standard") -> Verdict:
        verdict: Verdict = build(Verdict, self._call("verify", message, mode))
        return verdict

    def rules(self, label: Optional[str] = None) -> Wording:
        wording: Wording = build(Wording, self._call("rules", label))
        return wording


class Nonce(_Dialect):
    """Markers around the token of one request."""

    def fence(self, source: str, content: str) -> Fenced:
        """Refused if the token occurs in the text: draw another."""
        fenced: Fenced = build(Fenced, self._call("fence", source, content))
        return fenced


class Tags(_Dialect):
    """A set of reserved tags."""

    def fence(self, tag: str, body: str, attributes: Iterable[tuple[str, str]] = ()) -> str:
        given = records(attributes, ("name", "value"), "attributes")
        text: str = self._call("fence", tag, body, given)
        return text

    def tool_result(self, tool: str, body: str) -> str:
        text: str = self._call("tool-result", tool, body)
        return text


Around = Union[Literal["marker"], Nonce, Tags]


def _around(dialect: Around) -> Any:
    of_class(dialect, (str, Nonce, Tags), "dialect")
    return dialect if isinstance(dialect, str) else {dialect._name: dialect._handle}


class Registry(_Resource):
    """The lanes of an agent."""

    def lanes(self) -> list[Lane]:
        plain = self._loaded.call("lanes", "[method]registry.lanes", on=self._handle)
        lanes: list[Lane] = build(list[Lane], plain)
        return lanes

    def assembler(self, dialect: Around = "marker") -> Assembler:
        name = "[constructor]assembler"
        handle = self._loaded.call("lanes", name, self._handle, _around(dialect))
        return Assembler(self._loaded, handle)

    def chat(self, dialect: Around = "marker") -> Chat:
        name = "[constructor]chat"
        return Chat(self._loaded, self._loaded.call("lanes", name, self._handle, _around(dialect)))

    def messages_coverage(self, messages: str, dialect: Around = "marker") -> Coverage:
        """The coverage of chat messages, given as JSON text; Refused where they are none."""
        plain = self._loaded.call(
            "lanes", "messages-coverage", self._handle, _around(dialect), messages
        )
        coverage: Coverage = build(Coverage, plain)
        return coverage

    def prompt_coverage(self, prompt: str, dialect: Around = "marker") -> Coverage:
        plain = self._loaded.call(
            "lanes", "prompt-coverage", self._handle, _around(dialect), prompt
        )
        coverage: Coverage = build(Coverage, plain)
        return coverage


class Chat(_Resource):
    """Puts a list of chat messages together."""

    def message(self, role: str) -> bool:
        """Starts the next message; False where the messages are finished already."""
        started: bool = self._loaded.call(
            "lanes", "[method]chat.message", role, on=self._handle
        )
        return started

    def push(self, lane: str, text: str) -> Receipt:
        plain = self._loaded.call("lanes", "[method]chat.push", lane, text, on=self._handle)
        receipt: Receipt = build(Receipt, plain)
        return receipt

    def push_json(self, lane: str, value: str) -> Receipt:
        """Appends a structured value, given as JSON text."""
        plain = self._loaded.call("lanes", "[method]chat.push-json", lane, value, on=self._handle)
        receipt: Receipt = build(Receipt, plain)
        return receipt

    def finish(self) -> Conversed:
        plain = self._loaded.call("lanes", "[method]chat.finish", on=self._handle)
        conversed: Conversed = build(Conversed, plain)
        return conversed


class Assembler(_Resource):
    """Puts one prompt together."""

    def push(self, lane: str, text: str) -> Receipt:
        name = "[method]assembler.push"
        plain = self._loaded.call("lanes", name, lane, text, on=self._handle)
        receipt: Receipt = build(Receipt, plain)
        return receipt

    def finish(self) -> Assembled:
        plain = self._loaded.call("lanes", "[method]assembler.finish", on=self._handle)
        assembled: Assembled = build(Assembled, plain)
        return assembled
