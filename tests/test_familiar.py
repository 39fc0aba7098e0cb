"""Why: a subtree is best searched where its neighbourhood was, but never by a place that has other things to do."""

from __future__ import annotations

from parsearch.parallel.familiar import Familiar


def test_who_was_nearest_is_chosen_of_those_that_are_free() -> None:
    familiar: Familiar[str] = Familiar()
    assert familiar.choose((3, 1), ["a", "b"]) == "a"  # nobody knows anything
    assert familiar.choose((4, 0), ["b"]) == "b"
    assert familiar.choose((4, 2), ["a", "b"]) == "b"
    assert familiar.choose((3, 1, 5), ["b", "a"]) == "a"
    assert familiar.choose((3, 1, 6), ["b", "c"]) == "b"  # who knows it is busy
    assert familiar.choose((3, 1, 6, 0), ["c", "a", "b"]) == "b"  # nearer than the other
    assert familiar.choose((6,), ["c", "a"]) == "c"
