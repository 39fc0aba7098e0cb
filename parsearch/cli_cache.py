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
    sizes: dict[str, list[int]] = {}
    for kernel in kernels:  # of older versions of the rules or of Numba too
        sizes.setdefault(kernel.title, []).append(kernel.size)
    for title, of_title in sorted(sizes.items()):
        typer.echo(f"{sum(of_title) / MEBIBYTE:7.2f} MiB  {len(of_title):3}  {title}")
    where = cache.folder()
    size = sum(kernel.size for kernel in kernels) / MEBIBYTE
    typer.echo(f"{len(kernels)} kernels, {size:.1f} MiB in {where or 'no folder that can be written'}")
