"""`python -m parsearch`: the command line."""

from parsearch.cli import main

main()
