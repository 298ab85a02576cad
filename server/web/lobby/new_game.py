"""Opening a game: the form, the confirmation of a proposed game, and the organiser's page.

A signed-in player's game opens at once. Other visitors enter their address and confirm the game by a mailed
link; invitations are sent after that.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, MutableMapping
from contextlib import suppress
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import ImmutableMultiDict
from wtforms import BooleanField
from wtforms.form import BaseForm
from wtforms.validators import ValidationError

from emails.i18n import current_locale, gettext, gettext_noop
from emails.languages.supported_languages import LANGUAGES
from emails.letters.lobby_letters import (
    LONGEST_ADDRESS,
    LONGEST_NAME,
    LONGEST_NOTE,
    LONGEST_READ,
    GameRequest,
    Guest,
    describe_edition,
    describe_game_request,
    describe_unread,
    estimate_length,
    find_note_fault,
    format_span,
    game_request_from_json,
    name_from_address,
    tidy_address,
    tidy_note,
    validate_game_request,
)
from emails.terms import TURN_TIMES, AbsenceRule, Caretaker, JoinedBy, Tempo, TurnTime
from emails.tokens import ForgedToken, Purpose, unseal_game
from emails.wording import phrases
from emails.wording.advice_text import STRENGTHS_EXPLAINED, describe_bots, strength_word
from emails.wording.texts import tell
from engine.bots.strengths import PROFILES, BotChoice, Profile, Strength, find_bot_choice
from engine.editions import DEFAULT_EDITION, EDITIONS
from server import commands
from server.lobby import proposals
from server.lobby.games import NewGame, check_new_game, open_game
from server.lobby.open_seats import (
    SeatGroup,
    cancel_game,
    fill_with_bots,
    is_open,
    names_of_leavers,
    seats_of,
    unreachable_seats,
)
from server.lobby.proposals import propose_on_page
from server.outbox.notifications import load_preferences
from server.outbox.queue import load_people
from server.store import load_boards
from server.store.event_log import StalePosition
from server.store.game_terms import (
    SeatRequest,
    find_pause_end,
    organiser_generation,
    organiser_seating,
    read_bot_choice,
    terms_of,
)
from server.store.models import Game, Player, Proposal, Seating, StoredTerms
from server.store.server_facts import GameTerms
from server.store.states import BEGUN, Channel, GameStatus
from server.web.game import viewers
from server.web.game.readonly_pages import Pulse
from server.web.kit import errors, request_context, visitors
from server.web.kit.forms import FormPages, TextField, TranslatedForm, TranslatedMeta, look_again
from server.web.kit.request_context import bind_forms, current_context, in_transaction, now, this_page
from server.web.kit.visitors import check_player_heard, constant_time
from server.web.lobby.public_pages import GAME_BOARD


def offered_bots() -> dict[str, object]:
    """Return the values for house_choice.html."""
    return {
        "strengths": [(one.value, gettext(words)) for one, words in STRENGTHS_EXPLAINED.items()],
        "named": [(name, f"{name} ({strength_word(name)})") for name in PROFILES],
        "faces": describe_bots(PROFILES),
    }


def parse_bot_choice(word: str) -> BotChoice:
    return find_bot_choice(word[:20]) or Strength.STEADY


def bot_word(word: str) -> str:
    choice = parse_bot_choice(word)
    return choice.name if isinstance(choice, Profile) else choice.value


USUAL_ABSENCE = "substitute"
ABSENCES: Mapping[str, tuple[AbsenceRule, str, str]] = {
    USUAL_ABSENCE: (
        AbsenceRule.TURN,
        gettext_noop("Wait twice for a player who is late, then offer the seat"),
        gettext_noop("A caretaker plays until they are back, or somebody else has taken the seat."),
    ),
    "kept": (
        AbsenceRule.SEAT,
        gettext_noop("Wait only once for a player who is late"),
        gettext_noop("Then a caretaker plays each of their turns at once until they are back."),
    ),
    "each": (
        AbsenceRule.ALWAYS,
        gettext_noop("Wait each time for a player who is late"),
        gettext_noop("A caretaker plays that one turn, and the seat stays theirs."),
    ),
}


class SeatKind(StrEnum):
    ME = "me"
    """The visitor; without a session this is always the first seat."""
    PERSON = "person"
    OPEN = "open"
    BOT = "house"
    EMPTY = "nobody"
    """A row of the form that is not used, as the game has fewer seats."""


def one_of(known: Container[str], usual: str) -> Callable[[str], str]:
    """Return a filter of a field, which replaces an unknown value by `usual`."""
    return lambda chosen: chosen if chosen in known else usual


class LongTextField(TextField):
    longest = LONGEST_READ


class NumberedMeta(TranslatedMeta):
    number = 1

    def bind_field(self, form: BaseForm, unbound_field: Any, options: MutableMapping[str, Any]) -> Any:
        numbered = {**options, "name": f"{options['name']}{self.number}"}
        return super().bind_field(form, unbound_field, numbered)


class SeatFields(TranslatedForm):
    """The fields of one seat. Their names end with the seat's number, as in `kind1`."""

    Meta = NumberedMeta

    kind = TextField()
    name = TextField()
    address = TextField(filters=[tidy_address])
    language = TextField(filters=[one_of(LANGUAGES, "")])
    """Language of the letters; if empty, the language of the page."""
    house = TextField(filters=[bot_word])

    def post_process(self, formdata: Any = None) -> None:
        """Correct the kind: a row with name or address is not empty; without session only row 1 is `ME`."""
        super().post_process(formdata)  # type: ignore[misc]
        number, name, address = self.meta.number, self.name.data, self.address.data
        chosen = self.kind.data or (SeatKind.PERSON if address else SeatKind.EMPTY)
        kind = next((one for one in SeatKind if one == chosen), SeatKind.EMPTY)
        if formdata and visitors.signed_in_player() is None:  # the session may have ended since
            kind = SeatKind.ME if number == 1 else SeatKind.PERSON if kind == SeatKind.ME else kind
        self.kind.data = SeatKind.PERSON if kind == SeatKind.EMPTY and (name or address) else kind

    def validate_address(self, field: TextField) -> None:
        if field.data:
            return
        if self.kind.data == SeatKind.PERSON:
            raise ValidationError(gettext("A person needs a mail address, to which the invitation goes."))
        if self.kind.data == SeatKind.ME and visitors.signed_in_player() is None:
            raise ValidationError(gettext("Your own address is needed: a mail goes there first."))

    @property
    def full_name(self) -> str:
        return self.name.data or name_from_address(self.address.data)


class NewGameForm(TranslatedForm):
    """The form that opens a game. Missing fields get their defaults."""

    name = TextField()
    edition = TextField(default=DEFAULT_EDITION.name)
    tempo = TextField(filters=[one_of([*Tempo], Tempo.RELAXED)])
    joined = TextField(default=JoinedBy.LINK.value)
    """Who may take open seats: visitors with the link (`link`), everyone (`all`) or no one (`nobody`)."""
    watched = BooleanField()
    no_advice = BooleanField(name="no-advice")
    quiet = BooleanField()
    note = LongTextField(filters=[tidy_note])
    absence = TextField(filters=[one_of(ABSENCES, USUAL_ABSENCE)])

    def __init__(self, typed: ImmutableMultiDict[str, str] | None, name: str, me: Player | None) -> None:
        """Read what was typed; without it, propose a `name` of the game, and seats for `me` and a guest."""
        super().__init__(typed, name=name)
        kinds = SeatKind.ME, SeatKind.PERSON, SeatKind.EMPTY, SeatKind.EMPTY
        proposed: list[dict[str, str]] = [{"kind": kind} for kind in kinds]
        if me is not None:
            proposed[0] |= {"name": me.name, "address": me.address}
        self.seats = [
            SeatFields(typed, meta={"number": number}, data=data) for number, data in enumerate(proposed, 1)
        ]

    def validate(self, extra_validators: Any = None) -> bool:
        fits = [super().validate(extra_validators), *(row.validate() for row in self.seats)]
        kinds = [row.kind.data for row in self.seats]
        if not {SeatKind.ME, SeatKind.PERSON, SeatKind.OPEN} & set(kinds):
            self.seats[0].kind.errors = [gettext("At least one seat must be a person's.")]
        if kinds.count(SeatKind.ME) > 1:
            self.seats[kinds.index(SeatKind.ME)].kind.errors = [gettext("You can have one seat.")]
        return all(fits) and not any(row.kind.errors for row in self.seats)

    def validate_joined(self, _: TextField) -> None:
        if not self.terms.joined_by and any(row.kind.data == SeatKind.OPEN for row in self.seats):
            raise ValidationError(gettext("There is an open seat: say who may take it."))

    def validate_note(self, field: TextField) -> None:
        if fault := find_note_fault(field.data):
            raise ValidationError(fault)

    @property
    def terms(self) -> GameTerms:
        return GameTerms(
            next((one for one in JoinedBy if one == self.joined.data), JoinedBy.NOBODY),
            self.watched.data,
            caretaker=Caretaker.QUIET if self.quiet.data else Caretaker.GENTLE,
            advice=not self.no_advice.data,
            absence=ABSENCES[self.absence.data][0],
        )


def game_request_from(typed: NewGameForm) -> GameRequest:
    """Return the game as a proposal, for an organiser who is not signed in."""
    first, *others = typed.seats
    terms, page_language = typed.terms, current_locale().language
    kinds = [row.kind.data for row in others]
    return GameRequest(
        Guest(first.full_name, first.address.data),
        tuple(
            Guest(row.full_name, row.address.data, row.language.data or page_language)
            for row in others
            if row.kind.data == SeatKind.PERSON
        ),
        houses=tuple(row.house.data for row in others if row.kind.data == SeatKind.BOT),
        open_seats=kinds.count(SeatKind.OPEN),
        joined_by=terms.joined_by,
        watched=terms.watched,
        advice=terms.advice,
        caretaker=terms.caretaker,
        absence=terms.absence,
        name=typed.name.data,
        edition=typed.edition.data,
        time=TURN_TIMES[Tempo(typed.tempo.data)],
        language=first.language.data or page_language,
        note=typed.note.data,
    )


def wanted_game_from(typed: NewGameForm, me: Player | None) -> NewGame:
    return NewGame(
        typed.name.data,
        tuple(_seat_requests(typed, me)),
        typed.edition.data,
        TURN_TIMES[Tempo(typed.tempo.data)],
        terms=typed.terms,
        note=typed.note.data,
    )


def _seat_requests(typed: NewGameForm, me: Player | None) -> Iterator[SeatRequest]:
    for row in typed.seats:
        match row.kind.data:
            case SeatKind.BOT:
                yield SeatRequest("", None, bot=read_bot_choice(row.house.data))
            case SeatKind.OPEN:
                yield SeatRequest("", None, open=True)
            case SeatKind.ME if me is not None:
                yield SeatRequest(row.name.data or me.name, me.address)
            case SeatKind.ME | SeatKind.PERSON:
                language = row.language.data or current_locale().language
                yield SeatRequest(row.full_name, row.address.data, language)


PLAYERS_TOLD = 3
PACES: Mapping[Tempo, str] = {
    Tempo.RELAXED: gettext_noop("A relaxed game"),
    Tempo.LIVELY: gettext_noop("A lively one"),
    Tempo.LIVE: gettext_noop("Live, all at the page"),
    Tempo.FAST: gettext_noop("Live and fast"),
}
pages = FormPages("new_game", __name__)


def _signed_in_player() -> Player | None:
    player = visitors.signed_in_player()
    if player is None:
        return None
    with current_context().reading() as session:
        return session.get(Player, player)


def _read_form() -> NewGameForm:
    typed = request.form if request.method == "POST" else None
    places = sorted(load_boards()[GAME_BOARD].places)
    name = gettext("The road to %(place)s", place=places[int(now().timestamp()) // 60 % len(places)])
    return NewGameForm(typed, name, _signed_in_player())


def _render_form(typed: NewGameForm, wrong: str = "") -> str:
    me = _signed_in_player()
    return render_template(
        "new_game.html",
        form=typed,
        me=None if me is None else me.address,
        wrong=wrong,
        editions=[
            (edition, phrases.edition_title(edition), describe_edition(edition))
            for edition in EDITIONS.values()
        ],
        paces=[(tempo, gettext(title), _describe_pace(TURN_TIMES[tempo])) for tempo, title in PACES.items()],
        longest_note=LONGEST_NOTE,
        languages=sorted(LANGUAGES.items(), key=lambda one: one[1]),
        absences=[(rule, *map(gettext, told)) for rule, (_, *told) in ABSENCES.items()],
        longest_name=LONGEST_NAME,
        longest_address=LONGEST_ADDRESS,
        house=offered_bots(),
    )


def _describe_pace(time: TurnTime) -> str:
    return gettext(
        "%(turn)s a turn, and %(reserve)s in reserve; each turn played in time puts up to %(refill)s back; "
        "a game of three takes %(span)s",
        turn=phrases.format_minutes(time.minutes),
        reserve=phrases.format_minutes(time.bank),
        refill=phrases.format_minutes(time.refill),
        span=format_span(estimate_length(PLAYERS_TOLD, PLAYERS_TOLD, time.minutes), time.minutes),
    )


@pages.form("/new", _read_form, _render_form, 422)
def submit_new_game(typed: NewGameForm) -> ResponseReturnValue:
    me = _signed_in_player()
    if not typed.validate():
        return _render_form(typed, gettext("Something is missing: see below.")), 422
    wanted = check_new_game(wanted_game_from(typed, me))
    often = gettext("Many games were opened from here within the hour. Please come back later.")
    visitors.check_limit(visitors.LimitedAction.GAMES, often)
    context, origin = current_context(), visitors.origin()
    if me is None:  # the response does not show whether a letter is sent
        with constant_time():
            propose_on_page(context, game_request_from(typed), origin, now())
        return render_template("proposed.html", address=typed.seats[0].address.data)
    game = open_game(context, wanted, now(), channel=Channel.WEB, organiser=me.address, origin=origin)
    return redirect(viewers.organiser_link(game), 303)


Proposed = tuple[Game, Proposal]


def _load_proposal(token: str) -> Proposed:
    number, _ = unseal_game(Purpose.PROPOSAL, token, current_context().links.keys)
    with current_context().reading() as session:
        game, proposal = session.get(Game, number), session.get(Proposal, number)
        if game is None or proposal is None:
            words = gettext("A game that nobody confirms is kept for a week. You can ask for it again.")
            link, label = url_for("new_game.submit_new_game"), gettext("New game")
            errors.abort_with_message(gettext("This game is gone"), words, 404, link, label)
        player = session.get_one(Seating, (number, proposal.seat)).player
        if player is not None:
            visitors.use_player_locale(load_preferences(session, player), "")
        newest = proposals.latest_proposal(session, number)
    bind_forms(f"new {token}")
    if game.status == GameStatus.PROPOSED and newest is not None and newest.game != number:
        words = gettext("You have asked for something else since then: the last mail about it has the link.")
        errors.abort_with_message(gettext("This is not the last"), words, 409)
    return game, proposal


def _render_proposal(proposed: Proposed, wrong: str = "") -> ResponseReturnValue:
    game, proposal = proposed
    if game.status != GameStatus.PROPOSED:  # no links to the game: the link of this page may be forwarded
        name = phrases.safe_name(game.name)
        words = gettext("“%(game)s” is open. Your mails of it have your links.", game=name)
        sign_in = url_for("sign_in_pages.request_link")
        return errors.render_message(gettext("The game is open"), words, 200, sign_in, gettext("Sign in"))
    asked = game_request_from_json(proposal.request)
    return render_template(
        "proposal.html",
        name=phrases.safe_name(game.name),
        reader=phrases.safe_name(asked.organiser.name),
        lines=describe_game_request(asked, game.name),
        missed=describe_unread(asked),
        faults=validate_game_request(asked),
        wrong=wrong,
    )


@pages.form("/n/<token>", _load_proposal, _render_proposal)
def confirm_proposal(proposed: Proposed) -> ResponseReturnValue:
    game = proposed[0].id
    with suppress(StalePosition):  # already open
        if in_transaction(lambda unit: proposals.confirm_proposal(unit, game, Channel.LINK)):
            return redirect(viewers.organiser_link(game), 303)
    return redirect(this_page(), 303)


class OrganiserChoice(StrEnum):
    FILL_OPEN = "house-open"
    FILL_AWAITED = "house-awaited"
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"


Organised = tuple[Game, StoredTerms, list[Seating]]


def _load_organised_game(token: str) -> Organised:
    """Return the game of an organiser's link. Raises `ForgedToken`, `LinkWithdrawn` and `VisitorBanned`."""
    keys = current_context().links.keys
    number, generation = unseal_game(Purpose.ORGANISER, token, keys)
    with current_context().reading() as session:
        game = session.get(Game, number)
        if game is None:
            raise ForgedToken
        if generation != organiser_generation(session, number):
            raise errors.LinkWithdrawn
        seating = organiser_seating(session, number)
        check_player_heard(session, None if seating is None else seating.player)
        bind_forms(f"organise {number}")
        return game, terms_of(session, number), seats_of(session, number)


def _render_organised(organised: Organised, wrong: str = "") -> str:
    game, made, seats = organised
    if wrong:
        return look_again(lambda _: this_page())(organised, wrong)
    with current_context().reading() as session:
        generation = organiser_generation(session, game.id)
        history = current_context().history_of(session, game)
        present = load_people(session, game.id).values()
        refused = names_of_leavers(session, game.id) if game.status == GameStatus.OPEN else []
        unreachable = unreachable_seats(session, game.id)
    free = [one for one in seats if is_open(one)]
    awaited = [one for one in seats if one.player is not None and one.accepted_at is None]
    return render_template(
        "organiser.html",
        name=phrases.safe_name(game.name),
        status=game.status,
        seq=game.seq,
        pulse=f"{this_page()}/pulse",
        halted=game.suspended_at,
        pausing=made.seat is None and game.status == GameStatus.RUNNING and game.turn_minutes > 0,
        paused=game.paused_at is not None,
        pause_ends=find_pause_end(game, history),
        seats=[(one, phrases.safe_name(one.name) if one.name else "") for one in seats],
        silent={one.seat for one in present if not one.preferences.letters},
        awaited=len(awaited),
        mailed=[phrases.safe_name(one.name) for one in awaited if one.seat not in unreachable],
        unmailed=[phrases.safe_name(one.name) for one in awaited if one.seat in unreachable],
        free=len(free),
        refused=[phrases.safe_name(one) for one in refused],
        joined_by=made.joined_by,
        share=_share_link(game) if made.joined_by and free and game.status == GameStatus.OPEN else None,
        here=current_context().links.organiser_link(game.id, generation),
        own=viewers.own_seat_link(game.id),
        watched=made.watched and game.status in BEGUN,
        watch_link=url_for("readonly_pages.show_spectator_page", game=game.id),
        absolute=request_context.absolute_url,
        house=offered_bots(),
        faces=describe_bots([one.name for one in seats if one.house]),
        terms=tell("absences.terms_of_game", game=made, timed=game.turn_minutes > 0),
    )


@pages.get("/new/<token>/pulse")
def show_organiser_pulse(token: str) -> Pulse:
    game, _, _ = _load_organised_game(token)
    page = url_for("new_game.change_game", token=token)
    return {"after": game.seq, "said": 0, "page": page, "over": game.status != GameStatus.OPEN}


@pages.form("/new/<token>", _load_organised_game, _render_organised)
def change_game(organised: Organised) -> ResponseReturnValue:
    """Fill seats with bots; cancel, pause or resume the game. A second press changes nothing."""
    context, game = current_context(), organised[0].id
    organiser = commands.Organiser(Channel.WEB, game)
    match request.form.get("wish", ""):
        case OrganiserChoice.FILL_OPEN | OrganiserChoice.FILL_AWAITED as wish:
            which = SeatGroup.OPEN if wish == OrganiserChoice.FILL_OPEN else SeatGroup.AWAITED
            fill_with_bots(context, game, which, now(), parse_bot_choice(request.form.get("house", "")))
        case OrganiserChoice.CANCEL:
            cancel_game(context, game, now())
        case OrganiserChoice.PAUSE:
            in_transaction(lambda unit: commands.AskPause().perform(unit, organiser))
        case OrganiserChoice.RESUME:
            in_transaction(lambda unit: commands.EndPause().perform(unit, organiser))
        case _:
            return _render_organised(organised, gettext("Please choose one of these.")), 422
    return redirect(this_page(), 303)


def _share_link(game: Game) -> dict[str, str]:
    link = current_context().links.join_link(game.id)
    title = gettext("Will you play Alexandros with us?")
    words = gettext(
        "There is a seat for you in “%(game)s”, a game of Alexandros by mail:",
        game=phrases.safe_name(game.name),
    )
    body = f"{words}\r\n\r\n{link}"
    mailto = f"mailto:?subject={quote(title)}&body={quote(body)}"
    return {"link": link, "title": title, "words": words, "mailto": mailto}
