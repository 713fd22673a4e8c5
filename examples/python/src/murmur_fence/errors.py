"""How a call can fail. A value of a wrong type or out of range is a TypeError or a
ValueError, before anything is called."""

from __future__ import annotations

from typing import Any


class FenceError(Exception):
    """Any failure of this package's own."""


class LoadError(FenceError):
    """There is no component at the path, or it is another one."""


class Refused(FenceError):
    """The component answered with an error.

    `error` is that error as the WIT spells it: a str for a case without a payload, a
    dict of one member for one with a payload, a dict for a record.
    """

    def __init__(self, function: str, error: Any) -> None:
        super().__init__(f"{function}: {error}")
        self.error = error


class Ended(FenceError):
    """The call was ended: out of memory, out of fuel, or a trap. There is no answer,
    and what was made in the same instance (writers, nonces, registries) is gone. The
    next call gets a new instance."""
