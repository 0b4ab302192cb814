"""Whatever a file does to its decoder, the caller gets frames or one line, soon."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sample_data
from engine.media import decoder_process
from engine.media.clip import MediaError, read_clip, read_strip
from engine.media.decoder_process import DecoderProcess
from engine.media.decoding import decode
from engine.media.pictures import Box, DecodeError, FrameRequest, Frames
from tests.engine.media.media_by_hand import animation, clip, shades, video

WORKER = "tests.engine.media.worker_by_hand"
ONE = FrameRequest(1, Box(8, 8))


@pytest.fixture(scope="module")
def obedient() -> Iterator[DecoderProcess]:
    """A decoder that does what the files of the tests say; it has one second for each."""
    decoder = DecoderProcess(WORKER, decoding_seconds=1.0)
    yield decoder
    decoder.close()


def tell(decoder: DecoderProcess, word: str, folder: Path) -> Frames:
    (folder / "file").write_text(word)
    with (folder / "file").open("rb") as file:
        return decoder.decode(file, ONE)


def test_frames_are_the_same_as_those_decoded_here() -> None:
    for name in ("urban_bicyclist_0002.mp4", "urban_bicyclist_0002.webp"):
        media = clip(sample_data.folder() / "clips" / name)
        pairs = (
            (read_strip(media, 3, 24, 14, decode), read_strip(media, 3, 24, 14)),
            (read_clip(media, 24, 14, 9, decode), read_clip(media, 24, 14, 9)),
        )
        for here, apart in pairs:
            assert np.array_equal(here.pixels, apart.pixels)
            assert (here.times, here.fps, here.path) == (apart.times, apart.fps, apart.path)


def test_every_kind_of_file_is_read_without_importing_a_module_or_starting_a_thread(
    tmp_path: Path,
) -> None:
    """The child can do neither any more; root could still start one, and is not asked here."""
    stills = ("a.png", "a.jpg", "b.webp")
    for name in stills:
        Image.new("RGB", (40, 20), (255, 0, 0)).save(tmp_path / name, exif=Image.Exif())
    Image.new("RGBA", (40, 20), (255, 0, 0, 99)).save(tmp_path / "c.png")
    Image.new("P", (40, 20)).save(tmp_path / "p.png", transparency=0)
    made = [animation(tmp_path / name, shades(4)) for name in ("a.gif", "a.webp", "d.png")]
    made += [video(tmp_path / name, shades(4)) for name in ("a.mp4", "a.mkv", "a.avi", "a.ts")]
    decoder = DecoderProcess("tests.engine.media.worker_without_root")

    for path in (*(tmp_path / name for name in (*stills, "c.png", "p.png")), *made):
        found = read_strip(clip(path), 3, 8, 8, decoder.decode)
        assert len(found) == (3 if path in made else 1), path.name
    decoder.close()


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("SIGSEGV", "the decoder ended: segmentation fault"),
        ("SIGKILL", "the decoder ended: killed"),
        ("compute", "the decoder ended: cpu time limit exceeded"),
        ("hang", "it takes longer than 1 s"),
        ("many", "the decoder answers nonsense"),
        ("wide", "the decoder answers nonsense"),
        ("nan", "the decoder answers nonsense"),
    ],
)
def test_a_decoder_that_breaks_is_one_line_and_the_next_file_gets_another(
    obedient: DecoderProcess, word: str, why: str, tmp_path: Path
) -> None:
    assert len(tell(obedient, "fine", tmp_path)) == 1
    before = obedient.pid
    with pytest.raises(DecodeError) as refused:
        tell(obedient, word, tmp_path)

    assert str(refused.value) == f"cannot be decoded ({why})"
    assert not Path(f"/proc/{before}").exists(), "no zombie"
    assert len(tell(obedient, "fine", tmp_path)) == 1
    assert obedient.pid != before


def test_a_decoder_that_does_not_start_is_said_to_be_slow_not_the_file(tmp_path: Path) -> None:
    asleep = DecoderProcess("tests.engine.media.worker_asleep", starting_seconds=0.2)
    with pytest.raises(DecodeError) as refused:
        tell(asleep, "fine", tmp_path)

    assert str(refused.value) == "cannot be decoded (the decoder did not start within 0.2 s)"
    assert asleep.pid is None


def test_nobody_waits_for_a_start_that_is_not_wanted_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoder_process, "STARTING_GRACE", 0.2)
    asked: list[float] = []

    def check() -> None:
        asked.append(time.monotonic())
        if len(asked) > 1:  # the first is before the start
            raise NobodyWaitsError

    asleep = DecoderProcess("tests.engine.media.worker_asleep")
    (tmp_path / "file").write_text("fine")
    with (tmp_path / "file").open("rb") as file, pytest.raises(NobodyWaitsError):
        asleep.decode(file, ONE, check)

    assert asked[-1] - asked[1] < 5
    assert asleep.pid is None


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("eat", "MemoryError"),
        ("open", "OSError"),
        ("socket", "OSError"),
    ],
)
def test_a_decoder_gets_no_more_memory_and_no_other_file(
    obedient: DecoderProcess, word: str, error: str, tmp_path: Path
) -> None:
    with pytest.raises(DecodeError) as refused:
        tell(obedient, word, tmp_path)

    assert str(refused.value).endswith(error)
    assert len(tell(obedient, "fine", tmp_path)) == 1


def test_the_child_keeps_no_file_open(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", shades(10))
    read_strip(clip(path), 3, 8, 8)
    files = Path(f"/proc/{decoder_process._shared.pid}/fd")
    before = len(list(files.iterdir()))
    for _ in range(5):
        read_clip(clip(path), 8, 8)

    assert len(list(files.iterdir())) == before


def test_the_child_is_started_with_the_first_frame_and_kept(tmp_path: Path) -> None:
    decoder = DecoderProcess(WORKER)
    assert decoder.pid is None
    tell(decoder, "fine", tmp_path)
    first = decoder.pid
    tell(decoder, "fine", tmp_path)
    assert decoder.pid == first
    decoder.close()
    assert decoder.pid is None and not Path(f"/proc/{first}").exists()


def test_closing_wakes_whoever_waits(obedient: DecoderProcess, tmp_path: Path) -> None:
    slow = DecoderProcess(WORKER)
    tell(slow, "fine", tmp_path)
    pid = slow.pid
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(tell, slow, "hang", tmp_path)
        wait_until(lambda: is_asleep_in_work(pid))
        slow.close()
        with pytest.raises(DecodeError, match="the decoder ended: killed"):
            waiting.result()


def is_asleep_in_work(pid: int | None) -> bool:
    """Whether it has opened the file that it was handed."""
    return any(path.name == "4" for path in Path(f"/proc/{pid}/fd").iterdir())


def wait_until(what: object) -> None:
    end = time.monotonic() + 20
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


class NobodyWaitsError(Exception):
    pass


def test_what_nobody_waits_for_any_more_is_given_up(
    obedient: DecoderProcess, tmp_path: Path
) -> None:
    tell(obedient, "fine", tmp_path)
    looks: list[int] = []

    def give_up() -> None:
        looks.append(len(looks))
        if len(looks) > 1:
            raise NobodyWaitsError

    (tmp_path / "file").write_text("hang")
    began = time.monotonic()
    with (tmp_path / "file").open("rb") as file, pytest.raises(NobodyWaitsError):
        obedient.decode(file, ONE, give_up)
    assert time.monotonic() - began < 0.9

    looks.clear()
    (tmp_path / "file").write_text("fine")
    with (tmp_path / "file").open("rb") as file:
        assert len(obedient.decode(file, ONE, give_up)) == 1, "what is quick is finished"
        before = obedient.pid
        with pytest.raises(NobodyWaitsError):
            obedient.decode(file, ONE, give_up)
    assert obedient.pid == before, "what has not begun ends nothing"


def test_threads_take_turns(tmp_path: Path) -> None:
    paths = [animation(tmp_path / f"{i}.gif", shades(2 + i)) for i in range(6)]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda path: len(read_clip(clip(path), 8, 8)), paths * 4))

    assert found == [2, 3, 4, 5, 6, 7] * 4


def test_a_child_that_was_killed_in_between_is_replaced(tmp_path: Path) -> None:
    path = animation(tmp_path / "a.gif", shades(3))
    read_strip(clip(path), 1, 8, 8)
    pid = decoder_process._shared.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(MediaError, match=r"cannot be decoded \(the decoder ended: killed\)"):
        read_strip(clip(path), 1, 8, 8)

    assert len(read_strip(clip(path), 1, 8, 8)) == 1
