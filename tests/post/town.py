"""A town with a post: a Postfix and a Dovecot of our own, on free ports here and in a folder of theirs.

People with an address at example.org have a mailbox there. Mail for play.example.org goes where the town is
told: to a listener of ours over LMTP, or into one mailbox that takes all of it. Nothing goes anywhere else.
"""

import grp
import os
import pwd
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from imap_tools import MailBoxUnencrypted

from tests.certificates import make_certificate
from tests.judges.court import missing, program
from tests.ports import free_ports

PATIENCE = 120
PASSWORD = "p%40ss/word"
"""Of everybody: it has to be percent-encoded in a setting."""
BOX = "box@play.example.org"
"""Who may look into the mailbox that takes all our mail."""
QUEUED = "active deferred hold incoming maildrop"

MAIN = """
compatibility_level = 3.6
myhostname = mx.example.org
mydestination =
mynetworks = 127.0.0.1/32
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_relay_restrictions = reject_unauth_destination
smtpd_peername_lookup = no
virtual_mailbox_domains = example.org
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
relay_domains = play.example.org
relay_transport = {relay}
lmtp_destination_recipient_limit = 1
default_transport = error:5.1.2 the world ends here
recipient_delimiter = +
alias_maps =
alias_database =
local_recipient_maps =
lmtp_host_lookup = native
disable_dns_lookups = yes
queue_directory = {folder}/queue
data_directory = {folder}/data
mail_owner = postfix
setgid_group = postdrop
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
minimal_backoff_time = 1s
queue_run_delay = 1s
"""
MASTER = """
127.0.0.1:{smtp} inet n - n - - smtpd
postlog unix-dgram n - n - 1 postlogd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
ours unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
"""
QUEUES = f"{QUEUED} bounce corrupt defer flush pid private public saved trace"
DOVECOT = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/dovecot.pem
ssl_key = <{folder}/dovecot.key
disable_plaintext_auth = no
auth_failure_delay = 0
recipient_delimiter = +
mail_location = maildir:~/Maildir
first_valid_uid = 1
default_vsz_limit = 0
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = {separator}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service lmtp {{
  inet_listener lmtp {{
    port = {lmtp}
  }}
}}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%Ld {folder}/domains
}}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%Lu {folder}/people
}}
userdb {{
  driver = passwd-file
  args = username_format=%Ld {folder}/domains
}}
userdb {{
  driver = passwd-file
  args = username_format=%Lu {folder}/people
}}
"""


@dataclass(frozen=True)
class Town:
    """Where its doors are: ports at 127.0.0.1."""

    folder: Path
    smtp: int
    imap: int
    imaps: int
    lmtp: int

    @property
    def setting(self) -> str:
        """What our server is told of the mailbox that takes all mail for play.example.org."""
        return f"imap://{quote(BOX, '')}:{quote(PASSWORD, '')}@127.0.0.1:{self.imap}"

    def waiting(self) -> list[str]:
        held = [self.folder / "queue" / name for name in QUEUED.split()]
        return [str(file) for place in held for file in place.rglob("*") if file.is_file()]

    def log(self) -> str:
        files = [self.folder / "postfix.log", self.folder / "dovecot.log"]
        return "".join(file.read_text("utf-8", "replace") for file in files if file.exists())


def folders(place: Town) -> dict[str, list[str]]:
    """What lies in the folders of the mailbox that takes all our mail, by their ids."""
    found = {}
    with MailBoxUnencrypted("127.0.0.1", place.imap, PATIENCE).login(BOX, PASSWORD) as box:
        for folder in box.folder.list():
            box.folder.set(folder.name)
            found[folder.name] = box.uids()
    return found


@contextmanager
def town(*people: str, ours: int = 0, prefix: str = "", separator: str = "/") -> Iterator[Town]:
    """A town in which these have a mailbox; `ours`: where our mail is brought, else into a mailbox.

    `prefix` and `separator` are those of the names of folders in its mailboxes.
    """
    postconf = program("postconf", "/usr/sbin/postconf", package="postfix")
    dovecot = program("dovecot", "/usr/sbin/dovecot", package="dovecot-imapd")
    program("/usr/lib/dovecot/lmtp", package="dovecot-lmtpd")
    if os.geteuid() != 0:
        missing("Postfix runs only when root starts it")
    with tempfile.TemporaryDirectory(prefix="town-") as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        smtp, imap, imaps, lmtp = free_ports(4)
        built = Town(folder, smtp, imap, imaps, lmtp)
        relay = f"ours:inet:127.0.0.1:{ours}" if ours else f"lmtp:inet:127.0.0.1:{lmtp}"
        known = {"folder": folder, "smtp": smtp, "imap": imap, "imaps": imaps, "lmtp": lmtp, "relay": relay}
        _found_dovecot(folder, people, DOVECOT.format(**known, prefix=prefix, separator=separator))
        found_postfix(folder, MAIN.format(**known), MASTER.format(**known))
        stack.enter_context(running([dovecot, "-F", "-c", str(folder / "dovecot.conf")], [imap, lmtp], built))
        daemons = subprocess.check_output([postconf, "-dh", "daemon_directory"], text=True).strip()
        stack.enter_context(
            running([f"{daemons}/master", "-d", "-c", str(folder / "postfix")], [smtp], built)
        )
        yield built


def _found_dovecot(folder: Path, people: tuple[str, ...], conf: str) -> None:
    one = pwd.getpwnam("nobody")
    homes = folder / "homes"
    homes.mkdir()
    os.chown(homes, one.pw_uid, one.pw_gid)
    owner = f"{one.pw_uid}:{one.pw_gid}"
    lines = [f"{name}@example.org:{PASSWORD}:{owner}::{homes}/{name}::\n" for name in people]
    (folder / "people").write_text("".join(lines))
    (folder / "domains").write_text(f"play.example.org:{PASSWORD}:{owner}::{homes}/box::\n")
    (folder / "dovecot.conf").write_text(conf)
    make_certificate(folder, "dovecot")


def found_postfix(folder: Path, main: str, master: str) -> None:
    """The folders of a Postfix that is set up so."""
    (folder / "postfix").mkdir()
    (folder / "postfix" / "main.cf").write_text(main)
    (folder / "postfix" / "master.cf").write_text(master)
    owner, group = pwd.getpwnam("postfix").pw_uid, grp.getgrnam("postdrop").gr_gid
    (folder / "data").mkdir(mode=0o700)
    os.chown(folder / "data", owner, -1)
    for name in ["", *QUEUES.split()]:
        place = folder / "queue" / name
        place.mkdir()
        if name not in ("", "pid"):
            place.chmod(0o700)
            os.chown(place, owner, -1)
    for name, mode in (("maildrop", 0o730), ("public", 0o710)):
        os.chown(folder / "queue" / name, owner, group)
        (folder / "queue" / name).chmod(mode)


def _await(port: int, process: subprocess.Popen[bytes], told: Callable[[], str]) -> None:
    """Wait until somebody listens at a port; what was told is told if nobody ever does."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), PATIENCE).close()
            return
        except OSError:
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
            break
    raise AssertionError(f"{process.args!r} does not listen: {told()}")


@contextmanager
def running(
    command: list[str], ports: list[int], built: Town, ending: signal.Signals = signal.SIGTERM
) -> Iterator[None]:
    """A program in a session of its own, up to when it listens at these ports; told to stop at the end."""
    said = built.folder / f"{Path(command[0]).name}.said"
    with said.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    try:
        for port in ports:
            _await(port, process, lambda: said.read_text() + built.log())
        yield
    finally:
        process.send_signal(ending)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
