"""The corpus of mails is sound: points can be rebuilt, orders are legal, counts are as promised."""

from collections import Counter
from functools import cache

import pytest

from engine.cards import Bag, Symbol
from engine.notation.grammar import read_canonical
from engine.notation.orders import write
from engine.position import Phase
from engine.rules import due, play_out
from tests.clerk.corpus import Mail, Orders, Verdict, board, mails, points, position, seen, unseen

FOLDERS = ("replies", "doubts", "talk")
LANGUAGES = {
    "replies": {"en": 400, "nl": 200},
    "doubts": dict.fromkeys(("en", "nl", "de", "fr", "es", "it", "pl", "pt"), 37),
    "talk": {"en": 150, "nl": 75},
}
"""At least so many mails of each language."""
COUNTS = {"replies": 600, "doubts": 300, "talk": 300}
KINDS = {"retraction", "hedge", "condition"}
PLACES = {"same", "below", "blank", "name", "above"}


def first(cards: Bag) -> Symbol:
    return next(iter(cards))


def last(cards: Bag) -> Symbol:
    return [*cards][-1]


@cache
def play(point: str, orders: Orders) -> None:
    """Play orders at a point, whichever card comes; raises where one is illegal or not canonical."""
    for chance in (first, last):
        now = position(point)
        seat = now.table.seat
        for words in orders:
            action = read_canonical(words, board())
            assert write(action, board()) == words
            _, now = play_out(now, seat, action, chance)


def all_mails() -> list[Mail]:
    return [mail for folder in FOLDERS for mail in mails(folder)]


def test_each_point_is_a_decision_of_its_reader() -> None:
    assert len(points()) == 60
    for point in points().values():
        now = position(point.id)
        table = now.table
        assert due(now) is None
        assert table.phase is not Phase.OVER
        assert (str(table.phase), table.names[table.seat]) == (point.phase, point.reader)
        assert (table.edition.name, len(table.names)) == (point.edition, point.players)
        assert 1 <= len(point.choices) <= 5
        for orders in point.choices.values():
            play(point.id, orders)


def test_the_points_cover_editions_players_and_phases() -> None:
    kinds = Counter((point.edition, point.players) for point in points().values())
    assert len(kinds) == 6
    assert min(kinds.values()) == 10
    assert {point.phase for point in points().values()} == {"card", "march", "actions"}


def test_every_order_of_a_verdict_is_legal_whichever_cards_come() -> None:
    for mail in all_mails():
        for orders in (mail.orders, *mail.alternatives):
            try:
                play(mail.point, orders)
            except Exception as error:
                raise AssertionError(f"{mail.id}: {orders}: {error}") from error


def test_a_verdict_says_what_it_needs() -> None:
    for mail in all_mails():
        assert mail.text.strip(), mail.id
        assert bool(mail.orders) or mail.verdict not in {Verdict.PLAY, Verdict.PROPOSE}, mail.id
        assert not mail.alternatives or mail.verdict is not Verdict.PLAY, mail.id
        assert bool(mail.about) == (mail.verdict is Verdict.ASK), mail.id
        assert bool(mail.why) == (mail.verdict is Verdict.REFUSE), mail.id


def test_ids_and_mails_are_unique() -> None:
    ids = [mail.id for mail in all_mails()]
    assert len(set(ids)) == len(ids)
    written = Counter((mail.point, mail.text) for mail in all_mails())
    assert max(written.values()) == 1


@pytest.mark.parametrize("folder", FOLDERS)
def test_there_are_as_many_as_promised_in_each_language(folder: str) -> None:
    counts = Counter(mail.language for mail in mails(folder))
    assert counts.total() >= COUNTS[folder]
    assert not {code: n for code, n in LANGUAGES[folder].items() if counts[code] < n}


@pytest.mark.parametrize("folder", FOLDERS)
def test_mails_are_split_by_hash_into_two_halves(folder: str) -> None:
    halves = seen(mails(folder)), unseen(mails(folder))
    assert sum(map(len, halves)) == len(mails(folder))
    assert min(map(len, halves)) > 0.4 * len(mails(folder))


def test_no_doubt_is_ever_played_and_talk_always_is() -> None:
    assert Verdict.PLAY not in {mail.verdict for mail in mails("doubts")}
    assert {mail.verdict for mail in mails("talk")} == {Verdict.PLAY}


def test_doubts_stand_in_every_place_in_every_language() -> None:
    found = Counter((mail.language, mail.place) for mail in mails("doubts"))
    assert {mail.kind for mail in mails("doubts")} == KINDS
    assert {key for key, n in found.items() if n >= 5} == {
        (language, place) for language in LANGUAGES["doubts"] for place in PLACES
    }
