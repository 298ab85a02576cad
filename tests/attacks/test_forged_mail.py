"""A forger has a letter of a player and writes in their name: what is played, asked about, and never done.

They have the address that answers the letter, and put the player's own into From. What the operator's mail
server says of that decides, where it is named; and what no later mail takes back is asked in any case.
"""

import re
import subprocess
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import Session, col

from emails.replies import parsed_mail, screening
from emails.replies.parsed_mail import Headers, Mail, parse_headers
from emails.tokens import Ticket
from engine.notation.orders import write
from engine.position import view
from engine.rules import legal
from server.accounts import addresses
from server.inbox import dispatch, game_mail, received_mail
from server.inbox.mail_answers import MOST_QUESTIONS, Question
from server.inbox.received_mail import ReceivedMail
from server.store.models import ChatMessage, OutgoingLetter, Player, Resignation, Seating
from server.web.desk.mailbox_pages import sign_mail
from tests.attacks.reading import DOMAIN, act_in, acts_alone, links_in, press, shows_seat
from tests.attacks.small_world import World, chosen, finish, open_world
from tests.breadth import spread
from tests.judges.court import program
from tests.paths import TOP
from tests.server.desk import body

pytestmark = pytest.mark.breadth

HEADER_CHECKS = TOP / "config/mail/header_checks"
OURS = "mx.example.org"
NEW = "post@example.net"
HAND_IN = "shared with the mail server"
RESULT = f"Authentication-Results: {OURS}; dmarc=%s header.from=example.org"
PASS, NONE, FAIL = (RESULT % word for word in ("pass", "none", "fail"))
FOREIGN = "Authentication-Results: mx.example.net; dmarc=pass header.from=example.org"
SPF = f"Authentication-Results: {OURS}; spf=fail smtp.mailfrom=example.net"
FOLDED = f"Authentication-Results:\r\n {OURS}\r\n\t(of this house);\r\n dmarc\r\n =%s (p=reject)"
PLAYED: dict[str, tuple[str, ...]] = {
    "pass": (PASS,),
    "no rule of the domain": (NONE,),
    "in capitals": (PASS.replace(OURS, OURS.upper()).replace("dmarc=pass", "DMARC=Pass"),),
    "folded, with comments": (FOLDED % "pass",),
    "in quotes, with a version": (PASS.replace(OURS, f'"{OURS}" 1'),),
    "below another server's": (FOREIGN.replace("pass", "fail"), "X-Spam: no", PASS),
    "above another server's": (PASS, FOREIGN.replace("pass", "fail")),
    "beside other methods": (SPF, PASS),
}
ASKED: dict[str, tuple[str, ...]] = {
    "fail": (FAIL,),
    "an error that stays": (RESULT % "permerror",),
    "an error that passes": (RESULT % "temperror",),
    "no such word": (RESULT % "passed",),
    "no header": (),
    "a header of another server": (FOREIGN,),
    "of a server with our name in its own": (PASS.replace(OURS, f"{OURS}.example.net"),),
    "our name in a comment": (FOREIGN.replace("mx.", f"({OURS}) mx."),),
    "a forged pass below our fail": (FAIL, PASS),
    "a forged pass above our fail": (PASS, FAIL),
    "two that pass": (PASS, PASS),
    "two in one": (f"{PASS}; dmarc=pass",),
    "pass in a comment": (FAIL.replace("fail", "fail (dmarc=pass)"),),
    "folded, with comments": (FOLDED % "fail",),
    "in capitals": (FAIL.upper(),),
    "ours below another server's pass": (FOREIGN, FAIL),
    "ours above another server's pass": (FAIL, FOREIGN),
    "of another domain": (PASS.replace("header.from=example.org", "header.from=example.net"),),
    "only other methods": (SPF.replace("fail", "pass"),),
    "cut off": (f"{PASS} (",),
}


def judging(folder: Path, *people: str, at_once: bool = True) -> tuple[World, str]:
    """A world whose mail server is named; its letters have left."""
    named = {"ALEXANDROS_MAIL_AUTHSERV": OURS, "ALEXANDROS_MAIL_SECRET": HAND_IN}
    return open_world(folder, *(people or ("Anna", "Ben")), at_once=at_once, **named)


@pytest.fixture
def begun(tmp_path):
    return judging(tmp_path)


def as_written(world: World, to: str, words: str, *headers: str, sender: str = "") -> bytes:
    world.written += 1
    own = (f"To: {to}", "Subject: Re: Friday", f"Message-ID: <forged{world.written}@client.example.org>")
    author = f"From: {sender}" if sender else ""
    return "\r\n".join((*headers, *filter(None, (author, *own)), "", words, "")).encode()


def forge(world: World, letter: EmailMessage, words: str, *headers: str, sender: str = "") -> str:
    """A mail in the name of whoever got a letter, to its address; gives what became of it."""
    player, to = sender or str(letter["To"]), str(letter["Reply-To"])
    return world.bring("forger@example.net", to, as_written(world, to, words, *headers, sender=player))


def agree(world: World, letter: EmailMessage, words: str = "yes") -> str:
    """The player answers a letter that asks, and their mail server forwards badly."""
    return forge(world, letter, words, FAIL)


def seq(world: World, game: str) -> int:
    return world.place.row(game).seq


def told(world: World) -> list[str]:
    return world.place.rows(ChatMessage.words, col(ChatMessage.announcement).is_(None))


def resigned(world: World) -> int:
    return len(world.place.rows(Resignation))


def generations(world: World) -> list[int]:
    return world.place.rows(Seating.generation)


# --- what the mail server says --------------------------------------------------------------------------


@pytest.mark.parametrize("case", PLAYED)
def test_what_is_shown_to_be_the_players_is_played(world, game, case):
    card, _ = world.place.context.turn_words(game)
    letter = world.last(world.place.context.mover(game))
    assert forge(world, letter, f"{card}\nsay: hello", *PLAYED[case]) == "played"
    assert (seq(world, game), told(world)) == (3, ["hello"])


@pytest.mark.parametrize("case", ASKED)
def test_all_else_is_asked_about_and_not_done(world, game, case):
    name, (card, _) = world.place.context.mover(game), world.place.context.turn_words(game)
    before = world.stored()
    assert forge(world, world.last(name), f"{card}\nsay: hello", *ASKED[case]) == "asked"
    assert world.stored() == before
    (letter,) = world.deliver()
    assert str(letter["To"]) == f"{name.lower()}@example.org"
    words = " ".join(body(letter).split())
    assert f"which we could not prove to be yours, asks for: “{card}” “say: hello”" in words
    assert "Nothing is done yet" in words


def test_orders_in_free_words_without_proof_are_asked_about_too(world, game):
    name, (card, _) = world.place.context.mover(game), world.place.context.turn_words(game)
    before = world.stored()
    assert forge(world, world.last(name), f"I {card}, please", *ASKED["fail"]) == "asked"
    assert world.stored() == before
    (letter,) = world.deliver()
    assert f"asks for: “{card}” Nothing is done yet" in " ".join(body(letter).split())


@pytest.mark.parametrize("case", spread(2, ASKED))
def test_without_the_setting_the_forged_one_is_played(tmp_path, case):
    world, game = open_world(tmp_path, "Anna", "Ben")
    card, _ = world.place.context.turn_words(game)
    letter = world.last(world.place.context.mover(game))
    assert forge(world, letter, f"{card}\nsay: hello", *ASKED[case]) == "played"
    assert (seq(world, game), told(world)) == (3, ["hello"])


@pytest.mark.parametrize("header", [PASS, FAIL, ""])
def test_a_mail_that_is_handed_in_with_a_seal_needs_the_header_too(world, header):
    letter = world.last("anna")
    to = str(letter["Reply-To"])
    raw = as_written(world, to, "say: hello", *filter(None, (header,)), sender="anna@example.org")
    seal = sign_mail(HAND_IN.encode(), b"anna@example.org", to.encode(), raw).decode()
    envelope = {"X-Envelope-From": "anna@example.org", "X-Envelope-To": to, "X-Alexandros-Signature": seal}
    assert world.place.app.test_client().post("/mail", data=raw, headers=envelope).status_code == 202
    dispatch.process_waiting_mail(world.place.context, world.place.clock())
    assert told(world) == (["hello"] if header == PASS else [])


def test_what_only_shows_something_is_shown_for_it_goes_to_the_player(world):
    assert forge(world, world.last("anna"), "hand", FAIL) == "played"
    (letter,) = world.deliver()
    assert (str(letter["To"]), str(letter["X-Alexandros"])) == ("anna@example.org", "shown")


# --- what is asked --------------------------------------------------------------------------------------


def test_the_link_of_the_question_shows_these_lines_and_a_button_does_them(world, game):
    name, (card, _) = world.place.context.mover(game), world.place.context.turn_words(game)
    forge(world, world.last(name), card, FAIL)
    question = world.last(name, "asked_back")
    link = linked(question)
    page = world.visitor(link)
    assert shows_seat(page)
    assert card.split()[-1] in page.text
    assert seq(world, game) == 2
    press(page, "Do it")
    assert seq(world, game) == 3
    assert agree(world, question) == "refused", "the game has moved on"


def linked(question: EmailMessage) -> str:
    (link,) = (one for one in links_in(question) if re.fullmatch(r"/t/\w+(\?look=1)?", one))
    return link


def test_the_link_of_the_question_plays_nothing_alone_where_its_reader_has_chosen_one_click(world, game):
    name = world.place.context.mover(game)
    browser = world.visitor()
    later = chosen(browser, act_in(world.last(name)))
    assert acts_alone(browser.get(later)), "links of their other letters do"
    forge(world, world.last(name), "board", PASS)
    assert forge(world, world.last(name, "shown"), option(world, game), FAIL) == "asked"
    assert not acts_alone(browser.get(linked(world.last(name, "asked_back"))))


def option(world: World, game: str) -> str:
    position = world.place.history(game).position
    assert position is not None
    known = view(position, position.table.seat)
    return write(next(iter(legal(known))), known.table.board)


@pytest.mark.parametrize("header", [PASS, FAIL, ""])
def test_a_yes_to_that_letter_does_it_once_whatever_the_mail_server_says(world, game, header):
    name, (card, _) = world.place.context.mover(game), world.place.context.turn_words(game)
    forge(world, world.last(name), f"{card}\nsay: hello", FAIL)
    question = world.last(name, "asked_back")
    given = filter(None, (header,))
    assert forge(world, question, "Yes.", *given) == "played"
    assert (seq(world, game), told(world)) == (3, ["hello"])
    assert agree(world, question) == "ignored"
    assert (seq(world, game), told(world)) == (3, ["hello"])


def test_letters_of_choices_are_asked_about_as_what_they_stand_for(world, game):
    name, turn = world.place.context.mover(game), world.place.context.turn_words(game)
    assert forge(world, world.last(name), "\n".join(turn), PASS) == "played"
    assert forge(world, world.last(name, "answer"), "a", FAIL) == "asked"
    assert agree(world, world.last(name, "asked_back")) == "played"
    assert seq(world, game) == 4


@pytest.mark.parametrize("words", ["resign", "new links"])
@pytest.mark.parametrize("judged", [True, False])
def test_what_no_later_mail_takes_back_is_asked_in_any_case(tmp_path, words, judged):
    world, _ = judging(tmp_path) if judged else open_world(tmp_path, "Anna", "Ben")
    letter = world.last("anna")
    for header in (PASS, FAIL) if judged else ("X-A: b",):
        assert forge(world, letter, words, header) == "asked"
        question = world.last("anna", "asked_back")
        shown = "could not prove" in " ".join(body(question).split())
        assert shown == (header == FAIL)
        assert (resigned(world), generations(world)) == (0, [0, 0])
    assert agree(world, question) == "played"
    assert (resigned(world), sum(generations(world))) == ((1, 0) if words == "resign" else (0, 1))


def test_a_yes_anywhere_else_does_nothing(tmp_path):
    world, _ = judging(tmp_path, "Anna", "Ben", "Cleo")
    letter = world.last("anna")
    forge(world, letter, "resign", PASS)
    question = world.last("anna", "asked_back")
    named = f"In-Reply-To: {question['Message-ID']}"
    assert forge(world, letter, "yes", PASS, named) != "played"
    assert forge(world, world.last("ben"), "yes", PASS, named) != "played"
    assert forge(world, question, "yes", PASS, sender="ben@example.org") == "refused"
    assert forge(world, question, "yes\nnew links", PASS) != "played"
    assert (resigned(world), generations(world)) == (0, [0, 0, 0])


def test_an_invitation_is_accepted_in_nobody_elses_name(tmp_path):
    world, game = judging(tmp_path, "Anna", "Ben", at_once=False)
    invited = world.last("ben", "invitation")
    assert forge(world, invited, "accept", FAIL) == "asked"
    question = world.last("ben", "asked_back")
    assert all(one.accepted_at is None for one in world.place.rows(Seating))
    assert world.place.row(game).status == "open"
    assert agree(world, question) == "played"
    assert world.place.rows(Seating.name, col(Seating.accepted_at).is_not(None)) == ["Ben"]


def test_a_proposed_game_is_opened_by_its_page_where_a_yes_is_not_shown_to_be_the_organisers(world):
    new = f"new@{DOMAIN}"
    raw = as_written(world, new, "Cleo <cleo@example.org>", PASS, sender="anna@example.org")
    assert world.bring("anna@example.org", new, raw) == "played"
    proposal = world.last("anna", "proposal")
    forge(world, proposal, "yes", FAIL)
    forge(world, proposal, "Dirk <dirk@example.org>", FAIL)
    assert world.mails.to("cleo") == world.mails.to("dirk") == []
    repeated = world.last("anna", "proposal")
    assert repeated["Message-ID"] != proposal["Message-ID"]
    assert "could not prove that the answer is yours" in " ".join(body(repeated).split())
    assert "dirk@example.org" not in body(repeated)
    world.visitor(next(one for one in links_in(repeated) if one.startswith("/n/"))).press()
    assert world.last("cleo", "invitation")


def test_a_yes_that_is_shown_to_be_the_organisers_opens_their_game(world):
    new = f"new@{DOMAIN}"
    raw = as_written(world, new, "Cleo <cleo@example.org>", PASS, sender="anna@example.org")
    world.bring("anna@example.org", new, raw)
    assert forge(world, world.last("anna", "proposal"), "yes", PASS) == "played"
    assert world.last("cleo", "invitation")


def test_questions_are_bounded_and_answering_them_by_a_program_does_nothing(world):
    letter, before = world.last("anna"), len(world.mails.mails)
    for number in range(MOST_QUESTIONS + 20):
        forge(world, letter, f"say: hello {number}", FAIL)
    world.deliver()
    questions = world.mails.mails[before:]
    assert len(questions) == MOST_QUESTIONS
    world.place.clock.forward(2)
    for question in questions[:5]:
        assert forge(world, question, "Thank you for your mail. I am away.", PASS) == "ignored"
        assert forge(world, question, body(question), PASS) in ("ignored", "refused")
    assert told(world) == []


def test_the_mail_server_set_up_as_the_document_says_takes_away_what_a_forger_brings(tmp_path):
    postmap = program("postmap", "/usr/sbin/postmap", package="postfix")
    (tmp_path / "main.cf").write_text("compatibility_level = 3.6\n")
    (tmp_path / "header_checks").write_text(HEADER_CHECKS.read_text("utf-8"))

    def judged(header: str) -> str:
        table = f"regexp:{tmp_path / 'header_checks'}"
        asked = [postmap, "-c", str(tmp_path), "-q", header, table]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()

    for header in (PASS, PASS.upper(), FOLDED % "pass", FOREIGN, "authentication-results:x"):
        assert judged(header.replace("\r", "")) == "IGNORE", header
    for header in ("From: anna@example.org", f"Subject: {PASS}", f"X-{PASS}"):
        assert judged(header) == ""


# --- who wrote it ---------------------------------------------------------------------------------------

UNCLEAR: dict[str, tuple[str, ...]] = {
    "none": (),
    "two headers": ("From: anna@example.org", "From: forger@example.net"),
    "two headers, theirs last": ("From: forger@example.net", "From: anna@example.org"),
    "the same header twice": ("From: anna@example.org", "FROM: anna@example.org"),
    "two addresses": ("From: anna@example.org, forger@example.net",),
    "two addresses, theirs last": ("From: Forger <forger@example.net>, Anna <anna@example.org>",),
    "an address for a name": ("From: anna@example.org <forger@example.net>",),
    "two in brackets": ("From: Anna <anna@example.org> <forger@example.net>",),
    "a group": ("From: players: anna@example.org, forger@example.net;",),
    "no address": ("From: Anna",),
}
TRICKS = (
    '"anna@example.org" <forger@example.net>',
    "Anna (anna@example.org) <forger@example.net>",
    "=?utf-8?q?Anna_=3Canna=40example=2Eorg=3E?= <forger@example.net>",
    "forger@example.net (Anna <anna@example.org>)",
    "anna@example.org.example.net",
    "anna%example.org@example.net",
)


@pytest.mark.parametrize("case", UNCLEAR)
def test_a_mail_of_no_one_writer_is_told_of_once_and_never_played(tmp_path, case):
    world, _ = open_world(tmp_path, "Anna", "Ben")
    letter = world.last("anna")
    raw = as_written(world, str(letter["Reply-To"]), "say: hello", *UNCLEAR[case])
    assert world.bring("forger@example.net", str(letter["Reply-To"]), raw) == "refused"
    (answer,) = world.deliver()
    assert str(answer["To"]) == "anna@example.org"
    assert "exactly one address as its sender" in " ".join(body(answer).split())
    raw = as_written(world, str(answer["Reply-To"]), "say: hello", *UNCLEAR[case])
    assert world.bring("forger@example.net", str(answer["Reply-To"]), raw) == "ignored"
    assert (told(world), world.deliver()) == ([], [])


@pytest.mark.parametrize("sender", TRICKS)
def test_a_name_that_looks_like_the_players_address_is_a_strangers(tmp_path, sender):
    world, _ = open_world(tmp_path, "Anna", "Ben")
    assert forge(world, world.last("anna"), "say: hello", sender=sender) == "refused"
    assert told(world) == []


@pytest.mark.parametrize("case", UNCLEAR)
def test_neither_a_game_is_asked_for_nor_an_address_confirmed_by_such_a_mail(tmp_path, case):
    world, game = open_world(tmp_path, "Anna", "Ben")
    before = len(world.mails.mails)
    new = f"new@{DOMAIN}"
    assert world.bring("x@example.net", new, as_written(world, new, "the house", *UNCLEAR[case])) == "ignored"
    world.deliver()
    assert len(world.mails.mails) == before
    addresses.request_address_confirmation(world.place.context, game, 0, NEW, world.place.clock())
    confirm = str(world.last(NEW.partition("@")[0])["Reply-To"])
    assert world.bring(NEW, confirm, as_written(world, confirm, "yes", *UNCLEAR[case])) == "ignored"
    assert {*world.place.rows(Player.address)} == {"anna@example.org", "ben@example.org"}
    assert world.bring(NEW, confirm, as_written(world, confirm, "yes", f"From: {NEW}")) == "played"


def test_an_old_address_resigns_nobody(tmp_path):
    world, game = open_world(tmp_path, "Anna", "Ben", at_once=False)
    old = {name: world.last(name, "invitation") for name in ("anna", "ben")}
    for name in old:
        assert forge(world, old[name], "accept") == "played"
    world.deliver()
    assert forge(world, old["anna"], "resign") == "asked"
    assert resigned(world) == 0
    finish(world, game)
    assert forge(world, old["anna"], "say: hello") == "refused"
    assert (resigned(world), told(world)) == (0, [])


# --- without these defences -----------------------------------------------------------------------------


def test_without_the_verdict_a_failure_is_played(world, game, monkeypatch):
    monkeypatch.setattr(ReceivedMail, "is_unproven", False)
    with pytest.raises(AssertionError):
        test_all_else_is_asked_about_and_not_done(world, game, "fail")


def test_without_leaving_out_what_others_say_a_foreign_pass_counts(world, game, monkeypatch):
    def every(headers: Headers, authserv: str) -> list[str]:
        return [value for name, value in headers.written if name == screening.AUTHENTICATION_RESULTS]

    monkeypatch.setattr(screening, "own_values", every)
    with pytest.raises(AssertionError):
        test_all_else_is_asked_about_and_not_done(world, game, "a header of another server")


def test_without_asking_back_a_forged_mail_resigns(tmp_path, monkeypatch):
    def at_once(question, mail) -> None:
        replace(game_mail.parts_of_question(mail, question.letter), confirmed=False).perform(mail)

    monkeypatch.setattr(Question, "perform", at_once)
    with pytest.raises(AssertionError):
        test_what_no_later_mail_takes_back_is_asked_in_any_case(tmp_path, "resign", False)


def test_without_the_seal_a_yes_that_names_the_letter_would_do(tmp_path, monkeypatch):
    def named(session: Session, mail: Mail, ticket: Ticket, letter: int) -> OutgoingLetter | None:
        return received_mail.find_letter_replied_to(session, mail)

    monkeypatch.setattr(received_mail, "_find_answered_letter", named)
    with pytest.raises(AssertionError):
        test_a_yes_anywhere_else_does_nothing(tmp_path)


def test_without_one_author_the_second_of_two_would_play(tmp_path, monkeypatch):
    def last(raw: bytes) -> Headers:
        headers = parse_headers(raw)
        return replace(headers, author=headers.people("from")[-1][1])

    monkeypatch.setattr(parsed_mail, "parse_headers", last)
    with pytest.raises(AssertionError):
        test_a_mail_of_no_one_writer_is_told_of_once_and_never_played(tmp_path, "two headers, theirs last")
