"""Settings, addresses that fail, and letters that stop: seen by a ticket, changed by a button."""

import re
from datetime import timedelta
from functools import partial

import pytest

from emails.tokens import seal_unsubscribe
from server.accounts import addresses, unsubscribe
from server.accounts.bounces import find_bounce_mark, record_bounce
from server.clock import tick
from server.lobby.games import accept_seat
from server.outbox import queue
from server.outbox.notifications import Preferences, load_preferences
from server.store.event_log import StalePosition
from server.store.game_terms import SeatRequest
from server.store.models import AddressConfirmation, Game, OutgoingLetter, Player, StoredPreferences
from server.store.states import Channel
from tests.server.desk import HOUSE, NOON, Collector, body
from tests.server.web.played import played
from tests.server.web.site import Visitor

FORM = "//form[contains(@action, '/settings') and not(contains(@action, '/address'))]"
ADDRESS = "//form[contains(@action, '/settings/address')]"


def page(place, game) -> Visitor:
    """The page of a player who is signed in."""
    return place.signed_in(game).get(place.link(game, seat=0) + "/settings")


def kept(place, game, seat=0) -> tuple[Preferences, Preferences]:
    """What a player wants of all games, and of this."""
    who = place.context.player_of(game, seat)
    return place.read(load_preferences, who), place.read(load_preferences, who, game)


def test_what_is_chosen_for_all_games_is_kept(place, game):
    chosen = {"language": "nl", "zone": "Europe/Amsterdam", "all-pace": "daily", "all-hour": "19"}
    chosen |= {"all-moves": "yes", "all-messages": "yes", "all-pictures": "no"}
    visitor = page(place, game).send(FORM, **chosen)
    assert visitor.status == 200
    ways = {"moves": True, "messages": True, "pictures": False}
    wanted = Preferences("nl", "Europe/Amsterdam", "daily", hour=19, **ways)
    assert kept(place, game) == (wanted, wanted)
    assert kept(place, game, 1) == (Preferences(), Preferences())
    assert visitor.title == "Je instellingen"
    assert visitor.page.get("lang") == "nl"
    assert "bewaard" in visitor.text


def test_one_game_may_have_a_choice_of_its_own_and_give_it_up(place, game):
    own = {"scope": "own", "own-pace": "gathered", "own-minutes": "15", "own-moves": "yes"}
    visitor = page(place, game).send(FORM, **own)
    everywhere, here = kept(place, game)
    assert everywhere == Preferences()
    assert (here.pace, here.minutes, here.moves) == ("gathered", 15, True)
    visitor.get(place.link(game, seat=0) + "/settings").send(FORM, language="nl")
    everywhere, again = kept(place, game)
    assert everywhere.language == again.language == "nl"
    assert (again.pace, again.minutes, again.moves) == ("gathered", 15, True)
    visitor.get(place.link(game, seat=0) + "/settings").send(FORM, scope="all")
    assert kept(place, game)[1] == everywhere


def test_another_games_own_choice_stays(place, game):
    other = place.start_game("Anna", "Cleo")
    there, here = (place.table(one).names.index("Anna") for one in (other, game))
    visitor = place.signed_in(game, here).get(place.link(other, seat=there) + "/settings")
    visitor.send(FORM, **{"scope": "own", "own-pictures": "no"})
    visitor.get(place.link(game, seat=here) + "/settings").send(FORM, zone="Europe/Amsterdam")
    assert kept(place, game, here)[1] == Preferences(zone="Europe/Amsterdam")
    assert kept(place, other, there)[1] == Preferences(zone="Europe/Amsterdam", pictures=False)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"all-pace": "gathered", "all-minutes": "4"}, "all-minutes"),
        ({"all-pace": "gathered", "all-minutes": "1441"}, "all-minutes"),
        ({"all-pace": "gathered", "all-minutes": "soon"}, "all-minutes"),
        ({"all-pace": "gathered", "all-minutes": "²"}, "all-minutes"),
        ({"all-pace": "never"}, "all-pace"),
        ({"all-pace": "daily", "all-hour": "24"}, "all-hour"),
        ({"all-moves": "perhaps"}, "all-moves"),
        ({"scope": "own", "own-pace": "gathered", "own-minutes": ""}, "own-minutes"),
        ({"language": "xx"}, ""),
        ({"zone": "Europe/Nowhere"}, ""),
        ({"zone": "../etc/passwd"}, ""),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_kept(place, game, changes, field):
    visitor = page(place, game).send(FORM, **{"all-pictures": "no", **changes})
    assert visitor.status == 422
    assert kept(place, game) == (Preferences(), Preferences())
    assert visitor.page.xpath("//p[@role='alert']")
    _, _, fields = visitor.form(FORM)
    assert fields["all-pictures"] == "no"
    if field:
        assert visitor.page.xpath("//*[@id=$id]", id=f"wrong-{field}")


def test_minutes_that_are_not_asked_for_are_not_judged(place, game):
    assert page(place, game).send(FORM, **{"all-minutes": "", "all-moves": "yes"}).status == 200
    assert kept(place, game)[0] == Preferences(moves=True)


def test_a_new_address_is_asked_and_nothing_changes(place, game):
    before = place.stored()
    visitor = page(place, game).send(ADDRESS, address="new@example.org")
    assert visitor.status == 200
    assert "Nothing changes before" in visitor.text
    assert place.stored() == (before[0], before[1] + 2)  # a question there, a notice here
    assert "new@example.org" not in visitor.text


@pytest.mark.parametrize("address", ["", "x", "a b@example.org", "a@b\r\nBcc: c@example.org", "x" * 500])
def test_what_is_no_address_is_said_beside_the_field(place, game, address):
    before = place.stored()
    visitor = page(place, game).send(ADDRESS, address=address)
    assert visitor.status == 422
    assert visitor.page.xpath("//*[@id='wrong-address']")
    assert place.stored() == before


def test_a_seat_of_the_house_has_no_settings_and_no_letters_to_stop(place):
    game = place.start_game("Anna", "house")
    house = place.names(game).index(HOUSE)
    assert place.look(game, "/settings", seat=house).status == 404
    assert place.visitor().get(stop_link(place, game, house)).status == 404


def test_letters_that_wait_come_when_the_new_preferences_say(place, game):
    daily = {"all-pace": "daily", "all-hour": "3", "all-messages": "yes"}
    visitor = page(place, game).send(FORM, **daily)
    place.look(game, seat=1).send("//form[contains(@action, '/say')]", words="hello")
    is_due_later = OutgoingLetter.kind == "message", OutgoingLetter.due_at > place.clock.now
    assert place.rows(OutgoingLetter, *is_due_later)
    visitor.get(place.link(game, seat=0) + "/settings").send(FORM, **{"all-pace": "at once"})
    assert not place.rows(OutgoingLetter, *is_due_later)


def test_a_ticket_changes_its_game_alone(place, game):
    visitor = place.look(game, "/settings", seat=0)
    assert "it changes this game alone" in visitor.text
    _, _, fields = visitor.form(FORM)
    assert not [name for name in fields if name.startswith("all-") or name in ("language", "zone")]
    everywhere = {"language": "nl", "zone": "Europe/Amsterdam", "all-pace": "daily", "all-moves": "yes"}
    assert visitor.send(FORM, **{"scope": "own", "own-pace": "daily"}, **everywhere).status == 200
    assert kept(place, game) == (Preferences(), Preferences(pace="daily"))


def test_somebody_else_who_is_signed_in_changes_no_more(place, game):
    visitor = place.signed_in(game, 1).get(place.link(game, seat=0) + "/settings")
    assert visitor.page.xpath("//section[@id='all']")
    visitor.send(FORM, **{"all-moves": "yes", "language": "nl"})
    assert kept(place, game) == (Preferences(), Preferences())


def test_a_ticket_of_a_game_that_is_over_leads_to_no_page_that_stops_letters(place):
    game, stops = played(place, "Anna", "Ben"), "//a[starts-with(@href, '/u/')]"
    assert place.table(game).over
    visitor = place.look(game, "/settings", seat=0)
    assert "have ended with it" in visitor.text
    assert not visitor.page.xpath(stops)
    assert page(place, game).page.xpath(stops)


def test_one_tap_mails_a_link_that_leads_back(place, game):
    place.start_game("Anna", "Cleo")
    visitor = place.look(game, "/settings", seat=0)
    assert "anna@example.org" not in visitor.text
    assert "a…@example.org" in visitor.text or "b…@example.org" in visitor.text
    visitor.send("//section[@id='all']//form")
    assert "A link is on its way to" in visitor.text
    place.look(game, "/settings", seat=1).send("//section[@id='all']//form")
    place.context.work_until_idle(mails := Collector(), place.clock())
    (letter,) = [mail for mail in mails.to(place.table(game).names[0]) if mail["X-Alexandros"] == "signin"]
    link = re.search(r"/s/[a-z2-7]{32}", body(letter))
    visitor.get(link[0]).press()
    assert visitor.title == "Your settings"
    assert "Friday" in visitor.text
    assert "You are signed in" in visitor.text
    assert visitor.answer.request.path == place.link(game, seat=0) + "/settings"


def test_reminders_are_on_until_their_player_sets_them_off(place, game):
    visitor = page(place, game)
    _, action, fields = visitor.form(FORM)
    assert fields["all-reminders"] == "yes"
    for wanted in ("no", "yes"):
        assert visitor.client.post(action, data=fields | {"all-reminders": wanted}).status_code == 303
        assert kept(place, game)[0].reminders == (wanted == "yes")
    rest = {name: value for name, value in fields.items() if "remind" not in name}
    assert visitor.client.post(action, data=rest | {"all-moves": "yes"}).status_code == 303
    everywhere = kept(place, game)[0]
    assert (everywhere.moves, everywhere.reminders) == (True, True)


AGAIN = "//form[contains(@action, '/settings/again')]"


def owner(place, game) -> Player:
    [found] = place.rows(Player, Player.id == place.context.player_of(game))
    return found


def returned(place, game, why="550 5.1.1 <b>User</b> unknown", reported=False):
    letter = place.rows(OutgoingLetter, OutgoingLetter.game == game, OutgoingLetter.seat == 0)[0]
    place.context.committed(NOON, partial(record_bounce, reported=reported), letter, why)


def fails(place, game):
    return place.read(find_bounce_mark, owner(place, game).id) is not None


def test_he_can_play_and_is_told_why_no_mail_comes(place, game):
    assert "Mail to you comes back" not in place.look(game, seat=0).text
    returned(place, game)
    visitor = place.look(game, seat=0)
    assert "Mail to you comes back" in visitor.text
    assert "<b>User</b> unknown" in visitor.text
    assert visitor.offers()
    assert visitor.page.xpath("//a[contains(@href, '/settings#address')]")
    assert "Mail to you comes back" not in place.look(game, seat=1).text
    visitor.tap("card")
    assert visitor.tap("do").tap("end").status == 200
    assert place.row(game).after > 2


def test_he_says_that_his_address_takes_mail_again(place, game):
    assert not page(place, game).page.xpath(AGAIN)
    returned(place, game)
    visitor = page(place, game)
    assert f"Mail to {owner(place, game).address} comes back" in visitor.text
    before = place.stored()
    visitor.client.get(visitor.form(AGAIN)[1])
    assert place.stored() == before
    assert visitor.post(visitor.form(AGAIN)[1]).status == 400
    assert fails(place, game)
    visitor = page(place, game).send(AGAIN)
    assert visitor.status == 200
    assert "Mails go to your address again" in visitor.text
    assert not fails(place, game)
    assert place.row(game).deadline is not None
    assert not visitor.page.xpath(AGAIN)


@pytest.mark.parametrize(
    ("reported", "sentence"),
    [(False, "For 14 days at most no time runs"), (True, "For a day at most no time runs")],
)
def test_the_page_says_how_long_the_clock_stands_still(place, game, reported, sentence):
    returned(place, game, reported=reported)
    assert sentence in page(place, game).text
    tick(place.context, NOON + timedelta(days=14))
    text = page(place, game).text
    assert sentence not in text
    assert "Time runs on your turns all the same. Name another address" in text


def stop_link(place, game, seat=0) -> str:
    return f"/u/{seal_unsubscribe(game, seat, place.context.links.keys)}"


def letters(place, game, seat=0) -> tuple[bool, ...]:
    """Whether a seat gets letters of any game, and of this."""
    return tuple(one.letters for one in kept(place, game, seat))


def kept_rows(place) -> tuple[int, ...]:
    tables = StoredPreferences, OutgoingLetter, AddressConfirmation, Player
    return tuple(len(place.rows(one)) for one in tables)


def test_a_button_stops_the_letters_of_this_game_and_brings_them_again(place, game):
    visitor = place.visitor().get(stop_link(place, game)).send(wish="stop")
    assert visitor.status == 200
    assert visitor.title == "You get no mails of this game"
    assert letters(place, game) == (True, False)
    assert letters(place, game, 1) == (True, True)
    visitor.get(stop_link(place, game)).send(wish="again")
    assert visitor.title == "You get mails again"
    assert letters(place, game) == (True, True)


@pytest.mark.parametrize("seat", [None, 1])
def test_the_letters_of_all_games_come_again_only_where_their_player_is_signed_in(place, game, seat):
    """A token alone brings back those of its game."""
    visitor = place.visitor() if seat is None else place.signed_in(game, seat)
    visitor.get(stop_link(place, game)).send(wish="stop-all")
    assert "all your games" in visitor.text
    assert not visitor.page.xpath("//button[@value='again-all']")
    visitor.send(wish="again-all")
    assert (visitor.status, letters(place, game)) == (403, (False, False))
    assert "sign in first" in visitor.text
    visitor.send(wish="again")
    assert letters(place, game) == (False, True)
    assert visitor.get(stop_link(place, game)).page.xpath("//main//a[@href='/signin']")
    place.sign_in(visitor, game)
    visitor.get(stop_link(place, game)).send(wish="again-all")
    assert (visitor.status, letters(place, game)) == (200, (True, True))


@pytest.mark.parametrize("fields", [{"List-Unsubscribe": "One-Click"}, {}])
def test_one_click_of_a_mail_program_stops_this_game(place, game, fields):
    """RFC 8058: no cookie, no nonce, as a form of either kind; some mail programs send no field."""
    client = place.app.test_client(use_cookies=False)
    assert client.post(stop_link(place, game), data=fields).status_code == 200
    assert letters(place, game) == (True, False)
    before = kept_rows(place)
    again = client.post(stop_link(place, game), data=fields, content_type="multipart/form-data")
    assert again.status_code == 200
    assert kept_rows(place) == before


def test_one_click_keeps_the_seat_of_an_invitation_that_is_accepted_meanwhile(place, monkeypatch):
    people = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben", "Cleo")]
    game = place.open_game("Friday", people, hours=48, at_once=False)
    seat, tries = place.seat(game, "Anna"), []
    decline, open_unit = unsubscribe.decline_invitation, queue.open_unit

    def lose_the_first_race(*given):
        tries.append(given)
        if len(tries) == 1:
            raise StalePosition
        return decline(*given)

    def accept_before_the_second_try(*given):
        if len(tries) == 1:
            with open_unit(place.context, NOON) as unit:
                accept_seat(unit, game, seat, Channel.LINK, 0)
                unit.commit()
        return open_unit(*given)

    with place.context.reading() as session:
        holder = place.context.history_of(session, session.get(Game, game)).holder_code(seat)
    link = f"/u/{seal_unsubscribe(game, holder, place.context.links.keys)}"
    monkeypatch.setattr(unsubscribe, "decline_invitation", lose_the_first_race)
    monkeypatch.setattr(queue, "open_unit", accept_before_the_second_try)
    answer = place.app.test_client(use_cookies=False).post(link, data={"List-Unsubscribe": "One-Click"})
    assert "declined" not in answer.text
    assert letters(place, game, seat) == (True, False)


@pytest.mark.parametrize(
    "fields", [{"wish": "stop"}, {"wish": "stop", "nonce": "6530.AAAA"}, {"List-Unsubscribe": "Two-Clicks"}]
)
def test_anything_else_stops_nothing(place, game, fields):
    before = kept_rows(place)
    assert place.visitor().post(stop_link(place, game), **fields).status == 400
    assert kept_rows(place) == before


def test_capitals_and_a_full_stop_do_no_harm(place, game):
    token = stop_link(place, game).removeprefix("/u/")
    assert place.visitor().get(f"/u/{token.upper()}.").status == 200


def asks_address(place, game, seat=0, address="new@example.org") -> str:
    addresses.request_address_confirmation(place.context, game, seat, address, place.clock.now)
    return place.context.confirmation_codes()[-1]


def test_an_address_is_looked_at_and_then_confirmed(place, game):
    code = asks_address(place, game)
    old, before = owner(place, game).address, kept_rows(place)
    visitor = place.visitor()
    for _ in range(3):
        visitor.get(f"/c/{code}")
        assert visitor.title == "Is new@example.org yours?"
        assert visitor.client.head(f"/c/{code}").data == b""
    assert (owner(place, game).address, kept_rows(place)) == (old, before)
    visitor.send()
    assert visitor.status == 200
    assert "your mails go to new@example.org" in visitor.text
    assert owner(place, game).address == "new@example.org"
    assert place.visitor().get(f"/c/{code}").status in (200, 404)


def test_a_code_that_is_unknown_or_too_old_is_a_sentence(place, game):
    for code in ("x", "é", "a" * 3000):
        assert place.visitor().get(f"/c/{code}").status == 404
        assert place.visitor().post(f"/c/{code}", nonce="x").status in (400, 404)
    code = asks_address(place, game)
    place.clock.forward(24 * 3 + 1)
    visitor = place.visitor().get(f"/c/{code}")
    assert visitor.status == 404
    assert re.search(r"\w+ .*\.", visitor.text)
