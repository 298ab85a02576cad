"""The log: no link and no answer address in it lets its reader act for anybody."""

import json
import logging
import re
import sqlite3
import threading
from datetime import timedelta

import pytest

from emails.tokens import Purpose, seal_game
from server.accounts import sign_in
from server.accounts.addresses import confirm_address, request_address_confirmation, request_move
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.logs import MaskingHandler, mask_message, write_json_logs, write_masked_logs
from server.monitoring import MOST_REMEMBERED, AttemptChannel, SecurityEvent, SecurityLog
from server.outbox.budgets import BudgetSpent, Origin, OriginKind
from server.store.game_terms import SeatRequest
from tests.paths import TOP
from tests.server.desk import ANNA, BEN, CLEO, DIRK, NOON
from tests.server.inbox.test_new_game_mail import Post
from tests.server.web.account.test_sign_in_pages import signed_in
from tests.server.web.site import site

TOKEN = "AbC-_dE12345fGhIjKlMnOpQrStUv"
ROADS = ("t", "u", "c", "s", "j", "n", "x", "new")


@pytest.fixture
def masked():
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    write_masked_logs()
    write_masked_logs()
    assert sum(isinstance(one, MaskingHandler) for one in root.handlers) == 1
    yield
    root.handlers = before


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("more", ["", "/settings", "?look=1", "/say?to=2&words=hello", ".", "//x"])
def test_of_a_link_the_kind_is_kept_and_nothing_else(road, more):
    for before in ("", "https://example.org", "https://example.org/games", "http://127.0.0.1:8000"):
        said = mask_message(f'10.0.0.1 "GET {before}/{road}/{TOKEN}{more} HTTP/1.1" 200')
        assert said == f'10.0.0.1 "GET {before}/{road}/… HTTP/1.1" 200'


@pytest.mark.parametrize("kind", ["play", "new", "nieuw", "stop", "confirm", "bounce", "PLAY"])
def test_of_an_answer_address_too(kind):
    said = mask_message(f"mail for <{kind}+{TOKEN}@example.org> cannot be stored")
    assert said == f"mail for <{kind}+…@example.org> cannot be stored"


@pytest.mark.parametrize(
    "line",
    [
        'GET /new HTTP/1.1" 200',
        "GET /assets/0123456789/style.css",
        "GET /api/games/abcd2345/log",
        "the database /var/lib/alexandros/games.db cannot be used",
        '  File "/srv/t/server/web/kit/errors.py", line 12, in _render',
        "is it so? yes = no",
    ],
)
def test_what_holds_no_token_is_written_as_it_is(line):
    assert mask_message(line) == line


def test_an_error_of_a_page_is_logged_with_its_trace_and_without_its_ticket(
    tmp_path, masked, monkeypatch, capsys
):
    place = site(tmp_path)
    link = place.link(place.context.start_game("Anna", "Ben"))

    def fail(token: str) -> None:
        raise sqlite3.OperationalError(f"no such ticket: /t/{token}?look=1")

    monkeypatch.setattr("server.web.game.ticket_pages.load_ticket", fail)
    assert place.visitor().get(f"{link}?look=1").status == 500
    said = capsys.readouterr().err
    assert "Exception on /t/… [GET]" in said
    assert "sqlite3.OperationalError: no such ticket: /t/…" in said
    assert f'  File "{TOP}/server/web/game/ticket_pages.py", line ' in said
    assert link.removeprefix("/t/") not in said


@pytest.fixture
def as_json(masked):
    before = threading.excepthook
    write_json_logs()
    yield
    threading.excepthook = before
    logging.captureWarnings(False)
    logging.getLogger("alexandros.events").setLevel(logging.NOTSET)


def written(capsys) -> list[dict[str, str]]:
    """Each line of standard error, read as what it must be."""
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_each_line_is_one_object_whatever_is_in_it(as_json, capsys):
    logging.getLogger("server.x").error('a "line"\n of "%s" \u2028', f"/t/{TOKEN}\x00")
    said = capsys.readouterr().err
    assert said.isascii()
    assert said.count("\n") == 1
    line = json.loads(said)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("at"))
    assert line == {"level": "error", "log": "server.x", "message": 'a "line"\n of "/t/…" \u2028'}


def test_an_exception_is_told_with_where_and_why_and_without_what_it_quotes(as_json, capsys):
    try:
        try:
            int("well played")
        except ValueError as error:
            raise KeyError(f"it's Anna <anna@example.org> /t/{TOKEN}") from error
    except KeyError:
        logging.getLogger("server.x").exception("it failed")
    (line,) = written(capsys)
    assert line["message"] == "it failed"
    assert line["trace"].count(f'  File "{__file__}", line ') == 2
    assert "ValueError: invalid literal for int() with base 10: '…'" in line["trace"]
    assert line["trace"].splitlines()[-1] == 'KeyError: "…"'


def test_what_ends_a_thread_and_what_python_warns_of_are_lines_too(as_json, capsys):
    def fail() -> None:
        raise OSError(5, f"no such page: /t/{TOKEN}")

    thread = threading.Thread(target=fail, name="faces")
    thread.start()
    thread.join()
    logging.getLogger("py.warnings").warning("%s", "old")
    ended, warned = written(capsys)
    assert ended["message"] == "the thread faces has ended"
    assert ended["trace"].endswith("OSError: [Errno 5] no such page: /t/…")
    assert warned["log"] == "py.warnings"


def test_what_matters_for_security_keeps_its_facts(as_json, capsys):
    SecurityLog().note(SecurityEvent.SIGNED_IN, "192.0.2.77", NOON, address="anna@example.org", player=7)
    said = {"at": "2026-03-02T12:00:00Z", "level": "info", "log": "security", "event": "signed-in"}
    assert written(capsys) == [said | {"origin": "192.0.2.0/24", "player": 7, "address": "a…@example.org"}]


@pytest.mark.parametrize(
    "line", ["to anna@example.org", "<anna.b+c@example.org>", "smtp://u:anna@example.org"]
)
def test_of_an_address_its_first_letter_and_domain_are_kept(line):
    assert mask_message(line) == re.sub(r"anna[\w.+]*@", "a…@", line)
    assert mask_message(mask_message(line)) == mask_message(line)


VISITOR = "192.0.2.77"


def lines(caplog):
    found = [one.getMessage() for one in caplog.records if one.name == "alexandros.security"]
    assert all(line.startswith("security event=") for line in found)
    return [dict(pair.split("=") for pair in line.split()[1:]) for line in found]


def events(caplog, *names):
    """The events that were noted, with the facts that are asked for."""
    return [(one["event"], *(one.get(name) for name in names)) for one in lines(caplog)]


def visitor_of(place):
    visitor = place.visitor()
    visitor.client.environ_base["REMOTE_ADDR"] = VISITOR
    return visitor


def test_a_line_holds_what_when_who_and_facts_with_their_names(caplog):
    SecurityLog().note(
        SecurityEvent.SEAL_REFUSED, VISITOR, NOON, by=AttemptChannel.PAGE, kind=Purpose.PROPOSAL_REPLY, game=7
    )
    assert caplog.messages == [
        "security event=seal-refused at=2026-03-02T12:00:00Z origin=192.0.2.0/24 by=page"
        " kind=proposal_reply game=7"
    ]


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("192.0.2.0/24", "192.0.2.0/24"),
        ("2001:db8:7:1::9", "2001:db8:7::/48"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"),
        ("player 7", "player-7"),
        ("operator", "operator"),
        ("", "unknown"),
        ("x\nsecurity event=signed-in origin=y", "x_security-event_signed-in-origin_y"),
    ],
)
def test_who_has_caused_it_is_shortened_and_forges_no_line(caplog, origin, shown):
    SecurityLog().note(SecurityEvent.LIMIT_REACHED, origin, NOON)
    assert caplog.messages[0].splitlines() == [caplog.messages[0]]
    assert lines(caplog)[0]["origin"] == shown


def test_the_same_of_one_origin_is_told_once_a_minute_with_how_often_it_was(caplog):
    log = SecurityLog()
    for seconds in range(0, 90, 10):
        log.note(SecurityEvent.LIMIT_REACHED, VISITOR, NOON + timedelta(seconds=seconds))
    log.note(SecurityEvent.LIMIT_REACHED, "198.51.100.1", NOON)
    log.note(SecurityEvent.BAN_MET, VISITOR, NOON)
    assert [one.get("before") for one in lines(caplog)] == [None, "5", None, None]


def test_two_players_of_one_network_are_two(caplog):
    log = SecurityLog()
    for player in (1, 2, 1):
        log.note(SecurityEvent.SIGNED_IN, VISITOR, NOON, player=player)
    assert events(caplog, "player") == [("signed-in", "1"), ("signed-in", "2")]


def test_a_crowd_fills_no_memory():
    log = SecurityLog()
    for number in range(MOST_REMEMBERED + 100):
        log.note(SecurityEvent.LIMIT_REACHED, f"player {number}", NOON)
    assert len(log._logged) == MOST_REMEMBERED


def test_a_sign_in_and_what_is_ended_elsewhere(caplog, context, game, place):
    signed_in(place)
    visitor = signed_in(place)
    visitor.get("/me/browsers").send(wish="others")
    visitor.get("/me/browsers").send("//form[@id='new-key']", name="Mine", wish="new")
    visitor.get("/me/browsers").send(wish="end-key-1")
    assert events(caplog) == [("signed-in",), ("signed-out-elsewhere",), ("key-made",), ("key-ended",)]


def test_a_player_who_asks_for_their_data_and_to_be_forgotten(caplog, context, game, place):
    visitor = signed_in(place)
    visitor.client.get("/me/data.json")
    visitor.get("/me/forget").press()
    assert events(caplog)[-2:] == [("data-asked",), ("person-forgotten",)]


def test_what_the_operator_shows_and_forgets_of_somebody(caplog, context, game):
    context.type_in("data", "anna@example.org")
    context.type_in("forget", "--yes", "anna@example.org")
    assert events(caplog, "origin", "address") == [
        ("data-asked", "operator", "a…@example.org"),
        ("person-forgotten", "operator", None),
    ]


def test_a_key_is_noted_when_it_is_made_and_first_used_and_not_again(caplog, context, game, place):
    key = sign_in.create_key(context, 1, "bot", NOON)
    for _ in range(3):
        place.visitor().client.get("/api/games", headers={"Authorization": f"Bearer {key}"})
    assert events(caplog) == [("key-made",), ("key-first-used",)]


def test_an_address_that_is_asked_for_and_changed(caplog, context, game):
    seat = context.seat_of(game, "Anna")
    request_move(context, game, seat, "thief@example.com", NOON)
    request_address_confirmation(context, game, seat, "anna@example.net", NOON + timedelta(minutes=2))
    work = context.confirmation_codes("anna@example.net")[0]
    context.committed(NOON + timedelta(minutes=3), confirm_address, work)
    assert events(caplog, "address") == [
        ("address-asked", "t…@example.com"),
        ("address-asked", "a…@example.net"),
        ("links-renewed", None),
        ("address-changed", "a…@example.net"),
    ]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/t/aaaa", "seat"), ("/j/aaaa", "join"), ("/n/aaaa", "proposal"), ("/new/aaaa", "organiser")],
)
def test_a_link_that_is_none_of_ours(caplog, place, path, kind):
    for _ in range(5):
        assert visitor_of(place).get(path).status == 404
    assert events(caplog, "origin", "by", "kind") == [("seal-refused", "192.0.2.0/24", "page", kind)]


def test_a_key_that_is_none_of_ours(caplog, place):
    headers = {"Authorization": "Bearer alx_" + "a" * 32}
    assert visitor_of(place).client.get("/api/games", headers=headers).status_code == 401
    assert events(caplog, "by", "kind") == [("seal-refused", "api", "api")]


def test_a_mail_to_an_address_that_is_none_of_ours_and_one_of_somebody_else(caplog, context, game):
    post = Post(context)
    send_due_letters(context, post.carrier, NOON)
    post.write("draw", to=f"play+{'a' * 40}@play.example.org")
    post.answer(post.to(context.mover(game)), "draw", sender="thief@example.com")
    assert events(caplog, "by", "kind") == [
        ("seal-refused", "mail", "reply"),
        ("mail-not-proven", "mail", "reply"),
    ]


def test_limits_that_visitors_and_letters_reach_are_logged(caplog, context, place):
    place.app.config["LIMITS"]["sign-ins"] = 1
    for _ in range(3):
        visitor_of(place).get("/signin").send("//main//form", address="anna@example.org")
    assert events(caplog, "limit", "origin") == [("limit-reached", "sign-ins", "192.0.2.0/24")]
    caplog.clear()
    origin, seats = Origin(OriginKind.NETWORK, "198.51.100.0/24"), (ANNA, BEN, CLEO, DIRK)
    *first, last = (
        [SeatRequest(f"{one.name}{number}", f"{number}{one.address}") for one in seats] for number in range(8)
    )
    for others in first:
        context.open_game("Friday", others, NOON, origin=origin)
    with pytest.raises(BudgetSpent):
        context.open_game("Friday", last, NOON, origin=origin)
    assert events(caplog, "limit", "origin") == [("limit-reached", "letters-from-one", "198.51.100.0/24")]


def test_whoever_is_banned_and_comes_all_the_same(caplog, context, place):
    context.type_in("ban", "192.0.2.0/24", "example.com")
    visitor_of(place).get("/new").send("//main//form")
    intake.store_mail(context, "x@example.com", "new@play.example.org", b"From: x@example.com\n\nHi", NOON)
    dispatch.process_waiting_mail(context, NOON)
    assert events(caplog, "by") == [("ban-met", "page"), ("ban-met", "mail")]


def test_no_line_holds_an_address_or_anything_that_opens_a_door(caplog, context, place):
    """A tour of what attackers and players do: of all that was sent or typed nothing stands in the lines."""
    post = Post(context)
    game = context.start_game("Anna", "Ben")
    context.work_until_idle(post.carrier, NOON)
    key = sign_in.create_key(context, 1, "secret name of a program", NOON)
    ticket, forged = place.link(game), f"/t/{'a' * 60}"
    join = seal_game(Purpose.JOIN, game, context.links.keys)
    for path in (ticket, forged, f"/j/{join}", f"/j/{join[:-3]}aaa", "/s/" + "a" * 32, "/x\n/%0asecurity"):
        visitor_of(place).get(path)
    for token in (key, key[:-1] + "x", "Bearer\nsecurity event=signed-in"):
        place.visitor().client.get("/api/games", headers={"Authorization": f"Bearer {token!r:.60}"})
    visitor = signed_in(place)
    visitor.get("/me/browsers")
    sign_in.request_link(context, "ben@example.org", NOON)
    request_move(context, game, 0, "thief@example.com", NOON)
    letter = post.to(context.mover(game))
    post.answer(letter, "resign", sender="thief@example.com")
    post.write("x", to=str(letter["Reply-To"])[:-30] + "aaaaaaaaaa@play.example.org")
    context.type_in("ban", "thief@example.com")
    post.answer(letter, "say: well played", sender="thief@example.com")
    context.work_until_idle(post.carrier, NOON)
    told = "\n".join(" ".join(f"{name}={value}" for name, value in one.items()) for one in lines(caplog))
    assert len(told.splitlines()) >= 6
    assert not re.search(r"[\w.+]{2,}@", told)
    assert not re.search(r"[a-z2-7]{12,}", re.sub(r"\b[a-z]+(-[a-z]+)+\b|\b\w+_\w+\b|letters\w*", "", told))
    for words in ("secret", "thief", "well played", "Anna", "Ben", key, VISITOR):
        assert words not in told, words
