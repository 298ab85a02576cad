"""Letters: what is said in them, the same as approved, and how they can be acted on."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256

import pytest

from emails.i18n import Locale, gettext, use_locale
from emails.letters import game_letters, lobby_letters
from emails.letters.contexts import UndoneLine, UnreadChat
from emails.letters.lobby_letters import LONGEST_NOTE
from emails.letters.parts import list_letter_choices
from emails.picture.png import render_png
from emails.terms import TurnTime
from emails.tokens import Ticket
from emails.wording.options import list_options
from emails.wording.review_text import compile_statistics
from engine.cards import Symbol
from engine.events import AlexanderMarched, CardChosen, CardDrawn, CardOpened, TurnEnded
from engine.position import Phase
from engine.provinces import levy_gains, provinces
from tests.breadth import first
from tests.emails import stored_games
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
    specimens,
    turn,
)
from tests.gallery import letter_files
from tests.gallery.letter_files import CHAT
from tests.gallery.samples import NAME, SAMPLE_LINKS, sample_invitation
from tests.spoken import read, translate_orders


@cache
def files() -> dict[str, bytes]:
    """What `python -m tests.gallery` writes."""
    return dict(letter_files.render_files(BOARD))


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", KINDS)
def test_the_text_is_as_approved(name: str, language: str) -> None:
    approved(f"{name}.{language}.txt", letter(name, language).text)


@pytest.mark.parametrize("language", TONGUES)
def test_the_html_of_a_turn_is_as_approved(language: str) -> None:
    approved(f"your_turn.{language}.html", files()[f"your_turn.{language}.html"].decode())


def test_every_other_file_of_the_gallery_is_as_approved() -> None:
    made = files()
    whole = {f"{one.file}.txt" for one in specimens().values()}
    assert {name: made[name].decode() for name in whole} == {
        f"{one.file}.txt": one.letter.text for one in specimens().values()
    }
    whole |= {f"your_turn.{language}.html" for language in TONGUES}
    digests = [f"{sha256(made[name]).hexdigest()}  {name}\n" for name in sorted(made.keys() - whole)]
    approved("digests.txt", "".join(digests))
    nothing_else_is_approved(FUNCTIONS, whole)


def test_the_gallery_is_the_same_every_time() -> None:
    assert {(one.name, one.language): one for one in letter_files.render_specimens(BOARD)} == specimens()


def test_the_picture_is_as_approved() -> None:
    approved("board.png", render_png(letter("your_turn").pictures[0].svg))


SHOWN = [name for name in WAYS if not name.startswith("stopped")]
"""The letters about a game."""
WHOLE = [name for name, way in WAYS.items() if way.everything or name == "shown-board"]
"""The letters that show the whole position."""
TURNS = [name for name in SHOWN if name.startswith(("your_turn", "step", "reminder", "digest-turn"))]
"""The letters that a player decides by."""


@pytest.mark.parametrize("language", TONGUES)
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
        for province in provinces(table):
            if province.holder is not None:
                assert f"{province.value}" in part
        if not table.over:
            assert (
                "Thursday evening, 14 January, 18:00 UTC"
                if language == "en"
                else "donderdagavond, 14 januari, 19:00"
            ) in part
    for province in provinces(table):
        for place in province.places:
            assert table.board.names[place] in flat


def test_the_text_says_what_every_province_and_every_levy_gives() -> None:
    for name in WHOLE:
        flat, table = " ".join(letter(name).text.split()), letter_context(name).view.table
        for province in provinces(table):
            assert f"Province {province.first}: worth {province.value}" in flat or "The rest of the" in flat
        for seat, gain in enumerate(levy_gains(table)):
            assert f"a levy would give {gain}" in flat, seat


@pytest.mark.parametrize("language", TONGUES)
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
        example = re.findall("“([^”]*)”", made.text.partition(link)[2])
        orders = [
            one for one in example if one.startswith(("choose", "kies", "play", "speel", "draw", "trek"))
        ]
        assert orders or name == "step"
        for one in orders:
            read(" ".join(one.split()).partition(";")[0], game.view)  # whoever copies it is understood


@pytest.mark.parametrize("which", first(1, ["two-players", "three-players"]))
@pytest.mark.parametrize("part", first(1, range(3)))
def test_every_choice_stands_in_the_text_behind_a_star(which: str, part: int) -> None:
    decisions = (*stored_games.turns(which), *stored_games.actions(which))[part::3]
    for number, (at, seat) in enumerate(decisions):
        made, language = stored_games.letter_context(which, at, seat), TONGUES[number % len(TONGUES)]
        with use_locale(Locale(language)):
            lines = game_letters.render_your_turn(replace(made, everything=True)).text.splitlines()
        for group in list_options(made.view):
            for choice in group.choices:
                assert not choice.words or f"  * {translate_orders(choice.words, language)}" in lines


@pytest.mark.parametrize("number", [0, 2, 5])
def test_a_letter_stands_for_one_turn_in_every_mail_of_a_position(number: int) -> None:
    made = letter_context("your_turn")
    made = replace(made, suggestions=made.suggestions[:number])
    short, full, steps = (
        list_letter_choices(made, None, turns=turns, every=every).meant
        for turns, every in ((True, False), (True, True), (False, True))
    )
    assert short
    assert full == {**short, **steps}
    assert not short.keys() & steps.keys()


@pytest.mark.parametrize("language", TONGUES)
def test_who_is_invited_and_wants_no_mails_can_still_come_back(language: str) -> None:
    made, asked = letter("stopped-invitation", language), sample_invitation()
    assert asked.links.settings_link(Ticket(asked.game, asked.seat, 0, "accept")) in made.text
    assert asked.links.ticket_link(Ticket(asked.game, asked.seat, 0, "accept")) in made.text
    assert not made.pictures


def test_a_letter_to_whom_the_game_does_not_wait_for_offers_nothing() -> None:
    for name in WAYS:
        if not letter_context(name).view.my_turn:
            for language, verb in (("en", "choose"), ("nl", "kies")):
                assert f"  * {verb}" not in letter(name, language).text
                assert not letter(name, language).choices
                assert "&amp;body=a" not in letter(name, language).html
    assert not {way.name for way in WAYS.values() if letter_context(way.name).view.my_turn} & {
        "news",
        "welcome",
    }


# --- what each kind is there for ------------------------------------------------------------------------


def test_what_was_not_done_is_named_with_its_reason() -> None:
    for part in (letter("answer-in-part").text, " ".join(nodes(letter("answer-in-part")))):
        assert "“occupy Troy”: the hand lacks a horse to pay for it (rule 5.6)" in part
    assert not letter_context("answer-in-part").view.hand[Symbol.HORSE]
    with pytest.raises(ValueError, match="can be done"):
        STORY.refusal_of(letter_context("answer-in-part").after, 0, "levy soldier")


def test_what_is_shown_for_one_who_was_late_is_a_quiet_turn() -> None:
    at = WAYS["time_passed"].at
    begun = next(start for start, _ in reversed(STORY.turn_starts()) if start < at)
    kinds = {type(event) for event in STORY.events[begun:at]}
    assert kinds == {CardChosen, CardOpened, AlexanderMarched, CardDrawn, TurnEnded}


def test_the_invitation_is_to_the_game_that_is_played() -> None:
    assert sample_invitation().edition == STORY.positions[0].table.edition
    names = STORY.positions[0].table.names
    assert sample_invitation().players == names


def test_an_answer_tells_once_what_was_done_and_all_that_others_did_after_it() -> None:
    (begun, mover), (_, following), (again, third) = STORY.turn_starts()[15:18]
    end = STORY.turn_starts()[18][0]
    assert STORY.turn_starts()[18][1] == mover
    heard = STORY.told_to(mover)
    back = STORY.letter_context(end, mover)
    ended = next(at for at in range(begun, again) if heard[at] == TurnEnded(mover))
    done = heard[begun : ended + 1]
    told = game_letters.render_answer(back, done, ()).text
    assert told.count("you marched with") == 1
    assert "== What was done ==\n\n  * Turn 16: you" in told
    for number, seat in ((17, following), (18, third)):
        assert f"Turn {number}: {NAMES[seat]} marched with" in told
    turn = game_letters.render_your_turn(back).text
    for line in turn.partition("== Since your last turn ==")[2].partition("\n\n== ")[0].splitlines():
        assert line in told.splitlines()
    assert "please play before" in told
    assert "== Steps to choose from ==" in told


def test_an_answer_tells_once_which_card_filled_the_display() -> None:
    made = next(
        STORY.letter_context(at, seat)
        for at, seat in STORY.turn_starts()[3:]
        if isinstance(STORY.letter_context(at, seat).since[0], CardOpened)
    )
    me, first = made.view.me, made.since[0]
    assert me is not None
    turn, done = game_letters.render_your_turn(made).text, (TurnEnded(me), first)
    assert game_letters.render_answer(made, done, ()).text.count("New in the display") == turn.count(
        "New in the display"
    )


def test_an_answer_in_the_middle_of_a_turn_does_not_repeat_what_others_did_before_it() -> None:
    made = letter("answer-in-part").text
    assert "Since your last turn" not in made
    assert "Cleo marched" not in made
    undone = game_letters.render_answer(
        letter_context("answer-in-part"), (), (), ("You told everybody: “hello”",)
    ).text
    assert "Cleo marched" in undone  # nothing of it has been told


def test_an_answer_in_the_first_turn_has_the_rules_as_the_letter_of_that_turn() -> None:
    made = game_letters.render_answer(
        letter_context("your_turn-first"), (), (), ("You told everybody: “hello”",)
    ).text
    assert "closest space with its symbol" in " ".join(made.split())


def test_an_answer_repeats_only_so_much_of_what_was_written() -> None:
    posted = tuple(f"You told everybody: “{number} {'&' * 390}”" for number in range(29))
    undone = tuple(UndoneLine(f"{number} {'<' * 500}", "") for number in range(29))
    for lost, told, shown in (((), posted, "“0"), (undone, (), "“0 "), (undone, posted, "“0 ")):
        made = game_letters.render_answer(turn(16, 0), (), lost, told)
        assert shown in made.text
        assert "more lines." in made.text
        assert len(made.html.encode()) < 50_000


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.messages])
def test_what_others_wrote_stands_high_up(name: str, language: str) -> None:
    made = letter(name, language)
    with use_locale(Locale(language)):
        heads = [
            gettext("%(name)s writes:", name="Ben"),
            gettext("%(name)s writes to you alone:", name="Cleo"),
        ]
    lines = made.text.splitlines()
    for head, message in zip(heads, CHAT, strict=True):
        at = lines.index(head)
        assert at < 30
        assert message.words.startswith(lines[at + 1].removeprefix("  | "))
        assert message.words in " ".join(nodes(made))
    assert CHAT[0].words in made.html


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", ["your_turn-everything", "message"])
def test_the_manual_and_a_message_say_how_to_write_to_the_others(name: str, language: str) -> None:
    said, told = ("say:", "tell") if language == "en" else ("zeg:", "vertel")
    for part in (letter(name, language).text, " ".join(nodes(letter(name, language)))):
        assert f"“{said}" in part
        assert f"“{told} " in part


def test_nobody_is_told_to_write_to_the_house_or_to_an_odd_name() -> None:
    for names in (("Anna", "House 1", "House 2"), ("Anna", "x; draw", "W" * 60), ("Anna", "draw", "a:b")):
        table = letter_context("your_turn").view.table.but(names=names)
        made = game_letters.render_your_turn(
            replace(
                letter_context("your_turn-everything"),
                view=replace(letter_context("your_turn").view, table=table),
            )
        )
        assert "“tell" not in made.text
        assert "“say:" in made.text


def test_too_many_messages_leave_room_for_the_game() -> None:
    words = [f"{number} {'very long words ' * 40}" for number in range(30)]
    told = tuple(UnreadChat("Ben", one, private=False) for one in words)
    made = game_letters.render_your_turn(replace(letter_context("your_turn"), messages=told))
    assert "24 older messages stand on the page" in made.text
    assert made.text.count("Ben writes:") == 6
    assert "| 29 very" in made.text
    assert "| 0 very" not in made.text


def test_what_the_server_says_stands_among_the_messages() -> None:
    told = (UnreadChat("", "Cleo gets no more mails about this game.", private=True), *CHAT)
    made = game_letters.render_your_turn(replace(letter_context("your_turn"), messages=told))
    assert "  * Cleo gets no more mails about this game.\n" in made.text
    assert "Cleo gets no more mails" in " ".join(nodes(made))


def test_a_step_tells_only_what_the_reader_did_in_this_turn() -> None:
    made = letter("step").text
    done, _, _ = made.partition("\nPoints: ")
    assert "== Your turn so far ==" in done
    assert "you marched" in done
    assert "Ben" not in done
    assert "you have 2 actions left" in made.lower()


def test_news_tell_the_last_turn_first() -> None:
    made = letter("news").text
    assert "\nAnna has played\n" in made
    assert "== What Anna did ==" in made
    assert "Before that" not in made  # a card that was opened is nobody's doing
    (start, _), (end, _) = STORY.turn_starts()[15], STORY.turn_starts()[17]
    two = game_letters.render_news(replace(letter_context("news"), since=STORY.told_to(2)[start:end])).text
    assert "\nBen has played\n" in two
    assert two.index("== What Ben did ==") < two.index("== Before that, since your last turn ==")
    assert two.index("Turn 16: Ben") < two.index("Turn 15: Anna")


@pytest.mark.parametrize("language", TONGUES)
def test_the_end_shows_standing_course_and_what_was_best(language: str) -> None:
    made, kept = letter("game_over", language), compile_statistics(STORY.told_to(1))
    assert kept.longest
    assert kept.best
    for part in (made.text, " ".join(nodes(made))):
        assert "-".join(map(str, kept.longest.path)) in part
        assert str(kept.best.gain) in part
        for points in STORY.positions[-1].table.scores:
            assert str(points) in part
    assert [one.name for one in made.pictures] == ["board", "scores"]
    standing = [line for line in made.text.splitlines() if line.startswith(("  * Anna: 1", "  * Ben: 7"))]
    assert standing == ["  * Anna: 105 points", "  * Ben: 74 points"] or language != "en"


@pytest.mark.parametrize("name", ["stopped", "stopped-everywhere"])
def test_who_gets_no_more_is_told_what_it_means_and_how_to_come_back(name: str) -> None:
    made = letter(name)
    assert "You still play" in made.text
    assert "plays that turn" in made.text
    assert "/settings" in made.text
    assert ("any game" in made.text) == (name != "stopped")
    over = replace(letter_context("game_over"), messages=())
    assert "You still play" not in game_letters.render_stopped(over, everywhere=False).text


def test_a_reminder_says_how_long_is_left() -> None:
    assert "6 hours" in letter("reminder").text
    assert "Nog 6 uur, Anna" in letter("reminder", "nl").text
    late = game_letters.render_reminder(turn(16, 0), datetime(2028, 1, 1, tzinfo=UTC))
    assert "less than an hour" in late.text.lower()


def test_a_game_without_a_limit_speaks_of_none() -> None:
    made = game_letters.render_your_turn(replace(turn(16, 0), deadline=None, turn_time=TurnTime(0)))
    for part in (
        made.text,
        made.html,
        lobby_letters.render_invitation(replace(sample_invitation(), turn_time=TurnTime(0))).text,
    ):
        assert "UTC" not in part
        assert "hour" not in part
        assert "A turn may take" not in part


def test_the_rules_stand_in_the_first_letters_only() -> None:
    rules = "Alexander marches to the closest space with"
    for name in ("welcome", "your_turn-first"):
        assert rules in " ".join(letter(name).text.split())
    assert "65" in letter("welcome").text
    assert rules not in " ".join(letter("your_turn").text.split())


def test_who_is_welcomed_reads_the_rules_before_the_empty_board() -> None:
    made = letter("welcome").text
    assert made.index("The game in two minutes") < made.index("walls are left")


def test_every_phase_has_its_letter() -> None:
    phases = {letter_context(name).view.table.phase for name in WAYS}
    assert phases >= {Phase.CARD, Phase.ACTIONS, Phase.OVER}


@pytest.mark.parametrize("language", TONGUES)
def test_an_invitation_says_who_asks_what_they_write_and_how_long_it_takes(language: str) -> None:
    made = letter("invitation", language)
    head, _, _ = made.text.partition(letter_files.GUEST_NOTES[language][-8:])
    assert "Cleo" in head.splitlines()[2]
    assert "  | " in head
    asks = {"en": "Cleo asks you to a game by mail", "nl": "Cleo vraagt je voor een spel per mail"}
    assert made.subject == f"[Alexandros] {asks[language]}"
    assert "35" in made.text
    assert "12" in made.text
    assert re.search(r"about 3 weeks|ongeveer 3 weken", made.text)
    [picture] = made.pictures
    assert 'class="alexander"' in picture.svg
    assert "cid:board" in made.html
    assert picture.alt in made.html


@pytest.mark.parametrize("language", TONGUES)
def test_an_invitation_has_at_most_150_words_with_the_longest_line(language: str) -> None:
    asked = replace(sample_invitation(), note="words " * (LONGEST_NOTE // 6))
    with use_locale(Locale(language)):
        made = lobby_letters.render_invitation(asked)
    words = made.text.partition("Je krijgt" if language == "nl" else "You get")[0].split()
    assert len(words) <= 150, len(words)


def test_every_kind_is_in_the_gallery() -> None:
    kinds = """invitation accepted welcome your_turn step answer refused news reminder time_passed message
        plan_played game_over digest shown asked_back stopped confirm move_asked moved proposal signin notice
        called_off declined motion absence seat_offered seat_claim seat_refused substitute replaced"""
    assert sorted(kinds.split()) == FUNCTIONS
    assert any(isinstance(event, TurnEnded) for event in STORY.events)
    assert {name for name, _ in specimens()} == set(KINDS)


def test_four_players_fit() -> None:
    assert len(NAMES) == 4
    made = lobby_letters.render_invitation(sample_invitation(NAMES, NAME))
    for name in NAMES:
        assert name in made.text
