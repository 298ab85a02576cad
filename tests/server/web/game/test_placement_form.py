"""The sum of guards and cards: asked for as often as one likes, judged by the game, said in sentences."""

from itertools import islice

import pytest
from lxml import html

from emails.wording.costs import NOT_YOUR_ACTIONS
from engine.actions import TakeOver
from engine.bots import play_to_win
from engine.cards import SYMBOLS
from engine.notation.orders import write
from engine.position import view
from engine.provinces import conquests, find_sieges
from server.web.game.preview import Conquest
from tests.breadth import first
from tests.server.beginnings import begin_once
from tests.server.desk import NOON, Collector, play, start_game
from tests.server.web.conquests import list_conquests


def known(place, game):
    position = place.history(game).position
    return view(position, position.table.seat)


def advance(place, game, until) -> None:
    """Let the house play all seats until something is so."""
    while not until():
        now = known(place, game)
        after = place.history(game).after
        play(
            place.context,
            game,
            now.table.seat,
            after,
            [write(play_to_win(now), now.table.board)],
            "web",
            NOON,
        )


def begun(place, verb) -> tuple[str, Conquest]:
    """A game in which a province can be occupied or taken over, and that province."""

    def advanced() -> str:
        game = start_game(place.context, "Anna", "Ben", "Cleo")
        advance(
            place, game, lambda: any(conquest.verb == verb for conquest in list_conquests(known(place, game)))
        )
        return game

    game = begin_once(place.context, Collector(), advanced, verb)
    return game, next(conquest for conquest in list_conquests(known(place, game)) if conquest.verb == verb)


def asked(place, game, query, **more) -> tuple[bool, str]:
    """Whether what was asked for fits, and the words of the answer."""
    answer = place.visitor().client.get(f"{place.link(game, **more)}/sum?{query}")
    assert answer.status_code == 200
    piece = html.fromstring(answer.get_data(as_text=True))
    return piece.get("class") == "sum fits", " ".join(str(piece.text_content()).split())


def guards(conquest) -> str:
    return "&".join(f"guard={site.name}" for site in conquest.sites if site.ticked)


def test_the_sum_of_an_occupation_says_what_is_paid_and_kept(place):
    game, conquest = begun(place, "occupy")
    fits, said = asked(place, game, f"place=occupy&{guards(conquest)}")
    assert fits
    assert said.startswith("Costs ")
    assert "You keep" in said or "Your hand is then empty" in said


def test_the_sum_of_a_takeover_proposes_cards_and_says_when_others_do_not_fit(place):
    game, conquest = begun(place, "takeover")
    fits, said = asked(place, game, f"place=takeover&{guards(conquest)}")
    assert fits
    assert f"{conquest.loser} gets" in said
    chosen = "&".join(f"give-{symbol}={given}" for _, symbol, _, given in conquest.gifts)
    assert asked(place, game, f"place=takeover&{guards(conquest)}&{chosen}") == (fits, said)
    none = "&".join(f"give-{symbol}=0" for _, symbol, _, _ in conquest.gifts)
    fits, said = asked(place, game, f"place=takeover&{guards(conquest)}&{none}")
    assert not fits
    assert "more." in said


def test_what_fits_is_what_the_game_takes(place):
    game, conquest = begun(place, "takeover")
    now = known(place, game)
    siege = next(
        one
        for one in find_sieges(now.table, now.table.seat, now.hand)
        if str(one.province.first) == conquest.name
    )
    for action in islice(conquests(now.table, siege), 12):
        assert isinstance(action, TakeOver)
        names = "&".join(f"guard={now.table.board.names[space]}" for space in action.guards)
        given = "&".join(f"give-{symbol}={action.given[symbol]}" for symbol in SYMBOLS)
        assert asked(place, game, f"place=takeover&{names}&{given}")[0]
        visitor = place.visitor().get(f"{place.link(game)}?place=takeover&{names}&{given}")
        assert visitor.title == "Shall this be done?"


@pytest.mark.parametrize(
    ("query", "words"),
    first(
        5,
        [
            ("", NOT_YOUR_ACTIONS),
            ("place=levy&guard=Troy", NOT_YOUR_ACTIONS),
            ("place=occupy", "Choose where your guard"),
            ("place=occupy&guard=Nowhere", "There is no symbol space “Nowhere” on this board."),
            ("place=occupy&guard=%3Cb%3E&guard=%00", "There is no symbol space “<b>” on this board."),
            ("place=occupy&guard=Troy&guard=Troy", "there can be only one guard on a space"),
            ("place=takeover&guard=Troy", "that province is free"),
            (
                "place=takeover&guard=Troy&give-x=9999&give-horse=99999999999&give-lyre=-1",
                "that province is free",
            ),
            ("place=occupy&" + "&".join(["guard=Troy"] * 500), "only one guard"),
        ],
    ),
)
def test_what_cannot_be_is_a_sentence(place, query, words):
    game, _ = begun(place, "occupy")
    fits, said = asked(place, game, query)
    assert not fits
    assert words.casefold() in said.casefold()


def test_a_long_name_is_cut_and_a_strange_one_escaped(place):
    game, _ = begun(place, "occupy")
    answer = place.visitor().client.get(f"{place.link(game)}/sum?place=occupy&guard=<script>{'x' * 4000}")
    assert b"<script>" not in answer.data
    assert len(answer.data) < 1000


def test_others_and_those_who_have_not_marched_are_told_to_wait(place):
    game = start_game(place.context, "Anna", "Ben", "Cleo")
    now = known(place, game)
    for seat in range(3):
        assert asked(place, game, "place=occupy&guard=Troy", seat=seat) == (False, NOT_YOUR_ACTIONS)
    advance(place, game, lambda: list_conquests(known(place, game)))
    now = known(place, game)
    other = (now.table.seat + 1) % 3
    assert asked(place, game, "place=occupy&guard=Troy", seat=other) == (False, NOT_YOUR_ACTIONS)


def test_an_old_ticket_asks_about_the_game_as_it_is_now(place):
    game, conquest = begun(place, "occupy")
    seat = known(place, game).table.seat
    fits, _ = asked(place, game, f"place=occupy&{guards(conquest)}", seat=seat, after=1)
    assert fits


def test_a_forged_ticket_asks_nothing(place):
    game, _ = begun(place, "occupy")
    token = place.token(game)
    changed = ("b" if token[0] != "b" else "c") + token[1:]
    assert place.visitor().client.get(f"/t/{changed}/sum?place=occupy&guard=Troy").status_code == 404


def test_a_game_that_waits_for_its_players_has_no_sum(place):
    from server.store.game_terms import SeatRequest
    from tests.server.desk import open_game

    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in ("Anna", "Ben")]
    game = open_game(place.context, "Friday", requests, NOON)
    assert asked(place, game, "place=occupy&guard=Troy", seat=0, after=0) == (False, NOT_YOUR_ACTIONS)


def test_asking_changes_nothing_and_cannot_be_sent(place):
    game, conquest = begun(place, "takeover")
    before, link = place.stored(), f"{place.link(game)}/sum?place=takeover&{guards(conquest)}"
    client = place.visitor().client
    for _ in range(50):
        assert client.get(link).status_code == client.head(link).status_code == 200
    assert client.post(link).status_code == 405
    assert place.stored() == before
