"""An error of a worker on its way home."""

from __future__ import annotations

import pickle
import traceback
from dataclasses import dataclass

from parsearch.core.errors import ParsearchError


@dataclass(frozen=True, slots=True)
class Crash:
    """What a worker's search raised: the message, the traceback as text, and what the game raised, if it pickles."""

    message: str
    traceback: str
    cause: bytes | None

    @classmethod
    def of(cls, error: ParsearchError) -> Crash:
        """The crash that an error makes."""
        from ray import cloudpickle

        raised = error.__cause__ or error
        try:
            cause = cloudpickle.dumps(raised)
        except Exception:  # what a user raises need not pickle; the text is there all the same
            cause = None
        return cls(str(error), "".join(traceback.format_exception(raised)), cause)

    def revive(self) -> BaseException:
        """What the game raised, with the worker's traceback chained to it, as far as it survived the journey."""
        text = WorkerTraceback(self.traceback)
        if self.cause is None:
            return text
        try:
            cause = pickle.loads(self.cause)
        except Exception:  # an exception that pickles need not unpickle
            return text
        if not isinstance(cause, BaseException):
            return text
        cause.__cause__ = text
        return cause


class WorkerTraceback(Exception):
    """The traceback of an exception that was raised in a worker, as text."""

    def __str__(self) -> str:
        return f"\n\n{self.args[0]}"
