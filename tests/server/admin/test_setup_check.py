"""Whether letters will arrive: what each finding says of a world that is well, and of one fault at a time."""

import base64
import re
import socket
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from ipaddress import ip_address
from time import monotonic

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sqlalchemy import make_url

from server.admin import setup_check
from server.admin.dns_check import CheckFinding, CheckResult
from server.admin.dns_lookup import LookupFailed, RecordType
from server.admin.environment_probes import LiveProbes, Unreachable
from server.admin.sender_policy import PATIENCE, PolicyError, PolicyUnknown, evaluate_policy
from server.admin.setup_check import check_setup
from server.configuration.database_urls import file_of_database
from server.configuration.endpoints import Endpoint, Relay
from server.configuration.settings import Settings
from server.delivery.transports import RelayAway
from server.monitoring.health import LEAST_FREE
from server.store.seats import SeatRequest
from tests.ports import free_port
from tests.server.desk import NOON, SECRET, desk, open_game, start_game, type_in

SPF, DMARC = "v=spf1 mx include:relay.example.net -all", "v=DMARC1; p=quarantine"


def evaluate(world, address="192.0.2.7", seconds=PATIENCE):
    return evaluate_policy(world, "example.org", address, monotonic() + seconds)


@cache
def rsa_key(bits):
    public = rsa.generate_private_key(65537, bits).public_key()
    return base64.b64encode(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


@dataclass
class World:
    """A world by hand, in which all is well but for what a test changes."""

    mx: list[str] = field(default_factory=lambda: ["mx.example.org"])
    txt: dict[str, list[str]] = field(
        default_factory=lambda: {
            "relay.example.net": ["v=spf1 ip4:198.51.100.0/24 -all"],
            "example.org": ["some-site-verification=1", SPF],
            "_dmarc.example.org": [DMARC],
            "s1._domainkey.example.org": [f"v=DKIM1; k=rsa; p={rsa_key(2048)}"],
        }
    )
    hosts: dict[str, list[str]] = field(
        default_factory=lambda: {
            "mx.example.org": ["192.0.2.7"],
            "relay.example.net": ["198.51.100.1"],
        }
    )
    names: dict[str, str] = field(default_factory=lambda: {"192.0.2.7": "mx.example.org"})
    own: tuple[str, ...] = ("192.0.2.7", "127.0.1.1", "10.0.0.7")
    tls: str = "TLSv1.3"
    relay_fault: str = ""
    page: str = "ok"
    clock: bool | None = True
    free: int = 10**10
    dns_fault: str = ""

    def look_up(self, name, kind):
        if self.dns_fault:
            raise LookupFailed(self.dns_fault)
        match kind:
            case RecordType.MX:
                return self.mx
            case RecordType.TXT:
                return self.txt.get(name, [])
            case RecordType.PTR:
                return [host for one, host in self.names.items() if ip_address(one).reverse_pointer == name]
        version = 4 if kind is RecordType.A else 6
        return [one for one in self.hosts.get(name, []) if ip_address(one).version == version]

    def is_own_address(self, address):
        return address in self.own

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
        "relay", CheckResult.OK, "relay.example.net:465 answers, TLSv1.3, signed in as anna"
    )


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"database": "sqlite:///games.db"}, "DATABASE"),
        ({"base_url": "http://alexandros.example.org"}, "BASE_URL"),
        ({"mail_out": "local"}, "MAIL_OUT"),
        ({"mail_in": "none"}, "MAIL_IN"),
        ({"operator": "none"}, "OPERATOR"),
        ({"operator": "anna@example.org"}, "OPERATOR"),
        ({"trusted_proxies": "none"}, "TRUSTED_PROXIES"),
    ],
)
def test_a_setting_that_does_not_do_what_is_wanted_is_named_with_what_can_be_done(changed, what):
    assert wrong(World(), **changed) == {f"ALEXANDROS_{what}"}
    assert findings(World(), **changed)[f"ALEXANDROS_{what}"].advice


def test_a_relay_that_is_none_is_called_by_the_word_that_was_set():
    found = findings(World(), base_url="http://127.0.0.1:8000", mail_out="local")["ALEXANDROS_MAIL_OUT"]
    assert found == CheckFinding(
        "ALEXANDROS_MAIL_OUT", CheckResult.OK, "local: letters stay in the built-in mailbox"
    )


def test_letters_from_another_domain_than_answers_go_to_are_named():
    world = World()
    world.txt |= {"_dmarc.example.com": [DMARC], "s1._domainkey.example.com": [f"p={rsa_key(2048)}"]}
    assert wrong(world, mail_from="play@example.com") == {"ALEXANDROS_MAIL_FROM"}
    assert wrong(world, mail_from="play@mail.example.org") == {"DKIM"}  # one organisation; no key is there


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ({"relay_fault": "refused user or password"}, "relay"),
        ({"tls": ""}, "relay"),
        ({"page": "Welcome to nginx"}, "pages"),
        ({"mx": []}, "MX"),
        ({"mx": [""]}, "MX"),
        ({"hosts": {"relay.example.net": ["198.51.100.1"]}}, "MX"),
        ({"clock": False}, "clock"),
        ({"clock": None}, "clock"),
        ({"free": 10**6}, "disk"),
        ({"free": LEAST_FREE - 1}, "disk"),
    ],
)
def test_what_is_wrong_around_the_server_is_named_with_what_can_be_done(fault, what):
    world = World(**fault)
    assert wrong(world) == {what}
    assert findings(world)[what].advice


@pytest.mark.parametrize(
    ("name", "records", "what"),
    [
        ("example.org", [], "SPF"),
        ("example.org", [SPF, SPF], "SPF"),
        ("example.org", ["v=spf1 mx +all"], "SPF"),
        ("example.org", ["v=spf1 all"], "SPF"),
        ("example.org", ["v=spf10 mx -all"], "SPF"),
        ("_dmarc.example.org", [], "DMARC"),
        ("_dmarc.example.org", ["v=DMARC1; p=none"], "DMARC"),
        ("_dmarc.example.org", [DMARC, DMARC], "DMARC"),
        ("s1._domainkey.example.org", [], "DKIM"),
        ("s1._domainkey.example.org", ["v=DKIM1; p="], "DKIM"),
        ("s1._domainkey.example.org", ["v=DKIM1; p=MIIBIj"], "DKIM"),
        ("example.org", ["v=spf1 ip4:192.0.2.0/24 -all"], "SPF"),
        ("example.org", ["v=spf1 include:nobody.example.net -all"], "SPF"),
        ("example.org", ["v=spf1 redirect=example.org"], "SPF"),
        ("example.org", ["v=spf1 ip4:nonsense -all"], "SPF"),
    ],
)
def test_what_the_dns_says_wrongly_is_named(name, records, what):
    world = World()
    world.txt[name] = records
    assert wrong(world) == {what}


@pytest.mark.parametrize(
    ("record", "address", "said"),
    [
        ("v=spf1 mx -all", "192.0.2.7", "pass"),
        ("v=spf1 mx/24 -all", "192.0.2.9", "pass"),
        ("v=spf1 a:mx.example.org ~all", "192.0.2.8", "softfail"),
        ("v=spf1 ip6:2001:db8::/32 -all", "2001:db8::1", "pass"),
        ("v=spf1 ip4:192.0.2.7", "192.0.2.8", "neutral"),
        ("v=spf1 -include:relay.example.net ?all", "198.51.100.9", "fail"),
        ("v=spf1 redirect=relay.example.net", "198.51.100.9", "pass"),
    ],
)
def test_an_spf_record_is_read_as_receivers_read_it(record, address, said):
    world = World()
    world.txt["example.org"] = [record]
    assert evaluate(world, address) == said


@pytest.mark.parametrize(
    "record",
    [
        "v=spf1 exists:%{ir}._spf.example.net -all",
        "v=spf1 ptr -all",
        "v=spf1 ptr:example.org -all",
        "v=spf1 include:%{d2}.example.net -all",
        "v=spf1 a:%{h}/24 -all",
        "v=spf1 redirect=_spf.%{d}",
        "v=spf1 include:asks.example.net -all",
    ],
)
def test_what_spf_says_of_a_letter_alone_is_not_known_and_no_fault(record):
    world = World(txt=World().txt | {"asks.example.net": ["v=spf1 exists:%{i}.example.net"]}, tls="")
    world.txt["example.org"] = [record]
    with pytest.raises(PolicyUnknown, match="not known from here"):
        evaluate(world)
    found = findings(world, mail_out="smtp://127.0.0.1:25")["SPF"]
    assert found.verdict is CheckResult.UNKNOWN
    assert found.advice
    world.txt["example.org"] = [record.replace("v=spf1 ", "v=spf1 -ip4:198.51.100.1 ")]
    found = findings(world, mail_sends_from="198.51.100.1, 192.0.2.7")["SPF"]
    assert found.verdict is CheckResult.WRONG, "of one of two it is known"
    world.txt["example.org"] = [record.replace("v=spf1 ", "v=spf1 mx ")]
    assert evaluate(world) == "pass", "what stands before it has been known already"


def test_spf_is_read_within_the_limits_of_receivers():
    world = World()
    void = " ".join(f"a:gone{number}.example.net" for number in range(3))
    for record in (
        f"v=spf1 {void} mx -all",
        "v=spf1 " + "a:relay.example.net " * 11 + "mx -all",
        "v=spf1 exists -all",
    ):
        world.txt["example.org"] = [record]
        with pytest.raises(PolicyError):
            evaluate(world)
    world.txt["example.org"] = [f"v=spf1 {void.removesuffix(' a:gone2.example.net')} mx -all"]
    assert evaluate(world) == "pass", "two are taken"
    world.mx = ["mx.example.org"] * 11
    with pytest.raises(PolicyError):
        evaluate(world)
    with pytest.raises(LookupFailed):
        evaluate(world, seconds=-1)


def test_a_relay_whose_addresses_are_set_is_judged_by_them():
    assert findings(World(), mail_sends_from="198.51.100.0/25")["SPF"].verdict is CheckResult.OK
    outside = findings(World(), mail_sends_from="198.51.100.0/24, 203.0.113.1")["SPF"]
    assert outside.verdict is CheckResult.WRONG
    assert "203.0.113.1: fail" in outside.said
    half = findings(World(), mail_sends_from="198.51.100.0/23")["SPF"]
    assert "198.51.101.255: fail" in half.said, "the last of a network"
    assert "198.51.100.0:" not in half.said, "the first may send"


def test_the_name_of_each_address_that_is_set_leads_back_to_it():
    given = {"mail_sends_from": "198.51.100.1, 198.51.100.2"}
    world = World()
    world.names |= {"198.51.100.1": "relay.example.net", "198.51.100.2": "relay.example.net"}
    assert wrong(world, **given) == {"PTR"}
    world.hosts["relay.example.net"] = ["198.51.100.1", "198.51.100.2"]
    assert wrong(world, **given) == set()
    assert wrong(World(), **given) == {"PTR"}, "they have no name"
    assert wrong(World(), mail_sends_from="198.51.100.0/24, 198.51.100.1") == {"PTR"}
    assert wrong(World(), mail_sends_from="198.51.100.0/24") == set(), "of a network none is looked at"


def test_where_a_provider_sends_from_is_not_known_and_where_we_do_it_is():
    world = World(tls="")
    world.txt["example.org"] = ["v=spf1 ip4:203.0.113.1 -all"]
    assert findings(world)["SPF"].verdict is CheckResult.UNKNOWN
    assert findings(world, mail_out="smtp://127.0.0.1:25")["SPF"].verdict is CheckResult.WRONG


@pytest.mark.parametrize("policy", [SPF, "v=spf1 -all"])
@pytest.mark.parametrize("address", ["127.0.1.1", "10.0.0.7"])
def test_a_private_address_says_nothing_of_what_the_world_sees(address, policy):
    world = World(tls="", names={address: "mx.example.org"} if policy == SPF else {})
    world.txt["example.org"] = [policy]
    world.hosts["mx.example.org"] = [address]
    for given in ({}, {"mail_sends_from": address}):
        found = findings(world, mail_out="smtp://127.0.0.1:25", **given)
        for one in (found["SPF"], found["PTR"]):
            assert one.verdict is CheckResult.UNKNOWN
            assert address in one.said
            assert "ALEXANDROS_MAIL_SENDS_FROM" in one.advice
    world.hosts["relay.example.net"] = ["10.0.0.9"]
    assert "10.0.0.9" in findings(world)["SPF"].said, "a relay on a network of our own"


def test_a_provider_who_takes_our_mail_is_not_where_this_machine_sends_from():
    """The MX is theirs, and Postfix here sends."""
    world, local = World(tls="", own=("203.0.113.1",), names={}), {"mail_out": "smtp://127.0.0.1:25"}
    world.txt["example.org"] = ["v=spf1 ip4:203.0.113.1 -all"]
    for what in ("SPF", "PTR"):
        found = findings(world, **local)[what]
        assert found.verdict is CheckResult.UNKNOWN
        assert "ALEXANDROS_MAIL_SENDS_FROM" in found.advice
    world.names["203.0.113.1"], world.hosts["out.example.org"] = "out.example.org", ["203.0.113.1"]
    assert wrong(world, mail_sends_from="203.0.113.1", **local) == {"MX"}, "it may hand it on to us"
    world.mx.append("out.example.org")
    assert wrong(world, **local) == set(), "one of them is this machine"


def test_a_relay_may_be_an_address_and_one_without_a_record_sends_from_nobody_knows_where():
    known = findings(World(), mail_out="smtps://anna:word@198.51.100.1:465")["SPF"]
    assert known.verdict is CheckResult.OK
    unknown = findings(World(), mail_out="smtps://anna:word@relay.internal:465")["SPF"]
    assert unknown.verdict is CheckResult.UNKNOWN


def test_without_a_relay_no_letter_leaves_and_no_name_is_looked_at():
    found = findings(World(names={}), mail_out="local")["PTR"]
    assert found == CheckFinding("PTR", CheckResult.OK, "no letters leave: there is no relay")


@pytest.mark.parametrize(
    ("record", "verdict"),
    [
        ("v=DMARC1; p=reject; sp=none", CheckResult.WRONG),
        ("v=DMARC1; p=none; sp=reject", CheckResult.OK),
        ("v=DMARC1; p=quarantine", CheckResult.OK),
        ("v=DMARC1; p=none", CheckResult.WRONG),
    ],
)
def test_a_parent_domain_says_with_sp_what_becomes_of_letters_from_those_below(record, verdict):
    world = World()
    world.txt["_dmarc.example.org"] = [record]
    below = findings(world, mail_from="play@mail.example.org")["DMARC"]
    assert below.verdict is verdict
    assert ("sp=quarantine" in below.advice) == ("sp=none" in record)
    own = findings(world)["DMARC"].verdict
    assert own is (CheckResult.WRONG if "; p=none" in record else CheckResult.OK), "p= is for itself"


def test_without_a_selector_the_key_is_not_looked_at_and_that_is_no_fault():
    assert findings(World(), selector="")["DKIM"].verdict is CheckResult.UNKNOWN


def test_a_setting_without_a_value_says_what_that_means():
    found = findings(World(), selector="", mail_selector="none")
    selector = found["ALEXANDROS_MAIL_SELECTOR"]
    assert selector.verdict is CheckResult.OK
    assert selector.said == "not set: the key that signs letters is not looked at"
    assert not any("None" in one.said for one in findings(World(), mail_authserv="none").values())


@pytest.mark.parametrize("way", [{}, {"mail_in": "imaps://box:word@mx.example.org/INBOX"}])
def test_where_nobody_judges_who_wrote_a_mail_it_is_said_that_a_forged_one_plays(way):
    found = findings(World(), mail_authserv="none", **way)["ALEXANDROS_MAIL_AUTHSERV"]
    assert (found.verdict, "forged From plays" in found.said) == (CheckResult.UNKNOWN, True)
    assert "DMARC" in found.advice
    none = findings(World(), mail_authserv="none", mail_in="none")["ALEXANDROS_MAIL_AUTHSERV"]
    assert (none.verdict, "none comes in" in none.said) == (CheckResult.OK, True)


def test_under_https_it_is_said_that_browsers_are_not_told_to_stay_there():
    found = findings(World(), hsts="0")["ALEXANDROS_HSTS"]
    assert (found.verdict, "by https alone" in found.said) == (CheckResult.UNKNOWN, True)
    at_home = findings(World(), hsts="0", base_url="http://localhost:8000")["ALEXANDROS_HSTS"]
    assert (at_home.verdict, at_home.said) == (CheckResult.OK, "0")


def test_another_machine_that_takes_the_mail_is_no_fault_and_not_known_to_hand_it_on():
    """We listen, and the mail of the domain goes to a provider: it may forward it, or keep it."""
    elsewhere = World(own=())
    found = findings(elsewhere)["MX"]
    assert (found.verdict, "no address of this machine" in found.said) == (CheckResult.UNKNOWN, True)
    fetched = findings(elsewhere, mail_in="imaps://box:word@mx.example.org/INBOX")["MX"]
    assert fetched.verdict is CheckResult.OK


def test_the_selector_that_is_set_is_taken_and_the_one_that_is_given_goes_before_it():
    assert findings(World(), selector="", mail_selector="s1")["DKIM"].verdict is CheckResult.OK
    assert "s2._domainkey" in findings(World(), selector="s2", mail_selector="s1")["DKIM"].said


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
        start_game(context, "Anna", "Ben")
    open_game(
        context, "Friday", [SeatRequest.read("Anna <anna@example.org>"), SeatRequest.read("house")], NOON
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


def test_where_letters_leave_from_this_machine_its_address_must_have_its_name():
    local = {"mail_out": "smtp://127.0.0.1:25"}
    assert wrong(World(tls=""), **local) == set()
    assert wrong(World(tls="", names={}), **local) == {"PTR"}
    other = World(tls="", names={"192.0.2.7": "other.example"})
    other.hosts["other.example"] = ["192.0.2.8"]
    assert wrong(other, **local) == {"PTR"}
    other.hosts["other.example"] = ["2001:db8::7", "192.0.2.7"]
    assert wrong(other, **local) == set()


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
    result = type_in(context, "check")
    assert result.exit_code == 1  # nobody serves the pages
    lines = result.stdout.splitlines()
    assert all(len(line) < 80 for line in lines)
    assert any(line.startswith("wrong  pages: ") for line in lines)
    known = "ok    " if file_of_database(context.settings.database) else "?     "
    assert any(line.startswith(f"{known} disk: ") for line in lines)
    assert SECRET not in result.output
    few = type_in(context, "check", "--wrong").stdout.splitlines()
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
    result = type_in(away, "check")
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


def test_the_real_world_knows_which_addresses_are_of_this_machine():
    assert LiveProbes().is_own_address("127.0.0.1")
    assert not LiveProbes().is_own_address("192.0.2.7")
    assert not LiveProbes().is_own_address("2001:db8::7")
