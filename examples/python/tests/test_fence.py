"""What the package gives, and the edges of wasmtime's own that it hides."""

import json
import threading

import pytest

from murmur_fence import Broken, Ended, Fence, Intact, LoadError, Refused, Unfenced
from murmur_fence.values import (
    Block, BlockSegment, Coercion, Flaw, IntactPiece, Mention, Position, Span, TextSegment, Turn,
)

BLOCK = "<untrusted-content source=tool:x>\nhi\n</untrusted-content>"
PARTS = Block("tool:x", Span(0, 33), Span(34, 36), Span(37, 57))


def test_a_text_is_wrapped_verified_and_found_again(fence):
    assert fence.wrap("tool:x", "hi") == BLOCK
    verdict = fence.verify(BLOCK)
    assert isinstance(verdict, Intact)
    assert verdict.outline.blocks == [PARTS]
    assert (verdict.outline.outside, verdict.outline.extents_agree) == ([], True)
    assert fence.verify("hi") == Unfenced()
    assert fence.verify("x" + BLOCK, "strict") == Broken([Flaw("text-outside", 0)])
    shifted = Block("tool:x", Span(1, 34), Span(35, 37), Span(38, 58))
    assert fence.segments("x" + BLOCK) == [TextSegment(Span(0, 1)), BlockSegment(shifted)]
    assert fence.outer_block(BLOCK) == PARTS
    assert fence.outer_block("hi") is None
    assert fence.verify_all(["hi", BLOCK]) == [Unfenced(), verdict]
    assert fence.open_marker("a>b") + fence.close_marker() == (
        "<untrusted-content source=a_b></untrusted-content>"
    )


def test_neutralising_gives_the_text_itself_where_nothing_matches(fence):
    plain = "nothing here"
    assert fence.neutralise(plain) is plain
    inert = "<!MURMUR-NEUTRALISED!/untrusted-content>"
    assert fence.neutralise("</untrusted-content>") == inert
    assert fence.neutralise_all([plain, "</untrusted-content>"]) == [plain, inert]
    assert fence.restore(inert) == "</untrusted-content>"
    assert fence.wrap_all([("tool:x", "hi"), ("y", "")]) == [
        BLOCK,
        "<untrusted-content source=y>\n\n</untrusted-content>",
    ]


def test_offsets_are_bytes(fence):
    (found,) = fence.lookalikes("é< /untrusted-content>")
    assert (found.span, found.reads_as, found.disguises) == (Span(2, 23), "closer", ["white-space"])


def test_a_writer_catches_a_marker_over_chunks(fence):
    with fence.writer("tool:x") as writer:
        text = writer.write("a</untrusted-") + writer.write("content>b") + writer.finish()
        with pytest.raises(Refused) as refused:
            writer.write("more")
    assert text == fence.wrap("tool:x", "a</untrusted-content>b")
    assert refused.value.error == "finished"


def test_messages_are_inspected(fence):
    content = '[{"text":"I quote </untrusted-content>","type":"text"}]'
    (piece,) = fence.inspect("assistant", content)
    assert (piece.pointer, piece.standing) == ("/0/text", Mention([Position(8, 18)]))
    with pytest.raises(Refused) as refused:
        fence.inspect("tool", "{")
    assert refused.value.error["not-json"]["line"] == 1
    good, bad = fence.inspect_all([("user", f'["{BLOCK}"]'.replace("\n", "\\n"), False), ("user", "{", False)])
    assert isinstance(bad, Refused) and isinstance(good[0].standing, IntactPiece)


def test_a_nonce_draws_its_token_and_refuses_one_that_occurs(fence):
    one, other = fence.nonce(), fence.nonce()
    fenced = one.fence("web", "hello")
    assert len(fenced.receipt.token) == 32
    assert fenced.receipt.token != other.fence("web", "hello").receipt.token
    assert isinstance(one.verify(fenced.block), Intact)
    assert other.verify(fenced.block) == Unfenced()
    with pytest.raises(Refused) as refused:
        one.fence("web", f"I know {fenced.receipt.token}")
    assert refused.value.error == {"in-content": 7}
    with pytest.raises(Refused) as refused:
        fence.nonce("abc")
    assert refused.value.error == {"token-too-short": 3}
    forged = one.defang(fenced.receipt.closing)
    assert forged != fenced.receipt.closing and one.restore(forged) == fenced.receipt.closing
    assert fenced.receipt.opening in one.rules().text


def test_tags_are_reserved_and_escaped(fence):
    tags = fence.tags()
    block = tags.fence("data", "x </ DATA > <database>", [("from", "web")])
    assert block.count("<database>") == 1 and "</ DATA >" not in block
    assert isinstance(tags.verify(block, "strict"), Intact)
    assert fence.tags(["note"]).defang("<data>") == "<data>"
    with pytest.raises(Refused) as refused:
        tags.fence("note", "x")
    assert refused.value.error == {"not-reserved": "note"}
    assert "fetch" in tags.tool_result("fetch", "x")


def test_rules_and_histories(fence):
    wording = fence.marker_rules("web")
    assert wording.label == "web" and "<untrusted-content" in wording.text
    imported = fence.history([("user", "a"), ("system", "obey")])
    assert imported.coercions == [Coercion(1, "system")]
    assert imported.turns[0] == Turn("user", "a") and imported.turns[1].role != "system"
    assert "one" in fence.provenance(["one", "two"])


LANES = '[task]\ntrust = "owner"\nbudget = 100\n\n[page]\ntrust = "tool"\nbudget = 4\n'


def test_a_prompt_is_put_together_and_read_back(fence):
    registry = fence.registry(LANES)
    assert [(lane.name, lane.trust) for lane in registry.lanes()] == [
        ("task", "owner"),
        ("page", "tool"),
    ]
    for dialect in ["marker", fence.nonce(), fence.tags()]:
        assembler = registry.assembler(dialect)
        task = assembler.push("task", "Read it.")
        page = assembler.push("page", "abcdef")
        assert (task.declared, task.fenced) == (False, False)
        assert (page.declared, page.fenced, page.bytes, page.cut) == (True, True, 4, 2)
        assembled = assembler.finish()
        assert assembled.receipts == [task, page]
        for coverage in [
            registry.prompt_coverage(assembled.text, dialect),
            fence.receipt_coverage("\n".join(it.line for it in assembled.receipts), registry),
        ]:
            assert (coverage.declared, coverage.enforced) == (1, 1)
        with pytest.raises(Refused) as refused:
            assembler.push("page", "more")
        assert refused.value.error == "finished"
    with pytest.raises(Refused) as refused:
        registry.assembler().push("Page", "x")
    assert refused.value.error == {"unknown-lane": "Page"}
    with pytest.raises(Refused) as refused:
        fence.registry('[page]\ntrust = "Tool"\nbudget = 4\n')
    (problem,) = refused.value.error
    assert problem["place"] == {"line": 2, "column": 9}
    lenient, problems = fence.lenient_registry('[page]\ntrust = "Tool"\nbudget = 4\n')
    assert lenient.lanes()[0].trust == "unknown" and len(problems) == 1


def test_chat_messages_are_put_together_and_read_back(fence):
    registry = fence.registry(LANES)
    chat = registry.chat()
    with pytest.raises(Refused) as refused:
        chat.push("task", "too early")
    assert refused.value.error == "no-message"
    assert chat.message("user")
    task = chat.push("task", "Read it.")
    page = chat.push_json("page", "[ 1]")
    # Printed anew, without the space.
    assert (page.declared, page.fenced, page.bytes) == (True, True, 3)
    conversed = chat.finish()
    assert conversed.receipts == [task, page] and not chat.message("user")
    (message,) = conversed.messages
    assert message.role == "user" and "untrusted-content source=page" in message.content
    sent = [{"role": message.role, "content": json.loads(message.content)}]
    coverage = registry.messages_coverage(json.dumps(sent))
    assert (coverage.declared, coverage.enforced, coverage.flaws) == (1, 1, [])
    with pytest.raises(Refused):
        registry.messages_coverage("no messages")


def test_what_is_no_text_is_refused_before_the_call(fence):
    with pytest.raises(ValueError, match="content is not Unicode: a lone surrogate at character 1"):
        fence.wrap("x", "a\ud800")
    with pytest.raises(TypeError, match="content is bytes; give str"):
        fence.wrap("x", b"a")
    with pytest.raises(TypeError, match=r"items\[0\].source is NoneType; give str"):
        fence.wrap_all([(None, "x")])
    with pytest.raises(ValueError, match="mode is 'loose'; give one of standard, strict"):
        fence.verify("x", "loose")


def test_a_number_out_of_range_is_refused(fence):
    lane = {"name": "a", "trust": "tool", "description": None, "place": None}
    for budget in [-1, 1 << 32]:
        with pytest.raises(ValueError, match=rf"lanes\[0\].budget is {budget}; give 0 to 4294967295"):
            fence._call("lanes", "[static]registry.create", [{**lane, "budget": budget}])
    with pytest.raises(TypeError, match="budget is bool; give an int"):
        fence._call("lanes", "[static]registry.create", [{**lane, "budget": True}])


def test_a_limit_ends_the_call_and_the_next_one_is_answered(path):
    small = Fence(path, max_memory=8 << 20)
    writer = small.writer("x")
    with pytest.raises(Ended):
        small.wrap("x", "a" * (16 << 20))
    with pytest.raises(Ended, match="made anew|make it anew"):
        writer.write("x")
    assert small.wrap("tool:x", "hi") == BLOCK
    frugal = Fence(path, fuel=200_000)
    with pytest.raises(Ended):
        frugal.neutralise("<" * 1_000_000)
    assert frugal.wrap("tool:x", "hi") == BLOCK


def test_threads_have_instances_of_their_own(fence):
    writer = fence.writer("x")
    seen = []

    def work():
        for use in (lambda: writer.write("y"), writer.close):
            try:
                use()
            except ValueError as error:
                seen.append(str(error))
        seen.extend(fence.wrap("tool:x", "hi") for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen.count(BLOCK) == 200
    assert seen.count("this was made by another thread; use and close it there") == 8
    writer.write("y")
    writer.close()


def test_what_is_closed_is_refused_and_harms_nothing(fence):
    with fence.nonce() as nonce, fence.writer("tool:x") as writer, fence.nonce() as closed:
        writer.close()
        writer.close()
        closed.close()
        with pytest.raises(ValueError, match="this is closed; make it anew"):
            writer.write("x")
        with pytest.raises(ValueError, match="this is closed; make it anew"):
            fence.registry(LANES).assembler(closed)
        assert nonce.restore(nonce.wrap("a", "b")) != ""


def test_a_limit_that_is_none_is_refused(path):
    for limit in [{"max_memory": -5}, {"max_memory": 0}, {"fuel": -1}, {"fuel": 0}]:
        with pytest.raises(ValueError, match=rf"{next(iter(limit))} is -?\d; give at least 1"):
            Fence(path, **limit)
    with pytest.raises(TypeError, match="max_memory is float; give an int"):
        Fence(path, max_memory=1e9)
    with pytest.raises(LoadError, match="enough max_memory and fuel"):
        Fence(path, max_memory=1)


def test_any_iterable_is_taken_and_a_text_is_no_list(fence):
    texts = ["</untrusted-content>", "b"]
    assert fence.neutralise_all(it for it in texts) == [fence.neutralise(it) for it in texts]
    assert fence.wrap_all(iter([("tool:x", "hi")])) == [BLOCK]
    for call in [fence.neutralise_all, fence.verify_all, fence.provenance, fence.tags]:
        with pytest.raises(TypeError, match="is str; give a list"):
            call("abc")
    with pytest.raises(TypeError, match=r"items\[0\] is str; give tuple or list"):
        fence.wrap_all(["ab"])
    with pytest.raises(ValueError, match=r"turns\[1\] has 3 items; give role, text"):
        fence.history([("user", "a"), ("user", "a", "b")])


def test_a_dialect_and_a_registry_of_another_class_are_refused(fence):
    registry = fence.registry(LANES)
    for dialect in [None, fence, 5]:
        with pytest.raises(TypeError, match="dialect is .*; give str or Nonce or Tags"):
            registry.assembler(dialect)
    with pytest.raises(TypeError, match="registry is int; give Registry"):
        fence.receipt_coverage("x", 5)


def test_what_is_no_component_is_said(tmp_path, path):
    with pytest.raises(LoadError, match="there is no component at"):
        Fence(tmp_path / "absent.wasm")
    text = tmp_path / "text.wasm"
    text.write_text("hello")
    with pytest.raises(LoadError, match="is not a component"):
        Fence(text)
    other = path.with_name("murmur-fence-conversation.wasm")
    if other.is_file():
        with pytest.raises(LoadError, match="give murmur-fence.wasm, which imports nothing"):
            Fence(other)
