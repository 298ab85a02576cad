"""What a letter offers: the game takes it all, it can be read, nothing is missing; and what it asks back."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import accumulate, islice
from urllib.parse import unquote

import pytest

from emails.i18n import Locale, gettext, use_locale
from emails.languages.supported_languages import LANGUAGES
from emails.letters.parts import LONGEST_LINKED, LetterSection
from emails.letters.renderer import Letter
from emails.tokens import Ticket, unseal_reply, unseal_ticket, unseal_unsubscribe
from emails.wording import options, requests
from emails.wording.advice_text import list_turn_choices
from emails.wording.options import (
    MOST_MARCHES,
    MOST_WAYS,
    Option,
    OptionGroup,
    list_options,
    number_corners,
    reachable_targets,
)
from engine import march_rules, rules
from engine.actions import (
    Action,
    ActionRefused,
    Ambiguous,
    Choose,
    Draw,
    End,
    Levy,
    March,
    Occupy,
    Play,
    Recall,
    Stay,
    Take,
    TakeOver,
)
from engine.board import Space
from engine.cards import EMPTY, Bag, Symbol
from engine.evolve import evolve, replay
from engine.notation.grammar import read_canonical
from engine.notation.orders import write
from engine.position import Phase, Position, view
from engine.provinces import find_sieges
from tests.breadth import first, spread
from tests.emails.approving import approved
from tests.emails.positions import BOARD, NAMES, first_card, played, stored_game
from tests.emails.specimens import (
    ABOUT_NO_GAME,
    ASKING,
    STORY,
    WAYS,
    letter,
    letter_context,
    nodes,
    page,
    whole_letters,
)
from tests.engine import build
from tests.gallery import samples
from tests.gallery.samples import GAME, SAMPLE_LINKS
from tests.spoken import assert_no_orders, read, translate_orders

STORED = ["two-players", "three-players"]


def decisions(name: str, *phases: Phase) -> Iterator[Position]:
    """Every position of a stored game in which somebody can do something, or can in one of these phases."""
    for position in stored_game(name).positions:
        wanted = not phases or position.table.phase in phases
        if wanted and rules.due(position) is None and not position.table.over:
            yield position


def late(seed: int) -> Iterator[Position]:
    """Decisions late in a game by chance players, whose hands are large."""
    log = played(NAMES, seed)[1]
    for position in islice(accumulate(log[1:], evolve, initial=replay(BOARD, log[:1])), 1, None, 9):
        if rules.due(position) is None and not position.table.over:
            yield position


SOME = {name: partial(decisions, name) for name in STORED} | {f"late {n}": partial(late, n) for n in (0, 3)}


def offered(position: Position) -> list[Option]:
    return [choice for group in list_options(view(position, position.table.seat)) for choice in group.choices]


def done(position: Position, words: str) -> Position:
    """The position after some lines are played, what follows at once included."""
    for line in words.split("; "):
        seat = position.table.seat
        _, position = rules.play_out(position, seat, read(line, view(position, seat)), first_card)
    return position


@pytest.mark.parametrize("name", SOME)
def test_every_choice_is_accepted_by_the_game_and_spelt_as_it_spells(name: str) -> None:
    for position in SOME[name]():
        for choice in offered(position):
            now = position
            for line in choice.words.split("; ") if choice.words and not choice.further else ():
                assert write(read(line, view(now, now.table.seat)), now.table.board) == line
                now = done(now, line)
            assert (now == position) == (choice.further or not choice.words)


def test_words_that_lead_on_mean_several_actions() -> None:
    seen = 0
    for position in (*decisions("two-players"), *late(0)):
        for choice in offered(position):
            if not choice.further:
                continue
            if not choice.words:
                assert choice.title
                continue
            first, _, last = choice.words.rpartition("; ")
            now = done(position, first) if first else position
            with pytest.raises(ActionRefused, match="could mean"):
                read(last, view(now, now.table.seat))
            seen += 1
    assert seen


@pytest.mark.parametrize("name", STORED)
def test_every_card_and_every_corner_is_offered(name: str) -> None:
    for position in decisions(name, Phase.CARD):
        table = position.table
        known = view(position, table.seat)
        said = [choice.words.split("; ") for choice in offered(position)]
        for card in rules.card_choices(known):
            lines = [rest for first, *rest in said if first == write(card, table.board)]
            assert lines, f"{card} is missing"
            if isinstance(card, Stay):
                continue
            ends = {line.rpartition("-" if "-" in line else " ")[2] for [line] in lines}
            spaces = march_rules.targets(table, card.card, from_display=isinstance(card, Choose))
            reached = [march_rules.reachable_corners(table, space) for space in spaces]
            assert ends == {str(corner) for corners in reached for corner in corners}


@pytest.mark.parametrize("name", STORED)
def test_paths_are_listed_where_they_are_few(name: str) -> None:
    for position in decisions(name, Phase.CARD):
        known = view(position, position.table.seat)
        for group in list_options(known):
            marches = [choice for choice in group.choices if "march" in choice.words]
            assert len(marches) <= max(MOST_MARCHES, len(number_corners(known, None)))
            assert len({choice.words for choice in marches}) == len(marches)
            paths = [choice.words.rpartition(" ")[2] for choice in group.choices if not choice.further]
            assert len(set(paths)) == len(paths)  # the named target makes no other march


@pytest.mark.parametrize("name", STORED)
def test_every_province_and_every_simple_action_is_offered(name: str) -> None:
    for position in decisions(name, Phase.ACTIONS):
        table = position.table
        known = view(position, table.seat)
        words = {choice.words for choice in offered(position)}
        assert {write(action, table.board) for action in rules.simple_actions(known)} <= words
        actions = [read(line, known) for line in words if line]
        for siege in find_sieges(table, table.seat, known.hand):
            spaces = set(siege.province.spaces)
            taken = [one for one in actions if isinstance(one, Occupy | TakeOver)]
            ways = [one for one in taken if set(one.guards) <= spaces]
            assert 0 < len(ways) <= MOST_WAYS


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("name", spread(1, STORED))
def test_no_title_no_detail_and_no_heading_is_an_order(name: str) -> None:
    for position in decisions(name):
        for group in list_options(view(position, position.table.seat)):
            said = [group.heading, *(one for each in group.choices for one in (each.title, each.detail))]
            assert_no_orders(said, position.table.board, ";|[.] ")


@pytest.mark.parametrize("name", STORED)
def test_choices_are_the_same_in_every_language(name: str) -> None:
    """What links hold stays as the game spells it, in the same order; all that is said about it is Dutch."""
    for position in decisions(name):
        known = view(position, position.table.seat)
        english = list_options(known)
        with use_locale(Locale("nl")):
            dutch = list_options(known)
        for ours, theirs in zip(english, dutch, strict=True):
            assert ours.heading != theirs.heading
            words = [(choice.words, choice.further) for choice in ours.choices]
            assert words == [(choice.words, choice.further) for choice in theirs.choices]
            for one, other in zip(ours.choices, theirs.choices, strict=True):
                assert one.title != other.title
                assert one.detail != other.detail or not one.detail or " +" in one.detail


def said(position: Position) -> str:
    """All that is offered, as one can read it."""
    lines = []
    for group in list_options(view(position, position.table.seat)):
        lines += ["", group.heading]
        lines += [f"  {one.title}: {one.detail}" if one.detail else f"  {one.title}" for one in group.choices]
    return "\n".join(lines).strip() + "\n"


@pytest.mark.usefixtures("dutch")
def test_choices_read_as_approved_in_dutch() -> None:
    found = [*decisions("three-players")]
    shown = [found[at] for at in (40, 25, 62, 126)]
    approved("choices.nl.txt", f"\n{'=' * 60}\n\n".join(map(said, shown)))


@pytest.mark.parametrize("name", STORED)
def test_others_are_offered_nothing(name: str) -> None:
    for position in stored_game(name).positions:
        for seat in range(len(position.hands)):
            known = view(position, seat)
            if not known.my_turn:
                assert list_options(known) == ()
                assert number_corners(known, None) == {}
                assert reachable_targets(known) == ()
    assert list_options(view(stored_game(name).positions[0], None)) == ()


@pytest.mark.parametrize("name", STORED)
def test_corners_are_numbered_in_reading_order_and_named_in_the_titles(name: str) -> None:
    for position in decisions(name, Phase.CARD, Phase.MARCH):
        known = view(position, position.table.seat)
        for choice in offered(position):
            said, _, line = choice.words.rpartition("; ")
            if line.startswith("march"):
                card = read_canonical(said, position.table.board) if said else None
                assert card is None or isinstance(card, Choose | Play)
                numbered = number_corners(known, card)
                assert list(numbered) == sorted(numbered)
                assert list(numbered.values()) == [str(number) for number in range(1, len(numbered) + 1)]
                corner = line.replace("-", " ").split()[-1]
                [number] = [label for point, label in numbered.items() if str(point) == corner]
                assert f"corner {number} ({corner})" in choice.title


def test_a_march_says_what_it_does() -> None:
    seen = set()
    for position in decisions("three-players", Phase.CARD):
        table = position.table
        for choice in offered(position):
            first, _, line = choice.words.partition("; ")
            if choice.further or not line:
                continue
            assert first.startswith(("choose ", "play "))
            march = read(line, view(done(position, first), table.seat))
            assert isinstance(march, March)
            told = march_rules.outcome_of(table, march.path)
            kinds = [bool(told.laid), bool(told.red), bool(told.splits)]
            assert ("no new wall" in choice.detail) == (not told.laid)
            assert ("last turn" in choice.detail) == bool(told.red)
            assert ("closes off" in choice.detail or "splits" in choice.detail) == bool(told.splits)
            seen.add(tuple(kinds))
    assert len(seen) >= 3


@pytest.mark.parametrize(
    ("guards", "price", "gain"),
    [("Ha", "-6 a levy", "+1 guard"), ("Ha La", "", "+1 guard, +6 a levy"), ("Ha Hb La", "", "+1 guard")],
)
def test_a_recall_states_its_loss_as_price_and_its_use_as_gain(guards: str, price: str, gain: str) -> None:
    strip = build.board("h...h.l....s..t..")
    west = build.spaces(strip, "AB2 AB3 AB4 AB5 AB6 AB7 AB8 AB9 AB10")
    now = build.position(strip, hands=("", ""), guards=(guards,), walls=build.fence(strip, west))
    found = options.describe(view(now, 0), Recall(strip.places["Ha"]))
    assert (found.price, found.gain) == (price, gain)


DRAW = Option("draw", "x")
GROUPS = OptionGroup("A", (DRAW, Option("", "y"))), OptionGroup("B", (Option("end", "z"), DRAW))


def test_letters_go_on_after_z_with_two() -> None:
    letters = [requests.letter_of(number) for number in range(26 * 27)]
    assert letters[:3] == ["a", "b", "c"]
    assert letters[25:29] == ["z", "aa", "ab", "ac"]
    assert letters[-1] == "zz"
    assert len(set(letters)) == len(letters)


def test_what_only_the_page_can_tell_has_no_letter_and_equal_words_have_the_same() -> None:
    assert requests.orders_by_letter(GROUPS) == {"a": "draw", "b": "end"}
    titles = [
        one.title
        for group in requests.prefix_titles(GROUPS, requests.orders_by_letter(GROUPS))
        for one in group.choices
    ]
    assert titles == ["a.\u00a0x", "y", "b.\u00a0z", "a.\u00a0x"]


def test_letters_can_begin_after_others() -> None:
    assert requests.orders_by_letter(GROUPS, first=5) == {"f": "draw", "g": "end"}
    later = requests.prefix_titles(GROUPS, requests.orders_by_letter(GROUPS, first=25))
    titles = [one.title for group in later for one in group.choices]
    assert titles == ["z.\u00a0x", "y", "aa.\u00a0z", "z.\u00a0x"]


@pytest.mark.parametrize("which", first(1, STORED))
def test_each_letter_of_the_picture_is_the_corner_where_its_turn_ends(which: str) -> None:
    for made, told, _ in whole_letters(which):
        shown = re.findall(r'data-label="(\w+)"><circle[^>]*><text[^>]*>([a-z ]+)<', told.pictures[0].svg)
        corners = {letter: point for point, letters in shown for letter in letters.split()}
        marches = {
            one: words.partition("march ")[2].partition(";")[0]
            for one, words in told.choices.items()
            if one in "abcde" and "march " in words
        }
        ends = {one: words.split()[-1].rpartition("-")[2] for one, words in marches.items()}
        assert corners.items() <= ends.items()
        assert made.view.my_turn


@pytest.mark.parametrize("which", first(1, STORED))
def test_whoever_wants_everything_has_a_letter_beside_each_choice_in_text_and_html(which: str) -> None:
    for made, told, language in whole_letters(which):
        turns = list_turn_choices(made.view, made.suggestions)
        words = [one.words for group in list_options(made.view) for one in group.choices if one.words]
        assert [*told.choices.values()][-len(words) :] == words
        shown = [found for words in nodes(told) if (found := re.match(r"([a-z]{1,2})\.\s(.*)", words))]
        lines = told.text.splitlines()
        assert {f"  * {translate_orders(one, language)}" for one in words} <= {*lines}
        assert len(shown) >= min(20, len(words))
        for name, title in (found.groups() for found in shown[len(turns) :]):
            at = lines.index(f"  * {translate_orders(told.choices[name], language)}")
            below = " ".join(" ".join(lines[at + 1 : at + 3]).split())
            assert below.startswith(f"{name}. {title}"[:50])


@pytest.mark.parametrize("which", first(1, STORED))
def test_what_a_letter_stands_for_can_be_begun(which: str) -> None:
    for made, told, _ in whole_letters(which):
        for words in told.choices.values():
            read(words.partition("; ")[0], made.view)


@pytest.mark.parametrize("which", first(1, STORED))
def test_every_button_leads_to_its_choice_by_link_and_by_mail(which: str) -> None:
    for made, told, language in whole_letters(which):
        seat, at = made.view.my_seat, made.after
        words = {choice.words for group in list_options(made.view) for choice in group.choices}
        links = [str(link.get("href")) for link in page(told).iter("a")]
        tokens = [link.split("/")[4] for link in links if "/t/" in link]
        tickets = [unseal_ticket(token, SAMPLE_LINKS.keys) for token in tokens]
        mails = [link for link in links if link.startswith("mailto:")]
        stops = [link for link in links if "/u/" in link]
        assert len(tickets) + len(mails) + len(stops) == len(links)
        opened = {unseal_unsubscribe(link.rpartition("/")[2], SAMPLE_LINKS.keys) for link in stops}
        assert opened == {(GAME, seat)}
        assert {(ticket.game, ticket.seat, ticket.after) for ticket in tickets} == {(GAME, seat, at)}
        buttons = [ticket.words for ticket in tickets if ticket.words]
        turns = set(told.choices.values()) - words
        assert set(buttons) <= words | turns
        assert len(buttons) >= min(20, len(words - {""}))
        bodies = {unquote(mail.partition("&body=")[2]) for mail in mails}
        spoken = {choice: translate_orders(choice, language) for choice in words}
        assert {spoken[choice] for choice in words & set(buttons)} <= bodies
        assert bodies - {*spoken.values()} <= set(told.choices)
        for mail in mails:
            address = mail.removeprefix("mailto:").partition("?")[0]
            token = address.partition("@")[0].removeprefix("play+")
            assert unseal_reply(token, SAMPLE_LINKS.keys) == (Ticket(GAME, seat, at), 0)
            assert "+" not in mail.partition("?")[2]
            assert " " not in mail


def test_only_who_is_to_move_has_numbers() -> None:
    for name in WAYS:
        moves = letter_context(name).view.my_turn and not name.startswith(("stopped", "message"))
        assert bool(letter(name).choices) == moves, name
    for name in ("invitation", "accepted", "stopped-invitation", *ABOUT_NO_GAME):
        assert not letter(name).choices


LARISSA, TROY, SUSA, GAZA = (BOARD.places[name] for name in ("Larissa", "Troy", "Susa", "Gaza"))
HORSE = Symbol.HORSE
VIEW = view(stored_game("three-players").positions[0], 0)
TABLE = VIEW.table


def card_heading(card: Choose | Play, *targets: Space, joker: bool = False) -> str:
    """The heading of a card as if it led to these targets."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(march_rules, "targets", lambda *_, **__: targets)
        patch.setattr(march_rules, "is_joker", lambda *_: joker)
        return options.heading_for_card(TABLE, card)


def target_heading(target: Space) -> str:
    marching = replace(VIEW, table=TABLE.but(phase=Phase.MARCH, chosen=HORSE))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(march_rules, "targets_of_chosen", lambda _: (target,))
        [group] = list_options(marching)
        return group.heading


def headings() -> list[str]:
    return [
        card_heading(Choose(HORSE), TROY, GAZA, joker=True),
        card_heading(Choose(HORSE), TROY),
        card_heading(Play(HORSE), TROY, GAZA, SUSA, LARISSA),
        target_heading(TROY),
        options.corner_title(TABLE, (TROY,), BOARD.start, "3", [BOARD.start]),
        options.corner_title(TABLE, (TROY,), BOARD.start, ""),
        options.path_count_detail(1200, 1),
        options.path_count_detail(1200, 3),
        options.describe(VIEW, Stay(HORSE)).title,
        options.describe(VIEW, Stay(None)).title,
        gettext(options.STAY_HEADING),
        options.gift_detail(TABLE, 1, Bag.of([HORSE, HORSE])),
        options.describe(VIEW, Take(HORSE)).title,
        options.describe(VIEW, Levy(HORSE)).title,
    ]


def test_headings_read_as_approved(language: str) -> None:
    approved(f"headings.{language}.txt", "\n".join(headings()) + "\n")


@pytest.mark.usefixtures("language")
def test_no_heading_is_an_order() -> None:
    named = (options.MORE_WAYS_TITLE, options.END_HEADING)
    assert_no_orders((*headings(), *map(gettext, named)), BOARD)


def outcomes() -> set[str]:
    """What marches of a stored game would do if none, one or all of their walls were red."""
    found = set()
    for position in stored_game("three-players").positions[::5]:
        table = position.table
        known = view(position, table.seat)
        for target in (TROY, SUSA, GAZA, LARISSA):
            for corner in march_rules.reachable_corners(table, target)[:1]:
                path = next(iter(march_rules.ShortestPaths(table, corner)))
                told = march_rules.outcome_of(table, path)
                for red in {0, min(1, len(told.laid)), len(told.laid)}:
                    changed = replace(told, red=red)
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(march_rules, "outcome_of", lambda *_, told=changed: told)
                        found.add(options.describe_march(known, March(target, path), EMPTY).detail)
    return found


def test_outcomes_differ_in_every_language() -> None:
    said = []
    for language in LANGUAGES:
        with use_locale(Locale(language)):
            said.append(outcomes())
    english, dutch = said
    assert len(english) == len(dutch) > 100
    assert not english & dutch


# --- questions: a line that could mean several things is asked back, and answered with a number ----------

SILENT = requests.OrderQuestion((Option("draw", "x"), Option("end", "y")), more=False)


def asked(made: Letter) -> list[str]:
    """The orders that its numbers stand for, from 1 on."""
    assert [*made.choices] == [str(number) for number in range(1, len(made.choices) + 1)]
    return [*made.choices.values()]


@pytest.mark.parametrize("name", ASKING)
def test_each_meaning_is_another_way_to_play_the_whole_mail(name: str) -> None:
    game = WAYS[name].other or STORY
    position = game.positions[letter_context(name).after - 1]
    ends = [done(position, words) for words in asked(letter(name))]
    assert 1 < len(ends) <= requests.MOST_OPTIONS
    for number, end in enumerate(ends):
        assert end != position
        assert end not in ends[:number]


def test_the_rest_of_the_mail_goes_with_each_meaning() -> None:
    for words in asked(letter("refused-march")):
        first, march, last = words.split("; ")
        assert (first, march[:16], last) == ("choose amphora", "march Bucephala ", "draw")


HEADINGS = (("Which one do you mean?", "Welke bedoel je?"), ("Is this what you mean?", "Bedoel je dit?"))
"""Of a question which of several things is meant, and of what a mail may mean."""


@pytest.mark.parametrize("name", ASKING)
def test_the_question_stands_above_all_else_in_both_parts(name: str, language: str) -> None:
    made = letter(name, language)
    proposed = name == "refused-proposal"
    english, dutch = HEADINGS[proposed]
    heading = english if language == "en" else dutch
    assert made.text.count(heading) == 1
    top, _, _ = made.text.partition("https://")
    lines = top.splitlines()
    for number, words in made.choices.items():
        told = translate_orders(words, language)
        if proposed:
            assert any(line.startswith(f"  {number}. ") for line in lines[: lines.index(f"     * {told}")])
        else:
            assert lines[lines.index(f"  * {told}") + 1].startswith(f"      {number}. ")
    assert made.html.index(heading) < made.html.index("<b>1.") < made.html.index('class="button"')


@pytest.mark.parametrize("name", ASKING)
def test_each_meaning_has_a_page_and_a_mail_that_holds_its_number_alone(name: str, language: str) -> None:
    made, game = letter(name, language), letter_context(name)
    seat = game.view.table.seat
    top = made.html.partition('class="button"')[0]
    found = re.findall(r'<td[^>]*><a href="([^"]+)"[^>]*>(?:<b>)?(\d+)?', top)
    links = {number: link.rpartition("/")[2] for link, number in found if number}
    pages = {number: unseal_ticket(token, SAMPLE_LINKS.keys).words for number, token in links.items()}
    assert pages == made.choices
    for token in links.values():
        ticket = unseal_ticket(token, SAMPLE_LINKS.keys)
        assert replace(ticket, words="") == Ticket(game.game, seat, game.after)
    mails = [link.replace("&amp;", "&") for link, _ in found if link.startswith("mailto:")]
    assert [unquote(mail.partition("&body=")[2]) for mail in mails] == [*made.choices]


@pytest.mark.parametrize("name", ASKING)
def test_nothing_else_bears_a_number_while_a_letter_asks(name: str) -> None:
    made = letter(name)
    assert not any("data-label" in one.svg for one in made.pictures)
    assert "data-label" in letter("your_turn").pictures[0].svg
    assert not page(made).xpath("//area")
    assert len(re.findall(r"^(?: {6}| {2})\d+\. ", made.text, re.MULTILINE)) == len(made.choices)
    assert sum(bool(re.match(r"\d+\.\s", words)) for words in nodes(made)) == len(made.choices)
    for part in (made.text, " ".join(nodes(made))):
        assert not re.search(r"corner \d", part)
        assert "number of a corner" not in part
        assert "numbered corners" not in part.lower()


def test_a_question_outlives_the_night_in_the_outbox() -> None:
    after = letter_context("refused-takeover").after
    made = STORY.question_about(after, 2, (), "takeover Armavir", ("draw",))
    assert made.common
    assert requests.decode_question(json.loads(json.dumps(requests.encode_question(made)))) == made


def test_six_meanings_are_asked_at_most_and_the_letter_says_that_there_are_more() -> None:
    game = letter_context("your_turn")
    cards = [Choose(card) for card in Symbol] + [Play(card) for card in Symbol]
    many = requests.ask_which(Ambiguous("x", tuple(cards)), game.view, (), ())
    few = requests.ask_which(Ambiguous("x", tuple(cards[:2])), game.view, (), ())
    assert len(many.choices) == requests.MOST_OPTIONS
    assert (many.more, few.more) == (True, False)
    for made, said in ((many, True), (few, False)):
        asking = samples.render_refused("x.", game, made)
        for part in (asking.text, " ".join(nodes(asking))):
            assert ("There are other ways too" in part) == said


def test_whatever_is_meant_has_a_title_of_its_own() -> None:
    game = letter_context("step").view
    place = next(iter(BOARD.names))
    with_lyre: list[Action] = [kind(Symbol.LYRE) for kind in (Levy, Take, Choose, Play, Stay)]
    others = (Recall(game.table.guards[0][0]), End(), Occupy((place,)), Stay(None))
    for meant in ((*with_lyre, Draw()), others):
        found = requests.ask_which(Ambiguous("x", meant), game, ("end",), ("draw",)).choices
        assert [one.words for one in found] == [f"end; {write(one, BOARD)}; draw" for one in meant]
        assert len({one.title for one in found}) == len(meant)
        assert all(one.title for one in found)


def test_words_that_are_too_long_for_a_link_are_answered_by_number_only() -> None:
    long = "; ".join(["recall Hecatompylos"] * (LONGEST_LINKED // 10))
    asked = requests.OrderQuestion((Option(long, "x"), Option("end", "y")), more=False)
    made = samples.render_refused("x.", letter_context("step"), asked)
    assert made.choices == {"1": long, "2": "end"}
    assert f"  * {long}\n" in made.text
    links = [str(link.get("href")) for link in page(made).iter("a")]
    assert max(map(len, links)) < 2000


def test_an_answer_by_a_link_names_its_letter() -> None:
    game = replace(letter_context("step"), letter=4711)
    with use_locale(Locale("en")):
        made = (
            samples.render_step(game),
            samples.render_refused("x.", game, SILENT),
            samples.render_shown(game, ()),
        )
    for one in made:
        mails = [link for a in page(one).iter("a") if (link := str(a.get("href"))).startswith("mailto:")]
        assert mails
        for mail in mails:
            token = mail.removeprefix("mailto:play+").partition("@")[0]
            ticket, number = unseal_reply(token, SAMPLE_LINKS.keys)
            assert (ticket.seat, ticket.after, number) == (game.view.table.seat, game.after, 4711)


def test_what_was_asked_for_stands_under_what_was_done() -> None:
    game = letter_context("answer-in-part")
    shown = LetterSection("Rule 5.9", ("It is a rule.", "And <b>another</b>."))
    for made in (
        samples.render_shown(game, (shown,)),
        samples.render_refused("No.", game, None, (shown,)),
        samples.render_answer(game, posted=("You told everybody: “x”",), sections=(shown,)),
    ):
        assert "\n== Rule 5.9 ==\n\n  * It is a rule.\n  * And <b>another</b>.\n" in made.text
        assert "And <b>another</b>." in nodes(made)
        for part in (made.text, made.html):
            assert part.index("It is a rule.") < part.rindex("Your hand")
            assert "You told" not in part or part.index("You told") < part.index("It is a rule.")
