"""Texts that describe labels, from the metadata of data sets (a JSON file).

    {"milan": {"label_to_text_plain": {"Cooking": "someone cooks", "Sleep": ["asleep", "in bed"]}}}

Data sets may also stand below a top-level "datasets".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.base.errors import InputError, Place
from engine.base.messages import list_names, suggest
from engine.files.reader import reads
from engine.files.text import JsonObject, parse_json, read_text

LabelTexts = Mapping[str, str | Sequence[str]]
"""One text of every label, or several, in the order of the file."""

_FIELD = "label_to_text"
_CONTAINER = "datasets"


def load_text_prototypes_from_metadata(
    metadata_path: Path | str, dataset_name: str, style: str | None = None
) -> dict[str, str | list[str]]:
    """`label_to_text_STYLE` of a data set: one text of every label, or a list of several.

    Without a style, the only `label_to_text…` that the data set has. The whole name of a field is
    a style too, so that a plain `label_to_text` can be told from its siblings.
    """
    path = Path(metadata_path)
    dataset = _dataset(_document(path), dataset_name, path)
    field = _field(dataset, dataset_name, style, path)
    return _label_texts(dataset[field], path, f"{dataset_name}.{field}")


def find_caption_style(metadata_path: Path, dataset_name: str, style: str | None = None) -> str:
    """The style that is taken: what follows `label_to_text_`, or that name alone without one."""
    dataset = _dataset(_document(metadata_path), dataset_name, metadata_path)
    return _field(dataset, dataset_name, style, metadata_path).removeprefix(_FIELD + "_")


@reads("a metadata file")
def _document(path: Path) -> JsonObject:
    document = parse_json(read_text(path), Place(path), make=JsonObject)
    if not isinstance(document, JsonObject):
        raise InputError(
            f"holds {_kind(document)}, not an object of data sets",
            Place(path),
            hint='write {"DATASET": {"label_to_text_STYLE": {"LABEL": "text", …}}}',
        )
    return document


def list_labels_and_texts(
    label_to_text: LabelTexts, place: Place | None = None
) -> tuple[list[str], list[str]]:
    """The label and the text of every row: several texts of a label are several rows.

    >>> list_labels_and_texts({"Cooking": "someone cooks", "Sleep": ["asleep", "in bed"]})
    (['Cooking', 'Sleep', 'Sleep'], ['someone cooks', 'asleep', 'in bed'])
    """
    labels, texts = [], []
    for label, value in label_to_text.items():
        for text in _texts_of(label, value, place or Place()):
            labels.append(label.strip())
            texts.append(text)
    if not labels:
        raise InputError("has no labels", place, hint="give every label a text")
    return labels, texts


def _dataset(document: JsonObject, name: str, path: Path) -> JsonObject:
    below = document.get(_CONTAINER)
    contained = below if isinstance(below, JsonObject) and not _fields(below) else JsonObject()
    found = [parent for parent in (document, contained) if isinstance(parent.get(name), JsonObject)]
    if len(found) == 2 or any(name in parent.repeated for parent in found):
        raise InputError(
            f"has the data set {name!r} twice", Place(path), hint="keep one of the two"
        )
    if found and found[0][name] is not contained:
        dataset: JsonObject = found[0][name]
        return dataset
    names = [
        each
        for parent in (document, contained)
        for each, value in parent.items()
        if isinstance(value, JsonObject) and value is not contained
    ]
    there = f"it has {list_names(names)}" if names else "it has none"
    raise InputError(f"has no data set {name!r}; {there}", Place(path), hint=suggest(name, names))


def _fields(dataset: JsonObject) -> list[str]:
    return [name for name in dataset if name == _FIELD or name.startswith(_FIELD + "_")]


def _field(dataset: JsonObject, name: str, style: str | None, path: Path) -> str:
    """The name of the one field that is meant."""
    place = Place(path, setting=name)
    fields = _fields(dataset)
    if not fields:
        raise InputError(
            f"has no {_FIELD}_… (it has {list_names(dataset) or 'nothing'})",
            place,
            hint=f'add "{_FIELD}_STYLE": {{"LABEL": "text", …}}',
        )
    styles = [field.removeprefix(_FIELD + "_") for field in fields]
    if style is None:
        chosen = fields
    else:
        chosen = [field for field in fields if field in (style, f"{_FIELD}_{style}")]
    if not chosen:
        raise InputError(
            f"has no style {style!r}; it has {list_names(styles)}",
            place,
            hint=suggest(str(style), styles),
        )
    if len(chosen) > 1:
        raise InputError(
            f"has {len(fields)} styles of texts: {list_names(styles)}",
            place,
            hint="choose one with --caption-style NAME",
        )
    if chosen[0] in dataset.repeated:
        raise InputError(f"has {chosen[0]} twice", place, hint="keep one of the two")
    return chosen[0]


def _label_texts(value: object, path: Path, setting: str) -> dict[str, str | list[str]]:
    place = Place(path, setting=setting)
    if not isinstance(value, JsonObject):
        raise InputError(
            f"is {_kind(value)}, not an object",
            place,
            hint='write {"LABEL": "text", "LABEL": ["text", "text"], …}',
        )
    if not value:
        raise InputError("has no labels", place, hint="give every label a text")
    result: dict[str, str | list[str]] = {}
    for label, given in value.items():
        texts = _texts_of(label, given, place)
        if label.strip() in result or label in value.repeated:
            raise InputError(
                f"has the label {label.strip()!r} twice",
                place,
                hint="write several texts of a label as one list",
            )
        result[label.strip()] = texts[0] if isinstance(given, str) else texts
    return result


def _texts_of(label: object, given: object, place: Place) -> list[str]:
    """The texts of one label, stripped; each is there, and can be encoded."""
    if not isinstance(label, str) or not label.strip():
        raise InputError(f"has an empty label ({label!r})", place, hint="name the label")
    _refuse_unreadable(label, f"the label {label!r}", place)
    many = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    texts = list(given) if many and isinstance(given, Sequence) else [given]
    if not texts:
        raise InputError(f"the label {label!r} has no texts", place, hint="write one, or drop it")
    stripped = []
    for number, text in enumerate(texts, start=1):
        which = f"text {number} of the label {label!r}" if many else f"the text of {label!r}"
        if not isinstance(text, str):
            hint = "write a text or a list of texts"
            raise InputError(f"{which} is {_kind(text)}, not a text", place, hint=hint)
        if not text.strip():
            raise InputError(f"{which} is empty", place, hint="describe the label, or drop it")
        _refuse_unreadable(text, which, place)
        stripped.append(text.strip())
    return stripped


def _refuse_unreadable(text: str, which: str, place: Place) -> None:
    r"""A `\u0000` or half of a surrogate pair is valid JSON, but no text."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(f"{which} holds a character that is none", place, hint="write it again")


def _kind(value: object) -> str:
    """What a JSON value is, in words.

    >>> _kind(None), _kind([1]), _kind(True)
    ('null', 'a list', 'a truth value')
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else "a truth value"
    names = {int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")
