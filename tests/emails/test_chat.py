"""What players tell one another in replies: found in any program's quoting, never an order, said once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails import bodies
from emails.chat import Remark, is_chat, parted, remark
from emails.replies import read_reply
from tests.emails.test_replies import EXPECTED, LETTER, MAILS, NAMES, is_command, mail, quoted, said

ENGLISH = "say: well marched; I did not see that"
DUTCH = "vertel Ben: mooie muur, hoor; trek nog maar een kaart"
OLD = "say: these are old words of mine"

# --- in mails as programs send them ---------------------------------------------------------------------


def with_chat(name: str, line: str) -> bytes:
    """A sample mail whose first order is a line of chat instead; unchanged where it is encoded."""
    order = re.escape(EXPECTED[name]["lines"][0].encode())
    raw = (MAILS / f"{name}.eml").read_bytes()
    return re.sub(rb"(?<=[>\n])" + order + rb"(?=[\r\n<])", lambda _: line.encode(), raw)


def plain_samples() -> list[str]:
    readable = [name for name, wanted in EXPECTED.items() if wanted["lines"] and not wanted.get("doubtful")]
    changed = {name: bodies.body(with_chat(name, ENGLISH)) for name in readable}
    return [name for name, body in changed.items() if ENGLISH in (body.text or body.html)]


SAMPLES = plain_samples()


def test_enough_samples_can_carry_chat() -> None:
    assert len(SAMPLES) >= 30


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("line", [ENGLISH, DUTCH])
@pytest.mark.parametrize("sent", [LETTER, None], ids=["with the letter", "without it"])
def test_chat_in_place_of_the_first_order(name: str, line: str, sent: str | None) -> None:
    reply = read_reply(with_chat(name, line), sent, is_command, NAMES)
    assert not reply.doubtful, reply
    first, *others = EXPECTED[name]["lines"]
    assert list(reply.lines) == [line, *(line if other == first else other for other in others)]


GMAIL = f"On Mon, 2 Nov 2026 at 09:58, Alexandros <play@example.org> wrote:\n\n{quoted()}"
OUTLOOK = f"________________________________\nFrom: Alexandros\nSent: Monday\nTo: Anna\n\n{LETTER}"
DUTCH_OUTLOOK = f"Van: Alexandros\nVerzonden: maandag\nAan: Anna\n\n{LETTER}"
PHONE = f"Verstuurd vanaf mijn iPhone\n\nOp 2 nov 2026 om 09:58 schreef Alexandros:\n\n{quoted()}"


@pytest.mark.parametrize("under", ["", GMAIL, OUTLOOK, DUTCH_OUTLOOK, PHONE, f"-- \nAnna\n{GMAIL}"])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (ENGLISH, [ENGLISH]),
        (DUTCH, [DUTCH]),
        (f"{ENGLISH}\ndraw", [ENGLISH, "draw"]),
        (f"draw\n{DUTCH}\ntake lyre", ["draw", DUTCH, "take lyre"]),
        (f"draw; take lyre\n\n{ENGLISH}", ["draw", "take lyre", ENGLISH]),
        (f"draw; {ENGLISH}; and more", ["draw", f"{ENGLISH}; and more"]),
        (f"Hoi,\n\n{DUTCH}\n\nGroetjes,\nAnna", [DUTCH]),
        ("tell Ben: thanks\nsay: hi", ["tell Ben: thanks", "say: hi"]),
        ("Zeg : draw\nSAY: end", ["Zeg : draw", "SAY: end"]),
    ],
)
def test_chat_stands_before_between_and_after_orders(text: str, lines: list[str], under: str) -> None:
    reply = said(f"{text}\n\n{under}")
    assert list(reply.lines) == lines
    assert not reply.doubtful, reply.why


def test_a_wrapped_line_is_whole_again() -> None:
    words = "zeg: ik ben de hele week op reis en heb daar geen bereik, dus wacht maar niet op mij; tot zondag"
    at = words.index("maar")
    assert said(f"draw\n{words[: at - 1]}\n{words[at:]}\ntake lyre").lines == ("draw", words, "take lyre")


def test_a_short_line_does_not_swallow_the_next() -> None:
    misspelt = said("say: the north is yours, I shall go on to the south now\ndarw")
    assert misspelt.lines == ("say: the north is yours, I shall go on to the south now", "darw")


def test_words_may_begin_on_the_line_below() -> None:
    assert said("tell Ben:\nthat was unkind\n\ndraw").lines == ("tell Ben: that was unkind", "draw")


def test_long_words_in_one_line_are_kept_whole_up_to_the_cap() -> None:
    words = "say: " + "word " * 119 + "end"
    assert said(words).lines == (words,)
    assert said("say: " + "word " * 200).lines[0].endswith("…")


# --- what was said before is never said again -----------------------------------------------------------


@pytest.mark.parametrize("line", [OLD, "zeg: oude woorden", "tell Ben: old words", "Ben: draw"])
@pytest.mark.parametrize(
    "style",
    [
        "On Mon, 2 Nov 2026 at 09:58, Anna <anna@example.org> wrote:\n> {}\n",
        "Op ma 2 nov 2026 om 09:58 schreef Anna <anna@example.org>:\n> {}\n> > {}\n",
        "> {}\n",
        "| {}\n",
        "-----Original Message-----\nFrom: Anna\nSent: Monday\n\n{}\n",
        "Van: Anna\nVerzonden: maandag\nAan: Alexandros\n\n{}\n",
        "________________________________\n{}\n",
        "--- Write above this line ---\n{}\n",
        "-- \nAnna\n{}\n",
    ],
)
def test_what_is_quoted_is_not_said_again(style: str, line: str) -> None:
    under = style.replace("{}", line)
    assert said(f"draw\n\n{under}").lines == ("draw",)
    assert said(f"say: new\n\n{under}").lines == ("say: new",)
    assert said(under).lines == ()


@pytest.mark.parametrize(
    "around",
    ["<blockquote>{}</blockquote>", "<div class=gmail_quote>{}</div>", "<hr><div id=divRplyFwdMsg>{}"],
)
def test_what_is_quoted_in_html_is_not_said_again(around: str) -> None:
    old = around.format(f"<p>{OLD}</p>")
    assert said(f"<p>draw</p>{old}", "html").lines in (("draw",), ())
    assert OLD not in said(f"<p>say: new</p>{old}", "html").lines


def test_where_the_two_readings_differ_nothing_is_said() -> None:
    reply = said(f"draw\n\n> What now?\n\n{OLD}\n")
    assert reply.doubtful
    assert said(f"draw\n\nWhat a day.\n\n{OLD}\n").doubtful


def test_our_own_letters_never_hold_a_line_of_chat() -> None:
    assert not [line for line in LETTER.splitlines() if is_chat(line)]


# --- what a line says -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("say: hello; you: all", Remark(None, "", "hello; you: all")),
        ("zeg:hallo", Remark(None, "", "hallo")),
        ("say: Ben: well done", Remark(None, "", "Ben: well done")),
        ("tell Ben: hello", Remark(1, "", "hello")),
        ("Vertel aan BEN : hallo", Remark(1, "", "hallo")),
        ("zeg tegen ben: hallo", Remark(1, "", "hallo")),
        ("tell “Ben”: hello", Remark(1, "", "hello")),
        ("tell Bén: hello", Remark(1, "", "hello")),
        ("tell Mary Ann: hello", Remark(3, "", "hello")),
        ("tell Q: the elder: hello: you", Remark(2, "", "hello: you")),
        ("tell everybody: hello", Remark(None, "", "hello")),
        ("vertel iedereen: hallo", Remark(None, "", "hallo")),
        ("tell Bob: Ben: hello", Remark(None, "Bob", "Ben: hello")),
        ("say:", Remark(None, "", "")),
    ],
)
def test_for_whom_it_is_and_what_is_said(line: str, wanted: Remark) -> None:
    assert is_chat(line)
    assert remark(line, ["Anna", "Ben", "Q: the elder", "Mary Ann"]) == wanted


def test_a_name_that_several_have_nearly_is_nobodys_unless_it_is_exact() -> None:
    assert remark("tell Rene: x", ["Rene", "René"]) == Remark(0, "", "x")
    assert remark("tell rené!: x", ["Rene", "René"]) == Remark(None, "rené!", "x")


@pytest.mark.parametrize("line", ["say", "say hello", "tell: x", "saying: x", "draw", "tell Ben hello", ""])
def test_what_is_no_chat(line: str) -> None:
    assert not is_chat(line)


def test_lines_are_parted() -> None:
    assert parted(["draw", "say: x", "take lyre"]) == (("draw", "take lyre"), ("say: x",))


@given(st.sampled_from(["say:", "zeg: ", "tell Anna: ", "vertel x:"]), st.text(max_size=80))
def test_any_words_are_chat_and_nothing_else(verb: str, words: str) -> None:
    line = verb + " ".join(words.split())
    assert is_chat(line)
    assert remark(line, NAMES).words in line


@given(st.text(alphabet="drawsy:;> \nten lANB", max_size=120))
def test_no_order_is_made_of_what_is_said(text: str) -> None:
    reply = read_reply(mail(f"say: {text}"), LETTER, is_command, NAMES)
    below = text.partition("\n")[2]
    orders, _ = parted(reply.lines)
    assert all(order.split()[0] in below for order in orders)
