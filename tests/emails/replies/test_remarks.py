"""What stands beside orders: doubts in every place and language are asked about, harmless remarks are not."""

import random
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from emails.languages.lexicon import lexicon_of
from emails.replies.remarks import may_doubt, remark_words
from engine.actions import ActionRefused
from engine.notation.parser import parse_line
from tests.emails.positions import BOARD
from tests.emails.replies import clerk
from tests.emails.replies.consequences import Outcome, game_letter, outcome
from tests.emails.replies.desk import mail, plays
from tests.emails.replies.desk import said_alone as said
from tests.emails.replies.shapes import CORPUS
from tests.spoken import parse

MADE: dict[str, str] = tomllib.loads((CORPUS / "made.toml").read_text("utf-8"))
ORDERS = (
    ("draw",),
    ("take horse",),
    ("occupy Harmozia",),
    ("draw", "take horse"),
    ("take horse", "draw"),
    ("end",),
    ("levy soldier",),
    ("occupy Perinthus+Sestos+Troy",),
)
SPELLINGS = {
    "draw": ("draw", "Draw.", "trek", "trek een kaart", "draw please"),
    "take horse": ("take horse", "Take the horse", "neem paard", "neem het paard, aub"),
    "occupy Harmozia": ("occupy Harmozia", "bezet Harmozia"),
    "end": ("end", "klaar"),
    "levy soldier": ("levy soldier", "hef belasting met soldaat"),
    "occupy Perinthus+Sestos+Troy": ("occupy Perinthus+Sestos+Troy",),
}
SPOTS = ("above", "line", "below", "blank", "name", "mark", "after")


@dataclass(frozen=True, slots=True)
class MadeMail:
    """A mail and what may come of it."""

    text: str
    orders: tuple[str, ...]
    doubted: bool
    """Whether nothing of it may be played."""

    @property
    def raw(self) -> bytes:
        """The mail as it comes in."""
        head = "From: Anna <anna@example.org>\r\nContent-Type: text/plain; charset=utf-8"
        return f"{head}\r\n\r\n{self.text}".encode()


def make_mail(dice: random.Random) -> MadeMail:
    """A mail by chance."""
    orders = dice.choice(ORDERS)
    lines = [dice.choice(SPELLINGS[order]) for order in orders]
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


SAID: dict[str, str] = tomllib.loads((CORPUS / "talk.toml").read_text("utf-8"))
RETRACTIONS, HARMLESS = (SAID[key].strip().splitlines() for key in ("retractions", "harmless"))
MOST_ASKED = 0.2
"""Of harmless remarks: the share of mails in which nothing is played at once."""
PLACES = {
    "below": "{order}\n{said}",
    "after a blank line": "{order}\n\n{said}",
    "below the name": "{order}\n\nAnna\n\n{said}",
    "after the mark of a signature": "{order}\n-- \nAnna\n{said}",
    "below what is quoted": "{order}\n\nOn 3 Nov 2026 Ben wrote:\n> hello\n\n{said}",
    "above": "{said}\n{order}",
    "above a blank line": "{said}\n\n{order}",
}


@pytest.mark.breadth
@pytest.mark.parametrize("place", PLACES)
def test_no_order_is_played_beside_a_retraction(place: str) -> None:
    texts = [PLACES[place].format(order="draw", said=words) for words in RETRACTIONS]
    assert not [text for text in texts if plays(said(text))]


DOUBTS = """
Don't. | Won't. | Can't. | Didn\u2019t. | DON'T. | Not M. | Wait, t. 020-1234567 | Don't. www.example.org
| Thanks? | Best (?) | Veto | Negative | Negative. | Negatief | nicht | Nicht so | I'll get back to you
| We will come back to this | To be continued | More to follow | Sleeping on it | Wordt vervolgd
| Ik slaap er nog een nachtje over | Disclaimer: do not play the lyre after all
"""
FOOTERS = """
T. 020-1234567 | M: +31 6 1234 5678 | Tel. 020 123 45 67, www.example.org | E. anna@example.org
| Jansen BV, t. 020-1234567 | Hi all, | Thanks! | Best regards, Anna | Groetjes
| Fax: 020-1234567 | CONFIDENTIAL: for the addressee only.
| If you are not the intended recipient, please delete this message.
"""


@pytest.mark.parametrize("place", PLACES)
def test_no_text_that_doubts_is_a_footer_a_greeting_or_a_signature(place: str) -> None:
    doubted, plain = (
        [PLACES[place].format(order="draw", said=one.strip()) for one in some.split("|")]
        for some in (DOUBTS, FOOTERS)
    )
    assert not [text for text in doubted if plays(said(text))]
    assert not [text for text in plain if not plays(said(text))]


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


def test_no_doubtful_word_is_friendly_alone() -> None:
    for own in remark_words():
        assert not [phrase for phrase in own.friendly if len(phrase) == 1 and may_doubt(phrase[0])]


def check_made_mails(count: int, seed: int) -> None:
    dice = random.Random(seed)
    played = 0
    for _ in range(count):
        made = make_mail(dice)
        done = outcome(made.raw, "actions").done
        assert not done or (not made.doubted and done == made.orders), made.text
        played += bool(done)
    assert played > count // 20


def test_some_made_mails_play_nothing_that_is_doubted() -> None:
    check_made_mails(60, 1)


@pytest.mark.breadth
def test_two_thousand_made_mails_play_nothing_that_is_doubted() -> None:
    check_made_mails(2_000, 2)


@pytest.mark.long
def test_fifty_thousand_made_mails_play_nothing_that_is_doubted() -> None:
    check_made_mails(50_000, 3)


def test_a_wrapped_line_of_thoughts_is_one() -> None:
    assert plays(
        said("draw\n\nIt was a long day at work and we all had dinner in the garden with the\nneighbours.")
    )


HEADERS = "From: Alexandros <play@example.org>\nDate: Tue, 3 Nov 2026\nSubject: Your turn"


def test_an_order_under_copied_headers_and_a_quotation_is_played() -> None:
    assert plays(said(f"{HEADERS}\n\n> You are to choose a card.\n> What now?\n\ndraw\n"))


def written(words: str) -> Outcome:
    return outcome(mail(words), "actions", game_letter("actions").text)


def test_what_stands_in_the_letter_is_not_his() -> None:
    """His program quotes it without a mark; a correction among it is found all the same."""
    letter = "\n".join(line for line in game_letter("actions").text.splitlines() if "---" not in line)
    assert written(f"draw\n\n{letter}").done == ("draw",)
    assert written(f"draw\n\nno, take horse\n\n{letter}").reply.doubtful


def test_the_writer_hears_what_is_in_doubt() -> None:
    assert "but the horse first" in written("draw\n\nNice, Ben.\n\nbut the horse first").reply.reason
    assert "“?”" in written("draw\n?").reply.reason


def test_a_province_is_taken_only_from_who_is_named() -> None:
    (order,) = parse_line("I'm taking Perinthus off Anna", BOARD, {}, lexicon_of("en").orders).orders
    assert (order.verb, order.holder) == ("takeover", "anna")


def test_headers_that_have_run_into_a_rule_are_no_words_of_their_reader() -> None:
    assert plays(said("draw\n-----Von: Alexandros\nBetreff: Friday\n\nIt is your turn."))


def test_what_stands_below_marked_lines_under_a_rule_is_found() -> None:
    found = said("-----Original Message-----\n> It is your turn.\n> a) draw\n\ntake horse\n")
    assert [line.words for line in found.orders] == ["take horse"]


def test_one_card_is_all_that_is_played_where_one_card_is_all_that_is_said() -> None:
    for words in ("horse", "play the temple"):
        (line,) = said(words).orders
        assert len(line.orders) == 1
        assert line.orders[0].verb != "march"


@pytest.mark.parametrize("text", ["take horse and a card", "take horse, a card", "neem paard en een kaart"])
def test_one_more_card_that_is_not_named_is_drawn_and_not_passed_over(text: str) -> None:
    assert parse(text, BOARD) == parse("take horse; draw", BOARD)
    assert parse("take the horse card", BOARD) == parse("take horse", BOARD)


@pytest.mark.parametrize("text", ["occupy Aegae and a card", "bezet Aegae en een kaart"])
def test_one_more_card_behind_guards_may_be_what_is_paid_and_is_asked_about(text: str) -> None:
    with pytest.raises(ActionRefused):
        parse(text, BOARD)


@pytest.mark.parametrize("sign", ["(?)", "...?", "?!", "?", "...", "\N{THINKING FACE}"])
def test_a_sign_between_semicolons_asks(sign: str) -> None:
    assert not plays(said(f"draw; {sign}"))
    assert not plays(said(f"draw; {sign}; end"))
    assert plays(said("draw; ; end"))
