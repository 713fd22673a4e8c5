"""The component in wasmtime: an instance a thread, with limits."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import wasmtime
from wasmtime.component import Component, Func, FuncType, Instance, Linker, ResourceAny

from ._values import from_component, to_component
from .errors import Ended, LoadError, Refused

PACKAGE = "murmur:fence"
VERSION = "0.1.0"


class _Live:
    """One instance."""

    def __init__(self, loaded: Loaded) -> None:
        self.thread = threading.get_ident()
        self.ended = False
        self.store = wasmtime.Store(loaded.engine)
        self.store.set_limits(memory_size=loaded.max_memory)
        if loaded.fuel is not None:
            self.store.set_fuel(loaded.fuel)
        self.instance: Instance = loaded.linker.instantiate(self.store, loaded.component)
        self.functions: dict[tuple[str, str], tuple[Func, FuncType]] = {}

    def refuse_other_threads(self) -> None:
        if self.thread != threading.get_ident():
            raise ValueError("this was made by another thread; use and close it there")

    def function(self, interface: str, name: str) -> tuple[Func, FuncType]:
        found = self.functions.get((interface, name))
        if found is None:
            full = f"{PACKAGE}/{interface}@{VERSION}"
            outer = self.instance.get_export_index(self.store, full)
            index = outer and self.instance.get_export_index(self.store, name, outer)
            function = index and self.instance.get_func(self.store, index)
            if not function:
                raise LoadError(
                    f"the component does not export {full}#{name}; "
                    "build it from the sources that this package came with"
                )
            found = self.functions[interface, name] = (function, function.type(self.store))
        return found


class Handle:
    """A resource of the component, with the instance that it lives in."""

    def __init__(self, live: _Live, resource: ResourceAny) -> None:
        self.live = live
        self.resource = resource
        self.closed = False

    def drop(self) -> None:
        if self.closed or self.live.ended:
            return
        self.live.refuse_other_threads()
        self.closed = True
        self.resource.drop(self.live.store)


class Loaded:
    """A compiled component. Any thread may call it; each has an instance of its own."""

    def __init__(self, path: Path, max_memory: int, fuel: int | None) -> None:
        if not path.is_file():
            raise LoadError(
                f"there is no component at `{path}`; build it with `cargo xtask component`, "
                "or say where it is"
            )
        config = wasmtime.Config()
        config.consume_fuel = fuel is not None
        self.engine = wasmtime.Engine(config)
        self.max_memory = max_memory
        self.fuel = fuel
        try:
            self.component = Component.from_file(self.engine, str(path))
        except wasmtime.WasmtimeError as error:
            reason = str(error).splitlines()[0]
            raise LoadError(f"`{path}` is not a component: {reason}") from error
        self.linker = Linker(self.engine)
        self._thread = threading.local()
        try:
            self._live()
        except wasmtime.WasmtimeError as error:
            reason = str(error).splitlines()[0]
            raise LoadError(
                f"`{path}` cannot be started: {reason}; give murmur-fence.wasm, which imports "
                "nothing, and enough max_memory and fuel"
            ) from error

    def _live(self) -> _Live:
        live: _Live | None = getattr(self._thread, "live", None)
        if live is None or live.ended:
            live = self._thread.live = _Live(self)
        return live

    def call(self, interface: str, name: str, *arguments: Any, on: Handle | None = None) -> Any:
        """Calls a function with plain values and answers a plain value; of a function
        that can fail, the value itself, or Refused is raised.

        With `on`, the function is a method, and its first argument the handle.
        """
        live = self._live_of(on, *arguments)
        function, ty = live.function(interface, name)
        given = arguments if on is None else (on, *arguments)
        lowered = []
        for (parameter, of), value in zip(ty.params, given, strict=True):
            lowered.append(to_component(of, _unwrapped(value), parameter.replace("-", "_")))
        if self.fuel is not None:
            live.store.set_fuel(self.fuel)
        try:
            answer = function(live.store, *lowered)
        except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
            live.ended = True
            reason = str(error).strip().splitlines()[-1].strip()
            raise Ended(f"{name} was ended: {reason}") from error
        return _wrapped(live, name, None if ty.result is None else from_component(ty.result, answer))

    def _live_of(self, *values: Any) -> _Live:
        """The instance that the handles among the values live in, or this thread's."""
        handles = [value for value in map(_handle, values) if value is not None]
        if not handles:
            return self._live()
        live = handles[0].live
        if any(handle.live is not live for handle in handles):
            raise ValueError("these were made in different instances; make them in one thread")
        if live.ended:
            raise Ended("the instance was ended by an earlier call; make it anew")
        live.refuse_other_threads()
        if any(handle.closed for handle in handles):
            raise ValueError("this is closed; make it anew")
        return live


def _handle(value: Any) -> Handle | None:
    if isinstance(value, Handle):
        return value
    if isinstance(value, dict) and len(value) == 1:
        return _handle(next(iter(value.values())))
    return None


def _unwrapped(value: Any) -> Any:
    if isinstance(value, Handle):
        return value.resource
    if isinstance(value, dict):
        return {name: _unwrapped(member) for name, member in value.items()}
    return value


def _wrapped(live: _Live, name: str, answer: Any) -> Any:
    if isinstance(answer, dict) and answer.keys() <= {"ok", "err"} and len(answer) == 1:
        if "err" in answer:
            raise Refused(name, answer["err"])
        answer = answer["ok"]
    if isinstance(answer, ResourceAny):
        return Handle(live, answer)
    if isinstance(answer, list):
        return [Handle(live, it) if isinstance(it, ResourceAny) else it for it in answer]
    return answer
