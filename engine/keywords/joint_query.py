"""A text and a clip asked together: "this clip, but at night"."""

from __future__ import annotations

import json
from dataclasses import dataclass

from engine.base.errors import InputError
from engine.base.messages import fit_on_line

EVEN_MIX = 0.5
"""The weight of the text where nobody names another."""

_HINT = 'write "TEXT" + "CLIP", alpha 0.5'
_BETWEEN = " + "
_BEFORE_ALPHA = ", alpha "


@dataclass(frozen=True, slots=True)
class JointQuery:
    """A text, a clip, and the weight of the text; as a text it can be read back.

    >>> asked = JointQuery("at night", "clip_7", 0.5)
    >>> str(asked)
    '"at night" + "clip_7", alpha 0.5'
    >>> JointQuery.parse(str(asked)) == asked
    True
    """

    text: str
    clip: str
    alpha: float = EVEN_MIX

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:  # NaN is neither
            raise InputError(
                f"alpha is {self.alpha:g}", hint="give a number from 0 (the clip) to 1 (the text)"
            )

    def __str__(self) -> str:
        alpha = repr(float(self.alpha)).removesuffix(".0")
        return f"{_quote(self.text)}{_BETWEEN}{_quote(self.clip)}{_BEFORE_ALPHA}{alpha}"

    @classmethod
    def parse(cls, written: str) -> JointQuery:
        """What `str` wrote, or somebody like it: spaces between the parts do not matter.

        >>> JointQuery.parse('"a car"+"clip_7" , alpha 0.25').alpha
        0.25
        """
        try:
            text, rest = _read_text(written)
            clip, rest = _read_text(_skip(rest, _BETWEEN))
            alpha = float(_skip(rest, _BEFORE_ALPHA))
        except ValueError:
            shown = fit_on_line(written)
            raise InputError(f"is no text with a clip: {shown}", hint=_HINT) from None
        return cls(text, clip, alpha)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _read_text(written: str) -> tuple[str, str]:
    """The quoted text that comes next, and what is behind it."""
    quoted = written.lstrip()
    if not quoted.startswith('"'):
        raise ValueError("not a text")
    found, end = json.JSONDecoder().raw_decode(quoted)
    return str(found), quoted[end:]


def _skip(written: str, sign: str) -> str:
    rest = written.lstrip()
    if not rest.startswith(sign.strip()):
        raise ValueError(f"{sign.strip()} is missing")
    return rest.removeprefix(sign.strip())
