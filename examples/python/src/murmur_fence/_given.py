"""Arguments looked at before anything is done with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union


def of_class(value: Any, wanted: Union[type, tuple[type, ...]], at: str) -> Any:
    """The value, if it is of a class. `at` names it in errors."""
    if not isinstance(value, wanted):
        kinds = wanted if isinstance(wanted, tuple) else (wanted,)
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{at} is {type(value).__name__}; give {names}")
    return value


def whole(value: Any, at: str) -> int:
    """The value, if it is a whole number and no bool."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{at} is {type(value).__name__}; give an int")
    return value


def at_least(least: int, value: Any, at: str) -> None:
    if whole(value, at) < least:
        raise ValueError(f"{at} is {value}; give at least {least}")


def listed(values: Iterable[Any], at: str) -> list[Any]:
    """The values of any iterable but a text, whose items are texts too."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{at} is {type(values).__name__}; give a list")
    return list(values)


def records(items: Iterable[Any], names: tuple[str, ...], at: str) -> list[dict[str, Any]]:
    """A record for each tuple, whose members are in the order of the names."""
    given = []
    for number, item in enumerate(listed(items, at)):
        of_class(item, (tuple, list), f"{at}[{number}]")
        if len(item) != len(names):
            wanted = ", ".join(names)
            raise ValueError(f"{at}[{number}] has {len(item)} items; give {wanted}")
        given.append(dict(zip(names, item)))
    return given
