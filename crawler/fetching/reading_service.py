"""What runs in a process that reads: question in, answer out, until the parent is gone.

The other side of ``reading_process``. Deaf to Ctrl+C and to SIGTERM, which a service manager sends to every
process of a crawl: the parent decides when reading ends, and says so by closing the pipe.
"""

import gc
import os
import pickle
import queue
import signal
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from ..errors import CrawlError

LENGTH = struct.Struct("<Q")
"""What stands before each pickle: its size in bytes."""

LONGEST = 600
"""Seconds for one answer. A parent that lives ends it long before; this is for one that was killed while a
page kept Python from noticing."""

COLLECTED_AFTER = 50_000
"""Objects made between two searches for cycles: a page's tree is taken apart when it has been read, so
they find next to nothing, and cost a tenth of the time at Python's default of 700."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What reading raised, by name: an error's own pickle may fail, and not here but at the parent's."""

    name: str
    text: str
    ends_the_run: bool
    """It is a ``CrawlError``."""


def serve() -> None:
    """Answer what comes in on stdin, on stdout."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    source, sink = _taken(0, "rb"), _taken(1, "wb")
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, questions), daemon=True).start()
    make = cast(Callable[[Any], object], pickle.loads(questions.get()))
    gc.freeze()
    gc.set_threshold(COLLECTED_AFTER)
    answer = pickle.dumps(None)
    while True:
        _send(sink, answer)
        question = questions.get()
        _alarm(LONGEST)
        answer = _answer(make, question)
        _alarm(0)


def _listen(source: BinaryIO, questions: "queue.SimpleQueue[bytes]") -> None:
    """Take in questions; leave when the parent does, whatever is being read just then."""
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        questions.put(source.read(*LENGTH.unpack(head)))
    os._exit(0)


def _answer(make: Callable[[Any], object], question: bytes) -> bytes:
    try:
        return pickle.dumps(make(pickle.loads(question)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        return pickle.dumps(Raised(type(error).__name__, str(error), isinstance(error, CrawlError)))


def _send(sink: BinaryIO, answer: bytes) -> None:
    try:
        sink.write(LENGTH.pack(len(answer)))
        sink.write(answer)
        sink.flush()
    except OSError:
        os._exit(0)  # the parent is gone


def _alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


def _taken(number: int, mode: str) -> BinaryIO:
    """A standard stream for our own use; what else reads or writes there meets the null device."""
    own = cast(BinaryIO, os.fdopen(os.dup(number), mode))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, number)
    os.close(null)
    return own
