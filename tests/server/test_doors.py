"""Three doors, one result: the same words by a link, by the form of a page and by a mail leave equal rows."""

from urllib.parse import quote

from server.inbox import dispatch
from server.store.event_log import load_acts
from tests.server.desk import NOON, desk
from tests.server.web.site import Site

ACTS = 3
"""The game was opened, it was started, and this turn."""


def by_link(place, game, lines):
    place.visitor().get(place.link(game, "; ".join(lines))).press()


def by_form(place, game, lines):
    written = quote(chr(10).join(lines))
    place.visitor().get(f"{place.link(game)}?say={written}").press()


def by_mail(place, game, lines):
    place.context.write_mail(game, place.context.names_of(game)[0], "\n".join(lines))
    dispatch.process_waiting_mail(place.context, NOON)


def test_three_doors_make_equal_rows(tmp_path):
    kept = []
    for door in (by_link, by_form, by_mail):
        folder = tmp_path / door.__name__
        folder.mkdir()
        context = desk(folder, seed=5)
        game = context.start_game("Anna", "Ben", "Cleo")
        door(Site(context), game, [*context.turn_words(game), "draw"])
        with context.reading() as session:
            rows = [(row.seq, row.at, row.seat, row.said, row.events) for row in load_acts(session, game)]
        assert len(rows) == ACTS
        kept.append(rows[1:])
    assert kept[0] == kept[1] == kept[2]
