#!/usr/bin/env python3
"""Measure speedup as a config file asks: prints the summaries, writes rows and report; goes on where it was."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from parsearch.cli_signals import Interrupted, catch_signals
from parsearch.core.errors import InputError, ParsearchError
from parsearch.experiments.console import run_on_console

CONFIG = Path(__file__).parent.parent / "configs" / "speedup.yaml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--config", type=Path, metavar="FILE", default=CONFIG, help="what to measure")
    parser.add_argument("--out", type=Path, metavar="DIR", default=Path("speedup"), help="where to write the results")
    arguments = parser.parse_args()
    try:
        with catch_signals(patience=0):
            run_on_console(arguments.config, arguments.out)
    except ParsearchError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2 if isinstance(error, InputError) else 1
    except Interrupted as interrupted:  # what was started has been stopped on the way here
        return interrupted.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
