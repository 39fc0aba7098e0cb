"""Native speed: games written in the subset of Python that Numba compiles, and the kernel that searches them."""
