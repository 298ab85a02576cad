"""Every letter that a player can get, in each of its ways and in every language, about one game.

The game ships with the house (sample_game.jsonl), and nothing here depends on a clock, on chance or on a
setting: the same letters come out byte for byte wherever they are written, to be looked at and to be
compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from emails.gallery.letter_variants import letter_variants
from emails.gallery.sample_answers import NOT_PLAYED
from emails.gallery.sample_contexts import (
    LOCAL_PARTS,
    UNWANTED,
    sample_address_change,
    sample_confirmation,
    sample_invitation,
    sample_move,
    sample_notice,
    sample_proposal,
    sample_question,
    sample_seat_claim,
    sample_sign_in,
)
from emails.gallery.sample_game import GAME, NAME, NOW, SAMPLE_LINKS, SampleGame, load_sample_game
from emails.i18n import UTC_ZONE, Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.contexts import AccountEvent, ReplacedContext, SeatRefusedContext, VacatedSeat
from emails.letters.kinds import LetterKind, SeatLoss, VacancyReason
from emails.letters.renderer import (
    Envelope,
    Letter,
    compose_mail,
    draw_pictures,
    make_message_id,
    make_thread_id,
    translate_order,
)
from emails.replies.reply_reader import DOUBT
from emails.tokens import Ticket
from emails.wording.requests import RequestKind, request_word
from engine.board import Board

ZONES = {"nl": "Europe/Amsterdam"}
ANSWERED_ID = "<a-mail-of-hers@mail.example.org>"
ANSWERING_KINDS = (
    LetterKind.ACCEPTED,
    LetterKind.ANSWER,
    LetterKind.REFUSED,
    LetterKind.SHOWN,
    LetterKind.ASKED_BACK,
    LetterKind.PROPOSAL,
)
"""Those that answer a mail."""
HOUSE_ADDRESS = "alexandros@example.org"
NOTICES = (
    ("notice", AccountEvent.SIGNED_IN, ""),
    ("notice-key", AccountEvent.KEY_MADE, "My program"),
    ("notice-address", AccountEvent.ADDRESS_ASKED, "anna@new.example.org"),
)
"""The notices, each with the name of its file."""
NOT_UNDERSTOOD = {"en": "My sister Cleo joins too", "nl": "Mijn zus Cleo doet ook mee"}
"""A line of somebody who asks for a game."""
GUEST_NOTES = {
    "en": "It is much easier than it looks, and we have all winter. Shall we?",
    "nl": "Het is veel makkelijker dan het lijkt, en we hebben de hele winter. Doe je mee?",
}
"""A line of an organiser's to the guests, by the language."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A letter with all that its mail needs but the pictures' PNG."""

    name: str
    language: str
    letter: Letter
    envelope: Envelope

    @property
    def file(self) -> str:
        """The name of its files without what says of which kind they are."""
        return f"{self.name}.{self.language}"


def render_specimens(board: Board) -> Iterator[Specimen]:
    """Every letter in every language."""
    for language in LANGUAGES:
        with use_locale(Locale(language, ZONES.get(language, UTC_ZONE))):
            made = list(_written(load_sample_game(board), language))
        yield from made


def _written_questions(language: str) -> Iterator[Specimen]:
    """The letters that ask whether a mail is meant."""
    yield _specimen("asked_back", language, game_letters.render_asked_back(sample_question()), 1, 0)
    for kind in (RequestKind.RESIGN, RequestKind.NEW_LINKS):
        question = sample_question(lines=(request_word(kind),), request=kind, unproven=False)
        variant = f"asked_back-{kind.replace(' ', '-')}"
        yield _specimen(variant, language, game_letters.render_asked_back(question), 1, 0)
    doubt = gettext(DOUBT, line="(?)")
    orders = tuple(map(translate_order, ("choose lyre", "march Larissa A3-B4-C3")))
    doubted = sample_question(lines=orders, unproven=False, doubt=doubt)
    yield _specimen("asked_back-doubt", language, game_letters.render_asked_back(doubted), 1, 0)


def _written(game: SampleGame, language: str) -> Iterator[Specimen]:
    """Every letter in the language spoken, which is this one."""
    board = game.positions[0].table.board
    invited = replace(
        sample_invitation(),
        links=replace(SAMPLE_LINKS, unwanted=UNWANTED),
        note=GUEST_NOTES[language],
        board=board,
    )
    yield _specimen("invitation", language, lobby_letters.render_invitation(invited), 0, 0)
    unasked = replace(sample_invitation(), asker="", board=board)
    yield _specimen("invitation-unasked", language, lobby_letters.render_invitation(unasked), 0, 0)
    yield _specimen(
        "accepted", language, lobby_letters.render_accepted(sample_invitation(), ("Ben", "Cleo")), 0, 0
    )
    yield _specimen("called_off", language, lobby_letters.render_called_off(sample_invitation()), 0, 0)
    yield _specimen(
        "declined",
        language,
        lobby_letters.render_declined(sample_invitation(), VacatedSeat("Ben", VacancyReason.DECLINED, True)),
        0,
        0,
    )
    left = VacatedSeat("Ben", VacancyReason.LEFT, False)
    silent = VacatedSeat("Ben", VacancyReason.SILENT, True)
    yield _specimen("declined-left", language, lobby_letters.render_declined(sample_invitation(), left), 0, 0)
    yield _specimen(
        "declined-silent", language, lobby_letters.render_declined(sample_invitation(), silent), 0, 0
    )
    for way in letter_variants(game):
        yield _specimen(way.name, language, way.write(way.context(game)), way.at, way.seat)
    yield _specimen("refused-no-game", language, game_letters.render_refused(gettext(NOT_PLAYED)), 0, 0)
    yield from _written_questions(language)
    yield _specimen(
        "stopped-invitation",
        language,
        game_letters.render_stopped_before_start(sample_invitation(), True),
        0,
        0,
    )
    yield _specimen("confirm", language, account_letters.render_confirm(sample_confirmation()), 0, 0)
    week = NOW + timedelta(days=7)
    later = account_letters.render_confirm(sample_confirmation(due_at=week))
    yield _specimen("confirm-later", language, later, 0, 0)
    yield _specimen("move_asked", language, account_letters.render_move_asked(sample_move()), 0, 0)
    unheard = account_letters.render_move_asked(sample_move(due_at=week))
    yield _specimen("move_asked-dead", language, unheard, 0, 0)
    yield _specimen("moved", language, account_letters.render_moved(sample_address_change()), 0, 0)
    yield _specimen("signin", language, account_letters.render_signin(sample_sign_in()), 0, 0)
    for variant, event, about in NOTICES:
        told = account_letters.render_notice(sample_notice(event, about=about))
        yield _specimen(variant, language, told, 0, 0)
    yield from _written_of_seats(language)
    yield _specimen("proposal", language, lobby_letters.render_proposal(sample_proposal()), 0, 0)
    alone = sample_proposal(("Anna",), (NOT_UNDERSTOOD[language],))
    yield _specimen("proposal-incomplete", language, lobby_letters.render_proposal(alone), 0, 0)


def _written_of_seats(language: str) -> Iterator[Specimen]:
    """The letters to whoever has lost a seat, or would have one."""
    for loss in SeatLoss:
        replaced = ReplacedContext("Anna", NAME, loss, SAMPLE_LINKS.games_link())
        yield _specimen(f"replaced-{loss}", language, account_letters.render_replaced(replaced), 0, 0)
    why, page = gettext(account_letters.SEAT_TAKEN), SAMPLE_LINKS.join_link(GAME)
    refused = SeatRefusedContext("Anna", why, page, "")
    yield _specimen("seat_refused", language, account_letters.render_seat_refused(refused), 0, 0)
    claim = account_letters.render_seat_claim(sample_seat_claim())
    yield _specimen("seat_claim", language, claim, 0, 0)


def _specimen(name: str, language: str, letter: Letter, after: int, seat: int) -> Specimen:
    """A letter with its envelope: one about no game stands in no thread."""
    person = LOCAL_PARTS[seat]
    answers = ANSWERED_ID if letter.kind in ANSWERING_KINDS else None
    envelope = Envelope(
        sender=f"Alexandros <{HOUSE_ADDRESS}>",
        bounce=HOUSE_ADDRESS,
        recipient=f"{person}@example.org",
        reply_to=SAMPLE_LINKS.reply_address(Ticket(GAME, seat, after)),
        message_id=make_message_id(GAME, after, seat, letter.kind, SAMPLE_LINKS.domain),
        root=make_thread_id(GAME, SAMPLE_LINKS.domain),
        answers=answers,
        list_id=f"{GAME}.{SAMPLE_LINKS.domain}",
        unsubscribe=SAMPLE_LINKS.unsubscribe_links(GAME, seat),
        replied=answers is not None,
        date=NOW,
        earlier=(make_message_id(GAME, after - 1, seat, LetterKind.NEWS.mark, SAMPLE_LINKS.domain),)
        if after
        else (),
    )
    if letter.kind in (LetterKind.CONFIRM, LetterKind.MOVE_ASKED, LetterKind.MOVED):
        asked = sample_confirmation() if letter.kind == LetterKind.CONFIRM else sample_address_change()
        envelope = replace(envelope, reply_to=asked.reply, root="", list_id="", unsubscribe=())
    if letter.kind in (
        LetterKind.SIGNIN,
        LetterKind.SEAT_CLAIM,
        LetterKind.NOTICE,
        LetterKind.REPLACED,
        LetterKind.SEAT_REFUSED,
    ):
        reply = sample_seat_claim().reply if letter.kind == LetterKind.SEAT_CLAIM else HOUSE_ADDRESS
        envelope = replace(envelope, reply_to=reply, root="", list_id="", unsubscribe=())
    if letter.kind == LetterKind.PROPOSAL:
        envelope = replace(envelope, bounce="", reply_to=sample_proposal().reply)
    if letter.kind == LetterKind.CONFIRM:
        envelope = replace(envelope, recipient=sample_confirmation().address)
    return Specimen(name, language, letter, envelope)


def render_files(board: Board) -> Iterator[tuple[str, bytes]]:
    """Each letter as files, with their names: the mail, its two parts, and its pictures.

    In the HTML each picture is the file beside it, so that a browser shows it.
    """
    for one in render_specimens(board):
        letter = one.letter
        pngs = draw_pictures(letter)
        html = letter.html
        for name, png in pngs.items():
            file = f"{one.file}.png" if name == "board" else f"{one.file}.{name}.png"
            html = html.replace(f"cid:{name}", file)
            yield file, png
        yield f"{one.file}.eml", compose_mail(letter, one.envelope, pngs)
        yield f"{one.file}.html", html.encode()
        yield f"{one.file}.txt", letter.text.encode()
