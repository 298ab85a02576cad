"""A mailbox's server for tests, which knows as much of IMAP (RFC 3501, 2177, 6851) as our collector asks."""

import re
import socket
from collections.abc import Callable
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Condition, Thread

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
        """Every command, without its tag."""
        self.password = PASSWORD
        self.refused: set[str] = set()
        """How commands begin that are answered NO."""
        self.old: set[int] = set()
        """The mails that came in long ago."""
        self.hang_up_on: list[str] = []
        """How commands begin at which the connection is cut, each once."""
        self.idlers: list[Conversation] = []
        self.connections: list[socket.socket] = []
        self.last_uid = 0
        self.changed = Condition()
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    numbering = 1
    """UIDVALIDITY: by which numbers its mails go."""

    def arrive(self, *mails: bytes) -> None:
        """Mails are delivered, and whoever waits is told."""
        with self.changed:
            for mail in mails:
                self.last_uid += 1
                self.folders["INBOX"][self.last_uid] = mail
            for idler in self.idlers:
                idler.say(f"* {len(self.folders['INBOX'])} EXISTS")

    def until(self, fits: Callable[[], bool]) -> None:
        """Wait until it is so."""
        with self.changed:
            assert self.changed.wait_for(fits, PATIENCE), (self.folders, self.heard)

    def mails(self, folder: str) -> list[bytes]:
        """What lies in a folder, the oldest first."""
        return list(self.folders.get(self.prefix * (folder != "INBOX") + folder, {}).values())

    def count(self, command: str) -> int:
        """How often a command was heard."""
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
        """The client is gone."""
        with self.server.changed:
            if self in self.server.idlers:
                self.server.idlers.remove(self)
        super().finish()

    def say(self, line: str | bytes) -> None:
        self.wfile.write((line.encode() if isinstance(line, str) else line) + b"\r\n")

    def obey(self, tag: str, line: str) -> None:
        """Do one command and answer it."""
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
