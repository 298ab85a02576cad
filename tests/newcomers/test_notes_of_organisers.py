"""A line of an organiser's to the guests as a weapon: links, addresses, tricks of script, headers, HTML."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from email.message import EmailMessage
from pathlib import Path

import pytest

from server.lobby.open_seats import leave_seat
from server.store.models import Game
from server.store.states import GameStatus
from tests.attacks import strangers
from tests.attacks.small_world import World, open_world
from tests.attacks.strangers import confirm_proposal, open_by_form, reaching, signed_in, visit
from tests.newcomers import adapter
from tests.server.desk import NOON

pytestmark = pytest.mark.usefixtures("small_pictures")

CLEO = "cleo@example.net"
MARK = "plughxyzzy"
LINE = f"{MARK} is my line"
NOTES = tomllib.loads(Path(__file__).with_name("notes.toml").read_text("utf-8"))
HARMLESS, LINKS, FOLDED, TRICKS = (NOTES[kind] for kind in ("harmless", "links", "folded", "tricks"))
LONG = ("x" * 201, "hello " * 1700, "x" * 10_000, "é" * 201)
SPAM = (
    "You have won 1,000,000 EUR! Reply YES now!!!",
    "Your account is suspended. Confirm your password by yes.",
)
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def invited(world: World, note: str, *, signed: bool = True) -> tuple[str, list[EmailMessage]]:
    """What the page says to an organiser, and what came to the guest and to the organiser."""
    before = len(world.mails.mails)
    if signed:
        page = open_by_form(signed_in(world, "Dirk"), "", CLEO, note=note)
    else:
        visitor = visit(world, "192.0.2.7")
        page = open_by_form(visitor, "ben@example.org", CLEO, name="Ben", note=note)
        confirm_proposal(world, "ben@example.org")
    world.deliver()
    return page.text, world.mails.mails[before:]


def to_guest(mails: list[EmailMessage]) -> list[EmailMessage]:
    return [mail for mail in mails if CLEO in str(mail["To"]).lower()]


def shape(mail: EmailMessage) -> tuple[object, ...]:
    """What of a mail no line of anybody's may change: headers, parts, links, tags."""
    page = adapter.page_of(mail)
    return (
        tuple(name.lower() for name in mail.keys()),  # noqa: SIM118
        str(mail["Subject"]),
        tuple(part.get_content_type() for part in mail.walk()),
        len(re.findall(r"<a\b", page)),
        len(re.findall(r"<img\b", page)),
        len(re.findall(r"<(?:script|svg|form|iframe|style|link|meta)\b", page)),
        len(re.findall(r"https?://", adapter.words_of(mail))),
    )


def faults(mail: EmailMessage, model: EmailMessage) -> list[str]:
    """What a line has done to a mail, beside the same mail with a harmless line."""
    found = []
    names = ("headers", "subject", "parts", "links", "pictures", "tags", "addresses")
    for name, one, other in zip(names, shape(mail), shape(model), strict=True):
        if one != other:
            found.append(f"{name}: {one!r}, not {other!r}")
    if "evil" in str(mail["Subject"]).lower():
        found.append("the line stands in the subject")
    shown = f"{adapter.words_of(mail)}\n{adapter.page_of(mail)}"
    odd = {f"U+{ord(sign):04X}" for sign in shown if unicodedata.bidirectional(sign) in BIDI}
    odd |= {
        f"U+{ord(sign):04X}"
        for sign in adapter.words_of(mail)
        if unicodedata.category(sign) in ("Cc", "Cs", "Co") and sign not in "\n\t"
    }
    if odd:
        found.append(f"signs that turn or hide: {sorted(odd)}")
    if adapter.words_of(mail).count("\n---") != adapter.words_of(model).count("\n---"):
        found.append("another line to write above")
    if len(adapter.words_of(mail)) > len(adapter.words_of(model)) + 700:
        found.append("far longer")
    return found


@pytest.fixture
def world(tmp_path) -> World:
    """A house in which Dirk, who asks for games, and Anna are known."""
    return open_world(tmp_path, "Dirk", "Anna")[0]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> EmailMessage:
    world, _ = open_world(tmp_path_factory.mktemp("model"), "Dirk", "Anna")
    _, mails = invited(world, "Shall we play again?")
    return to_guest(mails)[0]


@pytest.mark.parametrize("note", HARMLESS)
def test_what_a_friend_writes_is_in_the_invitation(world, note):
    said, mails = invited(world, note)
    [mail] = to_guest(mails)
    words = " ".join(adapter.words_of(mail).replace("\n  | ", " ").split())
    assert " ".join(note.split()) in words, (said, words)
    assert note.split()[0] not in str(mail["Subject"])
    assert "Dirk" in adapter.words_of(mail)


@pytest.mark.parametrize("note", LINKS)
def test_a_line_that_leads_elsewhere_is_refused_with_a_sentence(world, note):
    said, mails = invited(world, note)
    assert not to_guest(mails), adapter.words_of(to_guest(mails)[0])[:800]
    assert any(word in said.lower() for word in ("link", "address")), said[:800]


@pytest.mark.parametrize("note", LONG, ids=["201", "words", "10000", "accents"])
def test_a_long_line_is_refused_with_a_sentence(world, note):
    said, mails = invited(world, note)
    assert not to_guest(mails)
    assert "200" in said, said[:800]


@pytest.mark.parametrize("note", [*FOLDED, *TRICKS, *SPAM])
@pytest.mark.parametrize("signed", [True, False], ids=["signed in", "stranger"])
def test_a_hostile_line_is_refused_or_harmless(tmp_path, model, note, signed):
    world, _ = open_world(tmp_path, "Dirk", "Anna", "Ben")
    _, mails = invited(world, note, signed=signed)
    found = [
        fault
        for mail in to_guest(mails)
        for fault in faults(mail, model)
        if signed or not fault.startswith(("subject", "headers"))
    ]
    assert not found, found
    for mail in mails:
        assert re.search(r"(cleo|dirk|ben|anna)@example\.(net|org)", str(mail["To"]))
        assert mail["Bcc"] is None
        assert mail["Cc"] is None
        assert len(mail.get_all("Subject")) == len(mail.get_all("To")) == 1


@pytest.mark.parametrize("head", ["note", "bericht", "NOTE", "Note "])
@pytest.mark.parametrize("note", [HARMLESS[0], LINKS[0], LINKS[10], FOLDED[4], TRICKS[0], "x" * 10_000])
def test_the_same_by_mail(world, model, head, note):
    before = len(world.mails.mails)
    tongue = "Onderwerp" if head == "bericht" else "x"
    world.write(
        "Dirk <dirk@example.org>",
        strangers.NEW,
        f"Cleo <{CLEO}>\n{head}: {note}\n",
        subject=f"A game {tongue}",
    )
    confirm_proposal(world, "dirk@example.org")
    mails = world.deliver() or world.mails.mails[before:]
    guests = to_guest(world.mails.mails[before:])
    if note == HARMLESS[0]:
        assert guests, [adapter.words_of(mail) for mail in mails]
        assert note in " ".join(adapter.words_of(guests[0]).replace("\n  | ", " ").split())
        return
    for mail in guests:
        assert "evil" not in adapter.words_of(mail)
        assert "evil" not in adapter.page_of(mail)
        kinds = ("parts", "signs", "tags", "far", "pictures")
        assert not [one for one in faults(mail, model) if one.startswith(kinds)]


def test_a_line_costs_the_same_budget_as_without(world):
    """Six games with six lines write to a guest no more often than six without."""
    dirk = signed_in(world, "Dirk")
    for number in range(6):
        open_by_form(dirk, "", CLEO, game=f"Round {number}", note=f"Line {number}")
        world.deliver()
    assert 1 <= len(reaching(world, CLEO)) <= strangers.PER_DAY


def test_a_guest_who_is_forgotten_and_an_organiser_leave_no_line(world):
    """What was said to guests goes with who said it."""
    invited(world, LINE)
    strangers.forget(world, "dirk@example.org")
    left = strangers.traces(strangers.remains(world), MARK)
    assert not left, left


def test_an_organiser_who_had_left_before_leaves_no_line_either(world):
    invited(world, LINE)
    [game] = world.place.context.rows_of(Game, Game.status == GameStatus.OPEN)
    seat = world.place.context.seat_of(game.id, "Dirk")
    leave_seat(world.place.context, game.id, seat, game.after, NOON)
    strangers.forget(world, "dirk@example.org")
    assert not strangers.traces(strangers.remains(world), MARK)


def test_who_is_forgotten_beside_an_organiser_takes_no_line_with_them(world):
    open_by_form(signed_in(world, "Dirk"), "", CLEO, "anna@example.org", note=LINE)
    world.deliver()
    strangers.forget(world, CLEO)
    assert MARK in strangers.done(world, "data", "dirk@example.org")


def test_data_of_the_organiser_holds_their_line(world):
    invited(world, LINE)
    assert MARK in strangers.done(world, "data", "dirk@example.org")
