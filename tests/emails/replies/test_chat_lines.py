"""What players tell one another in replies: found in any program's quoting, never an order, said once."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.replies.parsed_mail import parse_mail
from emails.replies.reply_reader import read_reply
from tests.bounded import quickest
from tests.breadth import first
from tests.emails.positions import BOARD
from tests.emails.replies.consequences import files
from tests.emails.replies.desk import GAME, LETTER, NAMES, mail, said
from tests.spoken import find_swallowed_order, is_chat, parse_chat_line

ENGLISH = "say: well marched; I did not see that"
DUTCH = "vertel Ben: mooie muur, hoor; trek nog maar een kaart"
OLD = "say: these are old words of mine"

# --- in mails as programs send them ---------------------------------------------------------------------


READABLE = {case.name: case for case in files() if case.lines and not case.doubtful}
UNMARKED = frozenset(case.name for case in files() if case.doubtful_alone)
"""Under their words the letter stands like words of their own: without it nobody can tell."""


def with_chat(name: str, line: str) -> bytes:
    """A sample mail whose first order is a line of chat instead; unchanged where it is encoded."""
    case = READABLE[name]
    order = re.escape(case.lines[0].encode())
    return re.sub(rb"(?<=[>\n])" + order + rb"(?=[\r\n<])", lambda _: line.encode(), case.raw)


def plain_samples() -> list[str]:
    changed = {name: parse_mail(with_chat(name, ENGLISH)).body for name in READABLE}
    return [name for name, body in changed.items() if ENGLISH in (body.text or body.html)]


SAMPLES = plain_samples()


def test_enough_samples_can_carry_chat() -> None:
    assert len(SAMPLES) >= 30


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    ("line", "sent"), first(2, [(ENGLISH, LETTER), (DUTCH, None), (DUTCH, LETTER), (ENGLISH, None)])
)
def test_chat_in_place_of_the_first_order(name: str, line: str, sent: str | None) -> None:
    reply = read_reply(parse_mail(with_chat(name, line)), GAME, sent, NAMES)
    assert reply.doubtful == (sent is None and name in UNMARKED), reply
    first, *others = READABLE[name].lines
    assert list(reply.lines) == [line, *(line if other == first else other for other in others)]


def test_a_wrapped_line_is_whole_again() -> None:
    words = "zeg: ik ben de hele week op reis en heb daar geen bereik, dus wacht maar niet op mij; tot zondag"
    at = words.index("maar")
    assert said(f"draw\n{words[: at - 1]}\n{words[at:]}\ntake lyre").lines == ("draw", words, "take lyre")


def test_a_short_line_does_not_swallow_the_next() -> None:
    misspelt = said("say: the north is yours, I shall go on to the south now\ndarw")
    assert misspelt.lines == ("say: the north is yours, I shall go on to the south now", "darw")


def test_an_order_that_may_be_the_end_of_a_wrapped_message_is_asked_about() -> None:
    talk = "say: I do not know what else there is to do for me here, so I would just"
    wrapped = said(f"{talk}\ndraw")
    assert wrapped.doubtful
    assert "“draw”" in wrapped.reason
    assert said(
        f"{talk} do it\nor not: I may very well also do something else in the end, such as\ndraw"
    ).doubtful
    assert said(f"{talk}\n\ndraw").lines == (talk, "draw")
    assert said("say: well played\ndraw").lines == ("say: well played", "draw")
    assert not said("say: well played\ndraw").doubtful


def test_only_a_line_that_a_program_has_wrapped_goes_on() -> None:
    """What stands under a long line may be a misspelt order, which must be refused and not be said."""
    wrapped = "say: the north is yours from now on, and so I shall go on to the south\nof the river, I think"
    assert said(f"{wrapped}\ndarw").lines == (wrapped.replace("\n", " "), "darw")
    whole = wrapped.replace("\n", " ")
    assert said(f"{whole}\ndarw").lines == (whole, "darw")


def test_words_may_begin_on_the_line_below() -> None:
    assert said("tell Ben:\nthat was unkind\n\ndraw").lines == ("tell Ben: that was unkind", "draw")


def test_long_words_in_one_line_are_kept_whole_up_to_the_cap() -> None:
    words = "say: " + "word " * 119 + "end"
    assert said(words).lines == (words,)
    assert said("say: " + "word " * 200).lines[0].endswith("…")


# --- what was said before is never said again -----------------------------------------------------------


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


@pytest.mark.parametrize("line", ["say", "say hello", "tell: x", "saying: x", "draw", "tell Ben hello", ""])
def test_what_is_no_chat(line: str) -> None:
    assert not is_chat(line)


# --- orders and other words in a line of chat -----------------------------------------------------------


def test_what_a_program_has_wrapped_is_judged_as_a_whole() -> None:
    line = "zeg: veel succes met je provincies in het noorden en tot volgende week; marcheer Larissa A3-B4"
    at = line.index("Larissa")
    (found,) = said(f"{line[: at - 1]}\n{line[at:]}").lines
    assert found == line
    assert find_swallowed_order(found, BOARD) == "marcheer Larissa A3-B4"
    flow = b"Content-Type: text/plain; format=flowed\r\n\r\nzeg: hallo; \r\ntrek een \r\nkaart\r\n"
    (found,) = read_reply(parse_mail(flow), GAME, LETTER, NAMES).lines
    assert find_swallowed_order(found, BOARD) == "trek een kaart"
    (found,) = said("<p>say: hello;<br>\n</p><p>tell Ben: hi;\ndraw</p>", "html").lines[1:]
    assert find_swallowed_order(found, BOARD) == "draw"


def test_many_pieces_are_too_many_and_take_a_bounded_time() -> None:
    assert find_swallowed_order("say: hm" + "; so" * 20, BOARD) is None
    assert find_swallowed_order("say: hm" + "; so" * 21, BOARD) == "so"
    assert find_swallowed_order("say: ;;;;;;;;;;;;;;;;;;;;;;;;;-)", BOARD) is None
    reply = said(("say: " + "go larisx;" * 69 + "\n") * 20)
    assert len("".join(reply.lines)) > 11_000
    assert quickest(lambda: [find_swallowed_order(line, BOARD) for line in reply.lines]) < 0.3


@given(st.sampled_from(["say:", "zeg: ", "tell Anna: ", "vertel x:"]), st.text(max_size=80))
def test_any_words_are_chat_and_nothing_else(verb: str, words: str) -> None:
    line = verb + " ".join(words.split())
    assert is_chat(line)
    assert parse_chat_line(line, NAMES).words in line


@given(st.text(alphabet="drawsy:;> \nten lANB", max_size=120))
def test_no_order_is_made_of_what_is_said(text: str) -> None:
    reply = read_reply(parse_mail(mail(f"say: {text}")), GAME, LETTER, NAMES)
    below = text.partition("\n")[2]
    assert all(line.split()[0] in below for line in reply.lines if not is_chat(line))
