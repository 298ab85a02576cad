"""Letters: what is said in them, the same as approved, and how they can be acted on."""

from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest

from emails import letters
from emails.choices import choices
from emails.links import Ticket, unseal
from emails.picture import png
from engine.position import Phase
from engine.provinces import gains, provinces
from tests.emails import sheets
from tests.emails.approving import approved
from tests.emails.positions import NAMES
from tests.emails.specimens import KINDS, LETTERS, SHEETS, invited, letter, nodes, page, seen_by


@pytest.mark.parametrize("name", KINDS)
def test_the_text_is_as_approved(name: str) -> None:
    approved(f"{name}.txt", letter(name).text)


def test_the_html_of_a_turn_is_as_approved() -> None:
    approved("your_turn.html", letter("your_turn").html)


def test_the_picture_is_as_approved() -> None:
    picture = letter("your_turn").pictures[0].svg
    assert picture
    approved("board.png", png(picture))


# --- what a letter says ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LETTERS)
def test_both_parts_say_all_that_the_reader_may_know(name: str) -> None:
    made = letter(name)
    shown = " ".join(nodes(made))
    flat = " ".join(made.text.split())
    view = SHEETS[name]().view
    table = view.table
    for part in (shown, flat):
        for card in view.hand.kinds():
            assert str(card) in part
        for seat, points in enumerate(table.scores):
            assert table.names[seat] in part
            assert str(points) in part
            for place in table.guards[seat]:
                assert table.board.names[place] in part
        assert f"{table.black} black" in part
        for province in provinces(table):
            if province.holder is not None:
                assert f"{province.value}" in part
        if not table.over:
            assert "Thu 14 January 2027, 18:00 UTC" in part
    for province in provinces(table):
        assert f"Province {province.first}: worth {province.value}" in flat or "The rest of the board" in flat
        for place in province.places:
            assert table.board.names[place] in flat
    for seat, gain in enumerate(gains(table)):
        assert f"a levy would give {gain}" in flat, seat


@pytest.mark.parametrize("which", ["two-players", "three-players"])
def test_every_choice_stands_in_the_text_behind_a_star(which: str) -> None:
    for at, seat in (*sheets.turns(which), *sheets.actions(which)):
        made = sheets.sheet(which, at, seat)
        lines = letters.your_turn(made).text.splitlines()
        for group in choices(made.view):
            for choice in group.choices:
                assert not choice.words or f"  * {choice.words}" in lines


@pytest.mark.parametrize("which", ["two-players", "three-players"])
def test_every_button_leads_to_its_choice_by_link_and_by_mail(which: str) -> None:
    for at, seat in (*sheets.turns(which), *sheets.actions(which)):
        made = sheets.sheet(which, at, seat)
        letter = letters.your_turn(made)
        offered = {choice.words for group in choices(made.view) for choice in group.choices}
        clear = {
            choice.words for group in choices(made.view) for choice in group.choices if not choice.further
        }
        links = [str(link.get("href")) for link in page(letter).iter("a")]
        tickets = [
            unseal(link.rpartition("/")[2], sheets.POST.secret) for link in links if link.startswith("https:")
        ]
        mails = [link for link in links if link.startswith("mailto:")]
        assert len(tickets) + len(mails) == len(links)
        assert {(ticket.game, ticket.seat, ticket.after) for ticket in tickets} == {(sheets.GAME, seat, at)}
        buttons = [ticket.words for ticket in tickets if ticket.words]
        assert len(set(buttons)) == len(buttons)
        assert set(buttons) <= offered
        assert len(buttons) >= min(20, len(offered - {""}))
        assert {unquote(mail.partition("&body=")[2]) for mail in mails} == clear & set(buttons)
        for mail in mails:
            address = mail.removeprefix("mailto:").partition("?")[0]
            assert unseal(address.partition("@")[0].removeprefix("play+"), sheets.POST.secret) == Ticket(
                sheets.GAME, seat, at
            )
            assert "+" not in mail.partition("?")[2]


@pytest.mark.parametrize("name", LETTERS)
def test_both_parts_have_the_link_to_the_page(name: str) -> None:
    made, sheet = letter(name), SHEETS[name]()
    assert sheet.view.me is not None
    link = sheets.POST.link(Ticket(sheets.GAME, sheet.view.me, sheet.after))
    assert made.text.count(link) == 1
    assert f'href="{link}"' in made.html


def test_an_invitation_can_be_accepted_by_link_and_by_mail() -> None:
    made = letter("invitation")
    link = sheets.POST.link(Ticket(sheets.GAME, 0, 0, "accept"))
    assert link in made.text
    assert f'href="{link}"' in made.html
    assert "  * accept\n" in made.text
    assert "Ben" in made.text
    assert "Cleo" in made.text
    assert "2 days" in made.text or "48 hours" in made.text
    assert "mailto:" + sheets.POST.reply_address(Ticket(sheets.GAME, 0, 0)) in made.html


def test_a_letter_to_whom_the_game_does_not_wait_for_offers_nothing() -> None:
    for name in ("welcome", "answer", "time_passed-mine", "game_over", "refused-not-my-turn"):
        assert "  * choose" not in letter(name).text
        assert "mailto:" not in letter(name).html


@pytest.mark.parametrize("name", ["answer-in-part", "answer-nothing"])
def test_what_was_not_done_is_named_with_its_reason(name: str) -> None:
    for part in (letter(name).text, letter(name).html):
        assert "supply is empty" in part
    assert "occupy Larissa" in letter("answer-in-part").text


def test_a_reminder_says_how_long_is_left() -> None:
    assert "6 hours" in letter("reminder").text
    late = letters.reminder(seen_by(0), datetime(2028, 1, 1, tzinfo=UTC))
    assert "less than an hour" in late.text.lower()


def test_a_game_without_a_limit_speaks_of_none() -> None:
    made = letters.your_turn(replace(seen_by(0), deadline=None))
    assert "UTC" not in made.text
    assert "UTC" not in made.html


def test_the_rules_stand_in_the_first_letters_only() -> None:
    for name in ("invitation", "welcome", "your_turn-first"):
        assert "occupy" in letter(name).text
    assert "65" in letter("welcome").text
    first = letter("your_turn-first").text
    rules = "closest empty space"
    assert rules in " ".join(first.split())
    assert rules not in " ".join(letter("your_turn").text.split())


def test_every_phase_has_its_letter() -> None:
    phases = {SHEETS[name]().view.table.phase for name in LETTERS}
    assert phases >= {Phase.CARD, Phase.ACTIONS, Phase.OVER}


def test_four_players_fit() -> None:
    assert len(NAMES) == 4
    made = letters.invitation(invited(NAMES))
    for name in NAMES:
        assert name in made.text
