"""Which columns of an annotation file hold what: ids, keyword groups, media."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.base.messages import list_names, suggest

KNOWN_GROUPS = ("object_type", "actor_behavior", "spatial_relation", "ego_behavior", "scene_type")
"""Groups that are recognised with or without the `pv_` prefix."""

KEPT_COLUMNS = ("video_path", "gif_path", "span_start", "span_end", "category")
"""Columns that say something of the clip beside its keywords."""

_LOOKS_LIKE_ID = ("id", "clip_id", "sliceid", "slice", "video_id", "clip", "name")


def normalise_column(name: str) -> str:
    """How column and group names are compared: lowercase, one underscore between words.

    >>> normalise_column(" Object-Type "), normalise_column("pv_object_type")
    ('object_type', 'pv_object_type')
    """
    return re.sub(r"[\s_-]+", "_", name.strip().lower()).strip("_")


def normalise_group(name: str) -> str:
    """`normalise_column` without the `pv_` that some files put before a group.

    >>> normalise_group("pv_Object Type")
    'object_type'
    """
    key = normalise_column(name)
    return key.removeprefix("pv_") or key


def empty_file_error(path: Path) -> InputError:
    """The error for a file with nothing in it."""
    return InputError("is empty", path, hint="it needs a header line and one line per clip")


def no_clips_error(path: Path) -> InputError:
    """The error for a file with nothing but a header."""
    return InputError("has a header but no clips", path, hint="add one row per clip")


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of the columns in use; every group and kept column as (name, position).

    >>> choose_layout(["slice_id", "note", "pv_object_type"], Path("clips.csv"))
    Layout(slice_id=0, groups=(('object_type', 2),), kept=())
    """

    slice_id: int
    groups: tuple[tuple[str, int], ...]
    kept: tuple[tuple[str, int], ...]

    @property
    def positions(self) -> list[int]:
        return sorted({self.slice_id, *(i for _, i in self.groups), *(i for _, i in self.kept)})


def choose_layout(
    header: Sequence[str],
    path: Path,
    groups: Sequence[str] | None = None,
    source: int | None = None,
) -> Layout:
    """Choose the columns; `groups` names the group columns in place of the usual rules, `source`
    is the position of the one that names the source of each clip."""
    keys = [normalise_column(name) for name in header]
    ids = [i for i, key in enumerate(keys) if key == "slice_id"]
    if not ids:
        raise InputError("no slice_id column", path, hint=_hint_for_id(header, keys))
    _refuse_two("slice_id", ids, header, path)
    if groups is None:
        chosen = _usual_groups(header, keys, path)
    else:
        chosen = _named_groups(groups, header, keys, path)
    kept = []
    for name in KEPT_COLUMNS:
        found = [i for i, key in enumerate(keys) if key == name]
        if found and found[0] not in chosen.values():
            _refuse_two(name, found, header, path)
            kept.append((name, found[0]))
    if source is not None:
        if source in chosen.values():
            raise InputError(
                "holds keywords: it cannot name the source of a clip",
                Place(path, column=header[source]),
                hint="name another column, or choose the keyword columns with group_columns",
            )
        kept.append(("source", source))
    return Layout(ids[0], tuple(chosen.items()), tuple(kept))


def _usual_groups(header: Sequence[str], keys: Sequence[str], path: Path) -> dict[str, int]:
    found: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        if key.startswith("pv_") or key in KNOWN_GROUPS:
            found.setdefault(normalise_group(key), []).append(i)
    if not found:
        found["keywords"] = [i for i, key in enumerate(keys) if key == "keywords"]
    if found.get("keywords") == []:
        raise InputError(
            "no keyword column",
            path,
            hint=f"found {list_names(header)}; wanted {', '.join(KNOWN_GROUPS)}, "
            "any pv_… column, or a single keywords column",
        )
    for group, positions in found.items():
        _refuse_two(group, positions, header, path)
    return {group: positions[0] for group, positions in found.items()}


def _named_groups(
    groups: Sequence[str], header: Sequence[str], keys: Sequence[str], path: Path
) -> dict[str, int]:
    chosen = {}
    by_key, by_group = _positions(keys), _positions([normalise_group(key) for key in keys])
    for name in groups:
        found = by_key.get(normalise_column(name)) or by_group.get(normalise_group(name), [])
        found = [i for i in found if keys[i] != "slice_id"]
        if not found:
            near = suggest(normalise_column(name), keys)
            raise InputError(
                f'no keyword column "{name}"',
                path,
                hint=f"{near} found {list_names(header)}".strip(),
            )
        _refuse_two(normalise_group(name), found, header, path)
        chosen[normalise_group(name)] = found[0]
    if not chosen:
        raise InputError("no keyword column is chosen", path, hint=f"found {list_names(header)}")
    return dict(sorted(chosen.items(), key=lambda item: item[1]))


def _positions(names: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        found.setdefault(name, []).append(position)
    return found


def _refuse_two(name: str, positions: Sequence[int], header: Sequence[str], path: Path) -> None:
    if len(positions) > 1:
        written = [header[i] for i in positions]
        raise InputError(
            f"{len(written)} columns for {name}: {', '.join(written)}",
            Place(path, column=written[1]),
            hint="keep one of them, or rename the other",
        )


def _hint_for_id(header: Sequence[str], keys: Sequence[str]) -> str:
    near = get_close_matches("slice_id", keys, 1, cutoff=0.6)
    near = near or [key for key in _LOOKS_LIKE_ID if key in keys][:1]
    rename = f'rename "{header[keys.index(near[0])]}" to slice_id? ' if near else ""
    return f"{rename}found {list_names(header)}"
