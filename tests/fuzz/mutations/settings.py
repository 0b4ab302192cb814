"""Mutations of TOML: a setting gets a value of another type, or another place."""

from __future__ import annotations

import re
from random import Random

from tests.fuzz.mutations.values import ODD_TEXTS, nest

_SETTING = re.compile(r"^(\s*[\w\".\-]+\s*=\s*)(.*)$", re.M)
_VALUES = ("1", "-0", "1.5", "nan", "inf", "true", "[]", "{}", '""', "[[]]", '["a", 1]',
           "{a = 1}", "1979-05-27",
           "1979-05-27T07:32:00Z", "07:32:00", "9" * 400, "0x7fffffffffffffff", '"""\n"""', "'\\'",
           '"\\u0000"', '"\\ud800"', '["a"', "{a = {b = {c = 1}}}")  # fmt: skip


def mutate_toml(text: str, rng: Random) -> str:
    settings = list(_SETTING.finditer(text))
    how = rng.randrange(8)
    if not settings or how == 0:
        return f"{rng.choice(('[a.b]', '[[a]]', 'a.b.c = 1', '[a'))}\n{text}"
    setting = rng.choice(settings)
    line = setting[0]
    if how == 1:
        line = f"{setting[0]}\n{setting[0]}"
    elif how == 2:
        line = f"{setting[1]}{nest(rng)}"
    elif how == 3:
        line = f"{rng.choice(ODD_TEXTS)[:400]!r} = {setting[2]}"
    elif how == 4:
        line = f"{setting[1]}{rng.choice(settings)[2]}"
    elif how == 5:
        quoted = rng.choice(ODD_TEXTS)[:5000].replace("\\", "\\\\").replace('"', '\\"')
        line = f'{setting[1]}"{quoted}"'
    else:
        line = setting[1] + rng.choice(_VALUES)
    return text[: setting.start()] + line + text[setting.end() :]
