"""A PostgreSQL whose write-ahead log is archived comes back as it was at one moment, and players are told."""

import re

import pytest
from sqlmodel import select

from emails.tokens import unseal_ticket
from engine.bots import stand_in
from server.admin.backups import examine_stored_acts, set_back
from server.store.context import Context, is_set_back
from server.store.models import Act
from server.store.states import Channel
from server.turns.play import play_turn
from tests.breadth import BREADTH
from tests.faults.visits import until
from tests.postgresql import Cluster, durable
from tests.server.desk import (
    NOON,
    Collector,
    body,
    desk,
    game_row,
    set_preferences,
    start_game,
    work_until_idle,
)
from tests.server.storage import POSTGRESQL, choose

PEOPLE = "Anna", "Ben"


@pytest.fixture(autouse=True)
def on_postgresql(system):
    choose(POSTGRESQL)


def office(tmp_path, cluster: Cluster) -> Context:
    return desk(tmp_path, ALEXANDROS_DATABASE=cluster.url("games"))


def take_turn(context: Context, game: str, carrier: Collector) -> None:
    play_turn(context, game, game_row(context, game).after, stand_in, Channel.WEB, NOON)
    work_until_idle(context, carrier, NOON)


def links_set_back(context: Context, mails) -> set[bool]:
    """Whether the links of some letters are of acts that are not there."""
    found = {link for mail in mails for link in re.findall(r"/t/([a-z2-7]+)", body(mail))}
    with context.reading() as session:
        return {is_set_back(context, session, unseal_ticket(one, context.links.keys)) for one in found}


@BREADTH
def test_a_log_that_is_archived_brings_a_moment_back(tmp_path):
    with durable(archive_mode="on", archive_command="true") as primary:
        kept = primary.folder / "archive"
        primary.execute(f"ALTER SYSTEM SET archive_command = 'mkdir -p {kept} && cp %p {kept}/%f'")
        primary.execute("SELECT pg_reload_conf()")
        primary.execute("CREATE DATABASE games")
        context, carrier = office(tmp_path, primary), Collector()
        game = start_game(context, *PEOPLE)
        for name in PEOPLE:
            set_preferences(context, game, name, pictures=False)
        with durable(primary) as copy:
            copy.stop()
            take_turn(context, game, carrier)
            sent, acts = len(carrier.mails), game_row(context, game).seq
            primary.execute("SELECT pg_create_restore_point('monday')")
            take_turn(context, game, carrier)
            lost = carrier.mails[sent:]
            assert links_set_back(context, lost) == {False}
            primary.execute("SELECT pg_switch_wal()")
            context.database.dispose()
            primary.stop()

            copy.configure(
                primary_conninfo="",
                restore_command=f"cp {kept}/%f %p",
                recovery_target_name="monday",
                recovery_target_action="promote",
            )
            copy.start()
            until(lambda: copy.execute("SELECT pg_is_in_recovery()") == [(False,)], "all of the log is read")
            again = office(tmp_path, copy)
            with again.reading() as session:
                assert len(session.exec(select(Act).where(Act.game == game)).all()) == acts
            assert links_set_back(again, lost[-1:]) == {True}
            assert links_set_back(again, carrier.mails[:1]) == {False}
            told, _ = set_back(again, NOON), work_until_idle(again, carrier, NOON)
            assert told.games == 1
            for name in PEOPLE:
                assert "stands again where it stood" in " ".join(body(carrier.to(name)[-1]).split())
            take_turn(again, game, carrier)
            assert list(examine_stored_acts(again)) == []
            again.database.dispose()
