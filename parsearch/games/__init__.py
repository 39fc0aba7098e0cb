"""The games: one file each, and a registry from name to game."""
