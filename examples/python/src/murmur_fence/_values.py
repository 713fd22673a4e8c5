"""Component values as plain ones, by their type.

Plain values are the same in every host: a record is a dict with the WIT's names, a
case without a payload and an enum are a str, a case with one is a dict of one member,
flags are a list, and a result is `{"ok": ...}` or `{"err": ...}`, always. wasmtime's
own conversion hands out a result's bare payload where the types of both sides differ,
and does not check the range of a number.
"""

from __future__ import annotations

from typing import Any

from wasmtime import component as types
from wasmtime.component import Record, ResourceAny, ValType, Variant

from ._given import of_class, whole

_BITS = {types.U8: 8, types.U16: 16, types.U32: 32, types.U64: 64}

Cases = list[tuple[str, "ValType | None"]]


def to_component(ty: ValType, value: Any, at: str) -> Any:
    """The value as wasmtime takes it. `at` names it in errors.

    Raises TypeError for a value of another type, and ValueError for a number out of
    range, a case that there is not, and a text that is not Unicode.
    """
    if isinstance(ty, types.String):
        return _text(value, at)
    if type(ty) in _BITS:
        return _number(value, _BITS[type(ty)], at)
    if isinstance(ty, types.Bool):
        return of_class(value, bool, at)
    if isinstance(ty, types.ListType):
        items = of_class(value, (list, tuple), at)
        return [to_component(ty.element, item, f"{at}[{n}]") for n, item in enumerate(items)]
    if isinstance(ty, types.TupleType):
        items = of_class(value, (list, tuple), at)
        if len(items) != len(ty.elements):
            raise ValueError(f"{at} has {len(items)} items; give {len(ty.elements)}")
        pairs = zip(ty.elements, items)
        return tuple(to_component(one, item, f"{at}[{n}]") for n, (one, item) in enumerate(pairs))
    if isinstance(ty, types.RecordType):
        return _record(ty, value, at)
    if isinstance(ty, types.OptionType):
        payload = None if value is None else to_component(ty.payload, value, at)
        return _joined([("none", None), ("some", ty.payload)], value is not None, payload)
    if isinstance(ty, types.VariantType):
        return _case(ty.cases, value, at)
    if isinstance(ty, types.EnumType):
        if value not in ty.names:
            raise ValueError(f"{at} is {value!r}; give one of {', '.join(ty.names)}")
        return value
    if isinstance(ty, (types.OwnType, types.BorrowType)):
        return of_class(value, ResourceAny, at)
    raise TypeError(f"{at} is of a type that this package does not know: {ty!r}")


def from_component(ty: ValType, value: Any) -> Any:
    """What wasmtime gave, as a plain value."""
    if isinstance(ty, types.ListType):
        return [from_component(ty.element, item) for item in value]
    if isinstance(ty, types.TupleType):
        return [from_component(one, item) for one, item in zip(ty.elements, value)]
    if isinstance(ty, types.RecordType):
        return {name: from_component(one, getattr(value, name)) for name, one in ty.fields}
    if isinstance(ty, types.OptionType):
        name, payload = _split([("none", None), ("some", ty.payload)], value)
        return None if name == "none" else from_component(ty.payload, payload)
    if isinstance(ty, types.VariantType):
        return _plain_case(ty.cases, value)
    if isinstance(ty, types.ResultType):
        cases: Cases = [("ok", ty.ok), ("err", ty.err)]
        name, payload = _split(cases, value)
        of = dict(cases)[name]
        return {name: None if of is None else from_component(of, payload)}
    if isinstance(ty, types.FlagsType):
        return [name for name in ty.names if name in value]
    return value


def _text(value: Any, at: str) -> str:
    text: str = of_class(value, str, at)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{at} is not Unicode: a lone surrogate at character {error.start}; decode the "
            'text with errors="replace", or leave it out'
        ) from None
    return text


def _number(value: Any, bits: int, at: str) -> int:
    number = whole(value, at)
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{at} is {number}; give 0 to {(1 << bits) - 1}")
    return number


def _record(ty: types.RecordType, value: Any, at: str) -> Record:
    members = of_class(value, dict, at)
    fields = dict(ty.fields)
    if members.keys() != fields.keys():
        raise TypeError(f"{at} has {sorted(members)}; give {sorted(fields)}")
    record = Record()
    for name, one in fields.items():
        setattr(record, name, to_component(one, members[name], f"{at}.{name}"))
    return record


def _case(cases: Cases, value: Any, at: str) -> Any:
    name, payload = next(iter(value.items())) if isinstance(value, dict) else (value, None)
    for index, (case, of) in enumerate(cases):
        if case == name:
            given = None if of is None else to_component(of, payload, f"{at}.{name}")
            return _joined(cases, index, given)
    raise ValueError(f"{at} is {name!r}; give one of {', '.join(case for case, _ in cases)}")


def _plain_case(cases: Cases, value: Any) -> Any:
    name, payload = _split(cases, value)
    of = dict(cases)[name]
    return name if of is None else {name: from_component(of, payload)}


def _joined(cases: Cases, index: int, payload: Any) -> Any:
    """The payload as wasmtime takes it: tagged only where the cases' Python types
    are not all different."""
    return Variant(cases[index][0], payload) if _tagged(cases) else payload


def _split(cases: Cases, value: Any) -> tuple[str, Any]:
    """The case's name and its payload, of what wasmtime gives."""
    if _tagged(cases):
        return value.tag, value.payload
    for name, of in cases:
        if value is None if of is None else isinstance(value, tuple(_classes(of))):
            return name, value
    raise TypeError(f"{value!r} is none of {', '.join(name for name, _ in cases)}")


def _tagged(cases: Cases) -> bool:
    seen: set[type] = set()
    for _, of in cases:
        classes = {object} if of is None else _classes(of)
        if classes & seen:
            return True
        seen |= classes
    return False


def _classes(ty: ValType) -> set[type]:
    classes: set[type] = set()
    ty.add_classes(classes)
    return classes
