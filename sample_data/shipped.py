"""Which scenes ship, and what their clips are called."""

from collections.abc import Sequence

from sample_data.scenes import Scene

SHIPPED_SEED = 18


def slice_ids(scenes: Sequence[Scene]) -> list[str]:
    """Readable, unique, and saying little more than where and who."""
    places = {"parking lot": "lot", "test track": "track"}
    return [
        f"{places.get(s.place, s.place)}_{s.actors[0].kind.replace(' ', '_')}_{i:04d}"
        for i, s in enumerate(scenes, start=1)
    ]
