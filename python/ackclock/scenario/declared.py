"""Transports and queues. Each TCP variant and each queue discipline declares further fields of its own.

Type checkers and editors read ``declared.pyi`` instead. ``make signatures`` generates it from the engine's catalogue,
with every field of every kind.
"""

from ackclock.scenario.declaring import QueueTable, TcpTable


class Tcp(TcpTable):
    """A TCP sender and its receiver. Absent fields take their values from the profile (``ackclock profile show``).

    The window law declares further fields (``ackclock list variants``).

    Examples
    --------
    >>> Tcp("vegas", max_window=20, alpha=2).parameters
    {'alpha': 2.0}
    """


class Queue(QueueTable):
    """Queue discipline for packets that wait for a link.

    The queue discipline declares further fields (``ackclock list queues``).

    Examples
    --------
    >>> Queue("red", packets=50, min_th=10, max_th=40).parameters
    {'min_th': 10.0, 'max_th': 40.0}
    """


def DropTail(**fields: object) -> Queue:  # noqa: N802  # capitalised like the classes of a scenario
    """Make a queue that drops arriving packets while it is full.

    Examples
    --------
    >>> DropTail(packets=50).kind
    'droptail'
    """
    return Queue("droptail", **fields)


def Red(**fields: object) -> Queue:  # noqa: N802  # capitalised like the classes of a scenario
    """Make a queue with random early detection (Floyd and Jacobson 1993).

    Examples
    --------
    >>> Red(packets=50, min_th=10, max_th=40).kind
    'red'
    """
    return Queue("red", **fields)
