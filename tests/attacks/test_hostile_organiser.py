"""A hostile organiser has a name here and uses it against somebody; operator and victim can end it."""

import json
from datetime import UTC, datetime

import pytest

from tests.attacks import reading, small_world, strangers
from tests.attacks.small_world import open_world
from tests.attacks.strangers import arrived, ban, count, invitation, open_by_form, remains, signed_in, visit

pytestmark = pytest.mark.breadth

CLEO = "cleo@example.net"


@pytest.fixture
def begun(tmp_path):
    return open_world(tmp_path, "Dirk", "Anna")


@pytest.fixture
def dirk(world):
    return signed_in(world, "Dirk")


def test_calling_off_and_opening_again_writes_to_a_guest_three_times(world, dirk):
    for number in range(6):
        opened = open_by_form(dirk, "", CLEO, name2=f"Guest {number}", game=f"Round {number}")
        page = opened.answer.request.path
        world.deliver()
        strangers.call_off(dirk, page)
        world.deliver()
    assert 1 <= count(world, CLEO) <= strangers.PER_DAY


def test_who_declined_hears_no_more_of_that_game(world, dirk):
    page = open_by_form(dirk, "", CLEO, "ben@example.org").answer.request.path
    strangers.decline(world, invitation(world, CLEO))
    before = strangers.sent(world)
    strangers.accept(world, invitation(world, "ben@example.org"))
    for choice in ("house-awaited", "house-open"):
        _, action, fields = dirk.get(page).form(small_world.MAIN_FORM)
        dirk.post(action, **(fields | {"wish": choice}))
    strangers.let_pass(world, 48)
    assert count(world, CLEO, since=before) == 0
    assert count(world, "ben@example.org", since=before) >= 1, "the game begins without them"


@pytest.mark.parametrize("word", ["no", "decline", "nee"])
def test_an_answer_that_says_no_declines(world, word):
    open_by_form(signed_in(world, "Dirk"), "", CLEO)
    mail = invitation(world, CLEO)
    world.write(CLEO, str(mail["Reply-To"]), word)
    before = strangers.sent(world)
    strangers.let_pass(world, 24 * 4)
    assert count(world, CLEO, since=before) == 0
    assert "Will you play" not in world.visitor(reading.ticket_in(mail)).title


def test_a_link_that_is_only_looked_at_declines_nothing(world):
    open_by_form(signed_in(world, "Dirk"), "", CLEO)
    mail = invitation(world, CLEO)
    before = world.stored()
    for link in strangers.links_in(mail):
        world.visitor(link)
    assert world.stored() == before
    assert strangers.accept(world, mail).status == 200, "the guest may still say yes"


@pytest.mark.parametrize("what", ["dirk@example.org", "Dirk+x@EXAMPLE.org"])
def test_a_banned_organiser_is_neither_heard_nor_written_to(world, dirk, game, what):
    address = strangers.reply_address(world, "Dirk")
    ban(world, what)
    before = strangers.sent(world)
    open_by_form(dirk, "", CLEO)
    open_by_form(visit(world, "192.0.2.7"), "dirk+2@example.org", CLEO)
    acts = strangers.seq(world, game)
    world.write("dirk@example.org", strangers.NEW, f"Cleo <{CLEO}>")
    world.write("dirk@example.org", address, "say: I am still here")
    strangers.ask_to_sign_in(world, "192.0.2.8", "dirk@example.org")
    assert arrived(world, CLEO, since=before) == 0
    assert count(world, "dirk@example.org", since=before) == 0
    assert strangers.seq(world, game) == acts
    world.write("anna@example.org", strangers.NEW, f"Cleo <{CLEO}>")
    assert arrived(world, "anna@example.org", since=before) >= 1, "others are heard"


@pytest.mark.parametrize("what", ["example.com", "EXAMPLE.com", "198.51.100.0/24", "198.51.100.7"])
def test_a_banned_domain_or_network_opens_nothing_and_allow_lifts_it(bare, what):
    ban(bare, what)
    open_by_form(visit(bare, "198.51.100.7"), "dirk@example.com", CLEO)
    bare.deliver()
    assert strangers.confirm_proposal(bare, "dirk@example.com") is False
    open_by_form(visit(bare, "203.0.113.1"), "anna@example.org", CLEO)
    assert strangers.confirm_proposal(bare, "anna@example.org"), "others open games"
    assert what.lower() in strangers.done(bare, "ban").lower()
    strangers.allow(bare, what)
    open_by_form(visit(bare, "198.51.100.7"), "dirk@example.com", "ben@example.org")
    assert arrived(bare, "dirk@example.com") == 1


def test_a_ban_is_kept_without_the_address(bare):
    ban(bare, CLEO)
    assert not strangers.traces(remains(bare), CLEO)
    assert "cleo" not in strangers.done(bare, "ban")


def test_a_suspended_game_stands_still_and_goes_on_when_it_is_lifted(world, game):
    other = small_world.begin(world, "Ben", "Cleo")
    name = world.place.context.mover(game)
    player, address = f"{name.lower()}@example.org", strangers.reply_address(world, name)
    card = strangers.a_card(world, game)
    strangers.suspend(world, game)
    before, acts, others = strangers.sent(world), strangers.seq(world, game), strangers.seq(world, other)
    assert world.write(player, address, card) != "played"
    strangers.let_pass(world, 24 * 4)
    assert strangers.seq(world, game) == acts
    assert max(count(world, f"{one}@example.org", since=before) for one in ("dirk", "anna")) <= 1
    assert strangers.seq(world, other) > others, "other games go on"
    strangers.lift(world, game)
    world.place.clock.now = datetime.now(UTC)  # by which the operator's command has gone
    strangers.let_pass(world, 24 * 4)
    assert strangers.seq(world, game) > acts


def test_whoever_is_forgotten_leaves_no_byte_and_their_games_go_on(tmp_path):
    """In one game that runs, one that is over and one that has not begun, with talk, keys and browsers."""
    world, over = open_world(tmp_path, "Plainplayer", "Anna")
    small_world.finish(world, over)
    running = small_world.begin(world, "Plainplayer", "Ben", "Cleo")
    waiting = small_world.begin(world, "Plainplayer", "Dirk", at_once=False)
    address = strangers.reply_address(world, "Plainplayer")
    world.write("plainplayer@example.org", address, "say: it is Plainplayer who writes")
    signed_in(world, "Plainplayer").get("/me/browsers").send("//form[@id='new-key']", name="Q", wish="new")
    world.deliver()
    said = strangers.forget(world, "plainplayer@example.org")
    assert said.strip(), "it says what was done"
    assert strangers.traces(remains(world), "plainplayer") == []
    acts = strangers.seq(world, running)
    strangers.let_pass(world, 24 * 8)
    assert strangers.seq(world, running) > acts, "the game goes on"
    assert world.place.context.type_in("doctor").exit_code == 0
    for game in (over, running, waiting):
        exported = world.place.context.type_in("export", game)
        assert "lainplayer" not in exported.output
    seat = next(link for link in strangers.links_in(world.mails.to("ben")[-1]) if link.startswith("/t/"))
    assert "Plainplayer" not in world.visitor(seat).text


def test_whoever_is_forgotten_gets_and_opens_nothing_more(tmp_path):
    world, game = open_world(tmp_path, "Dirk", "Anna", "Ben")
    dirk, seat = signed_in(world, "Dirk"), reading.ticket_in(world.mails.to("dirk")[0])
    address = strangers.reply_address(world, "Dirk")
    strangers.forget(world, "dirk@example.org")
    before, acts = strangers.sent(world), strangers.seq(world, game)
    assert dirk.get("/me").title != "My games"
    assert not reading.shows_seat(world.visitor(seat))
    world.write("dirk@example.org", address, "resign")
    assert strangers.seq(world, game) == acts
    strangers.let_pass(world, 24 * 6)
    assert count(world, "dirk@example.org", since=before) <= 1
    assert count(world, "anna@example.org", since=before) + count(world, "ben@example.org", since=before) > 0


def test_the_data_of_a_person_are_json_and_all_of_them(world):
    world.write("dirk@example.org", strangers.reply_address(world, "Dirk"), "say: a word of mine")
    found = strangers.data(world, "DIRK@example.org")
    json.loads(found)
    for held in ("dirk@example.org", "Dirk", "a word of mine", "Friday"):
        assert held in found
    nothing = json.loads(strangers.data(world, "nobody@example.net"))
    assert not any(nothing.values())


def test_mails_and_proposals_are_not_kept_for_ever(tmp_path):
    world, _ = open_world(tmp_path, "Anna", "Ben")
    world.write("dirk@example.com", strangers.reply_address(world, "Anna"), "hand")
    world.write("dirk@example.com", strangers.NEW, f"Cleo <{CLEO}>")
    strangers.let_pass(world, 24 * 8)
    assert CLEO.encode() not in remains(world), "a proposal is kept for a week"
    strangers.let_pass(world, 24 * 23, 48)
    assert strangers.kept_mails(world) == 0
