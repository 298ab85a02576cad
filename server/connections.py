"""HTTP connections: time limits, maximum numbers, fairness between networks, and shutdown.

Waitress reads requests in one thread and passes only complete requests to its workers, so a slow request
blocks no worker. However, at its maximum number of connections waitress accepts no more, and closes silent
connections only after two minutes, so a hundred silent connections would block the server. Here each request
has a time limit. If too many connections are open, in all or from one network, the longest silent connection
is closed.

Networks are answered in turn, regardless of their numbers of requests. A connection with several pipelined
requests is closed after the first answer; the client must send the other requests again.

At shutdown open requests are answered; waitress would drop the requests in its queue.
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

from server.network import Endpoint, Network, is_within, network_of, parse_address
from server.web.kit.request_context import find_visitor

if TYPE_CHECKING:
    from socket import _RetAddress, socket

    from _typeshed.wsgi import WSGIApplication
    from waitress.parser import HTTPRequestParser
    from waitress.wasyncore import _SocketMap

THREADS = 4
"""Worker threads; more would wait for each other, since SQLite has one writer."""
LONGEST_HEADERS = 64 * 1024
LARGEST_IN_MEMORY = 64 * 1024
"""Maximum bytes of a request in memory; a larger request, such as a posted mail, is buffered in a file."""
ACCEPTED_AT_ONCE = 100
FILES_OF_OTHERS = 200
LOOK_EVERY, LOOK_EVERY_AT_THE_END = 1.0, 0.05

logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a full queue is normal


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Time limits of a connection in seconds, and numbers of connections."""

    headers: float = 15.0
    """Time until the headers of a request are complete; enough for these few packets on a slow line."""
    body: float = 60.0
    """Time from complete headers to a complete body; enough for the largest mail at 70 KB a second."""
    idle: float = 60.0
    """Time after an answer for which the connection stays open, so that a browser need not connect again."""
    most: int = 1000
    """Maximum number of connections; a silent one costs a few kilobytes and a file descriptor."""
    most_of_network: int = 200
    last_word: float = 1.0


class VisitorConnection(HTTPChannel):
    """A connection that closes after a time limit, or early to make room for another."""

    server: VisitorServer
    _awaited: tuple[HTTPRequestParser | None, bool] = (None, False)
    """The request that is being read, and whether its headers are complete."""
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
        """Create the connection, and close another one if too many are open."""
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
        """Return a sort key. If there are too many connections, the one with the lowest key is closed."""
        return bool(self.requests), self.last_activity

    def find_network(self) -> str:
        forwarded = self.requests[0].headers.get("X_FORWARDED_FOR", "")
        return network_of(find_visitor(self.addr[0], forwarded, self.server.trusted))

    def readable(self) -> bool:
        """Return whether to read more; also checks the time limits, since it is called before each wait."""
        if self._is_overdue(monotonic()):
            self.will_close = True
        return super().readable()

    def service(self) -> None:
        """Answer a request in a worker thread, then wait for the next request.

        The connection closes instead if several requests were pipelined, or at shutdown.
        """
        if self.server.stopping_since is not None or len(self.requests) > 1:
            headers: dict[str, str] = dict(self.requests[0].headers)
            self.requests[0].headers = headers | {"CONNECTION": "close"}
        super().service()
        self._since, self._answered = monotonic(), True

    def _is_overdue(self, now: float) -> bool:
        if self.requests or self.total_outbufs_len:  # the server is preparing or sending an answer
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
    """Listens at one address, and accepts all waiting connections at once."""

    channel_class = VisitorConnection
    limits = ConnectionLimits()
    trusted: tuple[Network, ...] = ()
    stopping_since: float | None = None
    _more = True

    def handle_accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            super().handle_accept()
            if not self._more:
                break

    def accept(self) -> tuple[socket, _RetAddress] | None:
        self._more = False
        found = super().accept()
        self._more = found is not None
        return found

    def stop_listening(self) -> None:
        """Accept all waiting connections, then close the listening socket of this process."""
        self.stopping_since, self._more = monotonic(), True
        for _ in range(self.limits.most // ACCEPTED_AT_ONCE + 1):
            if self._more:
                self.handle_accept()
        wasyncore.dispatcher.close(self)


class VisitorQueue:
    """Queue of connections that wait for a worker thread; the clients' networks are served in turn.

    Replaces a deque of waitress. Waitress holds a lock whenever it uses the queue.
    """

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[VisitorConnection]] = OrderedDict()

    def __len__(self) -> int:
        return sum(len(one) for one in self._waiting.values())

    def append(self, connection: VisitorConnection) -> None:
        self._waiting.setdefault(connection.find_network(), deque()).append(connection)

    def popleft(self) -> VisitorConnection:
        """Return the next connection. The networks of the waiting connections take turns."""
        network, waiting = self._waiting.popitem(last=False)
        connection = waiting.popleft()
        if waiting:
            self._waiting[network] = waiting
        return connection


class WebServer(MultiSocketServer):
    """The listeners of all addresses, and the worker threads."""

    def __init__(
        self, listeners: Sequence[VisitorServer], sockets: dict[int, Any], workers: ThreadedTaskDispatcher
    ) -> None:
        """Create the server; `sockets`: all polled sockets, by file descriptor."""
        super().__init__(sockets, listeners[0].adj, dispatcher=workers)
        self._listeners, self._sockets = listeners, sockets
        self._is_stopping = False

    def run(self) -> None:
        while self._sockets and not self._is_stopping:
            wasyncore.poll2(LOOK_EVERY, self._sockets)

    def stop(self) -> None:
        """Make `run` return; callable from any thread or signal handler."""
        self._is_stopping = True
        self._listeners[0].pull_trigger()

    def drain(self, seconds: float) -> None:
        """Stop listening and answer open requests, for at most `seconds`; called after `run`."""
        until = monotonic() + seconds
        for one in self._listeners:
            one.stop_listening()
        while monotonic() < until and any(
            isinstance(one, VisitorConnection) for one in self._sockets.values()
        ):
            wasyncore.poll2(LOOK_EVERY_AT_THE_END, self._sockets)

    def close(self) -> None:
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
    """Create a server that listens for visitors. Raises `OSError` or `ValueError`.

    `largest`: maximum bytes of a request; `passed`: listening sockets, used in place of `listen`; `trusted`:
    networks of the proxies in front of the server.
    """
    given = limits or ConnectionLimits()
    _allow_open_files(2 * given.most + FILES_OF_OTHERS)
    settings = Adjustments(
        host=listen.host,
        port=listen.port,
        ident="alexandros",
        connection_limit=given.most + FILES_OF_OTHERS,  # never reached: connections are closed before
        asyncore_use_poll=True,  # select cannot handle files above 1023
        channel_timeout=int(given.idle),
        cleanup_interval=10,
        max_request_header_size=LONGEST_HEADERS,
        max_request_body_size=largest,
        inbuf_overflow=LARGEST_IN_MEMORY,
        clear_untrusted_proxy_headers=False,  # the pages read and remove them
    )
    workers = ThreadedTaskDispatcher()
    workers.queue = VisitorQueue()  # type: ignore[assignment]  # it has all methods that waitress calls
    workers.set_thread_count(THREADS)
    sockets: dict[int, Any] = {}
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
        for bound, address in places  # a host name may have several addresses
    ]
    for one in listeners:
        one.limits, one.trusted = given, trusted
    return WebServer(listeners, sockets, workers)


def _allow_open_files(wanted: int) -> None:
    """Raise the process's limit of open files, if the system allows it; the default is often 1024."""
    with suppress(ImportError, OSError, ValueError):  # there is no such limit, or it cannot be raised
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < allowed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
