"""Whether letters will arrive: what each finding says of a world that is well, and of one fault at a time."""

import re
import socket
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from sqlalchemy import make_url

from server.admin import setup_check
from server.admin.setup_check import CheckFinding, CheckResult, LiveProbes, Unreachable, check_setup
from server.delivery.relay import RelayAway
from server.monitoring import LEAST_FREE
from server.network import Endpoint, Relay
from server.settings import Settings, file_of_database
from server.store.game_terms import SeatRequest
from tests.ports import free_port
from tests.server.desk import NOON, SECRET, desk

SPF, DMARC, KEY = "v=spf1 mx include:relay.example.net -all", "v=DMARC1; p=quarantine", "v=DKIM1; p=MIIBIj"


@dataclass
class World:
    """A world by hand, in which all is well but for what a test changes."""

    mx: list[str] = field(default_factory=lambda: ["mx.example.org"])
    txt: dict[str, list[str]] = field(
        default_factory=lambda: {
            "example.org": ["some-site-verification=1", SPF],
            "_dmarc.example.org": [DMARC],
            "s1._domainkey.example.org": [KEY],
        }
    )
    tls: str = "TLSv1.3"
    relay_fault: str = ""
    page: str = "ok"
    clock: bool | None = True
    free: int = 10**10
    dns_fault: str = ""

    def look_up(self, name, kind):
        if self.dns_fault:
            raise Unreachable(self.dns_fault)
        return self.mx if kind == "MX" else self.txt.get(name, [])

    def greet_relay(self, relay):
        if self.relay_fault:
            raise RelayAway(self.relay_fault)
        return self.tls

    def open_mailbox(self, box):
        pass

    def connect(self, at):
        pass

    def fetch(self, url):
        return self.page

    def is_clock_set(self):
        return self.clock

    def free_bytes(self, path):
        return self.free


def settings(**changed):
    given = {
        "database": "sqlite:////var/lib/alexandros/games.db",
        "base_url": "https://alexandros.example.org",
        "secret": SECRET,
        "mail_out": "smtps://anna:hidden-word@relay.example.net:465",
        "mail_from": "Alexandros <alexandros@example.org>",
        "mail_domain": "example.org",
        "mail_in": "smtp://0.0.0.0:25",
        "operator": "operator@example.net",
        "trusted_proxies": "127.0.0.1",
        "mail_authserv": "mx.example.org",
        "hsts": "31536000",
        **changed,
    }
    return Settings.read({f"ALEXANDROS_{name.upper()}": text for name, text in given.items()})


def findings(world, selector="s1", **changed):
    return {one.what: one for one in check_setup(settings(**changed), world, NOON, selector)}


def wrong(world, **changed):
    return {what for what, one in findings(world, **changed).items() if one.verdict is not CheckResult.OK}


def test_where_all_is_well_each_setting_and_each_thing_is_ok_and_no_password_is_shown():
    found = findings(World())
    assert [one for one in found.values() if one.verdict is not CheckResult.OK] == []
    assert {f"ALEXANDROS_{name.upper()}" for name in Settings.model_fields} <= found.keys()
    assert not any(SECRET in one.said or "hidden-word" in one.said for one in found.values())
    assert found["relay"] == CheckFinding(
        CheckResult.OK, "relay", "relay.example.net:465 answers, TLSv1.3, signed in as anna"
    )


@pytest.mark.parametrize(
    ("changed", "fault", "what"),
    [
        ({"database": "sqlite:///games.db"}, {}, "ALEXANDROS_DATABASE"),
        ({"base_url": "http://alexandros.example.org"}, {}, "ALEXANDROS_BASE_URL"),
        ({"mail_out": "local"}, {}, "ALEXANDROS_MAIL_OUT"),
        ({"mail_in": "none"}, {}, "ALEXANDROS_MAIL_IN"),
        ({"operator": "none"}, {}, "ALEXANDROS_OPERATOR"),
        ({"operator": "anna@example.org"}, {}, "ALEXANDROS_OPERATOR"),
        ({"trusted_proxies": "none"}, {}, "ALEXANDROS_TRUSTED_PROXIES"),
        ({}, {"relay_fault": "refused user or password"}, "relay"),
        ({}, {"tls": ""}, "relay"),
        ({}, {"page": "Welcome to nginx"}, "pages"),
        ({}, {"mx": []}, "MX"),
        ({}, {"mx": [""]}, "MX"),
        ({}, {"clock": False}, "clock"),
        ({}, {"clock": None}, "clock"),
        ({}, {"free": 10**6}, "disk"),
        ({}, {"free": LEAST_FREE - 1}, "disk"),
    ],
)
def test_a_wrong_setting_or_a_fault_around_the_server_is_named_with_what_can_be_done(changed, fault, what):
    world = World(**fault)
    assert wrong(world, **changed) == {what}
    assert findings(world, **changed)[what].advice


def test_letters_from_another_domain_than_answers_go_to_are_named():
    world = World()
    world.txt |= {"_dmarc.example.com": [DMARC], "s1._domainkey.example.com": [KEY]}
    assert wrong(world, mail_from="play@example.com") == {"ALEXANDROS_MAIL_FROM"}
    assert wrong(world, mail_from="play@mail.example.org") == {"DKIM"}  # one organisation; no key is there


@pytest.mark.parametrize(
    ("name", "records", "what"),
    [
        ("example.org", [], "SPF"),
        ("example.org", ["v=spf10 mx -all"], "SPF"),
        ("_dmarc.example.org", [], "DMARC"),
        ("s1._domainkey.example.org", [], "DKIM"),
        ("s1._domainkey.example.org", ["v=DKIM1"], "DKIM"),
    ],
)
def test_a_record_that_is_not_in_the_dns_is_named_with_what_it_would_say(name, records, what):
    world = World()
    world.txt[name] = records
    assert wrong(world) == {what}
    found = findings(world)[what]
    assert found.said.startswith(f"{name} has no such record, which ")
    assert "dns.zone" in found.advice


@pytest.mark.parametrize("way", [{}, {"mail_in": "imaps://box:word@mx.example.org/INBOX"}])
def test_where_nobody_judges_who_wrote_a_mail_it_is_said_that_a_forged_one_plays(way):
    found = findings(World(), mail_authserv="none", **way)["ALEXANDROS_MAIL_AUTHSERV"]
    assert (found.verdict, "forged From plays" in found.said) == (CheckResult.UNKNOWN, True)
    assert "DMARC" in found.advice
    none = findings(World(), mail_authserv="none", mail_in="none")["ALEXANDROS_MAIL_AUTHSERV"]
    assert (none.verdict, "no mail comes in" in none.said) == (CheckResult.OK, True)


def test_of_a_database_on_a_server_of_its_own_no_disk_here_is_judged():
    """However little is free on ours."""
    named = "postgresql+psycopg://alexandros:hidden-word@db.example.org/games"
    disk = findings(World(free=0), database=named)["disk"]
    assert disk.verdict is CheckResult.UNKNOWN
    assert "not known from here" in disk.said
    assert disk.advice
    assert findings(World(free=0))["disk"].verdict is CheckResult.WRONG, "a file lies on a disk of ours"


def test_the_disk_is_forecast_by_the_games_that_have_begun(tmp_path, monkeypatch):
    """Eight in the last four weeks; one that waits for its players is none of them."""
    context = desk(tmp_path)
    for _ in range(8):
        context.start_game("Anna", "Ben")
    context.open_game(
        "Friday", [SeatRequest.read("Anna <anna@example.org>"), SeatRequest.read("house")], NOON
    )

    def look(now=NOON, free=2 * LEAST_FREE):
        every = check_setup(context.settings, World(free=free), now)
        [found] = [one for one in every if one.what == "disk"]
        return found

    usual = look()
    assert "2.0 new games a week, 182 KB each" in usual.said, "of so few no size is worked out"
    monkeypatch.setattr(setup_check, "FEWEST_MEASURED", 8)
    measured = int(re.search(r"2\.0 new games a week, ([\d,]+) KB each", look().said)[1].replace(",", ""))
    assert 20 < measured < 2000, "the size of all tables, by eight"
    if file_of_database(context.settings.database) is None:
        assert usual.verdict is CheckResult.UNKNOWN
        return
    monkeypatch.undo()
    assert usual.said.endswith("room for 1,152 more, 576 weeks")
    assert look(NOON + timedelta(weeks=5)).said.endswith(
        "0.0 new games a week, 182 KB each, room for 1,152 more"
    )
    monkeypatch.setattr(setup_check, "LEAST_WEEKS", 577)
    assert (usual.verdict, look().verdict) == (CheckResult.OK, CheckResult.WRONG)
    assert look(NOON + timedelta(weeks=5)).verdict is CheckResult.OK


def test_a_dns_that_is_away_is_said_of_each_and_stops_nothing():
    found = findings(World(dns_fault="the resolver gives no answer"))
    assert {what for what, one in found.items() if one.verdict is CheckResult.WRONG} == {
        "MX",
        "SPF",
        "DKIM",
        "DMARC",
    }
    assert found["disk"].verdict is CheckResult.OK


def test_the_command_prints_lines_of_80_columns_and_ends_with_1_where_something_is_wrong(tmp_path):
    context = desk(tmp_path, ALEXANDROS_BASE_URL=f"http://127.0.0.1:{free_port()}")
    result = context.type_in("check")
    assert result.exit_code == 1  # nobody serves the pages
    lines = result.stdout.splitlines()
    assert all(len(line) < 80 for line in lines)
    assert any(line.startswith("wrong  pages: ") for line in lines)
    known = "ok    " if file_of_database(context.settings.database) else "?     "
    assert any(line.startswith(f"{known} disk: ") for line in lines)
    assert SECRET not in result.output
    few = context.type_in("check", "--wrong").stdout.splitlines()
    assert few
    assert not any(line.startswith("ok ") for line in few)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (
            "postgresql+psycopg://postgres@127.0.0.1:{port}/games?connect_timeout=2",
            "wrong  database: it cannot",
        ),
        ("sqlite:///{folder}/typo.sqlite", "?      database: there is no database"),
        ("sqlite:///{folder}", "wrong  database: it cannot be used"),
    ],
)
def test_a_database_that_cannot_be_opened_is_one_finding_among_the_others(tmp_path, place, line):
    context = desk(tmp_path, ALEXANDROS_BASE_URL=f"http://127.0.0.1:{free_port()}")
    url = make_url(place.format(port=free_port(), folder=tmp_path))
    away = replace(context, settings=context.settings.model_copy(update={"database": url}))
    result = away.type_in("check")
    assert result.exit_code == 1
    assert result.stdout.startswith(line)
    assert any(one.startswith("wrong  pages: ") for one in result.stdout.splitlines())
    assert not (tmp_path / "typo.sqlite").exists()


def test_a_relay_that_is_away_is_told_by_the_real_world_too():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(RelayAway):
        LiveProbes().greet_relay(Relay(Endpoint("127.0.0.1", port), tls=False))
    with pytest.raises(Unreachable):
        LiveProbes().connect(Endpoint("0.0.0.0", port))
