"""How many processes can work at once on this machine."""

from __future__ import annotations

import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def usable_cores(cgroup: Path = CGROUP) -> int:
    """The cores that this process may use: the least of its affinity, its cgroup's CPU quota and the physical
    cores of the machine; at least 1."""
    import psutil  # 23 ms that `import parsearch` need not pay

    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    physical = psutil.cpu_count(logical=False) or allowed
    return max(1, int(min(allowed, physical, cpu_quota(cgroup))))


def cpu_quota(cgroup: Path = CGROUP) -> float:
    """The cores' worth of CPU time that the control group grants (cgroup v2, else v1); infinite without a quota."""
    quotas = [math.inf]
    for folder in (cgroup, *_own_groups(cgroup)):
        v2, v1 = folder / "cpu.max", folder / "cpu.cfs_quota_us"
        if v2.is_file():
            quota, period = v2.read_text().split()
        elif v1.is_file():
            quota, period = v1.read_text().strip(), (folder / "cpu.cfs_period_us").read_text().strip()
        else:
            continue
        if quota not in ("max", "-1"):
            quotas.append(int(quota) / int(period))
    return min(quotas)


def _own_groups(cgroup: Path) -> list[Path]:
    """The folders of this process's own control group and the groups above it, where they are visible."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:  # not Linux: no control groups
        return []
    folders = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers or "cpu" in controllers.split(","):
            base = cgroup / "cpu" if controllers else cgroup  # v1 has a tree for each controller, v2 one for all
            path = base / group.lstrip("/")
            folders += [path, *(parent for parent in path.parents if parent.is_relative_to(base))]
    return folders
