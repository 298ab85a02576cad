"""A spammer wants the server to write to somebody who never asked, often and in the spammer's words."""

import pytest

from tests.attacks import small_world, strangers
from tests.attacks.reading import DOMAIN
from tests.attacks.small_world import open_world
from tests.attacks.strangers import PER_DAY, VARIANTS, arrived, confirm_proposal, count, open_by_form, visit

pytestmark = pytest.mark.breadth

CLEO, DIRK = "cleo@example.net", "dirk@example.com"
BAIT = "CHEAP PILLS"
RESERVED = (
    *"postmaster@example.net Abuse@example.net root@example.net hostmaster@example.com".split(),
    *"webmaster+x@example.com mailer-daemon@example.com noreply@example.com root@localhost".split(),
    *"cleo@mail.localhost cleo@server.local cleo@nowhere.invalid cleo@[127.0.0.1]".split(),
    *(f"{local}@{DOMAIN}" for local in ("play+abc", "new", "nieuw", "stop+abc")),
    "alexandros@example.org",
)


@pytest.fixture
def begun(tmp_path):
    return open_world(tmp_path, "Dirk", "Anna")


@pytest.fixture
def dirk(world):
    return strangers.signed_in(world, "Dirk")


def test_guests_hear_nothing_of_a_game_whose_organiser_has_not_confirmed_it(bare):
    for _ in range(20):
        open_by_form(visit(bare, "192.0.2.7"), DIRK, CLEO, "cleo+2@example.net")
    assert arrived(bare, CLEO) == 0
    assert 1 <= count(bare, DIRK) <= PER_DAY, "the letter that asks goes to the organiser alone"
    assert confirm_proposal(bare, DIRK)
    assert count(bare, CLEO) >= 1, "and once it is confirmed, guests are invited"


@pytest.mark.parametrize(
    "ways",
    [VARIANTS, strangers.DOTTED, strangers.INTERNATIONAL],
    ids=["tags and case", "dots", "other scripts"],
)
def test_fifty_networks_that_name_one_victim_as_organiser_send_three_letters(bare, ways):
    for number in range(50):
        open_by_form(visit(bare, f"10.0.{number}.1"), ways[number % len(ways)])
        bare.place.clock.forward(1 / 60)
    assert arrived(bare, *ways) <= PER_DAY
    open_by_form(visit(bare, "10.9.9.9"), "anna@example.org", CLEO)
    assert arrived(bare, "anna@example.org") == 1


@pytest.mark.parametrize("ways", [VARIANTS, strangers.DOTTED], ids=["tags and case", "dots"])
def test_a_confirmed_organiser_invites_one_victim_three_times_a_day(world, ways):
    dirk = strangers.signed_in(world, "Dirk", "192.0.2.7")
    for number in range(8):
        open_by_form(dirk, "", ways[number % len(ways)], ways[(number + 1) % len(ways)])
        world.deliver()
    assert 1 <= count(world, *ways) <= PER_DAY
    open_by_form(dirk, "", "ben@example.org")
    assert arrived(world, "ben@example.org") == 1, "another guest is invited"


def test_a_month_of_invitations_is_ten_letters(world, dirk):
    for _ in range(29):
        for _ in range(2):
            open_by_form(dirk, "", CLEO)
        world.deliver()
        world.place.clock.forward(24)
    assert PER_DAY < count(world, CLEO) <= strangers.PER_MONTH
    world.place.clock.forward(24 * 3)
    before = count(world, CLEO)
    open_by_form(dirk, "", CLEO)
    assert arrived(world, CLEO) <= before + PER_DAY


def test_many_confirmed_organisers_together_send_one_victim_three_letters(bare):
    for number in range(8):
        strangers.organise(bare, f"10.1.{number}.1", f"plain{number}@example.com", CLEO)
    assert 1 <= count(bare, CLEO) <= PER_DAY


def test_every_kind_of_letter_counts_against_one_budget(world, dirk, game):
    """Invited, proposed to, joined, signed in and named as an address, all within the hour."""
    link = strangers.open_table(world)
    links = [one for mail in world.mails.to("dirk") for one in strangers.links_in(mail)]
    seat = next(one for one in links if "/settings" in one).partition("/settings")[0]
    for number in range(3):
        open_by_form(dirk, "", CLEO)
        strangers.join(world, f"10.2.{number}.1", link, "Cleo", f"cleo+{number}@example.net")
        strangers.ask_for_game(world, f"10.3.{number}.1", CLEO)
        strangers.ask_to_sign_in(world, f"10.4.{number}.1", CLEO)
        open_by_form(visit(world, f"10.5.{number}.1"), CLEO)
        small_world.ask_for_address(dirk, seat, "Cleo@example.net")
        strangers.read_all(world)
        world.place.clock.forward(1 / 6)
    assert 1 <= count(world, CLEO) <= PER_DAY
    assert strangers.seq(world, game) > 0


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("the name of the game", {"game": BAIT}),
        ("the name of the guest", {"name2": BAIT}),
        ("the name of the organiser", {"name": BAIT}),
        ("a coded name", {"game": "=?utf-8?q?CHEAP_PILLS?="}),
        ("a name of two lines", {"game": f"Friday\r\nSubject: {BAIT}"}),
    ],
)
def test_no_header_of_a_letter_to_a_stranger_has_the_organisers_words(bare, what, fields):
    open_by_form(visit(bare, "192.0.2.7"), DIRK, CLEO, **fields)
    confirm_proposal(bare, DIRK)
    if what != "a name of two lines":
        assert count(bare, CLEO) == 1
    asked = strangers.reaching(bare, DIRK)[:1]  # as long as nobody knows that it was Dirk who asked
    for mail in strangers.reaching(bare, CLEO) + asked:
        assert BAIT not in strangers.heads(mail), what


def test_a_name_that_is_a_link_is_no_link_in_a_letter(bare):
    called = {"game": "https://spam.example.com", "name2": "spam.example.com"}
    open_by_form(visit(bare, "192.0.2.7"), DIRK, CLEO, **called)
    confirm_proposal(bare, DIRK)
    for mail in strangers.reaching(bare, CLEO):
        assert 'href="https://spam' not in strangers.written_in(mail)


def test_whoever_never_answered_hears_nothing_of_a_game_called_off(world, dirk):
    page = open_by_form(dirk, "", CLEO, "ben@example.org").answer.request.path
    strangers.accept(world, strangers.invitation(world, "ben@example.org"))
    world.deliver()
    before = count(world, CLEO), count(world, "ben@example.org")
    strangers.call_off(dirk, page)
    assert arrived(world, CLEO) == before[0]
    assert count(world, "ben@example.org") == before[1] + 1, "who accepted hears it"


def test_forged_mails_at_new_send_their_victim_three_answers(bare):
    for number in range(20):
        strangers.ask_for_game(bare, f"10.6.{number}.1", VARIANTS[number % len(VARIANTS)])
    strangers.ask_for_game(bare, "192.0.2.9", "anna@example.org")
    strangers.read_all(bare)
    assert count(bare, CLEO) <= PER_DAY
    assert count(bare, "anna@example.org") == 1


def test_the_open_seats_of_others_send_a_victim_three_invitations(tmp_path):
    world, _ = open_world(tmp_path, "Anna", "Ben")
    link = strangers.open_table(world, "Anna", 4)
    for number in range(12):
        strangers.join(world, f"10.7.{number}.1", link, f"Guest {number}", VARIANTS[number % len(VARIANTS)])
        world.deliver()
        world.place.clock.forward(1.5)
    assert count(world, CLEO) <= PER_DAY


def test_asking_to_sign_in_writes_to_no_stranger(tmp_path):
    world, _ = open_world(tmp_path, "Anna", "Ben")
    for number in range(4):
        strangers.ask_to_sign_in(world, f"10.8.{number}.1", VARIANTS[number])
    assert arrived(world, CLEO) == 0


def test_moving_to_the_address_of_a_victim_again_and_again_writes_three_letters(world, dirk):
    seat = strangers.reading.ticket_in(world.mails.to("dirk")[0])
    for number in range(8):
        small_world.ask_for_address(dirk, seat, VARIANTS[number % len(VARIANTS)])
        small_world.ask_for_address(dirk, seat, f"cleo+{number}@example.net")
        world.deliver()
    assert count(world, CLEO) <= PER_DAY


@pytest.mark.parametrize("address", RESERVED)
def test_nobody_is_invited_at_an_address_that_is_reserved_or_ours(world, address):
    before = len(world.mails.mails)
    page = open_by_form(strangers.signed_in(world, "Dirk"), "", address)
    open_by_form(visit(world, "192.0.2.7"), address)
    strangers.ask_for_game(world, "192.0.2.8", DIRK, f"Guest <{address}>")
    strangers.read_all(world)
    confirm_proposal(world, DIRK)
    assert not [to for _, to in world.mails.envelopes[before:] if to.lower() == address.lower()]
    assert page.status == 422, "and the form says so"


@pytest.mark.parametrize("again", [*VARIANTS[1:5], "cleo+play@example.net"])
def test_never_holds_for_every_way_to_write_the_address(world, dirk, again):
    open_by_form(dirk, "", CLEO)
    strangers.never_again(world, strangers.invitation(world, CLEO))
    before = strangers.sent(world)
    for _ in range(2):
        world.place.clock.forward(24 * 40)
        open_by_form(strangers.signed_in(world, "Dirk"), "", again, "ben@example.org")
        open_by_form(visit(world, "192.0.2.7"), again)
        strangers.ask_for_game(world, "192.0.2.8", again)
        strangers.read_all(world)
    assert count(world, CLEO, since=before) == 0
    assert count(world, "ben@example.org", since=before) >= 1


def test_one_click_in_a_mail_program_declines_and_nothing_more_comes(world, dirk):
    page = open_by_form(dirk, "", CLEO).answer.request.path
    assert strangers.one_click(world, strangers.invitation(world, CLEO)) in (200, 202, 204)
    before = strangers.sent(world)
    strangers.let_pass(world, 24 * 3)
    assert count(world, CLEO, since=before) == 0
    assert "Guest 2 does not want to play" in dirk.get(page).text


def test_the_servers_day_is_so_many_letters_and_games_go_on_meanwhile(tmp_path):
    world, game = open_world(tmp_path, "Anna", "Ben", ALEXANDROS_UNASKED_PER_DAY="6")
    before = strangers.sent(world)
    for number in range(12):
        strangers.ask_for_game(world, f"10.20.{number}.1", f"plain{number}@example.com")
    strangers.read_all(world)
    victims = [f"plain{number}@example.com" for number in range(12)]
    assert count(world, *victims) <= 6
    name = world.place.context.mover(game)
    world.write(f"{name.lower()}@example.org", strangers.reply_address(world, name), "board")
    world.deliver()
    assert [to for _, to in world.mails.envelopes[before:] if to == f"{name.lower()}@example.org"]
    strangers.let_pass(world, 25, 1)
    assert count(world, *victims) > 6, "what waited is sent when the day is over"


def test_the_operator_hears_once_that_the_servers_day_is_full(tmp_path):
    told = {"ALEXANDROS_UNASKED_PER_DAY": "3", "ALEXANDROS_OPERATOR": "ben@example.com"}
    world = strangers.bare_world(tmp_path, **told)
    for number in range(9):
        strangers.ask_for_game(world, f"10.21.{number}.1", f"plain{number}@example.com")
        strangers.read_all(world)
        strangers.let_pass(world, 0.5)
    assert count(world, "ben@example.com") == 1


def test_one_visitor_writes_to_thirty_strangers_a_day(bare):
    victims = [f"plain{number}@example.net" for number in range(45)]
    for number, victim in enumerate(victims):
        open_by_form(visit(bare, f"198.51.100.{number + 1}"), victim)
        bare.place.clock.forward(0.25)
    assert arrived(bare, *victims) <= strangers.PER_ORIGIN
    open_by_form(visit(bare, "203.0.113.1"), "anna@example.org")
    assert arrived(bare, "anna@example.org") == 1


def test_an_answer_yes_without_the_letter_confirms_nothing(bare):
    """The forger who never got the proposal answers it all the same."""
    strangers.ask_for_game(bare, "192.0.2.7", "anna@example.org", "Cleo <cleo@example.net>")
    strangers.read_all(bare)
    for to in (strangers.NEW, f"new+@{DOMAIN}", f"confirm+yes@{DOMAIN}"):
        bare.write("anna@example.org", to, "yes", In_Reply_To=str(bare.mails.mails[-1]["Message-ID"]))
    assert arrived(bare, CLEO) == 0
