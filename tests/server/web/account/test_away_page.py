"""Days away, sleep and days off on their page: by a link from a letter for its game, signed in for all."""

from datetime import UTC, date, datetime

import pytest
from sqlmodel import select

from emails.wording.presence.absence_text import tell_absence
from server.delivery.letter_contexts import LetterRequest, build_absence_note
from server.store.availability.availability_models import StoredVacation
from server.store.availability.stored_availability import load_availability
from server.store.models import Game, OutgoingLetter, Seating
from server.store.work_models import StoredTerms
from server.time_control.availability import protected_spans
from tests.server.desk import NOON, game_row, start_game

DAYS = "//form[@id='days']"
FRIDAY = date(2026, 3, 6)


def seat_of_mover(place, game):
    return game_row(place.context, game).seat


def away(place, game, *, own, seat=None):
    visitor = place.signed_in(game, seat or 0) if own else place.visitor()
    return visitor.get(place.link(game, seat=seat or 0) + "/away")


def told(place):
    with place.context.reading() as session:
        return [
            (row.game, row.first, row.last, row.back_at is not None)
            for row in session.exec(select(StoredVacation).order_by(StoredVacation.id))
        ]


def test_to_look_changes_nothing(place, game):
    before = place.stored()
    assert away(place, game, own=False).status == 200
    assert (place.stored(), told(place)) == (before, [])


def test_with_a_link_alone_it_holds_for_its_game(place, game):
    visitor = away(place, game, own=False).send(DAYS, last="2026-03-06", wish="away")
    assert "No time runs on your turns on these days." in visitor.text
    assert told(place) == [(game, NOON.date(), FRIDAY, False)]


@pytest.mark.parametrize(
    ("own", "scope", "where"),
    [
        (False, None, "in “Friday” alone"),
        (True, "own", "in “Friday” alone"),
        (True, "all", "in all your games"),
    ],
)
def test_the_page_and_the_mail_say_where_it_holds_in_the_same_words(place, game, own, scope, where):
    """What was told there stands in the notice, in the list, and in the letter that shows the days."""
    fields = {} if scope is None else {"scope": scope}
    page = away(place, game, own=own).send(DAYS, last="2026-03-06", wish="away", **fields)
    [notice] = page.page.xpath("//p[contains(@class, 'notice')]")
    assert notice.text_content().endswith(f"That holds {where}.")
    [listed] = page.page.xpath("//form[.//ul]//li")
    assert f" · {where} " in " ".join(listed.text_content().split())
    assert f"That holds {where}." in days_by_mail(place, game)
    page = page.send("//form[.//button[@value='back']]", wish="back")
    [notice] = page.page.xpath("//p[contains(@class, 'notice')]")
    assert notice.text_content().endswith(
        "That holds in all your games." if own else "That holds in “Friday” alone."
    )


def test_games_in_which_days_were_taken_back_are_named_to_their_player_alone(place, game):
    other = start_game(place.context, "Anna", "Ben")
    player = player_of(place, game)
    with place.context.writing() as session:
        session.get_one(Game, other).name = "Saturday"
        seat = session.exec(select(Seating.seat).where(Seating.game == other, Seating.player == player)).one()
        session.commit()
    away(place, game, own=True).send(DAYS, last="2026-03-06", wish="away")
    page = place.visitor().get(place.link(other, seat=seat) + "/away")
    page.send("//form[.//button[@value='back']]", wish="back")
    assert "in all your games but “Saturday”" in away(place, game, own=True).text
    unsigned = away(place, game, own=False).text
    assert "in all your games but one" in unsigned
    assert "Saturday" not in unsigned
    assert "That holds in all your games but “Saturday”." in days_by_mail(place, game)


def player_of(place, game, seat=0):
    with place.context.reading() as session:
        return session.get_one(Seating, (game, seat)).player


def days_by_mail(place, game, seat=0):
    """What a letter says of the days away of a seat."""
    with place.context.reading() as session:
        found = session.get_one(Game, game)
        told_of = select(OutgoingLetter).where(OutgoingLetter.game == game, OutgoingLetter.seat == seat)
        row = session.exec(told_of).first()
        history = place.context.history_of(session, found)
        asked = LetterRequest(place.context, session, found, history, row, place.context.links, NOON)
        return " ".join(tell_absence(build_absence_note(asked)))


def test_the_page_says_from_when_time_runs_where_the_game_allows_no_more_days(place, game):
    with place.context.writing() as session:
        session.get_one(StoredTerms, game).vacation_days = 5
        session.commit()
    assert "time runs on your turns all the same" not in away(place, game, own=False).text
    visitor = away(place, game, own=False).send(DAYS, last="2026-03-29", wish="away")
    assert "From Saturday 7 March 2026 on time runs on your turns all the same" in visitor.text
    assert "No time runs on your turns on these days." not in visitor.text


def test_other_games_whose_day_differs_are_told_in_a_line_each_to_their_player_alone(place, game):
    allowed = [5, 5, 0, 2, 3, 1, None]
    games = [game, *(start_game(place.context, "Anna", "Ben") for _ in allowed[1:])]
    with place.context.writing() as session:
        for number, (one, days) in enumerate(zip(games, allowed, strict=True)):
            session.get_one(StoredTerms, one).vacation_days = days
            session.get_one(Game, one).name = f"Game {number}"
        session.commit()
    page = away(place, game, own=True).send(DAYS, last="2026-03-29", wish="away")
    lines = [
        "From Saturday 7 March 2026 on time runs on your turns all the same: "
        "this game allows no more days in the year.",
        "In “Game 2” time runs from Monday 2 March 2026 on: it allows no more days in the year.",
        "In “Game 5” time runs from Tuesday 3 March 2026 on: it allows no more days in the year.",
        "In “Game 3” time runs from Wednesday 4 March 2026 on: it allows no more days in the year.",
        "And 1 more of your games allows no more days either.",
    ]
    shown = [one.text_content() for one in page.page.xpath("//section[h2]/p")]
    at = shown.index(lines[0])
    assert shown[at : at + 5] == lines
    mail = days_by_mail(place, game)
    assert [mail.index(line) for line in lines] == sorted(mail.index(line) for line in lines)
    for unsaid in ("“Game 1”", "“Game 4”", "“Game 6”"):
        assert unsaid not in mail
    unsigned = away(place, game, own=False).text
    assert lines[0] in unsigned
    assert "Game 2" not in unsigned


def test_signed_in_it_holds_for_all_games_unless_they_say_otherwise(place, game):
    away(place, game, own=True).send(DAYS, last="2026-03-06", wish="away")
    away(place, game, own=True).send(DAYS, first="2026-04-01", last="2026-04-02", wish="away", scope="own")
    assert [row[0] for row in told(place)] == ["", game]


@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [
        ("", "", "the last one is needed"),
        ("", "2026-03-01", "These days have passed"),
        ("2026-03-05", "2026-03-04", "or the last is before the first"),
        ("", "2026-12-01", "at most 92 days"),
        ("2029-01-01", "2029-01-02", "begins so late"),
    ],
)
def test_days_that_cannot_be_kept_are_refused_with_a_sentence(place, game, first, last, sentence):
    visitor = away(place, game, own=True).send(DAYS, first=first, last=last, wish="away")
    assert visitor.status == 422
    assert sentence in visitor.text
    assert told(place) == []


def test_who_is_back_ends_it_and_who_plans_takes_it_back(place, game):
    page = away(place, game, own=True)
    page.send(DAYS, last="2026-03-06", wish="away")
    page = page.send(DAYS, first="2026-04-01", last="2026-04-02", wish="away")
    assert "from Monday 2 March 2026 to Friday 6 March 2026" in page.text
    page = page.send("//form[.//button[@value='back']]", wish="back")
    assert "You are there again" in page.text
    assert [row[3] for row in told(place)] == [True, False]
    with place.context.reading() as session:
        ahead = session.exec(select(StoredVacation.id).where(StoredVacation.back_at == None)).one()  # noqa: E711
    page.send("//form[.//ul]", wish=f"remove{ahead}")
    assert len(told(place)) == 1


def test_a_link_alone_takes_days_of_all_games_back_in_its_game_only(place, game):
    away(place, game, own=True).send(DAYS, first="2026-04-01", last="2026-04-02", wish="away")
    page = away(place, game, own=False)
    assert "in all your games" in page.text
    with place.context.reading() as session:
        number = session.exec(select(StoredVacation.id)).one()
        player = session.get_one(Seating, (game, 0)).player
    page.send("//form[.//ul]", wish=f"remove{number}")
    april = datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 4, 3, tzinfo=UTC)
    with place.context.reading() as session:
        assert protected_spans(load_availability(session, player, game), *april) == ()
        assert protected_spans(load_availability(session, player), *april) == (april,)


def test_sleep_and_days_off_take_a_sign_in_and_are_bounded(place, game):
    assert not away(place, game, own=False).page.xpath("//input[@name='sleeps-from']")
    page = away(place, game, own=True)
    form = "//section[@id='rest']//form"
    late = page.send(form, **{"sleeps-from": "20:00", "sleeps-until": "12:00", "wish": "rest"})
    assert late.status == 422
    kept = page.send(
        form,
        **{"sleeps-from": "23:00", "sleeps-until": "07:00", "off5": "yes", "off6": "yes", "wish": "rest"},
    )
    assert "are kept" in kept.text
    with place.context.reading() as session:
        found = load_availability(session, session.get_one(Seating, (game, 0)).player, game)
    assert (f"{found.sleeps_from:%H}", f"{found.sleeps_until:%H}", found.days_off) == ("23", "07", {5, 6})


def test_the_deadline_on_the_page_moves_out_and_back(place, game):
    seat = seat_of_mover(place, game)
    before = game_row(place.context, game).deadline
    page = away(place, game, own=True, seat=seat)
    page.send(DAYS, last="2026-03-06", wish="away")
    row = game_row(place.context, game)
    if before is not None:
        assert row.deadline == datetime(2026, 3, 7, tzinfo=UTC) + (before - NOON)


def test_a_form_from_another_page_does_nothing(place, game):
    page = away(place, game, own=True).send(DAYS, last="2026-03-06", wish="away", nonce="x")
    assert page.status == 400
    assert told(place) == []
