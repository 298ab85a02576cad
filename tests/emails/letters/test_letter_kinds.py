"""Letters: what is said in them, the same as approved, and how they can be acted on."""

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256

import pytest

from emails.gallery import letter_files
from emails.gallery.letter_files import sample_invitation
from emails.gallery.letter_variants import CHAT
from emails.gallery.sample_game import NAME, SAMPLE_LINKS
from emails.i18n import Locale, gettext, use_locale
from emails.letters import letter_kinds
from emails.letters.contexts import UndoneLine, UnreadChat
from emails.picture.png import render_png
from emails.tokens import Ticket
from emails.wording.options import list_options
from emails.wording.statistics import compile_statistics
from engine.cards import Symbol
from engine.events import AlexanderMarched, CardChosen, CardDrawn, CardOpened, TurnEnded
from engine.notation.grammar import read
from engine.notation.vocabulary import translate_orders
from engine.position import Phase
from engine.provinces import levy_gains, provinces
from tests.emails import sheets
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
    nodes,
    sheet,
    specimens,
    turn,
)


@cache
def files() -> dict[str, bytes]:
    """What `alexandros letters` writes."""
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


SHOWN = [name for name, way in WAYS.items() if not name.startswith("stopped")]
"""The letters that show the game."""


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", SHOWN)
def test_both_parts_say_all_that_the_reader_may_know(name: str, language: str) -> None:
    made = letter(name, language)
    shown = " ".join(nodes(made))
    flat = " ".join(made.text.split())
    view = sheet(name).view
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
                "Thu 14 January 2027, 18:00 UTC" if language == "en" else "do 14 januari 2027, 19:00"
            ) in part
    for province in provinces(table):
        for place in province.places:
            assert table.board.names[place] in flat


def test_the_text_says_what_every_province_and_every_levy_gives() -> None:
    for name in SHOWN:
        flat, table = " ".join(letter(name).text.split()), sheet(name).view.table
        for province in provinces(table):
            assert f"Province {province.first}: worth {province.value}" in flat or "The rest of the" in flat
        for seat, gain in enumerate(levy_gains(table)):
            assert f"a levy would give {gain}" in flat, seat


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", SHOWN)
def test_what_is_to_be_done_stands_in_the_first_lines(name: str, language: str) -> None:
    made, game = letter(name, language), sheet(name)
    assert game.view.me is not None
    link = SAMPLE_LINKS.ticket_link(Ticket(game.game, game.view.me, game.after))
    before, _, _ = made.text.partition(link)
    above = 20 if name == "message" else 40 if name in ASKING else 14  # a question stands above all else
    assert before.count("\n") < above
    body = made.html.partition("<body")[2]
    assert body.index(link) < body.index("cid:board")
    if game.view.my_turn and name not in ASKING:
        example = made.text.partition(link)[2].lstrip().partition("”")[0].partition("“")[2]
        read(example.replace("\n", " ").partition(";")[0], game.view)  # whoever copies it is understood


@pytest.mark.parametrize("which", ["two-players", "three-players"])
def test_every_choice_stands_in_the_text_behind_a_star(which: str) -> None:
    for number, (at, seat) in enumerate((*sheets.turns(which), *sheets.actions(which))):
        made, language = sheets.sheet(which, at, seat), TONGUES[number % len(TONGUES)]
        with use_locale(Locale(language)):
            lines = letter_kinds.render_your_turn(made).text.splitlines()
        for group in list_options(made.view):
            for choice in group.choices:
                assert not choice.words or f"  * {translate_orders(choice.words, language)}" in lines


@pytest.mark.parametrize("language", TONGUES)
def test_who_is_invited_and_wants_no_mails_can_still_come_back(language: str) -> None:
    made, asked = letter("stopped-invitation", language), sample_invitation()
    assert asked.links.settings_link(Ticket(asked.game, asked.seat, 0, "accept")) in made.text
    assert asked.links.ticket_link(Ticket(asked.game, asked.seat, 0, "accept")) in made.text
    assert not made.pictures


def test_a_letter_to_whom_the_game_does_not_wait_for_offers_nothing() -> None:
    for name in WAYS:
        if not sheet(name).view.my_turn:
            for language, verb in (("en", "choose"), ("nl", "kies")):
                assert f"  * {verb}" not in letter(name, language).text
                assert "mailto:" not in letter(name, language).html
    assert not {way.name for way in WAYS.values() if sheet(way.name).view.my_turn} & {"news", "welcome"}


# --- what each kind is there for ------------------------------------------------------------------------


def test_what_was_not_done_is_named_with_its_reason() -> None:
    for part in (letter("answer-in-part").text, " ".join(nodes(letter("answer-in-part")))):
        assert "“occupy Troy”: the hand lacks a horse to pay for it (rule 5.6)" in part
    assert not sheet("answer-in-part").view.hand[Symbol.HORSE]
    with pytest.raises(ValueError, match="can be done"):
        STORY.refusal_of(sheet("answer-in-part").after, 0, "levy soldier")


def test_what_is_shown_for_one_who_was_late_is_a_quiet_turn() -> None:
    at = WAYS["time_passed"].at
    begun = next(start for start, _ in reversed(STORY.turn_starts()) if start < at)
    kinds = {type(event) for event in STORY.events[begun:at]}
    assert kinds == {CardChosen, CardOpened, AlexanderMarched, CardDrawn, TurnEnded}


def test_the_invitation_is_to_the_game_that_is_played() -> None:
    assert sample_invitation().edition == STORY.positions[0].table.edition
    assert "101 points" in " ".join(letter("invitation").text.split())


def test_an_answer_tells_once_what_was_done_and_all_that_others_did_after_it() -> None:
    (begun, mover), (_, following), (again, third) = STORY.turn_starts()[15:18]
    end = STORY.turn_starts()[18][0]
    assert STORY.turn_starts()[18][1] == mover
    heard = STORY.told_to(mover)
    back = STORY.letter_context(end, mover)
    ended = next(at for at in range(begun, again) if heard[at] == TurnEnded(mover))
    done = heard[begun : ended + 1]
    told = letter_kinds.render_answer(back, done, ()).text
    assert told.count("You marched to") == 1
    assert "== What was done ==" in told
    for seat in (following, third):
        assert f"{NAMES[seat]} marched to" in told
    turn = letter_kinds.render_your_turn(back).text
    for line in (
        turn.partition("== Since your last turn ==")[2].partition("== At a glance ==")[0].splitlines()
    ):
        assert line in told.splitlines()
    assert "Please play before" in told
    assert "It is your turn: choose" in told


def test_an_answer_tells_once_which_card_filled_the_display() -> None:
    made = next(
        STORY.letter_context(at, seat)
        for at, seat in STORY.turn_starts()[3:]
        if isinstance(STORY.letter_context(at, seat).since[0], CardOpened)
    )
    me, first = made.view.me, made.since[0]
    assert me is not None
    turn, done = letter_kinds.render_your_turn(made).text, (TurnEnded(me), first)
    assert letter_kinds.render_answer(made, done, ()).text.count("New in the display") == turn.count(
        "New in the display"
    )


def test_an_answer_in_the_middle_of_a_turn_does_not_repeat_what_others_did_before_it() -> None:
    made = letter("answer-in-part").text
    assert "Since your last turn" not in made
    assert "Cleo marched" not in made
    undone = letter_kinds.render_answer(
        sheet("answer-in-part"), (), (), ("You told everybody: “hello”",)
    ).text
    assert "Cleo marched" in undone  # nothing of it has been told


def test_an_answer_in_the_first_turn_has_the_rules_as_the_letter_of_that_turn() -> None:
    made = letter_kinds.render_answer(sheet("your_turn-first"), (), (), ("You told everybody: “hello”",)).text
    assert "closest empty space" in " ".join(made.split())


def test_an_answer_repeats_only_so_much_of_what_was_written() -> None:
    posted = tuple(f"You told everybody: “{number} {'&' * 390}”" for number in range(29))
    undone = tuple(UndoneLine(f"{number} {'<' * 500}", "") for number in range(29))
    for lost, told, shown in (((), posted, "“0"), (undone, (), "“0 "), (undone, posted, "“0 ")):
        made = letter_kinds.render_answer(turn(16, 0), (), lost, told)
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
    assert made.html.index(CHAT[0].words) < made.html.index("cid:board")


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", SHOWN)
def test_each_letter_says_how_to_write_to_the_others_while_answers_are_read(name: str, language: str) -> None:
    said, told = ("say:", "tell") if language == "en" else ("zeg:", "vertel")
    read = not sheet(name).view.table.over
    for part in (letter(name, language).text, " ".join(nodes(letter(name, language)))):
        assert (f"“{said}" in part) == read
        assert (f"“{told} " in part) == read


def test_nobody_is_told_to_write_to_the_house_or_to_an_odd_name() -> None:
    for names in (("Anna", "House 1", "House 2"), ("Anna", "x; draw", "W" * 60), ("Anna", "draw", "a:b")):
        table = sheet("your_turn").view.table.but(names=names)
        made = letter_kinds.render_your_turn(
            replace(sheet("your_turn"), view=replace(sheet("your_turn").view, table=table))
        )
        assert "“tell" not in made.text
        assert "“say:" in made.text


def test_too_many_messages_leave_room_for_the_game() -> None:
    words = [f"{number} {'very long words ' * 40}" for number in range(30)]
    told = tuple(UnreadChat("Ben", one, private=False) for one in words)
    made = letter_kinds.render_your_turn(replace(sheet("your_turn"), messages=told))
    assert "24 older messages stand on the page" in made.text
    assert made.text.count("Ben writes:") == 6
    assert "| 29 very" in made.text
    assert "| 0 very" not in made.text


def test_what_the_server_says_stands_among_the_messages() -> None:
    told = (UnreadChat("", "Cleo gets no more mails about this game.", private=True), *CHAT)
    made = letter_kinds.render_your_turn(replace(sheet("your_turn"), messages=told))
    assert "  * Cleo gets no more mails about this game.\n" in made.text
    assert "Cleo gets no more mails" in " ".join(nodes(made))


def test_a_step_tells_only_what_the_reader_did_in_this_turn() -> None:
    made = letter("step").text
    done, _, _ = made.partition("== At a glance ==")
    assert "== Your turn so far ==" in done
    assert "You marched" in done
    assert "Ben" not in done
    assert "you have 2 actions left" in done.lower()


def test_news_tell_the_last_turn_first() -> None:
    made = letter("news").text
    assert "\nAnna has played\n" in made
    assert "== What Anna did ==" in made
    assert "Before that" not in made  # a card that was opened is nobody's doing
    (start, _), (end, _) = STORY.turn_starts()[15], STORY.turn_starts()[17]
    two = letter_kinds.render_news(replace(sheet("news"), since=STORY.told_to(2)[start:end])).text
    assert "\nBen has played\n" in two
    assert two.index("== What Ben did ==") < two.index("== Before that, since your last turn ==")


def test_a_digest_tells_that_nothing_happened() -> None:
    assert "Nobody has played since your last turn." in letter("digest-quiet").text
    assert "Nobody has played" not in letter("digest").text
    assert "== Since your last turn ==" in letter("digest").text


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
    assert "quiet turn" in made.text
    assert "/settings" in made.text
    assert ("any game" in made.text) == (name != "stopped")
    over = replace(sheet("game_over"), messages=())
    assert "You still play" not in letter_kinds.render_stopped(over, everywhere=False).text


def test_a_reminder_says_how_long_is_left() -> None:
    assert "6 hours" in letter("reminder").text
    assert "Nog 6 uur, Anna" in letter("reminder", "nl").text
    late = letter_kinds.render_reminder(turn(16, 0), datetime(2028, 1, 1, tzinfo=UTC))
    assert "less than an hour" in late.text.lower()


def test_a_game_without_a_limit_speaks_of_none() -> None:
    made = letter_kinds.render_your_turn(replace(turn(16, 0), deadline=None, hours=0))
    for part in (
        made.text,
        made.html,
        letter_kinds.render_invitation(replace(sample_invitation(), hours=0)).text,
    ):
        assert "UTC" not in part
        assert "hour" not in part
        assert "A turn may take" not in part


def test_the_rules_stand_in_the_first_letters_only() -> None:
    rules = "closest empty space"
    for name in ("invitation", "welcome", "your_turn-first"):
        assert rules in " ".join(letter(name).text.split())
    assert "65" in letter("welcome").text
    assert rules not in " ".join(letter("your_turn").text.split())


def test_who_is_welcomed_reads_the_rules_before_the_empty_board() -> None:
    made = letter("welcome").text
    assert (
        made.index("The game in two minutes") < made.index("How to play by mail") < made.index("Walls left")
    )


def test_every_phase_has_its_letter() -> None:
    phases = {sheet(name).view.table.phase for name in WAYS}
    assert phases >= {Phase.CARD, Phase.ACTIONS, Phase.OVER}


def test_every_kind_is_in_the_gallery() -> None:
    kinds = """invitation accepted welcome your_turn step answer refused news reminder time_passed message
        game_over digest shown asked_back stopped confirm move_asked moved proposal signin notice called_off
        declined"""
    assert sorted(kinds.split()) == FUNCTIONS
    assert any(isinstance(event, TurnEnded) for event in STORY.events)
    assert {name for name, _ in specimens()} == set(KINDS)


def test_four_players_fit() -> None:
    assert len(NAMES) == 4
    made = letter_kinds.render_invitation(sample_invitation(NAMES, NAME))
    for name in NAMES:
        assert name in made.text
