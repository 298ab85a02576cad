"""A wire: what a program sends to a place on another machine, which can be cut, mended, and led elsewhere.

It stands at a port of this machine and passes bytes on, over TCP or to the socket of a file. When it is cut
no byte passes and nobody hears of it, as where a cable is drawn: who waits for an answer waits on. TCP would
give up a peer that says nothing for so long (RFC 5482), and so does the far place where the wire is told to.
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread, Timer

from tests.ports import free_port

PIECE = 65536
Place = Path | tuple[str, int]


class Wire:
    def __init__(self, place: Place, source: str = "") -> None:
        """`source`: the address here from which it reaches a place, where that matters."""
        self.place, self.port = place, free_port()
        self._source = (source, 0) if source else None
        self._passes, self._lock = Event(), Lock()
        self._ends: set[socket.socket] = set()
        self._far: set[socket.socket] = set()
        self._giving_up: Timer | None = None
        self._passes.set()
        self._door = socket.create_server(("127.0.0.1", self.port), backlog=200)
        Thread(target=self._welcome, name=f"wire {self.port}", daemon=True).start()

    def cut(self, given_up_after: float | None = None) -> None:
        self._passes.clear()
        if given_up_after is not None:
            self._giving_up = Timer(given_up_after, self._give_up)
            self._giving_up.daemon = True
            self._giving_up.start()

    def mend(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
        self._passes.set()

    def _give_up(self) -> None:
        """End what the place has open; whoever is at the near end hears of it when the wire is mended."""
        with self._lock:
            ends = [*self._far]
        for one in ends:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self.mend()
        with self._lock:
            ends = [*self._ends]
        for one in ends:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _welcome(self) -> None:
        while True:
            try:
                near = self._door.accept()[0]
            except OSError:
                return
            Thread(target=self._lay, args=(near,), daemon=True).start()

    def _lay(self, near: socket.socket) -> None:
        """Connect the two ends, once the wire is whole."""
        self._passes.wait()
        try:
            far = self._reach()
        except OSError:
            near.close()  # nobody listens there: whoever came is refused
            return
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._ends |= {near, far}
            self._far.add(far)
        Thread(target=self._pass_on, args=(far, near), daemon=True).start()
        self._pass_on(near, far)

    def _reach(self) -> socket.socket:
        if not isinstance(self.place, Path):
            return socket.create_connection(self.place, source_address=self._source)
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(str(self.place))
        except OSError:
            far.close()
            raise
        return far

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        """Bring each piece from one end to the other, until an end is closed; then neither is there."""
        with suppress(OSError):
            while piece := one.recv(PIECE):
                self._passes.wait()
                other.sendall(piece)
            self._passes.wait()  # nor is it heard that an end has gone
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            with self._lock:
                self._ends.discard(end)
                self._far.discard(end)
        one.close()


@contextmanager
def wire(place: Place) -> Iterator[Wire]:
    built = Wire(place)
    try:
        yield built
    finally:
        built.close()
