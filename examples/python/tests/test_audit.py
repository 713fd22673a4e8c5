"""The audit of lines: what it says, that its sums add up, and lines that are no UTF-8."""

import itertools
import json

import pytest

from murmur_fence import Sums
from murmur_fence._lines import as_text
from murmur_fence.values import Finding, Tally

BLOCK = "<untrusted-content source=tool:x>\nbody\n</untrusted-content>"


def line(role, text, **more):
    return json.dumps({"content": [{"type": "text", "text": text}], "role": role, **more}).encode()


WHOLE = line("tool", BLOCK, fence="tool:x")
BARE = line("tool", "bare", fence="tool:x", id="msg_1", tool_call_id="call-1")


def test_declared_is_held_against_done(fence):
    audited = fence.audit_lines(b"\r\n".join([WHOLE, BARE, line("assistant", "hi")]), first_line=7)
    assert audited.sums == Sums(
        lines=3,
        messages=3,
        sources={"tool:x": Tally(labelled=2, marked=1, intact=1, due=2, bare=0, unlabelled=0)},
        bare={"model-text": 1},
        errors=1,
        by_code={"labelled-not-intact": 1},
    )
    (found,) = audited.findings
    text = found.text
    assert found == Finding(
        "labelled-not-intact", "error", 8, "msg_1", "call-1", "tool:x", "/content/0/text", 0,
        BARE.index(b"bare"), text,
    )


def test_sums_add_up(fence):
    lines = [WHOLE, BARE, line("user", "hi"), b"[]", line("tool", BLOCK, fence="tool:y"), b"\xff"]
    lines = [one + b"\n" for one in lines]
    whole = fence.audit_lines(b"".join(lines))
    for cut in range(len(lines) + 1):
        first = fence.audit_lines(b"".join(lines[:cut]))
        second = fence.audit_lines(b"".join(lines[cut:]), first_line=cut + 1)
        assert first.sums + second.sums == whole.sums
        assert first.findings + second.findings == whole.findings
    assert [found.line for found in whole.findings] == [2, 4, 5, 6]


def test_a_line_that_is_no_utf8_is_a_finding_at_its_byte(fence):
    record = WHOLE + b'\n{"a\xff\n' + WHOLE + b'\n{"role":"caf\xc3'
    audited = fence.audit_lines(record, first_line=5)
    found = [(it.code, it.line, it.offset) for it in audited.findings]
    assert found == [("invalid-utf8", 6, 3), ("torn-line", 8, 12)]
    assert audited.sums.sources["tool:x"].intact == 2


def test_cut_off_is_what_more_bytes_could_make_whole():
    """By trying every continuation that could."""
    leads = [0x61, 0x80, 0xBF, 0xC1, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xF5, 0xFF]
    tails = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
    more = [bytes(it) for length in (1, 2, 3) for it in itertools.product(tails, repeat=length)]
    for length in (0, 1, 2):
        for end in itertools.product(tails, repeat=length):
            for lead in leads:
                line = bytes([lead, *end])
                _, told = as_text(line, 1)
                if not told:
                    continue
                rest = line[told[0]["valid-up-to"]:]
                assert told[0]["cut-off"] == any(whole(rest + it) for it in more), line


def whole(text):
    """Whether it is one character in UTF-8."""
    try:
        return len(text.decode()) == 1
    except UnicodeDecodeError:
        return False


def test_the_findings_are_bounded_and_look_alikes_are_optional(fence):
    lines = (BARE + b"\n") * 5
    audited = fence.audit_lines(lines, max_findings=2)
    assert (len(audited.findings), audited.sums.errors) == (2, 5)
    alike = line("tool", "< /untrusted-content>") + b"\n"
    assert fence.audit_lines(alike).sums.notes == 1
    assert fence.audit_lines(alike, lookalikes=False).sums.notes == 0


def test_old_messages_are_counted_and_passed_over(fence):
    made = 1_700_000_000_000
    name = f"msg_{made:012x}7{'0' * 19}"
    record = line("tool", "bare", fence="tool:x", id=name) + b"\n"
    assert fence.audit_lines(record, since=made).sums.errors == 1
    old = fence.audit_lines(record, since=made + 1).sums
    assert (old.messages, old.passed_over, old.errors) == (1, 1, 0)


def test_a_number_out_of_range_is_refused_before_the_call(fence):
    for first in [-1, 0]:
        with pytest.raises(ValueError, match=f"first_line is {first}; give at least 1"):
            fence.audit_lines(b"\xff\n", first_line=first)
    with pytest.raises(TypeError, match="first_line is str; give an int"):
        fence.audit_lines(b"\xff\n", first_line="1")
    for lines in [None, 5, memoryview(b"{}\n")]:
        with pytest.raises(TypeError, match="lines is .*; give str or bytes"):
            fence.audit_lines(lines)
    with pytest.raises(ValueError, match="max_findings|max-findings"):
        fence.audit_lines("", max_findings=1 << 32)
