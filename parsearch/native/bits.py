"""Operations on 64-bit words for compiled games.

Each is a plain function that `overloads` teaches to Numba, so that rules give the same answers compiled and
uncompiled. Arguments are `numpy.uint64`; a word comes back as `numpy.uint64`, a count or an index as an integer.

Two rules keep rules exact in both worlds. Wrap every literal that meets a word, `uint64(1) << uint64(column)`:
compiled, a word and a signed number make a signed one. Where a sum, difference or product may pass 64 bits, take
`add64`, `sub64`, `mul64`: uncompiled, NumPy warns of the overflow.
"""

from __future__ import annotations

from typing import Any

from numpy import uint64

_BITS = 64
_MASK = (1 << _BITS) - 1


def popcount(word: uint64) -> int:
    """How many bits are set."""
    return int(word).bit_count()


def ctz(word: uint64) -> int:
    """Index of the lowest set bit (count of trailing zeros); 64 for 0."""
    number = int(word)
    return (number & -number).bit_length() - 1 if number else _BITS


def clz(word: uint64) -> int:
    """Count of leading zeros; 64 for 0. The index of the highest set bit is `63 - clz(word)`."""
    return _BITS - int(word).bit_length()


def lowest(word: uint64) -> uint64:
    """The lowest set bit alone; 0 for 0."""
    number = int(word)
    return uint64(number & -number)


def drop_lowest(word: uint64) -> uint64:
    """The word without its lowest set bit; 0 for 0."""
    number = int(word)
    return uint64(number & (number - 1)) if number else uint64(0)


def bswap(word: uint64) -> uint64:
    """The bytes in reverse order: an 8x8 board of rows turned upside down."""
    return uint64(int.from_bytes(int(word).to_bytes(8, "little"), "big"))


def add64(left: uint64, right: uint64) -> uint64:
    """The sum modulo 2^64."""
    return uint64((int(left) + int(right)) & _MASK)


def sub64(left: uint64, right: uint64) -> uint64:
    """The difference modulo 2^64."""
    return uint64((int(left) - int(right)) & _MASK)


def mul64(left: uint64, right: uint64) -> uint64:
    """The product modulo 2^64."""
    return uint64((int(left) * int(right)) & _MASK)


def mix64(word: uint64) -> uint64:
    """A bijection that scatters every bit over all others: a hash. Source: Stafford's Mix13, as in SplitMix64."""
    number = int(word)
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & _MASK
    return uint64(number ^ number >> 31)


def replaced(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """The tuple (all of one type) with `value` at `index`, which need not be a constant."""
    return (*values[:index], value, *values[index + 1 :])
