"""How the columns of the results share a line: what matters takes the free space."""

from __future__ import annotations

from tui.inspect.id_shape import IdShape


def share_room(room: int, why: int, ids: IdShape) -> tuple[int, int]:
    """The cells of the column that says why, which wants so many, and of that of the ids. Ids keep
    what tells them apart; what a row leaves blank in one of both, the other has.

    >>> ids = IdShape(longest=24, prefix="urban_", least=14)
    >>> [share_room(room, 24, ids) for room in (60, 46, 37, 28)]
    [(24, 24), (24, 22), (23, 14), (14, 14)]
    """
    width = max(0, min(why, room - ids.least))
    return width, max(0, min(ids.longest, room - width))
