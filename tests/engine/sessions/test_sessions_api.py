"""What the package of sessions offers: each name by itself, imported when it is asked for."""

from __future__ import annotations

import pytest

import engine.sessions


def test_every_name_that_is_offered_is_there() -> None:
    for name in engine.sessions.__all__:
        assert getattr(engine.sessions, name) is not None
    assert set(engine.sessions._HOMES) == set(engine.sessions.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Sesion'"):
        engine.sessions.Sesion  # noqa: B018
