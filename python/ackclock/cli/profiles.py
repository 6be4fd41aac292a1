"""Defines ``ackclock profile``, which shows and compares named sets of defaults."""

from typing import Annotated

import typer

from ackclock.cli.completing import profile_names

profiles = typer.Typer(help="List, show and compare profiles: named sets of defaults.", no_args_is_help=True)


@profiles.command("list")
def profile_list() -> None:
    """List the profiles."""
    from ackclock.cli import listing  # noqa: PLC0415

    listing.show("profiles")


@profiles.command("show")
def profile_show(
    profile: Annotated[
        str,
        typer.Argument(
            help="Name of the profile (see `ackclock profile list`).", show_default=False, autocompletion=profile_names
        ),
    ],
) -> None:
    """Show every default of a profile, with its meaning and source."""
    from ackclock.cli import listing  # noqa: PLC0415

    listing.show_profiles([profile])


@profiles.command("diff")
def profile_diff(
    first: Annotated[
        str, typer.Argument(help="Name of a profile, such as rfc.", show_default=False, autocompletion=profile_names)
    ],
    second: Annotated[
        str,
        typer.Argument(
            help="Name of another profile, such as ns2-2.35.", show_default=False, autocompletion=profile_names
        ),
    ],
) -> None:
    """Show the defaults that differ between two profiles."""
    from ackclock.cli import listing  # noqa: PLC0415

    listing.show_profiles([first, second])
