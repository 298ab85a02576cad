"""A letter of a turn is one screen: its words and its pixels, counted as its reader meets them."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from tests.newcomers import adapter
from tests.newcomers.counting import (
    PHONE_HEIGHT,
    PHONE_WIDTH,
    Measures,
    before_board,
    count_words,
    measure,
    told,
)
from tests.newcomers.letters import turn_letters

MOST_WORDS, MOST_BEFORE = 600, 350
MOST_HEIGHT = 2000
MOST_PART_BYTES = 100_000
"""Of the HTML: programs cut a mail at 102 kilobytes."""
FEW, SOME = 2, 8
MANY = pytest.mark.parametrize(
    "many", [pytest.param(SOME, marks=pytest.mark.breadth), pytest.param(200, marks=pytest.mark.long)]
)
LANGUAGES = pytest.mark.parametrize("dutch", [False, True], ids=["en", "nl"])


def words_over(mails: tuple[EmailMessage, ...]) -> list[str]:
    """The letters that have too many words."""
    found = []
    for mail in mails:
        text = adapter.words_of(mail)
        before, whole = count_words(before_board(text)), count_words(text)
        if before > MOST_BEFORE or whole > MOST_WORDS:
            found.append(f"{mail['Subject']}: {before} words before the board, {whole} in all")
    return found


def pixels_over(found: list[Measures]) -> list[str]:
    """The letters that are too high, or whose picture or button is not on the first screen."""
    return [
        str(one)
        for one in found
        if one.height > MOST_HEIGHT
        or not 0 <= one.picture < PHONE_HEIGHT
        or one.button < 0
        or one.width > PHONE_WIDTH
    ]


def test_a_few_letters_have_few_words():
    assert words_over(turn_letters(FEW)) == []


@LANGUAGES
@MANY
def test_many_letters_have_few_words(record_property, dutch, many):
    mails = turn_letters(many, dutch=dutch)
    texts = [adapter.words_of(mail) for mail in mails]
    name = "nl" if dutch else "en"
    record_property(
        "figure", told(f"words before the board, {name}", [count_words(before_board(one)) for one in texts])
    )
    record_property("figure", told(f"words of a turn letter, {name}", [count_words(one) for one in texts]))
    found = words_over(mails)
    assert not found, (len(found), found[:5])


@LANGUAGES
@MANY
def test_many_letters_are_one_screen_on_a_phone(record_property, browser, dutch, many):
    window = browser.new_page(viewport={"width": PHONE_WIDTH, "height": PHONE_HEIGHT})
    found = [measure(window, mail) for mail in turn_letters(many, drawn=True, dutch=dutch)]
    window.close()
    for name in ("height", "picture", "picture_end", "button", "links"):
        record_property("figure", told(f"{name} at {PHONE_WIDTH} px", [getattr(one, name) for one in found]))
    over = pixels_over(found)
    assert not over, (len(over), over[:5])


@pytest.mark.breadth
def test_the_html_is_cut_by_nobody():
    sizes = [len(adapter.page_of(mail).encode()) for mail in turn_letters(SOME)]
    assert max(sizes) < MOST_PART_BYTES


# --- controls -------------------------------------------------------------------------------------------


def test_control_words_before_the_board_end_at_its_heading():
    ruler = " " * 3 + "1" + " " * 5 + "2\n   7 8 9 0 1 2 3 4 5"
    text = f"one two\n\n== News ==\n\nthree\n\n== Board ==\n\nnot this\n\n{ruler}\nA  .  A\n"
    assert before_board(text).split()[-1] == "three"
    assert before_board("one two\n") == "one two\n"


@pytest.mark.breadth
def test_control_a_letter_with_a_long_story_is_noticed():
    mail = turn_letters(FEW)[0]
    assert words_over((_longer(mail),))


def _longer(mail: EmailMessage) -> EmailMessage:
    other = EmailMessage()
    other["Subject"] = str(mail["Subject"])
    other.set_content("Once upon a time " * 100 + adapter.words_of(mail))
    return other


@pytest.mark.breadth
def test_control_a_picture_below_the_fold_is_noticed(browser):
    mail = turn_letters(FEW, drawn=True)[0]
    page = adapter.page_of(mail)
    lower = EmailMessage()
    lower.set_content("x")
    lower.add_alternative(page.replace("<h1", '<div style="height:700px">x</div><h1', 1), subtype="html")
    window = browser.new_page(viewport={"width": PHONE_WIDTH, "height": PHONE_HEIGHT})
    found = [measure(window, lower)]
    window.close()
    assert pixels_over(found)
