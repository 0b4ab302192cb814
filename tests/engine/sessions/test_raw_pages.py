"""Pages that point at each other as no sound file does: what is read of them stays small."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest

from engine.base.errors import InputError
from engine.sessions.raw_pages import INDEX_LEAF, MOST_SHARERS, PageFile
from engine.sessions.repair import repair_store
from tests.engine.sessions.damaged_store import PAGE

PAGES = 160
IN_PAGE = 489
"""Bytes of a long record of an index that are in its page, at the least."""


def varint(number: int) -> bytes:
    parts = [number & 0x7F]
    while number := number >> 7:
        parts.append(number & 0x7F | 0x80)
    return bytes(reversed(parts))


def make_file(places: list[int], nexts: list[int]) -> bytes:
    """A page whose cells, at these places, all hold a record as long as the other pages."""
    length = (PAGES - 1) * (PAGE - 4) + IN_PAGE
    # A header of eight bytes (its length; 1, three empty texts and a long one), then that text.
    header = bytes([8, 9, 13, 13, 13]) + varint(2 * (length - 8) + 13)
    record = header.ljust(IN_PAGE, b"a")
    page = bytearray(PAGE)
    struct.pack_into(">BHHHB", page, 100, INDEX_LEAF, 0, len(places), 0, 0)
    struct.pack_into(f">{len(places)}H", page, 108, *places)
    cell = varint(length) + record + struct.pack(">I", 2)
    for place in {*places}:
        page[place : place + len(cell)] = cell
    return bytes(page) + b"".join(struct.pack(">I", one) + b"a" * (PAGE - 4) for one in nexts)


ONE_AFTER_ANOTHER = [*range(3, PAGES + 1), 0]


def test_cells_at_one_place_are_one_and_the_page_is_not_whole() -> None:
    data = make_file([3000] * 1400, ONE_AFTER_ANOTHER)

    page = PageFile(data, PAGE).read(1)

    assert len(page.records) == 1 and not page.is_whole


def test_an_overflow_page_is_read_for_few_records_only() -> None:
    data = make_file([1000, 1600, 2200, 2800, 3400], ONE_AFTER_ANOTHER)

    page = PageFile(data, PAGE).read(1)

    assert len(page.records) == MOST_SHARERS and not page.is_whole


def test_a_chain_that_leads_back_to_itself_ends() -> None:
    page = PageFile(make_file([3000], [2] * (PAGES - 1)), PAGE).read(1)

    assert page.records == () and not page.is_whole


def test_a_page_holds_no_more_than_its_size() -> None:
    page = bytearray(b"\1" * PAGE)  # a record of one byte and no value, wherever one looks
    struct.pack_into(">BHHHB", page, 0, INDEX_LEAF, 0, 1500, 0, 0)
    page[3000:3002] = varint(900)
    struct.pack_into(">1500H", page, 8, *range(3020, 4096), *[3000] * 424)

    found = PageFile(bytes(PAGE) + page, PAGE).read(2)

    assert len(found.records) + found.others <= PAGE and not found.is_whole


@pytest.mark.parametrize("nexts", [ONE_AFTER_ANOTHER, [2] * (PAGES - 1)])
def test_repair_of_such_a_file_takes_little_memory_and_time(
    tmp_path: Path, nexts: list[int]
) -> None:
    path = tmp_path / "sessions.db"
    path.write_bytes(make_file([3000] * 1400, nexts))
    tracemalloc.start()

    with pytest.raises(InputError, match="holds nothing that can be saved"):
        repair_store(path)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * path.stat().st_size
