"""Questions of papers 2 and 3 on newcomers beside Reno, and of paper 1 on transfers, asked of today's senders.

The thresholds were fixed before the runs of the study. A newcomer "performs as well as Reno" if it gets at least 90 %
of a Reno client's goodput, and clearly worse if it gets two thirds of it or less.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from ackclock.papers.core.again import Again
from ackclock.papers.core.evidence import Named
from ackclock.papers.today.measures import PLAIN_COV, RENO_GOODPUT, SHARE
from ackclock.papers.today.parts.burstiness import BUFFER, PIPE
from ackclock.papers.today.parts.sharing import BUFFERS
from ackclock.papers.today.senders import DEFINITION, TODAY

claim = partial(DEFINITION.claim, __name__)

AS_WELL: Final = 90
WORSE: Final = 200 / 3
LARGE: Final = BUFFERS[-1]
_OTHERS: Final = Named("all but Reno", [sender for sender in TODAY if sender != "Reno"])

_share = {buffer: SHARE.at("beside", sender=_OTHERS, packets=buffer) for buffer in BUFFERS}
_greedy = SHARE.at("greedy beside", sender=_OTHERS, packets=PIPE)
_reno = RENO_GOODPUT.at("beside", sender=_OTHERS, packets=BUFFER)
_reno_alone = RENO_GOODPUT.at("beside", sender="Reno", packets=BUFFER)
_loaded, _free = (PLAIN_COV.at("transfers", sender=TODAY, link=link) for link in ("loaded", "free"))

CLAIMS = (
    claim("S-1", Again(_share[BUFFER].at_least(AS_WELL), opposite=_share[BUFFER].at_most(WORSE))),
    claim("S-2", Again(_share[PIPE].at_least(AS_WELL), opposite=_share[PIPE].at_most(WORSE))),
    claim("S-3", Again(_share[LARGE].at_least(80) & _share[LARGE].at_most(125))),
    claim(
        "S-4",
        Again(_share[BUFFER].above(_share[LARGE]), opposite=_share[BUFFER].below(_share[LARGE])),
    ),
    claim("S-5", Again(_reno.above(_reno_alone, times=0.95), opposite=_reno.below(_reno_alone, times=1.5))),
    claim("S-6", Again(_greedy.below(AS_WELL), opposite=_greedy.above(10000 / AS_WELL))),
    claim("S-7", Again(_loaded.above(_free), opposite=_loaded.below(_free))),
)
