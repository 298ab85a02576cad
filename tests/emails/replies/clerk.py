"""Mails as people write them, each with the verdict of a careful clerk who knows the position.

The data stand in clerk_corpus as JSON lines, to be read and edited by hand:

- `games/`: the logs of games that the house played from a seed, up to the last point used.
- `points.jsonl`: a point is a decision of one player. Its position is that after the first `events` lines of
  the log of its `game`; `choices` are the lettered turns that its player was shown, as canonical orders.
- `replies/`: what that player wrote, in English or Dutch.
- `doubts/`: mails with an order that is taken back, hedged or conditional, in eight languages. `place` is
  where the doubt stands: in the line of the order, in the line below, after a blank line, below the name, or
  above.
- `talk/`: mails with an order and harmless talk.

The verdicts: `play` the orders at once, since nothing about them is in doubt; `propose` them as the first
choice, with `alternatives` that are acceptable too; `ask` what is said in `about`; `refuse` for the reason in
`why`; or `talk`, where nothing is ordered. With the last three, `orders` and `alternatives` are what an
answer may well offer.

A mail belongs to one half by its id alone. The half not seen is kept until a reader is judged at the end:
whoever builds one looks at the other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from enum import StrEnum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from emails.i18n import Locale, current_locale, use_locale
from emails.languages.lexicon import lexicon_of
from emails.languages.supported_languages import ENGLISH, LANGUAGES
from emails.replies import parsed_mail
from emails.replies.clerk.proposals import TurnProposal, find_certain_turn, propose
from emails.replies.grammars import GameGrammar
from emails.replies.reply_reader import Message, read_reply
from engine.notation.orders import OrderLine
from engine.notation.parser import parse_line
from engine.position import Position, view
from server.inbox.mail_answers import explain_refusal, reconsider
from server.turns.dry_run import LinesRefused, simulate_orders
from tests.emails.positions import BOARD, first_card
from tests.gallery.samples import SampleGame

HERE = Path(__file__).parent / "clerk_corpus"

Orders = tuple[str, ...]


class Verdict(StrEnum):
    """What a careful clerk does with a mail."""

    PLAY = "play"
    PROPOSE = "propose"
    ASK = "ask"
    REFUSE = "refuse"
    TALK = "talk"


@dataclass(frozen=True, slots=True)
class Point:
    """A decision of one player."""

    id: str
    game: str
    events: int
    """How many facts of its game have happened."""
    edition: str
    players: int
    reader: str
    """Whose turn it is, and who writes the mails."""
    phase: str
    choices: dict[str, list[str]]
    """The lettered turns that the reader was shown."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What somebody wrote at a point, and what is right to do with it."""

    id: str
    point: str
    language: str
    text: str
    verdict: Verdict
    orders: Orders = ()
    alternatives: tuple[Orders, ...] = ()
    about: str = ""
    why: str = ""
    kind: str = ""
    """Of a doubt: a retraction, a hedge or a condition."""
    place: str = ""

    @property
    def seen(self) -> bool:
        """Whether it is of the half that may be looked at while a reader is built."""
        return int(sha256(self.id.encode()).hexdigest(), 16) % 2 == 0


@cache
def points() -> dict[str, Point]:
    return {row["id"]: Point(**row) for row in _rows(HERE / "points.jsonl")}


@cache
def game(name: str) -> SampleGame:
    return SampleGame.from_lines((HERE / "games" / f"{name}.jsonl").read_text("utf-8").splitlines(), BOARD)


@cache
def position(point: str) -> Position:
    told = points()[point]
    return game(told.game).positions[told.events - 1]


@cache
def mails(folder: str) -> tuple[Mail, ...]:
    """All the mails of a folder: `replies`, `doubts` or `talk`."""
    files = sorted((HERE / folder).glob("*.jsonl"))
    return tuple(_read_mail(row) for file in files for row in _rows(file))


def seen(folder: str) -> list[Mail]:
    """The half that may be looked at while a reader is built."""
    return [mail for mail in mails(folder) if mail.seen]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text("utf-8").splitlines():
        yield json.loads(line)


def _read_mail(row: dict[str, Any]) -> Mail:
    alternatives = tuple(map(tuple, row.get("alternatives", ())))
    orders, verdict = tuple(row.get("orders", ())), Verdict(row["verdict"])
    return Mail(**row | {"verdict": verdict, "orders": orders, "alternatives": alternatives})


def choices_at(point: str) -> dict[str, str]:
    """The lettered turns that a reader was shown, as orders."""
    return {letter: "; ".join(orders) for letter, orders in points()[point].choices.items()}


def propose_at(text: str, point: str, language: str = "en") -> TurnProposal:
    """What is proposed to the reader of a point who writes in their own words."""
    now = position(point)
    return propose(text.split("\n"), view(now, now.table.seat), choices_at(point), (language,))


# --- how mails are answered -----------------------------------------------------------------------------


class Outcome(StrEnum):
    """What became of a mail, beside what a careful clerk would have done."""

    PLAYED = "played right"
    PROPOSED = "proposed right as first choice"
    ASKED = "asked fittingly"
    HELPED = "refused helpfully"
    USELESS = "refused uselessly"
    MISSED = "proposed something else"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a mail is answered."""

    played: Orders = ()
    offered: tuple[Orders, ...] = ()
    sentence: str = ""
    helpful: bool = False
    """Whether a sentence says more than that nothing was understood."""


def answer(mail: Mail, choices: dict[str, str] | None = None) -> Answer:
    """What is answered to a mail of the corpus, in the language of its writer."""
    now, choices = position(mail.point), choices or choices_at(mail.point)
    language = mail.language if mail.language in LANGUAGES else ENGLISH
    with use_locale(Locale(language)):
        message = read_reply(
            parsed_mail.Mail(_raw(mail, points()[mail.point].reader)),
            GameGrammar(BOARD, choices, lexicon_of(language)),
            names=now.table.names,
        )
        return _answer_message(message, now, choices)


def _answer_message(message: Message, now: Position, choices: dict[str, str]) -> Answer:
    seat = now.table.seat
    certain = find_certain_turn(message, view(now, seat), choices, (current_locale().language,))
    sure = [parse_line(OrderLine, one, BOARD) for one in certain]
    if certain and (message.doubtful or not message.orders):
        return Answer(played=simulate_orders(now, seat, sure, first_card).done)
    if message.doubtful and not message.orders:
        return Answer(sentence=message.reason, helpful=bool(message.lines))
    if not message.orders:
        return Answer(sentence=message.reason, helpful=bool(message.requests or message.chat))
    try:
        run = simulate_orders(now, seat, message.orders, first_card)
    except LinesRefused as error:
        if certain:
            return Answer(played=simulate_orders(now, seat, sure, first_card).done)
        why = reconsider(message, view(now, seat), choices, error, explain_refusal(error, message))
        offered = () if why.question is None else why.question.choices
        turns = tuple(_play(one.words, now) for one in offered)
        useless = any(words in why.sentence for words in USELESS)
        helpful = not useless or bool(getattr(error.refusal, "did_you_mean", ()))
        return Answer(offered=turns, sentence=why.sentence, helpful=helpful)
    if message.doubtful:
        return Answer(offered=(run.done,), sentence=message.reason, helpful=True)
    return Answer(played=run.done)


def _play(words: str, now: Position) -> Orders:
    lines = [parse_line(OrderLine, one, BOARD) for one in words.split("; ")]
    try:
        return simulate_orders(now, now.table.seat, lines, first_card).done
    except LinesRefused:  # it is asked about in its turn
        return tuple(words.split("; "))


USELESS = ("No order was found", "geen opdracht gevonden", "is no action", "is geen actie")


def _raw(mail: Mail, reader: str) -> bytes:
    made = EmailMessage()
    made["From"] = f"{reader} <{reader.lower()}@example.org>"
    made["To"] = "game@play.example.org"
    made["Subject"] = "Re: Friday"
    made.set_content(mail.text)
    return bytes(made)


def judge(mail: Mail) -> Outcome:
    """What became of a mail.

    Whoever says a card and nothing else has said the first step of a turn, and the answer asks for the march.
    """
    given = answer(mail)
    right = {_bare(orders) for orders in (mail.orders, *mail.alternatives) if orders}
    ordered = mail.verdict in (Verdict.PLAY, Verdict.PROPOSE)
    if given.played:
        if ordered and _bare(given.played) in right:
            return Outcome.PLAYED
        alone = len(given.played) == 1 and given.played[0].startswith(("choose ", "play "))
        return Outcome.ASKED if alone and mail.verdict is Verdict.ASK else Outcome.WRONG
    offered = [_bare(orders) for orders in given.offered]
    if not ordered:
        if offered or given.helpful or mail.verdict is Verdict.TALK:
            return Outcome.ASKED if offered else Outcome.HELPED
        return Outcome.USELESS
    if offered and offered[0] in right:
        return Outcome.PROPOSED
    if any(orders in right for orders in offered):
        return Outcome.ASKED
    if offered:
        return Outcome.MISSED
    return Outcome.HELPED if given.helpful else Outcome.USELESS


def _bare(orders: Orders) -> Orders:
    """Orders without the end of a turn, which comes by itself or is said in words of its own.

    Cards that are taken one after the other come in the same order.
    """
    plain = list(orders[:-1] if orders[-1:] == ("end",) else orders)
    if len(plain) > 1 and all(one.startswith("take ") for one in plain[-2:]):
        plain[-2:] = sorted(plain[-2:])
    return tuple(plain)
