"""Formulas as MathML, which browsers draw by themselves: ``$...$`` in a line, and blocks of the language ``math``.

Forges read the same notation. An extension of Python-Markdown, for the site only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latex2mathml.converter import convert, convert_to_element
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

if TYPE_CHECKING:
    import re
    from xml.etree.ElementTree import Element

    from markdown import Markdown


def block(source: str, *_: object, **__: object) -> str:
    """Format a block of the language ``math``."""
    return f'<div class="formula">{convert(source.strip(), display="block")}</div>'


class _Inline(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[Element, int, int]:  # noqa: ARG002, N802
        return convert_to_element(m[1]), m.start(0), m.end(0)


class Formulas(Extension):
    """Adds ``$...$``. A dollar sign before a space, or after one, is text."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # Python-Markdown's name
        """Register the pattern, after code spans."""
        md.inlinePatterns.register(_Inline(r"\$([^\s$](?:[^$\n]*[^\s$])?)\$", md), "formula", 185)


def makeExtension(**settings: Any) -> Formulas:  # noqa: N802  # Python-Markdown's name
    """Make the extension."""
    return Formulas(**settings)
