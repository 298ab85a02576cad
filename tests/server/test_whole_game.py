"""A whole game over real SMTP on loopback: Anna by links, Ben by replies, the house by itself."""

import json
import logging
import re
import smtplib
from collections import Counter
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import partial
from io import StringIO
from urllib.parse import urlsplit

import pytest
from aiosmtpd.controller import Controller
from lxml import html
from prometheus_client import generate_latest

from emails.tokens import unseal_ticket
from engine.event_log import check_log
from server.admin import backups
from server.app import create_app
from server.delivery.relay import choose_transport
from server.inbox import intake
from server.inbox.intake import is_deliverable
from server.inbox.smtp import SmtpListener, SmtpPolicy
from server.logs import JsonFormatter
from server.network import Endpoint
from server.store import load_boards
from server.store.event_log import load_acts
from tests.ports import free_port
from tests.server.desk import NOON, desk
from tests.server.web.site import Visitor

MOST_MAILS = 600


def links_of(page: str) -> list[str]:
    """The links of a letter or a page that belong to a seat, each once."""
    found = html.fromstring(page).xpath("//a/@href[contains(., '/t/')]")
    return list(dict.fromkeys(map(str, found)))


def offered(letter) -> list[str]:
    """The letters of the choices that a mail's text offers."""
    text = letter.get_body(("plain",)).get_content()
    return re.findall(r"^ {2}\* ([a-z])\.[ \u00a0]", text, re.MULTILINE)


def choices(context, page: str) -> dict[str, str]:
    """The words behind the links of a letter or a page, each with the path of its link."""
    paths = [urlsplit(link).path for link in links_of(page)]
    tokens = [path.removeprefix("/t/") for path in paths if path.count("/") == 2]
    tickets = [(unseal_ticket(token, context.links.keys), token) for token in tokens]
    return {ticket.words: f"/t/{token}" for ticket, token in tickets if ticket.words}


def by_link(context, client, letter) -> None:
    """Click the link of the first choice, look at its page, press the button, end the turn in the dock."""
    page = letter.get_body(("html",)).get_content()
    wanted, link = next(iter(choices(context, page).items()))
    visitor = Visitor(client).get(link)
    assert visitor.page.xpath(f"//code[.='{wanted}']")
    visitor.press()
    if ("play", "end") in visitor.offers():
        visitor.tap("end")


def by_reply(port: int, letter) -> None:
    """Answer with the letter of a choice above the quoted mail, through the server's own listener."""
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ben <ben@example.org>", str(letter["Reply-To"])
    mail["Subject"] = "Re: " + str(letter["Subject"])
    mail["Message-ID"] = str(letter["Message-ID"]).replace("@play.", "@client.")
    mail["In-Reply-To"] = str(letter["Message-ID"])
    quoted = "\n".join(f"> {line}" for line in letter.get_body(("plain",)).get_content().splitlines())
    mail.set_content(f"{offered(letter)[0]}\n\nOn Monday Alexandros wrote:\n{quoted}\n")
    with smtplib.SMTP("127.0.0.1", port, timeout=60) as smtp:
        smtp.send_message(mail)


class Provider:
    """The mail server of the players: what it takes lies in their inbox."""

    def __init__(self, inbox: list[EmailMessage]) -> None:
        self.inbox = inbox

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - as aiosmtpd calls it
        self.inbox.append(message_from_bytes(envelope.original_content, policy=policy.default))
        return "250 2.0.0 Kept"


@pytest.fixture
def logged():
    written, handler = StringIO(), logging.StreamHandler()
    handler.setStream(written)
    handler.setFormatter(JsonFormatter())
    root, events = logging.getLogger(), logging.getLogger("alexandros.events")
    root.addHandler(handler)
    events.setLevel(logging.INFO)
    yield written
    root.removeHandler(handler)
    events.setLevel(logging.NOTSET)


def secrets_of(inbox: list[EmailMessage]) -> set[str]:
    """What opens something, or leads to somebody: it must stand in no log."""
    found = {"Anna", "Ben", "Friday", "@", "example.org"}
    for mail in inbox:
        page = mail.get_body(("html",)).get_content()
        found |= {urlsplit(link).path.split("/")[2] for link in links_of(page)}
        found.add(str(mail["Reply-To"]).partition("+")[2].partition("@")[0])
    return found


def words_of(context, game: str) -> set[str]:
    """What the players have said to the game, and the names on the board."""
    with context.reading() as session:
        said = [act.said for act in load_acts(session, game) if act.said != "accept"]
    return set(re.findall(r"[A-Za-z]{4,}", " ".join(said)))


def check_log_of_server(context, game: str, inbox: list[EmailMessage], logged: str) -> None:
    """Each act, mail and letter is told of once, and what must stand in no log stands nowhere."""
    lines = [json.loads(line) for line in logged.splitlines()]
    acts = [line["act"] for line in lines if line["event"] == "act"]
    assert acts == list(range(1, context.game_row(game).seq + 1))
    told = Counter((line["event"], line.get("state") == "sent") for line in lines)
    assert told["mail", False] == len(context.stored_mails())
    assert told["letter", True] == len(inbox)
    shown = logged + generate_latest(context.events.metrics.registry).decode()
    secret, words = secrets_of(inbox), words_of(context, game)
    assert len(secret) > 100
    assert {"march", "choose", "Ephesus"} <= words
    assert not [one for one in secret if one in shown]
    assert not words & set(re.findall(r"[A-Za-z]+", shown))


def test_a_game_of_three_by_links_by_replies_and_by_the_house(tmp_path, logged):
    inbox: list[EmailMessage] = []

    provider = Controller(Provider(inbox), hostname="127.0.0.1", port=free_port())
    provider.start()
    context = desk(tmp_path, seed=11, ALEXANDROS_MAIL_OUT=f"smtp://127.0.0.1:{provider.port}")

    def take_in(sender, recipient, raw, network):
        intake.store_mail(context, sender, recipient, raw, NOON, network)

    policy = SmtpPolicy("play.example.org", partial(is_deliverable, context))
    listener = SmtpListener(Endpoint("127.0.0.1", 0), policy, take_in)
    listener.start()
    out = choose_transport(context, lambda: NOON)
    client = create_app(context, lambda: NOON).test_client()
    try:
        game = context.start_game("Anna", "Ben", "house")
        read = 0
        while context.game_row(game).status != "over":
            context.work_until_idle(out, NOON)
            assert read < len(inbox) < MOST_MAILS, "nobody was written to, and the game is not over"
            for letter in filter(offered, inbox[read:]):
                if "anna@" in str(letter["To"]):
                    by_link(context, client, letter)
                else:
                    by_reply(listener.port, letter)
            read = len(inbox)
        context.work_until_idle(out, NOON)
    finally:
        out.close()
        listener.stop()
        provider.stop()
    log = list(backups.export_log(context, game))
    *_, (event, position) = check_log((line.encode() for line in log), load_boards())
    assert type(event).__name__ == "GameEnded"
    assert position.table.over
    doors = {line["meta"]["door"] for line in map(json.loads, log) if "meta" in line}
    assert {"link", "reply", "house"} <= doors
    for name in ("anna", "ben"):
        assert any(f"{name}@" in str(mail["To"]) and mail["X-Alexandros"] == "game_over" for mail in inbox)
    assert all(str(mail["To"]).endswith("@example.org") for mail in inbox)
    check_log_of_server(context, game, inbox, logged.getvalue())
