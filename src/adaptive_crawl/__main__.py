"""The way into the command, as ``adaptive-crawl`` and as ``python -m adaptive_crawl``.

Imports next to nothing by itself, so that from the first moment on a signal ends the command as documented.
"""

import os
import signal


def main() -> None:
    """Run the command and end the process with its exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup, or in a script's background
            signal.signal(number, _end)
    from adaptive_crawl.cli.app import main as run

    run()


def _end(number: int, frame: object) -> None:
    """End at once and quietly: no crawl is under way, which would take signals itself, so nothing is lost.

    Not by an exception: one within an import, a callback or a destructor is printed, or lost.
    """
    os._exit(128 + number)


if __name__ == "__main__":
    main()
