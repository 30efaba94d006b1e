"""Ways to read for the tests of readers: at module level, since another process finds them by name."""

import os
import signal
import threading
from pathlib import Path

from adaptive_crawl.crawler.errors import StrategyError
from adaptive_crawl.crawler.fetching.response import Response
from adaptive_crawl.crawler.fetching.visited import Visited
from adaptive_crawl.crawler.model import Failure, FailureKind


def where(response: Response) -> Visited:
    """Say in which process it was read."""
    return told(response, str(os.getpid()))


def upon_request(response: Response) -> Visited:
    """Do what the body says."""
    match response.body.decode().split():
        case ["die"]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["die", "once", mark] if not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        case ["hang"]:
            threading.Event().wait()
        case ["raise"]:
            raise ValueError("no such tag")
        case ["ruin"]:
            raise StrategyError("content.filter raised KeyError")
        case ["print"]:
            print("what nobody asked for")
        case ["terminate"]:
            for number in (signal.SIGINT, signal.SIGTERM):
                os.kill(os.getpid(), number)
    return where(response)


def in_which_thread(response: Response) -> Visited:
    """Say in which thread of this process it was read."""
    return told(response, str(threading.get_ident()))


def told(response: Response, detail: str) -> Visited:
    return Visited(Failure(response.url, FailureKind.UNREADABLE, detail))
