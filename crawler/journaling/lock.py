"""A lock on a folder that the operating system holds and lets go when the process dies.

There is no age and no process number to judge: a lock that can be had is free, however the last holder
ended. Knows nothing of what the folder holds.
"""

import errno
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import LockedError


class FolderLock:
    """Holds ``folder/lock`` until closed; the file itself stays, since removing it would be a race.

    Raises:
        LockedError: someone else holds it.
        OSError: the folder cannot be written, or its file system has no locks.
    """

    def __init__(self, folder: Path, what: Path) -> None:
        """Take the lock at once or not at all; ``what`` is the name it has in the error's message."""
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        self._descriptor = os.open(folder / "lock", flags, 0o666)
        try:
            _lock(self._descriptor)
        except OSError as error:
            os.close(self._descriptor)
            if error.errno in _HELD:
                raise LockedError(
                    f"{what} is locked: another run is at work in it. Wait for it to end, or choose "
                    "another folder with -o."
                ) from None
            raise

    def close(self) -> None:
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


_HELD = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
