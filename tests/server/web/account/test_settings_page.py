"""The settings: shown to whoever has a ticket of the seat, kept whole or not at all."""

import re

import pytest
from sqlmodel import select

from server.outbox.preferences import Preferences, load_preferences
from server.store.models import AddressConfirmation, OutgoingLetter, Seating, StoredPreferences
from tests.server.desk import HOUSE, Collector, body, confirmation_codes, start_game, work_until_idle
from tests.server.web.played import played
from tests.server.web.site import Visitor

FORM = "//form[contains(@action, '/settings') and not(contains(@action, '/address'))]"
ADDRESS = "//form[contains(@action, '/settings/address')]"


def page(place, game) -> Visitor:
    return place.signed_in(game).get(place.link(game, seat=0) + "/settings")


def player(place, game, seat=0) -> int:
    with place.context.reading() as session:
        found = session.get_one(Seating, (game, seat)).player
    assert found is not None
    return found


def kept(place, game, seat=0) -> tuple[Preferences, Preferences]:
    """What a player wants of all games, and of this."""
    with place.context.reading() as session:
        who = player(place, game, seat)
        return load_preferences(session, who), load_preferences(session, who, game)


def rows(place) -> int:
    with place.context.reading() as session:
        return len(session.exec(select(StoredPreferences)).all()) + len(
            session.exec(select(AddressConfirmation)).all()
        )


def test_to_look_changes_nothing(place, game):
    before = place.stored(), rows(place)
    for words in ("", "draw", "accept", "nonsense"):
        visitor = place.visitor().get(place.link(game, words, seat=0) + "/settings")
        assert visitor.status == 200
        assert visitor.client.head(place.link(game, words) + "/settings").data == b""
    assert (place.stored(), rows(place)) == before


def test_every_option_is_explained_and_the_defaults_are_chosen(place, game):
    visitor = page(place, game)
    for words in (
        "At once",
        "Gathered",
        "Once a day",
        "All moves",
        "Text only",
        "You are signed in",
    ):
        assert words in visitor.text
    assert all(str(pick.text_content()).strip() for pick in visitor.page.xpath("//label//small"))
    _, _, fields = visitor.form(FORM)
    assert fields["language"] == "en"
    assert fields["zone"] == "UTC"
    assert fields["scope"] == "all"
    assert {name: fields[f"all-{name}"] for name in ("pace", "moves", "messages", "pictures")} == {
        "pace": "at once",
        "moves": "no",
        "messages": "no",
        "pictures": "yes",
    }


def test_what_is_chosen_for_all_games_is_kept(place, game):
    visitor = page(place, game).send(
        FORM,
        **{"language": "nl", "zone": "Europe/Amsterdam", "all-pace": "daily", "all-hour": "19"},
        **{"all-moves": "yes", "all-messages": "yes", "all-pictures": "no"},
    )
    assert visitor.status == 200
    wanted = Preferences(
        "nl", "Europe/Amsterdam", "daily", hour=19, moves=True, messages=True, pictures=False
    )
    assert kept(place, game) == (wanted, wanted)
    assert kept(place, game, 1) == (Preferences(), Preferences())
    assert visitor.title == "Je instellingen"
    assert visitor.page.xpath("string(/html/@lang)") == "nl"
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
    other = start_game(place.context, "Anna", "Cleo")
    there, here = (place.history(one).position.table.names.index("Anna") for one in (other, game))
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
    visitor = page(place, game).send(FORM, **{"all-minutes": "", "all-moves": "yes"})
    assert visitor.status == 200
    assert kept(place, game)[0] == Preferences(moves=True)


@pytest.mark.parametrize("nonce", ["", "x", "6530.AAAA", "é"])
def test_a_form_that_is_not_ours_changes_nothing(place, game, nonce):
    before = rows(place)
    visitor = page(place, game).send(FORM, nonce=nonce, language="nl")
    assert visitor.status == 400
    assert "press the button again" in visitor.text
    visitor = page(place, game).send(ADDRESS, nonce=nonce, address="new@example.org")
    assert visitor.status == 400
    assert rows(place) == before


def test_anothers_nonce_is_none(place, game):
    other = place.visitor().get(place.link(game, seat=1) + "/settings").nonce()
    assert page(place, game).send(FORM, nonce=other).status == 400


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


def test_a_seat_of_the_house_has_no_settings(place):
    game = start_game(place.context, "Anna", "house")
    house = next(seat for seat in (0, 1) if place.history(game).position.table.names[seat] == HOUSE)
    assert place.visitor().get(place.link(game, seat=house) + "/settings").status == 404


def test_forged_tickets_show_a_sentence(place, game):
    assert place.visitor().get("/t/aaaa/settings").status == 404
    assert place.visitor().post("/t/aaaa/settings").status == 404


def test_the_pages_of_a_game_lead_there(place, game):
    visitor = place.visitor().get(place.link(game)).click("Settings")
    assert visitor.title == "Your settings"
    assert visitor.click("To the game").status == 200


def test_every_field_has_a_label_and_no_id_stands_twice(place, game):
    shown = page(place, game).page
    ids = shown.xpath("//@id")
    assert len(ids) == len(set(ids))
    for entry in shown.xpath("//input[not(@type='hidden')] | //select"):
        assert shown.xpath("//label[@for=$id]", id=entry.get("id") or "?") or entry.xpath("ancestor::label")


def test_letters_that_wait_come_when_the_new_preferences_say(place, game):
    daily = {"all-pace": "daily", "all-hour": "3", "all-messages": "yes"}
    visitor = page(place, game).send(FORM, **daily)
    place.visitor().get(place.link(game, seat=1)).send("//form[contains(@action, '/say')]", words="hello")

    def waits() -> bool:
        chosen = select(OutgoingLetter).where(
            OutgoingLetter.kind == "message", OutgoingLetter.due_at > place.clock.now
        )
        with place.context.reading() as session:
            return session.exec(chosen).first() is not None

    assert waits()
    visitor.get(place.link(game, seat=0) + "/settings").send(FORM, **{"all-pace": "at once"})
    assert not waits()


# --- with a ticket alone --------------------------------------------------------------------------------


def ticket_page(place, game, seat=0) -> Visitor:
    return place.visitor().get(place.link(game, seat=seat) + "/settings")


def test_a_ticket_changes_its_game_alone(place, game):
    visitor = ticket_page(place, game)
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
    assert place.history(game).position.table.over
    visitor = ticket_page(place, game)
    assert "have ended with it" in visitor.text
    assert not visitor.page.xpath(stops)
    assert page(place, game).page.xpath(stops)


def test_one_tap_mails_a_link_that_leads_back(place, game):
    start_game(place.context, "Anna", "Cleo")
    visitor = ticket_page(place, game)
    assert "anna@example.org" not in visitor.text
    assert "a…@example.org" in visitor.text or "b…@example.org" in visitor.text
    visitor.send("//section[@id='all']//form")
    assert "A link is on its way to" in visitor.text
    place.visitor().get(place.link(game, seat=1) + "/settings").send("//section[@id='all']//form")
    work_until_idle(place.context, mails := Collector(), place.clock())
    name = place.history(game).position.table.names[0]
    (letter,) = [mail for mail in mails.to(name) if mail["X-Alexandros"] == "signin"]
    link = re.search(r"/s/[a-z2-7]{32}", body(letter))
    visitor.get(link[0]).press()
    assert visitor.title == "Your settings"
    assert "Friday" in visitor.text
    assert "You are signed in" in visitor.text
    assert visitor.answer.request.path == place.link(game, seat=0) + "/settings"


def test_a_ticket_asks_the_address_in_use_first(place, game):
    visitor = ticket_page(place, game).send(ADDRESS, address="new@example.org")
    assert visitor.status == 200
    assert "Once you have said yes there" in visitor.text
    with place.context.reading() as session:
        rows = session.exec(select(OutgoingLetter).where(OutgoingLetter.kind == "move_asked")).all()
        (asked,) = session.exec(select(AddressConfirmation)).all()
    name = place.history(game).position.table.names[0].lower()
    assert [one.recipient for one in rows] == [f"{name}@example.org"]
    (code,) = confirmation_codes(place.context)
    visitor.get(f"/c/{code}")
    assert visitor.title == "Shall your mails go to new@example.org?"
    assert asked.purpose == "move"
    before = place.link(game, seat=0)
    visitor.send("//main//form", wish="no")
    assert "open nothing any more" in visitor.text
    assert visitor.get(f"/c/{code}").status == 404
    assert visitor.get(before).status >= 400


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
