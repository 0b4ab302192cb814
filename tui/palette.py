"""The command palette's source: every command that works now, with its key."""

from __future__ import annotations

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui.active import Offer, offers, offers_elsewhere
from tui.key_names import key_name
from tui.panes import PANES


class EveryCommand(Provider):
    """Offers the commands of the focused pane, its screen and the app; none that cannot work."""

    async def discover(self) -> Hits:
        for offer in (*offers(self.screen), *offers_elsewhere(self.screen)):
            yield DiscoveryHit(
                _line(Content(_name(offer)), offer), offer.run, _name(offer), _about(offer)
            )

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offer in (*offers(self.screen), *offers_elsewhere(self.screen)):
            name = _name(offer)
            # A word of the explanation finds a command too, after those that are named so.
            score = max(matcher.match(name), matcher.match(offer.command.about) / 2)
            if score > 0:
                display = _line(matcher.highlight(name), offer)
                yield Hit(score, display, offer.run, name, _about(offer))


def _name(offer: Offer) -> str:
    return f"{PANES[offer.command.pane].title}: {offer.command.title}"


def _line(name: Content, offer: Offer) -> Content:
    keys = "  ".join(map(key_name, offer.keys))
    return Content.assemble(name, "  ", (keys, "$quiet")) if keys else name


def _about(offer: Offer) -> str:
    # Textual reads this as markup and dims it; it is text, and dim is too dark on some terminals.
    return Content.styled(offer.command.about, "$quiet not dim").markup
