"""``python -m ackclock`` is the command ``ackclock``."""

import sys


def start() -> None:
    """Run the command line; an interrupt while its modules are loaded is one line, too."""
    try:
        from ackclock.cli import main  # noqa: PLC0415

        main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; no partial output was written\n")
        sys.exit(130)


if __name__ == "__main__":
    start()
