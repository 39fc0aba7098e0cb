"""The command, as the tests start it in a process of its own."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARSEARCH = [sys.executable, "-m", "parsearch"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "80"}
