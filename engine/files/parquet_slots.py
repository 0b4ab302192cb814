"""Lists of a fixed size, which take room for all their values where there is no list at all.

Arrow fills a list that is missing with as many gaps as its type says, and the file holds none of
them: a thousand missing lists of a million numbers are less than a kilobyte.
"""

from __future__ import annotations

from typing import Any


def count_slots(kind: Any, rows: int, values: int) -> int:
    """How many values a column may take, most of them gaps, if so many are in the file.

    >>> import pyarrow as pa
    >>> count_slots(pa.list_(pa.float32(), 512), 3, 3), count_slots(pa.list_(pa.string()), 3, 7)
    (1536, 7)
    >>> count_slots(pa.fixed_shape_tensor(pa.float32(), [512]), 3, 3)
    1536
    """
    return max(values, _count_inside(kind, min(rows, values), values))


def count_leaves(kind: Any) -> int:
    """In how many columns of the file the values of a column are.

    >>> import pyarrow as pa
    >>> count_leaves(pa.map_(pa.string(), pa.list_(pa.struct({"a": pa.int8(), "b": pa.int8()}))))
    3
    """
    import pyarrow.types as types

    kind = find_storage(kind)
    if types.is_struct(kind):
        return sum(count_leaves(kind.field(number).type) for number in range(kind.num_fields))
    if types.is_map(kind):
        return count_leaves(kind.key_type) + count_leaves(kind.item_type)
    if types.is_nested(kind) and hasattr(kind, "value_type"):
        return count_leaves(kind.value_type)
    return 1


def find_storage(kind: Any) -> Any:
    """What a type is stored as: a tensor is a list of a fixed size by another name."""
    import pyarrow as pa

    while isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind


def _count_inside(kind: Any, slots: int, values: int) -> int:
    import pyarrow.types as types

    kind = find_storage(kind)
    if types.is_fixed_size_list(kind):
        return _count_inside(kind.value_type, slots * kind.list_size, values)
    if types.is_struct(kind):
        fields = (kind.field(number).type for number in range(kind.num_fields))
        return max((_count_inside(field, slots, values) for field in fields), default=slots)
    if types.is_map(kind):
        return max(_count_inside(one, values, values) for one in (kind.key_type, kind.item_type))
    if types.is_nested(kind) and hasattr(kind, "value_type"):
        return _count_inside(kind.value_type, max(slots, values), values)
    return slots
