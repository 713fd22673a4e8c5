"""Typed values of plain ones, by the annotations of the dataclasses."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Any, ClassVar


def build(hint: Any, plain: Any) -> Any:
    """The plain value as what the annotation says."""
    origin = typing.get_origin(hint)
    if origin is list:
        (element,) = typing.get_args(hint)
        return [build(element, item) for item in plain]
    if origin is tuple:
        return tuple(build(of, item) for of, item in zip(typing.get_args(hint), plain))
    if origin in (typing.Union, types.UnionType):
        options = typing.get_args(hint)
        if type(None) in options:
            (some,) = (option for option in options if option is not type(None))
            return None if plain is None else build(some, plain)
        return _case(options, plain)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = _hints(hint)
        return hint(**{
            field.name: build(hints[field.name], plain[field.name.replace("_", "-")])
            for field in dataclasses.fields(hint)
        })
    return plain


def _case(options: tuple[Any, ...], plain: Any) -> Any:
    """A variant: each option names its case, and has its payload as its only field."""
    name, payload = next(iter(plain.items())) if isinstance(plain, dict) else (plain, None)
    option = next(option for option in options if option.case == name)
    fields = dataclasses.fields(option)
    if not fields:
        return option()
    return option(build(_hints(option)[fields[0].name], payload))


@functools.cache
def _hints(hint: type) -> dict[str, Any]:
    hints = typing.get_type_hints(hint)
    return {name: of for name, of in hints.items() if typing.get_origin(of) is not ClassVar}
