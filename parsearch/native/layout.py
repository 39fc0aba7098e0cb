"""Where things lie in the kernel's arrays and in a table entry; shared by the kernel and what drives it."""

from __future__ import annotations

from numpy import uint64

# control: one search.
STATUS, PLY, NODES, DEPTH, PLAYER, GENERATION = range(6)
CONTROLS = 6

# status
OPENING, RUNNING, FINISHED = range(3)

# frames: one row of integers a ply. TARGET is where in the table the node will be stored.
MAXIMIZING, INDEX, COUNT, SLOT, BEST_SLOT, RANKED, TESTED, AGAIN, ESTIMATED, TARGET = range(10)
FRAME = 10

# scores: one row of scores a ply. START is alpha as the node was entered, SENT alpha as its current child was sent out.
ALPHA, BETA, BEST, START, SENT = range(5)
SCORES = 5

# A table entry: (hash XOR the other words, data) and, where scores are floats, the score.
# data: value 0-31, place of the best move plus 1 32-39, depth 40-49, bound 50-51, proven 52, generation 53-60.
VALUE_MASK = uint64(0xFFFFFFFF)
VALUE_LIMIT = 1 << 31
PLACE_SHIFT, PLACE_MASK = uint64(32), 0xFF
DEPTH_SHIFT, DEPTH_MASK = uint64(40), 0x3FF
BOUND_MASK = uint64(3 << 50)
EXACT, LOWER, UPPER = uint64(1 << 50), uint64(2 << 50), uint64(3 << 50)
PROVEN = uint64(1 << 52)
GENERATION_SHIFT, GENERATION_MASK = uint64(53), 0xFF
BUCKET = 2  # entries that a position can be stored in

# A move's rank, from the highest bits down: table move, the game's static order, killers, history; its place breaks
# ties.
RANK_SHIFT, RANK_MASK = 12, 0xFFF
HISTORY_MASK, HISTORY_LIMIT = 0xFFF, (1 << 18) - 1
KILLER = 1 << 19
ORDER_SHIFT = 20
TABLE_MOVE = 1 << 50
