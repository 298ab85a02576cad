"""Mail as it is taken in: whatever stands in it can be stored, for whom, from whom, and what is ours."""

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex

import pytest

from emails.replies.parsed_mail import parse_headers
from emails.tokens import Ticket
from server.accounts import addresses
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.inbox.intake import is_deliverable
from server.store.context import Context
from server.store.models import IncomingMail, OutgoingLetter, RawMail
from tests.emails.old_tokens import old_reply
from tests.server.desk import DOMAIN, NOON, SECRET, desk, words_of

PLAY = "play+ticket@play.example.org"
SENDER = "letters@play.example.org"
HALF = "=?utf-7?q?<+2AA-@x>?="
"""The half of a character, which no database takes."""


@pytest.mark.parametrize(
    "identity", [HALF, "=?raw_unicode_escape?q?=5Cud800=40?=", "<\0@x>", "<\xff@x>", "x" * 900]
)
def test_whatever_a_mail_is_called_it_is_stored_and_is_one_mail(context, identity):
    raw = f"Message-ID: {identity}\r\n\r\ndraw\r\n".encode("latin-1")
    for _ in range(2):
        intake.store_mail(context, "a\udcff\0@b", "play+\udcff\0@play.example.org", raw, NOON)
    (row,) = context.rows_of(IncomingMail)
    (mail,) = context.stored_mails()
    assert mail.raw == raw
    for stored in (row.sender, row.recipient, mail.envelope_from, mail.envelope_to, row.message_id or ""):
        stored.encode()
        assert "\0" not in stored


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("Content-Type: text/plain; charset=utf-7", "occupy +2AA-"),
        (f"In-Reply-To: {HALF}", "occupy"),
        (f"Message-ID: {HALF}", "occupy"),
        (f"Subject: {HALF}", "occupy"),
    ],
)
def test_a_player_is_answered_whatever_signs_his_mail_holds(context, carrier, header, body):
    context.start_game("Anna", "Ben")
    send_due_letters(context, carrier, NOON)
    address = str(carrier.to("Anna")[-1]["Reply-To"])
    raw = f"From: =?utf-7?q?Anna+2AA-?= <anna@example.org>\n{header}\n\n{body}\n"
    intake.store_mail(context, "anna@example.org", address, raw.encode(), NOON)
    dispatch.process_waiting_mail(context, NOON)
    (row,) = context.rows_of(IncomingMail)
    assert row.state == "refused"
    assert "could not be read" not in row.why
    assert context.rows_of(OutgoingLetter.recipient, OutgoingLetter.kind == "refused") == ["anna@example.org"]


FLOOD, QUIET = "192.0.2.0/24", "198.51.100.0/24"
OPEN = ("new@play.example.org", "NIEUW@play.example.org", "new+@play.example.org", "abuse@play.example.org")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (
        ("REQUESTS_OF_NETWORK", 4),
        ("REQUESTS", 10),
        ("LARGE", 1),
        ("TO_SEALED", 3),
        ("TO_ALL_SEALED", 5),
        ("SEALED", 8),
        ("SEALED_BYTES_OF_NETWORK", 300_000),
        ("SEALED_BYTES", 500_000),
    ):
        monkeypatch.setattr(intake, f"MOST_{name}", most)


def bring(context: Context, to: str, network: str, *, size: int = 10, now: datetime = NOON) -> bool:
    """Bring a mail that nobody has brought before; whether it is stored."""
    raw, before = b"Subject: x\r\n\r\n" + token_hex(size // 2).encode(), len(context.stored_mails())
    with suppress(intake.IntakeLimitReached):
        intake.store_mail(context, "dirk@example.org", to, raw, now, network)
    return len(context.stored_mails()) > before


@pytest.mark.usefixtures("few")
def test_the_flood_of_a_network_is_not_stored_and_all_others_are_heard(context):
    assert [bring(context, OPEN[one % 4], FLOOD) for one in range(8)] == [True] * 4 + [False] * 4
    assert bring(context, PLAY, FLOOD), "players write to addresses of their own"
    assert [bring(context, OPEN[one], QUIET) for one in range(3)] == [True] * 3
    assert [bring(context, OPEN[0], "") for _ in range(5)] == [True] * 3 + [False] * 2, "in all"
    assert not bring(context, OPEN[0], "203.0.113.0/24")
    assert bring(context, PLAY, "203.0.113.0/24")
    assert bring(context, OPEN[0], FLOOD, now=NOON + timedelta(hours=1)), "an hour later"


@pytest.mark.usefixtures("few")
def test_a_flood_to_a_sealed_address_is_not_stored_and_its_player_is_heard(context):
    assert bring(context, PLAY, FLOOD, size=100_000)
    assert not bring(context, PLAY, FLOOD, size=100_000), "few of them may be large"
    names = PLAY, PLAY.upper(), PLAY.replace("p", "P")
    assert [bring(context, name, FLOOD) for name in names] == [True, True, False]
    assert bring(context, PLAY, QUIET, size=100_000)
    others = [f"play+another{number}@play.example.org" for number in range(3)]
    assert [bring(context, one, FLOOD) for one in others] == [True, True, False], "of all its addresses"
    assert bring(context, others[2], QUIET)


NETWORKS = [f"203.0.{number}.0/24" for number in range(10)]
LETTERS = [f"play+letter{number}@play.example.org" for number in range(10)]


@pytest.mark.usefixtures("few")
def test_mails_of_many_networks_to_sealed_addresses_have_a_limit_in_all(context):
    taken = [bring(context, to, network) for to, network in zip(LETTERS, NETWORKS, strict=True)]
    assert taken == [True] * 8 + [False] * 2
    assert not bring(context, PLAY, ""), "from a network that is not known too"
    assert bring(context, OPEN[0], FLOOD), "strangers have limits of their own"
    assert bring(context, PLAY, QUIET, now=NOON + timedelta(hours=1)), "an hour later"


@pytest.mark.usefixtures("few")
def test_bytes_to_sealed_addresses_have_a_limit_by_network_and_in_all(context):
    large = 120_000  # 160,000 as they are stored
    assert [bring(context, to, FLOOD, size=large) for to in LETTERS[:3]] == [True, True, False]
    assert [bring(context, to, QUIET, size=large) for to in LETTERS[3:5]] == [True, True]
    assert not bring(context, LETTERS[5], NETWORKS[0], size=large), "in all"
    assert not bring(context, LETTERS[5], "")
    assert bring(context, LETTERS[5], FLOOD, size=large, now=NOON + timedelta(hours=1)), "an hour later"


def test_of_a_mail_that_anybody_can_send_little_is_kept_and_nothing_once_it_is_ignored(context):
    raw = b"Auto-Submitted: auto-replied\r\nMessage-ID: <1@x>\r\n\r\n" + b"x" * 300_000
    for to in (OPEN[0], PLAY):
        intake.store_mail(context, "dirk@example.org", to, raw, NOON, FLOOD)
    assert [len(mail.raw) for mail in context.stored_mails()] == [64 * 1024, len(raw)]
    dispatch.process_waiting_mail(context, NOON)
    rows, kept = context.rows_of(IncomingMail), context.rows_of(RawMail.id)
    assert [row.state for row in rows] == ["ignored", "ignored"]
    assert [row.raw_mail for row in rows] == [None, *kept], "what a player may have sent can be read again"
    assert (rows[0].sender, rows[0].network, rows[0].message_id) == ("dirk@example.org", FLOOD, "<1@x>")
    assert rows[0].why


def test_somebody_with_a_comma_in_his_name_gets_his_game(context, carrier):
    raw = (
        "From: =?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>\n"
        "To: new@play.example.org, =?utf-8?Q?J=C3=A4nsen=2C_Ben?= <ben@example.org>\n\nthe house\n"
    )
    intake.store_mail(context, "anna@example.org", "new@play.example.org", raw.encode(), NOON)
    dispatch.process_waiting_mail(context, NOON)
    send_due_letters(context, carrier, NOON)
    (letter,) = carrier.to("Anna")
    assert "Müller, Anna" in words_of(letter)
    assert "Jänsen, Ben" in words_of(letter)


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (f"To: =?utf-8?Q?Ren=C3=A9=2C_A?= <{PLAY}>", [PLAY]),
        (f"To: ben@play.example.org, {PLAY}", [PLAY]),
        ("To: ben@play.example.org, postmaster@play.example.org", ["postmaster@play.example.org"]),
        ("To: ben@play.example.org, hostmaster@play.example.org", []),
        (f"To: {'(' * 990}{')' * 990}\nTo: {PLAY}", [PLAY]),
        ("Delivered-To: box@play.example.org\nTo: NEW@Play.example.org", ["NEW@Play.example.org"]),
        (f"Delivered-To: {PLAY}\nTo: new@play.example.org", [PLAY]),
        ("To: Alexandros <Letters@Play.example.org>", [SENDER]),
        (f"Delivered-To: {SENDER}\nTo: {PLAY}", [PLAY]),
        ("", []),
    ],
)
def test_for_whom_a_mail_is(headers, found):
    raw = f"{headers}\n\ndraw\n".encode()
    assert intake.find_recipients(raw, "", "play.example.org", SENDER) == found


def test_the_mailbox_of_another_domain_is_not_read_for_mail_to_the_sender_of_letters() -> None:
    assert intake.find_recipients(f"To: {SENDER}\n\ndraw\n".encode(), "", "example.org", SENDER) == []


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (PLAY, [PLAY]),
        ("play@play.example.org", []),
        ("abuse@play.example.org", ["abuse@play.example.org"]),
        ("abuse+x@play.example.org", []),
        ("new@example.org", []),
        ("letters@play.example.org", ["letters@play.example.org"]),
    ],
)
def test_an_address_that_is_none_of_the_house_is_for_nobody(given, found):
    raw = f"To: {PLAY}\n\ndraw\n".encode()
    assert intake.find_recipients(raw, given, "play.example.org", SENDER) == found


@pytest.mark.parametrize(
    ("headers", "sender"),
    [
        ("Return-Path: <>\nFrom: anna@example.org", ""),
        ("Return-Path: <ben@example.org>\nFrom: anna@example.org", "ben@example.org"),
        ("From: =?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>", "anna@example.org"),
        ("", ""),
    ],
)
def test_from_whom_a_mail_is(headers, sender):
    assert intake.find_envelope_sender(f"{headers}\n\ndraw\n".encode(), None) == sender
    assert intake.find_envelope_sender(b"From: anna@example.org\n\n", "") == ""


POSTFIX = (
    "from %s (%s [%s])\r\n\tby mx.example.org (Postfix) with ESMTP id 1\r\n\tfor <new@play.example.org>; now"
)
STRANGER = POSTFIX % ("mail.example.com", "unknown", "203.0.113.5")
FORGED = POSTFIX % ("mail.example.com", "unknown", "198.51.100.9")


@pytest.mark.parametrize(
    ("lines", "network"),
    [
        ([], ""),
        ([STRANGER, FORGED], "203.0.113.0/24"),
        ([POSTFIX % ("x", "unknown", "IPv6:2001:db8:7::1"), FORGED], "2001:db8:7::/48"),
        ([POSTFIX % ("[198.51.100.9]", "unknown", "203.0.113.5")], "203.0.113.0/24"),
        ([POSTFIX % ("=?utf-8?q?x_by_y?=", "unknown", "203.0.113.5")], "203.0.113.0/24"),
        (
            ["from [203.0.113.5] (helo=[198.51.100.9]) by mx.example.org with esmtp (Exim); now"],
            "203.0.113.0/24",
        ),
        (["from mail.example.com ([203.0.113.5] helo=x) by mx.example.org (Exim); now"], "203.0.113.0/24"),
        (["from mx.example.org by mx.example.org with LMTP id 1; now", STRANGER], "203.0.113.0/24"),
        (["from mx ([127.0.0.1]) by mx with LMTP id 1; now", STRANGER], "203.0.113.0/24"),
        (["by 2002:a05:1 with SMTP id 1; now", STRANGER], "203.0.113.0/24"),
        ([POSTFIX % ("filter", "localhost", "127.0.0.1"), STRANGER, FORGED], "203.0.113.0/24"),
        ([POSTFIX % ("mail.example.com", "unknown", "unknown"), FORGED], ""),
        (["from unknown (HELO x) (203.0.113.5) by mx.example.org with SMTP; now", FORGED], ""),
        ([POSTFIX % ("filter", "localhost", "127.0.0.1")], ""),
        (["from [" * 500], ""),
    ],
)
def test_a_mail_comes_from_the_network_from_which_our_own_mail_server_took_it(lines, network):
    head = "".join(f"Received: {line}\r\n" for line in lines)
    raw = f"{head}From: a@example.org\r\n\r\ndraw".encode()
    assert intake.find_origin(parse_headers(raw), NOON)[0] == network


AT_SIX = "from mail.example.com (unknown [203.0.113.5]) by mx.example.org with ESMTP id 1; {}"
WITHIN = (
    "from mx.example.org (mx [10.0.0.2]) by store.example.org with ESMTP id 2; Mon, 2 Mar 2026 11:30:00 +0000"
)


@pytest.mark.parametrize(
    ("lines", "hours"),
    [
        ([], None),
        ([AT_SIX.format("Mon, 2 Mar 2026 12:00:00 +0100")], -1),
        ([AT_SIX.format("Mon, 2 Mar 2026 06:00:00 -0500 (EST)")], -1),
        ([WITHIN, AT_SIX.format("Mon, 2 Mar 2026 10:00:00 +0000"), FORGED], -2),
        ([WITHIN, AT_SIX.format("now"), AT_SIX.format("Mon, 2 Mar 2026 01:00:00 +0000")], -0.5),
        ([AT_SIX.format("Mon, 2 Mar 2026 13:00:00 +0000")], 0),
        ([AT_SIX.format("Mon, 2 Mar 2020 13:00:00 +0000")], -240),
        ([AT_SIX.format("Mon, 99 Mar 2026 13:00:00 +0000")], None),
        (["from [dead] by mx; now", AT_SIX.format("Mon, 2 Mar 2026 10:00:00 +0000")], None),
    ],
)
def test_a_mail_has_arrived_when_our_own_mail_server_says_so(context, lines, hours):
    """By the line of our own mail server, however long it lay there; what others wrote counts nothing."""
    head = "".join(f"Received: {line}\r\n" for line in lines)
    intake.store_mail(context, "anna@example.org", PLAY, f"{head}\r\ndraw".encode(), NOON)
    arrived = context.rows_of(IncomingMail.arrived_at)[0]
    assert arrived == (None if hours is None else NOON + timedelta(hours=hours))


def test_control_without_limits_all_of_it_is_stored(context) -> None:
    assert all(bring(context, to, FLOOD) for to in (*OPEN, PLAY) * 8)
    assert all(bring(context, to, network) for to, network in zip(LETTERS, NETWORKS, strict=True))
    assert all(bring(context, to, FLOOD, size=120_000) for to in LETTERS)


def test_what_was_ignored_gives_its_room_back(tmp_path: Path) -> None:
    context = desk(tmp_path, ALEXANDROS_DATABASE=f"sqlite:///{tmp_path / 'games.db'}")
    for _ in range(40):
        raw = b"Auto-Submitted: auto-replied\r\n\r\n" + token_hex(30_000).encode()
        intake.store_mail(context, "dirk@example.org", OPEN[0], raw, NOON, FLOOD)
    dispatch.process_waiting_mail(context, NOON)
    assert context.system.compact(context.database), "as prune does"
    assert (tmp_path / "games.db").stat().st_size < 40 * 60_000


@pytest.mark.parametrize(("given", "kept"), [("", "203.0.113.0/24"), ("192.0.2.0/24", "192.0.2.0/24")])
def test_the_network_of_a_mail_is_kept(context, given: str, kept: str) -> None:
    raw = f"Received: {STRANGER}\r\n\r\ndraw".encode()
    intake.store_mail(context, "anna@example.org", PLAY, raw, NOON, given)
    assert context.rows_of(IncomingMail.network) == [kept]


# --- which addresses of the house take mail --------------------------------------------------------------


def sealed_addresses(context: Context) -> list[str]:
    game = context.start_game("Anna", "Ben")
    addresses.request_address_confirmation(context, game, 0, "anna@post.example.org", NOON)
    links = context.links
    return [
        links.reply_address(Ticket(game, 0, 1), 1),
        links.unsubscribe_links(game, 0)[1].removeprefix("mailto:"),
        links.bounce_address(1),
        links.proposal_links(game)[1],
        f"confirm+{context.confirmation_codes()[-1]}@{DOMAIN}",
    ]


def test_what_we_have_sealed_is_taken_in_any_case(context):
    for address in sealed_addresses(context):
        assert is_deliverable(context, address), address
        assert is_deliverable(context, address.upper()), address
        assert not is_deliverable(context, address.replace(DOMAIN, "example.com")), address


def test_a_sign_that_is_another_or_missing_makes_it_none_of_ours(context):
    for address in sealed_addresses(context):
        name, _, token = address.removesuffix(f"@{DOMAIN}").partition("+")
        for at in range(len(token)):
            other = "a" if token[at] != "a" else "b"
            assert not is_deliverable(context, f"{name}+{token[:at]}{other}{token[at + 1 :]}@{DOMAIN}")
            assert not is_deliverable(context, f"{name}+{token[:at]}{token[at + 1 :]}@{DOMAIN}")
        for damaged in ("", token + "a", token[:-1], token + "\N{REPLACEMENT CHARACTER}", token * 200):
            assert is_deliverable(context, f"{name}+{damaged}@{DOMAIN}") == (name == "new" and not damaged)


@pytest.mark.parametrize(
    ("names", "taken"),
    [(("new", "nieuw", "NEW", "new+", "Nieuw+"), True), (("", "play", "ben", "news"), False)],
)
def test_only_where_games_are_asked_for_anybody_may_write(context, names, taken):
    assert {is_deliverable(context, f"{name}@{DOMAIN}") for name in names} == {taken}
    assert not any(is_deliverable(context, name) for name in ("", "@", *names))


def test_an_answer_to_a_letter_from_before_tickets_could_be_withdrawn_is_taken(context):
    for secret, ours in ((SECRET.encode(), True), (b"another secret of sixteen", False)):
        old = old_reply(Ticket("a" * 8, 0, 1), 1, secret)
        assert is_deliverable(context, f"play+{old}@{DOMAIN}") is ours


def test_a_code_that_is_too_old_is_still_known(context):
    game = context.start_game("Anna", "Ben")
    long_ago = NOON - timedelta(days=20)
    addresses.request_address_confirmation(context, game, 0, "anna@post.example.org", long_ago)
    assert is_deliverable(context, f"confirm+{context.confirmation_codes()[-1]}@{DOMAIN}")


@pytest.mark.parametrize("office", ["postmaster", "ABUSE"])
def test_an_office_takes_mail_where_there_is_an_operator(context, office):
    address = f"{office}@{DOMAIN}"
    assert not is_deliverable(context, address)
    settings = context.settings.model_copy(update={"operator": "operator@example.net"})
    led = Context(settings, context.database, context.links)
    assert is_deliverable(led, address)
    assert not is_deliverable(led, f"{office}+x@{DOMAIN}")
    assert not is_deliverable(led, f"{office}@example.com")
