"""Letters as mails: their headers, their parts, and that no name or id of a stranger breaks them."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.letters.renderer import (
    Envelope,
    Letter,
    Picture,
    compose_mail,
    draw_pictures,
    make_message_id,
    make_thread_id,
)
from emails.tokens import OWN_HEADER, Purpose, unseal_game, unseal_reply
from tests.emails.specimens import KINDS, TO_AN_ADDRESS, TONGUES, many, specimens
from tests.gallery import letter_files
from tests.gallery.samples import SAMPLE_LINKS

GAME, DOMAIN = "abcdefgh", "post.players.example.org"
LETTER = Letter(
    kind="your_turn",
    subject="Alexandros: Spring",
    text="--- Write above this line ---\n\nYour turn, Zoë.\n.\nFrom here on  \n" + "x" * 3000 + "\n",
    html='<!DOCTYPE html>\n<p style="color:#fff">Zoë</p>\n<img src="cid:board" alt="">' + "=3D" * 900 + "\n",
    pictures=(Picture("board", "<svg/>", "The board"),),
)
ENVELOPE = Envelope(
    sender="Alexandros <alexandros@example.org>",
    bounce="bounces@example.org",
    recipient="anna@example.org",
    reply_to=f"play+{'a' * 42}@{DOMAIN}",
    message_id=make_message_id(GAME, 12, 0, "turn", DOMAIN),
    root=make_thread_id(GAME, DOMAIN),
    answers=None,
    list_id=f"{GAME}.{DOMAIN}",
    unsubscribe=SAMPLE_LINKS.unsubscribe_links(GAME, 0),
    replied=False,
    date=datetime(2027, 1, 14, 18, tzinfo=UTC),
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
PICTURES = {"board": PNG}
ONE_LINE = {
    "From",
    "To",
    "Reply-To",
    "Message-ID",
    "In-Reply-To",
    "References",
    "List-Id",
    "List-Unsubscribe",
}
ORDER = """
    From To Reply-To Subject Date Message-ID In-Reply-To References List-Id List-Unsubscribe
    List-Unsubscribe-Post Auto-Submitted
    X-Auto-Response-Suppress X-Alexandros Feedback-ID MIME-Version Content-Type
    """.split()


def opened(raw: bytes) -> EmailMessage:
    """The mail as its reader's program sees it; everything a program could frown at is an error here."""
    mail = message_from_bytes(raw, policy=default)
    assert isinstance(mail, EmailMessage)
    for part in mail.walk():
        assert not part.defects, part.defects
    return mail


def words(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert isinstance(part, EmailMessage)
    text: str = part.get_content()
    return text.replace("\r\n", "\n")


def lint(raw: bytes) -> list[str]:
    """What is wrong with the form of a mail; nothing, one hopes."""
    found = []
    head, _, body = raw.partition(b"\r\n\r\n")
    if b"\n" in raw.replace(b"\r\n", b"") or b"\r" in raw.replace(b"\r\n", b""):
        found.append("a line does not end with CR LF")
    if not raw.isascii():
        found.append("a byte is not ASCII")
    if any(len(line) > 998 for line in raw.split(b"\r\n")):
        found.append("a line is longer than 998")
    if any(len(line) > 76 for line in body.split(b"\r\n")):
        found.append("a line of a part is longer than 76 (RFC 2045, sections 6.7 and 6.8)")
    fields = [field.decode() for field in re.split(rb"\r\n(?![ \t])", head)]
    names = [field.partition(":")[0] for field in fields]
    if sorted(set(names)) != sorted(names):
        found.append("a header stands there twice")
    for field in fields:
        name, _, value = field.partition(": ")
        if not value.strip():
            found.append(f"{name} is empty")
        if name in ONE_LINE - {"From"} and ("=?" in value or "\r\n" in value):
            found.append(f"{name} is folded or encoded")
        if any(len(word) > 75 for word in re.findall(r"=\?\S*\?=", value)):
            found.append(f"{name} has an encoded word of more than 75 characters (RFC 2047, section 2)")
        if "=?" in value and any(len(line) > 76 for line in field.split("\r\n")):
            found.append(f"{name} has a line of more than 76 with an encoded word (RFC 2047, section 2)")
        if name in ("Message-ID", "References", "In-Reply-To"):
            found += [f"{one} is longer than 60" for one in value.split() if len(one) > 60 and DOMAIN in one]
    return found


def test_every_header_stands_there_once_and_in_order() -> None:
    raw = compose_mail(LETTER, ENVELOPE, PICTURES)
    assert lint(raw) == []
    mail = opened(raw)
    assert mail.keys() == ORDER
    assert mail["From"] == ENVELOPE.sender
    assert mail["To"] == ENVELOPE.recipient
    assert mail["Reply-To"] == ENVELOPE.reply_to
    assert mail["Subject"] == LETTER.subject
    assert parsedate_to_datetime(mail["Date"]) == ENVELOPE.date
    assert mail["Message-ID"] == ENVELOPE.message_id
    assert mail["In-Reply-To"] == mail["References"] == ENVELOPE.root
    assert mail["List-Id"] == f"<{GAME}.{DOMAIN}>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert mail[OWN_HEADER] == "your_turn"


def test_nothing_refers_to_more_than_the_root_and_the_last_ten() -> None:
    earlier = tuple(make_message_id(GAME, seq, 0, "news", DOMAIN) for seq in range(30))
    asked = "<asked@mail.example.com>"
    mail = opened(compose_mail(LETTER, replace(ENVELOPE, earlier=earlier, answers=asked), {}))
    assert mail["References"].split() == [ENVELOPE.root, *earlier[-9:], asked]
    assert mail["In-Reply-To"] == asked
    mail = opened(compose_mail(LETTER, replace(ENVELOPE, earlier=earlier), {}))
    assert mail["References"].split() == [ENVELOPE.root, *earlier[-10:]]
    assert mail["In-Reply-To"] == ENVELOPE.root


def test_a_house_with_a_long_name_refers_to_fewer() -> None:
    earlier = tuple(make_message_id(GAME, seq, 0, "news", "x" * 60 + "." + DOMAIN) for seq in range(10))
    mail = opened(compose_mail(LETTER, replace(ENVELOPE, earlier=earlier), {}))
    named = mail["References"].split()
    assert named[0] == ENVELOPE.root
    assert 2 < len(named) < 11
    assert named[1:] == [*earlier[-len(named) + 1 :]]


def test_a_mail_about_no_game_is_in_no_thread_and_on_no_list() -> None:
    raw = compose_mail(LETTER, replace(ENVELOPE, root="", list_id="", unsubscribe=()), None)
    assert lint(raw) == []
    assert not {"In-Reply-To", "References", "List-Id", "List-Unsubscribe"} & {*opened(raw).keys()}
    assert "List-Unsubscribe-Post" not in opened(raw)


# --- every kind of letter, in every language ------------------------------------------------------------

EVERY = [(name, language) for language in TONGUES for name in KINDS]
MOST_OF_A_MAIL, MOST_OF_HTML, MOST_OF_TEXT = 150_000, 45_000, 20_000


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_kind_of_letter_is_well_formed(name: str, language: str) -> None:
    one = specimens()[name, language]
    raw = compose_mail(one.letter, one.envelope, {picture.name: PNG for picture in one.letter.pictures})
    assert lint(raw) == []
    mail = opened(raw)
    assert set(mail.keys()) <= {*ORDER}
    assert [key for key in ORDER if key in mail] == mail.keys()
    assert words(mail, "plain") == one.letter.text
    assert words(mail, "html") == one.letter.html
    shown = [str(part["Content-ID"]).strip("<>") for part in mail.walk() if part["Content-ID"]]
    assert shown == [picture.name for picture in one.letter.pictures]
    assert all(f"cid:{picture}" in one.letter.html for picture in shown)


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_the_headers_of_every_kind_are_as_mailers_want_them(name: str, language: str) -> None:
    one = specimens()[name, language]
    mail = opened(compose_mail(one.letter, one.envelope, None))
    assert mail["From"] == "Alexandros <alexandros@example.org>"
    if name == "signin":
        assert mail["Subject"] in ("Alexandros: sign in", "Alexandros: aanmelden")
    elif name == "seat_claim":
        assert mail["Subject"] in ("Alexandros: a free seat", "Alexandros: een vrije plaats")
    elif name == "notice":
        assert mail["Subject"] in ("Alexandros: a new sign-in", "Alexandros: een nieuwe aanmelding")
    elif name.startswith(("notice", "replaced", "seat_refused")):
        assert str(mail["Subject"]).startswith("Alexandros: ")
    else:
        assert mail["Subject"] == one.letter.subject
    assert mail["Auto-Submitted"] == ("auto-replied" if one.envelope.answers else "auto-generated")
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert mail[OWN_HEADER] == name.partition("-")[0]
    assert len(mail["Message-ID"]) <= 60
    local, _, domain = str(mail["Reply-To"]).partition("@")
    assert len(local) <= 64
    assert domain == letter_files.SAMPLE_LINKS.domain or (
        name.startswith(("signin", "notice", "replaced", "seat_refused"))
        and mail["Reply-To"] == letter_files.HOUSE_ADDRESS
    )
    if name in TO_AN_ADDRESS:
        assert not {"In-Reply-To", "References", "List-Id", "List-Unsubscribe"} & {*mail.keys()}
        return
    if name.startswith("proposal"):
        keys = letter_files.SAMPLE_LINKS.keys
        found, _ = unseal_game(Purpose.PROPOSAL_REPLY, local.removeprefix("new+"), keys)
        assert found == letter_files.GAME
    else:
        ticket, _ = unseal_reply(local.removeprefix("play+"), letter_files.SAMPLE_LINKS.keys)
        assert (ticket.game, ticket.words) == (letter_files.GAME, "")
    root = make_thread_id(letter_files.GAME, letter_files.SAMPLE_LINKS.domain)
    assert mail["References"].split()[0] == root
    assert len(mail["References"].split()) <= 11
    assert mail["In-Reply-To"] == one.envelope.answers or mail["In-Reply-To"] == root
    assert mail["List-Id"] == f"<{letter_files.GAME}.{letter_files.SAMPLE_LINKS.domain}>"
    page, by_mail = (str(link).strip("<>") for link in mail["List-Unsubscribe"].split(", "))
    assert page.startswith("https://play.example.org/u/")
    assert by_mail.startswith("mailto:stop+")
    assert max(len(page), len(by_mail)) <= 70
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_whoever_cannot_be_asked_by_a_page_is_asked_by_mail_alone() -> None:
    unsubscribe = SAMPLE_LINKS.unsubscribe_links(GAME, 0)[1:]
    mail = opened(compose_mail(LETTER, replace(ENVELOPE, unsubscribe=unsubscribe), None))
    assert mail["List-Unsubscribe"] == f"<{unsubscribe[0]}>"
    assert "List-Unsubscribe-Post" not in mail


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_kind_of_letter_is_light(name: str, language: str) -> None:
    one = specimens()[name, language]
    assert len(one.letter.html.encode()) <= MOST_OF_HTML
    assert len(one.letter.text.encode()) <= MOST_OF_TEXT
    pngs = draw_pictures(one.letter)
    assert len(compose_mail(one.letter, one.envelope, pngs)) <= MOST_OF_A_MAIL


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.long), 24])
def test_the_mail_of_every_turn_is_light(every: int) -> None:
    for made in many("turns")[::every]:
        pngs = draw_pictures(made)
        assert len(compose_mail(made, ENVELOPE, pngs)) <= MOST_OF_A_MAIL


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_words_alone_are_a_whole_letter(name: str, language: str) -> None:
    one = specimens()[name, language]
    mail = opened(compose_mail(one.letter, one.envelope, None))
    assert mail.get_content_type() == "text/plain"
    assert words(mail, "plain") == one.letter.text
    assert ("https://play.example.org/" in one.letter.text) == (name != "refused-no-game")


def test_the_parts_come_out_as_they_went_in() -> None:
    mail = opened(compose_mail(LETTER, ENVELOPE, PICTURES))
    assert words(mail, "plain") == LETTER.text
    assert words(mail, "html") == LETTER.html
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ]
    *_, picture = mail.walk()
    assert picture.get_payload(decode=True) == PNG
    assert picture["Content-ID"] == "<board>"
    assert "cid:board" in LETTER.html
    assert picture.get_content_disposition() == "inline"


def test_without_a_picture_the_html_stands_alone() -> None:
    mail = opened(compose_mail(LETTER, ENVELOPE, {}))
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert words(mail, "html") == LETTER.html


def test_an_answer_refers_to_the_mail_and_to_the_game() -> None:
    asked = "<CAF+abc=123@mail.example.com>"
    mail = opened(compose_mail(LETTER, replace(ENVELOPE, answers=f" {asked}\r\n", replied=True), {}))
    assert mail["In-Reply-To"] == asked
    assert mail["References"] == f"{ENVELOPE.root} {asked}"
    assert mail["Auto-Submitted"] == "auto-replied"


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        "no id at all",
        "<a@b>\r\nBcc: everybody@example.org",
        "<a@b> <c@d>",
        "<a b@c>",
        "<ä@example.org>",
        "<=?utf-8?q?a?= @b>",
        f"<{'a' * 400}@b>",
        "<a@b",
        "<\x00@b>",
    ],
)
def test_a_hostile_id_is_left_out(hostile: str) -> None:
    raw = compose_mail(LETTER, replace(ENVELOPE, answers=hostile), {})
    assert lint(raw) == []
    mail = opened(raw)
    assert mail["In-Reply-To"] == mail["References"] == ENVELOPE.root
    assert mail.keys() == ORDER


@given(st.text("!#$%&'*+-/=?^_`{|}~.@<>abz019 \r\n\t\0é", max_size=60).map(lambda inner: f"<{inner}>"))
def test_whatever_id_a_stranger_sends_the_mail_stays_whole(answers: str) -> None:
    raw = compose_mail(LETTER, replace(ENVELOPE, answers=answers), {})
    assert lint(raw) == []
    assert opened(raw).keys() == ORDER


def test_nothing_to_answer_has_no_reply_to() -> None:
    assert "Reply-To" not in opened(compose_mail(LETTER, replace(ENVELOPE, reply_to=None), {}))


TWO_LINES = "a@example.org\r\nBcc: everybody@example.org"


@pytest.mark.parametrize(
    "broken",
    [
        replace(ENVELOPE, sender=TWO_LINES),
        replace(ENVELOPE, recipient=TWO_LINES),
        replace(ENVELOPE, reply_to=TWO_LINES),
        replace(ENVELOPE, list_id=TWO_LINES),
    ],
)
def test_no_value_can_begin_a_header_of_its_own(broken: Envelope) -> None:
    with pytest.raises(ValueError, match=r"."):
        compose_mail(LETTER, broken, None)


@given(st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=60))
def test_a_subject_is_read_as_it_was_written(name: str) -> None:
    subject = f"Alexandros: {' '.join(name.split())}".rstrip()
    raw = compose_mail(replace(LETTER, subject=subject), ENVELOPE, None)
    assert lint(raw) == []
    assert opened(raw)["Subject"] == subject.replace("=?", "= ?")


def test_a_long_address_stays_one_word() -> None:
    far = f"{'a' * 64}@{'b' * 50}.example.org"
    raw = compose_mail(LETTER, replace(ENVELOPE, recipient=far, reply_to=far), {})
    assert lint(raw) == []
    assert opened(raw)["To"] == far


def test_the_same_letter_gives_the_same_bytes() -> None:
    assert compose_mail(LETTER, ENVELOPE, PICTURES) == compose_mail(LETTER, ENVELOPE, PICTURES)


@given(
    st.integers(0, 10**9),
    st.integers(0, 3),
    st.from_regex(r"[a-z_]{1,12}[0-9]{0,12}", fullmatch=True),
)
def test_an_id_is_short_and_follows_from_its_occasion(seq: int, seat: int, kind: str) -> None:
    made = make_message_id(GAME, seq, seat, kind, "d" * 21 + ".org")
    assert len(made) <= 60
    assert re.fullmatch(r"<[a-z0-9_.]+@[a-z.]+>", made)
    assert made == make_message_id(GAME, seq, seat, kind, "d" * 21 + ".org")


def test_different_occasions_have_different_ids() -> None:
    kinds = ["turn", "answer1", "answer12345678901234", "answer12345678901235", "over", "time_passed"]
    made = {
        make_message_id(GAME, seq, seat, kind, DOMAIN)
        for seq in range(20)
        for seat in range(4)
        for kind in kinds
    }
    assert len(made) == 20 * 4 * len(kinds)
    assert make_thread_id(GAME, DOMAIN) not in made
