"""Letters: their form, and that nothing in them can be taken for an order, however it is quoted."""

import re
from email.message import EmailMessage

import pytest
from inscriptis import Inscriptis
from lxml import etree

from emails import letters
from emails.marker import MARKER
from emails.printing import Letter
from emails.replies import read_reply
from engine.actions import Refusal
from engine.notation import parse
from tests.emails.positions import BOARD
from tests.emails.specimens import KINDS, MANY, letter, many, nodes, page

MOST_BYTES = 60_000
WIDTH = 78
TAGS = (
    "html head meta title style body div table tbody tr td th p h1 h2 h3 ul li a img span b br strong".split()
)


def is_order(line: str) -> bool:
    """Whether a line would be played if a mail began with it: whole or not at all."""
    try:
        for part in line.split(";"):
            parse(part, BOARD)
    except Refusal:
        return False
    return True


@pytest.mark.parametrize("which", MANY)
def test_no_line_of_a_letter_is_an_order(which: str) -> None:
    for made in many(which):
        for line in (
            *made.text.splitlines(),
            *drawn(made),
            *(one.alt for one in made.pictures),
            made.subject,
        ):
            assert not is_order(line), line
            assert line.strip(" .!").casefold() not in ("accept", "i accept", "yes")


def drawn(made: Letter) -> list[str]:
    """The HTML as lines of plain text, as programs draw it that know no HTML."""
    text: str = Inscriptis(page(made)).get_text()
    return text.splitlines()


@pytest.mark.parametrize("which", MANY)
def test_no_line_of_a_text_is_too_long_but_links_and_answers(which: str) -> None:
    for made in many(which):
        assert made.text.isprintable() or not re.search(r"[^\S\n ]|[\0-\x09\x0b-\x1f]", made.text)
        for line in made.text.splitlines():
            in_one_piece = line.startswith("  * ") or "https://" in line or " " not in line.strip()
            assert len(line) <= WIDTH or in_one_piece, line
            assert line == line.rstrip()
        assert "\n\n\n" not in made.text
        assert made.text.endswith("\n")


@pytest.mark.parametrize("which", MANY)
def test_the_html_is_small_well_formed_and_without_script(which: str) -> None:
    for made in many(which):
        assert len(made.html.encode()) <= MOST_BYTES
        assert made.html.startswith("<!DOCTYPE html>")
        parser = etree.HTMLParser(recover=False)
        tree = etree.fromstring(made.html.encode(), parser)
        assert not [error for error in parser.error_log if error.level_name != "WARNING"]
        assert {str(element.tag) for element in tree.iter(etree.Element)} <= {*TAGS}
        for element in tree.iter(etree.Element):
            assert not [name for name in element.attrib if str(name).startswith("on")]
            assert str(element.get("href", "https:")).startswith(("https:", "mailto:"))
        assert tree.get("lang") == "en"


@pytest.mark.parametrize("which", MANY)
def test_every_picture_has_words_and_every_layout_says_so(which: str) -> None:
    for made in many(which):
        root = page(made)
        for image in root.iter("img"):
            assert image.get("src") == "cid:board"
            assert image.get("alt") in [one.alt for one in made.pictures]
            assert len(str(image.get("alt"))) > 40
        assert bool(made.pictures) == ("cid:board" in made.html)
        for table in root.iter("table"):
            assert table.get("role") == "presentation" or table.findall(".//th[@scope]")


@pytest.mark.parametrize("name", KINDS)
def test_the_marker_stands_at_the_top_of_both_parts(name: str) -> None:
    made = letter(name)
    assert made.text.splitlines()[0] == MARKER
    first = list(nodes(made))
    assert MARKER in first[:2]  # only the preview of a mailbox stands before it


def test_all_letters_of_a_game_have_one_subject() -> None:
    assert {letter(name).subject for name in KINDS if name != "refused-no-game"} == {"Alexandros: Spring"}


def test_a_letter_is_named_after_its_function() -> None:
    for name in KINDS:
        assert letter(name).kind == name.partition("-")[0]
        assert hasattr(letters, letter(name).kind)


def test_nothing_is_fetched_from_anywhere() -> None:
    for name in KINDS:
        root = page(letter(name))
        assert not root.xpath("//link | //iframe | //object | //form | //input")
        assert "url(" not in letter(name).html
        assert "@import" not in letter(name).html


# --- answered -------------------------------------------------------------------------------------------


def reply(written: str, quoted: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "anna@example.org", "Re: Alexandros: Spring"
    mail.set_content(f"{written}\n\n{quoted}\n")
    return mail.as_bytes()


@pytest.mark.parametrize("written", [(), ("draw",), ("choose lyre", "march Larissa C3", "end")])
@pytest.mark.parametrize("name", KINDS)
def test_a_quoted_letter_is_never_an_order(name: str, written: tuple[str, ...]) -> None:
    text = letter(name).text
    with_marks = "On Thu, Alexandros wrote:\n" + "".join(f"> {line}\n" for line in text.splitlines())
    for quoted in (with_marks, text, "Alexandros <alexandros@example.org> wrote:\n\n" + text):
        found = read_reply(reply("\n".join(written), quoted), text)
        assert found.lines in (written, ())
        if quoted == with_marks:
            assert found.lines == written


@pytest.mark.parametrize("name", KINDS)
def test_a_letter_quoted_as_html_is_never_an_order(name: str) -> None:
    made = letter(name)
    for written in ("", "<div>draw</div>"):
        mail = EmailMessage()
        mail.set_content(f"{written}<div>{made.html}</div>", subtype="html")
        assert read_reply(mail.as_bytes(), made.text).lines in ((), ("draw",) if written else ())
