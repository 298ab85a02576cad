"""Mail fetched from a mailbox: stored first and moved then, and whatever goes wrong is tried again."""

import logging
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Queue
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Condition, Event, Thread

import pytest

from server.admin.setup_check import PASSWORD_ADVICE, LiveProbes, Unreachable
from server.inbox import intake
from server.inbox.imap import IDLE_RENEWAL, LONGEST_AWAITED, LONGEST_RETRY_PAUSE, ImapFetcher, RetryQueue
from server.network import Endpoint, ImapMailbox
from server.store.states import MomentName
from tests.server.desk import NOON, desk

PATIENCE = 60.0
PASSWORD = "p@ss/word"


class Server(ThreadingTCPServer):
    """Folders with mails, as many conversations as clients want, and whatever goes wrong by request."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int = 0, can: str = "IDLE MOVE NAMESPACE", prefix: str = "") -> None:
        super().__init__(("127.0.0.1", port), Conversation)
        self.port: int = self.server_address[1]
        self.can, self.prefix = can, prefix
        self.folders: dict[str, dict[int, bytes]] = {"INBOX": {}}
        self.heard: list[str] = []
        self.password = PASSWORD
        self.refused: set[str] = set()
        self.old: set[int] = set()
        self.hang_up_on: list[str] = []
        """How commands begin at which the connection is cut, each once."""
        self.idlers: list[Conversation] = []
        self.connections: list[socket.socket] = []
        self.last_uid = 0
        self.changed = Condition()
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    numbering = 1

    def arrive(self, *mails: bytes) -> None:
        with self.changed:
            for mail in mails:
                self.last_uid += 1
                self.folders["INBOX"][self.last_uid] = mail
            for idler in self.idlers:
                idler.say(f"* {len(self.folders['INBOX'])} EXISTS")

    def until(self, fits: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(fits, PATIENCE), (self.folders, self.heard)

    def mails(self, folder: str) -> list[bytes]:
        return list(self.folders.get(self.prefix * (folder != "INBOX") + folder, {}).values())

    def count(self, command: str) -> int:
        return sum(line.startswith(command) for line in self.heard)

    def leave(self) -> None:
        """Be away: nobody listens, and all connections are cut."""
        self.shutdown()
        self.server_close()
        with self.changed:
            for connection in self.connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """The client went away: that is its business."""


class Conversation(StreamRequestHandler):
    """One client."""

    server: Server
    disable_nagle_algorithm = True
    selected = "INBOX"
    idling = ""
    """The tag of the command with which it began to wait."""

    def handle(self) -> None:
        with self.server.changed:
            self.server.connections.append(self.connection)
        self.say(f"* OK [CAPABILITY IMAP4rev1 {self.server.can}] ready")
        for data in self.rfile:
            line = data.decode().strip()
            with self.server.changed:
                if line == "DONE":
                    self.server.idlers.remove(self)
                    tag, line = self.idling, "DONE"
                else:
                    tag, _, line = line.partition(" ")
                self.server.heard.append(line)
                if cut := [one for one in self.server.hang_up_on if line.startswith(one)]:
                    self.server.hang_up_on.remove(cut[0])
                    self.connection.shutdown(socket.SHUT_RDWR)
                else:
                    self.obey(tag, line)
                self.server.changed.notify_all()

    def finish(self) -> None:
        with self.server.changed:
            if self in self.server.idlers:
                self.server.idlers.remove(self)
        super().finish()

    def say(self, line: str | bytes) -> None:
        self.wfile.write((line.encode() if isinstance(line, str) else line) + b"\r\n")

    def obey(self, tag: str, line: str) -> None:
        server, inbox = self.server, self.server.folders[self.selected]
        if any(line.startswith(one) for one in server.refused):
            self.say(f"{tag} NO it cannot be done")
            return
        known = {name: f'"{name}"' for name in server.folders}
        match re.findall(r'"(?:[^"\\]|\\.)*"|\([^)]*\)|\S+', line):
            case ["IDLE"]:
                self.idling = tag
                server.idlers.append(self)
                self.say("+ idling")
                return
            case ["LOGIN", _, given]:
                if given.strip('"') != server.password:
                    self.say(f"{tag} NO [AUTHENTICATIONFAILED] no: LOGIN {given}")
                    return
            case ["CAPABILITY"]:
                self.say(f"* CAPABILITY IMAP4rev1 {server.can}")
            case ["NAMESPACE"]:
                self.say(f'* NAMESPACE (("{server.prefix}" ".")) NIL NIL')
            case ["LIST", _, name]:
                for one in known.keys() & {name.strip('"')}:
                    self.say(f'* LIST () "." "{one}"')
            case ["CREATE", name]:
                server.folders[name.strip('"')] = {}
            case ["SELECT", name] if name.strip('"') in server.folders:
                self.selected = name.strip('"')
                self.say(f"* {len(server.folders[self.selected])} EXISTS")
                self.say(f"* OK [UIDVALIDITY {server.numbering}] numbered")
            case ["UID", "SEARCH", *what]:
                found = [uid for uid in inbox if "BEFORE" not in str(what) or uid in server.old]
                self.say(" ".join(["* SEARCH", *map(str, found)]))
            case ["GETQUOTAROOT", name]:
                self.say(f'* QUOTAROOT {name} ""')
                self.say('* QUOTA "" (STORAGE 95 100)')
            case ["SELECT", name] | ["UID", "COPY" | "MOVE", _, name] if name.strip('"') not in known:
                self.say(f"{tag} NO [TRYCREATE] no such folder")
                return
            case ["UID", "FETCH", uid, parts] if int(uid) in inbox:
                most = int(re.findall(r"<0\.(\d+)>", parts)[0])
                raw = inbox[int(uid)][:most]
                self.say(b"* 1 FETCH (UID %s BODY[]<0> {%d}\r\n%s)" % (uid.encode(), len(raw), raw))
            case ["UID", "COPY" | "MOVE" as verb, uid, name]:
                server.folders[name.strip('"')][int(uid)] = inbox[int(uid)]
                if verb == "MOVE":
                    del inbox[int(uid)]
            case ["UID", "STORE", uids, *_]:
                self.deleted = uids.split(",")
            case ["EXPUNGE"]:
                for uid in self.deleted:
                    del inbox[int(uid)]
        self.say(f"{tag} OK done")


OURS = "play+ticket@play.example.org"
MAIL = b"Return-Path: <anna@example.org>\r\nDelivered-To: play+ticket@play.example.org\r\n\r\ndraw\r\n"
STRAY = b"Delivered-To: anna@example.org\r\nTo: anna@example.org\r\n\r\nhello\r\n"
PRIVATE = b"Delivered-To: ben@play.example.org\r\nTo: hostmaster@play.example.org\r\n\r\nhello\r\n"


class Shelf:
    """Where a mail is put; `full` of what it is that cannot be put there."""

    def __init__(self) -> None:
        self.mails: Queue[tuple[str, str, bytes]] = Queue()
        self.full: set[bytes] = set()
        self.error: Exception = RuntimeError("the shelf is full")
        self.noted: list[MomentName] = []
        self.entered, self.open = Event(), Event()
        self.open.set()

    def take_in(self, sender: str, recipient: str, raw: bytes) -> None:
        self.entered.set()
        assert self.open.wait(PATIENCE)
        if raw in self.full:
            raise self.error
        self.mails.put((sender, recipient, raw))

    def is_known(self, address: str) -> bool:
        return not address.startswith("play+forged@")

    def next(self) -> tuple[str, str, bytes]:
        return self.mails.get(timeout=PATIENCE)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.leave()


@contextmanager
def collecting(
    server: Server, shelf: Shelf, host: str = "127.0.0.1", renew: float = IDLE_RENEWAL, pause: float = 0.01
) -> Iterator[ImapFetcher]:
    box = ImapMailbox(Endpoint(host, server.port), tls=False, user="play", password=PASSWORD)
    given = shelf.take_in, shelf.is_known, renew, pause, lambda name, _: shelf.noted.append(name)
    collector = ImapFetcher(box, "play.example.org", *given)
    collector.start()
    try:
        yield collector
    finally:
        collector.stop()


def test_what_lies_there_and_what_comes_is_stored_and_then_moved(server, shelf):
    server.arrive(MAIL + b"1", MAIL + b"2")
    shelf.open.clear()
    with collecting(server, shelf):
        assert shelf.entered.wait(PATIENCE)
        assert server.mails("INBOX") == [MAIL + b"1", MAIL + b"2"]
        shelf.open.set()
        server.until(lambda: len(server.idlers) == 1)
        server.arrive(MAIL + b"3")
        taken = [shelf.next() for _ in range(3)]
        assert taken == [("anna@example.org", OURS, MAIL + sign) for sign in (b"1", b"2", b"3")]
        server.until(lambda: len(server.mails("Done")) == 3)
    assert server.mails("INBOX") == server.mails("Refused") == []


def test_what_is_not_for_us_is_set_aside_and_what_belongs_to_others_stays(server, shelf, caplog):
    forged = MAIL.replace(OURS.encode(), b"play+forged@play.example.org")
    server.arrive(STRAY, b"", PRIVATE, forged, MAIL)
    with collecting(server, shelf):
        assert shelf.next()[2] == MAIL
        server.until(lambda: server.mails("Done") == [MAIL])
        server.until(lambda: server.mails("Refused") == [PRIVATE, forged])
        server.until(lambda: bool(server.idlers))
        server.arrive(MAIL + b"2")
        server.until(lambda: len(server.mails("Done")) == 2)
    assert server.mails("INBOX") == [STRAY, b""]
    assert server.count("UID FETCH 1 ") == 1, "what belongs to others is looked at once"
    assert [one for one in caplog.messages if "stay" in one] == [
        "Mails stay in INBOX because they name no address at play.example.org: 2"
    ]


def test_the_beginning_of_a_mail_that_is_too_large_is_taken_in(server, shelf):
    large = MAIL + b"x" * intake.MOST_BYTES_KEPT
    server.arrive(large)
    with collecting(server, shelf):
        assert shelf.next() == ("anna@example.org", OURS, large[: intake.MOST_BYTES_KEPT])
        server.until(lambda: server.mails("Refused") == [large])


@pytest.mark.parametrize(("can", "prefix"), [("NAMESPACE IDLE", "INBOX."), ("MOVE", ""), ("", "")])
def test_a_server_that_knows_less(shelf, can, prefix):
    server = Server(can=can, prefix=prefix)
    server.arrive(MAIL)
    with collecting(server, shelf, renew=0.05):
        assert shelf.next()[2] == MAIL
        server.until(lambda: server.mails("Done") == [MAIL] and not server.mails("INBOX"))
        server.arrive(MAIL + b"later", PRIVATE)
        server.until(lambda: len(server.mails("Done")) == 2 and not server.mails("INBOX"))
    assert server.mails("Refused") == [PRIVATE]
    server.leave()


CUT = ["LOGIN", "SELECT", "CREATE", "UID SEARCH", "UID FETCH", "UID MOVE", "IDLE", "DONE"]


@pytest.mark.parametrize("command", CUT)
def test_whatever_is_cut_off_is_done_again_and_a_mail_is_one_mail(server, shelf, tmp_path, command):
    context = desk(tmp_path)
    shelf.take_in = lambda sender, to, raw: intake.store_mail(context, sender, to, raw, NOON)  # type: ignore[method-assign]
    server.hang_up_on.append(command)
    server.arrive(MAIL, MAIL + b"2")
    with collecting(server, shelf, renew=0.05):
        server.until(lambda: sorted(server.mails("Done")) == [MAIL, MAIL + b"2"])
        server.until(lambda: not server.mails("INBOX"))
        server.until(lambda: server.count("DONE") >= 1 and not server.hang_up_on)
        server.until(lambda: server.count("LOGIN") == 2)
    assert MomentName.MAILBOX_AWAY not in shelf.noted, "a connection that ends now and then is no absence"
    assert sorted(mail.raw for mail in context.stored_mails()) == [MAIL, MAIL + b"2"]


def test_what_cannot_be_stored_stays_and_holds_up_no_other(server, shelf, caplog, monkeypatch):
    shelf.full.add(MAIL)
    server.arrive(MAIL, MAIL + b"2")
    monkeypatch.setattr("server.inbox.imap.FIRST_RETRY_PAUSE", 0.01)
    with collecting(server, shelf, pause=0.2):
        assert shelf.next()[2] == MAIL + b"2"
        server.until(lambda: len(server.idlers) == 1)
        assert (server.mails("INBOX"), server.mails("Done")) == ([MAIL], [MAIL + b"2"])
        server.arrive(MAIL + b"3")
        assert shelf.next()[2] == MAIL + b"3"
        server.until(lambda: server.count("UID FETCH 1 ") >= 2)
        assert not shelf.noted, "not all that lies there is stored"
        shelf.full.clear()
        assert shelf.next()[2] == MAIL
        server.until(lambda: not server.mails("INBOX"))
        server.until(lambda: bool(server.idlers))
    assert set(shelf.noted) == {MomentName.MAILBOX_READ}
    assert "A mail stays in the mailbox because it cannot be stored: 1" in caplog.messages
    assert shelf.mails.empty()
    assert server.count("LOGIN") == 1


@pytest.mark.parametrize(
    ("error", "longest"),
    [(intake.IntakeLimitReached(), LONGEST_AWAITED), (RuntimeError("the shelf is full"), 0)],
)
def test_a_mail_of_a_flood_or_one_that_was_left_for_long_delays_no_turn(
    server, shelf, monkeypatch, error, longest
):
    monkeypatch.setattr("server.inbox.imap.LONGEST_AWAITED", longest)
    shelf.full.add(MAIL)
    shelf.error = error
    server.arrive(MAIL)
    with collecting(server, shelf):
        server.until(lambda: bool(server.idlers))
    assert shelf.noted[0] is MomentName.MAILBOX_READ
    assert shelf.mails.empty()


@pytest.mark.parametrize("numbered_anew", [False, True])
def test_mails_of_others_are_fetched_again_only_where_all_are_numbered_anew(server, shelf, numbered_anew):
    server.arrive(STRAY)
    with collecting(server, shelf, pause=0.01):
        server.until(lambda: bool(server.idlers))
        server.numbering += numbered_anew
        server.hang_up_on.append("NOOP")
        server.arrive(MAIL)
        assert shelf.next()[2] == MAIL
        server.until(lambda: server.count("LOGIN") == 2)
    assert server.count("UID FETCH 1 ") == 1 + numbered_anew


def test_a_mail_that_cannot_be_moved_holds_up_no_other_and_is_not_fetched_again(server, shelf, caplog):
    server.refused.add("UID MOVE 1 ")
    server.arrive(MAIL, MAIL + b"2", PRIVATE)
    with collecting(server, shelf, renew=0.05):
        server.until(lambda: server.mails("Done") == [MAIL + b"2"] and server.mails("Refused") == [PRIVATE])
        server.until(lambda: bool(server.idlers))  # no folder goes while it is being read
        with server.changed:
            del server.folders["Done"]
        server.until(lambda: bool(server.idlers))
        assert shelf.noted, "it is stored"
        server.refused.clear()
        server.until(lambda: server.mails("Done") == [MAIL])
    assert "A mail is stored, but cannot be moved to Done: 1: it cannot be done" in caplog.messages
    assert (server.count("UID FETCH 1 "), server.count("LOGIN")) == (1, 1)


def test_what_was_moved_long_ago_is_deleted(server, shelf):
    server.folders |= {"Done": {90: b"old", 91: b"new"}, "Refused": {92: b"old", 93: b"old"}}
    server.old = {1, 90, 92, 93}
    server.refused.add("UID FETCH 1 ")
    server.arrive(MAIL)
    with collecting(server, shelf):
        server.until(lambda: bool(server.idlers))
    assert (server.mails("Done"), server.mails("Refused")) == ([b"new"], [])
    assert server.mails("INBOX") == [MAIL], "only what was stored goes"


@pytest.mark.parametrize(
    ("refused", "folder", "said"),
    [
        ("LOGIN", "INBOX", "refused user or password: it cannot be done."),
        ("-", "Games", "broke off: [TRYCREATE] no such folder."),
        ("CREATE", "INBOX", "does not create the folders Done and Refused: it cannot be done."),
        ("-", "INBOX", ""),
    ],
)
def test_the_check_opens_the_folders_and_says_how_full_they_are(refused, folder, said):
    server = Server(can="QUOTA")
    server.refused.add(refused)
    box = ImapMailbox(Endpoint("127.0.0.1", server.port), False, "play", PASSWORD, folder)
    if said:
        with pytest.raises(Unreachable) as error:
            LiveProbes().open_mailbox(box)
        assert str(error.value) == f"{box.at} {said}"
        assert error.value.advice == (PASSWORD_ADVICE if refused == "LOGIN" else "")
    else:
        assert LiveProbes().open_mailbox(box) == 0.95
        assert set(server.folders) == {"INBOX", "Done", "Refused"}
    server.leave()


def test_a_mail_that_is_not_handed_out_holds_up_no_other(server, shelf, monkeypatch):
    monkeypatch.setattr("server.inbox.imap.FIRST_RETRY_PAUSE", 0.01)
    server.refused.add("UID FETCH 1 ")
    server.arrive(MAIL, MAIL + b"2")
    with collecting(server, shelf):
        assert shelf.next()[2] == MAIL + b"2"
        server.until(lambda: server.count("UID FETCH 1") >= 2)
        server.refused.clear()
        assert shelf.next()[2] == MAIL
        server.until(lambda: server.mails("Done") == [MAIL + b"2", MAIL])


def test_a_refused_password_is_told_without_it_and_tried_again(server, shelf, caplog):
    server.password = "another"
    server.arrive(MAIL)
    with collecting(server, shelf):
        server.until(lambda: server.count("LOGIN") >= 3)
        server.password = PASSWORD
        assert shelf.next()[2] == MAIL
    said = caplog.messages[0]
    assert said.startswith(f"Mail cannot be fetched: 127.0.0.1:{server.port} refused user or password: ")
    assert said.count("\n") == 0
    assert PASSWORD not in caplog.text


def test_a_server_that_is_away_may_come_back(shelf, caplog):
    first = Server()
    with collecting(first, shelf):
        first.until(lambda: len(first.idlers) == 1)
        first.leave()
        second = Server(first.port)
        second.arrive(MAIL)
        assert shelf.next()[2] == MAIL
        second.until(lambda: second.mails("Done") == [MAIL])
    assert caplog.messages
    second.leave()


def test_the_password_is_not_told_to_another_machine_without_tls(server, shelf, caplog):
    """The host is this machine after all, but written so that nobody sees it."""
    server.arrive(MAIL)
    with collecting(server, shelf, host="127.1"), server.changed:
        assert server.changed.wait_for(lambda: bool(caplog.messages), 0.5) or caplog.messages
    assert caplog.messages[0] == (
        f"Mail cannot be fetched: 127.1:{server.port} offers no TLS, so the password was not sent."
    )
    assert server.count("LOGIN") == 0


def test_waiting_is_renewed_and_each_time_we_look_ourselves(server, shelf, monkeypatch):
    monkeypatch.setattr("server.inbox.imap.FIRST_RETRY_PAUSE", 0.01)
    with collecting(server, shelf, renew=0.02):
        server.until(lambda: server.count("DONE") >= 3)
        with server.changed:
            server.folders["INBOX"][99] = MAIL  # and nobody is told
        assert shelf.next()[2] == MAIL
    assert server.count("LOGIN") == 1
    assert IDLE_RENEWAL < 29 * 60


@pytest.mark.parametrize("password", [PASSWORD, "another"])
def test_it_stops_at_once_whether_it_waits_for_mail_or_for_better_times(server, shelf, password, caplog):
    server.password = password
    with caplog.at_level(logging.WARNING), collecting(server, shelf, pause=600) as collector:
        server.until(lambda: bool(server.idlers) if password == PASSWORD else server.count("LOGIN") == 1)
        collector.stop()
        collector.stop()
    assert server.count("LOGIN") == 1
    assert bool(caplog.messages) is (password != PASSWORD)


def test_the_mail_in_hand_is_stored_and_moved_and_then_it_can_start_again(server, shelf):
    server.arrive(MAIL, MAIL + b"2")
    shelf.open.clear()
    with collecting(server, shelf) as collector:
        assert shelf.entered.wait(PATIENCE)
        collector.ask_to_stop()
        shelf.open.set()
        collector.stop()
        assert (server.mails("Done"), server.mails("INBOX")) == ([MAIL], [MAIL + b"2"])
        collector.start()
        server.until(lambda: len(server.mails("Done")) == 2)


def test_each_pause_is_twice_as_long_as_the_one_before(server, shelf, monkeypatch):
    waited: list[float] = []
    monkeypatch.setattr(
        "server.inbox.imap._wait_until_readable", lambda ear, seconds, *others: waited.append(seconds)
    )
    server.password = "another"
    with collecting(server, shelf, pause=1.0):
        server.until(lambda: len(waited) >= 12)
    assert waited[:9] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert set(waited[9:]) == {LONGEST_RETRY_PAUSE}


@pytest.mark.breadth
def test_a_mail_by_which_the_mailbox_is_cut_off_each_time_holds_up_no_other(server, shelf):
    server.hang_up_on += ["UID FETCH 1 "] * 3
    server.arrive(MAIL, MAIL + b"2")
    with collecting(server, shelf, pause=0.2):
        assert shelf.next()[2] == MAIL + b"2"
        assert server.hang_up_on
        server.until(lambda: server.mails("Done") == [MAIL + b"2", MAIL])


def test_what_could_not_be_taken_in_is_tried_again_after_pauses_that_grow() -> None:
    left, now, waited = RetryQueue(1.0), 5.0, []
    assert left.seconds_until_due(now) == float("inf")
    assert left.take_due(now) == []
    for uid in ("7", "8", "9"):
        left.add(uid, now)
    left.remove("8")
    for _ in range(10):
        assert left.take_due(now) == []
        waited.append(left.seconds_until_due(now))
        now += waited[-1]
        assert left.take_due(now) == ["7", "9"]
    assert waited == [1, 2, 4, 8, 16, 32, 64, 128, 256, LONGEST_RETRY_PAUSE]
    left.remove("7", "9")
    assert left.seconds_until_due(now) == float("inf")
    left.add("10", now)
    assert left.seconds_until_due(now) == 1
