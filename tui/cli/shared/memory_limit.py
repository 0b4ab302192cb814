"""The limit that the caller has set on the memory of this process (`ulimit -v`), in words."""

from __future__ import annotations

import errno
import resource


def advise_on_memory() -> str:
    """What to do where memory was refused, and why it was if that can be told."""
    limit = describe_memory_limit()
    return f": {limit} is too low; raise it" if limit else "; free some"


def describe_memory_limit() -> str:
    """`the limit of 922 MB (ulimit -v)`; empty if there is none."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return (
        "" if most == resource.RLIM_INFINITY else f"the limit of {most / 1e6:,.0f} MB (ulimit -v)"
    )


def tells_of_memory(error: Exception) -> bool:
    """Whether an error means that memory was refused, also to the loader of a library.

    >>> tells_of_memory(ImportError("libx.so: failed to map segment from shared object"))
    True
    >>> tells_of_memory(OSError(errno.EACCES, "Permission denied"))
    False
    """
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    if isinstance(error, ImportError):  # where it is another reason, that stands behind
        is_unmapped = str(error).endswith("failed to map segment from shared object")
        return is_unmapped or bool(describe_memory_limit())
    # A thread that cannot be started, or a library that half loaded.
    return isinstance(error, (RuntimeError, SystemError)) and bool(describe_memory_limit())
