"""A disk that forgets: what SQLite writes is recorded, and what a power cut leaves of it is worked out.

SQLite reaches its files through a table of functions, its VFS. While something is recorded another table
stands in its place, which notes every write, truncation, sync and deletion, and does what was asked. What was
synced is on the disk; of what was written to a file since its last sync any sectors may be there or not.
"""

import _sqlite3
import ctypes
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p, cast
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

SECTOR = 512
"""Bytes that a disk writes whole or not at all."""

OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
CLOSE = CFUNCTYPE(c_int, c_void_p)
WRITE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


class FileMethods(Structure):
    """`sqlite3_io_methods`: what can be done with an open file."""

    _fields_ = (
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        *((f"other_{number}", c_void_p) for number in range(13)),
    )


class FileSystem(Structure):
    """`sqlite3_vfs`: how files are opened and deleted."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("following", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("delete", c_void_p),
        *((f"other_{number}", c_void_p) for number in range(14)),
    )


@dataclass(frozen=True, slots=True)
class Written:
    file: str
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    file: str
    length: int


@dataclass(frozen=True, slots=True)
class Synced:
    """All that was written to a file is on the disk."""

    file: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """A file was deleted; the disk has noted that where it was `synced`."""

    file: str
    synced: bool


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Somebody was told that something is stored."""

    what: Any


Event = Written | Truncated | Synced | Deleted | Acknowledged
KEPT_ALIVE: list[Any] = []
"""Tables of functions that SQLite may still point to."""


@contextmanager
def recorded(folder: Path) -> Iterator[list[Event]]:
    """What is done meanwhile, by this process, to the files of databases in a folder, as it goes on.

    Raises `AttributeError` where Python's SQLite shows none of its functions.
    """
    library = ctypes.CDLL(_sqlite3.__file__)
    library.sqlite3_vfs_find.restype = c_void_p
    for name in ("sqlite3_vfs_register", "sqlite3_vfs_unregister"):
        getattr(library, name).argtypes = [c_void_p, c_int][: 2 if name.endswith("_register") else 1]
    usual = c_void_p(library.sqlite3_vfs_find(None))
    events: list[Event] = []
    recorder = _Recorder(str(folder.resolve()), usual, events)
    KEPT_ALIVE.append(recorder)
    library.sqlite3_vfs_register(byref(recorder.system), 1)
    try:
        yield events
    finally:
        library.sqlite3_vfs_unregister(byref(recorder.system))
        library.sqlite3_vfs_register(usual, 1)


class _Recorder:
    """A file system that does what the usual one does, and notes it."""

    def __init__(self, folder: str, usual: c_void_p, events: list[Event]) -> None:
        self._folder, self._usual, self._events = folder, usual, events
        self._names: dict[int, str] = {}
        self._tables: dict[int, FileMethods] = {}
        self._usual_methods: dict[int, FileMethods] = {}
        known = cast(usual, POINTER(FileSystem)).contents
        self._open, self._delete = OPEN(known.open), DELETE(known.delete)
        self.system = FileSystem.from_buffer_copy(known)
        self.system.name, self.system.following = b"recording", None
        self._functions = [OPEN(self.open), DELETE(self.delete)]
        self.system.open, self.system.delete = (cast(one, c_void_p) for one in self._functions)
        self._replaced = {
            "close": CLOSE(self.close),
            "write": WRITE(self.write),
            "truncate": TRUNCATE(self.truncate),
            "sync": SYNC(self.sync),
        }

    def open(self, _: int, path: int | None, file: int, flags: int, given: Any) -> int:
        """Open a file; of one that is recorded, the methods are ours from then on.

        The very same `path` is handed on, for the file system keeps it.
        """
        result: int = self._open(self._usual, path, file, flags, given)
        place = None if path is None else Path(ctypes.string_at(path).decode())
        if result == 0 and place is not None and str(place.parent) == self._folder:
            methods = cast(file, POINTER(c_void_p))
            self._names[file] = place.name
            methods[0] = ctypes.addressof(self._table(methods[0]))
        return result

    def _table(self, usual: int) -> FileMethods:
        if usual not in self._tables:
            known = cast(usual, POINTER(FileMethods)).contents
            table = FileMethods.from_buffer_copy(known)
            for name, function in self._replaced.items():
                setattr(table, name, cast(function, c_void_p))
            self._tables[usual] = table
            self._usual_methods[ctypes.addressof(table)] = known
        return self._tables[usual]

    def _known(self, file: int) -> FileMethods:
        return self._usual_methods[cast(file, POINTER(c_void_p))[0]]

    def delete(self, _: int, path: bytes, synced: int) -> int:
        place = Path(path.decode())
        if str(place.parent) == self._folder and place.exists():
            self._events.append(Deleted(place.name, bool(synced)))
        result: int = self._delete(self._usual, path, synced)
        return result

    def close(self, file: int) -> int:
        known = self._known(file)
        self._names.pop(file, None)
        result: int = CLOSE(known.close)(file)
        return result

    def write(self, file: int, content: int, length: int, offset: int) -> int:
        self._events.append(Written(self._names[file], offset, ctypes.string_at(content, length)))
        result: int = WRITE(self._known(file).write)(file, content, length, offset)
        return result

    def truncate(self, file: int, length: int) -> int:
        self._events.append(Truncated(self._names[file], length))
        result: int = TRUNCATE(self._known(file).truncate)(file, length)
        return result

    def sync(self, file: int, _: int) -> int:
        """Note that the disk has it; that it really has costs time and shows nothing more."""
        self._events.append(Synced(self._names[file]))
        return 0


@dataclass
class _File:
    sure: bytes | None
    """What the disk has for sure; None: no such file."""
    since: list[Written | Truncated | Deleted] = field(default_factory=list)
    """What was done to it since."""


class Disk:
    def __init__(self, before: dict[str, bytes]) -> None:
        self._files = {name: _File(content) for name, content in before.items()}

    def follow(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Acknowledged):
                continue
            file = self._files.setdefault(event.file, _File(None))
            if not isinstance(event, Synced):
                file.since.append(event)
            if isinstance(event, Synced) or (isinstance(event, Deleted) and event.synced):
                file.sure, file.since = _apply(file.sure, file.since, lambda: True), []

    @property
    def is_unsure(self) -> bool:
        return any(file.since for file in self._files.values())

    def after_power_cut(self, dice: Random) -> dict[str, bytes]:
        """The files as they may be found when the power is back."""
        found = {}
        for name, file in self._files.items():
            done = file.since
            share = dice.choice((0.0, 0.5, 1.0, dice.random()))
            if dice.random() < 0.5:  # the disk wrote in order, and was torn from the last of it
                done, share = done[: dice.randint(0, len(done))], 1.0
                if done and isinstance(last := done[-1], Written):
                    done = [*done[:-1], _torn(last, dice)]
            content = _apply(file.sure, done, lambda part=share: dice.random() < part)  # type: ignore[misc]
            if content is not None:
                found[name] = content
        return found


def _torn(one: Written, dice: Random) -> Written:
    return Written(one.file, one.offset, one.content[: dice.randrange(0, len(one.content) + SECTOR, SECTOR)])


def _apply(
    sure: bytes | None, since: Iterable[Written | Truncated | Deleted], is_kept: Callable[[], bool]
) -> bytes | None:
    """A file after those parts of what was done that are kept."""
    content = None if sure is None else bytearray(sure)
    for one in since:
        if isinstance(one, Deleted):
            if not is_kept():
                break  # what was written after that stands in another file, and that has no name
            content = None
        elif isinstance(one, Truncated):
            if content is not None and is_kept():
                del content[one.length :]
        else:
            content = bytearray() if content is None else content
            _write(content, one, is_kept)
    return None if content is None else bytes(content)


def _write(content: bytearray, one: Written, is_kept: Callable[[], bool]) -> None:
    start, end = one.offset, one.offset + len(one.content)
    while start < end:
        until = min(end, (start // SECTOR + 1) * SECTOR)
        if is_kept():
            content.extend(bytes(max(0, until - len(content))))
            content[start:until] = one.content[start - one.offset : until - one.offset]
        start = until
