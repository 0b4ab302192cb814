"""A scene's parameters fix its keywords and its caption."""

from dataclasses import replace

import numpy as np
import pytest

from sample_data.captions import captions_of
from sample_data.generate import TRAINING_SEED
from sample_data.keywords import GROUPS, VOCABULARY, keywords_of, relation
from sample_data.motion import ego_pose, seen_from_ego
from sample_data.scenes import (
    BEHAVIORS,
    QUOTA,
    Scene,
    draw_actor,
    draw_scene,
    shipped_scenes,
    training_scenes,
)
from sample_data.shipped import SHIPPED_SEED


def scene(kind: str = "small vehicle", behavior: str = "stationary", **changes: object) -> Scene:
    plain = {
        "place": "urban",
        "night": False,
        "weather": "sunny",
        "junction": False,
        "crosswalk": False,
        "parked": False,
        "structure": "",
        "bend": 0.0,
        "grade": 0.0,
        "ego": "straight",
    }
    drawn = draw_scene(np.random.default_rng(3), kind, behavior)
    calm = replace(drawn, actors=drawn.actors[:1], **plain)
    return replace(calm, **changes)


def test_the_main_actor_gives_object_and_behavior() -> None:
    words = keywords_of(scene("bicyclist", "entering ego path"))
    assert words["object_type"] == ("bicyclist",)
    assert words["actor_behavior"] == ("entering ego path",)


def test_a_second_actor_adds_its_own_keywords() -> None:
    alone = scene("bicyclist", "entering ego path")
    other = draw_actor(np.random.default_rng(1), "pedestrian", "stationary", "urban", 9.0)
    words = keywords_of(replace(alone, actors=(*alone.actors, other)))
    assert set(words["object_type"]) == {"bicyclist", "pedestrian"}
    assert set(words["actor_behavior"]) == {"entering ego path", "stationary"}


def test_a_bollard_has_no_behavior() -> None:
    words = keywords_of(scene("bollard", "stationary"))
    assert words["object_type"] == ("bollard",)
    assert words["actor_behavior"] == ()


@pytest.mark.parametrize(
    ("changes", "present", "absent"),
    [
        ({"night": True, "weather": "rainy"}, {"nighttime", "rainy"}, {"daytime", "sunny"}),
        ({"junction": True}, {"intersection"}, {"non-intersection"}),
        ({"place": "highway"}, {"highway", "non-intersection"}, {"urban"}),
        ({"place": "parking lot"}, {"parking lot/depot"}, {"intersection", "non-intersection"}),
        ({"structure": "tunnel", "weather": ""}, {"bridge/tunnel"}, {"sunny"}),
        ({"bend": 0.02}, {"curved road"}, {"positive road grade"}),
        ({"grade": 0.1}, {"positive road grade"}, {"negative road grade", "curved road"}),
        ({"grade": -0.1}, {"negative road grade"}, {"positive road grade"}),
        ({"crosswalk": True, "parked": True}, {"crosswalk", "street parked vehicle"}, {"rainy"}),
    ],
)
def test_scene_type_follows_from_the_parameters(
    changes: dict[str, object], present: set[str], absent: set[str]
) -> None:
    words = set(keywords_of(scene(**changes))["scene_type"])
    assert present <= words
    assert not absent & words


@pytest.mark.parametrize(
    ("kind", "vulnerable"), [("pedestrian", True), ("motorcyclist", True), ("large vehicle", False)]
)
def test_vulnerable_road_users_are_announced(kind: str, vulnerable: bool) -> None:
    words = keywords_of(scene(kind))["scene_type"]
    assert ("vulnerable road user present" in words) is vulnerable


@pytest.mark.parametrize(
    ("ego", "word"),
    [
        ("straight", "proceeding straight"),
        ("turning", "ego turning"),
        ("change", "ego lane change"),
    ],
)
def test_the_ego_vehicle_does_one_thing(ego: str, word: str) -> None:
    assert keywords_of(scene(ego=ego))["ego_behavior"] == (word,)


@pytest.mark.parametrize(
    ("right", "ahead", "word"),
    [
        (0.0, 10.0, "corridor front"),
        (0.0, -5.0, "corridor behind"),
        (-3.5, 10.0, "left adjacent front"),
        (3.5, 1.0, "right adjacent"),
        (3.5, -3.0, "right adjacent behind"),
        (-6.0, 10.0, "left split front"),
    ],
)
def test_relation_counts_lanes_from_the_ego_vehicle(right: float, ahead: float, word: str) -> None:
    assert relation(right, ahead) == word


def test_who_enters_the_ego_path_ends_in_the_corridor() -> None:
    cut_in = scene("small vehicle", "entering ego path")
    start, _ = seen_from_ego(cut_in, cut_in.actors[0], 0.0)
    end, _ = seen_from_ego(cut_in, cut_in.actors[0], 1.0)
    assert abs(start) > 3
    assert abs(end) < 0.5


def test_who_crosses_changes_sides_and_who_leads_keeps_distance() -> None:
    crossing = scene("pedestrian", "straight crossing path")
    sides = [np.sign(seen_from_ego(crossing, crossing.actors[0], t)[0]) for t in (0.0, 1.0)]
    assert sides[0] == -sides[1]
    leading = scene("small vehicle", "traveling in same direction")
    ahead = [seen_from_ego(leading, leading.actors[0], t)[1] for t in (0.0, 1.0)]
    assert abs(ahead[0] - ahead[1]) < 1.0


def test_the_oncoming_close_in_faster_than_the_stationary() -> None:
    def approach(behavior: str) -> float:
        case = scene("small vehicle", behavior)
        return (
            seen_from_ego(case, case.actors[0], 0.0)[1]
            - seen_from_ego(case, case.actors[0], 1.0)[1]
        )

    assert approach("traveling in opposite direction") > approach("stationary") + 5
    assert approach("stationary") > 3


def test_a_lane_change_ends_one_lane_over() -> None:
    changing = scene(ego="change", ego_side=-1)
    assert ego_pose(changing, 1.0).x == pytest.approx(-3.5)


def test_every_drawn_scene_stays_inside_the_vocabulary() -> None:
    for drawn in training_scenes(5, 300):
        words = keywords_of(drawn)
        assert tuple(words) == GROUPS
        for group, found in words.items():
            assert set(found) <= set(VOCABULARY[group])
            assert len(set(found)) == len(found)
        assert len(words["ego_behavior"]) == 1
        assert len({"daytime", "nighttime"} & set(words["scene_type"])) == 1


def test_the_shipped_set_keeps_its_quota_and_is_the_same_every_time() -> None:
    scenes = shipped_scenes(SHIPPED_SEED)
    assert scenes == shipped_scenes(SHIPPED_SEED)
    assert scenes != shipped_scenes(SHIPPED_SEED + 1)
    drawn = [(s.actors[0].kind, s.actors[0].behavior) for s in scenes]
    assert {pair: drawn.count(pair) for pair in QUOTA} == QUOTA
    assert len(scenes) >= 240


def test_training_scenes_are_not_the_shipped_ones() -> None:
    shipped = {s.seed for s in shipped_scenes(SHIPPED_SEED)}
    assert not shipped & {s.seed for s in training_scenes(TRAINING_SEED, 500)}


@pytest.mark.parametrize("behavior", BEHAVIORS)
def test_captions_name_what_happens_and_the_third_only_where(behavior: str) -> None:
    reported = captions_of(scene("bicyclist", behavior, night=True, weather="rainy"))
    assert "cyclist" in reported[0]
    assert "nighttime" in reported[1]
    assert "cyclist" not in reported[2]
