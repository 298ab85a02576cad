"""A backup made while acts are played, and its return: what is lost opens and plays nothing, and is told."""

import re
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pydantic import SecretStr
from sqlalchemy import make_url
from sqlmodel import col, func, select
from werkzeug.test import TestResponse

from emails.letters import game_letters
from emails.tokens import Ticket, unseal_ticket
from engine.notation.orders import write
from engine.position import view
from engine.rules import legal
from server.accounts.addresses import confirm_address, request_address_confirmation
from server.accounts.sign_in import create_key
from server.accounts.unsubscribe import end_unwanted_letters, stop_letters
from server.admin import backups
from server.admin.backups import (
    SKIPPED_NUMBERS,
    SetBackReport,
    back_up,
    examine_stored_acts,
    restore_file,
    set_back,
)
from server.delivery.sending import send_operator_mails
from server.mail_addresses import digest_address
from server.outbox.notifications import Notification, load_preferences
from server.outbox.queue import UnitOfWork, tell_operator
from server.personal_data import forget_address
from server.retention import delete_all_expired
from server.store.context import RecentlyUsed, is_set_back
from server.store.dialects import BackupRefused
from server.store.encrypted import WITHDRAWALS_KEPT_FOR, read_withdrawals
from server.store.models import (
    Act,
    Block,
    ChatMessage,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    PreparedLetter,
    Seating,
)
from server.store.states import NO_SEAT, BlockOrigin, Hindrance, LetterState, OperatorMatter
from tests.breadth import first
from tests.postgresql import cluster
from tests.server.desk import ANNA, BEN, NOON, Collector, Desk, body, desk, kinds, words_of
from tests.server.inbox.test_mail_dispatch import reply
from tests.server.storage import POSTGRESQL, storage
from tests.server.web.site import Site, Visitor, site

PEOPLE = "Anna", "Ben"


class Night:
    """A server whose last hours are lost: what was mailed in them is still in the mailboxes."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.place = site(folder, **settings)
        self.context, self.post, self.copy = self.place.context, Collector(), folder / "copy.db"
        self.clock = self.place.clock
        self.game = self.context.start_game(*PEOPLE)
        for name in PEOPLE:
            self.context.set_preferences(self.game, name, pictures=False)
        self.work()
        self.take_turn()
        back_up(self.context, self.copy, self.clock())
        self.saved = self.acts()
        self.clock.forward(1)
        self.take_turn()
        self.lost = self.acts()
        self.clock.forward(1)

    def work(self) -> None:
        self.context.work_until_idle(self.post, self.clock())

    def acts(self) -> list[tuple[int, str]]:
        return [(one.seq, one.events) for one in self.context.rows_of(Act)]

    def choice(self, number: int) -> str:
        position = self.context.position_of(self.game)
        actions = list(legal(view(position, position.table.seat)))
        return write(actions[number % len(actions)], position.table.board)

    def take_turn(self, number: int = 0) -> None:
        row = self.context.game_row(self.game)
        turn = row.turn
        while row.turn == turn:
            self.context.play(self.game, row.seat, row.after, [self.choice(number)], "link", self.clock())
            row = self.context.game_row(self.game)
        self.work()

    def letters_about_no_act(self, mark: str) -> dict[str, str]:
        """A mail asks for help, the operator is told of something, a letter of the day leaves: their ids."""
        before, name = len(self.post.mails), self.context.mover(self.game)
        reply(
            self.context, self.post.to(name)[-1], "help", now=self.clock(), Message_ID=f"<{mark}@example.org>"
        )
        with self.context.changing() as session:
            tell_operator(self.context, session, OperatorMatter.LETTERS_REFUSED, "Some are.", self.clock())
            day = Notification(
                self.context.seat_of(self.game, name), game_letters.Digest(), mark="2026-03-02T14"
            )
            UnitOfWork(self.context, session, self.clock()).queue(session.get_one(Game, self.game), [day])
        send_operator_mails(self.context, self.post, self.clock())
        self.work()
        self.clock.forward(1)
        sent = {str(mail["X-Alexandros"]): str(mail["Message-ID"]) for mail in self.post.mails[before:]}
        digests = self.context.rows_of(OutgoingLetter, OutgoingLetter.kind == "digest")
        return sent | {"digest": digests[-1].message_id}

    def lose(self) -> list[str]:
        restore(self.context, self.copy, self.clock())
        self.context.history_cache, self.context.chains = RecentlyUsed(), RecentlyUsed()
        before = len(self.post.mails)
        self.work()
        return [str(mail["To"]) for mail in self.post.mails[before:]]

    def get(self, path: str) -> TestResponse:
        """Open a link in a browser that has never been here."""
        return self.place.app.test_client().get(path)


def restore(context: Desk, copy: Path, now: datetime = NOON, *, replacing: bool = True) -> SetBackReport:
    """Let a copy come back where nobody has the database open."""
    context.database.dispose()
    return restore_file(context.settings, copy, now, replacing=replacing)


def type_restore(context: Desk, *how: object) -> Result:
    """Type the command where nobody has the database open."""
    context.database.dispose()
    return context.type_in("restore", *map(str, how))


def links(text: str) -> list[str]:
    found = re.findall(r"/t/[a-z2-7]+", text)
    assert found
    return found


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copy.db"


@pytest.fixture
def night(tmp_path: Path) -> Night:
    return Night(tmp_path)


def test_the_letter_of_a_lost_turn_opens_and_plays_nothing(night):
    letter = night.post.mails[-1]
    assert [str(letter["To"])] == [str(night.post.to(night.context.mover(night.game))[-1]["To"])]
    night.lose()
    night.take_turn(1)  # another turn, so there is an act of the same number
    before = night.acts()
    assert len(before) == len(night.lost)
    assert before != night.lost
    for link in set(links(body(letter))):
        for path in (link, f"{link}/plan", f"{link}/settings", f"{link}/pulse", f"{link}/history"):
            found = night.get(path)
            assert found.status_code == 410, path
            assert "The game was set back" in found.text
            assert "Your hand" not in found.text
        for path in (link, f"{link}/draft", f"{link}/plan"):
            assert night.place.app.test_client().post(path).status_code in (400, 404, 405, 410), path
    assert night.acts() == before


@pytest.mark.parametrize("words", first(2, ["a", "say: hello", "end", "plan: lyre; draw"]))
def test_an_answer_to_a_lost_letter_is_told_so_and_not_played(night, words):
    letter = night.post.mails[-1]
    name = night.context.mover(night.game)
    night.lose()
    night.take_turn(1)
    before, sent = night.acts(), len(night.post.mails)
    reply(night.context, letter, words, now=night.clock())
    night.work()
    assert night.acts() == before
    (answer,) = night.post.mails[sent:]
    assert f"{name.lower()}@" in str(answer["To"])
    assert "the server lost its last hours" in words_of(answer)


def test_everybody_is_told_and_the_turn_goes_out_again(night):
    told = night.lose()
    assert len(told) == len(PEOPLE)
    name = night.context.mover(night.game)
    for mail in night.post.mails[-2:]:
        words = " ".join(body(mail).replace("|", " ").split())
        assert "The game stands again where it stood on 2026-03-02 12:00 (UTC)" in words
    mine = night.post.to(name)[-1]
    assert mine["X-Alexandros"] == "your_turn"
    with night.context.reading() as session:
        assert not is_set_back(night.context, session, _ticket(night, links(body(mine))[0]))
    night.take_turn(2)
    assert list(examine_stored_acts(night.context)) == []


def test_letters_of_before_are_known_and_lead_to_links_that_work(night):
    """Nothing of what the backup knows is lost, but its links may have been withdrawn since."""
    lost = night.context.game_row(night.game).after
    kept = [
        link
        for mail in night.post.mails
        for link in links(body(mail))
        if _ticket(night, link).after < lost and _ticket(night, link).after <= len(night.saved)
    ]
    assert kept
    night.lose()
    with night.context.reading() as session:
        assert not any(is_set_back(night.context, session, _ticket(night, one)) for one in kept)
    for link in kept[:3]:
        page = night.place.visitor().get(f"{link}?look=1")
        assert (page.status, "The links of its player were made new" in page.text) == (410, True)
        assert page.press().status == 200
        night.work()
        assert night.place.visitor().get(links(body(night.post.mails[-1]))[0]).status == 200


def _ticket(night: Night, link: str):
    return unseal_ticket(link.rpartition("/")[2], night.context.links.keys)


def test_no_new_letter_has_the_id_or_the_number_of_a_lost_one(night):
    lost = {one.id: one.message_id for one in night.context.rows_of(OutgoingLetter)}
    old = {str(mail["Message-ID"]) for mail in night.post.mails}
    first = max(lost)
    night.lose()
    night.take_turn(1)
    new = [one for one in night.context.rows_of(OutgoingLetter) if one.message_id not in lost.values()]
    assert new
    assert {one.message_id for one in new}.isdisjoint(old)
    assert all((one.id or 0) > first for one in new if one.seq > len(night.saved))


@pytest.mark.breadth
def test_nor_has_one_that_is_about_no_lost_act(tmp_path):
    """The number of a mail, that of a mail to the operator, and the hour of a day are all given again."""
    night = Night(tmp_path, ALEXANDROS_OPERATOR="operator@example.net")
    for name in PEOPLE:
        night.context.set_preferences(night.game, name, pace="daily")
    back_up(night.context, tmp_path / "later.db", night.clock())
    night.copy = tmp_path / "later.db"
    lost = night.letters_about_no_act("1")
    night.lose()
    night.clock.forward(24)
    night.work()
    new = night.letters_about_no_act("2")
    assert sorted(lost) == sorted(new) == ["digest", "operator", "shown"]
    for kind, message_id in lost.items():
        assert new[kind] != message_id, kind


@pytest.mark.breadth
def test_a_backup_is_one_moment_though_acts_are_played(context, tmp_path):
    games = [context.start_game(*PEOPLE) for _ in range(3)]
    going, played = threading.Event(), []

    def play_on() -> None:
        while not going.is_set():
            for game in games:
                position = context.position_of(game)
                action = next(legal(view(position, position.table.seat)))
                context.say(game, write(action, position.table.board))
                played.append(game)

    player = threading.Thread(target=play_on)
    player.start()
    try:
        for number in range(5):
            before = len(played)
            while len(played) < before + 4:
                assert player.is_alive()
            assert back_up(context, tmp_path / f"{number}.db", NOON) == len(games)
    finally:
        going.set()
        player.join()
    for number in range(5):
        other = tmp_path / f"from{number}"
        other.mkdir()
        settings = context.settings.model_copy(update={"database": make_url(storage().bare(other))})
        restore_file(settings, tmp_path / f"{number}.db", NOON, replacing=False)
        again = desk(other)
        assert list(examine_stored_acts(again)) == []
        assert (tmp_path / f"{number}.db").stat().st_mode & 0o077 == 0
        assert all(again.game_row(game).seq > 1 for game in games)
        again.database.dispose()


def test_what_is_refused(context, game, copy, tmp_path):
    back_up(context, copy, NOON)
    with pytest.raises(BackupRefused, match="exists already"):
        back_up(context, copy, NOON)
    with pytest.raises(BackupRefused, match="cannot be written"):
        back_up(context, tmp_path / "nowhere" / "copy.db", NOON)
    with pytest.raises(BackupRefused, match="no file"):
        restore(context, tmp_path / "none.db")
    (tmp_path / "words.db").write_text("these are words " * 100)
    with pytest.raises(BackupRefused, match="not a backup"):
        restore(context, tmp_path / "words.db")
    with context.reading() as session:
        session.get(Game, "x")
        with pytest.raises(BackupRefused, match=r"alexandros serve"):
            restore_file(context.settings, copy, NOON, replacing=True)
    with pytest.raises(BackupRefused, match="holds 1 game, which"):
        restore(context, copy, replacing=False)


@pytest.mark.file
def test_a_database_that_is_damaged_is_moved_away_by_the_operator_first(context, game, copy, tmp_path):
    file = tmp_path / "games.sqlite"
    back_up(context, copy, NOON)
    context.database.dispose()
    file.write_bytes(b"no database at all " * 1000)
    with pytest.raises(BackupRefused, match=r"is damaged .*: move .* away, and restore again"):
        restore(context, copy)
    file.unlink()
    restore(context, copy)
    assert list(examine_stored_acts(desk(tmp_path))) == []


def test_one_damaged_game_leaves_none_of_the_others_untold(context, game, copy):
    damaged = context.start_game("Cleo", "Dirk")
    first = _last_number(context)
    spoilt = f"UPDATE act SET said = 'x' WHERE seq = 1 AND game = '{damaged}'"
    if not storage().spoil(context.database, spoilt):
        pytest.skip("this database keeps no such thing")
    back_up(context, copy, NOON)
    assert type_restore(context, "--replace", copy).exit_code == 2
    done = type_restore(context, "--replace", "--damaged", copy)
    assert (done.exit_code, "the players of 1 game are notified" in done.stdout) == (1, True)
    assert f"game {damaged}: its players get no letter, for it cannot be read: act 1" in done.stdout
    _, _, why = done.stdout.partition("get no letter")
    assert f"act 1 of game {damaged} was changed after it was written" in why
    assert len([line for line in done.stdout.splitlines() if damaged in line]) > 1  # by the doctor as well
    told = context.rows_of(ChatMessage, col(ChatMessage.announcement).is_not(None))
    assert {one.game for one in told} == {game}
    assert _last_number(context) > first + SKIPPED_NUMBERS


LAST_LETTERS = {
    "waiting": {},
    "in hand": {"due_at": NOON + timedelta(minutes=1), "tries": 1},
    "prepared": {},
    "sent": {"state": LetterState.SENT, "sent_at": NOON},
    "told by another": {"state": LetterState.DROPPED},
    "telling another": {"state": LetterState.SENT, "sent_at": NOON},
    "dropped": {"state": LetterState.DROPPED},
    "withheld": {"state": LetterState.WITHHELD},
    "failed": {"state": LetterState.FAILED, "hindrance": Hindrance.CAME_BACK},
}


def leave_last_letter(context: Desk, state: str) -> int:
    last = _last_number(context)
    with context.changing() as session:
        letter, first = session.get_one(OutgoingLetter, last), session.exec(select(OutgoingLetter)).first()
        for name, value in LAST_LETTERS[state].items():
            setattr(letter, name, value)
        if state == "prepared":
            raw = context.links.keys.encrypt(b"a letter")
            session.add(PreparedLetter(letter=last, raw=raw, text="", heard=0, numbers="{}", at=NOON))
        telling = {"told by another": (letter, first), "telling another": (first, letter)}
        if state in telling:
            told, by = telling[state]
            told.merged_into = by.id
    return last


@pytest.mark.systems
@pytest.mark.parametrize("otherwise", [False, True], ids=["a copy", "otherwise"])
@pytest.mark.parametrize("state", LAST_LETTERS)
def test_it_comes_back_whatever_state_the_last_letter_has(context, game, carrier, copy, state, otherwise):
    last = leave_last_letter(context, state)
    back_up(context, copy, NOON)
    done = type_restore(context, *(["--came-back-otherwise"] if otherwise else ["--replace", copy]))
    assert (done.exit_code, "the players of 1 game are notified" in done.stdout) == (0, True), done.output
    [kept] = context.rows_of(OutgoingLetter, OutgoingLetter.id == last)
    assert kept.seat != NO_SEAT, "a mail server may still send it back"
    assert min(context.rows_of(OutgoingLetter.id, OutgoingLetter.id > last)) == last + SKIPPED_NUMBERS
    context.work_until_idle(carrier, datetime.now(UTC))
    assert {str(mail["To"]).partition("@")[0].title() for mail in carrier.mails} == set(PEOPLE)
    assert kinds(carrier.mails).count("your_turn") == 1


@pytest.mark.systems
def test_a_copy_of_what_came_back_comes_back(context, game, tmp_path):
    for number in range(2):
        copy = tmp_path / f"{number}.db"
        back_up(context, copy, NOON)
        before, generation = _last_number(context), _last_number(context, Seating.generation)
        assert type_restore(context, "--replace", copy).exit_code == 0
        context.work_until_idle(Collector(), datetime.now(UTC))
        assert type_restore(context, "--replace", tmp_path / "0.db").exit_code == 0
        assert _last_number(context) > before + 2 * SKIPPED_NUMBERS, "the second return skips further"
        assert _last_number(context, Seating.generation) > generation


def _last_number(context: Desk, column: Any = OutgoingLetter.id) -> int:
    """The highest number that was given, such as that of the last letter."""
    with context.reading() as session:
        return session.exec(select(func.max(column))).one()


def move(context: Desk, game: str, name: str, address: str) -> None:
    request_address_confirmation(context, game, context.seat_of(game, name), address, NOON)
    context.committed(NOON, confirm_address, *context.confirmation_codes(address, "address"))


def stop(context: Desk, game: str, name: str) -> None:
    context.committed(NOON, stop_letters, game, context.seat_of(game, name), False)


@pytest.mark.systems
@pytest.mark.parametrize("otherwise", [False, True], ids=["a copy", "otherwise"])
def test_what_was_withdrawn_since_the_copy_is_withdrawn_again(context, carrier, copy, system, otherwise):
    if otherwise and system == POSTGRESQL:
        return  # the journal comes back with the whole PostgreSQL
    place, game = Site(context), context.start_game(*PEOPLE, "Cleo", "Dirk")
    seat, never = context.seat_of(game, "Ben"), digest_address("eve@example.com")
    link, browser = place.link(game, seat=seat), place.signed_in(game, seat)
    key = create_key(context, context.player_of(game, seat), "a program", NOON)
    program = {"Authorization": f"Bearer {key}"}
    context.type_in("ban", "b.example")
    back_up(context, copy, NOON)
    kept = storage().keep(context.database)
    context.type_in("ban", "a.example", "192.0.2.0/24", "mallory@example.com")
    context.type_in("allow", "b.example", "mallory@example.com")
    context.committed(NOON, end_unwanted_letters, never)
    stop(context, game, "Anna")
    forget_address(context, "cleo+games@example.org", NOON)
    move(context, game, "Dirk", "dirk@example.net")
    if otherwise:
        storage().put_back(context.database, kept)
    done = type_restore(context, *(["--came-back-otherwise"] if otherwise else ["--replace", copy]))
    assert (done.exit_code, "d…@example.org was replaced by an address" in done.stdout) == (1, True)
    context.forget_games()
    assert place.visitor().get(link).status == 410
    assert browser.client.get("/me").status_code == 303
    assert place.app.test_client().get("/api/games", headers=program).status_code == 401
    [anna] = context.rows_of(Player.id, Player.address == "anna@example.org")
    with context.reading() as session:
        assert not load_preferences(session, anna, game).letters
    operator, dirk = BlockOrigin.OPERATOR, digest_address("dirk@example.org")
    banned = {("a.example", operator), ("192.0.2.0/24", operator), (dirk, operator)}
    blocks = {(one.value, one.origin) for one in context.rows_of(Block)}
    assert blocks == banned | {(never, BlockOrigin.READER)}
    names = {f"{name}@example.org" for name in ("anna", "ben", "dirk")}
    assert set(context.rows_of(Player.address)) == names
    context.work_until_idle(carrier, NOON)
    assert {mail["To"] for mail in carrier.mails} == {"ben@example.org"}
    found = [one for mail in carrier.mails for one in re.findall("/t/[a-z2-7]+", body(mail))]
    assert found
    assert {place.visitor().get(one).status for one in found} == {200}


@pytest.mark.systems
def test_the_journal_is_kept_for_as_long_as_a_copy_may_come_back(context, game, copy):
    later = timedelta(days=10)
    back_up(context, copy, NOON)
    stop(context, game, "Ben")
    context.committed(NOON + later, stop_letters, game, context.seat_of(game, "Anna"), False)
    left = []
    for age in (WITHDRAWALS_KEPT_FOR - later, WITHDRAWALS_KEPT_FOR, WITHDRAWALS_KEPT_FOR + later):
        delete_all_expired(context, NOON + age)
        left.append([one.at - NOON for one in read_withdrawals(context, context.settings.database)[0]])
    assert left == [[timedelta(), later], [later], []]
    days = (timedelta(days=day) for day in (-1, 1))
    reports = [restore(context, copy, NOON + WITHDRAWALS_KEPT_FOR + day) for day in days]
    assert ["older than 400 days" in str(one.findings) for one in reports] == [False, True]


@pytest.mark.file
def test_the_journal_names_nobody_and_tells_of_a_secret_that_is_gone(context, game, copy, tmp_path):
    back_up(context, copy, NOON)
    stop(context, game, "Ben")
    journal = tmp_path / "games.sqlite-withdrawals"
    assert journal.stat().st_mode & 0o077 == 0
    mailbox = context.rows_of(Player.mailbox)[0]
    assert not re.search(f"{mailbox}|ben|{game}", journal.read_text())
    with journal.open("a") as cut_off:
        cut_off.write("gAAAA")
    stop(context, game, "Anna")
    secret = SecretStr("mGx5sPq0Zr8uTb3LkVw9eYd2hNc7aJf4")
    newer = Desk(context.settings.model_copy(update={"secret": secret}), context.database, context.links)
    done = type_restore(newer, "--replace", copy)
    assert "3 withdrawals are not repeated: their secret is not in ALEXANDROS_SECRET" in done.stdout
    done = type_restore(context, "--replace", copy)
    assert "1 withdrawals are not repeated" in done.stdout


SPOILT = {
    "ALTER TABLE block RENAME TO b; CREATE VIEW block AS SELECT * FROM b": "it contains view block",
    "ALTER TABLE block ADD COLUMN more": "has other tables than this program creates",
    "UPDATE outgoing SET told_by = 12345": "a row of outgoing refers to a missing row of outgoing",
}


@pytest.mark.file
@pytest.mark.parametrize("statement", SPOILT)
def test_a_copy_that_is_not_as_it_should_be_replaces_nothing(context, game, copy, tmp_path, statement):
    back_up(context, copy, NOON)
    with closing(sqlite3.connect(copy)) as connection:
        connection.executescript(statement)
    before = storage().dump(context.database)
    refused = type_restore(context, "--replace", copy)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert re.search(SPOILT[statement], refused.stderr)
    assert storage().dump(context.database) == before
    assert [one.name for one in tmp_path.glob("games.sqlite-re*")] == []


@pytest.mark.systems
def test_whatever_fails_the_database_stays_and_the_next_run_replaces_it(context, game, copy, monkeypatch):
    back_up(context, copy, NOON)
    stop(context, context.start_game("Cleo", "Dirk"), "Cleo")
    before = storage().dump(context.database)
    for broken in ("_skip_numbers", "_write_to_players"):
        with monkeypatch.context() as patched:
            patched.setattr(backups, broken, lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                restore(context, copy)
        assert storage().dump(context.database) == before, broken
    report = restore(context, copy)
    assert (report.games, report.findings) == (1, ())
    assert len(context.rows_of(Game)) == 1
    if report.kept.startswith("/"):
        with closing(sqlite3.connect(report.kept)) as connection:
            assert connection.execute("SELECT count(*) FROM game").fetchone() == (2,)
        assert Path(report.kept).stat().st_mode & 0o077 == 0
    else:
        kept = f"SELECT count(*) FROM {report.kept.split()[-1]}.game"
        assert cluster().execute(kept, context.settings.database.database) == [(2,)]


def test_a_ticket_from_before_eras_is_good_till_its_game_is_set_back(night):
    row = night.context.game_row(night.game)
    assert set(night.context.rows_of(Seating.generation)) == {0}
    assert not night.context.rows_of(IncomingMail)
    old = night.context.links.ticket_link(Ticket(night.game, row.seat, row.after))
    path = old.removeprefix(night.context.links.base_url)
    assert night.get(path).status_code == 200
    night.lose()
    assert night.get(path).status_code == 410


@pytest.mark.breadth
def test_the_page_that_was_open_presses_nothing(night):
    """A draft and a plan are on a page that was loaded before."""
    name = night.context.mover(night.game)
    link = links(body(night.post.to(name)[-1]))[0]
    page = Visitor(night.place.app.test_client()).get(f"{link}?look=1")
    plan = Visitor(night.place.app.test_client())
    other = next(one for one in PEOPLE if one != name)
    plan.get(links(body(night.post.to(other)[-1]))[0] + "/plan")
    night.lose()
    night.take_turn(1)
    before = night.acts()
    for visitor in (page, plan):
        pressed = 0
        for form in visitor.page.xpath("//form[@method='post']"):
            fields = {one.get("name"): one.get("value") or "" for one in form.xpath(".//*[@name]")}
            answer = visitor.client.post(form.get("action"), data=fields)
            if form.get("action").startswith("/t/"):
                pressed += 1
                assert answer.status_code == 410, form.get("action")
                assert "The game was set back" in answer.text
        assert pressed
    assert night.acts() == before


@pytest.mark.breadth
def test_the_same_backup_comes_back_twice(night):
    night.lose()
    night.take_turn(1)
    letter = night.post.mails[-1]
    night.clock.forward(1)
    assert len(night.lose()) == len(PEOPLE)
    assert night.acts() == night.saved
    night.take_turn(2)
    assert night.get(links(body(letter))[0]).status_code == 410
    ids = [str(mail["Message-ID"]) for mail in night.post.mails]
    assert len(ids) == len(set(ids))


def test_numbers_are_skipped_though_no_game_runs(context):
    context.open_game("Friday", [ANNA, BEN], NOON)
    first = _last_number(context)
    assert set_back(context, NOON) == SetBackReport("", 0, ())
    context.start_game(*PEOPLE)
    assert min(context.rows_of(OutgoingLetter.id, OutgoingLetter.id > first)) >= first + SKIPPED_NUMBERS


def test_whoever_came_back_before_the_copy_is_not_forgotten_again(context, copy):
    """The control: what was withdrawn before the copy is as the copy has it."""
    forget_address(context, "ben@example.org", NOON - timedelta(hours=2))
    context.start_game(*PEOPLE)
    back_up(context, copy, NOON)
    assert restore(context, copy).repeated == 0
    assert "ben@example.org" in context.rows_of(Player.address)


@pytest.mark.systems
def test_a_copy_with_a_trigger_replaces_nothing(context, game, tmp_path):
    for change, name in ((storage().refuse_rows, "with"), (storage().take_rows, "without")):
        with context.changing() as session:
            change(session, "act")
        back_up(context, tmp_path / name, NOON)
    with pytest.raises(BackupRefused, match="is no backup of this program"):
        restore(context, tmp_path / "with")
    assert restore(context, tmp_path / "without").games == 1
