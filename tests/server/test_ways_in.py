"""The ways in as a server has them: what its settings say is what it listens at, fetches from and takes."""

import re
import smtplib
import subprocess
from pathlib import Path

import pytest

from tests.judges.court import program
from tests.ports import free_port
from tests.server.desk import desk, sealed_address
from tests.server.inbox.test_imap import PASSWORD, Server
from tests.server.test_serving import PATIENCE, alexandros, served, settings
from tests.server.web.desk.test_mail_hook import GUIDE

FIRST, SECOND = sealed_address(1), sealed_address(2)
MAIL = b"From: anna@example.org\r\nDelivered-To: %s\r\n\r\ndraw\r\n" % FIRST.encode()
SECRET = "shared with the mail server"


def came(folder: Path) -> list[tuple[str, str, bytes]]:
    return [(mail.envelope_from, mail.envelope_to, mail.raw) for mail in desk(folder).stored_mails()]


@pytest.mark.breadth
def test_a_listener_for_lmtp_and_the_example_of_the_guide(tmp_path):
    program("curl", package="curl")
    program("openssl", package="openssl")
    port, lmtp = free_port(), free_port()
    given = settings(tmp_path, port, MAIL_IN=f"lmtp://127.0.0.1:{lmtp}", MAIL_SECRET=SECRET)
    (tmp_path / "mail.eml").write_bytes(MAIL)
    example = re.search(r"<!-- handing -->\n```sh\n(.*?)```", GUIDE, re.DOTALL)
    assert example
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        served(process, f"http://127.0.0.1:{port}/healthz")
        with smtplib.LMTP("127.0.0.1", lmtp, timeout=PATIENCE) as peer:
            assert peer.sendmail("anna@example.org", [FIRST], MAIL) == {}
        envelope = {"SENDER": "ben@example.org", "RECIPIENT": SECOND}
        known = {"PATH": "/usr/bin:/bin", **given, **envelope}
        runs = ["sh", "-eu", "-c", example[1]]
        said = subprocess.run(runs, cwd=tmp_path, env=known, capture_output=True, text=True, timeout=PATIENCE)
        assert (said.stdout, said.returncode) == ("The mail is stored.\n", 0)
        known["ALEXANDROS_MAIL_SECRET"] = "another secret than ours"
        said = subprocess.run(runs, cwd=tmp_path, env=known, capture_output=True, text=True, timeout=PATIENCE)
        assert said.returncode == 22  # as curl says that the server refused
    stored = [("anna@example.org", FIRST, MAIL)]
    assert came(tmp_path) == [*stored, (*envelope.values(), MAIL)]


@pytest.mark.breadth
def test_a_mailbox_to_fetch_from(tmp_path):
    box, port = Server(), free_port()
    box.arrive(MAIL)
    password = PASSWORD.replace("@", "%40").replace("/", "%2F")
    given = settings(tmp_path, port, MAIL_IN=f"imap://play:{password}@127.0.0.1:{box.port}")
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        served(process, f"http://127.0.0.1:{port}/healthz")
        box.until(lambda: box.mails("Done") == [MAIL])
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert came(tmp_path) == [("anna@example.org", FIRST, MAIL)]
    box.leave()


@pytest.mark.breadth
def test_a_port_that_is_taken_is_named_by_its_setting(tmp_path):
    box = Server()
    given = settings(tmp_path, free_port(), MAIL_IN=f"lmtp://127.0.0.1:{box.port}")
    with alexandros("serve", folder=tmp_path, environment=given) as process:
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    where = f"127.0.0.1:{box.port}"
    assert told.startswith(f"alexandros: ALEXANDROS_MAIL_IN: the server cannot listen at {where}: ")
    assert told.count("\n") == 1
    box.leave()
