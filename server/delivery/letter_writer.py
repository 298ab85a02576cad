"""From a row of the outbox to a finished mail: what its reader may know, drawn and composed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, select

from emails.i18n import use_locale
from emails.letters import brief_letters, game_letters, lobby_letters
from emails.letters.contexts import GameLetterContext
from emails.letters.kinds import LetterKind
from emails.letters.mime import compose_mail, draw_pictures
from emails.letters.renderer import Letter
from emails.letters.subjects import stranger_subject
from emails.links import mask_tokens
from server.delivery.answer_composition import compose_question
from server.delivery.composition import compose_game_letter, compose_gameless_letter, compose_lobby_letter
from server.delivery.envelopes import build_envelope
from server.delivery.letter_contexts import LetterRequest, build_game_letter_context, build_invitation
from server.mail_addresses import digest_address
from server.outbox.chat import unread_chat
from server.outbox.letter_details import (
    AskedBackDetail,
    DeclinedDetail,
    GamelessDetail,
    InvitationDetail,
    LetterContent,
    ProposalDetail,
    RefusedDetail,
    ReplacedDetail,
    SeatClaimDetail,
    SeatRefusedDetail,
    SignInDetail,
    StoppedDetail,
    decode_content,
)
from server.outbox.letter_traits import GAMELESS_KINDS
from server.outbox.notifications import DropReason, reason_to_drop
from server.outbox.preferences import DEFAULTS, Preferences, load_preferences
from server.outbox.queue import load_people
from server.outbox.sent_letters import read_sent_letter
from server.outbox.situations import load_situation
from server.store.context import Context, make_era_of
from server.store.histories import History, StartedHistory
from server.store.models import Game, OutgoingLetter, Player, Seating
from server.store.session_models import SignInLink
from server.store.states import GameStatus


@dataclass(frozen=True, slots=True)
class FinishedLetter:
    """A finished mail."""

    sender: str
    """Of the envelope."""
    raw: bytes
    text: str
    """Its plain part with its tokens masked, kept so that answers can be told from what they quote."""
    heard: int
    """The number of the last message in it; 0 where there is none."""
    choices: Mapping[str, str]
    """What each letter or number in it stands for, as `Letter` has it."""
    subject: str
    """Under which it stands."""


class LetterNotWanted(Exception):
    """A letter that is not to be sent any more."""

    def __init__(self, reason: DropReason) -> None:
        """For this reason."""
        super().__init__(reason)
        self.reason = reason


def write_letter(context: Context, row: OutgoingLetter, now: datetime) -> FinishedLetter:
    """The mail that a row of the outbox asks for. Raises `LetterNotWanted`."""
    content = decode_content(row.kind, row.detail)
    with context.reading() as session:
        game = session.get_one(Game, row.game)
        # All seats at once, and kept: else each is read again by whoever asks for it.
        kept = {one.seat: one for one in session.exec(select(Seating).where(Seating.game == row.game))}
        history = context.history_of(session, game)
        preferences, confirmed = _load_reader(session, row, content)
        with use_locale(preferences.locale):
            messages, heard = unread_chat(session, game.id, row.seat)
            situation = load_situation(context, session, game, row, content, heard, now)
            reason = reason_to_drop(row.kind, preferences, situation)
            if reason is not None:
                raise LetterNotWanted(reason)
            stranger = row.kind == LetterKind.CONFIRM or not confirmed
            unwanted = context.links.unwanted_link(digest_address(row.recipient)) if stranger else ""
            eras = _make_eras(context, session, history, row, content)
            links = replace(context.links, epoch=kept[row.seat].epoch, eras=eras, unwanted=unwanted)
            asked = LetterRequest(context, session, game, history, row, links, now, preferences)
            made = None
            if isinstance(history, StartedHistory) and not isinstance(content, GamelessDetail):
                made = build_game_letter_context(asked, history, messages)
            letter = _compose(asked, content, made)
            own = row.kind in (*GAMELESS_KINDS, LetterKind.INVITATION)
            if not own and (stranger or row.kind == LetterKind.PROPOSAL):
                answered = read_sent_letter(row.detail).answered
                letter = replace(letter, subject=stranger_subject(row.kind, answered))
            after = history.player_since(row.seat) if made is None else history.after
            heard = 0 if made is None else heard
        around = build_envelope(asked, content, after)
    pngs = draw_pictures(letter) if preferences.pictures else None
    raw = compose_mail(letter, around, pngs)
    return FinishedLetter(around.bounce, raw, mask_tokens(letter.text), heard, letter.choices, letter.subject)


def _make_eras(
    context: Context, session: Session, history: History, row: OutgoingLetter, content: LetterContent
) -> tuple[tuple[int, bytes], ...]:
    """The eras of the acts that the tickets of a letter may name."""
    named = {history.after, history.player_since(row.seat)}
    named |= {content.after} if isinstance(content, AskedBackDetail) else set()
    return tuple((number, make_era_of(context, session, row.game, number)) for number in sorted(named))


def _load_reader(session: Session, row: OutgoingLetter, content: LetterContent) -> tuple[Preferences, bool]:
    """What the reader of a letter wants, and whether they have shown that they read mail.

    Who signs in, and whoever had a seat that is another's now, need not have that of the letter.
    """
    match content:
        case ReplacedDetail(language=language):
            return replace(DEFAULTS, language=language), True
        case SeatRefusedDetail(language=language):
            return replace(DEFAULTS, language=language), False
        case SignInDetail(digest=digest) | SeatClaimDetail(digest=digest):
            if (link := session.get(SignInLink, digest)) is not None:
                player = session.get_one(Player, link.player)
                return load_preferences(session, player.id), player.confirmed_at is not None
    reader = load_people(session, row.game).get(row.seat)
    return (DEFAULTS, False) if reader is None else (reader.preferences, reader.confirmed)


def _compose(asked: LetterRequest, content: LetterContent, made: GameLetterContext | None) -> Letter:
    """The letter; `made` is the game as its reader knows it, where the letter is about one that has begun."""
    if isinstance(content, GamelessDetail):
        return compose_gameless_letter(asked, content)
    match content:
        case LetterKind.ACCEPTED | LetterKind.CALLED_OFF:
            return compose_lobby_letter(asked, content)
        case InvitationDetail() | DeclinedDetail() | ProposalDetail():
            return compose_lobby_letter(asked, content)
        case AskedBackDetail():
            return compose_question(asked, content)
        case _ if made is not None:
            return compose_game_letter(asked, content, made)
        case StoppedDetail(everywhere=everywhere):
            return brief_letters.render_stopped_before_start(build_invitation(asked), everywhere)
        case RefusedDetail(sentence=sentence) if asked.game.status == GameStatus.OPEN:
            answered = read_sent_letter(asked.row.detail).answered
            return lobby_letters.render_unclear(build_invitation(asked), sentence, answered)
        case RefusedDetail(sentence=sentence):
            return game_letters.render_refused(sentence)
        case _:
            raise LetterNotWanted(DropReason.OUTDATED)
