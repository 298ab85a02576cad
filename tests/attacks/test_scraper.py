"""A scraper reads all pages and asks everything, to learn who plays here and where they can be reached."""

import re
import time
from statistics import median

import pytest

from tests.attacks import reading, strangers
from tests.attacks.small_world import MAIN_FORM, open_world
from tests.attacks.strangers import NEW, open_by_form, visit

pytestmark = pytest.mark.breadth

ADDRESS = re.compile(r"[\w.+-]+@(?:\w+\.)*example\.(?:org|net|com)")
ABOUT_ME = "our data"


def shown(visitor) -> tuple[int, str, str]:
    assert visitor.answer is not None
    text = re.sub(r'value="[^"]*"', "", visitor.answer.get_data(as_text=True))
    return visitor.status, visitor.answer.request.path, re.sub(r"/(j|new|n)/\w+", "", text)


def test_asking_to_sign_in_tells_nothing_of_players_strangers_and_the_banned(world):
    strangers.ban(world, "ben@example.org")
    strangers.ban(world, "example.com")
    people = ("anna@example.org", "ben@example.org", "cleo@example.org", "dirk@example.com")
    answers = {shown(strangers.ask_to_sign_in(world, "192.0.2.7", one)) for one in people}
    assert len(answers) == 1
    world.deliver()
    assert not [to for _, to in world.mails.envelopes[-1:] if to in people[1:]]


def test_the_form_of_a_new_game_tells_nothing_of_its_guests(world):
    strangers.ban(world, "cleo@example.net")
    guests = ("ben@example.org", "cleo@example.net", "dirk@example.com")
    answers = [open_by_form(visit(world, "192.0.2.7"), "plain@example.com", one) for one in guests]
    pages = {re.sub("|".join(guests), "X", shown(one)[2]) for one in answers}
    assert len(pages) == 1
    assert {one.status for one in answers} == {200}


def test_the_page_of_a_free_seat_tells_nothing_of_who_asks_for_it(world):
    strangers.ban(world, "cleo@example.net")
    answers = set()
    people = "anna@example.org", "ben@example.org", "cleo@example.net", "dirk@example.com"
    for number, one in enumerate(people):
        link = strangers.open_table(world, "Anna", 3)
        page = strangers.join(world, f"192.0.{number}.7", link, "Guest", one)
        answers.add((page.status, page.title, ADDRESS.sub("X", page.text)))
    assert len(answers) == 1


def test_an_answer_takes_as_long_for_players_as_for_strangers_and_the_banned(world):
    strangers.ban(world, "cleo@example.net")
    spans: dict[str, list[float]] = {}
    for number in range(5):
        for one in ("anna@example.org", "cleo@example.net", f"dirk{number}@example.com"):
            page = visit(world, f"10.0.{number}.1").get("/signin")
            start = time.perf_counter()
            page.send(MAIN_FORM, address=one)
            spans.setdefault(one.partition("@")[2], []).append(time.perf_counter() - start)
    middle = [median(one) for one in spans.values()]
    assert max(middle) - min(middle) < 0.05


@pytest.mark.parametrize(
    "page", ["/", "/games", "/new", "/signin", "/privacy", "/rules", "/me", "/api/openapi.json"]
)
def test_no_public_page_shows_an_address(tmp_path, page):
    world, _ = open_world(tmp_path, "Anna", "Ben", at_once=False)
    strangers.open_table(world, "Anna")
    visitor = visit(world, "192.0.2.7")
    answer = visitor.client.get(page, follow_redirects=True)
    assert answer.status_code in (200, 401)
    assert not {"anna@example.org", "ben@example.org"} & {*ADDRESS.findall(answer.text)}


def test_games_that_nobody_may_watch_are_like_games_that_are_none(world, game):
    for path in ("/g/{}", "/api/games/{}", "/api/games/{}/log", "/g/{}/history", "/g/{}/pulse"):
        answers = []
        for one in (game, "abcd2345"):
            answer = world.place.app.test_client().get(path.format(one))
            answers.append((answer.status_code, answer.text.replace(one, "X"), answer.headers.get("ETag")))
        assert answers[0] == answers[1], path


def test_who_tries_ids_one_after_another_is_slowed_down(world):
    paths = [f"/api/games/abcd{number:04}" for number in range(2222, 2422)]
    seen = {visit(world, "192.0.2.7").client.get(path).status_code for path in paths}
    assert 429 in seen
    assert visit(world, "203.0.113.1").client.get("/api/games/abcd2345").status_code != 429


@pytest.mark.parametrize("change", ["cut", "longer", "another kind"])
def test_the_page_of_what_was_not_wanted_opens_only_by_its_link(world, change):
    open_by_form(strangers.signed_in(world, "Anna"), "", "cleo@example.net")
    mail = strangers.invitation(world, "cleo@example.net")
    link = strangers.unwanted_link(mail)
    other = f"/x/{reading.sealed(reading.ticket_in(mail))}"
    made = {"cut": link[:-1], "longer": f"{link}a", "another kind": other}
    visitor = world.visitor(made[change])
    assert visitor.status in (404, 410)
    assert not ADDRESS.search(visitor.text.replace("alexandros@example.org", ""))
    before = world.stored()
    assert world.visitor(link).status == 200
    assert world.stored() == before, "and to look changes nothing"


def test_a_ticket_alone_shows_nobody_what_is_kept_about_its_player(world):
    seat = reading.ticket_in(world.mails.to("anna")[0])
    finder = world.visitor(f"{seat}/settings")
    assert not [words for words, _ in finder.links() if ABOUT_ME in words and "/signin" not in _]
    owner = strangers.signed_in(world, "Anna").get(f"{seat}/settings")
    link = next(link for words, link in owner.links() if ABOUT_ME in words)
    answer = owner.client.get(link, follow_redirects=True)
    assert "anna@example.org" in answer.text
    assert "ben@example.org" not in answer.text, "and not what is kept about others"
    thief = world.visitor().client.get(link, follow_redirects=True)
    assert "anna@example.org" not in thief.text


def test_the_data_of_a_person_hold_no_address_of_another(tmp_path):
    world, game = open_world(tmp_path, "Anna", "Ben", "Cleo")
    player = world.place.context.mover(game)
    others = {"Anna", "Ben", "Cleo"} - {player}
    world.write(f"{player.lower()}@example.org", strangers.reply_address(world, player), "say: good luck")
    found = strangers.data(world, f"{player.lower()}@example.org")
    assert f"{player.lower()}@example.org" in found
    assert not [one for one in others if f"{one.lower()}@example.org" in found]


def test_an_answer_at_new_tells_nothing_of_the_guests_it_names(world):
    strangers.ban(world, "cleo@example.net")
    answers = set()
    for number, one in enumerate(("anna@example.org", "cleo@example.net", "plain@example.net")):
        sender = f"dirk{number}@example.com"
        world.write(sender, NEW, f"Guest <{one}>")
        world.deliver()
        mail = strangers.reaching(world, sender)[-1]
        text = str(mail.get_body(("plain",)).get_content()).replace(one, "X").replace(f"dirk{number}", "Y")
        answers.add(re.sub(r"/(n|x|t|u)/\S+|\w+\+\S+|Dirk\d|\S+@\S+", "", text))
    assert len(answers) == 1


def test_the_log_shortens_addresses(world, caplog):
    with caplog.at_level("DEBUG"):
        strangers.signed_in(world, "Anna")
        for number in range(5):
            strangers.ask_to_sign_in(world, "192.0.2.7", "ben@example.org")
            strangers.forge(world, "dirk@example.com", f"play+made{number}@play.example.org", [], "board")
        world.deliver()
    named = "server", "alexandros"
    ours = [record.getMessage() for record in caplog.records if record.name.startswith(named)]
    assert not [line for line in ours if "anna@example.org" in line or "ben@example.org" in line]
    assert ours, "and what matters is logged"
