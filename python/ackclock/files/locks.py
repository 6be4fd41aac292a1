"""Locks on open files. The operating system releases a lock when its file is closed or its process ends.

A shared lock excludes exclusive ones, and an exclusive lock excludes all others. On Windows a locked range of a file
cannot be read through another handle, so one byte is locked far behind the content of any file.
"""

from __future__ import annotations

import sys

__all__ = ["lock"]

if sys.platform == "win32":
    import msvcrt

    import pywintypes
    import win32con
    import win32file
    import winerror

    def lock(file: int, *, alone: bool, wait: bool = True) -> None:
        """Lock an open file: see the definition for other systems."""
        kind = win32con.LOCKFILE_EXCLUSIVE_LOCK if alone else 0
        place = pywintypes.OVERLAPPED()
        place.OffsetHigh = 2**30
        try:
            win32file.LockFileEx(
                msvcrt.get_osfhandle(file), kind | (0 if wait else win32con.LOCKFILE_FAIL_IMMEDIATELY), 1, 0, place
            )
        except pywintypes.error as error:
            if error.winerror in {winerror.ERROR_LOCK_VIOLATION, winerror.ERROR_IO_PENDING}:
                raise BlockingIOError(str(error.strerror)) from None
            raise OSError(str(error.strerror)) from None

else:
    import fcntl

    def lock(file: int, *, alone: bool, wait: bool = True) -> None:
        """Lock an open file until it is closed.

        Parameters
        ----------
        file
            The descriptor of the file.
        alone
            Exclude all other locks; otherwise only exclusive ones.
        wait
            Wait until no conflicting lock is left.

        Raises
        ------
        BlockingIOError
            Another process holds a conflicting lock, and ``wait`` is false.

        """
        fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
