"""Whom the operator has banned: nothing is sent to them, and nothing they send is heard."""

import re
import smtplib
from email.message import EmailMessage
from functools import partial

import pytest

from emails.letters.declaration import KINDS, Situation
from server.accounts import sign_in
from server.accounts.sign_in import create_key
from server.delivery.sending import send_due_letters
from server.inbox import dispatch, intake
from server.inbox.intake import is_deliverable, is_peer_banned
from server.inbox.smtp import SmtpListener, SmtpPolicy
from server.network import Endpoint
from server.outbox.budgets import is_network_blocked, read_block, store_block
from server.outbox.notifications import DEFAULTS, DropReason, describe_situation, reason_to_drop
from server.store.models import IncomingMail, OutgoingLetter, Player
from server.store.states import BlockOrigin, GameStatus
from server.web.kit.visitors import REFUSED_TO_NETWORKS, REFUSED_TO_PLAYERS
from server.web.lobby.new_game import OrganiserChoice
from tests.server.beginnings import begin_game
from tests.server.desk import ANNA, BEN, NOON
from tests.server.inbox.test_new_game_mail import Post, body, games


def bring(context, sender, recipient, words="Hello", network="", **headers):
    mail = EmailMessage()
    mail["From"], mail["To"] = sender, recipient
    mail["Subject"] = "Friday"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(words)
    intake.store_mail(context, headers.get("Sender", sender), recipient, bytes(mail), NOON, network)
    dispatch.process_waiting_mail(context, NOON)
    read = context.rows_of(IncomingMail)[-1]
    return read.state, read.why


def letters_to(context, address):
    rows = context.rows_of(OutgoingLetter, OutgoingLetter.recipient == address)
    return [(row.kind, row.state, row.why) for row in rows]


def test_the_operator_bans_lists_and_allows(context):
    assert context.type_in("ban").stdout == ""
    typed = context.type_in("ban", "Anna+games@Example.ORG", "example.net", "192.0.2.7/24", "2001:db8::/48")
    assert typed.stdout == (
        "A…@Example.ORG is banned.\n"
        "example.net is banned.\n"
        "192.0.2.0/24 is banned.\n"
        "2001:db8::/48 is banned.\n"
    )
    assert context.type_in("ban", "anna@example.org").stdout == "a…@example.org was banned already.\n"
    listed = context.type_in("ban").stdout.splitlines()
    assert [" ".join(line.split()[:2]) for line in listed] == [
        "address A…@Example.ORG",
        "domain example.net",
        "network 192.0.2.0/24",
        "network 2001:db8::/48",
    ]
    assert "anna" not in context.type_in("ban").stdout
    assert context.type_in("allow", "anna@example.org", "example.net").stdout == (
        "a…@example.org is allowed again.\nexample.net is allowed again.\n"
    )
    assert context.type_in("allow", "example.net").stdout == "example.net was not banned.\n"
    assert len(context.type_in("ban").stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        *("nonsense", "@", "0.0.0.0/0", "::/0", "300.1.1.1"),
        *("Anna <anna@example.org>", "anna@example.org,", "anna@example.org ben@example.org"),
    ],
)
def test_what_is_nothing_that_can_be_banned_bans_nothing(context, wrong):
    typed = context.type_in("ban", "example.net", wrong)
    assert typed.exit_code == 2
    assert wrong in typed.stderr
    assert "nothing was done" in typed.stderr
    assert context.type_in("ban").stdout == ""


def test_what_a_reader_wanted_is_counted_and_ends_with_allow(context):
    with context.changing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.READER, NOON))
    assert context.type_in("ban").stdout == "Readers who want no unsolicited letters: 1\n"
    assert context.type_in("allow", "Ben@example.org").stdout == "B…@example.org is allowed again.\n"
    assert context.type_in("ban").stdout == ""


@pytest.mark.parametrize(
    ("network", "narrow"),
    [
        *(("192.0.2.0/24", False), ("192.0.2.0/25", True), ("192.0.2.1", True)),
        *(("2001:db8::/48", False), ("2001:db8::/49", True), ("example.net", False)),
    ],
)
def test_a_network_that_mails_are_not_known_by_is_banned_with_a_warning(context, network, narrow):
    typed = context.type_in("ban", network)
    assert len(typed.stderr.splitlines()) == narrow
    assert typed.stdout.endswith("is banned.\n")


def test_who_is_allowed_within_a_banned_domain_is_told_what_still_holds(context):
    context.type_in("ban", "example.org", "anna@mail.example.org")
    still = "The ban of example.org still holds for it.\n"
    typed = context.type_in("allow", "anna@mail.example.org").stdout
    assert typed == f"a…@mail.example.org is allowed again.\n{still}"
    assert context.type_in("allow", "mail.example.org").stdout.endswith(still)
    assert context.type_in("allow", "example.org").stdout == "example.org is allowed again.\n"


def test_a_letter_that_waits_is_dropped_and_those_of_others_leave(context, game, carrier):
    context.type_in("ban", "ANNA@example.org")
    send_due_letters(context, carrier, NOON)
    assert not carrier.to("Anna")
    assert carrier.to("Ben")
    assert {(state, why) for _, state, why in letters_to(context, "anna@example.org")} == {
        ("dropped", DropReason.BLOCKED)
    }


@pytest.mark.parametrize(
    ("banned", "headers", "network"),
    [
        ("{name}@example.org", {}, ""),
        ("example.org", {}, ""),
        ("example.net", {"Sender": "robot@example.net"}, ""),
        ("192.0.2.0/24", {}, "192.0.2.0/24"),
        ("2001:db8::/32", {}, "2001:db8:7::/48"),
    ],
)
def test_a_mail_of_whoever_is_banned_plays_nothing_and_is_not_answered(
    context, carrier, banned, headers, network
):
    game = begin_game(context, carrier, "Anna", "Ben")
    name, before = context.mover(game).lower(), context.game_row(game).seq
    context.type_in("ban", banned.format(name=name))
    to, sender = str(carrier.to(name)[-1]["Reply-To"]), f"{name.title()} <{name}@example.org>"
    assert bring(context, sender, to, "?", network, **headers) == ("ignored", dispatch.BANNED)
    assert context.game_row(game).seq == before
    assert "shown" not in {kind for kind, _, _ in letters_to(context, f"{name}@example.org")}
    context.type_in("allow", banned.format(name=name))
    assert bring(context, sender, to, "hand", network, **headers)[0] == "played"


def stop_address(letter):
    return re.search(r"mailto:(stop\+[^?>]+)", str(letter["List-Unsubscribe"]))[1]


def test_that_letters_stop_is_heard_of_anybody(context, carrier):
    begin_game(context, carrier, "Anna", "Ben")
    context.type_in("ban", "anna@example.org")
    assert bring(context, "anna@example.org", stop_address(carrier.to("Anna")[-1]))[0] == "played"


def test_a_peer_in_a_banned_network_hands_in_nothing_but_that_letters_stop(context, carrier):
    """Its mail is refused while it is named for whom it is, so nothing of it is ever stored."""
    begin_game(context, carrier, "Anna", "Ben")
    letter = carrier.to("Anna")[-1]
    stop, stored = stop_address(letter), []

    def take_in(sender, recipient, raw, network=""):
        stored.append(recipient)

    def banned(peer, address):
        return is_peer_banned(context, peer, address, NOON)

    policy = SmtpPolicy("play.example.org", partial(is_deliverable, context), banned)
    listener = SmtpListener(Endpoint("127.0.0.1", 0), policy, take_in)
    context.type_in("ban", "127.0.0.32/28")
    listener.start()
    try:
        for host, recipient, taken in [
            ("127.0.0.33", str(letter["Reply-To"]), False),
            ("127.0.0.33", "new@play.example.org", False),
            ("127.0.0.33", stop, True),
            ("127.0.0.1", "new@play.example.org", True),
        ]:
            at = {"source_address": (host, 0), "local_hostname": "peer", "timeout": 60}
            with smtplib.SMTP("127.0.0.1", listener.port, **at) as peer:
                peer.ehlo()
                peer.mail("anna@example.org")
                assert (peer.rcpt(recipient)[0] == 250) == taken, (host, recipient)
                if taken:
                    assert peer.data(b"Subject: x\r\n\r\nyes\r\n")[0] == 250
    finally:
        listener.stop()
    assert stored == [stop, "new@play.example.org"]


def visitor_from(place, address):
    visitor = place.visitor()
    visitor.client.environ_base["REMOTE_ADDR"] = address
    return visitor


@pytest.mark.parametrize("page", ["/new", "/signin"])
def test_a_visitor_of_a_banned_network_reads_and_sends_nothing(context, place, page):
    context.type_in("ban", "192.0.2.0/28")
    banned, honest = visitor_from(place, "192.0.2.3"), visitor_from(place, "192.0.2.17")
    assert banned.get(page).status == 200
    fields = {"address": "anna@example.org"} if page == "/signin" else {}
    assert banned.send("//main//form", **fields).status == 403
    assert banned.title == "Not from here"
    assert honest.get(page).send("//main//form").status != 403


def test_a_player_who_is_banned_is_signed_in_nowhere_as_long_as_that_holds(context, place, game):
    visitor, player = place.signed_in(game), context.player_of(game)
    [address] = context.rows_of(Player.address, Player.id == player)
    key = create_key(context, player, "a program", NOON)
    by_program = {"Authorization": f"Bearer {key}"}
    for command, status in (("ban", 401), ("allow", 200)):
        context.type_in(command, address)
        assert visitor.client.get("/me").status_code == (303 if command == "ban" else 200)
        assert visitor.client.get("/api/games", headers=by_program).status_code == status


def test_by_the_links_in_their_letters_a_player_who_is_banned_reads_and_reaches_nobody(context, place, game):
    seat = context.seat_of(game, context.mover(game))
    link = place.link(game, seat=seat)
    chat = place.visitor().get(link)
    act = place.visitor().get(place.link(game, context.turn_words(game)[0]))
    context.type_in("ban", "example.org")
    before = place.stored()
    dock = place.visitor().get(place.link(game, seat=context.seat_of(game, context.mover(game))))
    step = next(value for name, value in dock.offers() if name in ("do", "play"))
    assert dock.tap(step).status == 403
    assert chat.send("//form[contains(@action, '/say')]", words="I am still here").status == 403
    assert act.press().status == 403
    assert place.stored() == before
    assert place.visitor().get(link).status == 200
    context.type_in("allow", "example.org")
    assert place.visitor().get(link).send("//form[contains(@action, '/say')]", words="Hello").status == 200


ALWAYS_HEARD = {
    "open_seat_pages.give_seat_back": "a seat is given back, and nobody has to play",
    "settings_pages.change_subscription": "letters stop",
    "settings_pages.change_unwanted_letters": "letters stop, and the way back is their reader's own",
    "settings_pages.save_settings": "which letters come, to nobody but their reader",
    "ticket_pages.keep_choice": "a choice that the visitor's own browser keeps",
    "live_updates.note_page_seen": "the visitor's own time runs, and nobody waits for them without end",
    "settings_pages.renew": "links that others may hold end; new ones go to the address in use alone",
    "settings_pages.mail_again": "a letter to the address on file, which is dropped where banned",
    "settings_pages.resume_delivery": "letters go to the address in use again, unless it is banned",
    "settings_pages.mail_sign_in_link": "a letter to the bearer's own address, which is dropped where banned",
    "sign_in_pages.mail_link": "a letter to the bearer's own address, which is dropped where banned",
    "sign_in_pages.submit_sign_in": "a cookie that is good for nobody who is banned (sign_in.py)",
    "sign_in_pages.change_sessions": "only for who is signed in, which nobody is who is banned",
    "settings_pages.change_presence": "their own clock stands or goes on, and nobody gets a letter",
    "settings_pages.resign_game": "only for who is signed in; else a letter, which is dropped where banned",
    "my_pages.forget_games_played_here": "what the visitor's own browser keeps goes",
    "my_pages.forget_me": "only for who is signed in; what is known of somebody goes",
    "settings_pages.confirm_address": "a no is heard; a yes is refused in accounts/addresses.py",
    "desk_pages.change_game": "only for the operator, whom nobody else can ban",
    "desk_pages.change_address": "only for the operator, whom nobody else can ban",
    "desk_pages.repair": "only for the operator, whom nobody else can ban",
    "desk_pages.care_for_server": "only for the operator, whom nobody else can ban",
    "api_routes.act": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.comeBack": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.nudge": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.resign": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.castVote": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.setPlan": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.setReminders": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.setAvailability": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.takeVacation": "a key is good for nobody who is banned (sign_in.py)",
    "api_routes.endVacation": "a key is good for nobody who is banned (sign_in.py)",
    "mail_hook.receive_mail": "the mail server's word; the mail is refused as any other (dispatch.py)",
    "mailbox_pages.send_answer": "the built-in mailbox: an answer is refused as any mail (dispatch.py)",
}


def test_of_all_that_can_be_sent_it_is_said_who_is_refused_or_why_nobody_is(place):
    sent = {rule.endpoint for rule in place.app.url_map.iter_rules() if "POST" in (rule.methods or ())}
    said = [*REFUSED_TO_NETWORKS, *REFUSED_TO_PLAYERS, *ALWAYS_HEARD]
    assert len(said) == len(set(said))
    assert sent - set(said) == set()
    assert {one for one in said if one not in sent} <= {"mail_hook.receive_mail", "mailbox_pages.send_answer"}


@pytest.mark.parametrize("choice", OrganiserChoice)
def test_a_banned_organiser_neither_fills_nor_ends_their_game(context, place, choice):
    game = context.open_game("Friday", [ANNA, BEN], NOON, organiser="anna@example.org")
    page = context.links.organiser_link(game, 0).removeprefix(context.links.base_url)
    visitor = place.visitor().get(page)
    nonce = visitor.nonce()
    context.type_in("ban", "anna@example.org")
    before = place.stored()
    assert visitor.get(page).status == 200
    assert visitor.post(page, nonce=nonce, wish=choice).status == 403
    assert place.stored() == before


@pytest.mark.parametrize("banned", ["192.0.2.0/24", "::ffff:192.0.2.0/120"])
def test_a_network_of_ipv4_within_ipv6_is_the_one_of_ipv4_and_who_comes_from_no_address_is_in_none(
    context, banned
):
    assert context.type_in("ban", banned).stdout == "192.0.2.0/24 is banned.\n"
    inside, outside = ["192.0.2.9", "::ffff:192.0.2.9"], ["::ffff:192.0.3.9", "", "unix", "a network"]
    with context.reading() as session:
        assert [one for one in inside + outside if is_network_blocked(session, one)] == inside


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_letter_of_any_kind_goes_to_whoever_is_banned(kind):
    known = describe_situation(GameStatus.RUNNING, DEFAULTS, is_mover=False, is_pressing=False)
    now = Situation(**known, is_blocked=True)
    assert reason_to_drop(KINDS[kind], now) is DropReason.BLOCKED


def test_a_letter_about_no_game_is_dropped_alike(context, game, carrier):
    context.confirm("Anna")
    context.type_in("ban", "example.org")
    sign_in.request_link(context, "anna@example.org", NOON)
    send_due_letters(context, carrier, NOON)
    assert not carrier.mails
    assert ("signin", "dropped", DropReason.BLOCKED) in letters_to(context, "anna@example.org")


def test_a_mail_to_new_of_whoever_is_banned_asks_for_nothing(context):
    context.type_in("ban", "example.net")
    words = "Anna anna@example.net\nBen ben@example.org"
    assert bring(context, "anna@example.net", "new@play.example.org", words)[0] == "ignored"
    assert context.rows_of(Player) == []


@pytest.fixture
def proposal(context):
    """The letter to whoever has asked for a game, and the page that it leads to."""
    letter = Post(context).proposed("Ben <ben@example.org>")
    return letter, next(line for line in body(letter).split() if "/n/" in line).partition("8000")[2]


def test_a_banned_network_opens_no_game_that_was_proposed(context, place, proposal):
    _, page = proposal
    context.type_in("ban", "192.0.2.0/24")
    banned = visitor_from(place, "192.0.2.3").get(page)
    assert banned.status == 200
    assert banned.press().status == 403
    assert games(context, "open") == []
    visitor_from(place, "198.51.100.3").get(page).press()
    assert len(games(context, "open")) == 1


def test_a_banned_organiser_opens_no_game_that_they_proposed(context, place, proposal):
    letter, page = proposal
    context.type_in("ban", str(letter["To"]).strip("<>").split("<")[-1])
    visitor = place.visitor().get(page).press()
    assert "takes nothing from this address" in visitor.text
    assert games(context, "open") == []
