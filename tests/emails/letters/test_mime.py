"""Letters as mails: headers, parts, subjects and sizes, and that no name or id of a stranger breaks them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import cycle, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.i18n import Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import game_letters
from emails.letters.declaration import ANY_SUBJECT
from emails.letters.parts import (
    LONGEST_CHAT,
    REPLY,
    GameLetterContext,
    UnreadChat,
    build_sections,
)
from emails.letters.renderer import (
    Envelope,
    Letter,
    Picture,
    compose_mail,
    draw_pictures,
    encode_text,
    encoded_size,
    make_message_id,
)
from emails.tokens import OWN_HEADER, Purpose, Ticket, unseal_game, unseal_reply
from emails.wording.requests import Request, RequestKind
from engine.evolve import start
from engine.rules import deal
from tests.bots.alike import plays_to_win
from tests.breadth import by_run, first
from tests.emails.positions import BOARD, sample_of, stored_game
from tests.emails.specimens import (
    KINDS,
    STORY,
    TO_AN_ADDRESS,
    TONGUES,
    ask_among,
    letter,
    letter_context,
    many,
    renamed,
    specimens,
)
from tests.engine.build import PEOPLE
from tests.engine.players import draw_from, play
from tests.gallery import letter_files, samples
from tests.gallery.letter_files import CHAT
from tests.gallery.samples import GAME, SAMPLE_LINKS, SampleGame, compose

DOMAIN = "post.players.example.org"
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
    root=f"<{GAME}@{DOMAIN}>",
    answers=None,
    list_id=f"{GAME}.{DOMAIN}",
    unsubscribe=SAMPLE_LINKS.unsubscribe_links(GAME, 0),
    replied=False,
    date=datetime(2027, 1, 14, 18, tzinfo=UTC),
)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
ONE_LINE = "From To Reply-To Message-ID In-Reply-To References List-Id List-Unsubscribe".split()
ORDER = """
    From To Reply-To Subject Date Message-ID In-Reply-To References List-Id List-Unsubscribe
    List-Unsubscribe-Post Auto-Submitted
    X-Auto-Response-Suppress X-Alexandros Feedback-ID MIME-Version Content-Type
    """.split()
OF_A_GAME = {"In-Reply-To", "References", "List-Id", "List-Unsubscribe"}
"""Headers of letters that stand in the thread of a game."""


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


def written(
    pngs: dict[str, bytes] | None = None, letter: Letter = LETTER, **envelope: object
) -> EmailMessage:
    """The letter as a mail whose form is faultless, opened; its envelope is another in some fields."""
    raw = compose_mail(letter, replace(ENVELOPE, **envelope), pngs)
    assert lint(raw) == []
    return opened(raw)


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
        if name in ONE_LINE[1:] and ("=?" in value or "\r\n" in value):
            found.append(f"{name} is folded or encoded")
        if any(len(word) > 75 for word in re.findall(r"=\?\S*\?=", value)):
            found.append(f"{name} has an encoded word of more than 75 characters (RFC 2047, section 2)")
        if "=?" in value and any(len(line) > 76 for line in field.split("\r\n")):
            found.append(f"{name} has a line of more than 76 with an encoded word (RFC 2047, section 2)")
        if name in ("Message-ID", "References", "In-Reply-To"):
            found += [f"{one} is longer than 60" for one in value.split() if len(one) > 60 and DOMAIN in one]
    return found


def test_every_header_stands_there_once_and_in_order() -> None:
    mail = written({"board": PNG})
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
    mail = written({}, earlier=earlier, answers=asked)
    assert mail["References"].split() == [ENVELOPE.root, *earlier[-9:], asked]
    assert mail["In-Reply-To"] == asked
    mail = written({}, earlier=earlier)
    assert mail["References"].split() == [ENVELOPE.root, *earlier[-10:]]
    assert mail["In-Reply-To"] == ENVELOPE.root


def test_a_house_with_a_long_name_refers_to_fewer() -> None:
    earlier = tuple(make_message_id(GAME, seq, 0, "news", "x" * 60 + "." + DOMAIN) for seq in range(10))
    named = opened(compose_mail(LETTER, replace(ENVELOPE, earlier=earlier), {}))["References"].split()
    assert named[0] == ENVELOPE.root
    assert 2 < len(named) < 11
    assert named[1:] == [*earlier[-len(named) + 1 :]]


def test_a_mail_about_no_game_is_in_no_thread_and_on_no_list() -> None:
    mail = written(root="", list_id="", unsubscribe=())
    assert not {*OF_A_GAME, "List-Unsubscribe-Post"} & {*mail.keys()}


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
    pictures = [part for part in mail.walk() if part["Content-ID"]]
    assert all(part.get_payload(decode=True) == PNG for part in pictures)
    assert all(part.get_content_disposition() == "inline" for part in pictures)
    assert [part["Content-ID"] for part in pictures] == [f"<{one.name}>" for one in one.letter.pictures]
    assert all(f"cid:{picture.name}" in one.letter.html for picture in one.letter.pictures)


SUBJECTS = {
    "signin": ("Alexandros: sign in", "Alexandros: aanmelden"),
    "seat_claim": ("Alexandros: a free seat", "Alexandros: een vrije plaats"),
    "notice": ("Alexandros: a new sign-in", "Alexandros: een nieuwe aanmelding"),
}


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_the_headers_of_every_kind_are_as_mailers_want_them(name: str, language: str) -> None:
    one = specimens()[name, language]
    mail = opened(compose_mail(one.letter, one.envelope, None))
    assert mail["From"] == "Alexandros <alexandros@example.org>"
    assert mail["Subject"] == one.letter.subject
    if name.startswith(("signin", "seat_claim", "notice", "replaced", "seat_refused")):
        assert one.letter.subject.startswith("Alexandros: ")
    assert one.letter.subject in SUBJECTS.get(name, (one.letter.subject,))
    assert mail["Auto-Submitted"] == ("auto-replied" if one.envelope.answers else "auto-generated")
    assert mail["X-Auto-Response-Suppress"] == "All"
    assert mail[OWN_HEADER] == name.partition("-")[0]
    assert len(mail["Message-ID"]) <= 60
    local, _, domain = str(mail["Reply-To"]).partition("@")
    assert len(local) <= 64
    assert domain == SAMPLE_LINKS.domain or (
        name.startswith(("signin", "notice", "replaced", "seat_refused"))
        and mail["Reply-To"] == letter_files.HOUSE_ADDRESS
    )
    if name in TO_AN_ADDRESS:
        assert not OF_A_GAME & {*mail.keys()}
        return
    if name.startswith("proposal"):
        found, _ = unseal_game(Purpose.PROPOSAL_REPLY, local.removeprefix("new+"), SAMPLE_LINKS.keys)
        assert found == GAME
    else:
        ticket, _ = unseal_reply(local.removeprefix("play+"), SAMPLE_LINKS.keys)
        assert (ticket.game, ticket.words) == (GAME, "")
    root = f"<{GAME}@{SAMPLE_LINKS.domain}>"
    assert mail["References"].split()[0] == root
    assert len(mail["References"].split()) <= 11
    assert mail["In-Reply-To"] == one.envelope.answers or mail["In-Reply-To"] == root
    assert mail["List-Id"] == f"<{GAME}.{SAMPLE_LINKS.domain}>"
    page, by_mail = (str(link).strip("<>") for link in mail["List-Unsubscribe"].split(", "))
    assert page.startswith("https://play.example.org/u/")
    assert by_mail.startswith("mailto:stop+")
    assert max(len(page), len(by_mail)) <= 70
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_whoever_cannot_be_asked_by_a_page_is_asked_by_mail_alone() -> None:
    unsubscribe = SAMPLE_LINKS.unsubscribe_links(GAME, 0)[1:]
    mail = written(unsubscribe=unsubscribe)
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


@pytest.mark.parametrize(
    ("pngs", "kinds"),
    [
        ({}, "multipart/alternative text/plain text/html"),
        ({"board": PNG}, "multipart/alternative text/plain multipart/related text/html image/png"),
    ],
    ids=["without a picture", "with one"],
)
def test_the_parts_come_out_as_they_went_in(pngs: dict[str, bytes], kinds: str) -> None:
    mail = written(pngs)
    assert [part.get_content_type() for part in mail.walk()] == kinds.split()
    assert words(mail, "plain") == LETTER.text
    assert words(mail, "html") == LETTER.html


def test_an_answer_refers_to_the_mail_and_to_the_game() -> None:
    asked = "<CAF+abc=123@mail.example.com>"
    mail = written({}, answers=f" {asked}\r\n", replied=True)
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
    mail = written({}, answers=hostile)
    assert mail["In-Reply-To"] == mail["References"] == ENVELOPE.root
    assert mail.keys() == ORDER


@given(st.text("!#$%&'*+-/=?^_`{|}~.@<>abz019 \r\n\t\0é", max_size=60).map(lambda inner: f"<{inner}>"))
def test_whatever_id_a_stranger_sends_the_mail_stays_whole(answers: str) -> None:
    assert written({}, answers=answers).keys() == ORDER


def test_nothing_to_answer_has_no_reply_to() -> None:
    assert "Reply-To" not in written({}, reply_to=None)


TWO_LINES = "a@example.org\r\nBcc: everybody@example.org"


@pytest.mark.parametrize("field", ["sender", "recipient", "reply_to", "list_id"])
def test_no_value_can_begin_a_header_of_its_own(field: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        compose_mail(LETTER, replace(ENVELOPE, **{field: TWO_LINES}), None)


@given(st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=60))
def test_a_subject_is_read_as_it_was_written(name: str) -> None:
    subject = f"Alexandros: {' '.join(name.split())}".rstrip()
    assert written(letter=replace(LETTER, subject=subject))["Subject"] == subject.replace("=?", "= ?")


def test_a_long_address_stays_one_word() -> None:
    far = f"{'a' * 64}@{'b' * 50}.example.org"
    assert written({}, recipient=far, reply_to=far)["To"] == far


@given(st.integers(0, 10**9), st.integers(0, 3), st.from_regex(r"[a-z_]{1,12}[0-9]{0,12}", fullmatch=True))
def test_an_id_is_short_and_follows_from_its_occasion(seq: int, seat: int, kind: str) -> None:
    made = make_message_id(GAME, seq, seat, kind, "d" * 21 + ".org")
    assert len(made) <= 60
    assert re.fullmatch(r"<[a-z0-9_.]+@[a-z.]+>", made)
    assert made == make_message_id(GAME, seq, seat, kind, "d" * 21 + ".org")


def test_different_occasions_have_different_ids() -> None:
    kinds = ["turn", "answer1", "answer12345678901234", "answer12345678901235", "over", "time_passed"]
    occasions = [*product(range(20), range(4), kinds)]
    made = {make_message_id(GAME, *one, DOMAIN) for one in occasions}
    assert len(made) == len(occasions)
    assert f"<{GAME}@{DOMAIN}>" not in made


# --- subjects, and the size of the largest letters ------------------------------------------------------

MOST_WORDS, MOST_WITH_BOARD = 350, 650
HEADINGS = {"en": "\n== The board ==\n", "nl": "\n== Het bord ==\n"}
FIRST_RULES = {"en": "\n== The game in two minutes ==", "nl": "\n== Het spel in twee minuten =="}


@pytest.mark.parametrize("which", first(1, ["three-players", "two-players"]))
def test_a_letter_of_a_turn_has_few_words_before_the_board_and_with_it(which: str) -> None:
    decisions = (*stored_game(which).turn_starts()[1::3], *stored_game(which).action_starts()[1::3])
    for (at, seat), language in zip(decisions, cycle(HEADINGS), strict=False):
        with use_locale(Locale(language)):
            text = samples.render_your_turn(stored_game(which).letter_context(at, seat)).text
        before, board, _ = text.partition(HEADINGS[language])
        assert board
        assert len(before.split()) <= MOST_WORDS
        assert len(text.partition(FIRST_RULES[language])[0].split()) <= MOST_WITH_BOARD


def test_the_letters_of_a_turn_share_a_subject_and_those_of_others_have_theirs() -> None:
    names = ("your_turn", "step", "reminder", "digest-turn", "answer", "refused", "refused-march", "shown")
    assert {letter(name).subject.removeprefix(REPLY) for name in names} == {"Spring: your turn (turn 16)"}
    assert {name for name in names if letter(name).subject.startswith(REPLY)} == set(names[4:])
    assert letter("news").subject == "Spring: Anna occupied Pura (turn 16)"
    assert letter("message").subject == "Spring: a message from Ben and Cleo"
    assert letter("time_passed-mine").subject == "Spring: your turn (turn 13)"


def test_an_answer_stands_where_the_letter_stood_that_was_answered() -> None:
    waiting = replace(letter_context("news"), answered="Spring: Anna occupied Pura (turn 16)")
    assert samples.render_shown(waiting, ()).subject == "Re: Spring: Anna occupied Pura (turn 16)"
    next_turn = STORY.letter_context(*STORY.turn_starts()[18])
    next_turn = replace(next_turn, answered="Spring: your turn (turn 16)")
    assert samples.render_answer(next_turn).subject == "Spring: your turn (turn 19)"


def test_an_answer_to_a_first_letter_names_the_game() -> None:
    waiting, turn = (
        replace(letter_context(name), answered=gettext(ANY_SUBJECT)) for name in ("news", "step")
    )
    assert samples.render_shown(waiting, ()).subject == "Re: Spring: your turn (turn 15)"
    assert samples.render_answer(turn).subject == "Re: Spring: your turn (turn 16)"


def test_whoever_wants_one_conversation_has_one_subject() -> None:
    for name in ("your_turn", "news", "message", "game_over"):
        made = replace(letter_context(name), one_conversation=True)
        for payload in (game_letters.Message(), game_letters.Digest()):
            assert compose(payload, made).subject == "Alexandros: Spring"


def test_what_is_told_to_one_alone_stands_in_no_subject_and_no_preview() -> None:
    made = letter("message")
    preview = made.html.partition('class="preheader"')[2].partition("</div>")[0]
    assert CHAT[0].words in preview
    assert CHAT[1].words not in preview
    assert CHAT[1].words not in made.subject


MOST_OF_PNG, MOST_OF_ANY_HTML = 80_000, 60_000
NAMES = {
    "latin": ("Anna", "Ben", "Cleo", "Dirk"),
    "cyrillic": ("Екатерина", "Владислав", "Александра", "Константин"),
    "greek": tuple(letter * 40 for letter in "αβγδ"),
    "kanji": tuple(letter * 40 for letter in "字山川水"),
    "emoji": tuple(letter * 40 for letter in "😀🐎🎲🏛"),
    "signs": tuple(letter * 40 for letter in "&'\"&"),
}
"""Names of at most forty letters, which is what a player may be called."""


@cache
def played(edition: str) -> SampleGame:
    """A game of four that the house plays from its beginning to its end."""
    dice = Random(len(edition))
    first = deal(BOARD, edition, PEOPLE[:4], draw_from(dice))
    return sample_of(play(start(BOARD, first), first, (plays_to_win,) * 4, dice))


def moments(story: SampleGame, names: tuple[str, ...], every: int, first: int) -> Iterator[GameLetterContext]:
    """Some moments of a game, and its end, with all that players may write between two letters."""
    told = tuple(UnreadChat(name, name[-1] * LONGEST_CHAT, False) for name in (*names, names[0]))
    points = [*story.turn_starts(), *story.action_starts()]
    for number, (at, seat) in enumerate((*points[first::every], (len(story.events), 0))):
        made = renamed(story.letter_context(at, seat), names)
        yield replace(made, messages=told if number % 3 or made.view.table.over else ())


def largest(made: GameLetterContext, story: SampleGame) -> Iterator[Letter]:
    if made.view.table.over:
        yield compose(game_letters.GameOver(), made, happened=story.told_to(0))
        return
    whole, chooses = replace(made, everything=True), made.view.table.phase == "card"
    yield samples.render_your_turn(whole) if chooses else samples.render_step(whole)
    if made.after % 4 == 2:
        yield compose(game_letters.Substitute(), replace(whole, earlier_name="&" * 60))
    made = replace(made, shown=frozenset({RequestKind.BOARD, RequestKind.ALL}))
    if made.after % 4 == 0:
        yield compose(game_letters.Message(), made)
        undone, posted = ("&" * 600,) * 20, ("“" + "&" * 600 + "”",) * 29
        sections = build_sections([Request(kind) for kind in RequestKind], made, story.told_to(0))
        yield samples.render_answer(made, (), undone, "why", posted)
        yield samples.render_shown(made, sections)
        said_before = ("choose lyre", "march Hecatompylos A3-B4-C3-D4-E5-F6-G7") * 9
        yield samples.render_refused("&" * 600, made, ask_among(made.view, said_before))


def raw(letter: Letter, after: int) -> bytes:
    """A letter as a mail that refers to as many others as one does."""
    envelope = replace(
        ENVELOPE,
        reply_to=SAMPLE_LINKS.reply_address(Ticket(GAME, 0, after)),
        message_id=make_message_id(GAME, after, 0, letter.kind, DOMAIN),
        answers="<" + "a" * 100 + "@" + "b" * 100 + ">",
        replied=True,
        earlier=tuple(make_message_id(GAME, seq, 0, "digest", "x" * 20 + DOMAIN) for seq in range(10)),
    )
    pngs = draw_pictures(letter)
    assert all(len(png) <= MOST_OF_PNG for png in pngs.values())
    return compose_mail(letter, envelope, pngs)


BIG = [(which, "identity-games", 23, 5 + len(which)) for which in NAMES]
ALL = [(which, edition, 1, 0) for which in NAMES for edition in ("identity-games", "rio-grande")]


@pytest.mark.parametrize(("which", "edition", "every", "first"), by_run(BIG[4:5], BIG[:4] + BIG[5:], ALL))
def test_no_mail_of_a_game_of_four_is_large(which: str, edition: str, every: int, first: int) -> None:
    """The letters of some moments of a game, in one language after the other."""
    story, languages = played(edition), cycle(LANGUAGES)
    for made in moments(story, NAMES[which], every, first):
        with use_locale(Locale(next(languages))):
            for letter in largest(made, story):
                assert len(letter.html.encode()) <= MOST_OF_ANY_HTML, (letter.kind, made.after)
                assert len(raw(letter, made.after)) <= MOST_OF_A_MAIL, (letter.kind, made.after)


def test_words_are_coded_in_the_shorter_way() -> None:
    assert encode_text("Hello Zoë, well played = \n" * 9)[0] == "quoted-printable"
    assert encode_text("Ἀλέξανδρος " * 20)[0] == "base64"
    for words in ("", "a", "Zoë\n", "αβγ\n" * 300):
        assert encoded_size(words) <= len(words.encode()) * 1.6 + 90


def test_what_does_not_fit_stands_on_the_page() -> None:
    story = played("identity-games")
    [made, *_] = moments(story, NAMES["greek"], 40, 31)
    told = (UnreadChat("Ben", "β" * 600, False),) * 6
    letter = samples.render_your_turn(replace(made, messages=told, everything=True))
    for part in (letter.text, letter.html):
        assert "more on the page" in part
    assert "3 older messages stand on the page" in letter.text
    assert letter.text.count("  * choose ") >= 1
