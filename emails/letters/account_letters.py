"""Letters about a player's addresses, browsers and claimed seats."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from emails.i18n import gettext, gettext_noop
from emails.letters.declaration import AccountEvent, Payload, Policy, SeatLoss, Situation, Sources, letter
from emails.letters.parts import LetterParts, mailto_link, subject_line
from emails.letters.renderer import Letter, render_letter
from emails.picture.palette import clean_name
from emails.wording import phrases

LONGEST_SHOWN_ADDRESS = 600
NOTICE_SUBJECTS = {
    AccountEvent.SIGNED_IN: gettext_noop("a new sign-in"),
    AccountEvent.KEY_MADE: gettext_noop("a new key"),
    AccountEvent.ADDRESS_ASKED: gettext_noop("another address"),
}
SEAT_TAKEN = gettext_noop("Somebody has taken that seat already, or its player is back.")


ABOUT_AN_ACCOUNT = Policy(
    despite_unsubscribe=True, despite_bounce=True, despite_suspension=True, gameless=True
)
ABOUT_AN_ADDRESS = replace(ABOUT_AN_ACCOUNT, to_unused_address=True)


@letter
class Confirm(Payload):
    """Letter that asks a player to confirm a new address, by a link or by a reply."""

    kind = "confirm"
    policy = replace(ABOUT_AN_ADDRESS, unsolicited=True, recorded=True)
    digest: str
    mark: str

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_code_valid(self.digest)

    def compose(self, sources: Sources) -> Letter:
        return self.ask_about_address(sources, LetterParts(unwanted=sources.links.unwanted), browser="")

    def ask_about_address(self, sources: Sources, parts: LetterParts, browser: str) -> Letter:
        known = sources.address_code(self.digest)
        page, reply = sources.links.confirm_links(self.mark, self.digest)
        parts = replace(parts, page=page, mail=mailto_link(reply, subject_line(""), gettext("yes")))
        words = {
            "reader": phrases.safe_name(known.name),
            "address": clean_name(known.address, LONGEST_SHOWN_ADDRESS),
            "due": phrases.format_time(known.due_at) if known.due_at else "",
            "at": phrases.format_time(known.at),
            "browser": browser,
        }
        return render_letter(self.kind, "", parts, words)


@letter
class MoveAsked(Confirm):
    """Letter to a player's current address that asks whether a new address may replace it."""

    kind = "move_asked"
    policy = ABOUT_AN_ACCOUNT
    browser: str = ""

    def compose(self, sources: Sources) -> Letter:
        return self.ask_about_address(sources, LetterParts(), sources.describe_browser(self.browser))


@letter
class Moved(Payload):
    """Letter to a player's old address after the change to a new one; may have a link to undo the change."""

    kind = "moved"
    policy = ABOUT_AN_ADDRESS
    address: str
    digest: str = ""
    mark: str = ""

    def is_obsolete(self, now: Situation) -> bool:
        return bool(self.digest) and not now.is_code_valid(self.digest)

    def compose(self, sources: Sources) -> Letter:
        yes = gettext("yes")
        page, reply = sources.links.confirm_links(self.mark, self.digest) if self.mark else ("", "")
        mail = mailto_link(reply, subject_line(""), yes) if reply else ""
        parts = LetterParts(page=page, mail=mail, example=yes)
        name, address = sources.player_name(), clean_name(self.address, LONGEST_SHOWN_ADDRESS)
        words = {"reader": phrases.safe_name(name), "address": address}
        return render_letter(self.kind, "", parts, words, answered=bool(reply))


@letter
class SignIn(Payload):
    """Letter with a link that signs a player in; the link's code is derived from the random text `mark`."""

    kind = "signin"
    policy = ABOUT_AN_ACCOUNT
    digest: str
    mark: str

    def is_obsolete(self, now: Situation) -> bool:
        return not now.is_sign_in_valid(self.digest)

    def compose(self, sources: Sources) -> Letter:
        page, name = sources.links.sign_in_link(self.mark, self.digest), sources.player_name(self.digest)
        parts = LetterParts(page=page, unwanted=sources.links.unwanted)
        words = {"reader": phrases.safe_name(name)}
        return render_letter(self.kind, gettext("sign in"), parts, words, answered=False)


@letter
class SeatClaim(SignIn):
    """Letter that asks a player to confirm the claim of an offered seat, by a reply or a sign-in link."""

    kind = "seat_claim"
    taker: int

    def compose(self, sources: Sources) -> Letter:
        links, subject, yes = sources.links, gettext("a free seat"), gettext("yes")
        reply = links.claim_address(sources.game_id, self.taker)
        parts = LetterParts(
            page=links.sign_in_link(self.mark, self.digest),
            unwanted=links.unwanted,
            mail=mailto_link(reply, subject_line(subject), yes),
            example=yes,
        )
        name = phrases.safe_name(sources.player_name(self.digest))
        words = {"reader": name, "title": phrases.safe_name(sources.title)}
        return render_letter(self.kind, subject, parts, words)


@letter
class Notice(Payload):
    """Letter about an event of a player's account, such as a sign-in."""

    kind = "notice"
    policy = ABOUT_AN_ACCOUNT
    event: AccountEvent
    at: datetime
    browser: str = ""
    about: str = ""

    def compose(self, sources: Sources) -> Letter:
        words = {
            "reader": phrases.safe_name(sources.player_name()),
            "event": self.event,
            "AccountEvent": AccountEvent,
            "at": phrases.format_time(self.at),
            "browser": sources.describe_browser(self.browser),
            "about": clean_name(self.about, LONGEST_SHOWN_ADDRESS),
        }
        subject, parts = gettext(NOTICE_SUBJECTS[self.event]), LetterParts(page=sources.links.sessions_link())
        return render_letter(self.kind, subject, parts, words, answered=False)


@letter
class Replaced(Payload):
    """Letter to a seat's former player, with the game's title and the reason why the seat was lost."""

    kind = "replaced"
    policy = ABOUT_AN_ADDRESS
    name: str
    game: str
    language: str
    loss: SeatLoss

    def compose(self, sources: Sources) -> Letter:
        parts, reader = LetterParts(page=sources.links.games_link()), phrases.safe_name(self.name)
        words = {
            "reader": reader,
            "title": phrases.safe_name(self.game),
            "loss": self.loss,
            "SeatLoss": SeatLoss,
        }
        return render_letter(self.kind, gettext("your seat"), parts, words, answered=False)


@letter
class SeatRefused(Payload):
    """Letter to a player who did not get a seat; `why` is a sentence, or empty if all seats are taken."""

    kind = "seat_refused"
    policy = replace(ABOUT_AN_ADDRESS, to_former_player=True)
    name: str
    language: str
    why: str

    def compose(self, sources: Sources) -> Letter:
        why = self.why
        if not why and sources.is_cancelled:
            why = gettext("The game was called off") + "."
        page, unwanted = sources.links.join_link(sources.game_id), sources.links.unwanted
        words = {
            "reader": phrases.safe_name(self.name),
            "why": why or gettext("All seats of this game are taken."),
        }
        parts = LetterParts(page=page, unwanted=unwanted)
        return render_letter(self.kind, gettext("a free seat"), parts, words, answered=False)
