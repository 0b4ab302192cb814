"""Which queries hang together: by hand, by brute force, and where all do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.stats.cluster_labels import find_query_clusters
from tests.examples import examples


def join_by_hand(sources: list[int], words: list[int]) -> list[int]:
    """Labels that spread to neighbours until nothing changes. 0 is shared with no one."""
    labels = list(range(len(words)))
    changed = True
    while changed:
        changed = False
        for i in range(len(words)):
            for j in range(i):
                near = any(own[i] and own[i] == own[j] for own in (sources, words))
                if near and labels[i] != labels[j]:
                    labels[i] = labels[j] = min(labels[i], labels[j])
                    changed = True
    return labels


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=30))
def test_clusters_are_the_components(pairs: list[tuple[int, int]]) -> None:
    """Thirty queries of their own keep the clusters from being too few."""
    sources = [one for one, _ in pairs] + [0] * 40
    words = [other for _, other in pairs] + list(range(100, 140))

    found = find_query_clusters(sources, words)

    by_hand = np.array(join_by_hand(sources, words))
    assert found.by == "source or keywords" and found.note is None
    together = found.labels[:, None] == found.labels
    assert (together == (by_hand[:, None] == by_hand)).all()


def test_without_sources_keyword_sets_are_the_clusters() -> None:
    found = find_query_clusters(None, [("a",), ("b",), ("a",), ()])

    assert found.labels.tolist() == [0, 1, 0, 2]
    assert found.count == 3 and found.note is None


def test_where_chains_join_nearly_all_the_keyword_sets_alone_are_taken_and_it_is_said() -> None:
    """Each video shares a keyword set with the next: one chain of 60 queries beside 30 others."""
    sources = [f"video {n // 2}" for n in range(60)] + [None] * 30
    words = [((n + 1) // 2,) for n in range(60)] + [(1_000 + n,) for n in range(30)]

    found = find_query_clusters(sources, words)

    assert (found.by, found.count, found.joined) == ("keywords", 61, 31)
    assert found.widest == 60 / 90
    assert found.note == (
        "shared sources and keywords join the queries into 31 clusters, the largest with 67% of "
        "them: so sources are not used for clusters, and only queries with the "
        "same keywords are taken as one"
    )


def test_few_queries_that_are_all_alone_are_no_reason_to_say_anything() -> None:
    found = find_query_clusters(["x", "y"], [("a",), ("b",)])

    assert (found.by, found.count, found.note) == ("source or keywords", 2, None)
