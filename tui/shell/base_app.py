"""The app below the inspector: how it looks, how its keys are done, how its screens lie."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from functools import partial, partialmethod
from typing import Any, ClassVar, TypeVar
from weakref import WeakSet

from textual import events
from textual.app import App, SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.reactive import var
from textual.screen import Screen

from engine.base.errors import InputError
from engine.base.messages import fit_message_lines
from tui.keys.active import find_active_commands
from tui.keys.commands import make_bindings
from tui.keys.keymap import find_keymap
from tui.keys.order import do_in_order
from tui.keys.palette import CommandProvider
from tui.look.ascii_filter import AsciiFilter
from tui.look.glyphs import ASCII, UNICODE
from tui.look.line_pace import LinePace
from tui.look.style_cache import forget_closed_widgets
from tui.look.themes import VARIABLE_DEFAULTS, choose_next_theme, register
from tui.look.visible_filter import VisibleFilter
from tui.opening.layout import PaneLayout
from tui.opening.settings import LAYOUT, SettingValue
from tui.opening.starts import AppStart
from tui.shell.room import (
    ROOM_CSS,
    arrange,
    can_move_border,
    can_zoom,
    find_focused_pane,
    measure_pane_share,
    name_screen,
)
from tui.shell.terminal_size import fit_to_size, watch_size
from tui.work.lanes import SETTLE_PATIENCE, LaneGroup

S = TypeVar("S", bound=Screen[None])
_NO_COLOUR = NoColor()
_VISIBLE = VisibleFilter()
_SMALL = 200
"""Characters up to which an error is a toast."""
_LONGEST_TOAST = 400
"""Characters of a line of a toast, which is gone after some seconds."""


class BaseApp(App[None]):
    """Themes, keys, messages and a home screen that always lies below the others."""

    TITLE = "tui-eval"
    BINDINGS: ClassVar[list[BindingType]] = [*make_bindings("app")]
    COMMANDS = {CommandProvider}  # noqa: RUF012 (as Textual declares it)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 (as Textual declares it)
        (0, "-narrow"),
        (100, "-normal"),
        (160, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (34, "-high"), (46, "-tall")]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = True
    CSS = ROOM_CSS
    places: tuple[str, ...] = ()
    """The screens of the app; commands of the panes on others are not offered."""
    warning_seconds: ClassVar[float] = 8
    saving: var[str] = var("")
    """What every title says of it: nothing, as long as what is done is saved."""

    def __init__(self, start: AppStart) -> None:
        super().__init__()
        forget_closed_widgets()
        self.glyphs = ASCII if start.ascii else UNICODE
        self._ascii = AsciiFilter() if start.ascii else None
        self.keymap_shown = start.keymap
        self.layout = start.layout
        self._arranged: WeakSet[Screen[Any]] = WeakSet()
        self._memory = start.memory
        self._cannot_remember = False
        register(self, start.theme)
        self.set_keymap(start.keymap.textual())
        self.lanes = LaneGroup(self.soon)

    # Starting and ending

    def on_mount(self) -> None:
        watch_size(self)
        # Whatever was on the terminal while the app was stopped, Textual paints changes alone.
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh())

    def on_ready(self) -> None:
        """The first paint is done; now everything else may begin."""
        if not gc.isenabled():  # what was made until now stays, and is never looked through again
            gc.freeze()
            gc.enable()
        for notice in self.keymap_shown.at_start():
            self.warn(notice)
        self.begin()

    def begin(self) -> None:
        """What the app does first, once it is painted."""

    def end_services(self) -> None:
        """End what runs in the background; never waits for it."""
        self.lanes.close()

    async def action_quit(self) -> None:
        self.leave()

    def action_help_quit(self) -> None:
        """Ctrl+C, which Textual would answer with a key of its own."""
        found = (one for one in find_active_commands(self.screen) if one.command.action == "quit")
        keys = [key for one in found for key in one.keys]
        how = f"{keys[0]} leaves" if keys else "escape, then q, leaves"
        done = "everything is saved already"
        if self.saving:
            done = "what is kept in memory is written to a file first"
        self.notify(f"{how}; {done}.", markup=False, timeout=3)

    def leave(self, code: int = 0, patience: float = SETTLE_PATIENCE) -> None:
        """End the app with an exit code; what must not be lost is saved first, and each of it
        waited for so many seconds."""
        self.lanes.writing.settle(patience)
        self.end_services()
        self.exit(return_code=code)

    def give_terminal_back(self) -> None:
        """In another thread, right before the process ends: the app itself does not get to it."""
        give_back = getattr(self._driver, "give_back", None)
        if give_back is not None:
            give_back()

    @property
    def line_pace(self) -> LinePace | None:
        """Whether the terminal keeps up; None: its driver does not tell."""
        return getattr(self._driver, "pace", None)

    # Keys and looks

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "zoom":
            return can_zoom(self._paned)
        if action in ("border_left", "border_right"):
            return can_move_border(self._paned)
        # What is not offered still says why it is not possible.
        return hasattr(self, f"action_{action}")

    async def on_event(self, event: events.Event) -> None:
        if not await do_in_order(self, event):
            await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        if self.no_color:
            # Textual would send greys, which are colours to a terminal.
            filters = [_NO_COLOUR if isinstance(f, Monochrome) else f for f in filters]
        return [*filters, _VISIBLE, *([self._ascii] if self._ascii else [])]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLE_DEFAULTS

    def on_resize(self, event: events.Resize) -> None:
        watch_size(self, event.size)
        if self.screen_stack and event.size == self.screen.region.size:
            # It was another for a moment, in which the terminal lost what was there. Laid out as
            # before, Textual would find nothing to paint.
            self.screen.refresh()

    @property
    def action_to_here(self) -> str:
        """What goes to the screen that is shown: the footer need not offer it."""
        return f"show_{name_screen(self._paned)}"

    # Room for panes

    @property
    def _paned(self) -> Screen[Any]:
        """The screen that has panes, also below a dialog."""
        stack = [screen for screen in self.screen_stack if not screen.is_modal]
        return stack[-1] if stack else self.screen  # an app that ends may have lost its own

    def on_descendant_focus(self) -> None:
        if self.screen_stack:  # an app that ends has lost its own
            self._arrange()  # the pane that has all the room is the one with the focus

    def action_zoom(self) -> None:
        name = name_screen(self.screen)
        self._use_layout(self.layout.toggle_zoom(name, find_focused_pane(self.screen)))
        if name in self.layout.zoomed:  # also a key that was meant for something else
            key = find_keymap(self).say("app.zoom")
            self.notify(f"One pane has all the room; {key} gives it back.", markup=False)

    def was_zoomed(self, screen: Screen[Any], pane: str) -> bool:
        """Whether a pane was given all the room of its screen, now or the time before."""
        return self.layout.zoomed.get(name_screen(screen)) == pane

    def _move_border(self, step: int) -> None:
        name = name_screen(self.screen)
        # What keys before this one did may not be painted yet.
        share = self.layout.shares.get(name) or measure_pane_share(self.screen)
        if share is not None and can_move_border(self.screen):
            self._use_layout(self.layout.move(name, share, step))

    action_border_left = partialmethod(_move_border, -1)
    action_border_right = partialmethod(_move_border, 1)

    def _use_layout(self, layout: PaneLayout) -> None:
        before, after = self.layout.as_settings(), layout.as_settings()
        self.layout = layout
        for name, value in after.items():
            if before.get(name) != value:
                self.remember(f"{LAYOUT}{name}", value)
        if before != after:
            self._arrange()

    def _arrange(self, screen: Screen[Any] | None = None) -> None:
        """Give the panes of a screen their room, and again whenever it is laid out otherwise."""
        paned = screen or self._paned
        if not paned.is_mounted:
            return
        if paned not in self._arranged:
            self._arranged.add(paned)
            paned.screen_layout_refresh_signal.subscribe(self, self._arrange, immediate=True)
        if arrange(paned, self.layout):
            paned.refresh_bindings()

    def action_next_theme(self) -> None:
        self.theme = choose_next_theme(self.theme)
        self.notify(f"Theme: {self.theme}", timeout=2, markup=False)
        self.remember("theme", self.theme)

    def remember(self, setting: str, value: SettingValue) -> None:
        """Write down what was chosen, quietly, for the next time: a setting of
        `tui.opening.settings`. Where it cannot be written, that is said once."""
        write = partial(self._memory.remember, setting, value)
        self.lanes.writing.add(lambda _: write(), lambda _: None, self._not_remembered)

    def _not_remembered(self, error: Exception) -> None:
        if not self._cannot_remember:
            self._cannot_remember = True
            self.warn(f"Not remembered for the next time: {error}")

    def action_jump(self) -> None:
        from tui.dialogs.jump import jump

        jump(self)

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """What the help explains."""
        from tui.keys.terms import TERMS

        return TERMS

    def action_help(self) -> None:
        from tui.dialogs.help import build_help

        self.push_screen(build_help(self.screen, self.keymap_shown))

    def action_command_palette(self) -> None:
        from tui.dialogs.palette import Palette

        self.push_screen(Palette())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """None of Textual's own: every command is in our registry."""
        return ()

    # Messages

    def soon(self, work: Callable[[], None]) -> None:
        """Run something in the UI thread; may be called from any. The app survives it."""

        def guarded() -> None:
            try:
                work()
            except Exception as error:
                self.show_error(error)

        self.call_later(guarded)

    def notify(self, message: str, **more: Any) -> None:
        """A toast: lines of readable length in which nothing is hidden, whatever they quote."""
        super().notify(fit_message_lines(message, _LONGEST_TOAST), **more)

    def show_error(self, error: Exception) -> None:
        """An engine error: a small one is a toast, a big one a dialog with the text to copy."""
        text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        if isinstance(error, InputError) and len(text) < _SMALL:
            self.notify(text, title="Not possible", severity="error", markup=False, timeout=8)
            return
        from traceback import format_exception

        from tui.dialogs.basic_dialogs import ErrorDialog

        trace = "" if isinstance(error, InputError) else "".join(format_exception(error))
        self.push_screen(ErrorDialog("Something went wrong", f"{text}\n\n{trace}".strip()))

    def warn(self, text: str) -> None:
        self.notify(text, severity="warning", markup=False, timeout=self.warning_seconds)

    def attempt(self, work: Callable[[], object]) -> bool:
        """Do something that bad input can stop; says why, and whether it went well."""
        try:
            work()
        except InputError as error:
            self.show_error(error)
            return False
        return True

    # Screens

    def installed(self, name: str, kind: type[S], *settings: Any, **more: Any) -> S:
        """A screen, made when it is first wanted."""
        if not self.is_screen_installed(name):
            self.install_screen(kind(*settings, **more), name)
        screen = self.get_screen(name)
        assert isinstance(screen, kind)
        return screen

    def install_screen(self, screen: Screen[Any], name: str) -> None:
        """As Textual's; the screen is fitted to the terminal before it is first laid out."""
        super().install_screen(screen, name)
        fit_to_size(screen, self)

    def pop_screen(self) -> AwaitComplete:
        """The home screen is never taken away: a palette that is closed twice closes once."""
        if len(self.screen_stack) < 2:
            return AwaitComplete()  # nothing to wait for
        return super().pop_screen()

    def switch_to(self, screen: Screen[None]) -> None:
        """The home screen is always below; the others lie on it, one at a time."""
        home = self.screen_stack[0]
        if self.screen is screen or self.screen.is_modal:
            return
        if screen is home:
            self.pop_screen()
        elif self.screen is home:
            self.push_screen(screen)
        else:
            self.switch_screen(screen)
