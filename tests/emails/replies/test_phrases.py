"""Phrases of corpus/phrases/*.toml: what each reader makes of what people write, in every language.

A group names its reader (`reads`). A meaning is what the reader's function below returns; empty: nothing is
read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from email.message import EmailMessage

import pytest

from emails.languages.lexicon import lexicon_of
from emails.letters.lobby_letters import GameRequest, Guest
from emails.replies import game_requests
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail, parse_headers
from emails.replies.reply_reader import Message, read_reply
from emails.replies.screening import Screening, is_author_proven, screen_mail
from emails.replies.time_requests.absences import (
    DateRange,
    read_absence,
    read_absence_line,
)
from emails.replies.time_requests.clauses import Speaker
from emails.replies.time_requests.days import find_zone, read_zone_line
from emails.replies.time_requests.guesses import guess_request
from emails.terms import TURN_TIMES, Tempo, TurnTime
from engine.notation.orders import OrderLine, spell_out
from engine.notation.parser import parse_line
from tests.emails.phrasebook import Group, Meaning, mistakes, read_groups
from tests.emails.positions import BOARD
from tests.emails.replies import clerk, desk
from tests.emails.replies.consequences import game_letter, outcome
from tests.emails.replies.shapes import CORPUS
from tests.spoken import find_swallowed_order, is_chat, parse_chat_line, parse_request

CHOICES = {"a": "draw", "b": "end", "c": "levy horse"}
"""What the letters of an answer stand for."""
LETTERED = GameGrammar(BOARD, {"a": "choose lyre; march Larissa A3-B4-C5; draw", "b": "draw", "d": "end"})
TUESDAY, WEDNESDAY = date(2026, 11, 24), date(2026, 6, 10)
ANNA = "Anna <anna@example.org>"
PEOPLE = frozenset(("anna", "ben", "cleo", "dirk"))
PLACES = tomllib.loads((CORPUS / "talk.toml").read_text("utf-8"))["places"]
"""Where a remark may stand in a mail."""


# --- orders and chat ------------------------------------------------------------------------------------


def order(words: str, language: str, _: Group) -> str:
    """The orders of a line, a card alone behind a question mark, a takeover with who holds the province."""
    found = parse_line(OrderLine, words, BOARD, CHOICES, lexicon_of(language).orders)
    return "; ".join(("? " if one.verb is None else "") + spell_out(one, BOARD) for one in found.orders)


def played(words: str, language: str, group: Group) -> str:
    """What is played of a mail at a point of the clerk's corpus, at once."""
    mail = clerk.Mail("", group["at"], language, words, clerk.Verdict.PLAY)
    return "; ".join(clerk.answer(mail, group.get("choices")).played) or "asked"


def answered(words: str, group: Group) -> Message:
    """Read a mail in which the letter that it answers is put in, as a program quotes it or as it is."""
    text = words.replace("{quoted}", desk.quoted()).replace("{letter}", desk.LETTER)
    return desk.said(text, group.get("kind", "plain"))


def lines(words: str, _: str, group: Group) -> str:
    """The lines that are taken from a reply, whatever a program quotes under it."""
    found = set()
    for under in group.get("under", [""]):
        reply = answered(words + under, group)
        found.add("\n".join(("doubtful:" if reply.doubtful else "", *reply.lines)).strip("\n"))
    return " or ".join(sorted(found))


def beside(words: str, _: str, __: Group) -> str:
    """What is done of a mail to a game in which Anna has two actions left."""
    raw = desk.mail(words)
    found = outcome(raw, "actions", game_letter("actions").text)
    return "doubtful" if found.reply.doubtful else "; ".join((*found.done, *found.asked))


def plays(words: str, _: str, group: Group) -> str:
    """Whether the orders of a mail are played; of a remark, whether an order beside it is, in every place."""
    choices = CHOICES if group.get("choices") else None
    places = PLACES.values() if group.get("placed") else ["{said}"]
    mails = (place.format(order="draw", said=words) for place in places)
    played = {desk.plays(desk.said_alone(mail, choices)) for mail in mails}
    return " or ".join("played" if one else "asked" for one in sorted(played))


def answers(words: str, _: str, __: Group) -> str:
    """The letters by which a reply chooses, alone and above what it quotes."""
    found = read_reply(Mail(desk.mail(words)), LETTERED, desk.LETTER, desk.NAMES)
    says_nothing = not (found.orders or found.chat or found.requests)
    if found.doubtful or says_nothing or any(one.refusal for one in found.orders):
        return "asked"
    return " ".join(one.answer for one in found.orders if one.answer)


def turn(words: str, language: str, group: Group) -> str:
    """The turn that is proposed first at a point of the clerk's corpus, or why none is."""
    found = clerk.propose_at(words, group["at"], language)
    if not found.readings:
        return str(found.kind)
    assert len(found.readings) <= 3
    return "; ".join(found.readings[0].orders).removesuffix("; end")


def chat(words: str, _: str, group: Group) -> str:
    """For whom a line is, by seat or by an unknown name, and what it says."""
    if not is_chat(words):
        return ""
    found = parse_chat_line(words, group["names"])
    seat = "" if found.seat is None else group["names"][found.seat]
    return f"{seat or '? ' + found.name if seat or found.name else 'all'} | {found.words}"


# --- time and requests ----------------------------------------------------------------------------------


def absence(words: str, language: str, _: Group) -> str:
    """The days away that a line tells of on a Tuesday, or why they are asked about."""
    lexicon = lexicon_of(language)
    dates = read_absence_line(words, lexicon)
    if dates is None:
        return ""
    found = read_absence(dates, lexicon, TUESDAY)
    if isinstance(found, DateRange):
        return f"{found.first} {found.last}"
    return f"{found.doubt} {' '.join(f'{one.first}..{one.last}' for one in found.meanings)}".strip()


def topic(words: str, language: str, group: Group) -> str:
    """What a mail is guessed to ask for on a Wednesday; without a question mark it is done at once."""
    who = group.get("who", "cleo")
    others = frozenset(("ben", "cleo")) if "outsider" in group else PEOPLE - {who}
    speaker = Speaker(frozenset((who,)), others, frozenset(("anna",)), WEDNESDAY, False)
    guess = guess_request([words], lexicon_of(language), speaker)
    if guess is None:
        return ""
    said = "".join(f"{one.kind} {one.about}".strip() + " " for one in guess.meanings[:1])
    return said.strip() if guess.plain else f"{said}?" if said.strip() else ""


def request(words: str, _: str, group: Group) -> str:
    """What a line asks to be shown or done, however it is dressed."""
    found = set()
    for form in group.get("dressed", ["{line}"]):
        line = form.replace("{line}", words)
        for written in (line, line.upper(), f"  {line.title()}  ", line.replace(" ", "   ")):
            asked = parse_request(written)
            found.add("" if asked is None else f"{asked.kind} {asked.about}".strip())
    return " or ".join(sorted(found))


WRITER, BEN, CLEO = (Guest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo"))
ASKED = GameRequest(WRITER, (BEN, CLEO), houses=("steady",), name="Friday", language="nl", unread=("x",))
ASKED = replace(ASKED, time=TURN_TIMES[Tempo.LIVELY])


def ask_game(
    words: str, before: GameRequest | None = None, usual: str = "en", kind: str = "plain", **heads: str
) -> GameRequest:
    """What a mail asks for; `before`: what was asked before, if it is an answer."""
    mail = EmailMessage()
    for name, value in ({"From": ANNA, "To": f"new@{desk.DOMAIN}"} | heads).items():
        mail[name] = value
    mail.set_content(words, subtype=kind)
    writer = game_requests.find_sender(Mail(bytes(mail)))
    assert writer is not None
    organiser = before.organiser if before else writer
    return game_requests.read_game_request(Mail(bytes(mail)), organiser, desk.DOMAIN, before, usual)


def _spell_changes(found: GameRequest, usual: GameRequest) -> str:
    differing = (one.name for one in fields(found) if getattr(found, one.name) != getattr(usual, one.name))
    return "; ".join(f"{name}: {_spell(getattr(found, name))}" for name in differing)


def game(words: str, language: str, group: Group) -> str:
    """What a mail that asks for a game says of it beyond the usual."""
    given = {key: group[key] for key in ("usual", "kind") if key in group}
    asked = ask_game(words, **given, **group.get("heads", {}))
    return _spell_changes(asked, GameRequest(WRITER, language=language))


def change(words: str, _: str, __: Group) -> str:
    """What an answer to a proposal changes, and nothing else."""
    found = ask_game(words, ASKED, Subject="Re: Alexandros: Friday")
    return _spell_changes(found, replace(ASKED, unread=()))


def _spell(value: object) -> str:
    """A field of a request for a game in words."""
    match value:
        case Guest(name, address):
            return f"{name} <{address}>"
        case TurnTime():
            return next(str(tempo) for tempo, time in TURN_TIMES.items() if time == value)
        case tuple():
            return ", ".join(map(_spell, value))
        case _:
            return str(value)


# --- headers --------------------------------------------------------------------------------------------


def screened(words: str, _: str, group: Group) -> str:
    """The row of the table by which a mail with such headers is screened; empty where it is played."""
    if group.get("bare"):
        found = screen_mail(Mail(f"{words}\n\ndraw\n".encode(), desk.ANNA))
    else:
        found = desk.screened(dict(line.split(": ", 1) for line in words.split("\n")))
    return "" if found.fate == "played" else found


def judged(words: str, _: str, group: Group) -> str:
    """The row and the fate of a mail to which some rules are known to apply."""
    known = frozenset(rule for rule in Screening if rule in words.split(", "))
    found = desk.screened(group.get("headers", {}), known=known)
    return f"{found}, {found.fate}"


def returned(envelope_from: str, _: str, group: Group) -> str:
    """The row of a mail by the sender of its envelope."""
    return desk.screened(group.get("headers", {}), envelope_from)


def dmarc(words: str, _: str, group: Group) -> str:
    """Whether the headers above From prove the author by the server mx.example.org."""
    head = f"{words}\nFrom: {group.get('from', ANNA)}\n\ndraw\n"
    return "proven" if is_author_proven(parse_headers(head.encode()), "mx.example.org") else ""


def zone(words: str, language: str, _: Group) -> str:
    found = read_zone_line(words, lexicon_of(language))
    return "" if found is None else found.about


def people(words: str, _: str, __: Group) -> str:
    [(name, address)] = parse_headers(f"From: {words}\r\n\r\n".encode()).people("From")
    return f"{name} <{address}>"


READERS: Mapping[str, Meaning] = {
    "rest": lambda words, _, group: "\n".join(answered(words, group).rest),  # the lines that are no orders
    "asks": lambda words, _, group: answered(words, group).reason or "",  # what is said to be in doubt
    "swallowed": lambda words, *_: find_swallowed_order(words, BOARD) or "",  # the order behind a semicolon
    "tells days": lambda words, language, _: "yes" if read_absence_line(words, lexicon_of(language)) else "",
    "found zone": lambda words, *_: find_zone(words) or "",
    "named": lambda subject, *_: ask_game("house", Subject=subject).name,  # of a game, by the subject alone
    "agrees": lambda words, *_: "yes" if game_requests.accepts_proposal(Mail(desk.mail(words)), None) else "",
    **{
        one.__name__: one
        for one in (
            *(order, played, lines, beside, plays, answers, turn, chat, absence, topic, zone, request),
            *(game, change, screened, judged, returned, dmarc, people),
        )
    },
}
GROUPS = read_groups(CORPUS / "phrases")


@pytest.mark.parametrize("name", GROUPS)
def test_phrases_mean_what_the_corpus_says(name: str) -> None:
    assert mistakes(GROUPS[name], READERS[GROUPS[name]["reads"]]) == []
