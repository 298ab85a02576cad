"""What stands beside orders: doubts in every place and language are asked about, harmless remarks are not."""

import random
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from emails.languages.supported_languages import FOLDERS
from emails.replies.remarks import RemarkWords, remark_words
from tests.breadth import by_run
from tests.emails.replies import clerk
from tests.emails.replies.consequences import Outcome, game_letter, outcome
from tests.emails.replies.desk import mail, plays
from tests.emails.replies.desk import said_alone as said
from tests.emails.replies.fit_remarks import CHOSEN, PENALTIES, REMARKS, fit, read_examples
from tests.emails.replies.shapes import CORPUS
from tests.emails.replies.test_phrases import PLACES

MADE = tomllib.loads((CORPUS / "made.toml").read_text("utf-8"))
SPOTS = ("above", "line", "below", "blank", "name", "mark", "after")


@dataclass(frozen=True, slots=True)
class MadeMail:
    """A mail and what may come of it."""

    text: str
    orders: tuple[str, ...]
    doubted: bool


def make_mail(dice: random.Random) -> MadeMail:
    orders = tuple(dice.choice(MADE["orders"]))
    lines = [dice.choice(MADE["spellings"][order]) for order in orders]
    doubted = dice.random() < 0.8
    pieces = [_doubt(dice)] if doubted else []
    while dice.random() < 0.4:
        pieces.insert(dice.randrange(len(pieces) + 1), _kind(dice))
    for piece in pieces:
        _place(lines, piece, dice)
    return MadeMail("\n".join(lines), orders, doubted)


def _pick(kind: str, dice: random.Random) -> list[str]:
    return dice.choice([piece.strip() for piece in MADE[kind].split(";")]).split()


def _kind(dice: random.Random) -> str:
    return " ".join(_pick("kind", dice)) + dice.choice(("", ".", "!", " :-)"))


def _doubt(dice: random.Random) -> str:
    """A doubt, alone or within kind words that are cut."""
    core = _pick("doubts", dice)
    if dice.random() < 0.5:
        around = _pick("kind", dice)
        around = [word for word in around if dice.random() < 0.6]
        at = dice.randrange(len(around) + 1)
        core = [*around[:at], *core, *around[at:]]
    words = " ".join(core)
    words = dice.choice((str, str.lower, str.capitalize, str.upper))(words)
    return words + dice.choice(("", ".", "!", "?", "...", " (?)", " :-)", ", haha"))


def _place(lines: list[str], piece: str, dice: random.Random) -> None:
    match dice.choice(SPOTS):
        case "above":
            lines.insert(0, piece)
        case "line":
            at = dice.randrange(len(lines))
            lines[at] += dice.choice((" ", ", ", ". ", " - ", "; ", " (", "! ")) + piece
        case "below":
            lines.append(piece)
        case "blank":
            lines += ["", piece]
        case "name":
            lines += ["", "Anna", "", piece]
        case "mark":
            lines += ["-- ", piece]
        case "after":
            lines.insert(dice.randrange(len(lines) + 1), piece)


SAID = tomllib.loads((CORPUS / "talk.toml").read_text("utf-8"))
RETRACTIONS, HARMLESS = (SAID[key].strip().splitlines() for key in ("retractions", "harmless"))
MOST_ASKED = 0.2
"""Of harmless remarks: the share of mails in which nothing is played at once."""


@pytest.mark.breadth
@pytest.mark.parametrize("place", PLACES)
def test_no_order_is_played_beside_a_retraction(place: str) -> None:
    texts = [PLACES[place].format(order="draw", said=words) for words in RETRACTIONS]
    assert not [text for text in texts if plays(said(text))]


@pytest.mark.parametrize("place", PLACES)
def test_orders_beside_harmless_talk_are_played(place: str) -> None:
    texts = [PLACES[place].format(order="draw", said=words) for words in HARMLESS]
    asked = [text for text in texts if not plays(said(text))]
    assert len(asked) < 0.05 * len(texts), asked


def played(some: Sequence[clerk.Mail]) -> list[clerk.Mail]:
    """Those of another hand's mails whose orders are played."""
    return [mail for mail in some if plays(said(mail.text, clerk.choices_at(mail.point)))]


def test_no_doubt_of_another_hand_is_played() -> None:
    doubts = clerk.seen("doubts")
    assert len(doubts) > 150
    assert not played(doubts)


def test_at_most_a_fifth_of_the_harmless_talk_of_another_hand_is_asked_about() -> None:
    talk = clerk.seen("talk")
    assert len(talk) > 150
    assert len(talk) - len(played(talk)) <= MOST_ASKED * len(talk)


@pytest.mark.parametrize(("count", "seed"), by_run([(60, 1)], [(2_000, 2)], [(50_000, 3)]))
def test_made_mails_play_nothing_that_is_doubted(count: int, seed: int) -> None:
    dice = random.Random(seed)
    played = 0
    for _ in range(count):
        made = make_mail(dice)
        done = outcome(mail(made.text), "actions").done
        assert not done or (not made.doubted and done == made.orders), made.text
        played += bool(done)
    assert played > count // 20


@pytest.mark.long
@pytest.mark.parametrize("own", remark_words(), ids=FOLDERS)
def test_the_stored_weights_are_those_of_the_asides(own: RemarkWords, request: pytest.FixtureRequest) -> None:
    stored = {REMARKS: own.weights, CHOSEN: own.choice_weights}
    for name, examples in read_examples(request.node.callspec.id).items():
        assert stored[name] == fit(examples, PENALTIES[name])


def written(words: str) -> Outcome:
    return outcome(mail(words), "actions", game_letter("actions").text)


def test_what_stands_in_the_letter_is_not_his() -> None:
    """His program quotes it without a mark; a correction among it is found all the same."""
    letter = "\n".join(line for line in game_letter("actions").text.splitlines() if "---" not in line)
    assert written(f"draw\n\n{letter}").done == ("draw",)
    assert written(f"draw\n\nno, take horse\n\n{letter}").reply.doubtful
