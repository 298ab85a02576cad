"""Programs play: they look at a game, follow it, act in it, and hear what is wrong in one sentence."""

import json
import re
import subprocess
from datetime import timedelta

import pytest
from click.testing import CliRunner
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app
from werkzeug.wrappers import Request

from emails.languages.supported_languages import LANGUAGES
from emails.wording.options import list_options, number_corners
from engine.actions import Choose
from engine.event_log import EVENT_FIELDS, describe
from server.admin import backups
from server.cli import main
from server.store.game_terms import SeatRequest
from server.store.models import Seating
from server.store.states import GameStatus
from server.web.api.api_routes import DESCRIPTION, build_openapi
from server.web.api.schemas import DESCRIPTIONS
from tests.breadth import first
from tests.server.desk import ANNA, BEN, HOUSE, NOON
from tests.server.web.bots import LYRE_TO_LARISSA, Bot, bot, bots, deal_lyre, problem, served
from tests.server.web.played import known

CURL = "curl --no-progress-meter --fail-with-body "
SECRET_KEYS = {"due", "supply", "hands"}
"""What the position of `alexandros replay` has and no caller may see."""
STARTS = ("levy", "occupy", "takeover", "choose", "march", "play", "draw", "take")
"""What both programs prefer to do, the dearest first."""


def best(found: list[dict], *, patient: bool = False) -> str:
    """What a hasty program picks, as far as it is one thing only; a patient one gathers cards first."""
    words = [one["words"] for one in found if not one["further"]]
    starts = ("draw", "take") if patient else STARTS
    return next((one for start in (*starts, *STARTS) for one in words if one.startswith(start)), words[0])


@pytest.fixture
def game(place) -> str:
    """A game whose first seat can march to Larissa with a lyre."""
    return deal_lyre(place)


@pytest.fixture
def mover(place, game) -> Bot:
    return bots(place, game)[0]


def test_two_programs_play_a_whole_game_by_its_choices_and_its_log_replays(place, game):
    place.app.config["LIMITS"]["api"] = 100_000
    pair, told, seen, untold = bots(place, game), [], 0, 0
    while (now := pair[0].get(f"games/{game}").json)["status"] == "running":
        mover = pair[now["seat"]]
        mine = mover.get(f"games/{game}").json
        assert mine["me"] == now["seat"]
        offered = [one.words for group in list_options(known(place, game)) for one in group.choices]
        untold += offered.count("")  # what only a page can tell
        assert [one["words"] for one in mine["choices"]] == list(filter(None, offered))
        done = mover.act(game, best(mine["choices"], patient=len(mine["hand"]) < 8), after=mine["after"])
        assert done.status_code == 200, done.text
        told += done.json["events"]
        seen += 1
        assert seen < 500
    assert untold
    assert told[-1]["type"] == "game_ended"
    assert told[-1]["winners"] == now["winners"]
    facts = {"taxes_levied", "province_occupied", "card_drawn", "turn_ended"}
    assert {fact["type"] for fact in told} >= facts
    assert problem(pair[0].act(game, "draw"), 422)["detail"] == "The game is over."
    log = pair[1].get(f"games/{game}/log")
    after = now["after"] - 1
    last = "".join(f"{line}\n" for line in backups.export_log(place.context, game, after))
    assert log.text.endswith(last)
    assert pair[1].get(f"games/{game}/log?after={after}").text == last
    assert "game_ended" in last
    assert log.content_type == "application/jsonl"
    assert log.text == "".join(f"{line}\n" for line in backups.export_log(place.context, game))
    replayed = CliRunner().invoke(main, ["replay", "-"], input=log.text)
    assert replayed.exit_code == 0, replayed.output
    ended = json.loads(replayed.output)
    public = ended.keys() - SECRET_KEYS
    assert {key: now[key] for key in public} == {key: ended[key] for key in public}
    doors = {json.loads(line).get("meta", {}).get("door") for line in log.text.splitlines()}
    assert doors == {None, "api", "server"}


def test_a_game_is_shown_as_its_caller_may_know_it(place):
    game = place.start_game("Anna", "Ben", "Cleo")
    position = place.position(game)
    described = describe(position)
    for seat, one in enumerate(bots(place, game)):
        shown = one.get(f"games/{game}").json
        public = described.keys() - SECRET_KEYS
        assert {key: shown[key] for key in public} == {key: described[key] for key in public}
        assert not SECRET_KEYS & shown.keys()
        assert (shown["game"], shown["name"], shown["board"]) == (game, "Friday", "Alexandros")
        assert (shown["edition"], shown["status"], shown["me"]) == ("rio-grande", "running", seat)
        assert shown["players"] == list(place.names(game))
        assert shown["hand"] == described["hands"][seat]
        assert shown["hand_sizes"] == [1, 1, 1]
        assert shown["supply_size"] == 50
        assert shown["after"] == place.history(game).after
        assert shown["deadline"] == "2026-03-04T12:00:00Z"
        assert bool(shown["choices"]) == (seat == 0)


def test_programs_are_told_whom_the_server_plays_and_how_well(place):
    game = place.start_game("Anna", "house:Porus", "house")
    strong, unknown = place.seat(game, "Porus"), place.seat(game, HOUSE)
    with place.changing() as session:
        session.get_one(Seating, (game, unknown)).name = "House"
    told = bot(place, game, "Anna").get(f"games/{game}").json["house"]
    wanted = {strong: "strong", unknown: None}
    assert told == [{"seat": seat, "strength": wanted[seat]} for seat in sorted(wanted)]


PUBLIC_NAMES = """
    Acts Advice AlexanderMarched AlexanderStayed Availability AvailabilityWish BackDone BegunGame
    CardChosen CardDrawn CardOpened CardTaken Choice CommandDone Done Fact Game GameClosed GameEnded
    GameStarted Games GuardRecalled Harvest HousePlayer Listed NextTurn OpenGame Phase Plan PlanWish Problem
    Province ProvinceOccupied ProvinceTakenOver ReminderWish Reminders Review ReviewedTurn Sleep
    Strength Suggestion SupplyRenewed Symbol TaxesLevied TurnEnded TurnSkipped Vacation VacationEnd
    VacationWish Vote VoteAnswer VoteKind VoteOutcome Voted
    """.split()


def test_the_shapes_are_known_by_names_that_do_not_change():
    schemas = json.loads(build_openapi("https://play.example.org", 60))["components"]["schemas"]
    assert sorted(schemas) == sorted(PUBLIC_NAMES)
    for words in DESCRIPTIONS:
        name, _, key = words.partition(".")
        assert key in {"", *EVENT_FIELDS[name][1]}


def test_a_game_that_has_not_begun_has_no_position(place):
    game = place.open_game("Friday", [ANNA, BEN])
    anna = bot(place, game, "Anna")
    shown = anna.get(f"games/{game}").json
    assert shown.keys() == {
        "game", "name", "board", "edition", "status", "players", "house", "me", "after", "deadline",
        "stands_still", "paused_until",
    }  # fmt: skip
    assert shown["status"] == "open"
    assert set(shown["players"]) == {"Anna", "Ben"}
    assert anna.get(f"games/{game}/log").text == ""
    assert problem(anna.act(game, "draw"), 422)["detail"] == "The game has not begun yet."
    assert [place.context.accept_invitation(game, seat, NOON) for seat in (0, 1)] == [False, True]
    assert anna.get(f"games/{game}").json["status"] == "running"


@pytest.mark.parametrize("status", [GameStatus.PROPOSED, GameStatus.CANCELLED])
def test_a_game_that_nobody_has_confirmed_or_that_was_called_off_is_shown_to_nobody(place, game, status):
    anna = bot(place, game, "Anna")
    place.context.change_game(game, status=status)
    assert problem(anna.get(f"games/{game}"), 404)
    assert problem(anna.get(f"games/{game}/log"), 404)
    assert problem(anna.act(game, "draw", preview=True), 404)
    assert anna.get("games").json == {"games": [], "next": None}


def test_who_asks_again_hears_that_nothing_has_changed_until_it_has(place, game):
    first, second = bots(place, game)
    tag = second.get(f"games/{game}").headers["ETag"]
    again = second.get(f"games/{game}", If_None_Match=tag)
    assert (again.status_code, again.text, again.headers["ETag"]) == (304, "", tag)
    assert second.get(f"games/{game}", If_None_Match=f'"other", {tag}').status_code == 304
    assert first.get(f"games/{game}", If_None_Match=tag).status_code == 200  # he sees another hand
    assert second.get(f"games/{game}", If_None_Match=tag, Accept_Language="nl").status_code == 200
    first.act(game, best(first.get(f"games/{game}").json["choices"]))
    changed = second.get(f"games/{game}", If_None_Match=tag)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag
    assert changed.headers["Cache-Control"] == "private, no-cache"


def test_no_moment_is_told_more_exactly_than_somebody_needs(place):
    at = NOON + timedelta(seconds=7, microseconds=123_456)
    game = place.context.start_timed_game("Anna", "Ben", now=at)
    anna = bot(place, game, "Anna")
    assert anna.get(f"games/{game}").json["deadline"] == "2026-03-04T12:00:07Z"
    assert anna.get("games").json["games"][0]["deadline"] == "2026-03-04T12:00:07Z"
    assert set(place.look(game).page.xpath("//time/@datetime")) == {"2026-03-04T12:00+00:00"}


def test_a_program_lists_the_games_of_its_player(place):
    mine = [place.start_game("Anna", "Ben", now=NOON + timedelta(hours=n)) for n in range(52)]
    place.start_game("Cleo", "Dirk")
    anna = bot(place, mine[0], "Anna")
    page = anna.get("games").json
    assert [one["game"] for one in page["games"]] == mine[:1:-1]
    rest = anna.get("games?page=2").json
    assert [one["game"] for one in rest["games"]] == mine[1::-1]
    assert (page["next"], rest["next"]) == (2, None)
    last = rest["games"][-1]
    seats = place.names(mine[0])
    assert last["whose_turn"] == seats[0]
    assert last["me"] == seats.index("Anna")
    assert (last["status"], last["seat"], last["name"]) == ("running", 0, "Friday")
    assert (last["after"], last["deadline"]) == (place.history(mine[0]).after, "2026-03-04T12:00:00Z")
    assert anna.get("games?page=3").json == {"games": [], "next": None}
    for wrong in ("0", "-1", "x", "", "99999999999", "\N{FULLWIDTH DIGIT ONE}"):
        assert "“page”" in problem(anna.get(f"games?page={wrong}"), 400)["detail"]


def test_whoever_has_two_seats_looks_and_acts_for_the_one_whose_turn_it_is_or_for_the_one_he_names(place):
    requests = [SeatRequest(name, "anna@example.org") for name in ("Anna", "Annabel")]
    game = place.open_game("Alone", requests, at_once=True)
    both = bot(place, game, "Anna")
    hands = [list(hand) for hand in place.position(game).hands]
    assert both.get(f"games/{game}").json["me"] == 0
    other = both.get(f"games/{game}?seat=1").json
    assert (other["me"], other["hand"], other["choices"]) == (1, hands[1], [])
    march = best(both.get(f"games/{game}").json["choices"])
    assert "not your turn" in problem(both.act(game, march, seat=1), 422)["detail"]
    assert both.act(game, march, seat=0).status_code == 200
    assert both.act(game, "end").status_code == 200
    assert both.get(f"games/{game}").json["me"] == 1
    assert both.get("games").json["games"][0]["me"] == 1
    assert problem(both.get(f"games/{game}?seat=2"), 403)["detail"] == "Seat 2 of this game is not yours."
    assert "“seat”" in problem(both.get(f"games/{game}/log?seat=4"), 400)["detail"]


def test_a_preview_tells_what_would_happen_and_does_nothing(place, game, mover):
    stored, lyre, *rest = place.stored(), *LYRE_TO_LARISSA
    seen = mover.act(game, lyre, *rest, "draw", "levy horse", preview=True).json
    assert place.stored() == stored
    assert seen["preview"]
    assert seen["done"] == [lyre, *rest, "draw"]
    assert (seen["undone"], seen["why"], seen["hidden"]) == (["levy horse"], None, True)
    assert [fact["type"] for fact in seen["events"]] == ["card_chosen", "alexander_marched"]
    assert seen["after"] == place.history(game).after
    assert seen["game"]["choices"] == []
    done = mover.act(game, lyre, *rest).json
    assert not done["preview"]
    assert done["done"] == [lyre, *rest]
    assert done["after"] == seen["after"] + 1 == done["game"]["after"]
    assert done["game"]["alexander"] == seen["game"]["alexander"]
    assert done["game"]["choices"]


def test_what_a_card_makes_impossible_stays_undone_and_the_answer_says_why(place, game, mover):
    place.dice.told = ["amphora"]  # what comes up in the place of the lyre
    done = mover.act(game, *LYRE_TO_LARISSA, "take horse", "draw").json
    assert done["done"] == [*LYRE_TO_LARISSA]
    assert done["undone"] == ["take horse", "draw"]
    assert "horse" in done["why"]
    assert done["game"]["actions_left"] == 2


def test_nothing_is_done_where_somebody_acted_before(place, game, mover):
    mover.act(game, *LYRE_TO_LARISSA)
    after, stored = place.history(game).after, place.stored()
    assert problem(mover.act(game, "draw", after=after - 1), 409)["after"] == after
    assert place.stored() == stored
    assert problem(mover.act(game, "draw", after=after + 1, preview=True), 409)["after"] == after


def test_a_refusal_has_the_sentence_the_line_and_what_can_be_sent_instead(place, game, mover):
    second = bots(place, game)[1]
    stored = place.stored()
    misspelt = problem(mover.act(game, "marhc Larissa"), 422)
    assert misspelt["did_you_mean"] == ["march"]
    assert misspelt["line"] == "marhc Larissa"
    several = problem(mover.act(game, "choose lyre", "march Larissa"), 422)
    assert several["line"] == "march Larissa"
    assert 1 < len(several["candidates"]) <= 6
    assert problem(mover.act(game, "draw"), 422)["rule"] == "3.1"
    assert problem(second.act(game, "draw"), 422)["detail"] == "It is not your turn (rule 3.1)."
    assert problem(mover.act(game, " ; ", "\n"), 422)["detail"].startswith("There is no action in it")
    assert problem(mover.act(game, *["draw"] * 20, preview=True), 422)
    assert place.stored() == stored
    assert mover.act(game, several["candidates"][0]).status_code == 200


def test_whoever_has_resigned_watches_on_and_plays_no_more(place, game, mover):
    place.context.resign(game, 0, "web")
    stored = place.stored()
    for preview in (True, False):
        refused = problem(mover.act(game, *LYRE_TO_LARISSA, preview=preview), 422)
        assert refused["detail"].startswith("You have resigned")
    assert place.stored() == stored
    assert mover.get(f"games/{game}").json["me"] == 0


def test_words_for_people_are_in_the_language_that_is_asked_for(place, game, mover):
    english, dutch = (mover.get(f"games/{game}", Accept_Language=code).json for code in LANGUAGES)
    assert [one["words"] for one in english["choices"]] == [one["words"] for one in dutch["choices"]]
    assert english["choices"][0]["heading"] != dutch["choices"][0]["heading"]
    assert {**english, "choices": 0} == {**dutch, "choices": 0}


def test_without_a_key_only_a_game_that_anybody_may_watch_is_shown(place, game):
    nobody = Bot(place)
    for path in ("", "/log"):
        hidden = problem(nobody.get(f"games/{game}{path}"), 404)
        assert hidden == problem(nobody.get(f"games/aaaaaaaa{path}"), 404)
        assert hidden == problem(nobody.get(f"games/no%20game{path}"), 404)
    place.context.let_watch(game)
    shown = nobody.get(f"games/{game}").json
    assert (shown["me"], shown["hand"], shown["choices"]) == (None, None, [])
    assert json.loads(nobody.get(f"games/{game}/log").text)["hands"] == [None, None]
    assert "Bearer" in problem(nobody.act(game, "draw"), 401)["detail"]
    assert problem(nobody.get("games"), 401)
    assert nobody.get("games").headers["WWW-Authenticate"].startswith("Bearer ")


def test_a_player_of_another_game_sees_what_anybody_sees_and_can_do_nothing(place, game):
    cleo = bot(place, place.start_game("Cleo", "Dirk"), "Cleo")
    assert problem(cleo.get(f"games/{game}"), 404)
    assert problem(cleo.act(game, "draw"), 404)
    place.context.let_watch(game)
    assert cleo.get(f"games/{game}").json["hand"] is None
    assert problem(cleo.act(game, "draw"), 403)
    assert problem(cleo.act(game, "draw", seat=0), 403)
    assert problem(cleo.get(f"games/{game}?seat=0"), 403)


@pytest.mark.parametrize(
    "given", ["Bearer", "Bearer ", "Bearer alx_wrong", "Basic YTpi", "", "Bearer " + "x" * 5000]
)
def test_a_wrong_key_is_refused_even_where_none_is_needed(place, game, given):
    place.context.let_watch(game)
    answer = place.app.test_client().get(f"/api/games/{game}", headers={"Authorization": given})
    assert problem(answer, 401)
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="alexandros", error="invalid_token"'


def test_no_cookie_is_looked_at_and_none_is_set(place, game):
    browser = place.visitor()
    browser.get(place.link(game))
    browser.post(place.link(game, "choose lyre"))  # whatever this browser is known for
    answer = browser.client.get(f"/api/games/{game}")
    assert problem(answer, 404)
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.vary


def test_pages_of_any_site_may_call_with_a_key_and_without_credentials(place):
    client = place.app.test_client()
    asked = {"Origin": "https://bots.example.org", "Access-Control-Request-Method": "POST"}
    for path in ("/api/games/aaaaaaaa/acts", "/api/games", "/api/openapi.json"):
        flight = client.options(path, headers=asked)
        assert flight.status_code == 200
        assert flight.headers["Access-Control-Allow-Origin"] == "*"
        assert "Authorization" in flight.headers["Access-Control-Allow-Headers"]
        assert "Access-Control-Allow-Credentials" not in flight.headers
    for path in ("/api/games", "/api/nowhere", "/api/games/aaaaaaaa/acts"):  # 401, 404 and 405
        assert client.get(path).headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in client.get("/").headers


def test_who_calls_too_often_is_told_when_to_come_back(place, game):
    place.app.config["LIMITS"]["api"] = 3
    anna, ben, nobody = bot(place, game, "Anna"), bot(place, game, "Ben"), Bot(place)
    assert [anna.get("games").status_code for _ in range(4)] == [200, 200, 200, 429]
    place.clock.forward(20 / 3600)
    late = anna.get(f"games/{game}")
    assert problem(late, 429)
    assert late.headers["Retry-After"] == "40"
    assert problem(bot(place, game, "Anna").get("games"), 429)  # another key of hers
    assert ben.get("games").status_code == 200
    assert [nobody.get("games").status_code for _ in range(4)] == [401, 401, 401, 429]
    assert nobody.get("openapi.json").status_code == 200
    place.clock.forward(41 / 3600)
    assert anna.get("games").status_code == 200


def test_the_commands_of_the_document_do_what_it_says(place, game, mover):
    """Against a real port, with the words of the document filled in."""
    told = json.loads(mover.get("openapi.json").text)["info"]["description"]
    after = place.history(game).after
    (shell,) = re.findall(r"```sh\n(.*?)```", told, re.DOTALL)
    with served(place) as address:
        shell = shell.replace("http://127.0.0.1:8000", address).replace("curl ", CURL)
        shell = shell.replace("alx_...", mover.key).replace("mq3ozk7a", game)
        shell = shell.replace("after=17", "after=1").replace('"after": 17', f'"after": {after}')
        ran = subprocess.run(["sh", "-eu", "-c", shell], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert '"game_started"' in ran.stdout
    assert '"preview":true' in ran.stdout


GOOD = '{"after": 2, "lines": ["draw"]}'
BAD = {
    "nothing": "",
    "no JSON": "choose lyre",
    "no object": "[1]",
    "a number": "17",
    "null": "null",
    "cut short": GOOD[:-1],
    "two": GOOD * 2,
    "a key twice": '{"after": 2, "after": 3, "lines": ["draw"]}',
    "not a number": '{"after": NaN, "lines": ["draw"]}',
    "infinite": '{"after": -Infinity, "lines": ["draw"]}',
    "a huge number": '{"after": 1' + "0" * 5000 + ', "lines": ["draw"]}',
    "a large number": '{"after": 99999999999999999999, "lines": ["draw"]}',
    "a negative number": '{"after": -1, "lines": ["draw"]}',
    "a fraction": '{"after": 2.5, "lines": ["draw"]}',
    "a text for a number": '{"after": "2", "lines": ["draw"]}',
    "true for a number": '{"after": true, "lines": ["draw"]}',
    "no after": '{"lines": ["draw"]}',
    "no lines": '{"after": 2}',
    "empty lines": '{"after": 2, "lines": []}',
    "too many lines": json.dumps({"after": 2, "lines": ["draw"] * 21}),
    "a long line": json.dumps({"after": 2, "lines": ["draw " * 500]}),
    "lines that are text": '{"after": 2, "lines": "draw"}',
    "lines that are none": '{"after": 2, "lines": [["draw"]]}',
    "half a character": '{"after": 2, "lines": ["draw \\ud800"]}',
    "half a character in a key": '{"after": 2, "lines": ["draw"], "\\udfff": 1}',
    "an unknown key": '{"after": 2, "lines": ["draw"], "previw": true}',
    "preview as text": '{"after": 2, "lines": ["draw"], "preview": "yes"}',
    "a seat too far": '{"after": 2, "lines": ["draw"], "seat": 4}',
    "deep lists": "[" * 30_000,
    "deep lines": '{"after": 2, "lines": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "deep objects": '{"a":' * 10_000 + "1" + "}" * 10_000,
    "UTF-16": GOOD.encode("utf-16"),
    "no UTF-8": b'{"after": 2, "lines": ["draw \xff"]}',
    "a mark before it": b"\xef\xbb\xbf" + GOOD.encode(),
}  # fmt: skip


@pytest.mark.parametrize("body", first(14, BAD.values()), ids=BAD)
def test_a_body_that_is_not_as_described_is_refused_in_a_sentence(place, game, mover, body):
    stored = place.stored()
    assert len(problem(mover.send(game, body), 400)["detail"]) < 200
    assert place.stored() == stored


LINES = ["draw \0", "\x1b[2J", "march " + "A3-" * 600, "é" * 2000, "“" * 50]
LINES += ["<script>", "draw" * 400, "\u202edraw", "%(word)s", "{}"]


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_line_that_nobody_can_read_is_refused_in_a_sentence(place, game, mover, line):
    stored = place.stored()
    for preview in (True, False):
        refused = problem(mover.act(game, line, preview=preview), 422)
        assert len(refused["detail"]) < 300
        assert len(refused["line"]) <= 200
    assert place.stored() == stored


def test_only_json_of_a_modest_size_is_read(place, game, mover):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"):
        assert problem(mover.send(game, GOOD, kind), 415)
    assert problem(mover.send(game, GOOD + " " * 70_000), 413)
    assert problem(mover.send(game, GOOD, "application/json; charset=utf-8"), 422)["rule"] == "3.1"
    assert problem(mover.send(game, GOOD.replace("2", "2.0")), 422)["rule"] == "3.1"


def test_a_body_without_a_length_is_an_empty_one(place, game, mover):
    sent = {"method": "POST", "data": GOOD, "content_type": "application/json", "headers": mover.headers()}
    given = EnvironBuilder(f"/api/games/{game}/acts", **sent).get_environ()
    del given["CONTENT_LENGTH"]
    assert problem(TestResponse(*run_wsgi_app(place.app, given), Request(given)), 400)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "POST", "QUERY"])
def test_what_nobody_serves_is_refused_as_a_document_too(place, method):
    client = place.app.test_client()
    refused = client.open("/api/games", method=method)
    assert problem(refused, 405)
    assert "GET" in refused.headers["Allow"]
    for path in ("/api/", "/api/nothing", "/api/games/aaaaaaaa/"):
        assert problem(client.open(path, method=method), 404)
    assert client.get("/apix").content_type.startswith("text/html")


def test_a_game_that_was_tampered_with_is_our_fault_and_no_page(place, game, mover, caplog):
    place.context.tamper(game)
    assert problem(mover.get(f"games/{game}"), 500)
    assert game in caplog.text


def test_a_corner_is_called_by_its_number(place, game):
    program, now = bot(place, game, place.context.mover(game)), known(place, game)
    card = next(iter(now.table.display.kinds()))
    numbers = number_corners(now, Choose(card))
    for point, number in numbers.items():
        for lines in ([f"choose {card}, march {number}"], [f"choose {card}", f"march {number}"]):
            answer = program.act(game, *lines, preview=True)
            if answer.status_code == 200:
                told = answer.json["events"]
                assert [one["path"][-1] for one in told if one["type"] == "alexander_marched"] == [str(point)]
            else:
                assert all(f"{point}" in one for one in problem(answer, 422)["candidates"])


def test_a_letter_of_a_mail_means_nothing(place, game):
    program = bot(place, game, place.context.mover(game))
    assert problem(program.act(game, "b"), 422)["detail"]


def test_both_are_said_in_the_document():
    assert "**Corners have numbers:**" in DESCRIPTION
    assert "**Letters belong to" in DESCRIPTION
