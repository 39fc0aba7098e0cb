"""Game, Limits, Window, SearchResult and errors: what every other room stands on. No algorithm, no Ray, no Numba."""
