"""Who thinks next when the house has more to do than time."""

from __future__ import annotations

from threading import Event, Semaphore, Thread

import pytest

from croupier_server.bots.turns import FairQueue, Turns

pytestmark = pytest.mark.attack


class Gate(Event):
    """An event that says when somebody waits for it."""

    def __init__(self, queued: Semaphore) -> None:
        super().__init__()
        self._queued = queued

    def wait(self, timeout: float | None = None) -> bool:
        self._queued.release()
        return super().wait(timeout)


def popped(queue: FairQueue[str]) -> list[str]:
    return list(iter(queue.pop, None))


def test_owners_take_turns_whatever_each_has_waiting() -> None:
    queue = FairQueue[str]()
    for item in ("a1", "a2", "a3", "b1", "c1", "a4", "b2"):
        queue.push(item[0], item)
    assert popped(queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]


def test_an_owner_that_comes_late_waits_for_one_item_of_each_other() -> None:
    queue = FairQueue[str]()
    for number in range(300):
        queue.push("many", f"many {number}")
    queue.pop()
    queue.push("one", "one")
    assert [queue.pop(), queue.pop()] == ["many 1", "one"]


def test_a_bot_of_another_principal_thinks_after_one_of_a_crowd() -> None:
    """In the order of arrival it would think last."""
    queued, over = Semaphore(0), list[str]()
    turns = Turns(lambda: Gate(queued))

    def think(name: str) -> None:
        with turns.turn(name[0]) as waiting:
            over.append(f"{name}, {waiting} waiting")

    threads = [Thread(target=think, args=(name,)) for name in ("a1", "a2", "a3", "b1")]
    with turns.turn("a"):
        for thread in threads:
            thread.start()
            queued.acquire()
    for thread in threads:
        thread.join()
    assert over == ["a1, 3 waiting", "b1, 2 waiting", "a2, 1 waiting", "a3, 0 waiting"]
