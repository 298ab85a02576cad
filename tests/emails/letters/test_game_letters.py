"""Letters: what is said in them, the same as approved; whom they name; how they can be acted on."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256

import pytest

from emails.i18n import Locale, use_locale
from emails.letters import game_letters, lobby_letters
from emails.letters.game_letters import describe_highlights, events_after
from emails.letters.lobby_letters import LONGEST_NOTE, estimate_length, find_note_fault, tidy_note
from emails.letters.lobby_letters import TURNS as SHARES
from emails.letters.parts import (
    GameLetterContext,
    UnreadChat,
    build_sections,
    list_letter_choices,
)
from emails.names import SeatNames
from emails.picture.letter_picture import render_png
from emails.terms import TurnTime
from emails.tokens import Ticket
from emails.wording.narration import names_in_turns
from emails.wording.requests import Request, RequestKind, VoteKind
from emails.wording.review_text import compile_statistics, summarize_review
from emails.wording.texts import say
from engine.actions import Draw
from engine.bots.reviews import Review, ReviewedTurn, Verdict
from engine.cards import Symbol
from engine.events import AlexanderMarched, CardDrawn, CardOpened, TaxesLevied, TurnEnded
from engine.provinces import provinces
from server.outbox.notifications import Preferences
from tests.emails.approving import approved, nothing_else_is_approved
from tests.emails.positions import BOARD, NAMES
from tests.emails.specimens import (
    ASKING,
    FUNCTIONS,
    KINDS,
    STORY,
    TONGUES,
    WAYS,
    letter,
    letter_context,
    nodes,
    page,
    specimens,
    turn,
)
from tests.gallery import letter_files, samples
from tests.gallery.letter_files import CHAT
from tests.gallery.samples import NOW, SAMPLE_LINKS, compose, sample_invitation
from tests.spoken import parse_request, read, translate_orders


@cache
def files() -> dict[str, bytes]:
    """What `python -m tests.gallery` writes."""
    return dict(letter_files.render_files(BOARD))


@pytest.mark.parametrize("name", KINDS)
def test_the_text_is_as_approved(name: str, language: str) -> None:
    approved(f"{name}.{language}.txt", letter(name, language).text)


def test_the_html_of_a_turn_is_as_approved(language: str) -> None:
    approved(f"your_turn.{language}.html", files()[f"your_turn.{language}.html"].decode())


def test_every_other_file_of_the_gallery_is_as_approved() -> None:
    made, texts = files(), {f"{one.file}.txt": one.letter.text for one in specimens().values()}
    assert {name: made[name].decode() for name in texts} == texts
    whole = {*texts, *(f"your_turn.{language}.html" for language in TONGUES)}
    digests = [f"{sha256(made[name]).hexdigest()}  {name}\n" for name in sorted(made.keys() - whole)]
    approved("digests.txt", "".join(digests))
    nothing_else_is_approved(FUNCTIONS, whole)


def test_the_picture_is_as_approved() -> None:
    approved("board.png", render_png(letter("your_turn").pictures[0].svg))


SHOWN = [name for name in WAYS if not name.startswith("stopped")]
WHOLE = [name for name, way in WAYS.items() if way.everything or name == "shown-board"]
TURNS = [name for name in SHOWN if name.startswith(("your_turn", "step", "reminder", "digest-turn"))]


DEADLINES = {"en": "Thursday evening, 14 January, 18:00 UTC", "nl": "donderdagavond, 14 januari, 19:00"}


@pytest.mark.parametrize("name", WHOLE)
def test_both_parts_say_all_that_the_reader_may_know(name: str, language: str) -> None:
    made = letter(name, language)
    shown = " ".join(nodes(made))
    flat = " ".join(made.text.split())
    view = letter_context(name).view
    table = view.table
    for part in (shown, flat):
        for card in view.hand.kinds():
            assert translate_orders(f"choose {card}", language).split()[1] in part
        for seat, points in enumerate(table.scores):
            assert table.names[seat] in part
            assert str(points) in part
            for place in table.guards[seat]:
                assert table.board.names[place] in part
        assert f"{table.black} {'black' if language == 'en' else 'zwarte'}" in part
        assert all(f"{one.value}" in part for one in provinces(table) if one.holder is not None)
        assert table.over or DEADLINES[language] in part
    for province in provinces(table):
        for place in province.places:
            assert table.board.names[place] in flat


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_to_be_done_stands_in_the_first_lines(name: str, language: str) -> None:
    made, game = letter(name, language), letter_context(name)
    assert game.view.me is not None
    link = SAMPLE_LINKS.ticket_link(Ticket(game.game, game.view.me, game.after))
    before, _, _ = made.text.partition(link)
    asks = name in ASKING or name.startswith("seat_offered")
    assert before.count("\n") < (50 if asks else 26)  # a question stands above all else
    body = made.html.partition("<body")[2]
    picture = body.find("cid:board")
    if name in TURNS:
        assert 0 < picture < body.index(f'href="{link}"')
    if name in TURNS and letter(name, language).choices:
        examples = re.findall("“([^”]*)”", made.text.partition(link)[2])
        verbs = ("choose", "kies", "play", "speel", "draw", "trek")
        orders = [one for one in examples if one.startswith(verbs)]
        assert orders or name == "step"
        for one in orders:
            read(" ".join(one.split()).partition(";")[0], game.view)  # whoever copies it is understood


@pytest.mark.parametrize("number", [0, 2, 5])
def test_a_letter_stands_for_one_turn_in_every_mail_of_a_position(number: int) -> None:
    made = letter_context("your_turn")
    made = replace(made, suggestions=made.suggestions[:number])
    short, full, steps = (
        list_letter_choices(replace(made, everything=every), None, turns=turns).meant
        for turns, every in ((True, False), (True, True), (False, True))
    )
    assert short
    assert full == {**short, **steps}
    assert not short.keys() & steps.keys()


def test_a_letter_to_whom_the_game_does_not_wait_for_offers_nothing() -> None:
    waiting = [name for name in WAYS if not letter_context(name).view.my_turn]
    assert {"news", "welcome"} <= {*waiting}
    for name in waiting:
        for language, verb in (("en", "choose"), ("nl", "kies")):
            made = letter(name, language)
            assert f"  * {verb}" not in made.text
            assert not made.choices
            assert "&amp;body=a" not in made.html


# --- what each kind is there for ------------------------------------------------------------------------


def test_an_answer_tells_once_what_was_done_and_all_that_others_did_after_it() -> None:
    (begun, mover), (_, following), (again, third) = STORY.turn_starts()[15:18]
    end = STORY.turn_starts()[18][0]
    assert STORY.turn_starts()[18][1] == mover
    heard = STORY.told_to(mover)
    back = STORY.letter_context(end, mover)
    ended = next(at for at in range(begun, again) if heard[at] == TurnEnded(mover))
    done = heard[begun : ended + 1]
    told = samples.render_answer(back, done).text
    assert told.count("you marched with") == 1
    assert "== What was done ==\n\n  * Turn 16: you" in told  # a whole letter, for a new turn begins
    for number, seat in ((17, following), (18, third)):
        assert f"Turn {number}: {NAMES[seat]} marched with" in told
    turn = samples.render_your_turn(back).text
    for line in turn.partition("== Since your last turn ==")[2].partition("\n\n== ")[0].splitlines():
        assert line in told.splitlines()
    assert "please play before" in told
    assert "== Steps to choose from ==" in told


MOST_OF_AN_ANSWER = 80
DONE = ("answer", "answer-messages", "answer-settled")
LINK = re.compile(r"^.+:\nhttps://\S+\n", re.MULTILINE)


@pytest.mark.parametrize("name", DONE)
def test_an_answer_says_in_few_words_what_was_done_and_what_comes_next(name: str, language: str) -> None:
    made, reading = letter(name, language), letter_context(name)
    assert count_answer_words(made.text) <= MOST_OF_AN_ANSWER
    assert not made.pictures
    assert "cid:" not in made.html
    assert made.html.count("<h2>") == made.text.count("\n== ") == 0
    assert (len(made.choices) in (1, 2, 3)) == reading.view.my_turn
    wanted = replace(reading, shown=frozenset({RequestKind.BOARD}))
    for more in (replace(reading, everything=True), wanted):
        assert samples.render_answer(more, posted=("You told everybody: “x”",)).pictures


def count_answer_words(text: str) -> int:
    """Count the words of a letter above its foot, without links and their labels."""
    body = LINK.sub("", text).partition("\nYou get this")[0].partition("\nJe krijgt deze")[0]
    board = re.split(r"^== (?:The board|Het bord) ==$", body, maxsplit=1, flags=re.MULTILINE)[0]
    return len(re.findall(r"[^\s\W_][^\s]*", board.replace("---", " ").partition("\n\n")[2]))


def test_an_answer_says_second_what_can_still_be_changed() -> None:
    over = letter("answer").text.split("\n\n")
    assert over[2].lstrip().startswith("* Turn 16: you marched")
    assert over[3] == "Your turn is over and can no longer be changed."
    made = letter_context("step")
    turn = STORY.last_turn_of(letter_context("answer"), made.view.my_seat)
    march = next(at for at, fact in enumerate(turn, 1) if isinstance(fact, AlexanderMarched))
    begun = samples.render_answer(made, turn[:march])
    _, _, done, stands, left, *_ = begun.text.split("\n\n")
    assert done.lstrip().startswith("* Turn 16: you marched")
    assert (stands, left) == ("What is done stands.", "You have 2 actions left.")
    assert begun.pictures  # of the new walls
    assert count_answer_words(begun.text) <= MOST_OF_AN_ANSWER


def test_the_map_shows_the_places_of_the_choices_and_a_sentence_names_those_of_the_news_outside() -> None:
    for way in ("your_turn", "your_turn-first", "step", "answer-in-part", "reminder"):
        made, board = letter(way), letter_context(way).view.table.board
        drawing = made.text.partition("A part of the board, drawn")[2]
        outside = drawing.partition("Outside this part: ")[2].partition("\n\n")[0]
        named = {word for words in made.choices.values() for word in re.findall("[A-Za-z]+", words)}
        assert not named & set(re.findall("[A-Za-z]+", outside)), way
        assert named & board.places.keys()
    assert "\nOutside this part: Philippi AB5 (Cleo, worth 4).\n" in letter("your_turn").text


def test_an_answer_tells_once_which_card_filled_the_display() -> None:
    made = next(
        STORY.letter_context(at, seat)
        for at, seat in STORY.turn_starts()[3:]
        if isinstance(STORY.letter_context(at, seat).since[0], CardOpened)
    )
    done, new = (TurnEnded(made.view.my_seat), made.since[0]), "New in the display"
    turn, answer = samples.render_your_turn(made).text, samples.render_answer(made, done).text
    assert answer.count(new) == turn.count(new)


def test_an_answer_in_the_middle_of_a_turn_does_not_repeat_what_others_did_before_it() -> None:
    made = letter("answer-in-part").text
    assert "Since your last turn" not in made
    assert "Cleo marched" not in made
    told = samples.render_answer(letter_context("answer-in-part"), posted=("You told all: “hello”",))
    assert "Cleo marched" in told.text  # nothing of it has been told


def test_an_answer_repeats_only_so_much_of_what_was_written() -> None:
    posted = tuple(f"You told everybody: “{number} {'&' * 390}”" for number in range(29))
    undone = tuple(f"{number} {'<' * 500}" for number in range(29))
    for lost, told, shown in (((), posted, "“0"), (undone, (), "“0 "), (undone, posted, "“0 ")):
        made = samples.render_answer(turn(16, 0), undone=lost, posted=told)
        assert shown in made.text
        assert "more lines." in made.text
        assert len(made.html.encode()) < 50_000


def test_nobody_is_told_to_write_to_the_house_or_to_an_odd_name() -> None:
    for names in (("Anna", "House 1", "House 2"), ("Anna", "x; draw", "W" * 60), ("Anna", "draw", "a:b")):
        game = letter_context("your_turn-everything")
        table = game.view.table.but(names=names)
        made = samples.render_your_turn(replace(game, view=replace(game.view, table=table)))
        assert "“tell" not in made.text
        assert "“say:" in made.text


def test_too_many_messages_leave_room_for_the_game() -> None:
    words = [f"{number} {'very long words ' * 40}" for number in range(30)]
    told = tuple(UnreadChat("Ben", one, private=False) for one in words)
    made = samples.render_your_turn(replace(letter_context("your_turn"), messages=told))
    assert "24 older messages stand on the page" in made.text
    assert made.text.count("Ben writes:") == 6
    assert "| 29 very" in made.text
    assert "| 0 very" not in made.text


def test_what_the_server_says_stands_among_the_messages() -> None:
    told = (UnreadChat("", "Cleo gets no more mails about this game.", private=True), *CHAT)
    made = samples.render_your_turn(replace(letter_context("your_turn"), messages=told))
    assert "  * Cleo gets no more mails about this game.\n" in made.text
    assert "Cleo gets no more mails" in " ".join(nodes(made))


def test_news_tell_the_last_turn_first() -> None:
    (start, _), (end, _) = STORY.turn_starts()[15], STORY.turn_starts()[17]
    two = samples.render_news(replace(letter_context("news"), since=STORY.told_to(2)[start:end])).text
    assert "\nBen has played\n" in two
    assert two.index("== What Ben did ==") < two.index("== Before that, since your last turn ==")
    assert two.index("Turn 16: Ben") < two.index("Turn 15: Anna")


def test_a_reminder_says_how_long_is_left() -> None:
    late = compose(game_letters.Reminder(), turn(16, 0), now=datetime(2028, 1, 1, tzinfo=UTC))
    assert "less than an hour" in late.text.lower()


def test_a_game_without_a_limit_speaks_of_none() -> None:
    made = samples.render_your_turn(replace(turn(16, 0), deadline=None, turn_time=TurnTime(0)))
    invited = replace(sample_invitation(), turn_time=TurnTime(0))
    invitation = compose(lobby_letters.Invitation(), invited=invited)
    for part in (made.text, made.html, invitation.text):
        assert "UTC" not in part
        assert "hour" not in part
        assert "A turn may take" not in part


def test_an_invitation_has_at_most_150_words_with_the_longest_line(language: str) -> None:
    made = compose(lobby_letters.Invitation("words " * (LONGEST_NOTE // 6)))
    words = made.text.partition("Je krijgt" if language == "nl" else "You get")[0].split()
    assert len(words) <= 150, len(words)


def test_every_kind_is_in_the_gallery() -> None:
    kinds = """invitation accepted welcome your_turn step answer refused news reminder time_passed message
        plan_played game_over digest shown asked_back stopped confirm move_asked moved proposal signin notice
        called_off declined motion absence seat_offered seat_claim seat_refused substitute replaced"""
    assert sorted(kinds.split()) == FUNCTIONS
    assert {name for name, _ in specimens()} == set(KINDS)


def test_who_wants_no_more_mails_of_a_game_that_is_over_is_not_said_to_play_on() -> None:
    over = replace(letter_context("game_over"), messages=())
    assert "You still play" not in compose(game_letters.Stopped(everywhere=False), over).text


@pytest.mark.parametrize("name", ["your_turn", "your_turn-first"])
def test_the_picture_names_each_place_that_the_html_names(name: str) -> None:
    made = letter(name)
    shown = set(re.findall(r"<text[^>]*>([^<]+)</text>", made.pictures[0].svg))
    said = " ".join(str(text) for text in page(made).xpath("//body//text()[not(ancestor::style)]"))
    named = {one for one in BOARD.names.values() if re.search(rf"\b{re.escape(one)}\b", said)}
    assert named
    assert named <= shown


def test_nobody_has_resigned_or_is_away_of_whom_it_is_not_known() -> None:
    assert say("sections.done", request=Request(RequestKind.RESIGN)) == ""
    assert say("sections.done", request=Request(RequestKind.AWAY, "2027-01-12 - 2027-01-15")) == ""


def test_the_headline_and_the_subject_say_what_was_done_first() -> None:
    asked = [Request(RequestKind.WHEN), Request(RequestKind.NO_REMINDERS)]
    made = turn(16, 0)
    sections = build_sections(asked, made, preferences=Preferences())
    shown = samples.render_shown(made, sections)
    name = made.view.table.names[0]
    assert f"\nYou get no reminders any more, {name}\n" in shown.text
    assert shown.subject == "Spring: you get no reminders any more"
    assert "You get no reminders any more. " in shown.html
    answered = replace(made, answered="Spring: your turn (turn 16)")
    assert samples.render_shown(answered, sections).subject == "Re: Spring: your turn (turn 16)"


def test_what_was_only_asked_for_is_headed_so_and_what_nobody_asked_for_is_not() -> None:
    made = turn(16, 0)
    sections = build_sections([Request(RequestKind.WHEN)], made)
    name = made.view.table.names[0]
    assert f"\nWhat you asked for, {name}\n" in samples.render_shown(made, sections).text
    assert f"\nHow “Spring” stands, {name}\n" in samples.render_shown(made, (), unasked=True).text


TURN_ASKED = ("your_turn", "step", "reminder", "reminder-asked")
TUESDAY = datetime(2027, 1, 12, 18, 30, tzinfo=UTC)


WAITING = ("news", "digest", "message", "answer", "shown", "refused-not-my-turn", "time_passed")
TIME = {"en": "Your time (days away, more time, a pause)", "nl": "Je tijd (dagen weg, meer tijd, een pauze)"}


@pytest.mark.parametrize("name", TURN_ASKED + WAITING)
def test_both_parts_of_every_letter_lead_to_days_away_more_time_and_a_pause(name: str, language: str) -> None:
    made = letter(name, language)
    lines, [link] = made.text.splitlines(), page(made).xpath("//a[contains(@href, '/agreements')]/@href")
    assert lines[lines.index(link) - 1] == f"{TIME[language]}:"
    assert lines.count(link) == 1
    assert (TIME[language] in made.html) == (name in WAITING)  # whoever is to move has it beside the deadline


def test_none_does_where_no_turn_has_a_limit_or_the_game_is_over() -> None:
    news = replace(letter_context("news"), turn_time=TurnTime(0))
    turn = replace(letter_context("your_turn"), turn_time=TurnTime(0), deadline=None)
    unlimited = samples.render_news(news), samples.render_your_turn(turn)
    for made in (*unlimited, letter("game_over")):
        assert "/agreements" not in made.text + made.html


def test_the_link_that_stops_letters_is_that_of_the_player_who_has_the_seat_now() -> None:
    context = letter_context("absence")
    link = SAMPLE_LINKS.unsubscribe_links(context.game, 5)[0]
    made = replace(context, stop=link)
    payloads = game_letters.Absence(), game_letters.SeatOffered(0), game_letters.Vote(VoteKind.PAUSE)
    for payload in (*payloads, game_letters.News()):
        assert link in compose(payload, made).text


def test_words_that_give_time_stand_in_no_letter_where_none_runs() -> None:
    for changes in ({"deadline": None}, {"pause_ends": NOW + timedelta(days=3)}):
        written = samples.render_your_turn(replace(letter_context("your_turn"), **changes))
        assert "/away" not in written.html
        assert "“more time”" not in written.text


def test_the_words_that_it_names_are_read(language: str) -> None:
    lines = letter("your_turn", language).text.splitlines()
    [line] = (one for one in lines if one.endswith("”.") and "?" in one)
    more, away = (one.partition("”")[0] for one in line.split("“")[1:])
    assert parse_request(more) == Request(RequestKind.MORE_TIME)
    assert away.split()[0] in ("away", "weg")


def test_letters_to_the_others_tell_it_in_both_parts_and_no_letter_to_whoever_is_to_move() -> None:
    since = NOW - timedelta(hours=26)
    told = "It has been Anna's turn since Monday afternoon."
    for payload in (game_letters.Digest(), game_letters.Message(), game_letters.News()):
        written = compose(payload, replace(letter_context("digest"), turn_since=since))
        assert told in " ".join(written.text.split())
        assert told in written.html.replace("&#39;", "'")
        own = replace(letter_context("your_turn"), turn_since=since)
        assert "It has been" not in compose(payload, own).text


# --- the names of then: who had a seat when something happened, though another has it by now --------------

LYRE, HORSE = Symbol.LYRE, Symbol.HORSE
END, OPENED = TurnEnded(1), CardOpened(HORSE)
Told = tuple[GameLetterContext, str]
Ended = tuple[GameLetterContext, tuple[SeatNames, ...]]


def passed_on_now(made: GameLetterContext, seat: int) -> GameLetterContext:
    """The same, the seat of another passed on to Dirk after all that has happened."""
    before = made.view.table.names
    names = tuple("Dirk" if one == seat else name for one, name in enumerate(before))
    view = replace(made.view, table=replace(made.view.table, names=names))
    return replace(made, view=view, seat_names=(SeatNames(before),) * made.after)


@pytest.fixture
def news() -> Told:
    """What the last to move hears of the turn before theirs, whose player has gone since; and that player."""
    at, seat = STORY.turn_starts()[16]
    made = STORY.letter_context(at, (seat + 1) % 3)
    mover = (seat - 1) % 3
    return passed_on_now(made, mover), made.view.table.names[mover]


@pytest.mark.parametrize("everything", [False, True])
def test_the_news_and_their_subject_name_who_played(news: Told, everything: bool) -> None:
    made, mover = news
    letter = samples.render_news(replace(made, everything=everything))
    told = letter.text.partition("== What ")[2]
    assert f"{mover} has played" in letter.text
    assert told.startswith(f"{mover} did ==")
    assert mover in letter.subject
    assert "Dirk" not in letter.subject
    assert f"{mover} marched" in " ".join(told.split())
    assert "Dirk marched" not in letter.text


def test_whoever_was_late_is_named_and_not_who_came_after_them(news: Told) -> None:
    made, mover = news
    seat = made.view.table.names.index("Dirk")
    acted = replace(made, acted=STORY.last_turn_of(made, seat))
    letter = compose(game_letters.TimePassed(seat), acted)
    assert f"{mover} ran out of time" in letter.text
    assert "Dirk ran out" not in letter.subject + letter.text


def test_who_levied_then_is_named_in_the_line_that_a_mailbox_shows() -> None:
    levies = [(at, fact) for at, fact in enumerate(STORY.events, 1) if isinstance(fact, TaxesLevied)]
    at, levied = levies[2]
    made = STORY.letter_context(at, (levied.seat + 1) % 3)
    mover = made.view.table.names[levied.seat]
    html = samples.render_news(passed_on_now(made, levied.seat)).html
    assert f"{mover} levied: " in html
    assert "Dirk levied: " not in html


@pytest.fixture
def over() -> Ended:
    """What Dirk hears at the end, who has played the last turn of the first seat; who had which seat when."""
    made = STORY.letter_context(len(STORY.events), 0)
    before = made.view.table.names
    after = ("Dirk", *before[1:])
    last = max(at for at, seat in STORY.turn_starts() if seat == 0)
    names = (SeatNames(before, False),) * last + (SeatNames(after),) * (made.after - last)
    view = replace(made.view, table=replace(made.view.table, names=after))
    return replace(made, view=view, seat_names=names), names_in_turns(STORY.told_to(0), names)


def test_the_end_of_a_game_remembers_who_did_it(over: Ended) -> None:
    made, turn_names = over
    record = compile_statistics(STORY.told_to(0))
    assert record.longest is not None
    assert record.best is not None
    before = STORY.letter_context(1, 0).view.table.names
    early = 1, replace(record.longest[1], seat=0)
    best = 4, replace(record.best[1], seat=0)
    march, levy = describe_highlights(replace(record, longest=early, best=best), made.view, turn_names)
    assert march.startswith(f"The longest march: {before[0]} in turn 1,")
    assert f": {before[0]} in turn 4, " in levy
    last = max(number for number, one in enumerate(turn_names, 1) if one.is_readers)
    late = last, replace(record.longest[1], seat=0)
    [own, *_] = describe_highlights(replace(record, longest=late), made.view, turn_names)
    assert own.startswith(f"The longest march: you in turn {last},")


def test_no_turn_is_said_to_have_cost_a_substitute_that_another_played(over: Ended) -> None:
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
    assert events_after((drawn, END), (drawn, END)) == ()
    assert events_after((drawn,), (drawn, END, OPENED)) == (END, OPENED)
    assert events_after((drawn, END, OPENED), (OPENED, CardDrawn(0, HORSE))) == (CardDrawn(0, HORSE),)
    assert events_after((drawn, END), (OPENED, OPENED)) == (OPENED, OPENED)
    assert events_after((), (OPENED,)) == (OPENED,)


# --- invitations: how long a game takes, and the line of an organiser to the guests ----------------------


@pytest.mark.parametrize("seats", SHARES)
def test_everybody_has_their_share_of_the_turns(seats: int) -> None:
    length = estimate_length(seats, seats, 48 * 60)
    assert abs(length.own * seats - length.turns) <= seats


def test_one_that_is_too_long_is_refused_with_how_long_it_is() -> None:
    with use_locale(Locale("nl")):
        assert find_note_fault("x" * 201).startswith("Het bericht aan je gasten heeft 201 tekens")
    assert find_note_fault(tidy_note("y" * 5000))
    assert find_note_fault(tidy_note("x" * LONGEST_NOTE)) is None


def test_the_subject_of_messages_names_their_writers_and_not_the_server() -> None:
    context = letter_context("message")
    announcement = UnreadChat("", "The game is paused.", private=False)
    for messages, words in (
        ((announcement,), "a message for you"),
        ((UnreadChat("Ben", "Hello", private=False), announcement), "a message from Ben"),
    ):
        letter = compose(game_letters.Message(), replace(context, messages=messages))
        assert letter.subject.endswith(words)
