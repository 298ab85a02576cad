"""A mail asks for a game, or answers the letter that says what was understood of such a mail.

Whoever wrote first may have used somebody else's name, so answers go to that address alone and are few. Who
answers a letter of ours has got it: his yes opens the game, and other wishes make a new proposal.
"""

from __future__ import annotations

from datetime import datetime
from email.utils import parseaddr

from sqlalchemy import func
from sqlmodel import Session, select

from emails.i18n import Tongue, say, sentence, speaking
from emails.letters.proposal_letter import Guest, Wishes, changes, decoded
from emails.links import Forged, is_door, unseal_proposal
from emails.replies import game_requests
from emails.replies.screening import STRANGER, Facts, screen
from server.inbox.correspondent import is_double, is_own, named
from server.inbox.reply_outcome import close
from server.lobby import proposals
from server.lobby.games import NotOpened
from server.lobby.proposals import ask_again, propose, told_often, too_many
from server.outbox.notifications import Occasion
from server.outbox.preferences import DEFAULTS, wants
from server.outbox.queue import queue
from server.store.context import Office
from server.store.event_log import Stale
from server.store.models import PROPOSED, Game, Incoming, Player, Proposal, Seating

UNSEEN = "its writer cannot be answered"
STOPPED = "its writer wants no letters"
NOTHING_ELSE = "it answers a proposal, and asks for nothing else"
MANY = "its writer has got enough answers for now"
GONE = sentence("The mail that you answered is too old, and nothing of it is known any more.")
NEWER = sentence("You have asked for something else since the mail that you answered. This is the last:")
NOTHING = sentence("Your answer was not understood. To open the game, answer with the one word “%(word)s”.")


def found(office: Office, row: Incoming, token: str, now: datetime) -> None:
    """Do what a mail to new@ says; with a token in that address it answers a proposal."""
    with office.reading() as session:
        try:
            game, unknown = unseal_proposal(token, office.post.secret) if token else "", False
        except Forged:
            game, unknown = "", True
        facts = Facts(own=is_own(session, row), unknown=unknown, double=is_double(session, row))
        letter = named(session, row)
    verdict = screen(row.raw, row.sender, facts)
    writer = game_requests.writer(row.raw)
    if verdict.fate in ("ignored", "returned"):
        close(office, row, "ignored", verdict.sentence)
        return
    if writer is None or _is_ours(office, writer.address):
        close(office, row, "ignored", UNSEEN)
        return
    agreed = bool(game) and game_requests.agrees(row.raw, None if letter is None else letter.text or None)
    try:
        if agreed and _opens(office, row, game, writer):
            proposals.confirm(office, game, now, "reply", row)
            return
    except NotOpened:
        pass  # the answer says why
    except Stale:
        return  # it is opened in the same moment: the next round reads this mail again
    _answer(office, row, game, writer, agreed, now)


def _is_ours(office: Office, address: str) -> bool:
    """Whether an address is one of the house, to which no answer may go."""
    own = parseaddr(office.settings.mail_from)[1].lower()
    return address.lower() == own or is_door(address, office.settings.mail_domain)


def _opens(office: Office, row: Incoming, game: str, writer: Guest) -> bool:
    """Whether a mail that says yes says nothing else, and its writer may say it."""
    with office.reading() as session:
        proposal = session.get(Proposal, game)
        if proposal is None or session.get_one(Game, game).status != PROPOSED or proposal.replaced_by:
            return False
        changed = changes(_heard(office, row, proposal), decoded(proposal.wishes))
        return not changed and _is_organiser(session, proposal, writer)


def _heard(office: Office, row: Incoming, proposal: Proposal) -> Wishes:
    """What is asked for after a mail that answers a proposal."""
    old = decoded(proposal.wishes)
    return game_requests.read(row.raw, old.organiser, office.settings.mail_domain, old)


def _is_organiser(session: Session, proposal: Proposal, writer: Guest) -> bool:
    if session.get_one(Seating, (proposal.game, proposal.seat)).player is None:
        return False  # he has given his seat back
    return proposals.organiser(session, proposal).address.lower() == writer.address.lower()


def _answer(office: Office, row: Incoming, game: str, writer: Guest, agreed: bool, now: datetime) -> None:
    """Answer a mail that opens no game, if it may be answered."""
    with office.writing() as session:
        mail = session.get_one(Incoming, row.id)
        if mail.state != "waiting":
            return  # another server has read it
        before = proposals.newest(session, game) if game else None
        if before is None:
            why = _asked(office, session, mail, writer, bool(game), now)
        elif session.get_one(Game, before.game).status != PROPOSED:
            why = "" if agreed else _too_late(office, session, mail, before, writer, now)
        else:
            with speaking(wants(session, proposals.organiser(session, before).id or 0).tongue):
                why = _replied(office, session, mail, game, before, writer, now)
        mail.state, mail.why = "ignored" if why else "played", why
        session.commit()
    office.wake()


# Each of these answers a mail, or says why it is not answered.


def _asked(office: Office, session: Session, mail: Incoming, writer: Guest, late: bool, now: datetime) -> str:
    """A mail that asks for a game; `late`: it answers a proposal that is no more."""
    same = select(Player).where(func.lower(Player.address) == writer.address.lower())
    player = session.exec(same).first()
    wanted = DEFAULTS if player is None else wants(session, player.id or 0)
    if not wanted.letters:
        return STOPPED
    if too_many(session, writer.address, False, now):
        return MANY
    asked = game_requests.read(mail.raw, writer, office.settings.mail_domain, usual=wanted.language)
    with speaking(Tongue(asked.language)):
        propose(office, session, asked, None, say(GONE) if late else "", mail, now)
    return ""


def _replied(
    office: Office,
    session: Session,
    mail: Incoming,
    game: str,
    before: Proposal,
    writer: Guest,
    now: datetime,
) -> str:
    """A mail that answers a proposal, and may ask for something else.

    A program that answers by itself does not, whatever it writes, and is left without an answer; one that
    happens to begin with a yes is told once in how far it was not understood.
    """
    stranger = not _is_organiser(session, before, writer)
    asked = _heard(office, mail, before)
    changed = changes(asked, decoded(before.wishes))
    noted = (stranger or not changed) and proposals.letters(session, before) > 1
    if noted or not (changed or game_requests.leans(mail.raw)):
        return NOTHING_ELSE
    if too_many(session, proposals.organiser(session, before).address, not stranger, now):
        return MANY
    if changed and not stranger:
        propose(office, session, asked, before, "", mail, now)
        return ""
    note = say(NEWER) if before.game != game else say(NOTHING, word=say("yes"))
    ask_again(office, session, before, say(STRANGER) if stranger else note, mail, now)
    return ""


def _too_late(
    office: Office, session: Session, mail: Incoming, proposal: Proposal, writer: Guest, now: datetime
) -> str:
    """A mail that would change a game which is open already."""
    if not changes(_heard(office, mail, proposal), decoded(proposal.wishes)):
        return NOTHING_ELSE
    if told_often(session, proposal, now):
        return MANY
    if not _is_organiser(session, proposal, writer):
        return UNSEEN
    game = session.get_one(Game, proposal.game)
    with speaking(wants(session, proposals.organiser(session, proposal).id or 0, game.id).tongue):
        where = f"new@{office.settings.mail_domain}"
        why = say("This game is open already. To ask for another one, write to %(address)s.", address=where)
    detail = {"sentence": why, "undone": []}
    queue(office, session, game, [Occasion(proposal.seat, "refused", detail, mail)], now)
    return ""
