"""What settings choose from: what a query is, and what is done in the cases where definitions
differ (`engine.metrics.policies` says when)."""

from __future__ import annotations

from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["text", "video"]
"""What a query is: a text, or a clip of the dataset."""

ProfileName: TypeAlias = Literal["alfa", "ir", "video", "label", "tvr", "qvh"]
"""How metrics are named (`engine.metrics` says what each profile reports)."""

LARGEST_CUTOFF = 1_000_000
"""The largest cut-off."""

TiePolicy: TypeAlias = Literal["insertion", "docid_desc", "expected"]

NoRelevantPolicy: TypeAlias = Literal["skip", "zero", "error"]
"""A query with no relevant item: left out of the means, counts 0, or is an error.

Under "zero" every share of R is 0; counts and similarities are what they are, and ranks, which
have no zero, stay left out.
"""

ShortListPolicy: TypeAlias = Literal["fixed", "adaptive"]
"""Fewer than k results: the denominator stays k (fixed), or is what was returned (adaptive)."""

NoKeywordPolicy: TypeAlias = Literal["skip", "error"]
SelfClipPolicy: TypeAlias = Literal["remove", "keep"]
MissingQueryPolicy: TypeAlias = Literal["zero", "skip", "error"]
Duplicates: TypeAlias = Literal["error", "keep_best"]
