"""Replies as people write them, and as nobody should: which lines are read as commands."""

import re
from base64 import encodebytes
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.languages.supported_languages import REPLY_MARKERS
from emails.replies import parsed_mail
from emails.replies.parsed_mail import Mail, join_flowed_lines
from emails.replies.reply_reader import extract_commands
from emails.tokens import mask_tokens
from engine.actions import Unreadable
from tests.bounded import quickest
from tests.breadth import first
from tests.emails.positions import BOARD
from tests.emails.replies.consequences import files
from tests.emails.replies.desk import ANNA, GAME, LETTER, NAMES, mail, quoted, read, said
from tests.spoken import find_swallowed_order, is_chat, parse, parse_chat_line


def is_command(line: str) -> bool:
    """As the game judges: whether its grammar takes the line."""
    try:
        parse(line, BOARD)
    except Unreadable:
        return False
    return True


def test_a_line_over_the_cap_never_loses_its_end_unnoticed() -> None:
    assert not is_command(said("draw" + " " * 900 + "x").lines[0])
    assert not is_command(said("levy " + "a " * 500).lines[0])


def test_a_text_over_the_cap_is_doubtful() -> None:
    assert said("draw\n" * 250).doubtful
    assert not said("draw\n\nOn 3 Nov Ben wrote:\n" + quoted() * 50).doubtful


@pytest.mark.parametrize("mark", ["A> ", "Alex> ", "|", " | ", "AB>> "])
def test_other_marks_of_a_quotation_are_known(mark: str) -> None:
    old = "".join(f"{mark}{line}\n" for line in ("end", *LETTER.splitlines()))
    assert said(f"draw\n\nOn 3 Nov Ben wrote:\n{old}").lines == ("draw",)
    assert said(f"On 3 Nov Ben wrote:\n{old}\ndraw\n").lines == ("draw",)


TIMED = ("say Ben: see you at 20:15", "say Cleo: attack me not", "say Dirk: hello")


@pytest.mark.parametrize("below", ["", "\n" + quoted(), "Alexandros wrote:\n\n" + quoted()])
@pytest.mark.parametrize(
    "lines",
    [
        TIMED,
        TIMED[:2],
        ("say: mail me at ben@example.org", *TIMED),
        ("say: I have 20:15 free", "plan: draw; draw", "away: 2026-03-05"),
        ("zeg: om 20:15", "vertel Ben: nee", "weg: 2026-03-05"),
    ],
)
def test_lines_of_chat_and_plans_are_no_copied_headers(lines: tuple[str, ...], below: str) -> None:
    assert said("\n".join(lines) + "\n" + below).lines == lines


@pytest.mark.parametrize(
    "last", ["say: hello", "note: I go", "note: I go\nps: bye", "say: hello\nsay Ben: at 20:15"]
)
def test_a_line_after_dashes_is_kept(last: str) -> None:
    message = said(f"draw; draw\n---- {last}\n")
    assert f"---- {last}".splitlines()[0] in (*message.lines, *message.rest)


# --- what a mail is made of -----------------------------------------------------------------------------


def test_soft_breaks_are_joined_and_hard_ones_kept() -> None:
    """RFC 3676: a blank at the end, the same depth, never across the mark of a signature."""
    assert join_flowed_lines("a \nb\nc") == "a b\nc"
    assert join_flowed_lines(">a \n>b\n>> c \nd") == "> a b\n>> c \nd"
    assert join_flowed_lines("a \n-- \nb") == "a \n-- \nb"
    assert join_flowed_lines(" >a\n  b") == ">a\n b"
    assert join_flowed_lines("lar \nissa", delsp=True) == "larissa"


@pytest.mark.parametrize(
    "charset", ["utf-8", "latin-1", "x-nothing", "zlib", "punycode", "idna", "", "a\0b", "utf-16"]
)
def test_any_charset_is_read_somehow(charset: str) -> None:
    head = f"Content-Type: text/plain; charset={charset}\r\n\r\n".encode("latin-1")
    assert Mail(head + "Grüße".encode("latin-1")).body.text
    if charset != "utf-16":
        assert read(head + b"draw\r\n").lines == ("draw",)


def test_no_charset_gives_signs_that_no_database_takes() -> None:
    """UTF-7 can name the half of a character; it is told as what it is, an order that nobody knows."""
    head = b"Content-Type: text/plain; charset=utf-7\r\n\r\n"
    assert Mail(head + b"occupy +2AA-").body.text == "occupy \ufffd"
    assert read(head + b"occupy +2AA-\r\n").lines == ("occupy \ufffd",)
    assert Mail(b"\r\nd\0raw").body.text == "draw"


def test_html_is_read_without_what_it_quotes() -> None:
    text = parsed_mail.extract_text("<p>draw</p><blockquote>take lyre</blockquote><p>end</p>")
    assert text.split() == ["draw", ">", "end"]


def in_both(text: str, page: bytes) -> bytes:
    """A mail with a text part and an HTML part."""
    head = b"From: Anna <anna@example.org>\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n"
    parts = ((b"plain", text.encode()), (b"html", page))
    body = b"".join(b"--b\r\nContent-Type: text/%s; charset=utf-8\r\n\r\n%s\r\n" % part for part in parts)
    return head + body + b"--b--\r\n"


SHOWS_NO_HTML = "This mail can only be shown by a program that shows HTML."
ORDERS_ON_A_PAGE = b"<html><body><p>draw; draw</p></body></html>"


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        (SHOWS_NO_HTML, False),
        ("Hi all,", False),
        ("Please wait, do not play yet: I am not sure.", True),
        ("Never mind, I need another day to think.", True),
    ],
)
def test_html_beside_a_text_that_may_deny_it_is_doubtful(text: str, doubtful: bool) -> None:
    message = read(in_both(text, ORDERS_ON_A_PAGE), LETTER)
    assert (message.lines, message.doubtful) == (("draw", "draw"), doubtful)


@pytest.mark.parametrize("damage", [b"</blockquote><p>x</p>", b"<p>\xff\xfe\xa0</p>"])
def test_damaged_html_beside_a_text_is_doubtful(damage: bytes) -> None:
    page = ORDERS_ON_A_PAGE.replace(b"</body>", damage + b"</body>")
    assert read(in_both(SHOWS_NO_HTML, page), LETTER).doubtful
    assert read(in_both("draw; draw", page), LETTER).doubtful is False


@pytest.mark.parametrize("orders", ["draw; draw\n", "draw; draw\nx\n"])
@pytest.mark.parametrize("footer", ["Footer", "list", "-- \r\nlist\r\nhttp://x.example/", "This is a list."])
def test_a_plain_footer_below_base64_is_no_part_of_it(orders: str, footer: str) -> None:
    head = f"From: Anna <{ANNA}>\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    encoded = encodebytes(orders.encode()).decode()
    message = read(f"{head}{encoded}\r\n{footer}\r\n".encode(), LETTER)
    assert (message.lines, message.doubtful) == (("draw", "draw"), False)


def test_of_two_texts_in_base64_none_is_lost() -> None:
    head = f"From: Anna <{ANNA}>\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    encoded = encodebytes(b"draw; draw\n").decode()
    assert read(f"{head}{encoded}\r\n{encoded}".encode(), LETTER).doubtful


def test_files_and_mails_within_a_mail_are_not_read() -> None:
    whole = "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    mail_within = "Subject: a\r\n\r\nend"
    parts = ("text/plain; name=x.txt", "end"), ("message/rfc822", mail_within), ("text/plain", "draw")
    for kind, text in parts:
        whole += f"--b\r\nContent-Type: {kind}\r\n\r\n{text}\r\n"
    assert read(f"{whole}--b--\r\n".encode()).lines == ("draw",)


def test_a_mail_of_too_many_parts_is_doubtful() -> None:
    assert read(nested(60).encode()).doubtful
    few = read((nested(5) + "--b0--").encode())
    assert (few.lines, few.doubtful) == (("draw",), False)


def test_a_mail_without_its_end_is_doubtful() -> None:
    head = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ndraw\r\n"
    assert read(head.encode()).doubtful
    assert not read(f"{head}--b--\r\n".encode()).doubtful
    assert not read(f"{head}--b\r\nContent-Type: image/png\r\n\r\n".encode()).doubtful


def test_lines_may_end_in_any_way() -> None:
    whole = mail("draw\r\ntake lyre\r\n\r\n> end\r\n")
    for end in (b"\n", b"\r", b"\r\r\n"):
        assert read(whole.replace(b"\r\n", end)).lines == ("draw", "take lyre")
    soft = mail("").replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
    assert read(soft + b"take=\r lyre\rdraw\r\n").lines == ("take lyre", "draw")


# --- hostile mails --------------------------------------------------------------------------------------


def nested(depth: int) -> str:
    heads = [f"Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n" for n in range(depth)]
    return "".join(heads) + "\r\ndraw\r\n"


HOSTILE_TEXT = [
    *("\n", "\r\n", " ", "-", "-------\n", "x\n-------\n", "_", "> ", ">\n", ";", "draw;", "draw\n", "\0"),
    *("On Tue, Ben wrote:\n", "On Tue Ben\n", "On ", "On wrote:", "On Tue\n\n", "From: x\n", "To:\nx\n\n"),
    *("geschreven wrote " * 20 + ":\n", "<" * 190 + "@" * 190 + "\n", "<a@b " * 60 + "\n", "hi ", "Anna\n"),
    *("take " + "x" * 60 + "\n", "\u200b", "\ufdfa", "a\u0301\u0316", "..>", "* ", "draw " * 4000 + "\n"),
]
HOSTILE_HTML = [
    *("<b>", "<p>x", "<br>", "<td>x", "<table><tr><td>", "<blockquote>x", "<div class=gmail_quote>x", "<!--"),
    *(
        "<div id=appendonsend>x</div>",
        "<div id=appendonsend>x",
        "<![CDATA[",
        "<",
        "<a ",
        '<a b="',
        "&",
        "&#x41;",
    ),
    *("<ul><li>x", "<style>", "<script>x", "<p>On x", "On x ", "</p>", "<?x", "<o:p>x", "<svg><p>x"),
    *('<p style="padding:9999999em">x', "<td colspan=999999 rowspan=999999>x"),
]
HOSTILE_HEADS = [
    *("Content-Type: text/plain; ", 'Content-Type: text/plain; a="', "From: ", "From: " + "(" * 5000),
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; a="',
]


def hostile() -> Iterator[tuple[str, str]]:
    """Pairs: how a mail begins, and what then comes until it has 300 KB; at the end stands a command."""
    plain, page = mail("").decode(), mail("", "html").decode()
    yield from ((plain, piece) for piece in HOSTILE_TEXT)
    yield from ((f"{plain}draw\n\n", piece) for piece in HOSTILE_TEXT)
    yield from ((page, piece) for piece in HOSTILE_HTML)
    yield from ((head, piece) for head in HOSTILE_HEADS for piece in (";", ";\r\n ", "=?utf-8?q?a?= "))
    flow = "Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n"
    yield from ((flow, piece) for piece in ("draw \n", "> x \n", " \n", ">" * 50 + " \n"))
    for depth in (10, 16, 60, 5000):
        yield from ((nested(depth), piece) for piece in ("x", "\r\n", "--b1\r\n\r\n"))
    for kind in ("message/rfc822", "message/delivery-status", "multipart/mixed", "multipart/digest"):
        head = f"Content-Type: {kind}; boundary=b\r\n\r\n"
        yield from ((head, piece) for piece in ("--b\r\n\r\n", "a: b\r\n\r\n", head))
    yield from (("", piece) for piece in ("a:\r\n", "a: b\r\n c\r\n", "\r", "="))
    for coding in ("base64", "quoted-printable", "x-uuencode"):
        head = f"Content-Transfer-Encoding: {coding}\r\n\r\nbegin 644 a\r\n"
        yield from ((head, piece) for piece in ("ZHJhdwo=", "=0A", "=", "M" + "a" * 60 + "\r\n"))
    for charset in ("punycode", "idna", "utf-7", "hz", "iso-2022-jp", "unicode_escape"):
        yield f"Content-Type: text/plain; charset={charset}\r\n\r\n", "abc-9.~{+AAA-"


CASES = list(hostile())


@pytest.mark.parametrize("number", first(len(CASES) // 3, sorted(range(len(CASES)), key=lambda one: one % 3)))
def test_a_hostile_mail_takes_a_bounded_time(number: int) -> None:
    head, piece = CASES[number]
    raw = (head + piece * (300_000 // len(piece.encode())) + "\r\n\r\ndraw\r\n").encode()
    assert quickest(lambda: read(raw, LETTER)) < 2, (head[-80:], piece)


# --- any mails ------------------------------------------------------------------------------------------


@given(st.binary(max_size=300))
def test_any_bytes_are_read(raw: bytes) -> None:
    read(raw)
    read(b"Content-Type: text/html\n\n" + raw)


PIECES = ["draw", "take lyre", "", "> x", "Hi", "x:", "On 3 Nov Ben wrote:", "--", REPLY_MARKERS["en"]]


@given(st.lists(st.sampled_from(PIECES)))
def test_what_is_taken_stands_in_the_mail_in_its_order(lines: list[str]) -> None:
    reply = said("\n".join(lines))
    left = iter(lines)
    assert all(line in left for line in reply.lines)


def test_of_no_lines_none_is_taken() -> None:
    assert not extract_commands((), GAME, GAME.remark_context).found


# --- letters that are kept without their tokens ---------------------------------------------------------


LINK = "To play on instead: http://127.0.0.1:8000/t/abcdefghaaaginqopffl7fl4foysaapjea"
ISOLATED = "Points: \u2068\u05e9\u05e8\u05d4\u2069 12 and you 7, while you have two cards on hand."
"""A line with a name that is written from right to left."""


@pytest.mark.parametrize("line", [LINK, ISOLATED], ids=["link", "isolated"])
def test_a_line_of_the_letter_that_is_copied_without_a_mark_is_known_again(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, kept = mail(f"draw\n\n{line}\n\nAnna"), mask_tokens(f"{LETTER}\n{line}\n")
    assert read(written, LETTER).doubtful
    found = read(written, kept)
    assert (found.lines, found.doubtful) == (("draw",), False)
    monkeypatch.setattr(parsed_mail, "mask_tokens", str)  # at one end alone
    assert read(written, kept).doubtful == (line == LINK)


# --- chat in replies ------------------------------------------------------------------------------------

ENGLISH = "say: well marched; I did not see that"
DUTCH = "vertel Ben: mooie muur, hoor; trek nog maar een kaart"

READABLE = {case.name: case for case in files() if case.lines and not case.doubtful}
UNMARKED = frozenset(case.name for case in files() if case.doubtful_alone)
"""Under their words the letter stands like words of their own: without it nobody can tell."""


def with_chat(name: str, line: str) -> bytes:
    """A sample mail whose first order is a line of chat instead; unchanged where it is encoded."""
    case = READABLE[name]
    order = re.escape(case.lines[0].encode())
    return re.sub(rb"(?<=[>\n])" + order + rb"(?=[\r\n<])", lambda _: line.encode(), case.raw)


CHANGED = {name: Mail(with_chat(name, ENGLISH)).body for name in READABLE}
SAMPLES = [name for name, body in CHANGED.items() if ENGLISH in (body.text or body.html)]


def test_enough_samples_can_carry_chat() -> None:
    assert len(SAMPLES) >= 30


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    ("line", "sent"), first(2, [(ENGLISH, LETTER), (DUTCH, None), (DUTCH, LETTER), (ENGLISH, None)])
)
def test_chat_is_read_in_place_of_the_first_order(name: str, line: str, sent: str | None) -> None:
    reply = read(with_chat(name, line), sent)
    assert reply.doubtful == (sent is None and name in UNMARKED), reply
    first, *others = READABLE[name].lines
    assert list(reply.lines) == [line, *(line if other == first else other for other in others)]


def test_long_words_in_one_line_are_kept_whole_up_to_the_cap() -> None:
    words = "say: " + "word " * 119 + "end"
    assert said(words).lines == (words,)
    assert said("say: " + "word " * 200).lines[0].endswith("…")


def test_what_a_program_has_wrapped_is_judged_as_a_whole() -> None:
    line = "zeg: veel succes met je provincies in het noorden en tot volgende week; marcheer Larissa A3-B4"
    at = line.index("Larissa")
    (found,) = said(f"{line[: at - 1]}\n{line[at:]}").lines
    assert found == line
    assert find_swallowed_order(found, BOARD) == "marcheer Larissa A3-B4"
    flow = b"Content-Type: text/plain; format=flowed\r\n\r\nzeg: hallo; \r\ntrek een \r\nkaart\r\n"
    (found,) = read(flow, LETTER).lines
    assert find_swallowed_order(found, BOARD) == "trek een kaart"
    (found,) = said("<p>say: hello;<br>\n</p><p>tell Ben: hi;\ndraw</p>", "html").lines[1:]
    assert find_swallowed_order(found, BOARD) == "draw"


def test_many_pieces_take_a_bounded_time() -> None:
    assert find_swallowed_order("say: hm" + "; so" * 21, BOARD) is None
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
    reply = said(f"say: {text}")
    below = text.partition("\n")[2]
    assert all(line.split()[0] in below for line in reply.lines if not is_chat(line))
