"""``python -m ackclock`` is the command ``ackclock``."""

import os
import sys


def start() -> None:
    """Run the command line; an interrupt while its modules are loaded is one line, too."""
    # pydantic would look for plugins in the metadata of all installed packages
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from ackclock.cli import main  # noqa: PLC0415

        main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; no partial output was written\n")
        sys.exit(130)


if __name__ == "__main__":
    start()
