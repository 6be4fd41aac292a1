"""The rule of a question that a paper asked of its senders, asked again of others: a verdict for each and for all.

`Again` judges each sender by itself, so that a study can show a matrix of questions and senders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from ackclock.papers.core.rules import Outcome, Rule
from ackclock.papers.truth import NO, YES
from ackclock.report.html import Verdict
from ackclock.values.words import capital, listed

if TYPE_CHECKING:
    from ackclock.papers.core.answers import Answers
    from ackclock.papers.core.evidence import Scalar, Side
    from ackclock.papers.truth import Truth

AXIS = "sender"
"""The axis along which questions are asked."""

_SAID = {
    Verdict.REPRODUCED: "still true of",
    Verdict.NOT: "no longer true of",
    Verdict.REVERSED: "reversed for",
    Verdict.DEPENDS: "dependent on a setting for",
    Verdict.UNDECIDED: "undecided for",
}


class Again(Rule):
    """Asks one question of each sender, and combines the verdicts of the senders.

    Parameters
    ----------
    still
        What the paper found, with one answer for each sender.
    opposite
        The opposite finding; where its answer is yes, the paper's finding is reversed. Without it, no verdict is.
    elsewhere
        What the paper found, asked of runs with one setting changed, by the name of the setting. If the answer is the
        opposite of the usual one, the verdict on this sender depends on the setting.
    asked
        Senders whose verdict is undecided if no run of theirs has a value; others count as not asked then.

    """

    def __init__(
        self,
        still: Answers,
        *,
        opposite: Answers | None = None,
        elsewhere: Mapping[str, Answers] = MappingProxyType({}),
        asked: Sequence[str] = (),
    ) -> None:
        self._still, self._opposite, self._elsewhere, self._asked = still, opposite, elsewhere, asked
        questions = [still, *([opposite] if opposite else [])]
        self.quantities = tuple(
            {one.reported.words: one.reported for each in questions for one in each.quantities}.values()
        )
        reversed_ = f"; reversed if {opposite.words}" if opposite else ""
        changed = (
            " It depends on a setting if the answer is clearly the opposite with another value of one of these: "
            f"{listed(list(elsewhere))}."
            if elsewhere
            else ""
        )
        self.words = (
            f"Asked of each sender. Still true of it if {still.words}{reversed_}; otherwise no longer true.{changed} "
            f"{BY_SENDERS}"
        )

    def each(self, ours: Side) -> Mapping[Scalar, Verdict]:
        """Return the verdict on each sender that was asked."""
        opposite = self._answers(self._opposite, ours) if self._opposite else {}
        moved = self._moved(ours)
        found: dict[Scalar, Verdict] = dict.fromkeys(self._asked, Verdict.UNDECIDED)
        for sender, answer in self._answers(self._still, ours).items():
            if moved.get(sender):
                found[sender] = Verdict.DEPENDS
            elif answer is YES:
                found[sender] = Verdict.REPRODUCED
            elif opposite.get(sender) is YES:
                found[sender] = Verdict.REVERSED
            else:
                found[sender] = Verdict.NOT if answer is NO else Verdict.UNDECIDED
        return found

    def judge(self, ours: Side) -> Outcome:
        each = self.each(ours)
        verdict = of_all(each)
        said = [
            f"{words} {listed([str(sender) for sender, one in each.items() if one is which])}"
            for which, words in _SAID.items()
            if which in each.values()
        ]
        settings = {
            setting: [str(sender) for sender, on in self._moved(ours).items() if setting in on]
            for setting in self._elsewhere
        }
        where = [
            f" The answer for {listed(senders)} depends on {setting}."
            for setting, senders in settings.items()
            if senders
        ]
        return Outcome(
            verdict=verdict,
            why=f"{capital('; '.join(said))}.{''.join(where)}" if each else "No sender meets the condition.",
            setting=listed([setting for setting, senders in settings.items() if senders])
            if verdict is Verdict.DEPENDS
            else "",
        )

    def _moved(self, ours: Side) -> Mapping[Scalar, list[str]]:
        """Return for each sender the settings that turn a clear answer into its opposite."""
        usual = self._answers(self._still, ours)
        moved: dict[Scalar, list[str]] = {}
        for setting, question in self._elsewhere.items():
            for sender, answer in self._answers(question, ours).items():
                if (usual.get(sender), answer) in ((YES, NO), (NO, YES)):
                    moved.setdefault(sender, []).append(setting)
        return moved

    def _answers(self, question: Answers, ours: Side) -> Mapping[Scalar, Truth]:
        found = question.on(ours)
        if found.axes != (AXIS,):
            raise ValueError(f"axes: {found.axes} of the question must be {(AXIS,)}: {question.words}")
        return {sender: answer for (sender,), answer in found.cells.items()}


BY_SENDERS = (
    "Of all: still true if more than half of the senders still do it and none does not; true of some if some do and "
    "some do not; no longer true if more than half do not and none does, and reversed if most of these are reversed; "
    "otherwise it depends on a setting if the answer for a sender does, and is undecided if none does. A sender for "
    "which the 95 % intervals leave the answer open, or whose answer depends on a setting, counts for neither."
)
"""Text of the rule `of_all` in reports."""


def of_all(each: Mapping[Scalar, Verdict]) -> Verdict:
    """Combine the verdicts on the senders by the rule `BY_SENDERS`.

    Examples
    --------
    >>> of_all({"Reno": Verdict.REPRODUCED, "BBR": Verdict.NOT}).value
    'partly'
    >>> of_all({"Reno": Verdict.REVERSED, "CUBIC": Verdict.REVERSED, "BBR": Verdict.UNDECIDED}).value
    'reversed'

    """
    count = Counter(each.values())
    still, reversed_ = count[Verdict.REPRODUCED], count[Verdict.REVERSED]
    against = count[Verdict.NOT] + reversed_
    if still and against:
        return Verdict.PARTLY
    if 2 * still > len(each):
        return Verdict.REPRODUCED
    if 2 * against > len(each):
        return Verdict.REVERSED if 2 * reversed_ > against else Verdict.NOT
    return Verdict.DEPENDS if count[Verdict.DEPENDS] else Verdict.UNDECIDED
