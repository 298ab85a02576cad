"""My games: what waits for me, what else is played, what was."""

import pytest
from sqlalchemy import event

from server.outbox.notifications import load_preferences
from server.store.game_terms import SeatRequest
from server.store.models import Player, Seating
from tests.server.desk import ANNA, BEN, NOON
from tests.server.web.bots import bot
from tests.server.web.played import advance, known, wanted
from tests.server.web.site import Visitor


def games(visitor, where: str = "running") -> list[str]:
    return [str(one.text_content()) for one in visitor.page.xpath(f"//*[@id='{where}']//h3")]


def entry(visitor, name: str) -> str:
    return " ".join(str(visitor.page.xpath(f"//li[.//h3='{name}']")[0].text_content()).split())


def opened(place, name: str, *people: str, at_once: bool = True, hours: int = 48) -> str:
    requests = [SeatRequest(one, f"{one.lower()}@example.org") for one in people]
    return place.open_game(name, requests, hours=hours, at_once=at_once)


def give_turn(place, game, name: str) -> None:
    """Let the house play until it is somebody's turn."""
    seat = place.seat(game, name)
    advance(place, game, lambda now: now.table.seat == seat, place.clock())


def test_only_who_is_signed_in_has_games_here(place, game):
    for page, form in (("/me", ""), ("/me/finished", ""), ("/me/browsers", "?to=me/browsers")):
        answer = place.visitor().client.get(page)
        assert (answer.status_code, answer.location) == (303, f"/signin{form}")


def test_games_in_which_it_is_my_turn_come_first_and_then_by_deadline(place):
    for name, hours, mine in (("A", 24, False), ("B", 72, True), ("C", 48, True), ("D", 96, False)):
        game = place.context.begin_time(opened(place, name, "Anna", "Ben", hours=hours))
        give_turn(place, game, "Anna" if mine else "Ben")
    visitor = place.as_player().get("/me")
    assert games(visitor) == ["C", "B", "A", "D"]
    assert entry(visitor, "C").startswith("C Your turn · 2 days left")
    assert "It is Ben's turn" in entry(visitor, "A")
    assert "With Ben" in entry(visitor, "A")
    assert visitor.page.xpath("//li[@class='turn']//h3/a/text()") == ["C", "B"]
    assert visitor.click("C").text.count("your turn") + visitor.text.count("Your turn") > 0
    assert visitor.answer.request.path.startswith("/t/")


def test_a_game_in_which_one_holds_two_seats_stands_there_once_and_leads_to_the_seat_to_move(place):
    requests = [SeatRequest(name, "anna@example.org") for name in ("Anna", "Ben")]
    game = place.open_game("Twice", requests, hours=48, at_once=True)
    visitor = place.as_player("Ben")
    for name in ("Ben", "Anna"):
        give_turn(place, game, name)
        assert games(visitor.get("/me")) == ["Twice"]
        assert entry(visitor, "Twice").startswith("Twice Your turn")


def test_two_seats_that_were_played_in_one_browser_are_told_apart(place, game):
    visitor = place.visitor()
    for _ in range(2):
        now = known(place, game)
        visitor.get(place.link(game, wanted(place, game))).press()
        give_turn(place, game, {"Anna": "Ben", "Ben": "Anna"}[now.table.names[now.my_seat]])
    assert sorted(games(visitor.get("/me"))) == ["Friday as Anna", "Friday as Ben"]


def test_invitations_and_games_that_wait_for_others_stand_apart(place):
    opened(place, "Monday", "Anna", "Ben", "Cleo", at_once=False)
    waiting = opened(place, "Tuesday", "Anna", "Ben", at_once=False)
    place.context.accept_invitation(waiting, place.seat(waiting, "Anna"), NOON)
    visitor = place.as_player().get("/me")
    assert games(visitor, "invited") == ["Monday"]
    assert games(visitor, "waiting") == ["Tuesday"]
    assert "With Ben and Cleo" in entry(visitor, "Monday") or "With Cleo and Ben" in entry(visitor, "Monday")
    assert not visitor.page.xpath("//*[@id='running']")
    visitor.click("Monday")
    assert visitor.title == "Will you play, Anna?"
    assert visitor.press().title == "You are in, Anna"
    assert games(visitor.get("/me"), "invited") == []


def test_a_game_that_was_given_up_stands_last_and_is_never_ones_turn(place):
    game = opened(place, "Given up", "Anna", "Ben", "Cleo")
    opened(place, "Kept", "Anna", "Ben")
    place.context.resign(game, place.seat(game, "Anna"))
    visitor = place.as_player().get("/me")
    assert games(visitor) == ["Kept", "Given up"]
    assert "You have given this game up" in entry(visitor, "Given up")


@pytest.mark.breadth
def test_hundreds_of_games_fill_pages_and_are_read_with_a_handful_of_questions(place):
    for number in range(53):
        opened(place, f"Game {number}", "Anna", "Ben")
    visitor = place.as_player().get("/me")
    assert len(games(visitor)) == 50
    assert "Page 1 of 2" in visitor.text
    asked: list[str] = []
    event.listen(place.context.database, "before_cursor_execute", lambda *of: asked.append(of[2]))
    visitor.click("Further")
    assert len(asked) < 35
    assert len(games(visitor)) == 3
    assert visitor.click("Back").text.count("With Ben") == 50
    for page in ("0", "-1", "x", "²", "99999999999999999999"):
        assert visitor.get(f"/me?page={page}").status == 200
        assert visitor.get(f"/me/finished?page={page}").status == 200


def test_a_game_that_cannot_be_read_does_not_hide_the_others(place):
    broken, _ = opened(place, "Broken", "Anna", "Ben"), opened(place, "Whole", "Anna", "Ben")
    place.context.tamper(broken)
    visitor = place.as_player().get("/me")
    assert visitor.status == 200
    assert sorted(games(visitor)) == ["Broken", "Whole"]


def test_who_has_no_games_left_still_has_a_page(place):
    game = opened(place, "Friday", "Anna", "Ben", at_once=False)
    visitor = place.as_player()
    change_seat(place, game, player=None)
    assert "None at the moment." in visitor.get("/me").text
    assert visitor.get("/me/finished").status == 200


def change_seat(place, game, **values: object) -> None:
    with place.changing() as session:
        session.get_one(Seating, (game, place.seat(game, "Anna"))).sqlmodel_update(values)


def accepted(place, game) -> Visitor:
    return place.look(game, words="accept", seat=place.seat(game, "Anna")).press()


def test_what_was_played_in_a_browser_is_found_there_without_an_address(place):
    game = place.context.begin_time(opened(place, "Friday", "Anna", "Ben"))
    opened(place, "Sunday", "Anna", "Ben")
    visitor = place.look(game)
    assert visitor.client.get("/me").location == "/signin"  # to look at a page is to be nobody
    visitor.get(place.link(game, wanted(place, game))).press()
    visitor.get("/me")
    assert games(visitor) == ["Friday"]
    assert visitor.title == "My games"
    assert visitor.click("Friday").status == 200
    assert visitor.get("/").click("My games").title == "My games"
    asked = visitor.get("/me").click("All my games: sign in")
    assert not asked.page.xpath("//main//input[@type='email']")
    visitor.get("/me").send("//form[@method='post']")
    assert visitor.title == "All my games"


def test_links_that_were_made_new_are_known_nowhere_any_more(place):
    game = opened(place, "Friday", "Anna", "Ben", at_once=False)
    visitor = accepted(place, game)
    assert games(visitor.get("/me"), "waiting") == ["Friday"]
    change_seat(place, game, generation=1)
    assert visitor.get("/me").title == "All my games"


def test_who_signs_out_leaves_nothing_behind(place):
    visitor = accepted(place, opened(place, "Friday", "Anna", "Ben", at_once=False))
    visitor.client.set_cookie("alexandros-in", place.as_player().client.get_cookie("alexandros-in").value)
    visitor.get("/me/browsers").send("//form[.//button[normalize-space()='Sign out']]", wish="out")
    assert visitor.get("/me").title == "All my games"


def test_an_invitation_says_that_it_waits_for_me_and_who_asks(place):
    place.open_game("Friday", [ANNA, BEN], organiser="ben@example.org")
    opened(place, "Monday", "Anna", "Ben", at_once=False)
    visitor = place.as_player().get("/me")
    assert "Ben waits for your answer · yes or no" in entry(visitor, "Friday")
    assert "Waits for your answer · yes or no" in entry(visitor, "Monday")


def test_times_are_told_by_the_clock_of_the_browser_until_settings_say_another(place):
    game = place.context.begin_time(opened(place, "Friday", "Anna", "Ben", hours=48))
    visitor = place.as_player()
    visitor.client.set_cookie("alexandros-zone", "Europe/Amsterdam")
    assert "until Wednesday afternoon, 4 March, 13:00 CET" in visitor.get("/me").text
    place.context.set_preferences(game, "Anna", everywhere=True, zone="Asia/Tokyo")
    assert "21:00 JST" in visitor.get("/me").text
    visitor.client.set_cookie("alexandros-zone", "Nowhere/<b>")
    assert "21:00 JST" in visitor.get("/me").text


def zone_of(place, name: str) -> str:
    [player] = place.rows(Player.id, Player.name == name)
    return place.read(load_preferences, player).zone


@pytest.mark.parametrize("known", ["UTC", "Asia/Tokyo"])
def test_who_plays_in_a_browser_gets_letters_by_its_clock_unless_a_zone_is_set(place, game, known):
    place.context.begin_time(game)
    place.context.set_preferences(game, "Anna", everywhere=True, zone=known)
    visitor, form = place.visitor(), "//form[@id='days']"
    page = place.link(game, seat=place.seat(game, "Anna")) + "/away"
    days = {"last": "2026-03-03", "wish": "away"}
    visitor.get(page).send(form, **days)
    assert zone_of(place, "Anna") == known  # this browser names no zone
    visitor.client.set_cookie("alexandros-zone", "Europe/Amsterdam")
    visitor.get(page).send(form, **days, nonce="forged")
    assert zone_of(place, "Anna") == known
    visitor.get(page).send(form, **days)
    assert zone_of(place, "Anna") == ("Europe/Amsterdam" if known == "UTC" else known)
    assert zone_of(place, "Ben") == "UTC"


def test_so_does_who_is_signed_in_and_presses_a_button(place, game):
    visitor = place.as_player()
    visitor.client.set_cookie("alexandros-zone", "Europe/Amsterdam")
    visitor.get("/me/browsers").send("//form[@id='new-key']", name="a program", wish="new")
    assert (zone_of(place, "Anna"), zone_of(place, "Ben")) == ("Europe/Amsterdam", "UTC")


def test_who_accepts_in_a_browser_gets_letters_by_its_clock(place):
    game = opened(place, "Friday", "Anna", "Ben", at_once=False)
    visitor = place.visitor()
    visitor.client.set_cookie("alexandros-zone", "Europe/Amsterdam")
    visitor.get(place.link(game, "accept", seat=place.seat(game, "Anna"))).press()
    assert zone_of(place, "Anna") == "Europe/Amsterdam"


TOLD = "Your turn: by Wednesday at the latest."


def test_it_stands_where_somebody_waits_and_nowhere_else(place):
    game = place.context.begin_time(opened(place, "Friday", "Anna", "Ben"))
    give_turn(place, game, "Ben")
    place.context.begin_time(game, place.clock())
    waiting = place.as_player().get("/me")
    assert TOLD in entry(waiting, "Friday")
    assert TOLD in waiting.click("Friday").text
    other = place.as_player("Ben").get("/me")
    assert "Your turn:" not in entry(other, "Friday")
    assert "Your turn:" not in other.click("Friday").text
    waits, moves = (bot(place, game, name).get(f"games/{game}").json for name in ("Anna", "Ben"))
    assert waits["next_turn"] == {"not_before": None, "latest": waits["deadline"], "words": TOLD}
    assert moves["next_turn"] is None
