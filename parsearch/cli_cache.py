"""`parsearch cache`: the machine code of compiled games on disk."""

from __future__ import annotations

import typer

from parsearch.native import cache

MEBIBYTE = 1 << 20


def run_cache(clear: bool) -> None:
    """Show what is there, or remove it."""
    if clear:
        typer.echo(f"removed {cache.clear()} kernels")
        return
    kernels = cache.show()
    for kernel in kernels:
        typer.echo(f"{kernel.size / MEBIBYTE:6.2f} MiB  {kernel.title}")
    where = cache.folder()
    size = sum(kernel.size for kernel in kernels) / MEBIBYTE
    typer.echo(f"{len(kernels)} kernels, {size:.1f} MiB in {where or 'no folder that can be written'}")
