"""What the benchmarks share: CPU time, and an end that a reader may bring about."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, and what came out."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def run(main: Callable[[], int]) -> NoReturn:
    """Exit with the code that `main` returns, or with 1, and no traceback, where stdout is closed before (`| head`)."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still buffered is written at exit
        code = 1
    sys.exit(code)
