"""An index that loses: FAISS looks at a few of the lists that it sorted the vectors into."""

from __future__ import annotations

import faiss
import numpy as np
import numpy.typing as npt

from engine.base.arrays import Vectors
from engine.base.ranking import Ranking
from engine.base.similarity import Similarity


class LossyIndex:
    """IVF over unit rows by inner product; `probes` of its `lists` are searched."""

    def __init__(self, vectors: Vectors, lists: int = 16, probes: int = 1) -> None:
        self.size: int = len(vectors)
        self.dimension: int = vectors.shape[1]
        self.metric: Similarity = "cosine"
        flat = faiss.IndexFlatIP(self.dimension)
        self._ivf = faiss.IndexIVFFlat(flat, self.dimension, lists, faiss.METRIC_INNER_PRODUCT)
        self._ivf.cp.min_points_per_centroid = 1
        self._ivf.train(vectors)
        self._ivf.add(vectors)
        self._ivf.nprobe = probes

    def search(self, queries: npt.NDArray[np.floating], k: int) -> Ranking:
        scores, rows = self._ivf.search(np.ascontiguousarray(queries, np.float32), k)
        scores[rows < 0] = -np.inf
        return Ranking(rows, scores)
