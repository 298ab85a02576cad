"""Three doors, one result: the same words by a link, by the form of a page and by a mail leave equal rows."""

from email.message import EmailMessage
from urllib.parse import urlsplit

from emails.links import Ticket
from engine.notation.grammar import write
from engine.rules import cards, legal
from engine.views import view
from server.app import create_app
from server.inbox import incoming, intake
from server.store.event_log import acts
from server.store.models import Game
from server.turns.dry_run import preview
from tests.server.desk import NOON, desk, game_row, names_of, start_game
from tests.server.test_whole_game import Form

ACTS = 3
"""The game was opened, it was started, and this turn."""


def turn(office, game):
    """A card, a march and a third action for whoever is to move."""
    with office.reading() as session:
        position = office.history(session, session.get_one(Game, game)).position
    known = view(position, 0)
    card = write(next(cards(known)), known.table.board)
    after = preview(position, 0, [card]).position
    march = write(next(legal(view(after, 0))), known.table.board)
    return [card, march, "draw"]


def press(office, path: str, query: str = "") -> None:
    client = create_app(office, lambda: NOON).test_client()
    page = client.get(path + query, follow_redirects=True)
    path = page.request.path
    assert client.post(path, data=Form(page.text, path).fields).status_code == 303


def by_link(office, game, lines):
    ticket = Ticket(game, 0, game_row(office, game).after, "; ".join(lines))
    press(office, urlsplit(office.post.link(ticket)).path)


def by_form(office, game, lines):
    ticket = Ticket(game, 0, game_row(office, game).after)
    press(office, urlsplit(office.post.link(ticket)).path, f"?say={'%0A'.join(lines).replace(' ', '+')}")


def by_mail(office, game, lines):
    mail = EmailMessage()
    mail["From"] = f"{names_of(office, game)[0].lower()}@example.org"
    mail["To"] = office.post.reply_address(Ticket(game, 0, game_row(office, game).after))
    mail.set_content("\n".join(lines))
    intake.take_in(office, str(mail["From"]), str(mail["To"]), bytes(mail), NOON)
    incoming.process(office, NOON)


def test_three_doors_make_equal_rows(tmp_path):
    kept = []
    for door in (by_link, by_form, by_mail):
        folder = tmp_path / door.__name__
        folder.mkdir()
        office = desk(folder, seed=5)
        game = start_game(office, "Anna", "Ben", "Cleo")
        door(office, game, turn(office, game))
        with office.reading() as session:
            rows = [(row.seq, row.at, row.seat, row.said, row.events) for row, _ in acts(session, game)]
        assert len(rows) == ACTS
        kept.append(rows[1:])
    assert kept[0] == kept[1] == kept[2]
