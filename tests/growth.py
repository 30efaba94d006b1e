"""Does work grow in proportion to its input? Two sizes in one run, so that no machine's speed matters."""

import time
from collections.abc import Callable

TIMES = 8
NOISE = 0.2
"""Seconds of CPU time that a short run may be out by."""


def in_proportion(work: Callable[[int], object], size: int) -> bool:
    """Does ``work(size)`` take no more than thrice its share of the CPU time of ``work(size / 8)``?

    Work that grows with the square of its input takes eight times its share.
    """
    return _seconds(work, size) < 3 * TIMES * _seconds(work, size // TIMES) + NOISE


def _seconds(work: Callable[[int], object], size: int) -> float:
    started = time.process_time()
    work(size)
    return time.process_time() - started
