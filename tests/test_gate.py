"""Where requests wait: in order, on a clock turned by hand, and until they are released."""

import asyncio

import pytest

from adaptive_crawl.crawler.fetching.gate import Gate, SystemClock
from adaptive_crawl.crawler.fetching.politeness import Politeness, PolitenessConfig

from .clock import START, HandClock, settle


class Scene:
    """A gate, its clock, and the requests that passed: name, second of start, second of end."""

    def __init__(self, config: PolitenessConfig) -> None:
        self.clock = HandClock()
        self.politeness = Politeness(config)
        self.stopping = asyncio.Event()
        self.gate = Gate(self.politeness, self.clock, self.stopping)
        self.started: list[tuple[str, float]] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.endings: dict[str, asyncio.Event] = {}

    def ask(self, name: str, host: str = "mill.example", not_before: float = 0.0) -> None:
        self.endings[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._request(name, host, not_before))

    async def end(self, name: str) -> None:
        self.endings[name].set()
        await settle()

    async def _request(self, name: str, host: str, not_before: float) -> None:
        async with self.gate.turn(host, not_before):
            self.started.append((name, self.clock.now() - START))
            await self.endings[name].wait()


def test_requests_start_in_the_order_in_which_they_came_with_the_delay_between_them() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=2, per_host=8))
        for name in "abc":
            scene.ask(name)
        await scene.clock.go_on(10)
        assert scene.started == [("a", 0), ("b", 2), ("c", 4)]
        for name in "abc":
            await scene.end(name)

    asyncio.run(story())


def test_a_request_waits_for_another_to_end_where_the_host_is_full() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=0, per_host=1))
        scene.ask("a")
        scene.ask("b")
        await scene.clock.go_on(3)
        assert scene.started == [("a", 0)]
        await scene.end("a")
        assert scene.started == [("a", 0), ("b", 3)]
        await scene.end("b")

    asyncio.run(story())


def test_a_slow_host_holds_up_no_other() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=60, per_host=1, concurrency=2))
        for number in range(5):
            scene.ask(f"slow{number}", "slow.example")
        scene.ask("quick", "quick.example")
        await settle()
        assert scene.started == [("slow0", 0), ("quick", 0)]
        for task in scene.tasks.values():
            task.cancel()
        await asyncio.gather(*scene.tasks.values(), return_exceptions=True)

    asyncio.run(story())


def test_a_place_that_becomes_free_goes_to_whoever_has_waited_longest() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=0, per_host=1, concurrency=1))
        for name, host in [("a", "one.example"), ("b", "two.example"), ("c", "one.example")]:
            scene.ask(name, host)
            await scene.clock.go_on(1)
        for name in "abc":
            await scene.end(name)
        assert [name for name, _ in scene.started] == ["a", "b", "c"]

    asyncio.run(story())


def test_a_request_that_must_wait_lets_later_ones_pass() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=0))
        scene.ask("again", not_before=START + 30)
        scene.ask("other")
        await settle()
        await scene.end("other")
        await scene.clock.go_on(40)
        assert scene.started == [("other", 0), ("again", 30)]
        await scene.end("again")

    asyncio.run(story())


def test_stopping_releases_all_that_wait_and_none_that_run() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=60))
        for name in "abc":
            scene.ask(name)
        scene.ask("elsewhere", "other.example", not_before=START + 5)
        await settle()
        scene.stopping.set()
        await settle()
        assert {name for name, task in scene.tasks.items() if task.cancelled()} == {"b", "c", "elsewhere"}
        scene.ask("late")
        await scene.end("a")
        await settle()
        assert scene.tasks["late"].cancelled()
        assert scene.tasks["a"].done()
        assert not scene.tasks["a"].cancelled()
        assert scene.started == [("a", 0)]

    asyncio.run(story())


def test_a_task_group_outlives_the_requests_that_were_released() -> None:
    async def story() -> list[str]:
        scene = Scene(PolitenessConfig(delay=60))
        async with asyncio.TaskGroup() as group:
            for name in "ab":
                scene.endings[name] = asyncio.Event()
                group.create_task(scene._request(name, "mill.example", 0.0))
            await settle()
            scene.stopping.set()
            scene.endings["a"].set()
        return [name for name, _ in scene.started]

    assert asyncio.run(story()) == ["a"]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_cancelled_request_gives_its_place_to_the_next(is_first: bool) -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=0, per_host=1))
        scene.ask("a")
        scene.ask("b")
        scene.ask("c")
        await settle()
        scene.tasks["a" if is_first else "b"].cancel()
        await settle()
        if not is_first:
            await scene.end("a")
        else:
            await scene.end("b")
        assert scene.started[-1][0] == "c"
        await scene.end("c")
        assert scene.politeness.reserve("mill.example", scene.clock.now()) == scene.clock.now()

    asyncio.run(story())


def test_a_turn_granted_to_a_task_that_is_cancelled_before_it_runs_is_not_lost() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=0, per_host=1))

        async def first() -> None:
            async with scene.gate.turn("mill.example"):
                scene.ask("b")
                await settle()
            scene.tasks["b"].cancel()  # its turn has been granted, but it has not run since

        await first()
        await settle()
        assert scene.started == []
        scene.ask("c")
        await settle()
        assert scene.started == [("c", 0)]
        await scene.end("c")

    asyncio.run(story())


def test_no_alarm_and_no_task_stays_behind() -> None:
    async def story() -> None:
        scene = Scene(PolitenessConfig(delay=1, per_host=1))
        for name in "abc":
            scene.ask(name)
            scene.endings[name].set()
        await scene.clock.go_on(10)
        assert all(task.done() for task in scene.tasks.values())
        assert scene.clock.waiting == []
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(story())


def test_the_systems_clock_calls_back_when_it_is_time() -> None:
    async def story() -> None:
        clock = SystemClock()
        rung = asyncio.Event()
        before = clock.now()
        clock.call_at(before + 0.01, rung.set)
        await asyncio.wait_for(rung.wait(), 5)
        assert clock.now() - before >= 0.009

    asyncio.run(story())
