"""What stands beside orders: doubts in every place and language are asked about, harmless remarks are not."""

import random
import tomllib
from collections.abc import Sequence

import pytest

from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import parse_mail
from emails.replies.remarks import may_doubt, remark_words
from emails.replies.reply_reader import Message, read_reply
from emails.wording.requests import REQUESTS_TO_ALL
from tests.clerk.corpus import Mail, board, mails, points, seen
from tests.emails.replies.consequences import outcome
from tests.emails.replies.made_mails import make_mail
from tests.emails.replies.shapes import CORPUS

NAMES = ("Anna", "Ben", "Cleo", "Dirk")
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


def said(text: str, choices: dict[str, str] | None = None) -> Message:
    raw = f"From: Anna <anna@example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}"
    return read_reply(parse_mail(raw.encode()), GameGrammar(board(), choices or {}), None, NAMES)


def plays(message: Message) -> bool:
    """Whether what a mail orders is played if it can be: not beside what is asked of all who play."""
    if message.doubtful or any(one.kind in REQUESTS_TO_ALL for one in message.requests):
        return False
    return bool(message.orders) and all(not one.refusal for one in message.orders)


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


@pytest.mark.parametrize("sign", ["(?)", "...?", "?!", "?", "...", "\N{THINKING FACE}"])
def test_a_sign_between_semicolons_asks(sign: str) -> None:
    assert not plays(said(f"draw; {sign}"))
    assert not plays(said(f"draw; {sign}; end"))
    assert plays(said("draw; ; end"))


@pytest.mark.parametrize("place", PLACES)
def test_orders_beside_harmless_talk_are_played(place: str) -> None:
    texts = [PLACES[place].format(order="draw", said=words) for words in HARMLESS]
    asked = [text for text in texts if not plays(said(text))]
    assert len(asked) < 0.05 * len(texts), asked


def written(some: Sequence[Mail]) -> list[Mail]:
    """Those of another hand's mails whose orders are played."""
    choices = {
        point.id: {key: "; ".join(of) for key, of in point.choices.items()} for point in points().values()
    }
    return [mail for mail in some if plays(said(mail.text, choices[mail.point]))]


def test_no_doubt_of_another_hand_is_played() -> None:
    doubts = seen(mails("doubts"))
    assert len(doubts) > 150
    assert not written(doubts)


def test_at_most_a_fifth_of_the_harmless_talk_of_another_hand_is_asked_about() -> None:
    talk = seen(mails("talk"))
    assert len(talk) > 150
    assert len(talk) - len(written(talk)) <= MOST_ASKED * len(talk)


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


@pytest.mark.parametrize("sign", ["?", "??", "(?)", "...", "/", "?!"])
def test_a_sign_alone_asks(sign: str) -> None:
    assert not plays(said(f"draw\n{sign}"))
    assert not plays(said(f"draw {sign}"))


def test_a_wrapped_line_of_thoughts_is_one() -> None:
    assert plays(
        said("draw\n\nIt was a long day at work and we all had dinner in the garden with the\nneighbours.")
    )


HEADERS = "From: Alexandros <play@example.org>\nDate: Tue, 3 Nov 2026\nSubject: Your turn"


def test_an_order_under_copied_headers_and_a_quotation_is_played() -> None:
    assert plays(said(f"{HEADERS}\n\n> You are to choose a card.\n> What now?\n\ndraw\n"))


@pytest.mark.parametrize(
    "label", ["Sensitivity: Internal", "Label: C1 - Internal use", "Gevoeligheid: intern"]
)
def test_the_label_of_a_company_doubts_nothing(label: str) -> None:
    assert plays(said(f"{label}\n\ndraw"))
    assert plays(said(f"draw\n\n{label}"))
    assert not plays(said(f"{label} draw nothing\n\ndraw"))


@pytest.mark.parametrize("line", ["Napisano z telefonu", "Skickat från min telefon", "Inviato dal cellulare"])
def test_a_telephone_signs_in_any_language(line: str) -> None:
    assert plays(said(f"draw\n{line}"))
    assert not plays(said(f"draw\n{line}, nein"))
