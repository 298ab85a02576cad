"""Everything that is said to people is said in every language: no sentence is missing, odd, or out of reach.

`APPROVE=1 pytest tests/test_languages.py` renews the catalogues: see catalogues.py.
"""

from __future__ import annotations

import ast
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from jinja2 import Environment, nodes
from lxml import html

from emails import i18n
from emails.i18n import Locale, gettext, use_locale
from emails.letters import game_letters, lobby_letters
from emails.letters.declaration import VacancyReason
from emails.wording import texts
from server.store import load_boards
from server.web.lobby import public_pages
from tests import catalogues
from tests.catalogues import PARTS, PLACEHOLDER, SAID, TRANSLATED, Sentence, files, sentences
from tests.gallery import letter_files, samples
from tests.paths import TOP
from tests.pseudo import LANGUAGE, Pseudo, seen, strange
from tests.server.web.site import site
from tests.server.web.tour import Tour

TEMPLATES = [pattern for part in PARTS.values() for pattern in part if not pattern.endswith(".py")]
JINJA = re.compile(
    r"{%-? *trans\b.*?endtrans *-?%}|{% block kind %}.*?{% endblock %}|{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL
)
"""What is no text of a template: sentences that are translated, the class of a page, all other code."""
TAGS = re.compile(r"<[^>]*>| [\w-]+=\"[^\"]*\"")
"""Tags, and attributes that a macro adds to them."""
READ_OUT = re.compile(r"\b(?:alt|aria-label|content|label|placeholder|title)=\"([^\"]*)\"")
"""Attributes whose words a reader sees or hears."""
NAMES = {"Alexandros"}
"""Words that are the same in every language."""
TOURISTS = ("marhc", "march")
"""What is misspelt on the tour of all pages, and what was meant."""
CODES = {"at once"}
"""What templates compare with, as it is stored."""
SETTINGS = {"width=device-width, initial-scale=1", "noindex, nofollow", "light dark"}


def told(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def forms(message: Message) -> list[str]:
    return [str(one) for one in message.string] if message.pluralizable else [str(message.string)]


def stored(language: str, part: str) -> dict[str, Message]:
    found = (message for message in catalogues.read(language, part) if message.id)
    return {str(one.id[0] if one.pluralizable else one.id): one for one in found}


# --- the catalogues -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("part", PARTS)
def test_every_sentence_is_translated_and_nothing_else_is(language, part):
    if os.environ.get("APPROVE"):
        catalogues.renew(language, part)
    known, wanted = stored(language, part), {sentence.one: sentence for sentence in sentences(part)}
    problems = [f"not in {part}: {wanted[one].file}: {one!r}" for one in wanted if one not in known]
    problems += [f"in {part}, but nowhere said: {one!r}" for one in known if one not in wanted]
    for one, message in known.items():
        if one in wanted:
            problems += [f"{part}: {one!r}: {wrong}" for wrong in faults(wanted[one], message)]
    problems += [f"{part}: obsolete: {one!r}" for one in catalogues.read(language, part).obsolete]
    assert not problems, told(problems)


@pytest.mark.parametrize("language", TRANSLATED)
@pytest.mark.parametrize("part", PARTS)
def test_a_catalogue_is_as_it_would_be_renewed(language, part):
    """So whoever renews it for a sentence of theirs changes nothing beside it, whatever was moved before."""
    if os.environ.get("APPROVE"):
        catalogues.renew(language, part)
    kept = (catalogues.CATALOGUES / language / part).read_text("utf-8")
    in_order = kept == catalogues.renewed(language, part)  # a text of 5,000 lines is not to be printed
    assert in_order, f"{part}: APPROVE=1 pytest tests/test_languages.py brings it into order"


def faults(sentence: Sentence, message: Message) -> Iterator[str]:
    if bool(sentence.several) != message.pluralizable:
        yield "one form where there must be one for each number, or the other way round"
        return
    if message.fuzzy:
        yield "only guessed (fuzzy)"
    if sentence.several and message.id[1] != sentence.several:
        yield f"for several it is {sentence.several!r} now"
    for said in forms(message):
        found = set(PLACEHOLDER.findall(said))
        counts = {"number"} if sentence.several else set()  # "a horse" does not name its number
        if not said.strip():
            yield "not translated"
        elif not sentence.names - counts <= found <= sentence.names:
            yield f"{said!r} has other placeholders"
        elif re.sub(r"%\(\w+\)s", "", said).count("%") != sentence.one.count("%%") * 2:
            yield f"{said!r} has a broken placeholder"
        elif tags(said) != tags(sentence.one):
            yield f"{said!r} has other tags"


def tags(said: str) -> list[str]:
    return sorted(re.findall(r"</?\w+", said))


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_is_said_in_two_parts_is_translated_once(language):
    found: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for part in PARTS:
        for one, message in stored(language, part).items():
            found[one].add(tuple(forms(message)))
    several = {one: said for one, said in found.items() if len(said) > 1}
    assert not several, told([f"{one!r}: {sorted(said)}" for one, said in several.items()])


# --- no sentence stands outside -------------------------------------------------------------------------


@pytest.mark.parametrize("file", list(files(*TEMPLATES)), ids=lambda file: file.name)
def test_no_words_stand_in_a_template_outside_of_its_sentences(file: Path):
    bare = JINJA.sub("", file.read_text("utf-8"))
    spoken = [one for one in READ_OUT.findall(bare) if one not in SETTINGS]
    shown = bare if file.suffix == ".txt" else TAGS.sub(" ", bare)
    words = re.findall(r"[^\W\d_]+", " ".join([re.sub(r"&\w+;", " ", shown), *spoken]))
    assert not [word for word in words if word not in NAMES]


@pytest.mark.parametrize("file", list(files(*TEMPLATES)), ids=lambda file: file.name)
def test_no_words_stand_in_the_code_of_a_template_outside_of_its_sentences(file: Path):
    tree = Environment(extensions=["jinja2.ext.i18n"]).parse(file.read_text("utf-8"))
    told = [
        one for one in tree.find_all(nodes.Call) if getattr(one.node, "name", "") in catalogues.IN_TEMPLATES
    ]
    ordered = [one for one in tree.find_all(nodes.Filter) if one.name == "ordered"]
    said = {id(node) for one in (*told, *ordered) for node in one.find_all(nodes.Const)}
    silent = {one.value for one in tree.find_all(nodes.Const) if id(one) not in said} - CODES
    assert not [one for one in silent if isinstance(one, str) and re.search(r"[^\W\d_]{2} |^[A-Z]", one)]


@pytest.mark.parametrize("file", list(files("server/web/*/static/*.js")), ids=lambda file: file.name)
def test_no_script_has_words_of_its_own(file: Path):
    code = re.sub(r"^\s*//.*$| //.*$", "", file.read_text("utf-8"), flags=re.MULTILINE)
    literals = re.findall(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`", code.replace('"use strict"', ""))
    assert not [one for one in literals if re.search(r"[^\W\d_]{2} [^\W\d_]", one)]


def test_what_is_said_is_a_whole_sentence_or_comes_from_a_table():
    """`say(f"…")` would look for a sentence that stands in no catalogue."""
    wrong = []
    for file in files("engine/**/*.py", "emails/**/*.py", "server/**/*.py"):
        for call, name in catalogues.calls(file):
            for place in SAID[name] or (1,):
                given = call.args[place - 1] if len(call.args) >= place else None
                if isinstance(given, ast.JoinedStr | ast.BinOp | ast.IfExp):
                    wrong.append(f"{file.relative_to(TOP)}:{call.lineno}: {name}({ast.unparse(given)})")
    assert not wrong, told(wrong)


# --- nothing is said past the catalogues ----------------------------------------------------------------


@pytest.fixture
def marked(monkeypatch) -> Iterator[None]:
    rules = texts.read_rules(LANGUAGE)  # they have a file of their own for each language
    monkeypatch.setattr(i18n, "_load_catalogue", lambda _: Pseudo())
    pieces = (
        (clause, re.sub(r"\b\d\.\d+", r"⟧\g<0>⟦", clause.text)) for clause in rules.clauses
    )  # they are links
    written = tuple(replace(clause, text=f"⟦{text}⟧") for clause, text in pieces)
    named = {number: f"⟦{name}⟧" for number, name in rules.parts.items()}
    monkeypatch.setattr(texts, "read_rules", lambda *_: texts.RulesText(named, written))
    public_pages._example_board.cache_clear()
    yield
    public_pages._example_board.cache_clear()


BOARD = load_boards()["Alexandros"]
WAYS = [way.name for way in letter_files.letter_variants(letter_files.load_sample_game(BOARD))]


@pytest.mark.parametrize("name", WAYS)
def test_no_letter_about_a_game_says_anything_past_the_catalogues(marked, name):
    story = letter_files.load_sample_game(BOARD)
    with use_locale(Locale(LANGUAGE)):
        way = next(way for way in letter_files.letter_variants(story) if way.name == name)
        letter = way.write(way.context(story))
    assert not strange(spoken_in(letter))


OTHERS = {
    "invitation": lobby_letters.Invitation(),
    "accepted": lobby_letters.Accepted(),
    "called_off": lobby_letters.CalledOff(),
    "declined": lobby_letters.Declined(1, "Ben", VacancyReason.DECLINED),
    "declined-left": lobby_letters.Declined(1, "Ben", VacancyReason.LEFT),
    "declined-silent": lobby_letters.Declined(1, "Ben", VacancyReason.SILENT),
    "confirm": samples.CONFIRM,
    "moved": samples.MOVED,
    "signin": samples.SIGN_IN,
    "proposal": lobby_letters.Proposal(""),
    "refused": game_letters.Refused(""),
}
"""Letters about no game that is being played."""


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_letter_says_anything_past_the_catalogues(marked, name):
    with use_locale(Locale(LANGUAGE)):
        payload = OTHERS[name]
        if name == "refused":
            payload = game_letters.Refused(gettext(letter_files.NOT_PLAYED))
        letter = samples.compose(payload, missing=("Ben", "Cleo"), joined=name != "declined-left")
    assert not strange(spoken_in(letter))


def spoken_in(letter: game_letters.Letter) -> Iterator[str]:
    yield letter.subject
    yield from letter.text.split("\n\n")
    yield from seen(html.document_fromstring(letter.html))
    for picture in letter.pictures:
        yield picture.alt
        yield from seen(html.document_fromstring(picture.svg))


@pytest.mark.breadth
def test_no_page_says_anything_past_the_catalogues(marked, tmp_path):
    place = site(tmp_path)
    found: dict[str, str] = {}
    visited = set()
    for name, page in Tour(place, LANGUAGE).pages():
        visited.add(name)
        found |= {odd: name for odd in strange(seen(page), TOURISTS) if odd not in found}
    assert not found, told([f"{odd} ({name})" for odd, name in found.items()])
    assert len(visited) > 40


@pytest.mark.breadth
@pytest.mark.parametrize("language", TRANSLATED)
def test_every_page_can_be_shown_in_every_language(tmp_path, language):
    for name, page in Tour(site(tmp_path), language).pages():
        assert page.get("lang") == language, name
