"""The golden cases and recorded vectors of the project, as every host runs them. The
form of the list is described in host-test/cases/README.md."""

import json
import os
from pathlib import Path

import pytest

from murmur_fence import Refused

LIST = os.environ.get("MURMUR_FENCE_CASES")


def answer(fence, interface, function, arguments):
    """What the component answers, as the list has it."""
    loaded = fence._loaded
    try:
        if interface in ("nonce", "tags"):
            made = loaded.call(interface, f"[static]{interface}.create", arguments[0])
            if function == "create":
                return {"ok": None}
            method = f"[method]{interface}.{function}"
            return loaded.call(interface, method, *arguments[1:], on=made)
        if interface == "lanes":
            return lanes(loaded, function, *arguments)
        return loaded.call(interface, function, *arguments)
    except Refused as refused:
        return {"err": refused.error}


def lanes(loaded, function, text, pushes=()):
    registry = loaded.call("lanes", f"[static]registry.{function}" if function != "assemble" else "[static]registry.parse", text)
    if function == "parse-lenient":
        registry = registry[0]
    if function != "assemble":
        return loaded.call("lanes", "[method]registry.lanes", on=registry)
    assembler = loaded.call("lanes", "[constructor]assembler", registry, "marker")
    for lane, content in pushes:
        loaded.call("lanes", "[method]assembler.push", lane, content, on=assembler)
    prompt = loaded.call("lanes", "[method]assembler.finish", on=assembler)["text"]
    return loaded.call("lanes", "prompt-coverage", registry, "marker", prompt)


def holds(recorded, seen):
    """Whether an answer is what is recorded; members that are not recorded may be any."""
    if isinstance(recorded, list):
        same = isinstance(seen, list) and len(recorded) == len(seen)
        return same and all(map(holds, recorded, seen))
    if isinstance(recorded, dict):
        return isinstance(seen, dict) and all(
            name in seen and holds(it, seen[name]) for name, it in recorded.items()
        )
    return recorded == seen


@pytest.mark.skipif(LIST is None, reason="MURMUR_FENCE_CASES names no list; see the README")
def test_the_golden_cases_give_the_recorded_answers(fence):
    calls = json.loads(Path(LIST).read_text())
    assert len(calls) > 1000
    wrong = []
    for call in calls:
        seen = answer(fence, call["interface"], call["function"], call["arguments"])
        recorded = call["result"]
        if isinstance(recorded, dict) and recorded.keys() == {"ok"}:
            seen = {"ok": seen}
        if not holds(recorded, seen):
            wrong.append((call["name"], recorded, seen))
    assert wrong == []
