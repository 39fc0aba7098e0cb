"""Games that only the driver can import, made to travel: their modules are pickled by value."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import ray.cloudpickle


@contextmanager
def pickled_by_value(modules: Sequence[ModuleType]) -> Iterator[None]:
    """While inside, whatever these modules define is pickled by value instead of by name."""
    for module in modules:
        ray.cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            ray.cloudpickle.unregister_pickle_by_value(module)


def own_modules(game: Any) -> tuple[ModuleType, ...]:
    """The user's own modules that a game needs.

    These are the module of the game's class, of the classes that it derives from, and whatever they import,
    as far as it is neither installed (the workers have it) nor part of parsearch. `__main__` is followed but
    not among them: it travels by value anyway.
    """
    found: dict[str, ModuleType] = {}
    names = [cls.__module__ for part in (game, *vars(game).values()) for cls in type(part).__mro__]
    already = ray.cloudpickle.list_registry_pickle_by_value()
    while names:
        name = names.pop()
        module = sys.modules.get(name)
        if name in found or name in already or module is None or not _is_users(module):
            continue
        found[name] = module
        for value in list(vars(module).values()):
            if isinstance(value, ModuleType):
                names.append(value.__name__)
            elif isinstance(value, type | FunctionType):
                names.append(value.__module__)
    found.pop("__main__", None)
    return tuple(found.values())


def _is_users(module: ModuleType) -> bool:
    name, file = module.__name__, getattr(module, "__file__", None)
    if name == "__main__":
        return True
    if name.split(".")[0] == "parsearch" or file is None:
        return False
    path = Path(file).resolve()
    if {"site-packages", "dist-packages"} & set(path.parts):
        return False
    return not any(path.is_relative_to(sysconfig.get_path(kind)) for kind in ("stdlib", "platstdlib"))
