"""Kalah: sow seeds round the board; a last one in the own store moves again, in an own empty hole it captures."""

from __future__ import annotations

import numpy as np
from numpy import int64, uint64

from parsearch.core.errors import GameTextError
from parsearch.games.arguments import require_count, text_form
from parsearch.native.bits import mul64
from parsearch.native.game import CompiledGame

HOLES = 6
SEEDS = 4

INTEGER = True
MAX_MOVES = HOLES
RING = 2 * HOLES + 1
"""Where a player sows: all holes and the own store."""

# A player's holes are fields of one word, in sowing order from the lowest bits up: the last lies next to the own store.
BITS = min(64 // HOLES, 16)
FIELD = uint64((1 << BITS) - 1)
MOST_SEEDS = (1 << BITS) - 1
"""Seeds of a game: any hole and any store may come to hold nearly all of them."""

ROWS_OF_ONE = np.array([sum(1 << BITS * hole for hole in range(count)) for count in range(HOLES + 1)], dtype=np.uint64)
"""One seed in each of the first so many holes."""

# The third word of a state: the player to move and the two stores.
MOVER = uint64(1)
STORE_BITS = 16
STORE = uint64((1 << STORE_BITS) - 1)


def initial_state():
    """(holes of player 0, holes of player 1, player to move and stores)."""
    row = ROWS_OF_ONE[HOLES] * uint64(SEEDS)
    return row, row, uint64(0)


def to_move(state):
    return int64(state[2] & MOVER)


def seeds_in(row, hole):
    return int64((row >> uint64(hole * BITS)) & FIELD)


def seeds_of(row):
    """All seeds of a row: the product sums the fields up in the highest."""
    return seeds_in(mul64(row, ROWS_OF_ONE[HOLES]), HOLES - 1)


def store(state, player):
    return int64((state[2] >> uint64(STORE_BITS * (player + 1))) & STORE)


def legal_moves(state, buffer):
    row = state[to_move(state)]
    count = 0
    for hole in range(HOLES):
        if seeds_in(row, hole) != 0:
            buffer[count] = hole + 1
            count += 1
    return count


def play(state, move):
    player = to_move(state)
    mine, theirs = (state[0], state[1]) if player == 0 else (state[1], state[0])
    hole = move - 1
    count = seeds_in(mine, hole)
    last = (hole + count) % RING  # own holes, own store, opponent's holes

    # Sow: whole rounds, then on from the next hole, past the store, and back to where the own row begins.
    rounds, left = count // RING, count % RING
    gained = rounds
    mine ^= uint64(count) << uint64(hole * BITS)
    mine += ROWS_OF_ONE[HOLES] * uint64(rounds)
    theirs += ROWS_OF_ONE[HOLES] * uint64(rounds)
    ahead = HOLES - 1 - hole
    mine += ROWS_OF_ONE[min(left, ahead)] << uint64((hole + 1) % HOLES * BITS)
    if left > ahead:
        gained += 1
        left -= ahead + 1
        theirs += ROWS_OF_ONE[min(left, HOLES)]
        mine += ROWS_OF_ONE[max(left - HOLES, 0)]

    if last < HOLES and seeds_in(mine, last) == 1:
        opposite = HOLES - 1 - last
        captured = seeds_in(theirs, opposite)
        if captured != 0:
            gained += captured + 1
            mine ^= uint64(1) << uint64(last * BITS)
            theirs ^= uint64(captured) << uint64(opposite * BITS)

    third = state[2] + (uint64(gained) << uint64(STORE_BITS * (player + 1)))
    if last != HOLES:
        third ^= MOVER
    return (mine, theirs, third) if player == 0 else (theirs, mine, third)


def is_terminal(state):
    return state[to_move(state)] == uint64(0)


def evaluate(state):
    """The difference of the stores. At the end everybody takes what is left in the own holes."""
    difference = store(state, 0) - store(state, 1)
    if is_terminal(state):
        difference += seeds_of(state[0]) - seeds_of(state[1])
    return difference


def bounds(state):
    """What is in the stores stays there, and the seeds in the holes may all go to one player."""
    value = evaluate(state)
    open_seeds = 0 if is_terminal(state) else seeds_of(state[0]) + seeds_of(state[1])
    return value - open_seeds, value + open_seeds


def order(state, move):
    """What the move brings into the store, and before that whether it gives another turn."""
    player = to_move(state)
    after = play(state, move)
    again = 2 * MOST_SEEDS if to_move(after) == player else 0
    return again + store(after, player) - store(state, player)


def max_plies(state):
    """Each ply lowers the steps from all seeds to their side's store, plus HOLES * (HOLES - 1) for every seed.

    A ply that does not reach the store moves seeds forward. One that does may set up to 2 * HOLES seeds back, by
    HOLES * (HOLES - 1) steps together, each time that it puts a seed into the store for good.
    """
    if is_terminal(state):
        return 0
    steps = [HOLES - hole + HOLES * (HOLES - 1) for hole in range(HOLES)]
    return sum(int(seeds_in(row, hole)) * steps[hole] for row in state[:2] for hole in range(HOLES))


# Text.


def parse_state(text):
    remedy = f"write each player's holes and store and the player to move, such as {format_state(initial_state())!r}"
    sides, _, mover = text.strip().rpartition(" ")
    parts = [side.strip() for side in sides.split("/")]
    if len(parts) != 2 or mover not in ("0", "1"):
        raise ValueError(f"it is not two sides with / between and then the player, 0 or 1; {remedy}")
    rows, stores = [], []
    for part in parts:
        holes, _, in_store = part.partition(";")
        counts = [word.strip() for word in (*holes.split(","), in_store)]
        if len(counts) != HOLES + 1:
            raise ValueError(f"{part!r} is not {HOLES} holes and a store; {remedy}")
        for word in counts:
            if not (word.isascii() and word.isdigit() and len(word) < 10):
                raise ValueError(f"{word!r} is no number of seeds; {remedy}")
        *row, last = map(int, counts)
        rows.append(row)
        stores.append(last)
    total = sum(map(sum, rows)) + sum(stores)
    if total > MOST_SEEDS:
        raise ValueError(f"it has {total} seeds, and {HOLES} holes a side take {MOST_SEEDS} at most; {remedy}")
    words = [uint64(sum(count << BITS * hole for hole, count in enumerate(row))) for row in rows]
    return *words, uint64(int(mover) | stores[0] << STORE_BITS | stores[1] << 2 * STORE_BITS)


def format_state(state):
    sides = [f"{','.join(map(str, _holes(state, player)))};{store(state, player)}" for player in (0, 1)]
    return f"{'/'.join(sides)} {to_move(state)}"


def render(state):
    """Player 1 sits above and sows to the left, player 0 below and sows to the right."""
    numbers = [f"{hole:3}" for hole in range(1, HOLES + 1)]
    above, below = ([f"{seeds:3}" for seeds in _holes(state, player)] for player in (1, 0))
    lines = [
        "".join([" " * 4, *reversed(numbers), "  player 1"]),
        "".join([" " * 4, *reversed(above)]),
        f"{store(state, 1):3} {' ' * (3 * HOLES)} {store(state, 0):3}",
        "".join([" " * 4, *below]),
        "".join([" " * 4, *numbers, "  player 0"]),
    ]
    if is_terminal(state):
        score = evaluate(state)
        lines.append(f"player {int(score < 0)} has won by {abs(score)}" if score else "a draw")
    else:
        lines.append(f"player {to_move(state)} to move")
    return "\n".join(lines)


def _holes(state, player):
    return [seeds_in(state[player], hole) for hole in range(HOLES)]


class Kalah(CompiledGame):
    """Kalah with `holes` a side, each with `seeds` at the start; the score is player 0's store minus player 1's.

    Seeds are sown round the board, past the opponent's store. The last in the own store gives another turn; the last
    in an own empty hole captures, if there are seeds opposite, those and itself. When the player to move has no
    seeds the game is over, and the other takes what is left. Estimate: the difference of the stores.
    Moves: hole numbers from 1 in the owner's sowing order, so that the highest lies next to the own store.
    State text: for each player, 0 first, holes in that order and the store, then the player to move:
    `4,4,4,4,4,4;0/4,4,4,4,4,4;0 0`.
    """

    def __init__(self, holes: int = 6, seeds: int = 4) -> None:
        require_count("kalah", "holes", holes, most=32)
        require_count("kalah", "seeds", seeds)
        most = (1 << min(64 // holes, 16)) - 1
        if 2 * holes * seeds > most:
            raise GameTextError(
                f"kalah: {seeds} seeds in each hole are too many; {holes} holes a side may have {most} seeds in all"
            )
        changed = {"HOLES": (holes, 6), "SEEDS": (seeds, 4)}
        super().__init__(
            text_form("kalah", Kalah, holes=holes, seeds=seeds),
            **{key: value for key, (value, default) in changed.items() if value != default},
        )
