"""Lines of a record as text: a string cannot carry a line that is no UTF-8."""

from __future__ import annotations

from typing import Any, Union


def as_text(lines: Union[str, bytes], first_line: int) -> tuple[str, list[dict[str, Any]]]:
    """The lines as a string, and what is to be said of those that are no UTF-8."""
    if isinstance(lines, str):
        return lines, []
    try:
        return lines.decode(), []
    except UnicodeDecodeError:
        pass
    texts: list[str] = []
    not_utf8: list[dict[str, Any]] = []
    # Not `splitlines`, which takes other characters for line ends too.
    for number, line in enumerate(lines.split(b"\n"), first_line):
        try:
            texts.append(line.decode())
        except UnicodeDecodeError as error:
            cut_off = error.reason == "unexpected end of data"
            not_utf8.append({"line": number, "valid-up-to": error.start, "cut-off": cut_off})
            texts.append(line.decode(errors="replace"))
    return "\n".join(texts), not_utf8
