"""An edition of three actions a turn, which stands here alone, is played in every way the house knows."""

import json
from dataclasses import replace
from random import Random

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters.lobby_letters import Proposal
from emails.letters.parts import summarise_rules
from emails.wording import phrases
from emails.wording.board_text import describe_board
from emails.wording.texts import find_clauses, part_titles, read_rules
from engine.editions import EDITIONS, Edition, differing_rules
from engine.event_log import InvalidLog, check_log, encode
from engine.evolve import start
from engine.notation.orders import write
from engine.position import view
from engine.rules import deal, legal
from server.admin.backups import export_log
from server.delivery.sending import send_due_letters
from server.store import load_boards
from server.store.game_terms import GameNotOpened, SeatRequest
from server.store.models import Game as GameRow
from server.store.models import Seating
from tests.breadth import first
from tests.emails.wording.board_text_reader import read_text
from tests.engine.brute import Judge
from tests.engine.build import PEOPLE
from tests.engine.laws import LAWS, some
from tests.engine.laws_of_logs import LAWS_OF_LOGS
from tests.engine.players import BOARDS, TASTES, Game, draw_from, play
from tests.gallery import samples
from tests.paths import TOP
from tests.server.desk import NOON
from tests.server.inbox.test_new_game_mail import Post, body, games
from tests.server.web.bots import bot
from tests.server.web.played import move
from tests.server.web.site import site

THREE = Edition(
    "three-actions",
    "Long turns (%(name)s)",
    "the edition of long turns (%(name)s)",
    points_to_win=60,
    must_exceed=True,
    rim_walls=True,
    joker_alone=False,
    actions_per_turn=3,
    synonyms=("long turns",),
)
BOARD = load_boards()["Alexandros"]


@pytest.fixture(autouse=True)
def third_edition():
    """The house knows the edition for the length of a test."""
    EDITIONS[THREE.name] = THREE
    yield THREE
    del EDITIONS[THREE.name]


def opened(context, *people, at_once=True):
    requests = [SeatRequest(name, f"{name.lower()}@example.org") for name in people]
    return context.open_game("Friday", requests, NOON, edition=THREE.name, at_once=at_once)


@pytest.fixture
def place(tmp_path):
    return site(tmp_path)


@pytest.fixture
def context(place):
    return place.context


# --- the engine -----------------------------------------------------------------------------------------


def random_game(name: str, seed: int) -> Game:
    dice = Random(f"three {name} {seed}")
    first = deal(BOARDS[name], THREE.name, PEOPLE[: dice.randint(2, 4)], draw_from(dice))
    tastes = dice.choice(list(TASTES.values()))
    return play(start(BOARDS[name], first), first, tastes, dice)


@pytest.mark.parametrize("name", first(3, BOARDS))
def test_whole_random_games_keep_every_law(name):
    for seed in range(3):
        found = random_game(name, seed)
        for law in (*LAWS, *LAWS_OF_LOGS):
            law(found)


@pytest.mark.parametrize("name", first(3, sorted(set(BOARDS) - {"alexandros"})))
def test_its_offers_are_those_of_the_rules_written_again(name):
    for seed in range(6):
        for act in some(random_game(name, seed), 6):
            known = view(act.before, act.before.table.seat)
            assert {write(action, known.table.board) for action in legal(known)} == Judge(act.before).legal()


def test_the_winning_score_is_that_which_exceeds_its_points():
    found = start(BOARD, deal(BOARD, THREE.name, PEOPLE[:2], draw_from(Random(1))))
    assert THREE.winning_score == 61
    assert not found.table.but(scores=(60, 0)).has_winning_score
    assert found.table.but(scores=(61, 0)).has_winning_score


def test_a_log_holds_its_name_and_one_of_an_edition_nobody_knows_is_refused():
    first = encode(deal(BOARD, THREE.name, PEOPLE[:2], draw_from(Random(1))), BOARD)
    assert first["edition"] == THREE.name
    [(_, position)] = check_log([json.dumps(first).encode()], {BOARD.name: BOARD})
    assert position.table.edition == THREE
    with pytest.raises(InvalidLog, match=", ".join(EDITIONS)):
        list(check_log([json.dumps(first | {"edition": "four-actions"}).encode()], {BOARD.name: BOARD}))


# --- words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "three", "two"), [("en", "three", "two"), ("nl", "drie", "twee")])
def test_the_rules_text_is_that_of_the_edition(language, three, two):
    with use_locale(Locale(language)):
        actions = phrases.spell_actions(3)
        assert actions.startswith(three)
        for number in ("3.1", "3.2", "4.9", "7.1"):
            [mine], [usual] = find_clauses(number, THREE), find_clauses(number)
            assert (actions in mine.text, two in mine.text) == (True, False)
            assert phrases.spell_actions(2) in usual.text
        named = [one.text for one in find_clauses("9")]
        assert all(THREE.name in text for text in named)
        assert "61" in named[1]
        assert phrases.spell_number(len(EDITIONS)) in part_titles()["9"].lower()
        assert any(actions in line for line in summarise_rules(THREE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_action_is_said_as_one(language):
    alone = replace(THREE, name="one-action", actions_per_turn=1)
    with use_locale(Locale(language)):
        said = [one.text for one in read_rules(language, alone).clauses]
        said += summarise_rules(alone)
        one, several = phrases.spell_actions(1), phrases.spell_actions(2).split()[1]
    assert sum(one in text for text in said) >= 3
    assert not [text for text in said if f"{one.split()[0]} {several}" in text or "{" in text]


def test_the_editions_differ_in_the_actions_of_a_turn_where_it_is_one_of_them():
    assert differing_rules() == ("3.1", "4.6", "4.8", "7.2")
    del EDITIONS[THREE.name]
    several = len({edition.actions_per_turn for edition in EDITIONS.values()}) > 1
    assert differing_rules() == (*(["3.1"] if several else []), "4.6", "4.8", "7.2")
    EDITIONS[THREE.name] = THREE


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_proposal_says_it(language):
    with use_locale(Locale(language)):
        request = replace(samples.sample_request(), edition=THREE.name)
        letter = samples.compose(Proposal(""), request=request)
    for text in (letter.text, letter.html):
        assert "61" in " ".join(text.split())


# --- by mail --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    first(
        1, ["Rules: three-actions", "Long turns please", "three actions edition", "with the long-turns rules"]
    ),
)
def test_it_is_asked_for_by_mail_and_played_by_reply_with_three_actions(context, asked):
    post = Post(context)
    proposal = post.proposed(f"Ben <ben@example.org>\n{asked}")
    assert "the edition of long turns (three-actions), to 61 points" in " ".join(body(proposal).split())
    assert "understood" not in body(proposal).partition("example.org")[2].partition("Name of the game")[0]
    assert post.answer(proposal, "yes") == "played"
    [game] = games(context, "open")
    assert post.answer(post.to("ben"), "accept") == "played"
    assert context.game_row(game).edition == THREE.name

    name = context.names_of(game)[0]
    card, march = context.turn_words(game)
    assert post.answer(post.to(name.lower()), f"{card}\n{march}\ndraw") == "played"
    assert "You have 2 actions left" in " ".join(body(post.to(name.lower())).split())
    assert post.answer(post.to(name.lower()), "draw") == "played"
    assert "You have 1 action left" in " ".join(body(post.to(name.lower())).split())
    assert context.game_row(game).turn == 1
    assert post.answer(post.to(name.lower()), "rules 3.1; rules; board") == "played"
    said = " ".join(body(post.to(name.lower())).split())
    assert "at most three actions" in said
    assert "Then you have three actions" in said
    assert post.answer(post.to(name.lower()), "draw") == "played"
    assert context.game_row(game).turn == 2
    first = json.loads(next(iter(export_log(context, game))))
    assert (first["type"], first["edition"]) == ("game_started", THREE.name)


def test_three_actions_are_told_in_a_sentence(context):
    post, game = Post(context), opened(context, "Anna", "Ben")
    send_due_letters(context, post.carrier, post.now)
    name = context.names_of(game)[0].lower()
    assert post.answer(post.to(name), "\n".join(context.turn_words(game))) == "played"
    assert post.answer(post.to(name), "I draw three cards") == "played"
    assert context.game_row(game).turn == 2


def test_the_position_in_words_says_by_which_edition_it_is(place):
    game = opened(place.context, "Anna", "Ben")
    place.context.play(game, 0, place.history(game).after, place.context.turn_words(game), "web", NOON)
    known = view(place.position(game), 0)
    assert known.table.actions_left == 3
    assert read_text(describe_board(known), BOARD) == known


# --- pages, programs, the house -------------------------------------------------------------------------


def test_the_form_offers_it_and_its_pages_say_three(place):
    visitor = place.visitor().get("/new")
    offered = visitor.page.xpath("//label[.//input[@name='edition']]")
    last = " ".join(str(offered[-1].text_content()).split())
    assert last.startswith("Long turns (three-actions) 61 points win; ")
    assert last.endswith("; 3 actions a turn")
    seats = {"address1": "anna@example.org", "kind2": "open"}
    place.say_yes(visitor.send(name="Friday", edition=THREE.name, **seats))
    assert visitor.status == 200, visitor.text
    with place.context.reading() as session:
        [row] = session.exec(select(GameRow)).all()
        seat = session.exec(select(Seating.seat).where(Seating.player != None)).one()  # noqa: E711
    assert row.edition == THREE.name
    invited = place.visitor().get(place.link(row.id, "accept", seat=seat))
    assert "Long turns (three-actions): the game ends when somebody reaches 61 points" in invited.text


def test_a_turn_has_three_actions_on_the_page(place):
    game = opened(place.context, "Anna", "Ben")
    visitor = place.visitor().get(place.link(game))
    assert "Then you have three actions: get a card;" in visitor.text
    card, march = place.context.turn_words(game)
    seat = place.position(game).table.seat
    for lines, left in (([card, march], 3), (["draw"], 2), (["draw"], 1)):
        place.context.play(game, seat, place.history(game).after, lines, "web", NOON)
        assert place.position(game).table.actions_left == left
    visitor.get(place.link(game, "draw"))
    assert "Your turn is then over" in visitor.text
    visitor.press()
    assert place.position(game).table.turn == 2


def test_the_rules_page_tells_what_differs(place):
    visitor = place.visitor().get("/rules")
    many = phrases.spell_number(len(EDITIONS))
    assert f"printed in {many} editions, which differ in four rules" in visitor.text
    assert "All are shown here." in visitor.text
    assert "Then you have two actions" in visitor.text
    titles = [phrases.edition_title(edition) for edition in EDITIONS.values()]
    assert titles[-1] == "Long turns (three-actions)"
    for number in ("r3-1", "r4-6", "r4-8", "r7-2"):
        found = [str(one.text_content()) for one in visitor.page.xpath(f"//*[@id='{number}']//dt")]
        assert found == titles
    visitor.click("Mark the edition Long turns")
    mine = [str(one.text_content()).strip() for one in visitor.page.xpath("//*[@class='mine']/dd")]
    assert [one.partition(" This is")[0] for one in mine] == [
        "Actions in a turn: 3 at most.",
        "Coast and rim get walls as all other sides do.",
        "Only when this is so for all cards of the display are they jokers.",
        "The winning score is 61 points: more than 60.",
    ]
    assert "Then you have three actions" in visitor.text
    assert "at most three actions" in visitor.text
    dutch = place.visitor().get("/rules?lang=nl&edition=three-actions").text
    assert "Acties in een beurt: hoogstens 3." in dutch
    assert "De drie acties mogen in elke volgorde" in dutch


def test_a_program_plays_it(place):
    game = opened(place.context, "Anna", "Ben")
    mine = bot(place, game, place.context.names_of(game)[0])
    shown = mine.get(f"games/{game}").json
    assert shown["edition"] == THREE.name
    card, march = place.context.turn_words(game)
    assert mine.act(game, card, march).json["game"]["actions_left"] == 3
    assert mine.act(game, "draw", "draw").json["game"]["actions_left"] == 1
    assert mine.act(game, "draw").json["game"]["turn"] == 2


def test_the_house_plays_it_to_its_end(place):
    game = opened(place.context, "Anna", "Ben")
    while not place.position(game).table.over:
        move(place, game)
    ends = [event for event in place.context.facts(game) if type(event).__name__ == "GameEnded"]
    assert len(ends) == 1
    lines = [line.encode() for line in export_log(place.context, game)]
    *_, (_, last) = check_log(lines, load_boards())
    assert last.table.over
    finished = place.visitor().get(place.link(game, seat=0))
    assert finished.status == 200


def test_an_edition_that_nobody_knows_is_not_opened(context):
    del EDITIONS[THREE.name]
    with pytest.raises(GameNotOpened, match=f"the edition is {phrases.format_list(EDITIONS, 'or')}"):
        opened(context, "Anna", "Ben")
    EDITIONS[THREE.name] = THREE


# --- nobody else names one ------------------------------------------------------------------------------

NAMES = ("rio-grande", "identity-games", "rio_grande", "identity_games", "rio grande", "identity games")


def test_no_edition_is_named_in_code_but_where_it_is_defined():
    written = [
        file
        for floor in ("engine", "emails", "server")
        for kind in ("py", "html", "words", "txt", "css", "js")
        for file in (TOP / floor).rglob(f"*.{kind}")
        if file != TOP / "engine/editions.py"
    ]
    assert len(written) > 250
    found = {
        str(file.relative_to(TOP)): name
        for file in written
        for name in NAMES
        if name in file.read_text("utf-8").lower()
    }
    assert not found
