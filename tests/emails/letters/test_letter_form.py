"""Letters: their form and links, and that nothing in them can be taken for an order, however it is quoted."""

import re
from dataclasses import fields
from email.message import EmailMessage
from functools import cache

import pytest
from inscriptis import Inscriptis
from jinja2 import meta
from jinja2.nodes import Assign, AssignBlock
from lxml import etree

from emails.languages.supported_languages import REPLY_MARKERS
from emails.letters import account_letters, declaration, renderer
from emails.letters.parts import LetterParts
from emails.letters.renderer import AS_TEXT, Letter
from emails.replies import quotations
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import read_reply
from emails.tokens import Ticket
from emails.wording.advice_text import glue_title
from engine.actions import ActionRefused
from engine.notation.parser import ChoiceMeanings
from tests.breadth import BREADTH, first
from tests.emails.approving import APPROVED
from tests.emails.positions import BOARD
from tests.emails.replies.desk import said
from tests.emails.specimens import (
    ANSWERED,
    HOSTILE,
    KINDS,
    MANY,
    TONGUES,
    WAYS,
    letter,
    letter_context,
    many,
    nodes,
    page,
)
from tests.gallery import samples
from tests.gallery.samples import SAMPLE_LINKS
from tests.paths import TOP
from tests.spoken import is_chat, parse, parse_request

TEMPLATES = TOP / "emails/letters/templates"
ALWAYS = {"subject", "name", "language", "marker", "style", "layout", "groups", "hidden"}
"""What every template is given beside the parts."""
OF_A_GAME = {"board", "board_lines", "hand", "display", "players", "provinces"}
"""What a layout shows only where there is a view."""


def test_each_kind_has_one_template() -> None:
    shared = {"common", "game_request", "scores", "sections"}
    assert {path.stem for path in TEMPLATES.glob("*.words")} == {*declaration.KINDS, *shared}


def test_what_names_a_kind_in_a_message_id_stays_as_it_was() -> None:
    marks = {
        kind: declared.message_mark for kind, declared in declaration.KINDS.items() if declared.message_mark
    }
    assert marks == {"your_turn": "turn", "game_over": "over"}


def test_what_every_letter_can_show_is_a_part() -> None:
    """A layout that speaks of something new needs a part with a default, and no letter's function changes."""
    common = AS_TEXT.parse((TEMPLATES / "common.words").read_text("utf-8"))
    worded = {one.target.name for one in (*common.find_all(Assign), *common.find_all(AssignBlock))}
    known = {one.name for one in fields(LetterParts)} | ALWAYS | OF_A_GAME | worded
    for name in ("letter.txt", "letter.html"):
        source = (TEMPLATES / name).read_text("utf-8")
        assert meta.find_undeclared_variables(AS_TEXT.parse(source)) - {"_", "self"} <= known


MOST_BYTES = 60_000
WIDTH = 78
SHAPED = first(4, sorted(MANY, key=("kinds", "turns", "told", "nasty", "orders", "answers").index))
TAGS = """
    html head meta title style body div table tbody tr td th p h1 h2 h3 ul li a img map area span b br small
    """.split()
ACCEPTING = ("accept", "i accept", "yes", "ja", "ok")


NUMBERS: ChoiceMeanings = {str(at): words for at, words in enumerate("C5 draw end H32".split() * 20, 1)}
"""More than any letter has: what its number stands for a mail could hold."""


def is_order(line: str, numbers: ChoiceMeanings = NUMBERS) -> bool:
    """Whether a line would be played if an answer to such numbers began with it: whole or not at all."""
    try:
        for part in line.split(";"):
            parse(part, BOARD, numbers)
    except ActionRefused:
        return False
    return True


@cache
def says_nothing(line: str) -> bool:
    """Whether a line is none of all that an answer may say: many letters have the same lines."""
    return not (
        is_order(line)
        or re.fullmatch(r"[\W_]*\d+[\W_]*", line)  # an answer by number
        or is_chat(line.strip())
        or parse_request(line.strip()) is not None
        or line.strip(" .!").casefold() in ACCEPTING
    )


@pytest.mark.parametrize(
    "which", [pytest.param(one, marks=[pytest.mark.breadth] * (one != "turns")) for one in MANY]
)
def test_no_line_of_a_letter_is_an_order(which: str) -> None:
    for made in many(which):
        words = (*(one.alt for one in made.pictures), made.subject)
        for line in (*made.text.splitlines(), *drawn(made), *words):
            assert says_nothing(line), line
            assert not is_order(line, made.choices), line


def drawn(made: Letter) -> list[str]:
    """The HTML as lines of plain text, as programs draw it that know no HTML."""
    text: str = Inscriptis(page(made)).get_text()
    return text.splitlines()


@pytest.mark.breadth
@pytest.mark.parametrize("which", SHAPED)
def test_no_line_of_a_text_is_too_long_but_links_and_answers(which: str) -> None:
    for made in many(which):
        assert made.text.isprintable() or not re.search(r"[^\S\n ]|[\0-\x09\x0b-\x1f]", made.text)
        for line in made.text.splitlines():
            in_one_piece = line.startswith("  * ") or "https://" in line or " " not in line.strip()
            assert len(line) <= WIDTH or in_one_piece, line
            assert line == line.rstrip()
        assert "\n\n\n" not in made.text
        assert made.text.endswith("\n")


@pytest.mark.parametrize("which", SHAPED)
def test_no_text_is_broken_into_single_words(which: str) -> None:
    assert not [made.text for made in many(which) if re.search(r"…\S+\s+…\S+\s+…", made.text)]


def test_what_is_longer_than_a_line_goes_on_behind_a_mark() -> None:
    title = "Neem Armavir en de harp ten zuiden van B16 over van Ben (stadhouders: Armavir en Tigranocerta)"
    shown = renderer.AS_TEXT.filters["item"](f"b.\u00a0{glue_title(title)}.").splitlines()
    assert shown == [
        "  * b. Neem Armavir en de harp ten zuiden van B16 over van Ben",
        "    …(stadhouders: Armavir en Tigranocerta).",
    ]
    assert all(map(says_nothing, shown))
    assert len(renderer.AS_TEXT.filters["item"](f"b.\u00a0{glue_title(title[:60])}.").splitlines()) == 1


def test_a_title_of_many_pieces_fits_its_lines() -> None:
    for end in ("", " and horse", " and horse; draw"):
        title = f"Soldier to Pasargadae (H22) via I27-H26-H24; occupy Bucephala; take soldier{end}"
        shown = renderer.AS_TEXT.filters["item"](f"b.\u00a0{glue_title(title)}. (strongest)").splitlines()
        assert max(map(len, shown)) <= WIDTH
        assert all(map(says_nothing, shown))


def test_no_line_of_an_approved_letter_is_too_long() -> None:
    kinds = {name.partition("-")[0] for name in KINDS}
    for file in APPROVED.glob("*.txt"):
        lines = file.read_text("utf-8").splitlines() if re.split("[.-]", file.name)[0] in kinds else ()
        assert not [line for line in lines if len(line) > WIDTH and "https://" not in line], file.name


def test_no_card_of_a_dutch_letter_has_its_english_name() -> None:
    for name in (one for one in KINDS if not one.startswith("asked_back")):  # that quotes its reader
        assert not re.findall(r"\b(?:temple|horse|lyre|soldier)s?\b", letter(name, "nl").text), name


@pytest.mark.parametrize("which", SHAPED)
def test_the_html_is_small_and_well_formed_without_script_and_fetches_nothing(which: str) -> None:
    for made in many(which):
        assert len(made.html.encode()) <= MOST_BYTES
        assert made.html.startswith("<!DOCTYPE html>")
        parser = etree.HTMLParser(recover=False)
        tree = etree.fromstring(made.html.encode(), parser)
        assert not [error for error in parser.error_log if error.level_name != "WARNING"]
        assert {str(element.tag) for element in tree.iter(etree.Element)} <= {*TAGS}
        assert "url(" not in made.html
        assert "@import" not in made.html
        for element in tree.iter(etree.Element):
            assert not [name for name in element.attrib if str(name).startswith("on")]
            assert str(element.get("href", "https:")).startswith(("https:", "mailto:"))


@pytest.mark.parametrize("which", SHAPED)
def test_every_picture_has_words_and_every_layout_says_so(which: str) -> None:
    for made in many(which):
        root = page(made)
        words = {f"cid:{one.name}": one.alt for one in made.pictures}
        assert {str(image.get("src")) for image in root.iter("img")} == words.keys()
        for image in root.iter("img"):
            assert image.get("alt") == words[str(image.get("src"))]
            assert len(str(image.get("alt"))) > 40
        for table in root.iter("table"):
            assert table.get("role") == "presentation" or table.findall(".//th[@scope]")


@pytest.mark.parametrize("name", KINDS)
def test_a_letter_says_in_which_language_it_is(name: str, language: str) -> None:
    made = letter(name, language)
    assert page(made).get("lang") == language
    marker = REPLY_MARKERS[language]
    assert (made.text.splitlines()[0] == marker) == (name in ANSWERED)
    assert (marker in nodes(made)[:2]) == (name in ANSWERED)  # only the preview of a mailbox stands before it


@pytest.mark.parametrize("name", KINDS)
def test_no_sentence_is_the_same_in_another_language(name: str) -> None:
    """But what players wrote and what the board is called."""
    english, dutch = (letter(name, language).text.splitlines() for language in TONGUES)
    same = [line for line in english if line in dutch and re.search(r"[a-z]{3}.* .*[a-z]{3}", line)]
    kept = [line for line in same if not line.startswith(("  | ", "Board: ")) and "“" not in line]
    assert not [line for line in kept if not re.search(r"[A-Z]{1,2}\d{1,2}", line)]


def test_who_wants_to_sign_in_gets_one_link_and_nothing_that_leads_to_a_game(language: str) -> None:
    made, link = letter("signin", language), samples.SAMPLE_LINKS.sign_in_link("a mark")
    assert made.subject == {"en": "Alexandros: sign in", "nl": "Alexandros: aanmelden"}[language]
    assert re.findall(r"https?://\S+", made.text) == [link]
    assert page(made).xpath("//a/@href") == [link]
    assert not made.pictures


def test_what_a_stranger_wrote_stays_words() -> None:
    for which in ("told", "nasty"):
        for made in many(which):
            assert "<img src=" not in made.html.replace('<img src="cid:', "")
            assert "<script" not in made.html
            assert "{{" not in made.html.replace("{{ 7 * 7 }}", "")  # it is no template
            root = page(made)
            assert not root.xpath("//script | //*[@onerror]")
            assert all(str(image.get("src")).startswith("cid:") for image in root.iter("img"))


def test_each_line_of_a_message_carries_a_mark() -> None:
    for words in HOSTILE:
        pieces = {line for line in words.splitlines() if line.strip() and line[:1] not in ">|*-"}
        for made in many("told"):
            assert not pieces & {line.strip() for line in made.text.splitlines()}


@pytest.mark.parametrize("marker", REPLY_MARKERS.values())
def test_what_stands_under_a_marker_of_any_language_is_not_read(marker: str) -> None:
    assert len(marker) < 40
    assert REPLY_MARKERS.keys() == {*TONGUES}
    for prefix in ("", "> ", ">> ", "> > ", " >", "| ", "*", ">  _"):
        for changed in (marker, marker.upper(), marker.strip("- ")):
            assert quotations.is_marker(prefix + changed)
            assert said(f"draw\n{prefix}{changed}\ntake lyre\n").lines == ("draw",)
            assert said(f"draw\n\n{prefix}{changed}\n\ntake lyre\n").lines == ("draw",)
    dashed = marker.replace("---", "\u2014")
    assert said(f"draw\n\n{dashed}\n\ntake lyre\n").lines == ("draw",)


# --- answered -------------------------------------------------------------------------------------------


def answered(sent: str, written: str, quoted: str, kind: str = "plain") -> tuple[str, ...]:
    """The lines that are read in an answer to a letter, which quotes it somehow."""
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "anna@example.org", "Re: Alexandros: Spring"
    mail.set_content(f"{written}\n\n{quoted}\n", subtype=kind)
    return read_reply(Mail(mail.as_bytes()), GameGrammar(BOARD), sent).lines


def marked(text: str) -> str:
    return "On Thu, Alexandros wrote:\n" + "".join(f"> {line}\n" for line in text.splitlines())


WRITTEN = [
    (),
    ("choose lyre", "march Larissa C3", "end"),
    ("draw",),
    ("kies harp", "marcheer Larissa C3", "klaar"),
    ("say: Well played; thank you!",),
]


@pytest.mark.parametrize(
    "written", [*WRITTEN[:2], *(pytest.param(one, marks=BREADTH) for one in WRITTEN[2:])]
)
@pytest.mark.parametrize("name", ANSWERED)
def test_a_quoted_letter_is_never_an_order(name: str, language: str, written: tuple[str, ...]) -> None:
    text, own = letter(name, language).text, "\n".join(written)
    assert answered(text, own, marked(text)) == written
    for quoted in (text, "Alexandros <alexandros@example.org> wrote:\n\n" + text):
        assert answered(text, own, quoted) in (written, ())


@pytest.mark.parametrize("language", first(1, TONGUES))
@pytest.mark.parametrize("name", ANSWERED)
def test_a_letter_quoted_as_html_is_never_an_order(name: str, language: str) -> None:
    made = letter(name, language)
    for written, lines in (("", ()), ("<div>draw</div>", ("draw",))):
        assert answered(made.text, written, f"<div>{made.html}</div>", "html") in ((), lines)


@pytest.mark.parametrize("which", first(1, ["told", "nasty"]))
def test_a_quoted_letter_with_odd_words_is_never_an_order(which: str) -> None:
    for made in many(which):
        if not made.text.startswith("---"):
            continue  # answers to it are not read
        for quoted in (marked(made.text), made.text):
            assert answered(made.text, "", quoted) == ()
            assert answered(made.text, "draw", quoted) in (("draw",), ())


@pytest.mark.parametrize("name", WAYS)
def test_both_parts_have_the_links_to_the_page_the_settings_and_the_way_out(name: str, language: str) -> None:
    made, game = letter(name, language), letter_context(name)
    assert game.view.me is not None
    ticket = Ticket(game.game, game.view.me, game.after)
    stop = SAMPLE_LINKS.unsubscribe_links(game.game, game.view.me)[0]
    if name.startswith("seat_offered"):  # it can be passed on: no link of it leads to the reader's seat
        for link in (SAMPLE_LINKS.join_link(game.game), stop):
            assert made.text.splitlines().count(link) == 1
        for link in (SAMPLE_LINKS.page_link(ticket, "settings"), SAMPLE_LINKS.ticket_link(ticket)):
            assert link not in made.text + made.html
        return
    asks = name.startswith(("motion", "absence"))
    page = SAMPLE_LINKS.page_link(ticket, "agreements") if asks else SAMPLE_LINKS.ticket_link(ticket)
    stops = () if name.startswith("stopped") else (stop,)
    for link in (page, SAMPLE_LINKS.page_link(ticket, "settings"), *stops):
        assert made.text.splitlines().count(link) == 1
        assert f'href="{link}"' in made.html


def test_an_address_of_before_without_a_way_back_is_told_of_none() -> None:
    without = samples.compose(account_letters.Moved(samples.NEW_ADDRESS))
    assert samples.NEW_ADDRESS in without.text
    assert "/c/" not in without.text + without.html
    assert "mailto:" not in without.html


def test_a_name_is_escaped_once_in_html() -> None:
    words = "tell D'Arcy: Good luck & <b>good</b> play!"
    shown = renderer.AS_HTML.from_string("{{ _('%(words)s', words=words)|whole }}").render(words=words)
    assert shown == "tell D&#39;Arcy: Good luck &amp; &lt;b&gt;good&lt;/b&gt; play!"
