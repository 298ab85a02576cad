"""Three doors, one result: the same words by a link, by the form of a page and by a mail leave equal rows."""

from email.message import EmailMessage
from html.parser import HTMLParser
from urllib.parse import urlsplit

from emails.tokens import Ticket
from engine.notation.orders import write
from engine.position import view
from engine.rules import card_choices, legal
from server.app import create_app
from server.inbox import dispatch, intake
from server.store.context import act_tag_of
from server.store.event_log import load_acts
from server.store.models import Game
from server.turns.dry_run import preview
from tests.server.desk import NOON, desk, game_row, names_of, start_game


class Form(HTMLParser):
    """The form of a page that posts to `action`, and its fields."""

    def __init__(self, page: str, action: str) -> None:
        super().__init__()
        self.action = action
        self.fields: dict[str, str] = {}
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            target = urlsplit(given.get("action") or self.action).path
            self.inside = given.get("method", "").lower() == "post" and target == self.action
        elif tag in ("input", "button") and self.inside and given.get("name"):
            self.fields.setdefault(given["name"], given.get("value") or "")

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False


ACTS = 3
"""The game was opened, it was started, and this turn."""


def turn(context, game):
    """A card, a march and a third action for whoever is to move."""
    with context.reading() as session:
        position = context.history_of(session, session.get_one(Game, game)).position
    known = view(position, 0)
    card = write(next(card_choices(known)), known.table.board)
    after = preview(position, 0, [card]).position
    march = write(next(legal(view(after, 0))), known.table.board)
    return [card, march, "draw"]


def press(context, path: str, query: str = "") -> None:
    client = create_app(context, lambda: NOON).test_client()
    page = client.get(path + query, follow_redirects=True)
    path = page.request.path
    assert client.post(path, data=Form(page.text, path).fields).status_code == 303


def ticket_of(context, game, words=""):
    """A ticket as letters carry it."""
    after = game_row(context, game).after
    with context.reading() as session:
        return Ticket(game, 0, after, words, 0, act_tag_of(context, session, game, after))


def by_link(context, game, lines):
    ticket = ticket_of(context, game, "; ".join(lines))
    press(context, urlsplit(context.links.ticket_link(ticket)).path)


def by_form(context, game, lines):
    ticket = ticket_of(context, game)
    press(
        context,
        urlsplit(context.links.ticket_link(ticket)).path,
        f"?say={'%0A'.join(lines).replace(' ', '+')}",
    )


def by_mail(context, game, lines):
    mail = EmailMessage()
    mail["From"] = f"{names_of(context, game)[0].lower()}@example.org"
    mail["To"] = context.links.reply_address(ticket_of(context, game))
    mail.set_content("\n".join(lines))
    intake.store_mail(context, str(mail["From"]), str(mail["To"]), bytes(mail), NOON)
    dispatch.process_waiting_mail(context, NOON)


def test_three_doors_make_equal_rows(tmp_path):
    kept = []
    for door in (by_link, by_form, by_mail):
        folder = tmp_path / door.__name__
        folder.mkdir()
        context = desk(folder, seed=5)
        game = start_game(context, "Anna", "Ben", "Cleo")
        door(context, game, turn(context, game))
        with context.reading() as session:
            rows = [(row.seq, row.at, row.seat, row.said, row.events) for row, _ in load_acts(session, game)]
        assert len(rows) == ACTS
        kept.append(rows[1:])
    assert kept[0] == kept[1] == kept[2]
