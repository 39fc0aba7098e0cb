"""Why: rules stand on these, compiled and uncompiled; they must agree on every word."""

from __future__ import annotations

import random
from typing import Any

import numba
import numpy as np
import pytest
from numpy import uint64

from parsearch.native import bits, overloads

WORDS = [0, 1, 2**63, 2**64 - 1, 0x8000000000000001, *(random.Random(1).getrandbits(64) for _ in range(50))]
assert overloads


@pytest.mark.parametrize(
    ("function", "meaning"),
    [
        (bits.popcount, lambda word: f"{word:b}".count("1")),
        (bits.ctz, lambda word: len(f"{word:064b}") - len(f"{word:064b}".rstrip("0"))),
        (bits.clz, lambda word: 64 - len(f"{word:b}") if word else 64),
        (bits.lowest, lambda word: word & -word),
        (bits.drop_lowest, lambda word: word & (word - 1)),
        (bits.bswap, lambda word: int.from_bytes(word.to_bytes(8, "little"), "big")),
        (bits.mix64, None),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_one_word(function: Any, meaning: Any) -> None:
    compiled = numba.njit(lambda word: function(word))
    for word in WORDS:
        found = function(uint64(word))
        assert found == compiled(uint64(word))
        assert meaning is None or int(found) == meaning(word)


@pytest.mark.parametrize(
    ("function", "meaning"),
    [(bits.add64, int.__add__), (bits.sub64, int.__sub__), (bits.mul64, int.__mul__)],
)
def test_two_words(function: Any, meaning: Any) -> None:
    compiled = numba.njit(lambda left, right: function(left, right))
    for left, right in zip(WORDS, reversed(WORDS), strict=True):
        found = function(uint64(left), uint64(right))
        assert isinstance(found, np.uint64)
        assert int(found) == int(compiled(uint64(left), uint64(right))) == meaning(left, right) % 2**64


def test_replaced() -> None:
    compiled = numba.njit(lambda values, index, value: bits.replaced(values, index, value))
    values = (uint64(1), uint64(2), uint64(3))
    for index in range(3):
        assert bits.replaced(values, index, uint64(9)) == compiled(values, index, uint64(9))
        assert bits.replaced(values, index, uint64(9))[index] == 9
