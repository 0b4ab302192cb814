"""One registry of everything a user can do. Keys, footer, palette and help are made from it.

A pane is a widget or a screen; its bindings are its lines of the table. The id of a command is
what a key file names, so it stays when a title or a key changes.
"""

# ruff: noqa: E501 (a line of the table is one command)
from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding, BindingType

from tui.keys.names import make_unpressable_key


@dataclass(frozen=True, slots=True)
class Command:
    """Something a user can do in a pane.

    action  the Textual action of the pane that does it
    keys    default keys, separated by commas; empty: reached by the palette only
    title   one or two words, for the footer
    about   a sentence, for the help and the palette
    footer  whether the footer shows it while it works
    verb    what a key does wherever it does it: commands of one verb have the same keys, and a key
            has one verb; left out, the action is the verb
    """

    pane: str
    action: str
    keys: str
    title: str
    about: str
    footer: bool = False
    verb: str = ""

    @property
    def id(self) -> str:
        return f"{self.pane}.{self.action}"

    def __post_init__(self) -> None:
        if not self.verb:
            object.__setattr__(self, "verb", self.action)


COMMANDS: tuple[Command, ...] = (
    # The app: works on every screen.
    Command("app", "show_inspect", "1", "Inspect", "Go to the Inspect screen.", True),
    Command("app", "show_evaluate", "2", "Evaluate", "Go to the Evaluate screen.", True),
    Command("app", "show_sessions", "3", "Sessions", "Go to the saved sessions.", True),
    Command("app", "show_compare", "4", "Compare", "Go to the Compare screen: two models over the same queries.", True),
    Command("app", "next_model", "m", "Model", "Ask the same with the next embedding model.", True, verb="model"),
    Command("app", "undo", "u", "Undo", "Take back the last change: a mark, note, keyword, group, model, least similarity or remembered phrase.", True),
    Command("app", "redo", "ctrl+r", "Redo", "Do again what was taken back."),
    Command("app", "zoom", "z", "Zoom", "Give the pane with the focus all the room, or give the other panes theirs back.", True),
    Command("app", "border_left", "less_than_sign", "Border left", "Move the border between two panes to the left."),
    Command("app", "border_right", "greater_than_sign", "Border right", "Move the border between two panes to the right."),
    Command("app", "next_theme", "T", "Theme", "Change to the next colour theme."),
    Command("app", "jump", "ctrl+o,J", "Jump", "Show a letter on every pane; press it to go there."),
    Command("app", "command_palette", "ctrl+p,colon", "Commands", "Find any command by name.", True),
    Command("app", "help", "question_mark,f1", "Help", "Keys and terms of the focused pane.", True),
    Command("app", "quit", "q", "Quit", "Leave; everything is saved already.", True),
    # Inspect.
    Command("inspect", "ask_text", "slash,i", "Search", "Type a text query.", True, verb="insert"),
    Command("inspect", "ask_clip", "c", "Clip", "Search with a clip: type its id.", True),
    Command("inspect", "pick", "p", "Groups", "Choose groups and keywords.", True),
    Command("inspect", "edit_keywords", "e", "Keywords", "Drop or add keywords of the query.", True, verb="edit"),
    Command("inspect", "take_nearest", "E", "Nearest", "Add the keyword nearest to what was not understood; press again for the next.", True),
    Command("inspect", "learn", "L", "Remember", "Remember which words mean the keyword you added, or never mean the one you dropped.", True),
    Command("inspect", "toggle_missed", "d", "Missed", "Show the ranking, or the top K and below it the relevant clips that it missed.", True),
    Command("inspect", "least_similarity", "l", "Least sim.", "Set the least similarity that a result needs to count."),
    Command("inspect", "run", "r", "Run", "Ask the same query again."),
    Command("inspect", "all_metrics", "M", "Metrics", "Every metric with its formula.", True),
    Command("inspect", "next_query", "right_square_bracket", "Next query", "The next query of the evaluated set, or of the history."),
    Command("inspect", "previous_query", "left_square_bracket", "Previous query", "The previous query of the evaluated set, or of the history."),
    Command("inspect", "toggle_frames", "V", "Frames", "How frames are shown: large, as a filmstrip, or not at all."),
    Command("inspect", "copy", "y", "Copy", "Copy the clip's id and media path (OSC 52)."),
    Command("inspect", "write", "w", "Write", "Write this query and its results to a JSON file."),
    Command("inspect", "back", "escape", "Back", "One level back: out of a field, to the results, from a text still waiting to the previous answer, to the table a query came from."),
    # The ranked list.
    Command("results", "next_miss", "n", "Next miss", "The next result that is no full match.", True, verb="next"),
    Command("results", "previous_miss", "N", "Previous miss", "The previous result that is no full match.", verb="previous"),
    Command("results", "mark_bias", "b", "Bias", "Mark a bias case and choose why.", True),
    Command("results", "mark_relevant", "plus", "Relevant", "Mark as relevant after all.", True),
    Command("results", "mark_not_relevant", "minus", "Not rel.", "Mark as not relevant, whatever its keywords say.", True),
    Command("results", "clear_mark", "x,delete,backspace", "Unmark", "Take the mark off.", verb="take off"),
    Command("results", "note", "a", "Note", "Write a note about this result.", True),
    Command("results", "filter", "f", "Filter", "Keep the results that match: a part of the id, kw:KEYWORD, -KEYWORD (lacks it), hit, miss, part, unjudged.", True),
    Command("results", "more_like_this", "v", "Like this", "Search with this clip."),
    Command("results", "play", "space", "Play", "Play the clip in place, or pause it.", True),
    Command("results", "previous_frame", "comma", "Frame before", "Pause, and go one frame back."),
    Command("results", "next_frame", "full_stop", "Next frame", "Pause, and go one frame on."),
    Command("results", "zoom_picture", "z", "Zoom", "The picture on the whole screen, beside the query's.", True, verb="zoom"),
    Command("results", "open_clip", "o", "Open", "Open the clip in an external player, or show its path."),
    # The query bar.
    Command("query", "submit", "enter", "Search", "Search with what is typed.", True),
    Command("query", "complete", "tab", "Complete", "Take the completion that is shown."),
    Command("query", "older", "up", "Older", "The query before, from the history.", True),
    Command("query", "newer", "down", "Newer", "The query after, from the history.", True),
    Command("query", "toggle_mode", "ctrl+t", "Text/clip", "Change between a text and a clip query.", True, verb="kind"),
    # The keywords of the query.
    Command("keywords", "previous", "left", "Left", "The keyword to the left.", verb="left"),
    Command("keywords", "next", "right", "Right", "The keyword to the right.", verb="right"),
    Command("keywords", "drop", "x,delete,backspace", "Drop", "Drop the keyword from the query.", True, verb="take off"),
    Command("keywords", "add", "i,enter", "Add", "Add a keyword to the query.", True, verb="insert"),
    Command("keywords", "restore", "R", "Restore", "Back to the query's own keywords: as they were mapped, or as the query set gives them.", True),
    # The picker of groups and keywords.
    Command("picker", "choose", "space,enter", "Choose", "A group: choose it or not. A keyword: add it to the query or drop it.", True),
    Command("picker", "leave_out", "x,delete,backspace", "Leave out", "Leave a keyword out of the evaluation, or take it in again.", True, verb="take off"),
    Command("picker", "fold", "left,right", "Fold", "Fold or unfold the group.", True),
    Command("picker", "all_groups", "A", "All groups", "Choose every group."),
    Command("picker", "default_groups", "D", "Default groups", "Choose the groups that the dataset names."),
    Command("picker", "find", "f,slash", "Find", "Find a keyword by its name.", True, verb="filter"),
    # Every list and table.
    Command("table", "cursor_down", "down,j", "Down", "One row down."),
    Command("table", "cursor_up", "up,k", "Up", "One row up."),
    Command("table", "half_page_down", "ctrl+d", "Half page down", "Half a page down."),
    Command("table", "half_page_up", "ctrl+u", "Half page up", "Half a page up."),
    Command("table", "page_down", "pagedown", "Page down", "A page down."),
    Command("table", "page_up", "pageup", "Page up", "A page up."),
    Command("table", "first", "g,home", "First", "To the first row."),
    Command("table", "last", "G,end", "Last", "To the last row."),
    # Evaluate.
    Command("evaluate", "run", "r", "Run", "Evaluate the whole query set.", True),
    Command("evaluate", "toggle_mode", "t", "Text/video", "Change between text queries and video queries.", True, verb="kind"),
    Command("evaluate", "filter", "f,slash", "Filter", "Keep the queries that match: words, kw:KEYWORD, Recall@5<0.4.", True),
    Command("evaluate", "next_match", "n", "Next imperfect", "The next query without a full score.", verb="next"),
    Command("evaluate", "previous_match", "N", "Previous imperfect", "The previous query without a full score.", verb="previous"),
    Command("evaluate", "sort", "s", "Sort", "Sort by the next column.", True),
    Command("evaluate", "reverse", "S", "Reverse", "Turn the order around.", True),
    Command("evaluate", "frequency", "F", "Count", "Count the queries by keyword; Enter keeps those of one.", True, verb="count"),
    Command("evaluate", "plots", "P", "Plots", "Draw the means by k, and the similarities of hits and misses.", True),
    Command("evaluate", "mark_bias", "b", "Bias", "Mark the query itself as a bias case and choose why.", True),
    Command("evaluate", "note", "a", "Note", "Write a note about the query.", True),
    Command("evaluate", "clear_mark", "x,delete,backspace", "Unmark", "Take the mark off the query.", verb="take off"),
    Command("evaluate", "all_metrics", "M", "Metrics", "Every metric with its formula."),
    Command("evaluate", "confusion", "C", "Confusion", "Which labels are retrieved for which, as a table; Enter keeps the queries of one.", True),
    Command("evaluate", "dive", "enter", "Open", "Open the query in Inspect; Escape comes back to this row.", True, verb="open"),
    Command("evaluate", "write", "w", "Write", "Write the rows shown to a CSV file."),
    Command("evaluate", "back", "escape", "Back", "Cancel the run, else leave the plots, the count or the confusion, else clear the filter, else go to Inspect.", True),
    # Compare.
    Command("compare", "run", "r", "Run", "Evaluate the query set with both models, and compare them.", True),
    Command("compare", "dive", "enter", "Open", "Open the query in Inspect with the model after; Escape comes back to this row.", True, verb="open"),
    Command("compare", "next_match", "n", "Next worse", "The next query that got worse.", True, verb="next"),
    Command("compare", "previous_match", "N", "Previous worse", "The previous query that got worse.", verb="previous"),
    Command("compare", "filter", "f,slash", "Filter", "Keep the queries that match: words, kw:KEYWORD, Recall@5<0.4 (after).", True),
    Command("compare", "slices", "F", "Slices", "The change by group and keyword; Enter keeps the queries of one.", True, verb="count"),
    Command("compare", "plots", "P", "Plots", "Draw both models' means by k, and the similarities of hits and misses.", True),
    Command("compare", "sort", "s", "Sort", "Sort by the next column.", True),
    Command("compare", "reverse", "S", "Reverse", "Turn the order around.", True),
    Command("compare", "toggle_mode", "t", "Text/video", "Change between text queries and video queries.", True, verb="kind"),
    Command("compare", "choose", "m", "Models", "Compare with another model; of two models, swap them.", True, verb="model"),
    Command("compare", "swap", "X", "Swap", "Swap before and after."),
    Command("compare", "mark_bias", "b", "Bias", "Mark the query itself as a bias case and choose why.", True),
    Command("compare", "note", "a", "Note", "Write a note about the query.", True),
    Command("compare", "clear_mark", "x,delete,backspace", "Unmark", "Take the mark off the query.", verb="take off"),
    Command("compare", "all_metrics", "M", "Metrics", "Every metric of both models with its test and its formula."),
    Command("compare", "write", "w", "Write", "Write the rows shown to a CSV file."),
    Command("compare", "back", "escape", "Back", "Cancel the run, else leave the plots or the slices, else show all queries, else go to Inspect.", True),
    # Sessions.
    Command("sessions", "resume", "enter", "Resume", "Go on with the session where it stood.", True, verb="open"),
    Command("sessions", "new", "i", "New", "Start a new session.", True, verb="insert"),
    Command("sessions", "rename", "e", "Rename", "Give the session another name.", True, verb="edit"),
    Command("sessions", "export", "w", "Export", "Write the session as JSON and Markdown.", True, verb="write"),
    Command("sessions", "delete", "x,delete,backspace", "Delete", "Delete the session; asks first.", True, verb="take off"),
    Command("sessions", "back", "escape", "Back", "Back to Inspect.", True),
    # Moment retrieval.
    Command("moments", "next_match", "n", "Next failure", "The next query that is no hit.", True, verb="next"),
    Command("moments", "previous_match", "N", "Previous failure", "The previous query that is no hit.", verb="previous"),
    Command("moments", "open", "enter", "Predictions", "Go to the predictions of the query; Escape comes back.", True),
    Command("moments", "choose_class", "F", "Class", "Count the queries by error class; Enter lists those of one.", True, verb="count"),
    Command("moments", "filter", "f,slash", "Filter", "Keep the queries whose text, id or video holds these words.", True),
    Command("moments", "next_task", "t", "Task", "Change to the next task: VCMR, SVMR, VR.", True, verb="kind"),
    Command("moments", "next_iou", "I", "IoU", "Change to the next least IoU of a hit.", True),
    Command("moments", "next_k", "K", "k", "Change to the next k: a hit must be among the first k.", True),
    Command("moments", "type_metric", "i", "Metric", "Type the IoU and k of a hit, such as 0.6-r20.", verb="insert"),
    Command("moments", "report", "P", "Report", "Recall by k and IoU, shares of the classes, and both by length.", True, verb="plots"),
    Command("moments", "sort", "s", "Sort", "Sort by the next column.", True),
    Command("moments", "reverse", "S", "Reverse", "Turn the order around."),
    Command("moments", "next_query", "right_square_bracket", "Next query", "The next query of the list, wherever the focus is."),
    Command("moments", "previous_query", "left_square_bracket", "Previous query", "The previous query of the list, wherever the focus is."),
    Command("moments", "copy", "y", "Copy", "Copy the query's id, text, right video and class (OSC 52)."),
    Command("moments", "write", "w", "Write", "Write what has the focus to a new file: the queries listed, the query, or the report.", True),
    Command("moments", "read", "r", "Read again", "Read both files again.", True, verb="run"),
    Command("moments", "back", "escape", "Back", "One level back: stop reading, leave the report, the predictions, the class, the filter.", True),
    # The predictions of a query.
    Command("moment", "next_right", "n", "Next in video", "The next prediction in the right video.", True, verb="next"),
    Command("moment", "previous_right", "N", "Previous in video", "The previous prediction in the right video.", verb="previous"),
)  # fmt: skip


def list_commands(pane: str) -> tuple[Command, ...]:
    """The commands of one pane, in the order of the table."""
    return tuple(command for command in COMMANDS if command.pane == pane)


def make_bindings(*panes: str) -> list[BindingType]:
    """The Textual bindings of a widget or screen that is all of these panes.

    >>> make_bindings("sessions")[0].id
    'sessions.resume'
    """
    return [
        Binding(
            # A key that nobody can press keeps the binding alive where all of its letters are
            # typed, in a text field: another key that a user gives it must work there.
            ",".join(filter(None, (command.keys, make_unpressable_key(command.id)))),
            command.action,
            command.title,
            show=command.footer,
            tooltip=command.about,
            id=command.id,
        )
        for pane in panes
        for command in list_commands(pane)
    ]
