"""A flood wants to shut the door for others: with many mails, many networks, many half requests."""

import socket
import time
from contextlib import ExitStack
from functools import partial
from smtplib import LMTP
from urllib.request import urlopen

import pytest

from tests.attacks import small_world, strangers
from tests.attacks.reading import DOMAIN
from tests.attacks.strangers import PER_ORIGIN, arrived, bare_world, count, house, open_by_form, visit
from tests.breadth import spread

pytestmark = pytest.mark.breadth

PROMPT = 3.0
"""Seconds within which others are served, on a machine that does a lot besides; alone it takes 0.05."""
PROXY, REAL = "127.0.0.1", "203.0.113.50"
TRUSTED = {"ALEXANDROS_TRUSTED_PROXIES": "127.0.0.1, ::1, 10.0.0.0/8"}
MADE_UP = {
    "plain": "198.51.{n}.1",
    "several": "198.51.{n}.1, 198.51.{n}.2, 10.0.0.1",
    "the newer protocol": "2001:db8:{n}::1",
    "with a port": "198.51.{n}.1:4711",
    "in brackets": "[2001:db8:{n}::1]:80",
    "in quotation marks": '"198.51.{n}.1"',
    "our own machine": "127.0.0.1, 127.0.0.{n}",
    "no address": "unknown-{n}",
    "empty places": ",, ,198.51.{n}.1,,",
    "very long": "198.51.{n}.1" + ", 1.1.1.1" * 500,
}


def names(number: int) -> list[str]:
    return [f"plain{one}@example.net" for one in range(number)]


def letters_to(world, victims, network: str, forwarded) -> int:
    """How many letters go to as many strangers as there are, asked for with a made-up header each."""
    for number, victim in enumerate(victims):
        visitor = visit(world, network, x_forwarded_for=forwarded(number))
        assert open_by_form(visitor, victim).status < 500
        world.place.clock.forward(0.2)
    world.deliver()
    return count(world, *victims)


@pytest.mark.parametrize("kind", spread(2, MADE_UP))
def test_made_up_headers_count_for_nothing_where_no_proxy_is_trusted(bare, kind):
    found = letters_to(bare, names(36), "192.0.2.7", lambda n: MADE_UP[kind].format(n=n))
    assert found <= PER_ORIGIN
    open_by_form(visit(bare, "203.0.113.1"), "anna@example.org")
    assert arrived(bare, "anna@example.org") == 1


@pytest.mark.parametrize("kind", spread(2, MADE_UP))
def test_behind_a_trusted_proxy_the_address_that_it_added_counts(tmp_path, kind):
    world = bare_world(tmp_path, **TRUSTED)
    found = letters_to(world, names(36), PROXY, lambda n: f"{MADE_UP[kind].format(n=n)}, {REAL}, 10.1.2.3")
    assert found <= PER_ORIGIN
    open_by_form(visit(world, PROXY, x_forwarded_for="198.51.7.1, 203.0.114.9"), "anna@example.org")
    assert arrived(world, "anna@example.org") == 1, "another visitor through the same proxy is another"


def test_a_peer_that_is_no_trusted_proxy_cannot_speak_for_others(tmp_path):
    world = bare_world(tmp_path, **TRUSTED)
    assert letters_to(world, names(36), "192.0.2.7", lambda n: f"198.51.{n}.1") <= PER_ORIGIN


def test_strangers_behind_a_trusted_proxy_are_not_one_visitor(tmp_path):
    world = bare_world(tmp_path, **TRUSTED)
    assert letters_to(world, names(36), PROXY, lambda n: f"198.51.{n}.1") == 36


@pytest.mark.parametrize("form", ["192.0.2.{n}", "2001:db8:1:{n}::1", "2001:db8:1::{n}"])
def test_the_addresses_of_one_network_are_one_origin(bare, form):
    for number, victim in enumerate(names(36)):
        open_by_form(visit(bare, form.format(n=number + 1)), victim)
        bare.place.clock.forward(0.2)
    assert arrived(bare, *names(36)) <= PER_ORIGIN
    open_by_form(visit(bare, "2001:db8:2::1"), "anna@example.org")
    assert arrived(bare, "anna@example.org") == 1


@pytest.mark.parametrize(
    "forged", [120, pytest.param(1000, marks=pytest.mark.long)], ids=["some", "a thousand"]
)
def test_thirty_honest_strangers_at_new_are_answered_while_forged_mails_come(bare, forged):
    honest = [f"honest{number}@example.org" for number in range(30)]
    for number in range(forged):
        strangers.ask_for_game(bare, "192.0.2.7", f"plain{number}@example.net")
        if number % (forged // 30) == 0 and (which := number // (forged // 30)) < 30:
            strangers.ask_for_game(bare, f"203.0.{which}.9", honest[which])
    strangers.read_all(bare)
    assert [count(bare, one) for one in honest] == [1] * 30
    assert count(bare, *(f"plain{number}@example.net" for number in range(forged))) <= max(PER_ORIGIN, 60)


def test_mails_that_name_one_victim_do_not_use_up_the_answers_of_others(bare):
    for number in range(60):
        strangers.ask_for_game(bare, f"10.0.{number}.1", "cleo@example.net")
    strangers.ask_for_game(bare, "203.0.113.9", "anna@example.org")
    strangers.read_all(bare)
    assert count(bare, "anna@example.org") == 1


@pytest.mark.long
@pytest.mark.parametrize("form", ["10.{a}.{b}.1", "2001:db8:{a:x}{b:02x}::1"])
def test_twenty_five_thousand_networks_close_no_door(bare, form):
    client = bare.place.app.test_client()
    page = visit(bare, "192.0.2.7").get("/new")
    _, _, fields = page.form(strangers.MAIN_FORM)
    for number in range(25_000):
        where = {"REMOTE_ADDR": form.format(a=number // 200, b=number % 200)}
        client.get("/api/games", environ_overrides=where)
        if number % 5 == 0:
            page.client.post("/new", data=fields | {"name": ""}, environ_overrides=where)
        if number % 5_000 == 4_999:
            honest = f"honest{number}@example.org"
            assert open_by_form(visit(bare, f"203.0.{number // 5_000}.9"), honest).status == 200
            bare.deliver()
            assert count(bare, honest) == 1
            quiet = {"REMOTE_ADDR": "203.0.113.9"}
            assert client.get("/api/games", environ_overrides=quiet).status_code == 401


def test_many_who_ask_for_a_seat_do_not_keep_others_out(world):
    flooded, quiet = strangers.open_table(world, "Anna", 2), strangers.open_table(world, "Ben", 3)
    for number in range(70):
        strangers.join(world, "192.0.2.7", flooded, f"Guest {number}", f"plain{number}@example.net")
    shown = strangers.join(world, "203.0.113.9", quiet, "Cleo", "cleo@example.org")
    world.deliver()
    assert shown.status == 200
    assert count(world, "cleo@example.org") == 1


def test_a_visitor_who_calls_too_often_is_alone_in_waiting(bare):
    noisy = visit(bare, "192.0.2.7", x_forwarded_for="198.51.100.1").client
    answers = []
    for number in range(200):
        noisy.environ_base["HTTP_X_FORWARDED_FOR"] = f"198.51.{number}.1"
        answers.append(noisy.get("/api/games").status_code)
    assert 429 in answers
    assert visit(bare, "203.0.113.9").client.get("/api/games").status_code == 401


# --- by real sockets ------------------------------------------------------------------------------------


def test_what_is_not_ours_is_refused_at_its_recipient_and_nothing_is_stored(tmp_path):
    with house(tmp_path) as place, place.call() as peer:
        good, _, domain = place.address.partition("@")
        made_up = "play+made.up", good[:-1], good + "x", good.replace("play+", "stop+"), "new+a"
        for number, local in enumerate(made_up):
            peer.mail(f"plain{number}@example.net")
            assert 550 <= peer.rcpt(f"{local}@{domain}")[0] <= 559, local
            peer.rset()
        peer.mail(place.player)
        assert peer.rcpt(place.address)[0] == 250
        peer.rset()
        assert place.stored() == 0
        assert peer.sendmail(place.player, place.address, b"From: anna@example.org\r\n\r\nboard\r\n") == {}
        assert place.stored() == 1


def test_silent_sessions_of_one_peer_leave_room_for_others(tmp_path):
    with house(tmp_path) as place, ExitStack() as open_ones:
        greeted = []
        for _ in range(50):
            try:
                open_ones.enter_context(silent := socket.create_connection((PROXY, place.mail), 5))
                greeted.append(silent.recv(3))
            except OSError:
                greeted.append(b"")
        assert greeted.count(b"220") <= 5
        start = time.monotonic()
        with place.call("127.0.0.2") as peer:
            assert peer.sendmail(place.player, place.address, b"From: x@example.org\r\n\r\nboard\r\n") == {}
        assert time.monotonic() - start < PROMPT


def test_half_requests_hold_no_visitor_up(tmp_path):
    with house(tmp_path) as place, ExitStack() as open_ones:
        for _ in range(200):
            half = open_ones.enter_context(socket.create_connection((PROXY, place.pages), 5))
            half.sendall(b"POST /new HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nname=")
        start = time.monotonic()
        with urlopen(f"http://127.0.0.1:{place.pages}/healthz", timeout=20) as answer:
            assert answer.read() == b"ok\n"
        assert time.monotonic() - start < PROMPT


def test_lmtp_refuses_each_made_up_recipient_by_itself(tmp_path):
    with house(tmp_path, "lmtp") as place, place.call(kind=LMTP) as peer:
        peer.mail("plain@example.net")
        codes = [peer.rcpt(f"play+{number}abcdefgh@{DOMAIN}")[0] for number in range(20)]
        assert all(550 <= code <= 559 for code in codes)
        assert peer.rcpt(place.address)[0] == 250
        peer.rset()
        assert place.stored() == 0


def test_the_pipe_takes_no_mail_for_a_made_up_address(world):
    raw = b"From: plain@example.net\r\n\r\n" + b"x" * 100_000
    receive = partial(world.place.context.type_in, "receive")
    for number in range(5):
        made_up = f"play+{number}abcdefgh@{DOMAIN}"
        assert receive("--to", made_up, "--from", "a@example.net", given=raw).exit_code == 67
    assert strangers.kept_mails(world) == 0
    address = strangers.reply_address(world, "Anna")
    honest = receive("--to", address, "--from", "anna@example.org", given=b"\r\nboard\r\n")
    assert honest.exit_code == 0
    assert strangers.kept_mails(world) == 1


@pytest.mark.parametrize("peer", ["", "unknown", "not.an.address", "@", "999.1.1.1"])
def test_a_visitor_without_an_address_is_served_and_counted(tmp_path, peer):
    world = bare_world(tmp_path, ALEXANDROS_TRUSTED_PROXIES="10.0.0.0/8")
    for number, victim in enumerate(names(36)):
        visitor = visit(world, peer, x_forwarded_for=f"198.51.{number}.9")
        assert visitor.get("/").status == 200
        open_by_form(visitor, victim)
        world.place.clock.forward(0.2)
    assert arrived(world, *names(36)) <= PER_ORIGIN


def test_whoever_asks_for_links_in_the_name_of_a_player_does_not_lock_them_out(world):
    small_world.sign_in(world, "anna@example.org")
    for number in range(30):
        strangers.ask_to_sign_in(world, f"10.0.{number}.1", "anna@example.org")
    world.deliver()
    world.place.clock.forward(0.75)
    before = count(world, "anna@example.org")
    strangers.ask_to_sign_in(world, "203.0.113.9", "anna@example.org")
    assert arrived(world, "anna@example.org") == before + 1
    link = small_world.sign_in_link(world, "anna@example.org")
    assert world.visitor(link).press().title == "My games"


def test_mails_to_a_players_answer_address_by_a_stranger_do_not_keep_the_player_from_playing(world, game):
    name = world.place.context.mover(game)
    address = strangers.reply_address(world, name)
    for number in range(150):
        world.write(f"plain{number}@example.net", address, "board")
    world.deliver()
    assert world.write(f"{name.lower()}@example.org", address, strangers.a_card(world, game)) == "played"
    assert count(world, *names(150)) <= PER_ORIGIN + 30
