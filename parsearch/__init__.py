"""Exact parallel game-tree search: the root's moves go out, each worker searches its subtree, a coordinator takes the max."""
