"""Mail handed in over HTTP: sealed with its envelope, stored before it is taken, the same mail once."""

import re
import subprocess

import pytest
from sqlalchemy import text

from emails.replies.screening import LARGEST_ACCEPTED, LARGEST_MAIL
from server.inbox import intake
from server.web.desk.mailbox_pages import sign_mail
from tests.judges.court import program
from tests.paths import TOP
from tests.server.desk import desk, sealed_address
from tests.server.web.site import Site

SECRET = "shared with the mail server"
ANNA, OURS = "anna@example.org", sealed_address()
MAIL = b"From: Anna <anna@example.org>\r\nMessage-ID: <1@example.org>\r\n\r\ndraw \xe9\r\n\0"
GUIDE = (TOP / "config/mail.md").read_text("utf-8")


class Place(Site):
    """An office whose secret is known to whoever hands in mail."""

    def hand_in(self, raw: bytes = MAIL, sender: str = ANNA, recipient: str = OURS, **changed: str):
        headers = {"X-Envelope-From": sender, "X-Envelope-To": recipient}
        headers["X-Alexandros-Signature"] = sealed(raw, sender, recipient)
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        return self.app.test_client().post("/mail", data=raw, headers=headers)

    def kept(self) -> list[tuple[str, str, bytes]]:
        return [(mail.envelope_from, mail.envelope_to, mail.raw) for mail in self.context.stored_mails()]


def sealed(raw: bytes, sender: str = ANNA, recipient: str = OURS, secret: str = SECRET) -> str:
    return sign_mail(secret.encode(), sender.encode(), recipient.encode(), raw).decode()


@pytest.fixture
def place(tmp_path) -> Place:
    return Place(desk(tmp_path, ALEXANDROS_MAIL_SECRET=SECRET))


def test_a_mail_is_stored_as_it_came_with_its_envelope(place):
    woken = []
    place.context.wake = lambda: woken.append(len(place.kept()))
    answer = place.hand_in()
    assert (answer.status_code, answer.text) == (202, "The mail is stored.\n")
    assert place.kept() == [(ANNA, OURS, MAIL)]
    assert woken == [1]


def test_the_same_mail_once_more_is_one_mail_and_to_another_address_it_is_another(place):
    assert [place.hand_in().status_code for _ in range(3)] == [202] * 3
    other = sealed_address(2).replace("play.", "PLAY.")
    assert place.hand_in(recipient=other).status_code == 202
    assert [recipient for _, recipient, _ in place.kept()] == [OURS, other]


def test_a_returned_mail_has_no_sender(place):
    assert place.hand_in(sender="").status_code == 202
    headers = {"X-Envelope-To": place.context.links.bounce_address(1)}
    headers["X-Alexandros-Signature"] = sealed(MAIL, "", headers["X-Envelope-To"])
    assert place.app.test_client().post("/mail", data=MAIL, headers=headers).status_code == 202
    assert [sender for sender, *_ in place.kept()] == ["", ""]


@pytest.mark.parametrize(
    "changed",
    [
        {"X_Envelope_To": "play+other@play.example.org"},
        {"X_Envelope_From": "ben@example.org"},
        {"X_Alexandros_Signature": ""},
        {"X_Alexandros_Signature": sealed(MAIL).removeprefix("sha256=")},
        {"X_Alexandros_Signature": sealed(MAIL).upper()},
        {"X_Alexandros_Signature": sealed(MAIL, secret="another secret of that kind")},
        {"X_Alexandros_Signature": sealed(MAIL + b" ")},
        {"X_Alexandros_Signature": sealed(MAIL, f"{ANNA}\n{OURS}", "")},
        {"X_Alexandros_Signature": "sha256=\xe9"},
    ],
)
def test_what_was_changed_on_its_way_is_not_stored(place, changed):
    answer = place.hand_in(**changed)
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"]
    told = "X-Alexandros-Signature does not fit this mail and its envelope. Nothing was stored.\n"
    assert answer.text == told
    assert place.kept() == []


@pytest.mark.parametrize(
    "recipient",
    [
        *("", "anna@example.org", f"{OURS}.example.com", "@", "x", "ben@play.example.org"),
        *("play+ticket@play.example.org", OURS.replace("play+", "stop+"), OURS.replace("play+", "new+")),
    ],
)
def test_what_is_for_nobody_here_is_not_stored(place, recipient):
    answer = place.hand_in(recipient=recipient)
    told = "X-Envelope-To names no address of ours. Nothing was stored.\n"
    assert (answer.status_code, answer.text) == (422, told)
    assert place.kept() == []


def test_a_mail_may_be_much_larger_than_a_form_but_not_too_large(place):
    assert place.hand_in(b"x" * LARGEST_ACCEPTED).status_code == 202
    answer = place.hand_in(b"x" * (LARGEST_ACCEPTED + 1))
    told = "A mail may have at most 4000000 bytes. Nothing was stored.\n"
    assert (answer.status_code, answer.text) == (413, told)
    assert [len(raw) for *_, raw in place.kept()] == [LARGEST_MAIL + 1]


def test_what_cannot_be_stored_is_to_be_handed_in_again(place):
    with place.context.changing() as session:
        session.execute(text("ALTER TABLE incoming RENAME TO elsewhere"))
    answer = place.hand_in()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert answer.text == "The mail cannot be stored now. Please hand it in again later.\n"
    with place.context.changing() as session:
        session.execute(text("ALTER TABLE elsewhere RENAME TO incoming"))
    assert place.hand_in().status_code == 202
    assert len(place.kept()) == 1


def test_what_is_too_much_is_to_be_handed_in_again_much_later(place, monkeypatch):
    monkeypatch.setattr(intake, "MOST_TO_SEALED", 1)
    assert [place.hand_in().status_code, place.hand_in(MAIL + b"2").status_code] == [202, 429]
    assert len(place.kept()) == 1


def test_without_a_shared_secret_there_is_no_such_page(tmp_path):
    place = Place(desk(tmp_path))
    assert place.hand_in().status_code == 404
    assert place.hand_in(X_Alexandros_Signature=sealed(MAIL, secret="none")).status_code == 404
    assert place.kept() == []


def test_looking_changes_nothing_and_no_cookie_is_set(place):
    for method in ("get", "head", "put", "delete"):
        answer = getattr(place.app.test_client(), method)("/mail", headers={"X-Envelope-To": OURS})
        assert answer.status_code == 405
        assert "POST" in answer.headers["Allow"]
    assert "Set-Cookie" not in place.hand_in().headers
    assert len(place.kept()) == 1


def test_the_example_in_the_readme_seals_as_we_do(place, tmp_path):
    """The very lines of config/mail.md, with a `curl` that tells what it was given."""
    program("openssl", package="openssl")
    example = re.search(r"<!-- handing -->\n```sh\n(.*?)```", GUIDE, re.DOTALL)
    assert example
    (tmp_path / "mail.eml").write_bytes(MAIL)
    curl = """curl() { for one in "$@"; do printf '%s\\n' "$one"; done; }\n"""
    given = {"SENDER": ANNA, "RECIPIENT": OURS, "PATH": "/usr/bin:/bin"}
    given |= {"ALEXANDROS_MAIL_SECRET": SECRET, "ALEXANDROS_BASE_URL": "http://h"}
    shell = ["sh", "-eu", "-c", curl + example[1]]
    ran = subprocess.run(shell, cwd=tmp_path, env=given, capture_output=True, text=True, check=True)
    said = ran.stdout.splitlines()
    headers = dict(line.split(": ", 1) for line in said if re.match(r"X-[\w-]+: ", line))
    assert said[-1] == "http://h/mail"
    assert said[said.index("--data-binary") + 1] == "@mail.eml"
    assert place.app.test_client().post("/mail", data=MAIL, headers=headers).status_code == 202
    assert place.kept() == [(ANNA, OURS, MAIL)]
