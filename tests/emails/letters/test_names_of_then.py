"""Letters name whoever had a seat when something happened, though another has it by now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from emails.letters import game_letters
from emails.letters.contexts import GameLetterContext
from emails.letters.game_letters import count_after, describe_highlights
from emails.names import SeatNames
from emails.wording.narration import names_in_turns
from emails.wording.review_text import compile_statistics, summarize_review
from engine.actions import Draw
from engine.bots.reviews import Review, ReviewedTurn, Verdict
from engine.cards import Symbol
from engine.events import CardDrawn, CardOpened, TaxesLevied, TurnEnded
from tests.emails.specimens import STORY
from tests.gallery.samples import compose

LYRE, HORSE = Symbol.LYRE, Symbol.HORSE
END, OPENED = TurnEnded(1), CardOpened(HORSE)


def passed_on_now(made: GameLetterContext, seat: int) -> GameLetterContext:
    """The same, the seat of another passed on to Dirk after all that has happened."""
    before = made.view.table.names
    names = tuple("Dirk" if one == seat else name for one, name in enumerate(before))
    view = replace(made.view, table=replace(made.view.table, names=names))
    return replace(made, view=view, seat_names=(SeatNames(before),) * made.after)


@pytest.fixture
def news() -> tuple[GameLetterContext, str]:
    """What the last to move hears of the turn before theirs, whose player has gone since; and that player."""
    at, seat = STORY.turn_starts()[16]
    made = STORY.letter_context(at, (seat + 1) % 3)
    mover = (seat - 1) % 3
    return passed_on_now(made, mover), made.view.table.names[mover]


@pytest.mark.parametrize("everything", [False, True])
def test_the_news_and_their_subject_name_who_played(
    news: tuple[GameLetterContext, str], everything: bool
) -> None:
    made, mover = news
    letter = game_letters.render_news(replace(made, everything=everything))
    told = letter.text.partition("== What ")[2]
    assert f"{mover} has played" in letter.text
    assert told.startswith(f"{mover} did ==")
    assert mover in letter.subject
    assert "Dirk" not in letter.subject
    assert f"{mover} marched" in " ".join(told.split())
    assert "Dirk marched" not in letter.text


def test_whoever_was_late_is_named_and_not_who_came_after_them(
    news: tuple[GameLetterContext, str],
) -> None:
    made, mover = news
    seat = made.view.table.names.index("Dirk")
    acted = replace(made, acted=STORY.last_turn_of(made, seat))
    letter = compose(game_letters.TimePassed(seat), acted)
    assert f"{mover} ran out of time" in letter.text
    assert "Dirk ran out" not in letter.subject + letter.text


def test_who_levied_then_is_named_in_the_line_that_a_mailbox_shows() -> None:
    levies = [number for number, fact in enumerate(STORY.events, 1) if isinstance(fact, TaxesLevied)]
    at = levies[2]
    levied = STORY.events[at - 1]
    assert isinstance(levied, TaxesLevied)
    made = STORY.letter_context(at, (levied.seat + 1) % 3)
    mover = made.view.table.names[levied.seat]
    html = game_letters.render_news(passed_on_now(made, levied.seat)).html
    assert f"{mover} levied: " in html
    assert "Dirk levied: " not in html


@pytest.fixture
def over() -> tuple[GameLetterContext, tuple[SeatNames, ...]]:
    """What Dirk hears at the end, who has played the last turn of the first seat; who had which seat when."""
    made = STORY.letter_context(len(STORY.events), 0)
    before = made.view.table.names
    after = ("Dirk", *before[1:])
    last = max(at for at, seat in STORY.turn_starts() if seat == 0)
    names = (SeatNames(before, False),) * last + (SeatNames(after),) * (made.after - last)
    view = replace(made.view, table=replace(made.view.table, names=after))
    return replace(made, view=view, seat_names=names), names_in_turns(STORY.told_to(0), names)


def test_the_end_of_a_game_remembers_who_did_it(
    over: tuple[GameLetterContext, tuple[SeatNames, ...]],
) -> None:
    made, turn_names = over
    record = compile_statistics(STORY.told_to(0))
    assert record.longest is not None
    assert record.best is not None
    before = STORY.letter_context(1, 0).view.table.names
    march, levy = describe_highlights(
        replace(
            record, longest=replace(record.longest, seat=0, turn=1), best=replace(record.best, seat=0, turn=4)
        ),
        made.view,
        turn_names,
    )
    assert march.startswith(f"The longest march: {before[0]} in turn 1,")
    assert f": {before[0]} in turn 4, " in levy
    last = max(number for number, one in enumerate(turn_names, 1) if one.is_readers)
    [own, *_] = describe_highlights(
        replace(record, longest=replace(record.longest, seat=0, turn=last)), made.view, turn_names
    )
    assert own.startswith(f"The longest march: you in turn {last},")


def test_no_turn_is_said_to_have_cost_a_substitute_that_another_played(
    over: tuple[GameLetterContext, tuple[SeatNames, ...]],
) -> None:
    made, turn_names = over
    first = STORY.letter_context(1, 0).view.table.names[0]
    turns = (ReviewedTurn(Verdict(1, 0, (), (Draw(),), 9.0), (0.9, 0.05, 0.05)),)
    lines = summarize_review(Review((0.3, 0.3, 0.4), turns), [], made.view, turn_names)
    assert lines == [
        f"Turn 1 changed the game most: the judge, a program, gave {first} a chance of 30% to win before it, "
        "and of 90% after it."
    ]
    assert len(summarize_review(Review((0.3, 0.3, 0.4), turns), [], made.view)) == 2


def test_facts_are_found_where_they_stand_before_what_is_told_too() -> None:
    drawn = CardDrawn(1, LYRE)
    assert count_after((drawn, END), (drawn, END)) == 0
    assert count_after((drawn,), (drawn, END, OPENED)) == 2
    assert count_after((drawn, END, OPENED), (OPENED, CardDrawn(0, HORSE))) == 1
    assert count_after((drawn, END), (OPENED, OPENED)) == 2
    assert count_after((), (OPENED,)) == 0
