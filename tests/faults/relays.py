"""Relays that misbehave: a mail server of one thread a connection, written by hand, whose mood can change.

It keeps the bytes of each letter and when they came, whether or not it said that it took them.
"""

import socket
import ssl
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition, Event, Thread

from tests.ports import free_port
from tests.server.delivery.test_transports import KEY


class Tls(StrEnum):
    """What becomes of STARTTLS."""

    NONE = "it is not offered"
    GARBAGE = "what follows is no TLS"
    STRANGER = "the certificate is vouched for by nobody"


class Cut(StrEnum):
    """Whether the connection breaks off when the final dot of a letter has come."""

    NEVER = "it does not"
    TAKEN = "it does, and the letter is delivered all the same"
    LOST = "it does, and the letter is forgotten"


@dataclass(frozen=True)
class Mood:
    greeting: str = "220 neighbour ESMTP"
    silent: bool = False
    """It takes connections and says nothing."""
    pause: float = 0.0
    """Seconds before each answer."""
    tls: Tls = Tls.NONE
    cut: Cut = Cut.NEVER
    late: float = 0.0
    """Seconds between the final dot and the answer."""
    verdict: str = "250 taken"
    """The answer after the final dot."""
    readers: frozenset[str] = frozenset()
    """For whom alone `put_off`, `hangs` or the verdict hold; for all where nobody is named."""
    put_off: str = ""
    """The answer to RCPT."""
    hangs: bool = False
    """After DATA nothing is said any more."""

    def concerns(self, reader: str) -> bool:
        return not self.readers or reader in self.readers


HEALTHY = Mood()
ANNA = frozenset({"anna@example.org"})
MOODS = {
    "healthy": HEALTHY,
    "busy (421)": Mood(greeting="421 4.3.2 come back later"),
    "TLS that is none": Mood(tls=Tls.GARBAGE),
    "a wrong certificate": Mood(tls=Tls.STRANGER),
    "silent": Mood(silent=True),
    "slow by 2 s": Mood(pause=2.0),
    "cut after the dot, taken": Mood(cut=Cut.TAKEN),
    "cut after the dot, lost": Mood(cut=Cut.LOST),
    "answers after 12 s": Mood(late=12.0),
    "answers after 5 minutes": Mood(late=300.0),
    "refuses what one is written (554)": Mood(verdict="554 5.7.1 not this one", readers=ANNA),
    "refuses what anybody is written (554)": Mood(verdict="554 5.7.1 sender is blocked"),
    "puts one reader off (450)": Mood(put_off="450 4.2.1 mailbox busy", readers=ANNA),
    "hangs at one reader": Mood(hangs=True, readers=ANNA),
}


@dataclass(frozen=True)
class Letter:
    recipient: str
    raw: bytes
    at: float
    """By the monotonic clock."""
    taken: bool
    """Whether the relay brings it to its reader."""
    refused: bool = False
    """Whether it said that it does not, so that the next one may be another."""

    @property
    def message_id(self) -> str:
        return str(message_from_bytes(self.raw)["Message-ID"]).strip()

    @property
    def kind(self) -> str:
        return str(message_from_bytes(self.raw)["X-Alexandros"])


@dataclass
class Relay:
    mood: Mood = HEALTHY
    host: str = "127.0.0.1"
    letters: list[Letter] = field(default_factory=list)
    begun: list[tuple[str, float]] = field(default_factory=list)
    """Each letter that was announced by MAIL, and the moment."""
    welcomed: int = 0
    """How many connections there have been."""

    def __post_init__(self) -> None:
        self._changed = Condition()
        self._peers: set[socket.socket] = set()
        self._ends = Event()
        self._door: socket.socket | None = None
        self.port = free_port()
        self.open()

    @property
    def mail_out(self) -> str:
        return f"smtp://{self.host}:{self.port}"

    @property
    def mail_out_with_password(self) -> str:
        """The same of a server that has an account there, and does not know that it is this machine.

        So it wants to know whom it tells the password.
        """
        return f"smtp://alexandros:password@0.0.0.0:{self.port}"

    def open(self) -> None:
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((self.host, self.port))
        door.listen(100)
        self._door = door
        Thread(target=self._welcome, args=(door,), daemon=True).start()

    def refuse(self) -> None:
        """Listen no more, and leave who is there: connections are refused."""
        if self._door is not None:
            with suppress(OSError):
                self._door.shutdown(socket.SHUT_RDWR)
            self._door.close()
            self._door = None
        self.leave_all()

    def become(self, mood: Mood) -> None:
        self.mood = mood

    def recover(self) -> None:
        """Be healthy from now on, as a relay that was started anew."""
        self.mood = HEALTHY
        self.leave_all()
        if self._door is None:
            self.open()

    def leave_all(self) -> None:
        with self._changed:
            for peer in self._peers:
                with suppress(OSError):
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    peer.shutdown(socket.SHUT_RDWR)
            self._ends.set()
            self._ends = Event()

    def taken(self) -> list[Letter]:
        """The letters that it brings to their readers."""
        with self._changed:
            return [letter for letter in self.letters if letter.taken]

    def to(self, reader: str) -> list[Letter]:
        return [letter for letter in self.taken() if letter.recipient == reader]

    def _welcome(self, door: socket.socket) -> None:
        while True:
            try:
                peer = door.accept()[0]
            except OSError:
                return
            with self._changed:
                self._peers.add(peer)
                self.welcomed += 1
            Thread(target=self._converse, args=(peer, self._ends), daemon=True).start()

    def _converse(self, peer: socket.socket, ends: Event) -> None:
        said = Conversation(self, peer, ends)
        try:
            said.hold()
        except (OSError, EOFError):  # TLS that fails is one too
            pass
        finally:
            with self._changed:
                self._peers.discard(peer)
            said.peer.close()

    def keep(self, letter: Letter) -> None:
        with self._changed:
            self.letters.append(letter)


class Conversation:
    def __init__(self, relay: Relay, peer: socket.socket, ends: Event) -> None:
        self.relay, self.peer, self.ends, self.rest = relay, peer, ends, b""
        self.reader = ""

    def hold(self) -> None:
        self.say(self.relay.mood.greeting)
        while line := self.line():
            if self.relay.mood.greeting.startswith("421"):
                self.say(self.relay.mood.greeting)
                return
            words = line.decode("latin-1").strip()
            if not self.heed(words.upper(), words):
                return

    def heed(self, command: str, words: str) -> bool:
        mood = self.relay.mood
        match command.split(" ")[0].partition(":")[0]:
            case "EHLO":
                offered = "" if mood.tls is Tls.NONE or self.secure else "250-STARTTLS\r\n"
                self.say(f"250-neighbour\r\n{offered}250 8BITMIME")
            case "STARTTLS":
                return self.begin_tls(mood)
            case "MAIL":
                self.relay.begun.append((words, time.monotonic()))
                self.say("250 go on")
            case "RCPT":
                self.reader = words.partition("<")[2].partition(">")[0]
                self.say(mood.put_off if mood.put_off and mood.concerns(self.reader) else "250 go on")
            case "DATA":
                self.say("354 go on")
                return self.take(self.letter())
            case "QUIT":
                self.say("221 bye")
                return False
            case _:
                self.say("250 well")
        return True

    @property
    def secure(self) -> bool:
        return isinstance(self.peer, ssl.SSLSocket)

    def begin_tls(self, mood: Mood) -> bool:
        self.say("220 go on")
        if mood.tls is Tls.GARBAGE:
            self.peer.sendall(b"this is no TLS\r\n" * 20)
            return False
        with self.peer as plain:
            self.peer = certificate().wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        assert isinstance(self.peer, ssl.SSLSocket)
        self.peer.do_handshake()
        return True

    def take(self, raw: bytes) -> bool:
        """Answer the final dot of a letter; whether the conversation goes on."""
        mood = self.relay.mood
        refused = not mood.verdict.startswith("2") and mood.concerns(self.reader)
        lost = refused or mood.cut is Cut.LOST or (mood.hangs and mood.concerns(self.reader))
        self.relay.keep(Letter(self.reader, raw, time.monotonic(), not lost, refused))
        if mood.cut is not Cut.NEVER:
            return False
        if mood.hangs and mood.concerns(self.reader):
            self.ends.wait()
            return False
        self.ends.wait(mood.late)
        self.say(mood.verdict if refused else "250 taken")
        return True

    def say(self, words: str) -> None:
        mood = self.relay.mood
        if mood.silent:
            self.ends.wait()
            raise EOFError
        if mood.pause:
            self.ends.wait(mood.pause)
        self.peer.sendall(f"{words}\r\n".encode())

    def line(self) -> bytes:
        return self._up_to(b"\n")

    def letter(self) -> bytes:
        """A letter as it was written, without the dots that the way adds (RFC 5321, 4.5.2)."""
        raw = self._up_to(b"\r\n.\r\n")
        if not raw:
            raise EOFError
        return raw.removesuffix(b".\r\n").replace(b"\r\n..", b"\r\n.")

    def _up_to(self, end: bytes) -> bytes:
        while end not in self.rest:
            some = self.peer.recv(65536)
            if not some:
                return b""
            self.rest += some
        found, _, self.rest = self.rest.partition(end)
        return found + end


def certificate() -> ssl.SSLContext:
    with TemporaryDirectory() as folder:
        file = Path(folder, "key.pem")
        file.write_text(KEY)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(file)
    return context


@contextmanager
def relay(host: str = "127.0.0.1") -> Iterator[Relay]:
    built = Relay(host=host)
    try:
        yield built
    finally:
        built.mood = HEALTHY
        built.refuse()
