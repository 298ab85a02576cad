"""A screen reader and a plain text letter name the time in full words, in each language."""

from datetime import timedelta

import pytest

from emails.i18n import Locale, use_locale
from emails.wording.phrases import format_deadline
from tests.server.desk import NOON, Collector, body

SILENT = "self::script or self::style or self::template or @hidden or @aria-hidden='true'"
ZONES = {"en": "Europe/London", "nl": "Europe/Amsterdam"}
OWN = {
    "en": "Your time ends on Wednesday afternoon, 4 March, 12:00 GMT (2 days left).",
    "nl": "Je hebt de tijd tot woensdagmiddag, 4 maart, 13:00 CET (nog 2 dagen).",
}
COMES = {"en": "Your turn: by Wednesday at the latest.", "nl": "Jouw beurt: uiterlijk woensdag."}
WAITS = {"en": "has until", "nl": "heeft de tijd tot"}
LETTER = {"en": "2 days left: please play before", "nl": "Nog 2 dagen: speel graag vóór"}


def heard(visitor) -> str:
    """The words of a page that a screen reader says."""
    said = visitor.page.xpath(f"//main//text()[not(ancestor::*[{SILENT}])]")
    return " ".join("".join(said).replace("\u00a0", " ").split())


def begun(place, carrier, language: str) -> tuple[str, int, int]:
    """A game whose letters have left, the seat to move, and the one that waits."""
    game = place.context.start_timed_game("Anna", "Ben")
    for name in place.names(game):
        told = {"language": language, "zone": ZONES[language], "pictures": False}
        place.context.set_preferences(game, name, everywhere=True, **told)
    place.context.work_until_idle(carrier, NOON)
    own = place.row(game).seat
    return game, own, 1 - own


@pytest.mark.parametrize("language", ZONES)
def test_pages_and_letters_say_the_deadline_in_full(place, language):
    carrier = Collector()
    game, own, other = begun(place, carrier, language)
    with use_locale(Locale(language, ZONES[language])):
        deadline = " ".join(format_deadline(NOON + timedelta(days=2)).replace("\u00a0", " ").split())
    for page in ("", "/agreements", "/away"):
        assert OWN[language] in heard(place.look(game, page, seat=own))
        assert deadline in heard(place.look(game, page, seat=other))
    waiting, names = heard(place.look(game, seat=other)), place.names(game)
    assert f"{names[own]} {WAITS[language]} {deadline}" in waiting
    assert COMES[language] in waiting
    assert deadline in heard(place.as_player(names[own]).get("/me"))
    assert COMES[language] in heard(place.as_player(names[other]).get("/me"))
    letter = next(one for one in carrier.to(names[own]) if one["X-Alexandros"] == "your_turn")
    assert f"{LETTER[language]} {deadline}" in " ".join(body(letter).replace("\u00a0", " ").split())


def test_what_is_hidden_is_not_heard(place):
    """The control."""
    game, own, _ = begun(place, Collector(), "en")
    page = place.look(game, seat=own)
    page.page.xpath("//*[time]")[0].set("aria-hidden", "true")
    assert OWN["en"] not in heard(page)
