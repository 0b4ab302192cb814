"""Pictures of every screen. After a change that is meant: `pytest --snapshot-update`, and look at
the SVGs before they are committed."""

from __future__ import annotations

import csv
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pytest_textual_snapshot import normalize_svg
from textual._doc import take_svg_screenshot
from textual.app import App
from textual.filter import Monochrome
from textual.pilot import Pilot

from engine.base.errors import InputError, Place
from engine.base.progress import Step
from engine.dataset.dataset import Dataset
from engine.sessions import SessionStore
from engine.text.encoder import SentenceEncoder
from tests.engine.sessions.sessions_by_hand import ticking
from tests.tui.inspector import CLIP, PEDESTRIAN, Inspector, sample
from tests.tui.resting import come_to_rest
from tui.app.inspector import InspectorApp
from tui.compare.panes import FlipPane
from tui.frames.filmstrip import Filmstrip
from tui.frames.looper import Looper
from tui.frames.picture_pane import PicturePane
from tui.frames.picture_screen import PictureScreen
from tui.inspect.clip_chooser import ClipChooser
from tui.opening.label_files import find_sample_label_files, open_labels
from tui.opening.starts import InspectorStart
from tui.shell.work_line import Work

pytestmark = pytest.mark.slow

Scene = Callable[[Inspector], Awaitable[None]]
Compare = Callable[..., bool]
Then = Callable[[InspectorApp, Pilot[None]], Awaitable[None]]


async def nothing_asked(see: Inspector) -> None:
    """The first screen."""


async def text_query(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("j")
    await see.shows(str(see.results.clip))


async def marked_result(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("plus", "b", "1", "k", "a")
    await see.type("a car, not a person")
    await see.press("enter")
    await see.until(lambda: "a car" in see.detail)


async def clip_query_with_frames(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    for which in ("query", "result"):
        strip = see.home.query_one(f"#{which}-frames")
        await see.until(lambda strip=strip: strip.state == "shown", f"frames of the {which}")


async def large_frame(see: Inspector) -> None:
    """The picture stands at the middle of the clip."""
    await see.ask(PEDESTRIAN)
    await see.do("results.next_miss")
    await picture_stands(see)


async def picture_stands(see: Inspector) -> None:
    picture = see.home.query_one(PicturePane).picture
    await see.until(lambda: picture.state == "shown" or picture.problem, "the picture")
    await stand(see, picture.looper)


async def zoomed_picture(see: Inspector) -> None:
    """Query and result side by side."""
    await see.ask_clip(CLIP)
    await picture_stands(see)
    await see.do("results.zoom_picture")
    screen = see.app.screen
    assert isinstance(screen, PictureScreen)
    await see.until(lambda: " s " in screen.line and screen.has_query, "both pictures")
    await stand(see, screen.looper)


async def stand(see: Inspector, looper: Looper) -> None:
    """Pause a clip at its middle, and wait until it is drawn as well as can be."""
    await see.do("results.next_frame")
    while looper.place != 6:
        await see.do("results.next_frame")
    await see.until(lambda: looper.rests, "the sharp picture")


async def missed_clips(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("d")
    await see.says("K = 5")
    await see.shows(str(see.results.clip))


async def filtered_results(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("f")
    await see.type("-pedestrian urban")
    await see.says("listed")
    await see.shows(str(see.results.clip))


async def choosing_clip(see: Inspector) -> None:
    """Clips are found by a part of their ids and by keywords, with a picture of one."""
    await see.press("c")
    await see.type("rural crossing")
    strip = see.home.query_one(ClipChooser).query_one(Filmstrip)
    await see.until(lambda: strip.display and strip.state == "shown", "the picture of the clip")


async def picker(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("p", "j", "j")


async def edited_keywords(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("e", "x")
    await see.answered(PEDESTRIAN)


async def no_keyword(see: Inspector) -> None:
    await see.ask("a sunny afternoon")


async def not_understood(see: Inspector) -> None:
    await see.ask("red truck turning left")


async def lesson(see: Inspector) -> None:
    """Something was added by hand, of which words can be remembered."""
    await see.ask("a truck and a hedgehog by the bakery")
    await see.press("e", "i")
    await see.type("other")
    await see.press("enter")
    await see.says("press L")
    await see.answered()


async def which_words(see: Inspector) -> None:
    await lesson(see)
    await see.press("L")
    await see.says("Which words mean other?")


async def all_metrics(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("M")
    await see.says("formula")


async def bias_reasons(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    await see.press("b")
    await see.says("look-alike")


async def note(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    await see.press("a")
    await see.type("like the query, but it moves")


async def help_of_results(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    await see.press("question_mark")
    await see.says("Help")


async def jump(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    await see.press("ctrl+o")
    await see.says("Press a letter")


async def palette(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    await see.press("ctrl+p")
    await see.type("mark")
    await see.says("Mark as relevant")


async def nothing_evaluated(see: Inspector) -> None:
    await see.press("2")
    await see.says("Nothing is evaluated")


async def evaluated(see: Inspector) -> None:
    await see.press("2", "t", "r")
    await see.says("mean of n")


async def filtered(see: Inspector) -> None:
    await evaluated(see)
    await see.press("slash")
    await see.type("kw:bicyclist Recall@5<0.5")
    await see.says("filter kw:bicyclist")


async def counted(see: Inspector) -> None:
    await evaluated(see)
    await see.press("F")
    await see.says("Keywords of")


async def no_sessions(see: Inspector) -> None:
    await see.press("3")
    await see.says("No session")


async def sessions(see: Inspector) -> None:
    await marked_result(see)
    await see.press("3")
    await see.says("changed")


async def confirm(see: Inspector) -> None:
    await sessions(see)
    await see.press("x")
    await see.says("Delete")


async def no_relevant(see: Inspector) -> None:
    await see.ask("bollard entering ego lane")


async def below_the_least_similarity(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("l")
    await see.type("0.99")
    await see.press("enter")
    await see.says("No result reaches")


async def adjudicated(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("minus", "plus", "plus")
    await see.says("relevant by keywords")  # said where marks change the numbers
    await see.shows(str(see.results.clip))


async def least_similarity(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("l")
    await see.type("0.3")
    await see.says("Least similarity")


async def which_model(see: Inspector) -> None:
    """Of three models one chooses."""
    await see.ask_clip(CLIP)
    await see.press("m")
    await see.says("Which model?")


async def find_keyword(see: Inspector) -> None:
    await see.ask(PEDESTRIAN)
    await see.press("p", "slash")
    await see.type("cross")
    await see.says("Find a keyword")


async def no_media(see: Inspector) -> None:
    """Annotations that name no files: frames take no rows."""
    await see.ask_clip(CLIP)


async def evaluating(see: Inspector) -> None:
    await see.press("2")
    screen = see.app.evaluate_screen
    screen.work_line.work = work = Work(see.app.evaluation_scope)
    for done in (0, 20_000):
        work.pace.note(Step("text", "mapping", done, 100_000), now=done / 2_000)
    screen.show_state()
    await see.says("20,000 of 100,000 texts mapped")


async def failed(see: Inspector) -> None:
    """A run that ends with an error."""
    await see.press("2")
    screen = see.app.evaluate_screen
    screen._failed(InputError("no query has a keyword", Place(Path("queries.csv"), 3)))
    await see.says("no query has a keyword")


async def filter_without_match(see: Inspector) -> None:
    await evaluated(see)
    await see.press("slash")
    await see.type("kw:bollard Recall@5<0")
    await see.says("filter kw:bollard")


async def plotted(see: Inspector) -> None:
    await evaluated(see)
    await see.press("P")
    await see.says("Similarity")


async def one_model(see: Inspector) -> None:
    await see.press("4")
    await see.says("one model")


async def nothing_compared(see: Inspector) -> None:
    await see.press("4")
    await see.says("Nothing is compared")


async def comparing(see: Inspector) -> None:
    await see.press("4", "t")
    screen = see.app.compare_screen
    models = screen._models
    assert models is not None
    screen.work_line.work = work = Work(see.app.evaluation_scope, models, part="alfa-0.2")
    for done in (0, 20_000):
        work.pace.note(Step("video", "evaluating", done, 100_000), now=done / 2_000)
    screen.show_state()
    await see.says("20,000 of 100,000 queries")


async def compared(see: Inspector) -> None:
    await see.press("4", "t", "r")
    await see.says("queries count")
    await see.press("j")
    screen = see.app.compare_screen
    table, row = screen.listing.result, screen.row
    assert table is not None
    assert row is not None
    detail = screen.query_one(FlipPane)
    await see.until(lambda: detail.text.startswith(table.name(row)), "the detail of the row")


async def compared_slices(see: Inspector) -> None:
    await compared(see)
    await see.press("F", "j")
    await see.says("queries with")


async def compared_slice_kept(see: Inspector) -> None:
    await compared_slices(see)
    await see.press("enter", "X")
    await see.says("made with other settings")


async def compared_plots(see: Inspector) -> None:
    await compared(see)
    await see.press("P")
    await see.says("Precision@k")


async def compared_metrics(see: Inspector) -> None:
    await compared(see)
    await see.press("M")
    await see.says("Metrics of both models")


async def problem(see: Inspector) -> None:
    see.app.show_error(RuntimeError("the engine says no"))
    await see.says("engine says no")


async def no_label_asked(see: Inspector) -> None:
    """The first screen of label files."""


async def label_neighbours(see: Inspector) -> None:
    await see.ask_clip(CLIP)
    await see.press("i")
    await see.shows(str(see.results.clip))


async def labels_evaluated(see: Inspector) -> None:
    await see.press("2", "r")
    await see.says("mean of n")


async def labels_confused(see: Inspector) -> None:
    await labels_evaluated(see)
    await see.press("C", "j")
    await see.says("same label")


LABEL_SCENES: tuple[Scene, ...] = (
    no_label_asked,
    label_neighbours,
    labels_evaluated,
    labels_confused,
)

SCENES: tuple[Scene, ...] = (
    nothing_asked,
    text_query,
    marked_result,
    clip_query_with_frames,
    large_frame,
    zoomed_picture,
    missed_clips,
    filtered_results,
    choosing_clip,
    no_relevant,
    below_the_least_similarity,
    adjudicated,
    least_similarity,
    no_media,
    which_model,
    picker,
    find_keyword,
    edited_keywords,
    no_keyword,
    not_understood,
    lesson,
    which_words,
    all_metrics,
    bias_reasons,
    note,
    help_of_results,
    jump,
    palette,
    nothing_evaluated,
    evaluating,
    failed,
    evaluated,
    filtered,
    filter_without_match,
    counted,
    plotted,
    one_model,
    nothing_compared,
    comparing,
    compared,
    compared_slices,
    compared_slice_kept,
    compared_plots,
    compared_metrics,
    no_sessions,
    sessions,
    confirm,
    problem,
)
WITH_FRAMES = (clip_query_with_frames, large_frame, zoomed_picture, choosing_clip, no_media)
PLAIN: tuple[Scene, ...] = tuple(scene for scene in SCENES if scene not in WITH_FRAMES)
"""What is looked at in ASCII and without colour, where there are no frames."""


def without_media(folder: Path) -> Dataset:
    """The sample, but its annotations name no files."""
    with sample().annotations_file.open(newline="", encoding="utf-8") as file:
        rows = [dict(row, video_path="", gif_path="") for row in csv.DictReader(file)]
    copy = folder / "unified_annotation.csv"
    with copy.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return replace(sample(), annotations_file=copy)


def with_three_models() -> Dataset:
    """The sample, with one model of which there are two names."""
    models = sample().models
    (name, spec), *_ = models.items()
    third = replace(spec, name="alfa-0.3", description="another name of " + name)
    return replace(sample(), models={**models, third.name: third})


def with_one_model() -> Dataset:
    (name, spec), *_ = sample().models.items()
    return replace(sample(), models={name: spec})


def dataset_of(scene: Scene, folder: Path) -> Dataset:
    if scene in LABEL_SCENES:
        return open_labels(find_sample_label_files())
    if scene is no_media:
        return without_media(folder)
    if scene is one_model:
        return with_one_model()
    return with_three_models() if scene is which_model else sample()


def picture(compare: Compare, *which: Any, **options: Any) -> bool:
    """Whether the scene looks as it did when someone last looked at it."""
    return compare(Taken(take(*which, **options)))


def take(
    scene: Scene,
    size: tuple[int, int],
    folder: Path,
    encoder: SentenceEncoder,
    then: Then | None = None,
    **options: Any,
) -> str:
    """A picture of the scene; `then`: what is done with the app when the scene is over."""
    encoder.wait_until_ready()
    with SessionStore(folder / "sessions.db", ticking()) as store:
        # Elsewhere frames might be fetched, or not yet, when the picture is taken.
        images = "quadrant" if scene in WITH_FRAMES else "off"
        frames = "filmstrip" if scene is clip_query_with_frames else "large"
        start = {"images": images, "frames": frames, **options}
        dataset = dataset_of(scene, folder)
        app = InspectorApp(InspectorStart(dataset, "sample", store, encoder=encoder, **start))
        # The place of the store differs from machine to machine.
        store.path = Path("/home/user/.local/share/tui-eval/sessions.db")

        async def act(pilot: Pilot[None]) -> None:
            see = Resting(app, pilot, store)
            await see.until(lambda: app.truth is not None, "the start")
            await scene(see)
            await come_to_rest(app, pilot)
            if then is not None:
                await then(app, pilot)

        svg = take_svg_screenshot(app, terminal_size=size, run_before=act)
        app.end_services()
    return svg


class Taken(App[str]):
    """An app that was run already, and gives the picture of it to whoever runs it."""

    def __init__(self, svg: str) -> None:
        super().__init__()
        self.svg = svg

    def run(self, **_: Any) -> str:
        return self.svg


class Pictures(NamedTuple):
    """One run of a scene, seen twice."""

    coloured: str
    without_colour: str


def take_both(
    scene: Scene, size: tuple[int, int], folder: Path, encoder: SentenceEncoder
) -> Pictures:
    """What differs without colour is the style sheet and what is sent, so it is taken away last."""
    coloured: list[str] = []

    async def then(app: InspectorApp, pilot: Pilot[None]) -> None:
        await pilot.wait_for_scheduled_animations()
        coloured.append(app.export_screenshot(title=app.title, simplify=True))
        if scene in PLAIN:
            app.no_color = True
            app._filters.append(Monochrome())
            app.refresh_css(animate=False)
            await come_to_rest(app, pilot)

    last = take(scene, size, folder, encoder, then)
    return Pictures(*coloured, last)


class Resting(Inspector):
    """Sees an answer only when all of it is painted: what lies below a dialog is then always the
    same, however fast the keys are pressed."""

    async def answered(self, query: str | None = None) -> None:
        await super().answered(query)
        await come_to_rest(self.app, self.pilot)


Shot = tuple[Scene, tuple[int, int]]


def name_shot(shot: Shot) -> str:
    scene, (width, height) = shot
    return f"{scene.__name__}-{width}x{height}"


PLAIN_SHOTS: list[Shot] = list(product(PLAIN, [(80, 24), (120, 40)]))
# In this order: pytest puts tests side by side whose shots stand at the same place.
SHOTS: list[Shot] = [*PLAIN_SHOTS, *product(WITH_FRAMES, [(80, 24), (120, 40)])]


@pytest.fixture(scope="module")
def shot(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    encoder: SentenceEncoder,
) -> Pictures:
    return take_both(*request.param, tmp_path_factory.mktemp("shot"), encoder)


@pytest.mark.parametrize("shot", SHOTS, ids=name_shot, indirect=True)
def test_screen(shot: Pictures, snap_compare: Compare) -> None:
    assert snap_compare(Taken(shot.coloured))


@pytest.mark.parametrize("shot", PLAIN_SHOTS, ids=name_shot, indirect=True)
def test_screen_without_colour(shot: Pictures, snap_compare: Compare) -> None:
    assert snap_compare(Taken(shot.without_colour))


@pytest.mark.parametrize("scene", [text_query, compared_plots, confirm])
def test_an_app_that_is_started_without_colour_looks_as_one_that_loses_it(
    scene: Scene, tmp_path: Path, encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lost").mkdir()
    lost = take_both(scene, (120, 40), tmp_path / "lost", encoder)
    monkeypatch.setenv("NO_COLOR", "1")

    assert normalize_svg(take(scene, (120, 40), tmp_path, encoder)) == normalize_svg(
        lost.without_colour
    )


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("scene", PLAIN, ids=lambda scene: scene.__name__)
def test_screen_in_ascii(
    scene: Scene,
    size: tuple[int, int],
    snap_compare: Compare,
    tmp_path: Path,
    encoder: SentenceEncoder,
) -> None:
    assert picture(snap_compare, scene, size, tmp_path, encoder, ascii=True)


@pytest.mark.parametrize("size", [(80, 24), (140, 40)], ids=["80x24", "140x40"])
@pytest.mark.parametrize("scene", LABEL_SCENES, ids=lambda scene: scene.__name__)
def test_screen_of_labels(
    scene: Scene,
    size: tuple[int, int],
    snap_compare: Compare,
    tmp_path: Path,
    encoder: SentenceEncoder,
) -> None:
    assert picture(snap_compare, scene, size, tmp_path, encoder)


def test_more_labels_than_fit(
    snap_compare: Compare, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    options = {"groups": ("object",), "ascii": True}
    assert picture(snap_compare, labels_confused, (80, 24), tmp_path, encoder, **options)


@pytest.mark.parametrize("theme", ["light", "high-contrast", "colour-blind"])
def test_theme(theme: str, snap_compare: Compare, tmp_path: Path, encoder: SentenceEncoder) -> None:
    assert picture(snap_compare, marked_result, (120, 40), tmp_path, encoder, theme=theme)


@pytest.mark.parametrize("theme", ["light", "high-contrast", "colour-blind"])
def test_theme_of_charts(
    theme: str, snap_compare: Compare, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    assert picture(snap_compare, compared_plots, (120, 40), tmp_path, encoder, theme=theme)


@pytest.mark.parametrize(
    "scene",
    [
        clip_query_with_frames,
        large_frame,
        zoomed_picture,
        marked_result,
        filtered_results,
        choosing_clip,
        all_metrics,
        help_of_results,
        evaluated,
        counted,
        plotted,
        compared,
        compared_slices,
        compared_plots,
        compared_metrics,
        sessions,
    ],
    ids=lambda s: s.__name__,
)
def test_wide_screen(
    scene: Scene, snap_compare: Compare, tmp_path: Path, encoder: SentenceEncoder
) -> None:
    assert picture(snap_compare, scene, (200, 50), tmp_path, encoder)


def test_too_small(snap_compare: Compare, tmp_path: Path, encoder: SentenceEncoder) -> None:
    assert picture(snap_compare, nothing_asked, (50, 15), tmp_path, encoder)
