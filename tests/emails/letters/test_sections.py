"""What is shown of each thing that was asked for: true, short, and nothing that its reader may not know."""

import re
from dataclasses import replace
from datetime import date
from itertools import product
from random import Random
from typing import Any

import pytest

from emails.i18n import Locale, use_locale
from emails.languages.lexicon import lexicon_of
from emails.languages.supported_languages import LANGUAGES
from emails.letters import game_letters, renderer
from emails.letters.parts import (
    MOST_SECTION_BYTES,
    MOST_TURNS,
    GameLetterContext,
    LetterSection,
    build_sections,
)
from emails.replies.time_requests.absences import read_absence_line
from emails.terms import AbsenceNote, DaysAway, TurnTime
from emails.wording.board_text import describe_board
from emails.wording.requests import REQUESTS_TO_ALL, Request, RequestKind
from emails.wording.texts import say
from engine.cards import Bag
from engine.position import view
from server.outbox.notifications import Preferences
from tests.breadth import spread
from tests.emails.letters.test_letter_form import drawn, is_order
from tests.emails.letters.test_secrets import changed
from tests.emails.positions import NASTY_NAMES, stored_game
from tests.emails.specimens import ORDERS, STORY, renamed
from tests.engine.players import shuffled
from tests.gallery import samples
from tests.gallery.samples import SampleGame, compose
from tests.spoken import is_chat, parse_request

LOGS = ("two-players", "three-players")
ALL = [*map(Request, RequestKind), *(Request(RequestKind.RULES, one) for one in ("5.9", "4", "9", "7", "77"))]


def shown(kind: str, made: GameLetterContext, about: str = "", **wanted: Any) -> LetterSection:
    heard = STORY.told_to(made.view.me or 0)[: made.after]
    request, preferences = Request(RequestKind(kind), about), Preferences(**wanted)
    [found] = build_sections([request], made, heard, preferences, resigned=True)
    return found


def text(section: LetterSection) -> str:
    return "\n".join(section.lines)


@pytest.fixture
def turn() -> GameLetterContext:
    return STORY.letter_context(STORY.turn_starts()[15][0], 0)


# --- help -----------------------------------------------------------------------------------------------


def test_help_has_an_example_of_every_order_that_can_be_read_and_names_every_request(
    language: str, turn
) -> None:
    help_ = text(shown("help", turn))
    quoted = re.findall("“([^”]*)”", help_)
    verbs = {one.split()[0] for one in quoted if is_order(one)}
    assert len(verbs) == 11
    assert {asked.kind for one in quoted if (asked := parse_request(one))} == set(RequestKind)
    assert len([one for one in quoted if is_chat(one)]) == 2
    assert ("kies" in verbs) == (language == "nl")


def test_each_example_fits_in_its_line(language: str, turn) -> None:
    for line in shown("help", turn).lines:
        if "“" in line:
            assert "\n" not in renderer.AS_TEXT.filters["item"](line), line


SHOWN_BY_THE_LETTER = {Request(RequestKind.BOARD), Request(RequestKind.ALL), *map(Request, REQUESTS_TO_ALL)}
SHOWN_BY_THE_LETTER |= {Request(RequestKind.NO_LETTERS)}
HEARD = STORY.told_to(0)[:20]


# --- board and hand -------------------------------------------------------------------------------------


def test_the_board_and_all_choices_are_shown_by_the_letter_itself(turn) -> None:
    assert build_sections([Request(RequestKind.BOARD), Request(RequestKind.ALL)], turn) == ()
    board, every = (
        samples.render_shown(replace(turn, shown=frozenset({kind}), changed=False), ()).text
        for kind in (RequestKind.BOARD, RequestKind.ALL)
    )
    assert describe_board(turn.view) in board
    assert describe_board(turn.view) not in every
    assert "  * choose" in every
    assert "  * choose" not in board


def test_a_hand_out_of_turn_says_nothing_of_marches() -> None:
    waiting = STORY.letter_context(STORY.turn_starts()[15][0], 1)
    assert shown("hand", waiting).lines[0].startswith("You hold")
    assert "march" not in text(shown("hand", waiting))


def test_a_hand_without_cards_and_one_when_all_is_over(turn) -> None:
    bare = replace(turn, view=replace(turn.view, hand=Bag.of([])))
    assert shown("hand", bare).lines[0] == "You hold no card."
    over = STORY.letter_context(len(STORY.events), 0)
    assert "taxes" not in text(shown("hand", over))
    assert "You have" in text(shown("hand", over))


# --- history --------------------------------------------------------------------------------------------


def test_a_history_from_the_beginning_the_last_turn_last(turn) -> None:
    first, *turns = shown("history", turn).lines
    dealt = "you were dealt a lyre; an amphora and a lyre lie in the display"
    assert first == f"The game began; {dealt}; turns go you, Ben and Cleo."
    names = [("you", "Ben", "Cleo")[number % 3] for number in range(15)]
    heads = [f"Turn {number}, {name}" for number, name in enumerate(names, 1)]
    assert [line.partition(":")[0] for line in turns] == heads
    took = "Turn 15, Cleo: Cleo took the soldier from the display; new in the display: a lyre. "
    assert turns[-1].startswith(took)
    assert turns[-1].endswith("New in the display: a horse.")


def test_of_a_long_game_the_last_turns_and_how_to_ask_for_those_before() -> None:
    over = STORY.letter_context(len(STORY.events), 1)
    known, last = set(), ""
    for _ in range(20):
        first, *turns = shown("history", over, last).lines
        assert len(turns) <= MOST_TURNS
        numbers = [int(re.match(r"Turn (\d+)", line)[1]) for line in turns]  # type: ignore[index]
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
        known |= set(numbers)
        asked = re.search("“([^”]*)”", first)
        if asked is None:
            assert first.startswith("The game began")
            break
        assert first.startswith(f"{numbers[0] - 1} earlier turn")
        request = parse_request(asked[1])
        assert request is not None
        last = request.about
    assert known == set(range(1, len(STORY.turn_starts()) + 1))


@pytest.mark.parametrize("number", ["0", "00", "9999"])
def test_a_turn_that_never_was_is_the_nearest_one(turn, number: str) -> None:
    assert shown("history", turn, number).lines[-1].startswith("Turn 15," if number == "9999" else "Turn 1,")


def test_a_history_of_a_turn_in_its_middle_ends_with_it() -> None:
    at, seat = STORY.action_starts()[15]
    assert shown("history", STORY.letter_context(at, seat)).lines[-1].startswith("Turn 16, you: You took")


@pytest.mark.parametrize("which", ["two-players", "three-players"])
def test_what_becomes_of_the_cards_of_a_takeover_is_told_by_how_many_play(which: str) -> None:
    game, two = stored_game(which), which == "two-players"
    first = game.letter_context(*game.turn_starts()[0])
    welcome, rules = compose(game_letters.Welcome(), first).text, text(shown("rules", first))
    for told in (" ".join(welcome.split()), rules):
        assert ("All these cards are discarded." in told) == two
        assert ("Its holder gets half of all these cards." in told) == (not two)
    assert (" give horse+lyre”" in text(shown("help", first))) == (not two)


# --- rules, settings, resigning -------------------------------------------------------------------------


def test_the_game_in_two_minutes_is_that_of_the_first_letter_and_names_the_parts(turn) -> None:
    found = shown("rules", turn)
    welcome = " ".join(compose(game_letters.Welcome(), STORY.letter_context(1, 1)).text.split())
    for line in found.lines[:7]:
        assert line in welcome.replace(" * ", " "), line
    assert "“rules 5.9”" in found.lines[-2]
    assert "Actions (5)" in found.lines[-1]


def test_a_clause_with_its_number_and_a_part_with_all_of_its(turn) -> None:
    one = shown("rules", turn, "5.9")
    assert one.heading == "From the rules: Actions"
    [line] = one.lines
    assert line.startswith("Rule 5.9: You can take over a province")
    part = shown("rules", turn, "5")
    assert [line.split(":")[0] for line in part.lines] == [f"Rule 5.{number}" for number in range(1, 14)]
    assert shown("rules", turn, "7").lines[0].startswith("Rule 7.1:")


def test_where_editions_differ_the_one_of_the_game_is_named(turn) -> None:
    assert shown("rules", turn, "9.2").lines[-1] == "The edition of this game is identity-games."
    assert shown("rules", turn, "4.8").lines[-1] == "The edition of this game is identity-games."
    assert len(shown("rules", turn, "4.5").lines) == 1


def test_an_unknown_number_is_answered_with_the_nearest(turn) -> None:
    assert shown("rules", turn, "5.14").lines == ("There is no rule 5.14; the nearest is 5.13 or 6.1.",)
    with use_locale(Locale("nl")):
        assert shown("rules", turn, "12").lines == ("Er is geen regel 12; het dichtst erbij is 9.",)


def test_settings_in_words(turn) -> None:
    assert shown("settings", turn).lines == (
        "Language: English. Time zone: UTC.",
        say("absences.ask_for_zone", zone="UTC"),
        "Mails come at once.",
        "Mails come for your own turn, not after each turn of the others.",
        "Two reminders come while your time goes, and none at night.",
        "What others write to you stands in your next mail.",
        "Mails have pictures.",
        "They have one screen; the rest comes when you ask for it.",
        "The mails of each turn of yours have a subject of their own.",
        "The time for a turn in this game: 2 days.",
        "The link to change any of this stands at the end of this mail.",
    )
    wanted = {"language": "nl", "pace": "daily", "hour": 21, "messages": True, "pictures": False}
    with use_locale(Locale("nl")):
        other = text(shown("settings", turn, **wanted))
    assert all(words in other for words in ("Taal: Nederlands.", "om 21 uur", "alleen tekst"))
    assert "at most one mail in 45 minutes" in text(shown("settings", turn, pace="gathered", minutes=45))
    assert "stopped the mails" in text(shown("settings", turn, letters=False))
    assert "no limit" in text(shown("settings", replace(turn, turn_time=TurnTime(0))))


def test_resigning_is_shown_only_to_whoever_has_resigned(turn) -> None:
    assert build_sections([Request(RequestKind.RESIGN)], turn) == ()
    [found] = build_sections([Request(RequestKind.RESIGN)], turn, resigned=True)
    assert found.heading == "You have resigned"
    assert "only if the others offer your seat" in found.lines[1]
    still_open = replace(turn, can_return=True)
    [found] = build_sections([Request(RequestKind.RESIGN)], still_open, resigned=True)
    assert "you can come back: answer “back”" in found.lines[1]


# --- all of them ----------------------------------------------------------------------------------------


TODAY = date(2026, 11, 24)
AWAY = DaysAway(TODAY, date(2026, 11, 27), date(2026, 11, 28))
ABSENCES = (
    AbsenceNote(TODAY, "Europe/Amsterdam", (AWAY, DaysAway(date(2026, 12, 3), date(2026, 12, 17)))),
    AbsenceNote(TODAY, "UTC", (DaysAway(TODAY, TODAY),)),
    AbsenceNote(TODAY, "UTC"),
)
LEXICA = [lexicon_of(code) for code in ("en", "nl")]


def everything(made: GameLetterContext, game: SampleGame) -> tuple[LetterSection, ...]:
    heard = game.told_to(made.view.me or 0)[: made.after]
    return tuple(
        section
        for request in ALL
        for absence in ABSENCES
        for section in build_sections([request], made, heard, Preferences(), resigned=True, absence=absence)
    )


@pytest.mark.parametrize(("language", "part"), spread(2, product(LANGUAGES, range(6))), indirect=["language"])
def test_no_line_is_an_order_or_a_request_wherever_it_is_broken(language: str, part: int) -> None:
    """Of every turn of two games, and with odd names."""
    made = []
    for name in LOGS:
        game = stored_game(name)
        for at, seat in (*game.turn_starts()[part::18], *game.action_starts()[part::18]):
            made += everything(game.letter_context(at, seat), game)
    letter_context = STORY.letter_context(STORY.turn_starts()[15][0], 0)
    for names in (NASTY_NAMES, ORDERS[:4], ORDERS[4:]):
        made += everything(renamed(letter_context, names), STORY)
    assert len(made) > 100
    for section in made:
        for line in (section.heading, *section.lines):
            assert line.isprintable()
            broken = (renderer.AS_TEXT.filters["item"](line), renderer._fold(line))
            for shown_line in (line, *(one for each in broken for one in each.splitlines())):
                for bare in (shown_line, shown_line.strip().removeprefix("* ")):
                    assert not is_order(bare), bare
                    assert not is_chat(bare.strip()), bare
                    assert parse_request(bare) is None, bare
                    assert not any(read_absence_line(bare, words) for words in LEXICA), bare


def test_everything_asked_for_at_once_leaves_room_for_the_letter(language: str) -> None:
    for name in LOGS:
        game = stored_game(name)
        at, seat = game.turn_starts()[-1]
        made = game.letter_context(at, seat)
        heard = game.told_to(seat)[:at]
        asked = [*ALL, *ALL, *(Request(RequestKind.RULES, str(part)) for part in range(1, 10))]
        found = build_sections(asked, made, heard, Preferences(), resigned=True, absence=ABSENCES[0])
        assert len(found) == len(set(asked) - SHOWN_BY_THE_LETTER)
        size = sum(len(line.encode()) for section in found for line in section.lines)
        assert size <= MOST_SECTION_BYTES + 100 * len(found)
        letter = samples.render_shown(made, found)
        assert len(letter.text.encode()) + len(letter.html.encode()) < 120_000
        [lone] = build_sections([Request(RequestKind.HISTORY)], made, heard)
        assert lone.heading in letter.text


def test_a_letter_shows_what_was_asked_for_before_what_can_be_done(language: str, turn) -> None:
    found = build_sections([Request(RequestKind.RULES), Request(RequestKind.HAND)], turn)
    letter = samples.render_shown(turn, found)
    places = [letter.text.index(f"== {section.heading} ==") for section in found]
    assert places == sorted(places)
    assert places[-1] < letter.text.index("  * a.")
    assert places[0] < 1500
    for line in drawn(letter):
        assert parse_request(line) is None, line


def test_what_is_shown_does_not_depend_on_what_the_reader_cannot_know() -> None:
    """The others hold other cards, and drew and were dealt others."""
    apart = 0
    for at, me in STORY.turn_starts()[3::4]:
        made, position = STORY.letter_context(at, me), STORY.positions[at - 1]
        other = shuffled(position, me, Random(at))
        apart += other != position
        told_otherwise = SampleGame(
            tuple(changed(one, me, Random(number)) for number, one in enumerate(STORY.events)),
            STORY.positions,
        )
        assert everything(made, STORY) == everything(replace(made, view=view(other, me)), told_otherwise)
    assert apart > 3


@pytest.mark.usefixtures("language")
def test_a_request_made_twice_is_shown_once(turn) -> None:
    kinds = (RequestKind.HAND, RequestKind.HISTORY, RequestKind.HAND)
    asked = [*map(Request, kinds), Request(RequestKind.RULES, "5"), Request(RequestKind.RULES, "4")]
    assert len({section.heading for section in build_sections(asked, turn, HEARD)}) == 4
