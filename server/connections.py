"""The connections of visitors: how long half a request may wait, who has to go, and how the server stops.

Waitress reads requests in one thread and gives only whole ones to its workers, so half a request holds none.
But at its limit of connections it takes no more, and waits two minutes for each that says nothing: a hundred
silent peers would shut the door. So each request has a deadline here, and when as many connections are open
as may be, of all or of one network, the one that has been silent for longest makes room for the new one.

Networks are answered in turn, however many requests each has sent; a connection on which several were sent at
once is closed after the first answer, and its client sends the others again.

Whoever has asked when the server is told to stop is answered: waitress would send all those away that wait.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import MultiSocketServer, TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from server.configuration.network import Endpoint, Network, is_within, network_of, parse_address
from server.passed_sockets import check_passed
from server.web.kit.middleware import find_visitor

if TYPE_CHECKING:
    from socket import _RetAddress, socket

    from _typeshed.wsgi import WSGIApplication
    from waitress.parser import HTTPRequestParser
    from waitress.wasyncore import _SocketMap

THREADS = 4
"""More would only wait for one another: SQLite has one writer."""
LONGEST_HEADERS = 64 * 1024
"""Bytes; a link has at most 2,000 characters and our cookies 4 kilobytes, but neighbours may set more."""
LARGEST_IN_MEMORY = 64 * 1024
"""Bytes of a request; what is larger, such as a mail that is handed in, waits in a file until it is whole."""
ACCEPTED_AT_ONCE = 100
"""Who waits longer than for so many others is let in after the next look at all connections."""
FILES_OF_OTHERS = 200
"""Files that the process may have open besides connections: the database, fonts, mail."""
LOOK_EVERY, LOOK_EVERY_AT_THE_END = 1.0, 0.05
"""Seconds between two looks at the deadlines of all connections, and when the server stops."""

logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that a visitor waits for another is no news


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long peers may take, in seconds, and how many there may be at one time."""

    headers: float = 15.0
    """Until the headers of a request are whole: they fit in a few packets, also over a bad telephone line."""
    body: float = 60.0
    """Until its body is whole then: the largest mail comes within it at 70 KB a second, a form at 1 KB."""
    idle: float = 60.0
    """Between two requests: a browser that reads a page may ask for more without connecting anew."""
    most: int = 1000
    """Connections; a silent one costs a few kilobytes and a file."""
    most_of_network: int = 200
    """Connections of one network, unless it is that of a trusted proxy."""
    last_word: float = 1.0
    """While the server stops, until somebody who is connected has begun to ask."""


class VisitorConnection(HTTPChannel):
    """One connection, which ends when a request takes too long, and may end early for another one."""

    server: VisitorServer
    _awaited: tuple[HTTPRequestParser | None, bool] = (None, False)
    """The request that is being read, and whether its headers are whole."""
    _since = 0.0
    _answered = False

    def __init__(
        self,
        server: VisitorServer,
        sock: socket,
        addr: _RetAddress,
        adj: Adjustments,
        map: _SocketMap | None = None,
    ) -> None:
        """Begin, and let another connection go if there are too many."""
        super().__init__(server, sock, addr, adj, map)
        self._since = monotonic()
        peer, limits = parse_address(self.addr[0]), server.limits
        is_proxy = peer is not None and is_within(peer, server.trusted)
        self._network = "" if is_proxy else network_of(self.addr[0])
        known: list[object] = list((map or {}).values())
        open_now = [one for one in known if isinstance(one, VisitorConnection)]
        theirs = [one for one in open_now if one._network == self._network != ""]
        crowd = theirs if len(theirs) > limits.most_of_network else open_now
        if crowd is theirs or len(open_now) > limits.most:
            crowd.remove(self)
            min(crowd, key=VisitorConnection.worth_keeping).handle_close()

    def worth_keeping(self) -> tuple[bool, float]:
        """The least of all goes first: who waits for an answer stays, of others who has said something."""
        return bool(self.requests), self.last_activity

    def find_network(self) -> str:
        """The network of the visitor whose request is to be answered next."""
        forwarded = self.requests[0].headers.get("X_FORWARDED_FOR", "")
        return network_of(find_visitor(self.addr[0], forwarded, self.server.trusted))

    def readable(self) -> bool:
        """Whether more is read; asked before each wait, so here is seen whether it has taken too long."""
        if self._is_overdue(monotonic()):
            self.will_close = True
        return super().readable()

    def service(self) -> None:
        """Answer a request, in a worker; from then on the next one is awaited, if it was not sent already.

        Nor is it when the server stops.
        """
        if self.server.stopping_since is not None or len(self.requests) > 1:
            headers: dict[str, str] = dict(self.requests[0].headers)
            self.requests[0].headers = headers | {"CONNECTION": "close"}
        super().service()
        self._since, self._answered = monotonic(), True

    def _is_overdue(self, now: float) -> bool:
        if self.requests or self.total_outbufs_len:  # it is our turn
            self._since = now
            return False
        request = self.request
        awaited = request, request is not None and bool(request.headers_finished)
        if awaited != self._awaited:
            self._awaited, self._since = awaited, now
        if awaited[1]:
            return now - self._since > self.server.limits.body
        stopping = self.server.stopping_since
        if request is None and stopping is not None:
            return now - max(self._since, stopping) > self.server.limits.last_word
        if request is None and self._answered:
            return now - self._since > self.server.limits.idle
        return now - self._since > self.server.limits.headers


class VisitorServer(TcpWSGIServer):
    """Listens at one address, and lets in all who wait there before anything else is looked at."""

    channel_class = VisitorConnection
    limits = ConnectionLimits()
    trusted: tuple[Network, ...] = ()
    """The proxies whose word about visitors is taken."""
    stopping_since: float | None = None
    """When it was told to stop, by a clock that nobody sets."""
    _more = True

    def handle_accept(self) -> None:
        """Let in those who wait: one at a time, each would cost a look at all connections."""
        for _ in range(ACCEPTED_AT_ONCE):
            super().handle_accept()
            if not self._more:
                break

    def accept(self) -> tuple[socket, _RetAddress] | None:
        """The next who waits, if anybody does."""
        self._more = False
        found = super().accept()
        self._more = found is not None
        return found

    def stop_listening(self) -> None:
        """Let in all who wait, and nobody after them; whoever passed the socket to us may still hold it."""
        self.stopping_since, self._more = monotonic(), True
        for _ in range(self.limits.most // ACCEPTED_AT_ONCE + 1):
            if self._more:
                self.handle_accept()
        wasyncore.dispatcher.close(self)


class VisitorQueue:
    """The connections that wait for a worker: of each network the first before the second of any.

    Stands in the place of the queue of waitress, which uses it under a lock.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[VisitorConnection]] = OrderedDict()

    def __len__(self) -> int:
        return sum(len(one) for one in self._waiting.values())

    def append(self, connection: VisitorConnection) -> None:
        """Let a connection wait behind those of its network."""
        self._waiting.setdefault(connection.find_network(), deque()).append(connection)

    def popleft(self) -> VisitorConnection:
        """The next connection; its network comes again after all others."""
        network, waiting = self._waiting.popitem(last=False)
        connection = waiting.popleft()
        if waiting:
            self._waiting[network] = waiting
        return connection


class WebServer(MultiSocketServer):
    """All addresses at which visitors are waited for, and the workers that answer them."""

    def __init__(
        self, listeners: Sequence[VisitorServer], sockets: dict[int, Any], workers: ThreadedTaskDispatcher
    ) -> None:
        """`sockets` are all that are waited for, by their numbers."""
        super().__init__(sockets, listeners[0].adj, dispatcher=workers)
        self._listeners, self._sockets = listeners, sockets
        self._is_stopping = False

    def run(self) -> None:
        """Serve until `stop` is called."""
        while self._sockets and not self._is_stopping:
            wasyncore.poll2(LOOK_EVERY, self._sockets)

    def stop(self) -> None:
        """Let `run` return; in whatever thread, or in a handler of signals."""
        self._is_stopping = True
        self._listeners[0].pull_trigger()

    def drain(self, seconds: float) -> None:
        """After `run`: listen no more, and answer all who have come in, so many seconds at most."""
        until = monotonic() + seconds
        for one in self._listeners:
            one.stop_listening()
        while monotonic() < until and any(
            isinstance(one, VisitorConnection) for one in self._sockets.values()
        ):
            wasyncore.poll2(LOOK_EVERY_AT_THE_END, self._sockets)

    def close(self) -> None:
        """End all connections, whoever waits there."""
        self.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._sockets)


def create_web_server(
    application: WSGIApplication,
    listen: Endpoint,
    largest: int,
    limits: ConnectionLimits | None = None,
    passed: Sequence[socket] = (),
    trusted: tuple[Network, ...] = (),
) -> WebServer:
    """A server that listens for visitors; `largest`: bytes of a request. Raises `OSError` or `ValueError`.

    `passed`: sockets that are listened at already, in the place of `listen`; `trusted`: proxies before us.
    """
    given = limits or ConnectionLimits()
    _allow_open_files(2 * given.most + FILES_OF_OTHERS)
    settings = Adjustments(
        host=listen.host,
        port=listen.port,
        ident="alexandros",
        connection_limit=given.most + FILES_OF_OTHERS,  # never reached: room is made before
        asyncore_use_poll=True,  # select knows no file above 1023
        channel_timeout=int(given.idle),
        cleanup_interval=10,
        max_request_header_size=LONGEST_HEADERS,
        max_request_body_size=largest,
        inbuf_overflow=LARGEST_IN_MEMORY,
        clear_untrusted_proxy_headers=False,  # the pages read and drop them, with a test client too
    )
    workers = ThreadedTaskDispatcher()
    workers.queue = VisitorQueue()  # type: ignore[assignment]  # it has what is used of a deque
    workers.set_thread_count(THREADS)
    sockets: dict[int, Any] = {}
    # Not those of another address, for what is shown to whom follows from the setting.
    check_passed(passed, listen)
    places: list[tuple[socket | None, Any]] = [(None, address) for address in settings.listen]
    if passed:
        places = [(one, (one.family, one.type, one.proto, one.getsockname())) for one in passed]
    listeners = [
        VisitorServer(
            application,
            sockets,
            _sock=bound,
            dispatcher=workers,
            adj=settings,
            sockinfo=address,
            bind_socket=bound is None,
        )
        for bound, address in places  # a host may have several
    ]
    for one in listeners:
        one.limits, one.trusted = given, trusted
    return WebServer(listeners, sockets, workers)


def _allow_open_files(wanted: int) -> None:
    """Let the process have so many files open, if the system does: many allow 1024 until they are asked."""
    with suppress(ImportError, OSError, ValueError):  # it has no such limit, or keeps to it
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < allowed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
