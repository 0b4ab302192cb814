"""Words in company: compounds, adjectives of things, and who it is that does something."""

from __future__ import annotations

import pytest

from engine.base.keyword import Keyword
from engine.text.mapping.mapper import Mapper
from tests.engine.text.test_mapper_rules import BEHAVIOR, EGO, OBJECT, SCENE, SPATIAL, NoModel


@pytest.fixture(scope="module")
def mapper(field_keywords: tuple[Keyword, ...]) -> Mapper:
    return Mapper(field_keywords, NoModel())


def _names(mapper: Mapper, query: str, groups: tuple[str, ...]) -> list[str]:
    return [item.keyword.name for item in mapper.map(query, groups).keywords]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("dark car ahead", ["small vehicle"]),
        ("gray van", ["small vehicle"]),
        ("dull gray truck", ["large vehicle"]),
        ("dark blue sedan at noon", ["small vehicle", "daytime"]),
        ("dark vehicle", []),
        ("man in the dark coat", ["pedestrian"]),
        ("bright headlights at night", ["nighttime"]),
        ("clear road ahead", []),
    ],
)
def test_how_a_thing_looks_is_not_the_weather(mapper: Mapper, query: str, names: list[str]) -> None:
    assert _names(mapper, query, OBJECT + SCENE) == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("dark", ["nighttime"]),
        ("it is dark", ["nighttime"]),
        ("pedestrian in the dark", ["pedestrian", "nighttime"]),
        ("bus in a dark street", ["large vehicle", "nighttime"]),
        ("truck after dark", ["large vehicle", "nighttime"]),
        ("car under a gray sky", ["small vehicle", "overcast"]),
        ("gray and rainy", ["overcast", "rainy"]),
        ("highway, clear", ["highway", "sunny"]),
        ("bright morning", ["sunny", "daytime"]),
        ("cloudy day", ["overcast", "daytime"]),
    ],
)
def test_an_adjective_of_the_scene_is_light_or_weather(
    mapper: Mapper, query: str, names: list[str]
) -> None:
    assert _names(mapper, query, OBJECT + SCENE) == names


@pytest.mark.parametrize(
    "query",
    [
        *("bus stop", "bus lane", "bike lane", "post office", "power pole", "child seat"),
        *("taxi stand", "stop line", "red light", "railway crossing", "gas station"),
    ],
)
def test_a_compound_is_not_read_word_by_word(mapper: Mapper, query: str) -> None:
    assert _names(mapper, query, OBJECT + BEHAVIOR) == []


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("truck stop", ["parking lot/depot"]),
        ("traffic light", ["intersection"]),
        ("stop sign", ["intersection"]),
        ("car park", ["parking lot/depot"]),
        ("family car", ["small vehicle"]),
        ("the bus stops", ["large vehicle", "stationary"]),
        ("bus, stopped", ["large vehicle", "stationary"]),
    ],
)
def test_a_compound_says_what_a_keyword_says_by_it_as_a_whole(
    mapper: Mapper, query: str, names: list[str]
) -> None:
    assert _names(mapper, query, OBJECT + BEHAVIOR + SCENE) == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("approaching an intersection", []),
        ("we approach a crosswalk", []),
        ("ego waits", []),
        ("ego stopped at the traffic light", []),
        ("our car has come to a stop", []),
        ("merging onto the highway", []),
        ("ego crosses a bridge", []),
        ("ego waits while a truck crosses", ["straight crossing path"]),
        ("approaching truck", ["traveling in opposite direction"]),
        ("car ahead of ego stops", ["stationary"]),
        ("truck behind us is waiting", ["stationary"]),
        ("sedan merging into our lane", ["entering ego path"]),
        ("ego follows a truck", ["traveling in same direction"]),
    ],
)
def test_what_ego_does_is_not_what_the_actor_does(
    mapper: Mapper, query: str, names: list[str]
) -> None:
    assert _names(mapper, query, BEHAVIOR) == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("car turning right", []),
        ("the bus that is turning left", []),
        ("truck makes a left turn", []),
        ("car ahead of ego turns right", []),
        ("van driving straight ahead", []),
        ("cyclist changes lanes", []),
        ("we turn right", ["ego turning"]),
        ("our car turns right", ["ego turning"]),
        ("turning right at the junction", ["ego turning"]),
        ("left turn", ["ego turning"]),
        ("ego turns left behind a car turning right", ["ego turning"]),
        ("truck changes lanes while we go straight", ["proceeding straight"]),
    ],
)
def test_what_another_actor_does_is_not_what_ego_does(
    mapper: Mapper, query: str, names: list[str]
) -> None:
    assert _names(mapper, query, EGO) == names


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("truck ahead", ["corridor front"]),
        ("pedestrian in front", ["corridor front"]),
        ("car behind", ["corridor behind"]),
        ("car ahead in the left adjacent lane", ["left adjacent front"]),
        ("cyclist ahead on the right", ["right adjacent front"]),
        ("motorcycle in front of a truck", []),
    ],
)
def test_ahead_is_ahead_of_ego_if_nothing_else_is_said(
    mapper: Mapper, query: str, names: list[str]
) -> None:
    assert _names(mapper, query, SPATIAL) == names
