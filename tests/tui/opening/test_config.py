"""A person's own settings: what a file says, what speaks before it, and how one line is changed."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.choices import ProfileName
from engine.base.errors import InputError
from engine.metrics.profiles import PROFILES
from tests.tui.inspector import small_dataset
from tui.look.theme_names import THEME_NAMES
from tui.look.themes import THEMES
from tui.opening.config import Config, find_config_file, load_config, read_config
from tui.opening.config_text import make_template, write_in_text
from tui.opening.layout import PaneLayout
from tui.opening.looks import Looks
from tui.opening.remember import Memory, write_setting
from tui.opening.settings import CONFIG_ITEMS, SettingValue
from tui.opening.source import apply_config, open_from_options, open_source

FILE = Path("config.toml")

MINE = """\
# mine, and in my order

k = [ 5, 10 ]   # the large one
"theme"   =   'light'

[layout]   # sizes
zoom = "inspect:results"
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of settings of one's own, which is not there yet."""
    file = tmp_path / "own" / "config.toml"
    monkeypatch.setenv("TUI_EVAL_CONFIG", str(file))
    return file


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_names_that_are_listed_twice_are_the_same() -> None:
    assert tuple(theme.name for theme in THEMES) == THEME_NAMES
    assert tuple(profile.name for profile in PROFILES) == get_args(ProfileName)


def test_the_file_lies_beside_that_of_the_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TUI_EVAL_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert find_config_file() == tmp_path / "tui-eval" / "config.toml"

    monkeypatch.setenv("TUI_EVAL_CONFIG", "/else/where.toml")
    assert find_config_file() == Path("/else/where.toml")


def test_without_a_file_everything_is_usual(config: Path) -> None:
    assert load_config() == Config(config)
    assert all(load_config().find(name, {}).is_usual for name in CONFIG_ITEMS)
    assert not config.exists()


def test_a_template_says_nothing_and_shows_what_holds(tmp_path: Path) -> None:
    template = make_template()
    assert read_config(write(tmp_path / "config.toml", template)).said == {}

    bare = template.replace("# theme =", "theme =").replace("# k =", "k =")
    said = read_config(write(tmp_path / "config.toml", bare)).said
    assert said == {"theme": "dark", "k": (1, 3, 5)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('them = "dark"', 'setting them: unknown setting; did you mean "theme"? known: theme,'),
        ("layout.inspct = 3", 'setting layout.inspct: unknown setting; did you mean "layout.insp'),
        ('theme = "pink"', 'setting theme: there is no theme "pink"; choose one of dark, light,'),
        ('theme = "drak"', 'setting theme: there is no theme "drak"; did you mean "dark"?'),
        ("theme = 3", 'setting theme: there is no theme "3"; choose one of'),
        ("theme = {a = 1}", "setting theme: there is no theme"),
        ('images = "ansi"', 'setting images: frames cannot be drawn as "ansi"; choose one of'),
        ('frames = "huge"', 'setting frames: frames cannot be shown as "huge"; choose one of'),
        ("k = 0", "setting k: k is 0; list whole numbers from 1 to 1,000,000, 50 at most"),
        ("k = []", "setting k: k is []; list whole numbers"),
        ("k = [true]", "setting k: k is [True]; list whole numbers"),
        (f"k = {list(range(1, 60))}", "setting k: k is [1, 2"),
        ('dataset = ""', "setting dataset: dataset is ''; name a folder in quotes"),
        ('profile = "alpha"', 'setting profile: there is no profile "alpha"; did you mean "alfa"?'),
        (
            "layout.inspect = -1",
            "setting layout.inspect: layout.inspect is -1; "
            "give percent from 20 to 80, or 0: default",
        ),
        (
            'layout.zoom = "\\u001b[2J"',
            "setting layout.zoom: layout.zoom is '\\\\x1b[2J'; name screens",
        ),
        (
            'layout.zoom = "inspect:detail.nowhere"',
            "setting layout.zoom: layout.zoom is 'inspect:detail.nowhere'; name screens",
        ),
        ("layout = 3", "setting layout: unknown setting"),
        ("theme = ", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place_and_remedy(
    text: str, said: str, tmp_path: Path
) -> None:
    file = write(tmp_path / "config.toml", text)
    with pytest.raises(InputError) as refused:
        read_config(file)

    line = str(refused.value)
    assert said in line
    assert line.startswith(str(file))
    assert "\n" not in line and "\x1b" not in line


def test_the_environment_speaks_before_the_file_and_an_option_before_both(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Looks().chosen_theme == "dark"
    write(config, 'theme = "light"\nimages = "off"\nframes = "none"\n')
    assert (Looks().chosen_theme, Looks().chosen_images) == ("light", "off")
    assert Looks().chosen_frames == "none"

    monkeypatch.setenv("TUI_EVAL_THEME", "high-contrast")
    monkeypatch.setenv("TUI_EVAL_IMAGES", "kitty")
    assert (Looks().chosen_theme, Looks().chosen_images) == ("high-contrast", "kitty")
    looks = Looks(theme="colour-blind", images="sixel")
    assert (looks.chosen_theme, looks.chosen_images) == ("colour-blind", "sixel")

    monkeypatch.setenv("TUI_EVAL_IMAGES", "ansi")
    with pytest.raises(InputError, match=r'^\$TUI_EVAL_IMAGES: frames cannot be drawn as "ansi"'):
        Looks().chosen_images  # noqa: B018


def test_cut_offs_and_profile_environment_then_dataset_then_file(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    small_dataset(folder, "a,a.mp4,,car,city")
    write(config, 'k = [7]\nprofile = "ir"\n')
    plain = open_from_options(str(folder))
    assert (plain.ks, plain.profile) == ((7,), "ir")

    settings = folder / "dataset.toml"
    settings.write_text(f"k = [2, 9]\n{settings.read_text()}")
    spoken = open_from_options(str(folder))
    assert (spoken.ks, spoken.profile) == ((2, 9), "ir")

    monkeypatch.setenv("TUI_EVAL_K", "4")
    assert open_from_options(str(folder)).ks == (4,)

    of_labels = replace(plain, own_settings=frozenset({"ks", "profile"}))
    monkeypatch.delenv("TUI_EVAL_K")
    assert apply_config(of_labels, Config(config, {"k": (1,)})) is of_labels


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "k = 0",
            "setting k: k is 0; list whole numbers from 1 to 1,000,000, 50 at most: k = [1, 3, 5]",
        ),
        (f"k = {[*range(1, 52)]}", "51]; list whole numbers from 1 to 1,000,000, 50 at most"),
        ('k = ["5"]', "setting k: k is ['5']; list whole numbers"),
        ('profile = "alpha"', "setting profile: profile is 'alpha'; did you mean \"alfa\"?"),
    ],
)
def test_a_dataset_that_says_them_wrongly_is_refused(line: str, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    small_dataset(folder, "a,a.mp4,,car,city")
    settings = folder / "dataset.toml"
    settings.write_text(f"{line}\n{settings.read_text()}")

    with pytest.raises(InputError) as refused:
        open_from_options(str(folder))
    assert said in str(refused.value)


def test_the_dataset_where_none_is_named(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_dataset(tmp_path / "data", "a,a.mp4,,car,city")
    small_dataset(tmp_path / "other", "a,a.mp4,,car,city", "two")
    assert open_from_options(None).name == "sample"

    write(config, 'dataset = "../data"\n')
    assert list(open_from_options(None).models) == ["one"], "it starts in the folder of the file"
    assert open_from_options("sample").name == "sample"
    assert open_source("sample").name == "sample", "a session about the sample stays about it"

    monkeypatch.setenv("TUI_EVAL_DATASET", str(tmp_path / "other"))
    assert list(open_from_options(None).models) == ["two"]
    monkeypatch.setenv("TUI_EVAL_DATASET", "sample")
    assert open_from_options(None).name == "sample"

    monkeypatch.delenv("TUI_EVAL_DATASET")
    write(config, 'dataset = "/no/such/place"\n')
    with pytest.raises(InputError) as refused:
        open_from_options(None)
    assert str(refused.value) == (
        f"{config}, setting dataset: there is no /no/such/place; "
        "write tui-eval config set dataset FOLDER, or sample"
    )


# One line is changed


@pytest.mark.parametrize(
    ("name", "value", "before", "after"),
    [
        ("k", (1,), "k = [ 5, 10 ]   # the large one", "k = [1]   # the large one"),
        ("theme", "dark", "\"theme\"   =   'light'", '"theme"   =   "dark"'),
        ("layout.zoom", "", 'zoom = "inspect:results"', 'zoom = ""'),
        (
            "layout.inspect",
            60,
            'zoom = "inspect:results"\n',
            'zoom = "inspect:results"\ninspect = 60\n',
        ),
        ("profile", "ir", "'light'\n", "'light'\nprofile = \"ir\"\n"),
    ],
)
def test_a_line_is_changed_and_all_else_stays(
    name: str, value: SettingValue, before: str, after: str
) -> None:
    assert write_in_text(MINE, name, value, FILE) == MINE.replace(before, after)
    windows = MINE.replace("\n", "\r\n")
    expected = MINE.replace(before, after).replace("\n", "\r\n")
    assert write_in_text(windows, name, value, FILE) == expected


def test_a_default_in_a_comment_becomes_a_line_where_it_stands() -> None:
    text = write_in_text(make_template(), "k", (9,), FILE)
    assert text == make_template().replace("# k = [1, 3, 5]", "k = [9]")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("k = [\n  1,\n]\n", "k", (2,)),
        ('layout = {zoom = "compare"}\n', "layout.zoom", "inspect"),
        ('layout.zoom = "compare"\n', "layout.inspect", 30),
        ("theme = '''\nlight'''\n", "theme", "dark"),
    ],
)
def test_a_line_that_cannot_be_changed_alone_is_left_and_that_is_said(
    text: str, name: str, value: SettingValue
) -> None:
    with pytest.raises(InputError, match=r"the line cannot be changed by itself; write .* by hand"):
        write_in_text(text, name, value, FILE)


VALUES: dict[str, st.SearchStrategy[SettingValue]] = {
    "theme": st.sampled_from(THEME_NAMES),
    "dataset": st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1
    ).filter(str.strip),
    "k": st.sets(st.integers(1, 1000), min_size=1, max_size=9).map(lambda ks: tuple(sorted(ks))),
    "layout.inspect": st.integers(20, 80),
    "layout.zoom": st.sampled_from(["", "inspect", "inspect:detail.compare"]),
}
CHANGES = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.tuples(st.just(name), VALUES[name])
)


@given(st.sampled_from(["", MINE, "# one\n", make_template()]), st.lists(CHANGES, max_size=8))
def test_whatever_is_set_is_read_again_and_comments_stay(
    text: str, changes: list[tuple[str, SettingValue]]
) -> None:
    comments = [line for line in text.split("\n") if line.startswith("#") and " = " not in line]
    said: dict[str, SettingValue] = {}
    for name, value in changes:
        text = write_in_text(text, name, value, FILE)
        said[name] = value

    read = tomllib.loads(text)
    flat = {**read, **{f"layout.{name}": one for name, one in read.get("layout", {}).items()}}
    for name, value in said.items():
        assert flat[name] == (list(value) if isinstance(value, tuple) else value)
    kept = text.split("\n")
    assert [line for line in comments if line not in kept] == []


def test_a_file_that_cannot_be_read_is_never_touched(tmp_path: Path) -> None:
    file = write(tmp_path / "config.toml", "theme = \nmine\n")
    with pytest.raises(InputError, match="is not valid TOML"):
        write_setting("theme", "light", file)
    assert file.read_text() == "theme = \nmine\n"

    file.write_bytes(b"\xff\xfe\0")
    with pytest.raises(InputError, match="is not UTF-8"):
        write_setting("theme", "light", file)
    assert file.read_bytes() == b"\xff\xfe\0"


def test_what_is_wrong_in_the_file_can_be_set_right(tmp_path: Path) -> None:
    file = write(tmp_path / "config.toml", 'theme = "pink"  # nice\n')
    write_setting("theme", "light", file)
    assert file.read_text() == 'theme = "light"  # nice\n'


def test_a_link_stays_one_and_a_mark_of_the_byte_order_too(tmp_path: Path) -> None:
    real = tmp_path / "real.toml"
    real.write_bytes(b"\xef\xbb\xbftheme = 'light'\r\n")
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    write_setting("theme", "dark", link)
    assert link.is_symlink()
    assert real.read_bytes() == b'\xef\xbb\xbftheme = "dark"\r\n'


def test_a_memory_writes_what_is_a_setting_and_refuses_the_rest(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "new" / "config.toml")
    memory.remember("layout.inspect", 71)
    memory.remember("layout.zoom", "inspect:results")
    assert memory.file is not None
    assert read_config(memory.file).said == {"layout.inspect": 71, "layout.zoom": "inspect:results"}

    with pytest.raises(InputError, match='there is no setting "them"'):
        memory.remember("them", "dark")
    with pytest.raises(InputError, match='there is no theme "pink"'):
        memory.remember("theme", "pink")
    assert read_config(memory.file).said == {"layout.inspect": 71, "layout.zoom": "inspect:results"}


def test_sizes_that_were_remembered_are_what_an_app_starts_with(config: Path) -> None:
    write(config, '[layout]\ninspect = 71\nzoom = "inspect:results"\n')
    assert Looks().for_app()["layout"] == PaneLayout({"inspect": 71}, {"inspect": "results"})


@pytest.mark.parametrize("text", ["", "\n \n", "# nothing\n"])
def test_an_empty_file_says_nothing(text: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")

    assert read_config(file).said == {}


@pytest.mark.parametrize(
    "mine", ['# theme = "dark" is what I like', "# k = [9] was tried in May", '# theme = "light"']
)
def test_a_comment_of_ones_own_stays(mine: str) -> None:
    for name, value in (("theme", "light"), ("k", (5,))):
        assert mine in write_in_text(f"{mine}\n", name, value, Path("config.toml"))
