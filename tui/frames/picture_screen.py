"""The picture on the whole screen: what was asked and what was found side by side, in step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, Self

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.screen import Screen

from tui.dialogs.dialog import OneAnswerScreen
from tui.frames.clip_moment import ClipMoment, find_place
from tui.frames.looper import Looper, LoopHooks
from tui.frames.picture import Picture
from tui.frames.picture_line import PictureLine, format_line
from tui.frames.picture_loader import PICTURE_LOADING, PictureLoader
from tui.frames.picture_size import PictureSize, fit_picture
from tui.keys.commands import COMMANDS, make_bindings
from tui.keys.keymap import find_keymap
from tui.look.line_pace import find_pace
from tui.widgets.lines_view import Line, LinesView

if TYPE_CHECKING:
    from tui.frames.images import ImageSupport
    from tui.work.clip_frames import ClipFrames

_JUDGING: Final = ("mark_bias", "mark_relevant", "mark_not_relevant", "clear_mark", "note")
_MOVES: Final = (
    *(f"table.cursor_{way}" for way in ("down", "up")),
    *(f"table.{page}_{way}" for page in ("half_page", "page") for way in ("down", "up")),
    *("table.first", "table.last", "results.next_miss", "results.previous_miss"),
)
_SHARED: Final = frozenset(
    "results.play results.previous_frame results.next_frame results.zoom_picture results.open_clip "
    "results.more_like_this inspect.copy inspect.back app.undo app.redo app.help "
    "app.command_palette app.quit".split()
).union(_MOVES, (f"results.{action}" for action in _JUDGING))
"""Commands of the list, its screen and the app that work here too, with their keys there."""

_BINDINGS: Final[list[BindingType]] = [
    one
    for one in make_bindings("results", "inspect", "app", "table")
    if isinstance(one, Binding) and one.id in _SHARED
]
_ELSEWHERE: Final = {command.action for command in COMMANDS} - {
    one.action for one in _BINDINGS if isinstance(one, Binding)
}
"""What is done on other screens only."""

ROWS_BELOW: Final = 7
"""Below the pictures, at least."""

KEYS: Final = (
    "{table.cursor_down} {table.cursor_up} result",
    "{results.zoom_picture} back",
    "{results.next_miss} {results.previous_miss} miss",
    "{results.previous_frame} {results.next_frame} step",
    "{results.play} play or pause",
    "{results.mark_bias} {results.mark_relevant} {results.mark_not_relevant} judge",
    "{app.undo} undo",
    "{app.help} help",
)


@dataclass(frozen=True, slots=True)
class ZoomedResult:
    """A result, and the query that it answers.

    query_clip  the clip that was asked with; None: a text was
    """

    clip: str
    lines: Sequence[Line]
    query_clip: str | None
    query_lines: Sequence[Line]


class ZoomSource(Protocol):
    """The list that is looked through."""

    def describe(self) -> ZoomedResult | None: ...

    def can_do(self, action: str) -> bool:
        """Whether the list offers one of its actions now."""

    def do(self, action: str) -> None: ...


class _SideText(LinesView, can_focus=False):
    """What stands below a picture; the keys are the screen's."""


class PictureScreen(OneAnswerScreen[None]):
    """Query left, result right; the text of both below."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS: ClassVar[list[BindingType]] = _BINDINGS

    def __init__(
        self,
        source: ZoomSource,
        frames: ClipFrames,
        images: ImageSupport,
        moment: ClipMoment | None = None,
    ) -> None:
        """`moment`: where a clip stood until now."""
        super().__init__()
        self._source = source
        self._moment = moment
        follow = {"query": self._follow_query, "result": self._follow_result}
        self._shots = {
            name: PictureLoader(
                Picture(images.drawing, id=f"{name}-picture"), frames, f"zoomed {name}", changed
            )
            for name, changed in follow.items()
        }
        self._texts = {name: _SideText(id=f"{name}-text") for name in _SIDES}
        self._line = PictureLine()
        self._keys = PictureLine()
        self._looper: Looper | None = None

    def compose(self) -> ComposeResult:
        with Horizontal():
            for name in _SIDES:
                with Vertical(id=f"{name}-side"):
                    yield self._shots[name].picture
                    yield self._texts[name]
        yield self._line
        yield self._keys

    def on_mount(self) -> None:
        self.app.screen_change_signal.subscribe(self, self._follow_screens)
        self.show_result()

    def on_unmount(self) -> None:
        self.looper.stop()
        for shot in self._shots.values():
            shot.see(False)

    def on_resize(self) -> None:
        keymap = find_keymap(self.app)
        self._keys.say(join_what_fits([keymap.spell(one) for one in KEYS], self.size.width - 2))
        self.show_result()

    def _follow_screens(self, _: Screen[Any]) -> None:
        self.looper.hold(self.app.screen is not self)

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """What changes on the screen below is not seen through this one: Textual asks for it to be
        painted all the same, and with each step through the results that would be everything."""
        if regions:
            return self
        return super().refresh(repaint=repaint, layout=layout, recompose=recompose)

    @property
    def looper(self) -> Looper:
        if self._looper is None:
            hooks = LoopHooks(self._paint, self._sharpen)
            self._looper = Looper(self, hooks, find_pace(self.app))
            if not self._shots["result"].picture.plays:
                self._looper.state = "paused"
        return self._looper

    @property
    def line(self) -> str:
        """What stands under the pictures."""
        return self._line.text

    @property
    def moment(self) -> ClipMoment | None:
        """Where the result's clip stands; None: it is not shown."""
        return self._shots["result"].find_moment(self.looper)

    @property
    def has_query(self) -> bool:
        """Whether the query's clip is shown beside the result."""
        return self._shots["query"].state == "shown"

    # What it shows

    def show_again(self) -> None:
        """The list is on another result, or something else was said about it."""
        if self.is_mounted and self.is_attached:
            self.show_result()

    def show_result(self) -> None:
        """The result under the cursor of the list."""
        found = self._source.describe()
        if found is None:
            self.dismiss(None)
            return
        has_two = found.query_clip is not None
        self.set_class(has_two, "-two")
        self._texts["query"].show_lines(found.query_lines)
        self._texts["result"].show_lines(found.lines)
        room = self._find_room(has_two)
        for name, clip in (("query", found.query_clip), ("result", found.clip)):
            shot = self._shots[name]
            shot.picture.display = clip is not None
            shot.picture.styles.height = room.rows
            shot.expect(clip)
            shot.set_room(room)
            shot.show_clip(clip)

    def _find_room(self, has_two: bool) -> PictureSize:
        width, height = self.size
        return fit_picture(
            (width - 3) // 2 if has_two else width - width // 3 - 2, height - 2 - ROWS_BELOW
        )

    def _follow_result(self) -> None:
        shot = self._shots["result"]
        if shot.frames is not None:
            shot.load_into(self.looper, self._moment)
            self._moment = None
            return
        self.looper.stop()
        shot.picture.clear()  # beside the text of another it would be a lie
        self._line.say(PICTURE_LOADING if shot.state == "loading" else shot.problem)
        self._paint()

    def _follow_query(self) -> None:
        shot = self._shots["query"]
        if shot.frames is None:
            shot.picture.clear()
        else:
            self._paint()

    def _sharpen(self) -> int | None:
        parts = [
            shot.sharpen(place) for shot, place in self._find_places() if shot.frames is not None
        ]
        sent = sum(part for part in parts if part is not None)
        return None if not sent and None in parts else sent

    def _paint(self) -> int:
        """Both clips as they were so many seconds after their starts."""
        sent = sum(shot.paint(place) for shot, place in self._find_places())
        result, looper, width = self._shots["result"].frames, self.looper, self.size.width - 2
        if result is not None:
            times, place = result.times, looper.place
            self._line.say(format_line(times[place], place, len(times), looper.state, (), width))
        return sent

    def _find_places(self) -> Iterator[tuple[PictureLoader, int]]:
        """The frames to show now: as long as the result has no picture, the query's middle."""
        result, query = self._shots["result"], self._shots["query"]
        seconds = None
        if result.frames is not None:
            times, place = result.frames.times, self.looper.place
            seconds = times[place] - times[0]
            yield result, place
        if query.frames is not None:
            times = query.frames.times
            yield query, len(times) // 2 if seconds is None else find_place(times, seconds)

    # Commands

    def action_play(self) -> None:
        self.looper.toggle()

    def action_next_frame(self) -> None:
        self.looper.step(1)

    def action_previous_frame(self) -> None:
        self.looper.step(-1)

    def action_zoom_picture(self) -> None:
        self.dismiss(None)

    def action_back(self) -> None:
        self.dismiss(None)

    def _do(self, action: str) -> None:
        self._source.do(action)
        self.show_result()

    action_cursor_down = partialmethod(_do, "cursor_down")
    action_cursor_up = partialmethod(_do, "cursor_up")
    action_half_page_down = partialmethod(_do, "half_page_down")
    action_half_page_up = partialmethod(_do, "half_page_up")
    action_page_down = partialmethod(_do, "page_down")
    action_page_up = partialmethod(_do, "page_up")
    action_first = partialmethod(_do, "first")
    action_last = partialmethod(_do, "last")
    action_next_miss = partialmethod(_do, "next_miss")
    action_previous_miss = partialmethod(_do, "previous_miss")
    action_mark_bias = partialmethod(_do, "mark_bias")
    action_mark_relevant = partialmethod(_do, "mark_relevant")
    action_mark_not_relevant = partialmethod(_do, "mark_not_relevant")
    action_clear_mark = partialmethod(_do, "clear_mark")
    action_note = partialmethod(_do, "note")
    action_open_clip = partialmethod(_do, "open_clip")
    action_more_like_this = partialmethod(_do, "more_like_this")
    action_copy = partialmethod(_do, "copy")

    async def _let_app_do(self, action: str) -> None:
        await self.app.run_action(f"app.{action}")
        if self.is_current:
            self.show_result()

    action_undo = partialmethod(_let_app_do, "undo")
    action_redo = partialmethod(_let_app_do, "redo")
    action_help = partialmethod(_let_app_do, "help")
    action_command_palette = partialmethod(_let_app_do, "command_palette")
    action_quit = partialmethod(_let_app_do, "quit")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _ELSEWHERE:
            return False
        return self._source.can_do(action) if action in _JUDGING else True


_SIDES: Final = ("query", "result")


def join_what_fits(hints: Sequence[str], width: int) -> str:
    """As many hints as fit into a line, the first of them; none is cut.

    >>> join_what_fits(["j down", "k up", "z back"], 14)
    'j down  k up'
    """
    joined = ""
    for hint in hints:
        longer = f"{joined}  {hint}" if joined else hint
        if cell_len(longer) > width:
            break
        joined = longer
    return joined
