"""``python -m ackclock`` is the command ``ackclock``."""

from ackclock.cli import main

main()
