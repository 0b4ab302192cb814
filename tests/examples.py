"""On how many examples a law is tried: fewer after each change, with `--quick`."""

from __future__ import annotations

from hypothesis import settings

FEW = 10
"""Examples on which `--quick` tries a law."""

# The same examples in every run; and how long one takes says more about the machine than the code.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("steady"), max_examples=FEW)


def choose_profile(*, quick: bool) -> None:
    """Say it before test modules are imported: they ask for their examples then."""
    settings.load_profile("quick" if quick else "steady")


def examples(most: int) -> settings:
    """Try a law on up to that many examples."""
    is_quick = settings.get_current_profile_name() == "quick"
    return settings(max_examples=min(most, FEW) if is_quick else most)
