"""Every kind of letter has one name: in the enum, of its function, of its template, in the gallery."""

from dataclasses import fields

import pytest
from jinja2 import meta

from emails.letters.kinds import LetterKind
from emails.letters.parts import LetterParts
from emails.letters.renderer import AS_TEXT, TEMPLATES
from tests.emails.specimens import HOMES, KINDS

ALWAYS = {"subject", "name", "language", "marker", "style", "layout", "groups", "hidden"}
"""What every template is given beside the parts."""
OF_A_GAME = {"board", "board_lines", "hand", "display", "players", "provinces"}
"""What a layout shows only where there is a view."""


def test_each_kind_has_one_template() -> None:
    assert {path.stem for path in TEMPLATES.glob("*.words")} == {*LetterKind, "common"}


@pytest.mark.parametrize("kind", LetterKind)
def test_each_kind_has_one_function(kind: LetterKind) -> None:
    assert [one for one in HOMES if hasattr(one, f"render_{kind.name.lower()}")]


def test_each_kind_is_in_the_gallery() -> None:
    assert {name.partition("-")[0] for name in KINDS} == set(LetterKind)


def test_what_names_a_kind_in_a_message_id_stays_as_it_was() -> None:
    assert {kind.value: kind.mark for kind in LetterKind if kind.mark != kind} == {
        "your_turn": "turn",
        "game_over": "over",
    }


def test_what_every_letter_can_show_is_a_part() -> None:
    """A layout that speaks of something new needs a part with a default, and no letter's function changes."""
    known = {one.name for one in fields(LetterParts)} | ALWAYS | OF_A_GAME
    for name in ("letter.txt", "letter.html"):
        source = (TEMPLATES / name).read_text("utf-8")
        assert meta.find_undeclared_variables(AS_TEXT.parse(source)) - {"_", "self", "by_mail"} <= known
