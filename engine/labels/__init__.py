"""Label Score@K: how many of the nearest items have the query's own label.

    embeddings of two modalities, labels ─▶ LabelledItems ─▶ LabelRun (score_labels) ─▶ reports
    texts that stand for labels ─▶ Prototypes ─▶ PrototypeSet ───────┘

>>> from engine.labels import compute_label_recall_at_k
>>> vectors = [[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]
>>> compute_label_recall_at_k(vectors, vectors, [1, 1, 2], k_values=[1])
{'text2sensor': {1: 1.0}, 'sensor2text': {1: 1.0}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.base.lazy_names import load_name

if TYPE_CHECKING:
    from engine.labels.api import compute_label_recall_at_k, compute_prototype_retrieval_metrics
    from engine.labels.printing import print_results_summary
    from engine.labels.prototypes.metadata import load_text_prototypes_from_metadata
    from engine.labels.prototypes.prototypes import encode_text_prototypes

__all__ = [
    "compute_label_recall_at_k",
    "compute_prototype_retrieval_metrics",
    "encode_text_prototypes",
    "load_text_prototypes_from_metadata",
    "print_results_summary",
]

# Imported when they are asked for: who only names files here must not wait for numpy.
_HOMES = {
    "compute_label_recall_at_k": "api",
    "compute_prototype_retrieval_metrics": "api",
    "encode_text_prototypes": "prototypes.prototypes",
    "load_text_prototypes_from_metadata": "prototypes.metadata",
    "print_results_summary": "printing",
}


def __getattr__(name: str) -> Any:
    return load_name(__name__, _HOMES, name)
