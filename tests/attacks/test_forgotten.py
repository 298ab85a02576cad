"""Somebody who is forgotten: no byte of their name or their addresses is left, and games go on.

Their name and addresses are letters that nothing else holds, so that they are looked for as bytes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from server import personal_data
from server.accounts import bounces
from server.accounts.addresses import request_address_confirmation
from server.accounts.sign_in import create_key
from server.admin.backups import examine_stored_acts, export_log, import_log, read_log
from server.delivery.relay import choose_transport
from server.delivery.sending import send_due_letters
from server.lobby.open_seats import leave_seat
from server.outbox import chat
from server.store.encrypted import ENCRYPTED
from server.store.game_terms import SeatRequest
from server.store.models import Game, OutgoingLetter, Player, Seating
from server.store.states import GameStatus, MailState
from tests.attacks.small_world import World
from tests.server.desk import body
from tests.server.web.played import move
from tests.server.web.site import site

pytestmark = pytest.mark.breadth

NAME, TRACE = "Xylofoon", b"xylofoon"
ADDRESS = "Xylofoon@example.org"
DOMAIN = "play.example.org"


@dataclass
class House(World):
    """A world with everything in it that names somebody, and all that leaves it."""

    games: dict[str, str] = field(default_factory=dict)

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        self.mails.send(sender, recipient, raw)
        choose_transport(self.place.context, self.place.clock).send(sender, recipient, raw)

    def work(self) -> None:
        self.place.context.work_until_idle(self, self.place.clock())

    def bring(self, sender: str, to: str, raw: bytes) -> str:
        state = super().bring(sender.lower(), to, raw)
        send_due_letters(self.place.context, self, self.place.clock())
        return state

    def last(self, address: str, kind: str = "") -> EmailMessage:
        found = [mail for mail in self.mails.mails if address.lower() in str(mail["To"]).lower()]
        return [mail for mail in found if kind in str(mail["X-Alexandros"])][-1]

    def say(self, game: str, seat: int, to: int | None, words: str) -> None:
        with self.place.context.changing() as session:
            row = session.get_one(Game, game)
            chat.post(self.place.context, session, row, seat, to, words, self.place.clock())

    def opened(self, title: str, *names: str, at_once: bool = True) -> str:
        seats = [SeatRequest(name, f"{name}@example.org") for name in names]
        return self.place.context.open_game(title, seats, self.place.clock(), at_once=at_once)


def house_of(folder: Path) -> House:
    house = House(site(folder), folder)
    context, now = house.place.context, house.place.clock()
    finished = house.opened("The first one", "Anna", NAME)
    while not house.place.history(finished).position.table.over:
        move(house.place, finished)
    running = house.opened(f"The game of {NAME}!", "Anna", NAME, "Ben")
    house.work()
    waiting = house.opened("The third one", "Anna", NAME, "Ben", at_once=False)
    context.accept_invitation(waiting, context.seat_of(waiting, NAME), now)
    declined = house.opened("The one that was declined", "Anna", NAME, "Ben", at_once=False)
    leave_seat(context, declined, context.seat_of(declined, NAME), 99, now)
    log = read_log([one.encode() for one in export_log(context, running)])
    taken_in = import_log(context, log, now, requests=[SeatRequest(NAME, ADDRESS)])
    house.games = {"finished": finished, "running": running, "waiting": waiting}
    house.games |= {"declined": declined, "taken_in": taken_in}
    house.work()
    use_everything(house, running)
    return house


def use_everything(house: House, running: str) -> None:
    context, now = house.place.context, house.place.clock()
    own, anna = context.seat_of(running, NAME), context.seat_of(running, "Anna")
    context.set_preferences(running, NAME, language="nl", everywhere=True)
    context.set_preferences(running, "Ben", messages=True)
    house.say(running, own, None, f"Hello, {NAME} is here, at {ADDRESS}")
    house.say(running, own, anna, f"Between us, from {NAME}")
    house.say(running, anna, own, "Glad to hear that")
    kind = "your_turn" if context.mover(running) == "Anna" else "welcome"
    reply = str(house.last("anna", kind)["Reply-To"])
    assert house.write("Anna@example.org", reply, f"tell {NAME}: well played") == MailState.PLAYED
    theirs = str(house.last(ADDRESS)["Reply-To"])
    house.write(ADDRESS, theirs, f"say: this is {NAME}\nhand")
    request_address_confirmation(context, running, own, "new.xylofoon@example.net", now)
    house.write(ADDRESS, f"new@{DOMAIN}", "Ben <ben@example.org>\nname: Just us")
    house.write("cleo@example.org", f"new@{DOMAIN}", f"{NAME} <xylofoon+games@example.org>")
    house.place.visitor().get("/signin").send("//main//form", address=ADDRESS)
    house.work()
    create_key(context, context.player_of(running, own), f"The program of {NAME}", now)
    house.place.sign_in(house.place.visitor(), running, own)
    letter, *_ = context.rows_of(OutgoingLetter.id, OutgoingLetter.recipient == ADDRESS)
    context.committed(now, come_back, letter)
    house.work()
    house.place.look(running, seat=anna)  # so that it is at hand


def come_back(unit: Any, letter: int) -> None:
    row = unit.session.get_one(OutgoingLetter, letter)
    bounces.record_bounce(unit, row, f"550 no {ADDRESS} here", reported=False)


def forget(house: House, address: str = ADDRESS) -> str:
    """As the operator types it, beside the server."""
    typed = house.place.context.type_in("forget", address, "--yes")
    assert typed.exit_code == 0, typed.output
    assert [line for line in typed.stderr.splitlines() if not line.startswith("security ")] == []
    return typed.stdout


def traces(data: bytes) -> int:
    return data.lower().count(TRACE)


def traces_in_files(house: House) -> dict[str, int]:
    files = sorted(house.file.parent.glob(f"{house.file.name}*"))
    return {file.name: found for file in files if (found := traces(file.read_bytes()))}


def traces_in_mails(house: House) -> list[str]:
    """The mails that are kept, opened with the secret of the server, in which one of the addresses stands."""
    keys, found = house.place.context.links.keys, []
    with closing(sqlite3.connect(house.file)) as db:
        for table in ("incoming", "kept", "operatormail"):
            for (raw,) in db.execute(f"SELECT raw FROM {table} WHERE length(raw) > 0"):
                opened = keys.decrypt(raw.removeprefix(ENCRYPTED)).lower()
                found += [table] if ADDRESS.lower().encode() in opened else []
    return found


def pages(house: House) -> Iterator[tuple[str, bytes]]:
    place = house.place
    for kind, game in house.games.items():
        for seating in place.rows(Seating, Seating.game == game, Seating.player.is_not(None)):
            link = f"/t/{place.token(game, seat=seating.seat, after=99)}"
            visitor = place.signed_in(game, seating.seat)
            for page in (link, f"{link}/history", f"{link}/log", f"{link}/settings", f"{link}/pulse", "/me"):
                yield f"{kind} {page[-12:]}", visitor.get(page).answer.get_data()
            client = place.app.test_client()
            key = create_key(place.context, seating.player, "A key", place.clock())
            for call in ("/api/games", f"/api/games/{game}", f"/api/games/{game}/log"):
                answer = client.get(call, headers={"Authorization": f"Bearer {key}"})
                yield f"{kind} {call}", answer.get_data()
            with place.context.changing() as session:
                session.exec(select(Player).where(Player.id == seating.player)).one()
                session.connection().exec_driver_sql("DELETE FROM key")
    for page in ("/games", "/", "/mailbox"):
        yield page, place.app.test_client().get(page).get_data()


def logs(house: House) -> Iterator[tuple[str, str]]:
    for kind in ("finished", "running", "taken_in"):
        yield kind, "\n".join(export_log(house.place.context, house.games[kind]))


@pytest.fixture
def house(tmp_path) -> House:
    return house_of(tmp_path)


def test_no_byte_of_a_name_or_an_address_is_left(house, figure):
    before = traces_in_files(house)
    assert sum(before.values()) > 100
    assert "games.sqlite" in before
    told = forget(house)
    assert "a player" in told
    assert traces_in_files(house) == {}
    assert traces_in_mails(house) == []
    figure(f"forgotten: {sum(before.values())} places of a name in the files, 0 left")


def test_neither_pages_nor_programs_nor_logs_nor_later_letters_name_them(house):
    assert [name for name, data in pages(house) if traces(data) and name != "/mailbox"]
    sent = len(house.mails.mails)
    forget(house)
    assert [name for name, data in pages(house) if traces(data) and name != "/mailbox"] == []
    assert [kind for kind, log in logs(house) if traces(log.encode())] == []
    house.place.clock.forward(1)
    house.work()
    later = house.mails.mails[sent:]
    assert later
    assert [mail["Subject"] for mail in later if traces(bytes(mail))] == []
    assert [to for _, to in house.mails.envelopes[sent:] if TRACE in to.lower().encode()] == []


def test_games_go_on_to_their_end_and_the_check_up_is_content(house):
    forget(house)
    sent = len(house.mails.mails)
    context, running = house.place.context, house.games["running"]
    assert list(examine_stored_acts(context)) == []
    house.work()
    for _ in range(2000):
        if context.game_row(running).status == GameStatus.OVER:
            break
        if context.mover(running) in ("Anna", "Ben"):
            move(house.place, running)
        house.work()
    assert context.game_row(running).status == GameStatus.OVER
    told = " ".join(" ".join(map(body, house.mails.mails[sent:])).split())
    assert "a player has resigned, and a caretaker plays on for that seat" in told
    assert list(examine_stored_acts(context)) == []
    rows = {one: context.projected(one) for one in house.games.values()}
    context.rebuild()
    assert {one: context.projected(one) for one in rows} == rows
    for _, log in logs(house):
        read_log([line.encode() for line in log.splitlines()])
    names = context.rows_of(Seating.name, Seating.game == running)
    assert sorted(names) == ["Anna", "Ben", "a player"]


def test_a_seat_of_a_game_that_waits_is_given_back_and_the_others_hear_no_name(house):
    context, waiting = house.place.context, house.games["waiting"]
    forget(house)
    seats = context.rows_of(Seating, Seating.game == waiting)
    assert [(one.name, one.player) for one in seats if one.name not in ("Anna", "Ben")] == [("", None)]
    assert list(house.place.history(waiting).seat_tenures) == [one.seat for one in seats if not one.name]


def test_what_others_wrote_to_them_and_their_games_stay(house):
    context, running = house.place.context, house.games["running"]
    anna = context.seat_of(running, "Anna")
    forget(house)
    told = house.place.read(chat.load_conversation, running, anna)
    assert house.place.read(chat.count_visible_to, running, anna) >= 1
    said = [(one.writer, one.addressee, one.words) for one in told]
    assert ("Anna", "a player", "Glad to hear that") in said
    assert not [one for one in told if one.writer == "a player"]
    assert context.game_row(running).redactions == 1
    assert any("a player has resigned" in one.words for one in told)


def test_whoever_is_forgotten_holds_nothing_that_opens_anything(house):
    place, running = house.place, house.games["running"]
    own = place.context.seat_of(running, NAME)
    link, browser = place.link(running, seat=own), place.signed_in(running, own)
    assert browser.client.get("/me").status_code == 200
    address = str(house.last(ADDRESS, "answer")["Reply-To"])
    forget(house)
    shown = place.visitor().get(link)
    assert shown.status == 410
    before = len(house.mails.mails)
    shown.press()
    assert browser.client.get("/me").status_code == 303
    assert house.write(ADDRESS, address, "resign") == MailState.IGNORED
    house.place.visitor().get("/signin").send("//main//form", address=ADDRESS)
    house.work()
    assert [to for _, to in house.mails.envelopes[before:] if "xylofoon" in to.lower()] == []


def test_twice_is_once_and_an_unknown_address_hears_the_same(house):
    first = forget(house)
    rows = {game: house.place.context.game_row(game) for game in house.games.values()}
    assert forget(house) == first
    assert {game: house.place.context.game_row(game) for game in rows} == rows
    assert forget(house, "nobody@example.org") == first.replace(ADDRESS, "nobody@example.org")


def test_a_server_that_runs_beside_goes_on_from_the_new_log(house):
    context, running = house.place.context, house.games["running"]
    old = house.place.history(running)
    context.history_cache.put(running, old)
    forget(house)
    assert house.place.history(running).digest != old.digest
    context.history_cache.put(running, old)  # as by a thread that read it just before
    assert house.place.history(running).redactions == 1
    house.work()
    if context.mover(running) in ("Anna", "Ben"):
        move(house.place, running)
    assert list(examine_stored_acts(context)) == []


def test_who_plays_beside_them_under_the_same_words_keeps_their_name(tmp_path):
    house = House(site(tmp_path), tmp_path)
    game = house.opened("The game of Larissa", "Anna", "Larissa", "Ben")
    house.work()
    forget(house, "larissa@example.org")
    row = house.place.context.game_row(game)
    assert row.name == "The game of a player"
    position = house.place.history(game).position
    assert "Larissa" in position.table.board.places
    assert sorted(position.table.names) == ["Anna", "Ben", "a player"]
    assert list(examine_stored_acts(house.place.context)) == []
    forget(house, "anna@example.org")
    assert sorted(house.place.history(game).position.table.names) == ["Ben", "a player", "a player 2"]


def test_a_letter_that_is_in_hand_meanwhile_brings_nothing_back(house):
    context = house.place.context
    house.place.visitor().get("/signin").send("//main//form", address=ADDRESS)
    held: list[str] = []

    class Slow:
        def send(self, sender: str, recipient: str, raw: bytes) -> None:
            held.append(recipient)
            forget(house)

    send_due_letters(context, Slow(), house.place.clock(), most=1)
    assert [TRACE in one.lower().encode() for one in held] == [True]
    assert traces_in_files(house) == {}


CONTROLS = {
    "the log": "redact_game",
    "letters": "delete_letters",
    "mails that came in": "delete_mails_of",
    "proposals": "delete_proposals_naming",
    "the player": "_delete_player",
}
"""What takes the name out, and would leave it where it did not."""


@pytest.mark.parametrize("defence", CONTROLS)
def test_without_any_part_of_it_the_name_is_found(tmp_path, monkeypatch, defence):
    house = house_of(tmp_path)
    monkeypatch.setattr(personal_data, CONTROLS[defence], lambda *_: None)
    forget(house)
    assert traces_in_files(house) or traces_in_mails(house)
