"""Pages on which a player changes letters, language, address, links and absences, and resigns.

The links of letters lead here, and a letter may be forwarded. So readers who are not signed in can only
change settings of the letter's game, add days of absence, end an absence, and request another address, which
takes effect after a confirmation from the current address. All other changes need a signed-in player.

Anyone who has a link may also stop the letters of the linked game or of all games, and resume the letters of
that game. A mail program's POST (RFC 8058) declines an invitation or stops a game's letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from flask import abort, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import DateField, IntegerField, RadioField, TimeField
from wtforms.validators import InputRequired, Optional, ValidationError

from emails.i18n import UTC_ZONE, current_locale, gettext, gettext_noop, zone_names
from emails.languages.supported_languages import LANGUAGES
from emails.letters.lobby_letters import LONGEST_ADDRESS
from emails.letters.parts import Pace
from emails.picture.palette import clean_name
from emails.tokens import OutdatedToken, Purpose, seal_unsubscribe, unseal_ticket, unseal_unsubscribe
from emails.wording import phrases
from emails.wording.phrases import format_days, format_minutes, format_weekday
from emails.wording.texts import say
from server import commands
from server.accounts import addresses, bounces, unsubscribe
from server.accounts.addresses import mail_links
from server.accounts.bounces import find_bounce_mark
from server.accounts.sign_in import summarize_agent
from server.accounts.unsubscribe import UnsubscribeRefused
from server.accounts.vacations import VacationRefused, keep_time_left, list_ahead, local_today
from server.commands import Command
from server.lobby.leaving import YOU_ARE_BACK
from server.lobby.open_seats import is_undecided
from server.mail_addresses import digest_address, mask_address
from server.outbox.budgets import player_origin
from server.outbox.notifications import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    has_own_preferences,
    load_preferences,
    reset_preferences,
    store_preferences,
)
from server.outbox.queue import UnitOfWork, do_with_retries
from server.store.event_log import Refusal
from server.store.models import Game, Player, Seating
from server.store.states import ConfirmationPurpose, GameStatus
from server.store.turn_clock import away_until, load_availability
from server.turn_time import LONGEST_SLEEP, LONGEST_VACATION, MOST_DAYS_OFF
from server.web.account.sign_in_pages import mail_link_to
from server.web.game.ticket_pages import build_one_click_form
from server.web.game.viewers import (
    TicketContext,
    load_resignable,
    load_ticket,
    perform,
    render_form,
    render_note,
    token_of,
)
from server.web.kit import errors, visitors
from server.web.kit.forms import FormPages, TextField, TranslatedForm, look_again
from server.web.kit.request_context import bind_forms, current_context, in_transaction, now, read, redirect_to

pages = FormPages("settings_pages", __name__)


ZONE_REGIONS = {
    "Africa": gettext_noop("Africa"),
    "America": gettext_noop("America"),
    "Antarctica": gettext_noop("Antarctica"),
    "Arctic": gettext_noop("Arctic"),
    "Asia": gettext_noop("Asia"),
    "Atlantic": gettext_noop("Atlantic"),
    "Australia": gettext_noop("Australia"),
    "Europe": gettext_noop("Europe"),
    "Indian": gettext_noop("Indian Ocean"),
    "Pacific": gettext_noop("Pacific"),
}  # other names in the time zone database are deprecated


def read_switch(chosen: bool | str) -> bool:
    if chosen not in (True, False, "yes", "no"):
        raise ValueError
    return chosen in (True, "yes")


class ChoiceField(RadioField):
    """A choice of one value, sent as a word; the template has the titles of the values."""

    def __init__(self, words: Any, coerce: Callable[[Any], Any], **named: Any) -> None:
        super().__init__(choices=list(words), coerce=coerce, **named)


class Switch(ChoiceField):
    def __init__(self, **named: Any) -> None:
        super().__init__(("yes", "no"), read_switch, **named)


class LettersForm(TranslatedForm):
    """The settings of letters, for all games or for one game; the fields have the names of `Preferences`."""

    pace = ChoiceField(Pace, Pace)
    minutes = IntegerField()
    hour = ChoiceField([str(hour) for hour in range(24)], int)
    moves = Switch()
    reminders = Switch()
    messages = Switch()
    pictures = Switch()
    everything = Switch()
    suggestions = Switch()
    one_conversation = Switch()

    def validate_minutes(self, field: IntegerField) -> None:
        if field.data is not None and SHORTEST_PAUSE <= field.data <= LONGEST_PAUSE:
            return
        field.errors = []
        if self.pace.data == Pace.GATHERED:
            what = gettext_noop("Please give a whole number from %(least)s to %(most)s.")
            raise ValidationError(gettext(what, least=SHORTEST_PAUSE, most=LONGEST_PAUSE))
        field.data = field.object_data  # the field is hidden


class SettingsForm(TranslatedForm):
    language = TextField()
    zone = TextField()
    scope = TextField()
    """`all` if this game's letters follow the settings for all games, `own` if this game has settings."""
    address = TextField()

    def __init__(self, case: TicketContext) -> None:
        typed = request.form or None
        with current_context().reading() as session:
            everywhere = load_preferences(session, case.player)
            here = load_preferences(session, case.player, case.game.id)
            has_own = has_own_preferences(session, case.player, case.game.id)
        super().__init__(typed, obj=everywhere, scope="own" if has_own else "all")
        self.everywhere = LettersForm(typed, obj=everywhere, prefix="all")
        self.here = LettersForm(typed, obj=here, prefix="own")

    def fits(self, own: bool) -> bool:
        """Check the fields; check the fields for all games only if the player is signed in (`own`)."""
        everywhere = not own or self.everywhere.validate()
        return (self.scope.data != "own" or self.here.validate()) and everywhere


def zones_by_region(chosen: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the time zones by region, each with its display name. UTC comes first, without a region."""
    found: dict[str, list[tuple[str, str]]] = {"": [(UTC_ZONE, UTC_ZONE)]}
    if chosen != UTC_ZONE and chosen.partition("/")[0] not in ZONE_REGIONS:
        found[""].append((chosen, chosen))
    for name in sorted(zone_names()):
        region, _, place = name.partition("/")
        if region in ZONE_REGIONS and place:
            found.setdefault(region, []).append((name, place.replace("_", " ").replace("/", ", ")))
    return [(gettext(ZONE_REGIONS[region]) if region else "", places) for region, places in found.items()]


def render_settings(case: TicketContext, wrong: str = "", form: SettingsForm | None = None) -> str:
    """Render the settings, with the error `wrong` at the top and the errors of `form` next to the fields."""
    player, own = case.player, case.is_own_browser
    form = form or SettingsForm(case)
    with current_context().reading() as session:
        address = session.get_one(Player, player).address
        stopped = not load_preferences(session, player, case.game.id).letters
        mark = find_bounce_mark(session, player)
    zone = form.zone.data if form.zone.data in zone_names() else UTC_ZONE
    token = seal_unsubscribe(case.game.id, case.history.holder_code(case.seat), current_context().links.keys)
    stop_link = url_for("settings_pages.change_subscription", token=token)
    return render_form(
        "settings.html",
        case,
        wrong,
        form=form,
        kept=request.args.get("kept", ""),
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        regions=zones_by_region(zone),
        tick=build_one_click_form(case),
        clock=now().astimezone(ZoneInfo(zone)).strftime("%H:%M"),
        least=SHORTEST_PAUSE,
        most=LONGEST_PAUSE,
        stopped=stopped,
        address=clean_name(address, LONGEST_ADDRESS) if own else mask_address(address),
        mark=mark,
        longest_address=LONGEST_ADDRESS,
        unwanted_link=unwanted_page_link(address) if own else "",
        stop_link=stop_link if own or case.game.status != GameStatus.OVER else "",
    )


def _show_faults(case: TicketContext, form: SettingsForm) -> ResponseReturnValue:
    wrong = gettext("Something cannot be kept: see below. Nothing has changed.")
    return render_settings(case, wrong, form), 422


@pages.form("/t/<token>/settings", load_ticket, render_settings, 422)
def save_settings(case: TicketContext) -> ResponseReturnValue:
    """Store all settings of the form or none. Settings for all games are stored only if signed in."""
    form = SettingsForm(case)
    if not form.fits(case.is_own_browser):
        return _show_faults(case, form)
    in_transaction(lambda unit: _store_settings(unit, case, form))
    return _redirect(case, "1")


def _store_settings(unit: UnitOfWork, case: TicketContext, form: SettingsForm) -> None:
    session, player, game = unit.session, case.player, case.game.id
    before = everywhere = load_preferences(session, player)
    if case.is_own_browser:
        letters: dict[str, Any] = form.everywhere.data
        everywhere = replace(before, language=form.language.data, zone=form.zone.data, **letters)
    has_own = has_own_preferences(session, player, game)
    with keep_time_left(session, player, unit.now):  # sleep hours follow the zone
        if everywhere.check() != before:
            store_preferences(session, player, None, everywhere, unit.now)
        if form.scope.data != "own":
            if has_own:
                reset_preferences(session, player, game, unit.now)
            return
        here = replace(everywhere, **form.here.data)
        if not has_own or here != load_preferences(session, player, game):
            store_preferences(session, player, game, here, unit.now)


DECLINE = "no"


Pending = tuple[str, addresses.PendingAddress]
"""A code and the address to confirm with it."""


def _load_pending(code: str) -> Pending:
    bind_forms(f"confirm {code}")
    try:
        return code, addresses.find_pending_address(current_context(), code, now())
    except Refusal as error:
        errors.abort_with_message(gettext("This address is not confirmed"), errors.note_refusal(error), 404)


def _render_confirmation(pending: Pending, wrong: str = "") -> str:
    _, made = pending
    return render_template(
        "address_confirmation.html",
        name=phrases.safe_name(made.name),
        address=clean_name(made.address, LONGEST_ADDRESS),
        move=made.purpose is ConfirmationPurpose.MOVE,
        due=phrases.format_time(made.due_at) if made.due_at else "",
        wrong=wrong,
    )


@pages.form("/c/<code>", _load_pending, _render_confirmation)
def confirm_address(pending: Pending) -> ResponseReturnValue:
    """Confirm a pending address; the owner of the current address may also decline it."""
    declined = request.form.get("wish") == DECLINE
    answer = addresses.decline_move if declined else addresses.confirm_address
    made = in_transaction(lambda unit: answer(unit, pending[0]))
    sentence = _describe_refusal(made) if declined else _describe_consent(made)
    return errors.render_message(gettext("Thank you, %(name)s", name=phrases.safe_name(made.name)), sentence)


def _describe_consent(made: addresses.PendingAddress) -> str:
    to = clean_name(made.address, LONGEST_ADDRESS)
    if made.purpose is ConfirmationPurpose.MOVE:
        return gettext("%(address)s gets a mail now. Your mails go there once it has said yes.", address=to)
    if made.due_at is not None:
        return gettext(
            "Your mails go to %(address)s from %(time)s on, unless somebody at your address until now "
            "objects or mail arrives there again.",
            address=to,
            time=phrases.format_time(made.due_at),
        )
    return gettext("From now on your mails go to %(address)s.", address=to)


def _describe_refusal(made: addresses.PendingAddress) -> str:
    to = clean_name(made.address, LONGEST_ADDRESS)
    return gettext(
        "Your mails do not go to %(address)s. The links in your earlier mails open nothing any more; "
        "a mail of each of your games with new ones is on its way.",
        address=to,
    )


@pages.button("/t/<token>/settings/address", load_ticket, render_settings)
def change_address(case: TicketContext) -> ResponseReturnValue:
    """Ask the new address to confirm. If the player is not signed in, ask the current address first."""
    form = SettingsForm(case)
    address = form.address.data[:LONGEST_ADDRESS]
    game, seat, kept = case.game.id, case.ticket.seat, "address"
    browser = summarize_agent(request.user_agent.string)
    try:
        if case.is_own_browser:
            addresses.request_address_confirmation(
                current_context(), game, seat, address, now(), browser=browser
            )
        else:
            due_at = addresses.request_move(current_context(), game, seat, address, now(), browser)
            kept = "asked" if due_at is None else "due"
    except Refusal as error:
        form.address.errors = [errors.note_refusal(error)]
        return _show_faults(case, form)
    return _redirect(case, kept)


@pages.button("/t/<token>/settings/again", load_ticket, render_settings)
def resume_delivery(case: TicketContext) -> ResponseReturnValue:
    in_transaction(lambda unit: bounces.clear_bounce_of_seat(unit, case.game.id, case.ticket.seat))
    return _redirect(case, "again")


@pages.button("/t/<token>/settings/signin", load_ticket, render_settings)
def mail_sign_in_link(case: TicketContext) -> ResponseReturnValue:
    mail_link_to(case.player, case.game.id)
    return _redirect(case, "link")


def _redirect(case: TicketContext, kept: str) -> ResponseReturnValue:
    return redirect_to("settings_pages.save_settings", token=token_of(case.ticket), kept=kept)


@pages.form("/t/<token>/links", load_ticket, partial(render_form, "links.html"))
def renew(case: TicketContext) -> ResponseReturnValue:
    """Withdraw all links of the player. New links come only by mail."""
    perform(case, commands.RenewLinks())
    visitors.use_player_locale(current_locale(), "")  # omit links to the player's pages, which are withdrawn
    words = gettext(
        "A mail with your new links is on its way for each of your games. This page is closed now."
    )
    return errors.render_message(gettext("Your links are new"), words)


def _load_old_token(token: str) -> str:
    bind_forms(errors.again_subject(token))
    return token


@pages.button(
    "/t/<token>/again",
    _load_old_token,
    look_again(lambda token: url_for("ticket_pages.show_ticket", token=token)),
)
def mail_again(token: str) -> ResponseReturnValue:
    """Mail valid links to the player of a seat; do not reveal whether it was done. Raises `ForgedToken`."""
    try:
        ticket = unseal_ticket(token, current_context().links.keys)
    except OutdatedToken as error:
        ticket = error.ticket
    in_transaction(lambda unit: mail_links(unit, ticket))
    words = gettext("If that seat is still yours, a mail with links that work is on its way to your address.")
    return errors.render_message(gettext("Look in your mail"), words)


WEEK = range(7)


class DaysForm(TranslatedForm):
    first = DateField(validators=[Optional()])
    last = DateField(validators=[InputRequired()])


class RestForm(TranslatedForm):
    """The hours of sleep, whose fields have the names of `Availability`; "off0" to "off6" are days off."""

    sleeps_from = TimeField(name="sleeps-from", validators=[Optional()])
    sleeps_until = TimeField(name="sleeps-until", validators=[Optional()])


def _read_days_off() -> frozenset[int]:
    return frozenset(day for day in WEEK if request.form.get(f"off{day}") == "yes")


def _render_away(case: TicketContext, wrong: str = "") -> str:
    player, game, own = case.player, case.game.id, case.is_own_browser
    changes_rest = "sleeps-from" in request.form
    with current_context().reading() as session:
        availability = load_availability(session, player)
        today = local_today(session, player, now())
        ahead = [
            (row.id, format_days(row.first, row.last)) for row in list_ahead(session, player, game, now())
        ]
        until = away_until(session, player, game, now())
    return render_form(
        "away.html",
        case,
        wrong,
        tells=own or case.may_resign,
        days=DaysForm(request.form or None),
        rest=RestForm(request.form if changes_rest else None, obj=availability),
        days_off=_read_days_off() if changes_rest else availability.days_off,
        kept=request.args.get("kept", ""),
        away=say("absences.own_away", last=until),
        is_away=(own and until is not None) or case.is_caretaken,
        ahead=ahead,
        zone=availability.zone,
        today=today.isoformat(),
        weekdays=[(day, format_weekday(day)) for day in WEEK],
        longest=LONGEST_VACATION,
        most_sleep=int(LONGEST_SLEEP.total_seconds() // 3600),
        most_off=MOST_DAYS_OFF,
        bound=say("absences.longest_wait"),
    )


@pages.form("/t/<token>/away", load_ticket, _render_away, 422)
def change_presence(case: TicketContext) -> ResponseReturnValue:
    """Add or remove days away, or store sleep hours and days off."""
    often = gettext("You have changed your days away very often. Please wait for a while.")
    who = player_origin(case.player).text
    visitors.check_limit(visitors.LimitedAction.DAYS_AWAY, often, who)
    kept, command = _read_choice(case, request.form.get("wish", ""))
    perform(case, command)
    return redirect(case.link_to("settings_pages.change_presence", kept=kept), 303)


def _read_choice(case: TicketContext, choice: str) -> tuple[str, Command]:
    """Return the word by which the next page confirms the change, and the command."""
    own = case.is_own_browser
    if choice == "back":
        return choice, commands.ComeBack(own, revokes=False)
    if choice == "away" and (own or case.may_resign):
        days = DaysForm(request.form)
        if not days.validate() or days.last.data is None:
            raise VacationRefused(gettext("Please give the days as dates: the last one is needed."))
        return choice, commands.GoAway(days.last.data, days.first.data)
    if not own:
        raise VacationRefused(gettext("Sign in first: days away hold in all your games."))
    if number := re.fullmatch("remove([0-9]{1,9})", choice):
        return "removed", commands.RemoveDays(int(number[1]))
    if choice == "rest":
        return choice, _read_rest(RestForm(request.form))
    raise VacationRefused(gettext("Please choose one of these."))


def _read_rest(rest: RestForm) -> Command:
    begins, ends = rest.sleeps_from.data, rest.sleeps_until.data
    if not rest.validate() or (begins is None) != (ends is None):
        raise VacationRefused(gettext("Please give both hours of your sleep, or none."))
    sleeps = None if begins is None or ends is None else (begins, ends)
    return commands.SetRest(sleeps, _read_days_off())


def _render_resign(case: TicketContext, wrong: str = "") -> str:
    with current_context().reading() as session:
        address = session.get_one(Player, case.player).address
    return render_form("resign.html", case, wrong, address=mask_address(address), sent="sent" in request.args)


@pages.form("/t/<token>/resign", load_resignable, _render_resign)
def resign_game(case: TicketContext) -> ResponseReturnValue:
    """Resign from the game for a signed-in player; mail other visitors a link to sign in."""
    if not case.is_own_browser:
        mail_link_to(case.player, case.game.id)
        return redirect(case.link_to("settings_pages.resign_game", sent="1"), 303)
    done = perform(case, commands.Resign())
    return render_note(load_ticket(token_of(case.ticket)), gettext("You have resigned"), done.text)


@pages.button("/t/<token>/return", load_ticket, look_again(TicketContext.page_link))
def take_back(case: TicketContext) -> ResponseReturnValue:
    do_with_retries(current_context(), now(), lambda unit: commands.ComeBack().perform(unit, case.actor))
    return render_note(case, gettext("You are back"), gettext(YOU_ARE_BACK))


# --- unsubscribing ---------------------------------------------------------------------------------------

ONE_CLICK_FIELD = "List-Unsubscribe", "One-Click"
"""Form field and value that a mail program sends (RFC 8058, section 3.1)."""
STOP, RESUME_ALL = "stop", "again-all"
CHANGES = {
    STOP: (unsubscribe.stop_letters, False),
    "stop-all": (unsubscribe.stop_letters, True),
    "again": (unsubscribe.resume_letters, False),
    RESUME_ALL: (unsubscribe.resume_letters, True),
}
"""For each button of the page its function, and whether it concerns all games."""


@dataclass(frozen=True, slots=True)
class Subscription:
    token: str
    game: Game
    seating: Seating
    player: int


def _load_subscription(token: str) -> Subscription:
    # A mail program's form has no CSRF token: its POST changes the subscription here.
    one_click = request.form.get(ONE_CLICK_FIELD[0], "").strip() == ONE_CLICK_FIELD[1]
    if request.method == "POST" and (one_click or not request.form):  # some mail programs send no field
        abort(make_response(_unsubscribe_at_once(token)))
    return _load_seating(token)


def _load_seating(token: str) -> Subscription:
    game_id, holder = unseal_unsubscribe(token, current_context().links.keys)
    try:
        seat = unsubscribe.seat_of_token(current_context(), game_id, holder)
    except UnsubscribeRefused:
        with current_context().reading() as session:
            raise (errors.SeatLeft(game_id) if session.get(Game, game_id) else errors.GameGone()) from None
    with current_context().reading() as session:
        game, seating = session.get(Game, game_id), session.get(Seating, (game_id, seat))
        if game is None or seating is None or seating.player is None:
            raise errors.GameGone
        if request.args.get(visitors.LANGUAGE_PARAMETER) not in LANGUAGES:
            visitors.use_player_locale(load_preferences(session, seating.player, game_id), "")
    bind_forms(f"letters {game.id} {seating.seat}")
    return Subscription(token, game, seating, seating.player)


def _unsubscribe_at_once(token: str) -> ResponseReturnValue:
    def is_seat_left(unit: UnitOfWork) -> bool:
        asked = _load_seating(token)  # anew at each attempt: an invitation may have been accepted
        was_invited = is_undecided(asked.game, asked.seating)
        unsubscribe.unsubscribe_by_header(unit, asked.game.id, asked.seating.seat)
        return was_invited

    with suppress(errors.SeatLeft):  # already declined
        if not do_with_retries(current_context(), now(), is_seat_left):
            return _render_page(_load_seating(token), done=STOP)
    words = gettext("You have declined the invitation, and get no more mails of that game.")
    return errors.render_message(gettext("You are not in this game"), words)


def _render_page(asked: Subscription, wrong: str = "", done: str = "") -> str:
    game = asked.game
    return render_template(
        "unsubscribe.html",
        name=phrases.safe_name(game.name),
        reader=phrases.safe_name(asked.seating.name),
        time=format_minutes(game.turn_minutes),
        over=game.status == GameStatus.OVER,
        proposed=game.status == GameStatus.PROPOSED,
        stopped=not read(load_preferences, asked.player, game.id).letters,
        stopped_everywhere=not read(load_preferences, asked.player).letters,
        own=visitors.signed_in_player() == asked.player,
        done=done,
        wrong=wrong,
        action=url_for(
            "settings_pages.change_subscription",
            token=asked.token,
            lang=request.args.get(visitors.LANGUAGE_PARAMETER),
        ),
    )


@pages.form("/u/<token>", _load_subscription, _render_page)
def change_subscription(asked: Subscription) -> ResponseReturnValue:
    """Stop or resume letters. A second press changes nothing."""
    choice = request.form.get("wish", "")
    if choice not in CHANGES:
        return _render_page(asked, gettext("Please choose one of these.")), 422
    if choice == RESUME_ALL and visitors.signed_in_player() != asked.player:
        return _render_page(asked, gettext("To get the mails of all your games again, sign in first.")), 403
    change, everywhere = CHANGES[choice]
    in_transaction(lambda unit: change(unit, asked.game.id, asked.seating.seat, everywhere))
    return _render_page(asked, done=choice)


def unwanted_page_link(address: str) -> str:
    token = current_context().links.keys.seal(Purpose.UNWANTED, bytes.fromhex(digest_address(address)))
    return url_for("settings_pages.change_unwanted_letters", token=token)


def _load_digest(token: str) -> str:
    digest = current_context().links.keys.unseal(Purpose.UNWANTED, token).hex()
    bind_forms(f"unwanted {digest}")
    return digest


def _render_unwanted_page(digest: str, wrong: str = "", done: str = "") -> str:
    ended = read(unsubscribe.is_ended, digest)
    return render_template("unwanted.html", ended=ended, done=done, wrong=wrong)


@pages.form("/x/<token>", _load_digest, _render_unwanted_page)
def change_unwanted_letters(digest: str) -> ResponseReturnValue:
    """Block unsolicited letters to an address, or allow them again. A second press changes nothing."""
    choice = request.form.get("wish", "")
    changes = {"never": unsubscribe.end_unwanted_letters, "again": unsubscribe.allow_letters}
    if choice not in changes:
        return _render_unwanted_page(digest, gettext("Please choose one of these.")), 422
    do_with_retries(current_context(), now(), lambda unit: changes[choice](unit, digest))
    return _render_unwanted_page(digest, done=choice)
