"""What the name of a player and of a game may hold, and which two names a reader takes for each other."""

# ruff: noqa: RUF001 - letters that look alike are what this is about

import pytest

from emails.names import find_name_fault, find_player_name_fault, holds_link, skeleton

TAKEN = """Anna|Zoë|O'Connor|Анна|Αννα|محمد علي|שרה|小明|Anna 小明|Иван the IV|J.R.R. T.|42|Allen B
علی\u200cرضا|ශ්\u200dරීමා|क्\u200dष|👩\u200d🚀 Anna|👩🏽\u200d🚀|❤\ufe0f Ben""".replace("\n", "|").split("|")
LINKS = """win500.com|t.me/prize|bit.ly/3xYz|PayPal.com-Team|win500。com|win500．com|xn--80ak6aa92e
Anna <b@c.de>|anna@example|www.example|see HTTP://x|http://[::1]/|10.0.0.1/pay|mailto:anna|tel:+31201234567
go to example.com now|See you.Anna|x.пример|ｅｘａｍｐｌｅ．ｃｏｍ""".replace("\n", "|").split("|")
UNSEEN = {
    "Anna\u3164": "U+3164 HANGUL FILLER",
    "An\u200bna": "U+200B ZERO WIDTH SPACE",
    "An\u200cna": "U+200C ZERO WIDTH NON-JOINER",
    "An\u200dna": "U+200D ZERO WIDTH JOINER",
    "Anna\ufe0f": "U+FE0F VARIATION SELECTOR-16",
    "\u202eannA": "U+202E RIGHT-TO-LEFT OVERRIDE",
    "\u2068Anna\u2069": "U+2068 FIRST STRONG ISOLATE",
}
MIXED = ("Аnna", "Anna Βen", "Αnna", "Cleо")
RESERVED = "The server|Operator|Everybody|all|ALL!|Iedereen|de server|Alexandros|A l l|Ｏperator".split("|")


@pytest.mark.parametrize("name", TAKEN)
def test_names_that_people_have_are_taken(name: str) -> None:
    assert find_player_name_fault(name) is None


@pytest.mark.parametrize("name", LINKS)
def test_a_name_is_no_link(name: str) -> None:
    assert holds_link(name)
    assert "no link and no address" in str(find_name_fault(name))


@pytest.mark.parametrize(("name", "sign"), UNSEEN.items())
def test_a_sign_that_cannot_be_seen_is_named(name: str, sign: str) -> None:
    assert str(find_name_fault(name)).endswith(f"leave out {sign}")


@pytest.mark.parametrize("name", MIXED)
def test_a_word_is_written_in_one_script(name: str) -> None:
    assert "mixes scripts" in str(find_player_name_fault(name))
    assert find_name_fault(name) is None  # a game may be called so


@pytest.mark.parametrize("name", RESERVED)
def test_nobody_is_called_as_the_server_or_all_are(name: str) -> None:
    assert "nobody can be called" in str(find_player_name_fault(name))
    assert find_name_fault(name) is None


@pytest.mark.parametrize(
    "other", ["ANNA", "Ａnna", "Anna.", "An-na", "Anna\u3164", "A n n a", "Αnna", "Аnna", "An\u200dna"]
)
def test_what_looks_like_a_name_has_its_skeleton(other: str) -> None:
    assert skeleton(other) == skeleton("Anna")


def test_other_names_have_other_skeletons() -> None:
    names = ("Anna", "Ana", "Zoë", "Zoe", "Anna 2", "Сара", "Sara", "🎲", "🎯", "...", "?", "علی", "على")
    assert len({skeleton(one) for one in names}) == len(names)
    assert skeleton("Сара") == skeleton("Capa")
