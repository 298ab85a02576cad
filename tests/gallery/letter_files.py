"""Files of every letter that a player can get, in each variant and language, about the sample game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, partial

from emails.i18n import UTC_ZONE, Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters import account_letters, game_letters, lobby_letters
from emails.letters.declaration import AccountEvent, Payload, SeatLoss, VacancyReason
from emails.letters.parts import GameLetterContext, UnreadChat
from emails.letters.renderer import (
    Envelope,
    Letter,
    compose_mail,
    draw_pictures,
    make_message_id,
)
from emails.replies.reply_reader import DOUBT
from emails.terms import Habit, ReserveLeft, TurnOutlook
from emails.tokens import Ticket
from emails.wording.requests import RequestKind, VoteKind, request_word
from emails.wording.review_text import describe_costliest, describe_origins, describe_swing
from engine.board import Board
from engine.bots.advice import Suggestion, suggest_turns
from engine.bots.reviews import Swing, Verdict, harvests
from engine.cards import Symbol
from engine.events import CardDrawn
from engine.notation.grammar import read_canonical
from engine.position import View
from tests.gallery import samples
from tests.gallery.samples import (
    CLAIM_REPLY,
    CONFIRM,
    CONFIRM_REPLY,
    DEADLINE,
    GAME,
    LOCAL_PARTS,
    MOVE_ASKED,
    MOVED,
    NAME,
    NEW_ADDRESS,
    NOT_PLAYED,
    NOW,
    SAMPLE_LINKS,
    SEAT_CLAIM,
    SIGN_IN,
    UNWANTED,
    SampleGame,
    compose,
    load_sample_game,
    sample_invitation,
    sample_question,
    sample_request,
    with_missed_plan,
)

BEFORE_DEADLINE = DEADLINE - timedelta(hours=6)
DAY = timedelta(days=1)
TURN = 16
QUIET = 13
"""A turn of Anna's in which she laid one wall and drew two cards, as the server would have for her."""
CAMPAIGN = 18
"""A turn in which Cleo can take over a province, and choose which cards its holder gets."""
SWING = Swing(turn=16, seat=0, before=0.483, after=0.652)
"""The turn in which the sample game swung most."""
DEAREST = 14
BETTER = ("choose temple", "march Sittace G23-G21-G19", "take horse", "draw")
CHAT = (
    UnreadChat("Ben", "Well played, I did not see that coming. But wait until Alexander is in Egypt!", False),
    UnreadChat("Cleo", "Shall we leave Persia to each other?", True),
)
WITH_HOUSE = ("Philip", "Ben", "Cleo")


@dataclass(frozen=True, slots=True)
class LetterVariant:
    """One of the ways of a kind of letter about a game that is being played or over."""

    name: str
    """The kind, and after a hyphen what is special about it."""
    at: int
    seat: int
    write: Callable[[GameLetterContext], Letter]
    messages: tuple[UnreadChat, ...] = ()
    changed: bool = True
    """Whether the position has changed since the last letter to the reader."""
    everything: bool = False
    """Whether its reader wants everything in each letter."""
    other: SampleGame | None = None
    """The game from which it is made, where it goes another way than the one that ships with the house."""

    def context(self, game: SampleGame) -> GameLetterContext:
        made = (self.other or game).letter_context(self.at, self.seat)
        return replace(
            made,
            messages=self.messages,
            changed=self.changed,
            everything=self.everything,
            suggestions=suggest(made.view) if made.view.my_turn else (),
        )


@cache
def suggest(known: View) -> tuple[Suggestion, ...]:
    return suggest_turns(known, 5)


def letter_variants(game: SampleGame) -> Iterator[LetterVariant]:
    """Every kind of letter about a running game or one that is over, in each of its ways."""
    yield from _turns(game)
    yield from _answers_and_refusals(game)
    yield from _news(game)
    yield from _ends(game)


still = partial(LetterVariant, changed=False)
"""One of the ways where the position is as it was in the last letter."""


def about(payload: Payload, **changed: object) -> Callable[[GameLetterContext], Letter]:
    """What composes a letter with this payload and some fields of its context changed."""
    return lambda made: compose(payload, replace(made, **changed))  # type: ignore[arg-type]


def _turns(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, _) = game.turn_starts()[TURN - 1 : TURN + 1]
    middle = game.action_starts()[TURN - 1][0]
    turn, welcome = samples.render_your_turn, about(game_letters.Welcome())
    yield LetterVariant("welcome", 1, 1, welcome)
    yield LetterVariant("welcome-house", 1, 1, welcome, other=game.dealt_to(WITH_HOUSE))
    yield LetterVariant("your_turn", start, mover, turn)
    yield LetterVariant("your_turn-first", 1, 0, turn)
    yield LetterVariant("your_turn-messages", start, mover, turn, CHAT)
    yield LetterVariant("your_turn-everything", start, mover, turn, everything=True)
    yield LetterVariant("your_turn-plan", start, mover, lambda made: turn(with_missed_plan(made)))
    played = partial(_report_turn, game_letters.PlanPlayed(), game, mover)
    yield LetterVariant("plan_played", later, mover, played)
    yield LetterVariant("step", middle, mover, samples.render_step)
    reserve = ReserveLeft(DAY, DEADLINE - DAY, DEADLINE - BEFORE_DEADLINE)
    for name, reminder, left in (
        ("reminder", game_letters.Reminder(), None),
        ("reminder-home", game_letters.Reminder(home=True), None),
        ("reminder-asked", game_letters.Reminder(1), reserve),
    ):
        yield still(name, start, mover, about(reminder, reserve=left, now=BEFORE_DEADLINE))


def _answers_and_refusals(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, following) = game.turn_starts()[TURN - 1 : TURN + 1]
    begun, late = game.turn_starts()[QUIET - 1]
    drawn = next(at for at, one in enumerate(game.events, 1) if at > begun and isinstance(one, CardDrawn))
    campaign, cleo = game.action_starts()[CAMPAIGN - 1]
    raided = game.branch(campaign, CardDrawn(cleo, Symbol.LYRE))
    answer, refuse = samples.render_answer, samples.render_refused
    ask = partial(samples.refuse_with_question, game)
    march = partial(ask, before=(samples.CARD,), order=samples.MARCH, rest=(samples.AFTER,))
    raid = partial(ask, before=(), order=samples.TAKEOVER, rest=("draw",))
    question = partial(samples.answer_with_question, raided)
    yield LetterVariant("answer", later, mover, lambda made: answer(made, game.last_turn_of(made, mover), ()))
    yield LetterVariant("answer-in-part", drawn, late, lambda made: samples.answer_in_part(game, made, begun))
    yield LetterVariant("answer-question", campaign + 1, cleo, question, other=raided)
    yield LetterVariant("answer-messages", start, mover, samples.answer_chat, changed=False)
    yield still("refused", start, mover, lambda made: refuse(gettext(samples.PAST), made))
    yield still(
        "refused-not-my-turn", start, following, partial(samples.refuse_other_turn, game, seat=following)
    )
    yield still("refused-march", start, mover, march)
    yield still("refused-takeover", campaign, cleo, raid)
    yield still("refused-proposal", start, mover, samples.refuse_with_proposal)
    yield still("shown", start, mover, partial(samples.show_rule_and_hand, game))
    yield still("shown-done", start, following, samples.tell_done_requests)
    yield still("answer-settled", start, following, samples.answer_pause)
    yield still("shown-board", start, mover, partial(samples.show_requested, what=RequestKind.BOARD))
    yield still("shown-all", start, mover, partial(samples.show_requested, what=RequestKind.ALL))


def _news(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, following) = game.turn_starts()[TURN - 1 : TURN + 1]
    (_, late), (passed, next_of_late) = game.turn_starts()[QUIET - 1 : QUIET + 1]
    instead = partial(_report_turn, game_letters.TimePassed(late), game, late)
    known = TurnOutlook(NOW + 2 * DAY, NOW + 5 * DAY, Habit("Ben", DAY))
    third, news = (mover + 2) % 3, samples.render_news
    yield LetterVariant("news", later, third, lambda made: news(replace(made, next_turn=known)))
    yield still("message", later, mover, about(game_letters.Message()), CHAT)
    since = NOW - timedelta(hours=26)
    yield still("digest", start, following, about(game_letters.Digest(), turn_since=since))
    yield LetterVariant("digest-turn", start, mover, about(game_letters.Digest()))
    yield LetterVariant("time_passed", passed, next_of_late, instead)
    yield LetterVariant("time_passed-mine", passed, late, instead)


def _ends(game: SampleGame) -> Iterator[LetterVariant]:
    (start, mover), (later, following) = game.turn_starts()[TURN - 1 : TURN + 1]
    end = len(game.events)
    offer, ask = game_letters.SeatOffered(mover), partial(game_letters.Vote, seat=mover)
    yield LetterVariant("game_over", end, 1, partial(_tell_end, game, reviewed=True))
    yield LetterVariant("game_over-won", end, 0, partial(_tell_end, game), CHAT)
    welcome = about(game_letters.Substitute(), earlier_name="Dirk")
    yield LetterVariant("substitute", start, following, welcome)
    yield LetterVariant("substitute-turn", start, mover, welcome)
    yield still("seat_offered-resigned", start, following, about(offer, resigned=frozenset({mover})))
    for name, payload in (
        ("absence", game_letters.Absence()),
        ("seat_offered", offer),
        ("motion-done", ask(VoteKind.MORE_TIME, done=True)),
        ("motion", ask(VoteKind.MORE_TIME)),
        ("motion-pause", ask(VoteKind.PAUSE)),
    ):
        yield still(name, start, following, about(payload))
    yield LetterVariant("stopped", later, mover, about(game_letters.Stopped(False)))
    yield LetterVariant("stopped-everywhere", later, following, about(game_letters.Stopped(True)))


def _tell_end(game: SampleGame, made: GameLetterContext, reviewed: bool = False) -> Letter:
    findings = _review_lines(game, made) if reviewed else ()
    happened = game.told_to(made.view.my_seat)
    return compose(game_letters.GameOver(), made, happened=happened, findings=findings)


def _report_turn(payload: Payload, game: SampleGame, seat: int, made: GameLetterContext) -> Letter:
    """Compose a letter about the last turn of a seat."""
    return compose(payload, replace(made, acted=game.last_turn_of(made, seat)))


def _review_lines(game: SampleGame, made: GameLetterContext) -> tuple[str, ...]:
    """What the judge once thought of the sample game, in words for Ben."""
    board, steps = made.view.table.board, zip(game.positions, game.events[1:], strict=False)
    best = tuple(read_canonical(words, board) for words in BETTER)
    return (
        describe_origins(harvests(steps), SWING.seat, made.view),
        describe_swing(SWING, made.view),
        describe_costliest(Verdict(DEAREST, made.view.my_seat, (), best, 14.34), made.view.table.board),
    )


ZONES = {"nl": "Europe/Amsterdam"}
ANSWERED_ID = "<a-mail-of-hers@mail.example.org>"
ANSWERING_KINDS = ("accepted", "answer", "refused", "shown")
ANSWERING_KINDS += ("asked_back", "proposal")
"""Those that answer a mail."""
HOUSE_ADDRESS = "alexandros@example.org"
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
    for language in LANGUAGES:
        with use_locale(Locale(language, ZONES.get(language, UTC_ZONE))):
            made = list(_written(load_sample_game(board), language))
        yield from made


def _written(game: SampleGame, language: str) -> Iterator[Specimen]:
    """Every letter in the language spoken, which is this one."""
    for way in letter_variants(game):
        yield specimen(language, way.name, way.write(way.context(game)), way.at, way.seat)
    for name, question in _questions():
        yield specimen(language, name, compose(question), 1)
    for name, payload, more in _letters_without_game(game.positions[0].table.board, language):
        yield specimen(language, name, compose(payload, **more))


def _questions() -> Iterator[tuple[str, Payload]]:
    """The letters that ask whether a mail is meant."""
    doubt = gettext(DOUBT, line="(?)")
    orders = ("choose lyre", "march Larissa A3-B4-C3")
    yield "asked_back", sample_question()
    for kind in (RequestKind.RESIGN, RequestKind.NEW_LINKS):
        asked = sample_question(lines=(request_word(kind),), request=kind, unproven=False)
        yield f"asked_back-{kind.replace(' ', '-')}", asked
    yield "asked_back-doubt", sample_question(unproven=False, doubt=doubt, orders=orders)


def _letters_without_game(board: Board, language: str) -> Iterator[tuple[str, Payload, dict[str, object]]]:
    """Letters of the lobby and about accounts: name, payload, and changed fields of `SampleSources`."""
    strange, week = replace(SAMPLE_LINKS, unwanted=UNWANTED), NOW + timedelta(days=7)
    invited = replace(sample_invitation(), board=board)
    note = GUEST_NOTES[language]
    yield "invitation", lobby_letters.Invitation(note), {"invited": invited, "links": strange, "letter": 0}
    unasked = replace(invited, asker="")
    yield "invitation-unasked", lobby_letters.Invitation(), {"invited": unasked, "letter": 0}
    yield "accepted", lobby_letters.Accepted(), {"missing": ("Ben", "Cleo")}
    yield "called_off", lobby_letters.CalledOff(), {}
    for variant, how, joined in (
        ("declined", VacancyReason.DECLINED, True),
        ("declined-left", VacancyReason.LEFT, False),
        ("declined-silent", VacancyReason.SILENT, True),
    ):
        yield variant, lobby_letters.Declined(1, "Ben", how), {"joined": joined}
    yield "refused-no-game", game_letters.Refused(gettext(NOT_PLAYED)), {}
    yield "stopped-invitation", game_letters.Stopped(everywhere=True), {}
    yield "confirm", CONFIRM, {"links": strange}
    yield "confirm-later", CONFIRM, {"links": strange, "due_at": week}
    yield "move_asked", MOVE_ASKED, {}
    yield "move_asked-dead", MOVE_ASKED, {"due_at": week}
    yield "moved", MOVED, {}
    yield "signin", SIGN_IN, {}
    for variant, event, what in (
        ("notice", AccountEvent.SIGNED_IN, ""),
        ("notice-key", AccountEvent.KEY_MADE, "My program"),
        ("notice-address", AccountEvent.ADDRESS_ASKED, "anna@new.example.org"),
    ):
        yield variant, account_letters.Notice(event, NOW, "Firefox", what), {}
    for loss in SeatLoss:
        yield f"replaced-{loss}", account_letters.Replaced("Anna", NAME, language, loss), {}
    why = gettext(account_letters.SEAT_TAKEN)
    yield "seat_refused", account_letters.SeatRefused("Anna", language, why), {}
    yield "seat_claim", SEAT_CLAIM, {}
    yield "proposal", lobby_letters.Proposal(""), {"links": strange}
    alone = sample_request(("Anna",), (NOT_UNDERSTOOD[language],))
    yield "proposal-incomplete", lobby_letters.Proposal(""), {"links": strange, "request": alone}


ADDRESSES = dict.fromkeys(("confirm", "move_asked", "moved"), CONFIRM_REPLY)
ADDRESSES |= {"seat_claim": CLAIM_REPLY}
"""Where answers go to letters that are about no game and in no thread; of others about none, to the house."""
ABOUT_NO_GAME = {
    *ADDRESSES,
    "signin",
    "notice",
    "replaced",
    "seat_refused",
}


def specimen(language: str, name: str, letter: Letter, after: int = 0, seat: int = 0) -> Specimen:
    """A letter with its envelope: one about no game stands in no thread."""
    answers = ANSWERED_ID if letter.kind in ANSWERING_KINDS else None
    news = make_message_id(GAME, after - 1, seat, "news", SAMPLE_LINKS.domain)
    envelope = Envelope(
        sender=f"Alexandros <{HOUSE_ADDRESS}>",
        bounce=HOUSE_ADDRESS,
        recipient=f"{LOCAL_PARTS[seat]}@example.org",
        reply_to=SAMPLE_LINKS.reply_address(Ticket(GAME, seat, after)),
        message_id=make_message_id(GAME, after, seat, letter.kind, SAMPLE_LINKS.domain),
        root=f"<{GAME}@{SAMPLE_LINKS.domain}>",
        answers=answers,
        list_id=f"{GAME}.{SAMPLE_LINKS.domain}",
        unsubscribe=SAMPLE_LINKS.unsubscribe_links(GAME, seat),
        replied=answers is not None,
        date=NOW,
        earlier=(news,) if after else (),
    )
    if letter.kind in ABOUT_NO_GAME:
        reply = ADDRESSES.get(letter.kind, HOUSE_ADDRESS)
        envelope = replace(envelope, reply_to=reply, root="", list_id="", unsubscribe=())
    if letter.kind == "proposal":
        envelope = replace(envelope, bounce="", reply_to=SAMPLE_LINKS.proposal_links(GAME)[1])
    if letter.kind == "confirm":
        envelope = replace(envelope, recipient=NEW_ADDRESS)
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
