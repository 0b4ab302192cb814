"""What a browser would make of a page, as far as tests need to know."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
REFERENCES = frozenset(
    "src href srcset action formaction data poster background cite ping xlink:href manifest".split()
)


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A page taken apart; every tag must be closed in its turn."""

    elements: list[Element] = field(default_factory=list)
    stack: list[Element] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    @classmethod
    def of(cls, html: str) -> Page:
        page = cls()
        page.feed(html)
        page.close()
        assert not page.stack, f"<{page.stack[-1].tag}> is not closed"
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack and self.stack[-1].tag == tag, (
            f"</{tag}> closes <{self.stack[-1].tag if self.stack else 'nothing'}>"
        )
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        for element in self.stack:
            element.text += data
        if not any(element.tag in ("style", "script") for element in self.stack):
            self.text += data

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    @property
    def ids(self) -> list[str]:
        return [e.attributes["id"] for e in self.elements if "id" in e.attributes]

    @property
    def references(self) -> list[str]:
        """Whatever an element or a style could load or lead to."""
        found = [
            value
            for element in self.elements
            for name, value in element.attributes.items()
            if name in REFERENCES
        ]
        styles = [element.text for element in self.all("style")]
        styles += [v for e in self.elements for v in e.attributes.values() if "url(" in v]
        return found + [url.strip("'\" ") for s in styles for url in re.findall(r"url\((.*?)\)", s)]
