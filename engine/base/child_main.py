"""What a child process runs first: it makes sure to end with its parent, then does its work.

    python -P -m engine.base.child_main PARENT MODULE [ARGUMENT …]

MODULE has a function `serve(channel, arguments)`. Nothing is imported here that takes time: from
the first moments on, a parent that is killed takes the child with it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from importlib import import_module

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int, connection: int) -> None:
    """End at once when the parent does, however it ends and whatever is done here just then."""
    if not _is_killed_with_parent():
        thread = threading.Thread(target=_end_when_closed, args=(connection,), daemon=True)
        thread.start()
    if os.getppid() != parent:  # it ended before it could be seen to
        os._exit(1)


def _is_killed_with_parent() -> bool:
    """Have Linux kill this process when the thread ends that started it; elsewhere False.

    A thread of our own would be too late: an import of torch holds the interpreter for seconds.
    """
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _end_when_closed(connection: int) -> None:
    """The parent's end of the connection is closed by whatever ends the parent."""
    poll = select.poll()
    poll.register(connection, 0)  # a hang-up is always told, requests are not
    poll.poll()
    os._exit(1)


def main() -> None:
    parent, module, *arguments = sys.argv[1:]
    # Libraries that read or print must not get into the conversation, which came as stdin;
    # stdout is where stderr is.
    connection = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    end_with_parent(int(parent), connection)

    import socket

    from engine.base.channel import Channel

    import_module(module).serve(Channel(socket.socket(fileno=connection)), arguments)


if __name__ == "__main__":
    main()
