"""A forger has an answer address and writes in the name of its player."""

from pathlib import Path

import pytest

from tests.attacks import small_world, strangers
from tests.attacks.reading import links_in
from tests.attacks.small_world import World, open_world
from tests.attacks.strangers import AUTHSERV, a_card, forge, judged, reply_address, seq
from tests.breadth import spread

pytestmark = pytest.mark.breadth

DIRK = "dirk@example.com"
VERDICTS = {"ALEXANDROS_MAIL_AUTHSERV": AUTHSERV}
PASS, FAIL = (
    f"{AUTHSERV}; dmarc=pass header.from=example.org",
    f"{AUTHSERV}; dmarc=fail header.from=example.org",
)
TRICKS = {
    "two heads, the forger first": [("From", DIRK), ("From", "{player}")],
    "two heads, the player first": [("From", "{player}"), ("From", DIRK)],
    "two heads in odd case": [("from", DIRK), ("FROM", "{player}")],
    "two addresses in one": [("From", f"{DIRK}, {{player}}")],
    "two addresses in one, turned": [("From", f"{{player}}, {DIRK}")],
    "a name that is an address": [("From", f'"{{player}}" <{DIRK}>')],
    "a name in brackets": [("From", f"<{{player}}> <{DIRK}>")],
    "a comment that is an address": [("From", f"{DIRK} ({{player}})")],
    "a coded name": [("From", f"=?utf-8?q?=3C{{player}}=3E?= <{DIRK}>")],
    "a group": [("From", f"players: {{player}}, {DIRK};")],
    "a longer domain": [("From", "{player}.example.com")],
    "a route": [("From", f"<@example.org:{DIRK}>")],
    "a folded head": [("From", f"{{player}},\r\n {DIRK}")],
    "only a sender": [("Sender", "{player}"), ("From", DIRK)],
    "only where to answer": [("Reply-To", "{player}"), ("From", DIRK)],
    "sent on": [("Resent-From", "{player}"), ("From", DIRK)],
    "no writer at all": [("Sender", "{player}")],
}


@pytest.fixture
def held(tmp_path) -> tuple[World, str, str, str]:
    """A world, its game, who is to move, and the answer address of their letter."""
    return hold(tmp_path)


def hold(folder: Path, **settings: str) -> tuple[World, str, str, str]:
    world, game = open_world(folder, "Anna", "Ben", **settings)
    name = world.place.context.mover(game)
    return world, game, f"{name.lower()}@example.org", reply_address(world, name)


def gave_up(world: World, game: str) -> bool:
    return bool(world.stored()["resigned"])


@pytest.mark.parametrize("trick", TRICKS)
def test_a_mail_whose_writer_is_not_one_and_the_player_is_not_played(held, trick):
    world, game, player, address = held
    before, card = seq(world, game), a_card(world, game)
    headers = [(name, value.format(player=player)) for name, value in TRICKS[trick]]
    for envelope in (player, DIRK):
        assert forge(world, envelope, address, headers, card) != "played"
    assert seq(world, game) == before
    own = [("From", f"Me <{player}>")]
    assert forge(world, player, address, own, card) == "played", "and the player plays"
    assert seq(world, game) > before


def test_who_forges_gets_no_hand_and_no_link(held):
    world, _, player, address = held
    before = strangers.sent(world)
    for headers in TRICKS.values():
        forge(world, DIRK, address, [(name, value.format(player=player)) for name, value in headers], "hand")
    world.deliver()
    for mail in strangers.reaching(world, DIRK, before):
        assert "Your hand" not in strangers.written_in(mail)
        assert not [link for link in links_in(mail) if link.startswith(("/t/", "/s/", "/c/"))]


@pytest.mark.parametrize(
    "verdicts",
    [
        [FAIL],
        [FAIL.upper().replace("HEADER.FROM", "header.from")],
        [f"{AUTHSERV};\r\n\tspf=pass smtp.mailfrom=example.com;\r\n\tdkim=none;\r\n\tdmarc=fail (p=none)"],
        [f"{AUTHSERV}; dkim=pass (it is dmarc=pass) header.d=example.com; dmarc=fail"],
        [FAIL, PASS],
        [f"mx.example.com; dmarc=pass, {AUTHSERV}", FAIL],
        [f"{AUTHSERV}.example.com; dmarc=pass", FAIL],
        [f"(made up) {AUTHSERV} (and here) ; dmarc (of)=(old) fail (sic)"],
    ],
    ids="plain capitals folded commented below wrong-server longer-server comments".split(),
)
def test_a_mail_that_failed_is_asked_about_and_not_played(tmp_path, verdicts):
    world, game, player, address = hold(tmp_path, **VERDICTS)
    before, card, sent = seq(world, game), a_card(world, game), strangers.sent(world)
    assert judged(world, player, address, card, *verdicts) != "played"
    assert seq(world, game) == before
    world.deliver()
    assert strangers.count(world, player, since=sent) == 1, "its player is asked"
    assert judged(world, player, address, card, PASS) == "played"
    assert seq(world, game) > before


@pytest.mark.parametrize(
    "verdicts",
    [[PASS], [f"{AUTHSERV}; dmarc=none"], [PASS, "mx.example.com; dmarc=fail"]],
    ids=["pass", "none", "ours above another"],
)
def test_a_mail_of_which_our_server_says_nothing_bad_is_played(tmp_path, verdicts):
    world, game, player, address = hold(tmp_path, **VERDICTS)
    before = seq(world, game)
    assert judged(world, player, address, a_card(world, game), *verdicts) == "played"
    assert seq(world, game) > before


def test_a_mail_of_which_only_another_server_speaks_is_asked_about(tmp_path):
    """Ours says something of each mail that it takes: what it has not seen came by another way."""
    world, game, player, address = hold(tmp_path, **VERDICTS)
    before = seq(world, game)
    assert judged(world, player, address, a_card(world, game), "mx.example.com; dmarc=pass") == "asked"
    assert seq(world, game) == before


def test_without_a_server_to_believe_a_verdict_is_worth_nothing(held):
    world, game, player, address = held
    assert judged(world, player, address, a_card(world, game), FAIL) == "played"


def test_the_player_says_yes_to_what_was_asked_and_it_is_played(tmp_path):
    world, game, player, address = hold(tmp_path, **VERDICTS)
    before = seq(world, game)
    judged(world, player, address, a_card(world, game), FAIL)
    asked = world.last(player.partition("@")[0])
    judged(world, DIRK, str(asked["Reply-To"]), "yes", f"{AUTHSERV}; dmarc=pass header.from=example.com")
    assert seq(world, game) == before, "a stranger's yes is none"
    judged(world, player, address, "yes", FAIL)
    assert seq(world, game) == before, "nor is a forged one at the old address"
    judged(world, player, str(asked["Reply-To"]), "yes", PASS)
    assert seq(world, game) > before


@pytest.mark.parametrize("text", ["resign", "new links", "accept", "say: you are all fools"])
def test_nothing_else_is_done_for_a_mail_that_failed(tmp_path, text):
    world, _, player, address = hold(tmp_path, **VERDICTS)
    world.deliver()
    before = strangers.done_in_games(world)
    others = len(world.mails.mails)
    judged(world, player, address, text, FAIL)
    world.deliver()
    assert strangers.done_in_games(world) == before
    told = [mail for mail in world.mails.mails[others:] if "fools" in strangers.words(mail)]
    assert not [mail for mail in told if player not in str(mail["To"])]


@pytest.mark.parametrize("text", ["resign", "I resign.", "I resign!"])
def test_who_gives_a_game_up_by_mail_is_asked_back(held, text):
    world, game, player, address = held
    world.write(player, address, text)
    assert not gave_up(world, game)
    for _ in range(2):
        world.write(player, address, "yes")
    assert not gave_up(world, game), "a yes to an older letter is none"
    world.write(player, address, text)
    asked = world.last(player.partition("@")[0])
    world.write(DIRK, str(asked["Reply-To"]), "yes")
    assert not gave_up(world, game), "nor is that of another"
    world.write(player, str(asked["Reply-To"]), "yes")
    assert gave_up(world, game), "the player's own does it"


def test_links_are_made_new_by_mail_only_after_a_yes(held):
    world, _, player, address = held
    before = world.stored()["seating"]
    world.write(player, address, "new links")
    world.write(player, address, "yes")
    assert world.stored()["seating"] == before
    world.write(player, address, "new links")
    world.write(player, str(world.last(player.partition("@")[0])["Reply-To"]), "yes")
    assert world.stored()["seating"] != before


@pytest.mark.parametrize("text", spread(2, ["resign", "accept", "say: hello", "new links", "hand"]))
def test_the_answer_address_of_a_finished_game_does_nothing(held, text):
    world, game, player, address = held
    small_world.finish(world, game)
    before, sent = strangers.done_in_games(world), strangers.sent(world)
    world.write(DIRK, address, text)
    world.write(player, address, text)
    world.deliver()
    assert strangers.done_in_games(world) == before
    for mail in strangers.reaching(world, DIRK, sent):
        assert "Your hand" not in strangers.written_in(mail)


def test_an_answer_address_of_sixty_silent_days_plays_nothing(held):
    world, game, player, address = held
    before, card = seq(world, game), a_card(world, game)
    world.place.clock.forward(24 * 61)
    assert world.write(player, address, card) != "played"
    assert world.write(player, address, "resign") != "played"
    assert (seq(world, game), gave_up(world, game)) == (before, False)


def test_the_answer_address_of_an_invitation_ends_with_its_game(world):
    anna = strangers.signed_in(world, "Anna")
    page = strangers.open_by_form(anna, "", "ben@example.org").answer.request.path
    address = str(strangers.invitation(world, "ben@example.org")["Reply-To"])
    strangers.call_off(anna, page)
    before = strangers.done_in_games(world)
    for text in ("accept", "decline", "resign", "new links"):
        assert world.write("ben@example.org", address, text) != "played"
    world.deliver()
    assert strangers.done_in_games(world) == before


WRITERS = {
    "another alphabet": "{local}@\u0435\u0445ample.org",
    "a domain within": "{local}@example.org@example.com",
    "a domain before": "example.org!{local}@example.com",
    "a percent": "{local}%example.org@example.com",
    "a quoted whole": '"{local}@example.org"@example.com',
    "a blank within": "{local}@example.org .example.com",
    "nothing visible within": "{local}\u200b@example.org",
    "a line of its own": "x\r\n <dirk@example.com>, {local}@example.org",
    "an empty address first": "<>, {local}@example.org",
}


@pytest.mark.parametrize("writer", WRITERS)
def test_an_address_that_looks_like_the_players_does_not_play(tmp_path, writer):
    world, game, player, address = hold(tmp_path)
    before, card = seq(world, game), a_card(world, game)
    local = player.partition("@")[0]
    forge(world, DIRK, address, [("From", WRITERS[writer].format(local=local))], card)
    assert seq(world, game) == before
    assert forge(world, player, address, [("From", player.upper())], card) == "played"


def test_failed_mails_do_not_flood_their_player_with_questions(tmp_path):
    world, game, player, address = hold(tmp_path, **VERDICTS)
    before, card, sent = seq(world, game), a_card(world, game), strangers.sent(world)
    for _ in range(25):
        judged(world, player, address, card, FAIL)
        world.deliver()
    assert seq(world, game) == before
    assert strangers.count(world, player, since=sent) <= 5
