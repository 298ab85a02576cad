"""Replies as people write them, and as nobody should: which lines are read as commands."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.languages.supported_languages import REPLY_MARKERS
from emails.replies import parsed_mail, quotations
from emails.replies import parsed_mail as mails
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import join_flowed_lines, parse_mail
from emails.replies.reply_reader import extract_commands, read_reply
from emails.tokens import mask_tokens
from engine.actions import Unreadable
from tests.bounded import quickest
from tests.breadth import first
from tests.emails.positions import BOARD
from tests.emails.replies.desk import GAME, LETTER, NAMES, mail, quoted, said
from tests.spoken import parse

MARKER = REPLY_MARKERS["en"]


def is_command(line: str) -> bool:
    """As the game judges: whether its grammar takes the line."""
    try:
        parse(line, BOARD)
    except Unreadable:
        return False
    return True


# --- what counts ----------------------------------------------------------------------------------------


def test_a_wrapped_command_is_whole_again() -> None:
    reply = said(
        "choose soldier; march Troy C3-C5; takeover Athens+Corinth give\nhorse+lyre; levy temple\nAnna\n"
    )
    assert reply.lines[2:] == ("takeover Athens+Corinth give horse+lyre", "levy temple")


def test_a_word_that_is_not_readable_stays_in_its_block() -> None:
    assert said("draw\ndarw").lines == ("draw", "darw")
    assert said("draw\n\nmarch Larisa D4").lines == ("draw", "march Larisa D4")


def test_commands_end_at_the_first_other_block() -> None:
    reply = said("draw\n\nWhat a day.\nIt rained.\n")
    assert (reply.lines, reply.rest) == (("draw",), ("What a day.", "It rained."))
    assert not reply.doubtful


def test_a_command_under_other_words_is_doubtful() -> None:
    reply = said("draw\n\nWhat a day.\n\ntake lyre\n")
    assert reply.doubtful
    assert "take lyre" in reply.reason


def test_where_the_two_readings_differ_it_is_doubtful() -> None:
    reply = said("draw\n\n> What now?\n\ntake lyre\n")
    assert (reply.lines, reply.doubtful, reply.doubt) == (("draw",), True, "take lyre")


def test_a_line_over_the_cap_never_loses_its_end_unnoticed() -> None:
    assert not is_command(said("draw" + " " * 900 + "x").lines[0])
    assert not is_command(said("levy " + "a " * 500).lines[0])


def test_a_text_over_the_cap_is_doubtful() -> None:
    assert said("draw\n" * 250).doubtful
    assert not said("draw\n\nOn 3 Nov Ben wrote:\n" + quoted() * 50).doubtful


# --- where the quotation begins -------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["", "> ", ">> ", "> > ", " >", "| ", "*", ">  _"])
def test_the_marker_ends_what_was_written_behind_any_prefix(prefix: str) -> None:
    assert len(MARKER) < 40
    assert quotations.is_marker(parsed_mail.cap_lines(prefix + MARKER)[0][0])
    assert said(f"draw\n{prefix}{MARKER}\ntake lyre\n").lines == ("draw",)


def test_the_marker_is_known_when_its_dashes_are_changed() -> None:
    for changed in (MARKER.upper(), MARKER.replace("---", "\u2014"), MARKER.strip("- ")):
        assert said(f"draw\n\n{changed}\n\ntake lyre\n").lines == ("draw",)


def test_an_attribution_may_be_wrapped_over_three_lines() -> None:
    wrapped = "On Tuesday the third of November,\nAlexandros <play@example.org>\nwrote:"
    assert said(f"draw\n\n{wrapped}\n\n{quoted()}").lines == ("draw",)
    assert quotations.count_attribution_lines(wrapped.split("\n"), 0) == 3


def test_an_attribution_in_any_tongue_is_known_by_the_quotation_under_it() -> None:
    assert said(f"Alexandros hath this day set down:\n{quoted()}\ndraw\n").lines == ("draw",)


@pytest.mark.parametrize(
    "lines",
    [
        "вт, 3 нояб. 2026 в 09:58, Alexandros <play@example.org>:",
        "вт, 3 нояб. 2026 в 09:58, Alexandros\n<play@example.org>:",
        "Alexandros <play@example.org>, 3 Kas 2026 Sal, 09:58\ntarihinde bunu dedi:",
        "Alexandros wrote in\n<g1.7@letters.example.org>:",
        "Enviado desde mi iPad\n\nOn 3 Nov Ben wrote:",
    ],
)
def test_an_order_under_a_quotation_counts_whatever_stands_above_it(lines: str) -> None:
    reply = said(f"{lines}\n\n{quoted()}\n\ndraw\n")
    assert (reply.lines, reply.doubtful) == (("draw",), False)
    assert said(f"draw\n\n{lines}\n\n> end\n").lines == ("draw",)


@pytest.mark.parametrize("mark", ["A> ", "Alex> ", "|", " | ", "AB>> "])
def test_other_marks_of_a_quotation_are_known(mark: str) -> None:
    old = "".join(f"{mark}{line}\n" for line in ("end", *LETTER.splitlines()))
    assert said(f"draw\n\nOn 3 Nov Ben wrote:\n{old}").lines == ("draw",)
    assert said(f"On 3 Nov Ben wrote:\n{old}\ndraw\n").lines == ("draw",)


def test_a_message_that_has_swallowed_a_letter_is_not_told() -> None:
    assert said(f"say: well done {MARKER} You hold two lyres\n").doubtful
    assert said("say: hi On 3 Nov 2026 Ben wrote: > you hold two lyres\n").doubtful
    assert not said("say: what Ben wrote: nice\n").doubtful


def test_where_nothing_marks_the_quoted_lines_nothing_under_them_counts() -> None:
    reply = said(f"-----Original Message-----\n\n{LETTER}\n\ndraw\n")
    assert (reply.lines, reply.doubtful) == ((), False)
    assert reply.reason


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
    assert parse_mail(head + "Grüße".encode("latin-1")).body.text
    if charset != "utf-16":
        assert read_reply(parse_mail(head + b"draw\r\n"), GAME).lines == ("draw",)


def test_no_charset_gives_signs_that_no_database_takes() -> None:
    """UTF-7 can name the half of a character; it is told as what it is, an order that nobody knows."""
    head = b"Content-Type: text/plain; charset=utf-7\r\n\r\n"
    assert parse_mail(head + b"occupy +2AA-").body.text == "occupy \ufffd"
    assert read_reply(parse_mail(head + b"occupy +2AA-\r\n"), GAME).lines == ("occupy \ufffd",)
    assert parse_mail(b"\r\nd\0raw").body.text == "draw"


def test_html_is_read_without_what_it_quotes() -> None:
    text, _ = parsed_mail.extract_text("<p>draw</p><blockquote>take lyre</blockquote><p>end</p>")
    assert text.split() == ["draw", ">", "end"]
    assert said("<p>draw</p><blockquote>take lyre</blockquote>", "html").lines == ("draw",)
    assert said("<blockquote>old</blockquote><p>take lyre</p>", "html").lines == ("take lyre",)


def test_files_and_mails_within_a_mail_are_not_read() -> None:
    part = "--b\r\nContent-Type: {}\r\n\r\n{}\r\n"
    whole = "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    whole += part.format("text/plain; name=x.txt", "end") + part.format(
        "message/rfc822", "Subject: a\r\n\r\nend"
    )
    assert read_reply(
        parse_mail((whole + part.format("text/plain", "draw") + "--b--\r\n").encode()), GAME
    ).lines == ("draw",)


def test_a_mail_of_too_many_parts_is_doubtful() -> None:
    assert read_reply(parse_mail(nested(60).encode()), GAME).doubtful
    assert read_reply(parse_mail((nested(5) + "--b0--").encode()), GAME).lines == ("draw",)
    assert not read_reply(parse_mail((nested(5) + "--b0--").encode()), GAME).doubtful


def test_what_is_struck_out_is_no_order() -> None:
    for struck in ("<s>draw</s>", "<del>draw</del>", '<b style="text-decoration: line-through">draw</b>'):
        assert not any(map(is_command, said(f"<p>{struck}</p>", "html").lines))
        assert said(f"<p>take lyre</p><p>{struck}</p>", "html").lines[0] == "take lyre"


@pytest.mark.parametrize(
    "style", ["display: none", "VISIBILITY:hidden", "font-size:0", "font-size: 0px; x:y"]
)
def test_what_is_not_shown_is_not_read(style: str) -> None:
    page = f'<p>take lyre</p><p style="{style}">draw</p><p hidden>end</p>'
    assert said(page, "html").lines == ("take lyre",)
    assert said('<p style="font-size:0.8em">take lyre</p>', "html").lines == ("take lyre",)


def test_a_mail_without_its_end_is_doubtful() -> None:
    head = "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ndraw\r\n"
    assert read_reply(parse_mail(head.encode()), GAME).doubtful
    assert not read_reply(parse_mail(f"{head}--b--\r\n".encode()), GAME).doubtful
    assert not read_reply(parse_mail(f"{head}--b\r\nContent-Type: image/png\r\n\r\n".encode()), GAME).doubtful


def test_lines_may_end_in_any_way() -> None:
    whole = mail("draw\r\ntake lyre\r\n\r\n> end\r\n")
    for end in (b"\n", b"\r", b"\r\r\n"):
        assert read_reply(parse_mail(whole.replace(b"\r\n", end)), GAME).lines == ("draw", "take lyre")
    soft = mail("").replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
    assert read_reply(parse_mail(soft + b"take=\r lyre\rdraw\r\n"), GAME).lines == ("take lyre", "draw")


def test_the_end_of_a_quoted_line_is_no_order_of_his() -> None:
    """A program that wraps them puts no mark before the rest of a line."""
    long = "> Ben thinks about what he will do when the wall is closed, and would now"
    for torn in (f"{long}\ndraw\n> but cannot", f"{long}\ndraw\n"):
        assert said(f"On 3 Nov Ben wrote:\n{torn}\n\ntake lyre\n").doubtful
    assert said("On 3 Nov Ben wrote:\n> Well?\ndraw\n").lines == ("draw",)


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
    assert quickest(lambda: read_reply(parse_mail(raw), GAME, LETTER, NAMES)) < 2, (head[-80:], piece)


# --- any mails ------------------------------------------------------------------------------------------


@given(st.binary(max_size=300))
def test_any_bytes_are_read(raw: bytes) -> None:
    read_reply(parse_mail(raw), GAME)
    read_reply(parse_mail(b"Content-Type: text/html\n\n" + raw), GAME)


@given(
    st.lists(
        st.sampled_from(["draw", "take lyre", "", "> x", "Hi", "x:", "On 3 Nov Ben wrote:", "--", MARKER])
    )
)
def test_what_is_taken_stands_in_the_mail_in_its_order(lines: list[str]) -> None:
    reply = said("\n".join(lines))
    left = iter(lines)
    assert all(line in left for line in reply.lines)


def test_taking_lines_from_nothing() -> None:
    assert extract_commands((), GAME, GAME.remark_context).taken == ()


# --- letters that are kept without their tokens ---------------------------------------------------------


def test_a_line_with_a_link_that_is_copied_without_a_mark_is_known_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = "To play on instead: http://127.0.0.1:8000/t/abcdefghaaaginqopffl7fl4foysaapjea"
    written = parse_mail(mail(f"draw\n\n{line}\n\nAnna"))
    assert read_reply(written, GAME, LETTER, NAMES).doubtful
    kept = mask_tokens(f"{LETTER}\n{line}\n")
    found = read_reply(written, GAME, kept, NAMES)
    assert (found.lines, found.doubtful) == (("draw",), False)
    monkeypatch.setattr(mails, "mask_tokens", str)  # at one end alone
    written = parse_mail(mail(f"draw\n\n{line}\n\nAnna"))
    assert read_reply(written, GAME, kept, NAMES).doubtful


def test_a_line_with_a_name_that_is_isolated_is_known_again_where_it_is_copied() -> None:
    line = "Points: \u2068\u05e9\u05e8\u05d4\u2069 12 and you 7, while you have two cards on hand."
    written = parse_mail(mail(f"draw\n\n{line}\n\nAnna"))
    assert read_reply(written, GAME, LETTER, NAMES).doubtful
    assert not read_reply(written, GAME, f"{LETTER}\n{line}\n", NAMES).doubtful


# --- the letter of a choice -----------------------------------------------------------------------------

LETTERED = GameGrammar(BOARD, {"a": "choose lyre; march Larissa A3-B4-C5; draw", "b": "draw", "d": "end"})


def answered(text: str) -> tuple[bool, list[str]]:
    """Whether a mail is doubtful, and the letters with which it answers."""
    found = read_reply(parse_mail(mail(text)), LETTERED, LETTER, NAMES)
    return found.doubtful, [one.answer for one in found.orders if one.answer]


def test_another_letter_below_a_message_is_an_answer() -> None:
    for letter in "bd":  # nobody signs with somebody else's
        assert answered(f"say: well played\n\n{letter}") == (False, [letter])
