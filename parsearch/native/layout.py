"""Where things lie in the kernel's arrays and in a table entry; shared by the kernel and what drives it."""

from __future__ import annotations

from numpy import uint64

# control: one search. DEEPEST is the ply down to which it holds marks, POLLED the count of nodes at which it looks next
# what others have decided, SINCE the round of a crew in which it began. WORTH: nodes from which on a subtree's entry is
# logged; LOGGED: entries in the log. JOINT_DEPTH: plies before the end from which on a node is shared.
STATUS, PLY, NODES, DEPTH, PLAYER, GENERATION, DEEPEST, POLLED, SINCE, WORTH, LOGGED, JOINT_DEPTH = range(12)
CONTROLS = 12

# status
OPENING, RUNNING, FINISHED = range(3)

# frames: one row of integers a ply. TARGET is where in the table the node will be stored. SHARED: its children are
# marked; MARK, in a child, is the place of its mark, and CUT says that one of its first moves is likely to cut off.
# BEGUN: the count of nodes as a shared node was opened.
MAXIMIZING, INDEX, COUNT, SLOT, BEST_SLOT, RANKED, TESTED, AGAIN, ESTIMATED, TARGET = range(10)
SHARED, MARK, CUT, BEGUN = range(10, 14)
FRAME = 14

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

# Searches that cooperate. A mark: hash 0-55, generation 56-63.
BUSY_HASH, BUSY_GENERATION_SHIFT = uint64((1 << 56) - 1), uint64(56)
BUSY_WAYS = 16  # places that a position can be marked in, by as many searches
POLL = 128  # nodes between two looks at what others have decided
STRICT = 2  # moves of a node likely to cut off that all search together

# A log of entries for other tables: rows of (hash, data) and, where scores are floats, the score.
LOG_ROWS = 1024
LOG_NODES = 2000  # of a subtree whose entry is worth a message
