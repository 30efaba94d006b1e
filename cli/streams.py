"""The process's own streams, made safe: any character, any encoding, a reader that has gone away."""

import json
import os
import sys
from typing import Any, TextIO


def use_utf8() -> None:
    """Start over in Python's UTF-8 mode where the locale knows less.

    Words of the command line and names of files in other scripts could not be told apart or written
    otherwise, as in a container with ``LANG=C`` and the coercion of the locale switched off.
    """
    if sys.flags.utf8_mode or sys.getfilesystemencoding().lower() == "utf-8" or not sys.executable:
        return
    os.execv(sys.executable, [sys.executable, "-X", "utf8", "-m", "adaptive_crawl", *sys.argv[1:]])


def make_safe() -> None:
    """Let no character end the program: what a stream's encoding cannot say is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write a result to stdout; a reader that went away (``| head``) has had enough, and that is no error."""
    stream = sys.stdout
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _abandon(stream)


def write_json(value: Any) -> None:
    """Write JSON to stdout; in ASCII where the stream's encoding could not say all of it."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    write(json.dumps(value, ensure_ascii=encoding != "utf8", indent=2, allow_nan=False) + "\n")


def flush_all() -> None:
    """Flush what the interpreter would flush when it ends, where an error could not be kept quiet."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            _abandon(stream)


def _abandon(stream: TextIO) -> None:
    """Point a dead stream to nowhere, so that its last flush succeeds."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return
