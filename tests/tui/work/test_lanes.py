"""Background work: the newest request wins, and nothing that was superseded arrives."""

from __future__ import annotations

import asyncio
import gc
import queue
import threading
import weakref
from collections.abc import Awaitable, Callable
from time import monotonic

import pytest
from textual.app import App
from textual.pilot import Pilot

from tui.work.lanes import CancelledError, Lane, LaneGroup, Ticket
from tui.work.throttle import Debounce, Delay, Throttle

SOON = 120.0
"""Seconds after which a test gives up; nothing waits as long as that."""


class Desk:
    """The UI thread of a test: what lanes hand over lies here until it is dealt with."""

    def __init__(self) -> None:
        self._handed: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.done: list[object] = []
        self.failed: list[Exception] = []

    def deliver(self, tell: Callable[[], None]) -> None:
        self._handed.put(tell)

    def deal_with_one(self) -> None:
        """Wait for the next thing that is handed over, and hear it."""
        self._handed.get(timeout=SOON)()

    @property
    def empty(self) -> bool:
        return self._handed.empty()


class Slow:
    """Work that says when it began and ends when it may."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.began = threading.Event()
        self.may_end = threading.Event()

    def __call__(self, ticket: Ticket[object]) -> object:
        self.began.set()
        assert self.may_end.wait(SOON)
        return self.value


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def lane(desk: Desk) -> Lane:
    return Lane("test", desk.deliver)


def submit(lane: Lane, desk: Desk, work: Callable[[Ticket[object]], object]) -> Ticket[object]:
    return lane.submit(work, desk.done.append, desk.failed.append)


def test_a_result_arrives_when_the_ui_thread_takes_it(lane: Lane, desk: Desk) -> None:
    submit(lane, desk, lambda _: "answer")
    assert desk.done == []

    desk.deal_with_one()

    assert desk.done == ["answer"]
    assert desk.failed == []


def test_work_is_done_in_a_daemon_thread_named_after_the_lane(lane: Lane, desk: Desk) -> None:
    submit(lane, desk, lambda _: threading.current_thread())
    desk.deal_with_one()

    (thread,) = desk.done
    assert isinstance(thread, threading.Thread)
    assert thread is not threading.current_thread()
    assert (thread.daemon, thread.name) == (True, "test")


def test_one_thread_serves_every_request_and_none_is_started_before_the_first(
    lane: Lane, desk: Desk
) -> None:
    before = threading.active_count()
    Lane("idle", desk.deliver)
    assert threading.active_count() == before

    for _ in range(3):
        submit(lane, desk, lambda _: threading.get_ident())
        desk.deal_with_one()

    assert len(desk.done) == 3
    assert len(set(desk.done)) == 1


def test_an_error_arrives_and_the_lane_goes_on(lane: Lane, desk: Desk) -> None:
    error = RuntimeError("no such file")

    def fail(_: Ticket[object]) -> object:
        raise error

    submit(lane, desk, fail)
    desk.deal_with_one()
    submit(lane, desk, lambda _: "fine")
    desk.deal_with_one()

    assert desk.failed == [error]
    assert desk.done == ["fine"]


def test_the_result_of_superseded_work_never_arrives(lane: Lane, desk: Desk) -> None:
    old = Slow("old")
    submit(lane, desk, old)
    assert old.began.wait(SOON)

    submit(lane, desk, lambda _: "new")
    old.may_end.set()
    desk.deal_with_one()  # the old one, to which nobody listens
    desk.deal_with_one()

    assert desk.done == ["new"]


def test_what_is_added_gives_up_nothing_that_was_asked_before(lane: Lane, desk: Desk) -> None:
    first = Slow("first")
    lane.add(first, desk.done.append, desk.failed.append)
    lane.add(lambda _: "second", desk.done.append, desk.failed.append)
    first.may_end.set()
    desk.deal_with_one()
    desk.deal_with_one()

    assert desk.done == ["first", "second"]


def test_settling_waits_for_the_answer_and_tells_it_once(lane: Lane, desk: Desk) -> None:
    slow = Slow("answer")
    submit(lane, desk, slow)
    threading.Timer(0.05, slow.may_end.set).start()

    lane.settle()

    assert desk.done == ["answer"]
    assert not lane.busy
    desk.deal_with_one()  # what was handed over meanwhile says nothing new
    assert desk.done == ["answer"]


def test_settling_waits_for_nothing_that_nobody_waits_for(lane: Lane, desk: Desk) -> None:
    lane.settle()
    submit(lane, desk, Slow("never")).cancel()

    lane.settle()

    assert desk.done == []


def test_an_answer_is_not_kept_by_the_lane_once_it_is_delivered(lane: Lane, desk: Desk) -> None:
    class Large:
        """Something that ought to be freed."""

    seen: list[weakref.ref[Large]] = []
    lane.submit(lambda _: Large(), lambda value: seen.append(weakref.ref(value)), print)
    desk.deal_with_one()
    gc.collect()

    assert seen[0]() is None


def test_lanes_end_together(desk: Desk) -> None:
    lanes = LaneGroup(desk.deliver)
    all_of_them = [lanes.lane("open"), *lanes.per_mode("ask").values()]
    works = [Slow(name) for name in range(3)]
    for lane, work in zip(all_of_them, works, strict=True):
        submit(lane, desk, work)

    lanes.close()
    for work in works:
        work.may_end.set()

    assert not any(lane.busy for lane in all_of_them)
    assert desk.done == []


def test_the_error_of_superseded_work_never_arrives(lane: Lane, desk: Desk) -> None:
    began, may_end = threading.Event(), threading.Event()

    def fail(_: Ticket[object]) -> object:
        began.set()
        assert may_end.wait(SOON)
        raise ValueError("too late")

    submit(lane, desk, fail)
    assert began.wait(SOON)
    submit(lane, desk, lambda _: "new")
    may_end.set()
    desk.deal_with_one()
    desk.deal_with_one()

    assert (desk.done, desk.failed) == (["new"], [])


def test_a_result_that_waits_to_be_heard_is_dropped_for_a_newer_request(
    lane: Lane, desk: Desk
) -> None:
    first = Slow("old")
    first.may_end.set()
    submit(lane, desk, first)
    while desk.empty:
        first.began.wait(0.01)

    submit(lane, desk, lambda _: "new")
    desk.deal_with_one()
    desk.deal_with_one()

    assert desk.done == ["new"]


def test_of_many_requests_that_wait_only_the_newest_is_begun(lane: Lane, desk: Desk) -> None:
    busy = Slow("first")
    begun: list[int] = []
    submit(lane, desk, busy)
    assert busy.began.wait(SOON)
    for number in range(20):

        def work(_: Ticket[object], number: int = number) -> object:
            begun.append(number)
            return number

        submit(lane, desk, work)

    busy.may_end.set()
    desk.deal_with_one()
    desk.deal_with_one()

    assert begun == [19]
    assert desk.done == [19]


def test_a_lane_is_busy_until_its_answer_was_heard(lane: Lane, desk: Desk) -> None:
    assert not lane.busy
    work = Slow("answer")
    submit(lane, desk, work)
    assert lane.busy
    work.may_end.set()
    while desk.empty:
        work.began.wait(0.01)
    assert lane.busy

    desk.deal_with_one()

    assert not lane.busy


def test_a_lane_is_free_inside_the_listener_so_that_it_can_ask_again(
    lane: Lane, desk: Desk
) -> None:
    free: list[bool] = []

    def ask_again(_: object) -> None:
        free.append(not lane.busy)
        submit(lane, desk, lambda _: "second")

    lane.submit(lambda _: "first", ask_again, desk.failed.append)
    desk.deal_with_one()
    assert free == [True]
    assert lane.busy
    desk.deal_with_one()

    assert desk.done == ["second"]


def test_cancelling_stops_work_that_checks_between_its_steps(lane: Lane, desk: Desk) -> None:
    reached, go_on, stopped = threading.Event(), threading.Event(), threading.Event()
    steps: list[int] = []

    def work(ticket: Ticket[object]) -> object:
        try:
            for step in range(1000):
                ticket.check()
                steps.append(step)
                if step == 4:
                    reached.set()
                    assert go_on.wait(SOON)
        except CancelledError:
            stopped.set()
            raise
        return "all of it"

    ticket = submit(lane, desk, work)
    assert reached.wait(SOON)
    ticket.cancel()
    go_on.set()
    assert stopped.wait(SOON)

    assert steps == [0, 1, 2, 3, 4]
    assert not lane.busy
    submit(lane, desk, lambda _: "next")
    desk.deal_with_one()
    assert (desk.done, desk.failed) == (["next"], [])


def test_a_cancelled_lane_hears_nothing_and_can_be_cancelled_idle(lane: Lane, desk: Desk) -> None:
    lane.cancel()
    work = Slow("unheard")
    submit(lane, desk, work)
    assert work.began.wait(SOON)

    lane.cancel()
    work.may_end.set()
    desk.deal_with_one()

    assert not lane.busy
    assert desk.done == []


def test_an_app_that_has_ended_ends_no_lane() -> None:
    """Textual raises RuntimeError when its loop is gone."""
    tried = threading.Semaphore(0)

    def gone(tell: Callable[[], None]) -> None:
        tried.release()
        raise RuntimeError("the loop is closed")

    lane = Lane("test", gone)
    for _ in range(2):
        lane.submit(lambda _: None, lambda _: None, lambda _: None)
        assert tried.acquire(timeout=SOON)


def test_a_closed_lane_ends_its_thread_after_what_it_does(lane: Lane, desk: Desk) -> None:
    work = Slow("late")
    submit(lane, desk, work)
    assert work.began.wait(SOON)
    thread = lane._thread
    assert thread is not None

    lane.close()
    assert thread.is_alive()
    work.may_end.set()
    thread.join(SOON)

    assert not thread.is_alive()
    desk.deal_with_one()
    assert desk.done == []


def test_lanes_do_not_wait_for_each_other(desk: Desk) -> None:
    slow, quick = Lane("slow", desk.deliver), Lane("quick", desk.deliver)
    work = Slow("slow")
    submit(slow, desk, work)
    assert work.began.wait(SOON)

    submit(quick, desk, lambda _: "quick")
    desk.deal_with_one()
    assert desk.done == ["quick"]
    work.may_end.set()
    desk.deal_with_one()

    assert desk.done == ["quick", "slow"]


# Throttle, Debounce and Delay

PAUSE = 0.15


class Clocked:
    """Work that writes down when it was done."""

    def __init__(self) -> None:
        self.at: list[float] = []
        self._done = asyncio.Event()

    def __call__(self) -> None:
        self.at.append(monotonic())
        self._done.set()

    async def wait_for(self, times: int) -> None:
        async with asyncio.timeout(SOON):
            while len(self.at) < times:
                self._done.clear()
                await self._done.wait()


Flow = Callable[[App[None], Pilot[None]], Awaitable[None]]


def drive(flow: Flow) -> None:
    async def run() -> None:
        app: App[None] = App()
        async with app.run_test() as pilot:
            await flow(app, pilot)

    asyncio.run(run())


def test_a_throttle_works_at_once_then_once_after_the_pause() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        work = Clocked()
        throttle = Throttle(app, PAUSE, work)
        for _ in range(10):
            throttle()
        assert len(work.at) == 1
        await work.wait_for(2)
        assert work.at[1] - work.at[0] >= PAUSE * 0.9
        await asyncio.sleep(2 * PAUSE)  # that nothing more happens can only be waited for
        assert len(work.at) == 2

    drive(flow)


def test_a_throttle_that_rested_works_at_once_again() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        work = Clocked()
        throttle = Throttle(app, 0.0, work)
        throttle()
        throttle()
        assert len(work.at) == 2

    drive(flow)


def test_a_delay_works_once_a_pause_after_the_first_request_however_many_follow() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        work = Clocked()
        delay = Delay(app, PAUSE, work)
        for times in (1, 2):
            begun = monotonic()
            while len(work.at) < times:
                delay()
                await asyncio.sleep(PAUSE / 10)
            assert work.at[-1] - begun >= PAUSE * 0.9

    drive(flow)


def test_the_last_request_sees_the_latest_state() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        asked: list[int] = []
        seen: list[int] = []
        work = Clocked()

        def look() -> None:
            seen.append(asked[-1])
            work()

        throttle = Throttle(app, PAUSE, look)
        for number in range(1, 6):
            asked.append(number)
            throttle()
        await work.wait_for(2)
        assert seen == [1, 5]

    drive(flow)


def test_now_takes_the_place_of_what_was_to_come() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        work = Clocked()
        throttle = Throttle(app, PAUSE, work)
        throttle()
        throttle()
        throttle.now()
        assert len(work.at) == 2
        await asyncio.sleep(2 * PAUSE)
        assert len(work.at) == 2

    drive(flow)


def test_rest_works_once_after_the_last_request() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        work = Clocked()
        rest = Debounce(app, PAUSE, work)
        for _ in range(5):
            rest()
            await asyncio.sleep(PAUSE / 10)
        last = monotonic()
        assert work.at == []
        await work.wait_for(1)
        assert work.at[0] - last >= PAUSE * 0.7
        await asyncio.sleep(2 * PAUSE)
        assert len(work.at) == 1
        rest()
        await work.wait_for(2)

    drive(flow)


def test_a_cancelled_rest_does_nothing() -> None:
    async def flow(app: App[None], pilot: Pilot[None]) -> None:
        work = Clocked()
        rest = Debounce(app, PAUSE / 5, work)
        rest.cancel()
        rest()
        rest.cancel()
        await asyncio.sleep(PAUSE)
        assert work.at == []

    drive(flow)
