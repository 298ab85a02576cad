"""Keys, tickets and tokens: what is sealed comes out whole, for its purpose alone."""

import re
import tomllib
from dataclasses import replace
from functools import partial
from itertools import combinations, count, product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from emails.tokens import (
    LONGEST_TOKEN,
    MOST_AFTER,
    MOST_GENERATIONS,
    MOST_LETTERS,
    MOST_SEATS,
    SEAL_SIZES,
    ForgedToken,
    KeyRing,
    LinkBuilder,
    OutdatedToken,
    Purpose,
    Ticket,
    digest_token,
    make_code,
    mask_tokens,
    seal_game,
    seal_ticket,
    seal_unsubscribe,
    unseal_bounce,
    unseal_game,
    unseal_reply,
    unseal_ticket,
    unseal_unsubscribe,
)
from tests.paths import TOP

OLD, NEW = b"a secret of the house", b"a newer secret of the house"
RING = KeyRing((OLD,))
SEALED = list(SEAL_SIZES)


def test_the_document_describes_each_kind_of_token() -> None:
    text = (TOP / "server/THREATS.md").read_text("utf-8").partition("## Kinds of tokens\n")[2]
    rows = [line.strip("| ").split(" | ") for line in text.partition("\n## ")[0].splitlines()[3:] if line]
    assert [row[0] for row in rows] == list(Purpose)
    assert all(len(row) == 6 and all(row) for row in rows)


def test_no_two_purposes_and_no_two_secrets_share_a_key() -> None:
    derived = [KeyRing((secret,)).derive_all(purpose)[0] for secret in (OLD, NEW) for purpose in Purpose]
    assert len(set(derived)) == 2 * len(Purpose)
    assert {len(key) for key in derived} == {32}
    assert OLD not in derived


@given(st.binary(max_size=60), st.sampled_from(list(combinations(SEALED, 2))))
def test_what_is_sealed_for_one_purpose_is_nothing_for_another(
    payload: bytes, pair: tuple[Purpose, Purpose]
) -> None:
    for one, other in (pair, pair[::-1]):
        token = RING.seal(one, payload)
        assert RING.unseal(one, token) == payload
        with pytest.raises(ForgedToken):
            RING.unseal(other, token)


def test_the_first_secret_seals_and_all_open() -> None:
    both = KeyRing((NEW, OLD))
    before, after = RING.seal(Purpose.SEAT, b"seat"), both.seal(Purpose.SEAT, b"seat")
    assert both.unseal(Purpose.SEAT, before) == both.unseal(Purpose.SEAT, after) == b"seat"
    assert after == KeyRing((NEW,)).seal(Purpose.SEAT, b"seat")
    with pytest.raises(ForgedToken):
        RING.unseal(Purpose.SEAT, after)
    assert both.decrypt(RING.encrypt(b"mail")) == b"mail"
    with pytest.raises(ForgedToken):
        RING.decrypt(both.encrypt(b"mail"))


def test_two_secrets_of_one_number_are_both_tried() -> None:
    secrets = (b"secret number %d" % number for number in count())
    wanted = RING.seal(Purpose.ACT, b"")[:2]
    same = next(one for one in secrets if KeyRing((one,)).seal(Purpose.ACT, b"")[:2] == wanted)
    token = RING.seal(Purpose.ACT, b"act")
    assert KeyRing((same, OLD)).unseal(Purpose.ACT, token) == b"act"


def test_a_code_follows_from_its_mark_for_who_has_the_secret() -> None:
    code = make_code(Purpose.SIGN_IN, "mark", RING)
    assert code == make_code(Purpose.SIGN_IN, "mark", RING)
    assert code != make_code(Purpose.CONFIRMATION, "mark", RING)
    assert code != make_code(Purpose.SIGN_IN, "mark", KeyRing((NEW,)))


def test_there_is_a_code_of_each_secret_the_first_first() -> None:
    both = KeyRing((NEW, OLD))
    new, old = (make_code(Purpose.SIGN_IN, "mark", KeyRing((one,))) for one in (NEW, OLD))
    assert new == make_code(Purpose.SIGN_IN, "mark", both) != old
    assert old == make_code(Purpose.SIGN_IN, "mark", both, digest_token(old))


KEYS = KeyRing((b"a secret of the house",))
POST = LinkBuilder("https://play.example.org", "play.example.org", KEYS)
GAME = "abcdefgh"
PLAIN = Ticket(GAME, 2, 7, "choose lyre; march Larissa A3-B2-C3")
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"

games, seats = st.text(LETTERS, min_size=8, max_size=8), st.integers(0, MOST_SEATS - 1)
generations = st.integers(0, MOST_GENERATIONS - 1)
letters = st.sampled_from([1, 127, 128, 70_000]) | st.integers(1, MOST_LETTERS - 1)
afters = st.integers(0, MOST_AFTER - 1)
tickets = st.builds(Ticket, games, seats, afters, st.text(max_size=60), generations)
wordless = st.builds(Ticket, games, seats, afters, st.just(""), generations)


def seal_reply(ticket: Ticket, letter: int, keys: KeyRing) -> str:
    links = replace(POST, keys=keys, generation=ticket.generation)
    return re.split("[+@]", links.reply_address(ticket, letter))[1]


def seal_bounce(letter: int, keys: KeyRing) -> str:
    return re.split("[+@]", replace(POST, keys=keys).bounce_address(letter))[1]


TOKENS = {
    "ticket": (seal_ticket, unseal_ticket, st.tuples(tickets)),
    "reply": (seal_reply, unseal_reply, st.tuples(wordless, letters | st.just(0))),
    "stop": (seal_unsubscribe, unseal_unsubscribe, st.tuples(games, seats)),
    "bounce": (seal_bounce, unseal_bounce, st.tuples(letters)),
    "proposal": (
        lambda game, keys: seal_game(Purpose.PROPOSAL, game, keys),
        lambda token, keys: unseal_game(Purpose.PROPOSAL, token, keys)[0],
        st.tuples(games),
    ),
}
"""Each kind of token with what seals it, what opens it, and what can stand in it."""
LONGEST = {"reply": 56, "bounce": 24}


@pytest.mark.parametrize("kind", TOKENS)
@given(st.data())
def test_a_token_comes_out_as_it_was_sealed_for_its_purpose_and_whole(kind: str, data: st.DataObject) -> None:
    seal, unseal, values = TOKENS[kind]
    value = data.draw(values)
    token = seal(*value, KEYS)
    for written in (token, token.upper()):  # some mail servers write addresses in capitals
        assert unseal(written, KEYS) == (value if len(value) > 1 else value[0])
    assert token.isascii()
    assert token.isalnum()
    assert token == token.lower()
    assert len(token) == 26 if kind == "stop" else len(token) <= LONGEST.get(kind, LONGEST_TOKEN)
    at = data.draw(st.integers(0, len(token) - 1))
    changed = token[:at] + data.draw(st.sampled_from(LETTERS.replace(token[at], ""))) + token[at + 1 :]
    for wrong in (changed, token[:-1], token[1:], f"{token}a"):
        with pytest.raises(ForgedToken):
            unseal(wrong, KEYS)
    with pytest.raises(ForgedToken):
        unseal(token, KeyRing((b"another secret here",)))
    for other in TOKENS.keys() - {kind}:
        for part in (token, token[:26]):
            with pytest.raises(ForgedToken):
                TOKENS[other][1](part, KEYS)


@given(st.text(max_size=120) | st.text(LETTERS, max_size=120))
@example("")
@example("=")
@example("a" * 10_000)
@example("é" * 40)
def test_what_nobody_sealed_opens_nothing(token: str) -> None:
    for purpose in SEALED:
        with pytest.raises(ForgedToken):
            RING.unseal(purpose, token)
    for _, unseal, _ in TOKENS.values():
        with pytest.raises(ForgedToken):
            unseal(token, KEYS)


@pytest.mark.parametrize(
    "ticket",
    [
        *(Ticket(game, 0, 0) for game in ("ABCDEFGH", "abcdefg", "abcdefg1")),
        *(Ticket(GAME, seat, 0) for seat in (-1, MOST_SEATS)),
        *(Ticket(GAME, 0, after) for after in (-1, MOST_AFTER)),
        Ticket(GAME, 0, 0, "w" * LONGEST_TOKEN),
    ],
)
def test_a_ticket_that_no_token_can_carry_is_not_sealed(ticket: Ticket) -> None:
    with pytest.raises(ValueError, match=r"."):
        seal_ticket(ticket, KEYS)


def test_a_letter_that_no_token_can_carry_is_not_sealed() -> None:
    for letter in (-1, MOST_LETTERS):
        with pytest.raises(ValueError, match="range"):
            POST.reply_address(PLAIN, letter)
        with pytest.raises(ValueError, match="range"):
            POST.bounce_address(letter)


# --- links and addresses --------------------------------------------------------------------------------


def test_a_link_leads_to_the_ticket_and_its_settings_whatever_it_says() -> None:
    link = POST.ticket_link(PLAIN)
    assert link.startswith("https://play.example.org/t/")
    assert unseal_ticket(link.rpartition("/")[2], KEYS) == PLAIN
    assert POST.page_link(PLAIN, "settings") == POST.ticket_link(Ticket(GAME, 2, 7)) + "/settings"


def test_an_address_carries_a_ticket_without_words_and_fits_into_any_mail() -> None:
    mailbox, _, domain = POST.reply_address(PLAIN).partition("@")
    assert domain == "play.example.org"
    assert unseal_reply(mailbox.removeprefix("play+"), KEYS) == (Ticket(GAME, 2, 7), 0)
    latest = Ticket(GAME, MOST_SEATS - 1, MOST_AFTER - 1, generation=MOST_GENERATIONS - 1)
    longest = replace(POST, generation=latest.generation).reply_address(latest, MOST_LETTERS - 1)
    assert len(longest.partition("@")[0]) <= 64  # RFC 5321, section 4.5.3.1.1
    assert unseal_reply(longest.partition("@")[0].removeprefix("play+"), KEYS) == (latest, MOST_LETTERS - 1)
    assert len(seal_ticket(latest, KEYS)) <= 53


def test_the_ways_out_fit_into_a_header_that_nobody_folds() -> None:
    far = LinkBuilder("https://" + "a" * 28 + ".org", "b" * 27 + ".org", KEYS)
    for link in far.unsubscribe_links(GAME, MOST_SEATS - 1):
        assert len(link) <= 70
    page, mail = POST.unsubscribe_links(GAME, 2)
    assert page == f"https://play.example.org/u/{seal_unsubscribe(GAME, 2, KEYS)}"
    assert mail == f"mailto:stop+{seal_unsubscribe(GAME, 2, KEYS)}@play.example.org"


def test_a_proposed_game_has_a_page_and_an_address_and_neither_is_the_other() -> None:
    link, address = POST.proposal_links(GAME)
    page = link.removeprefix("https://play.example.org/n/")
    local, _, domain = address.partition("@")
    assert domain == "play.example.org"
    assert len(local) <= 64
    answer = local.removeprefix("new+")
    assert unseal_game(Purpose.PROPOSAL, page.upper(), KEYS) == (GAME, 0)
    assert unseal_game(Purpose.PROPOSAL_REPLY, answer.upper(), KEYS) == (GAME, 0)
    for purpose, token in ((Purpose.PROPOSAL, answer), (Purpose.PROPOSAL_REPLY, page)):
        with pytest.raises(ForgedToken):
            unseal_game(purpose, token, KEYS)


def test_a_new_address_is_confirmed_by_page_or_by_answer() -> None:
    assert POST.confirm_links("abc") == ("https://play.example.org/c/abc", "confirm+abc@play.example.org")


# --- tokens of letters from before tickets could be withdrawn ---------------------------------------------

OLD_KEYS = KeyRing((b"a secret of the house, never changed",))
OLD_TOKENS = tomllib.loads(Path(__file__).with_name("old_tokens.toml").read_text("utf-8"))
unseal_proposal = partial(unseal_game, Purpose.PROPOSAL)
READERS = {"tickets": (unseal_ticket, unseal_reply, unseal_proposal), "replies": (unseal_reply,)}


@pytest.mark.parametrize("kind", READERS)
def test_an_old_link_or_address_says_whose_it_was_and_opens_nothing(kind: str) -> None:
    for (game, seat, token), unseal in product(OLD_TOKENS[kind], READERS[kind]):
        with pytest.raises(OutdatedToken) as refused:
            unseal(token, OLD_KEYS)
        assert (refused.value.ticket.game, refused.value.ticket.seat) == (game, seat)


def test_what_stops_old_letters_or_says_that_they_came_back_still_works() -> None:
    for game, holder, token in OLD_TOKENS["unsubscribes"]:
        assert unseal_unsubscribe(token, OLD_KEYS) == (game, holder)
    for number, token in OLD_TOKENS["bounces"]:
        assert unseal_bounce(token, OLD_KEYS) == number
        for wrong in (token[:-1], f"{token}z"):
            with pytest.raises(ForgedToken):
                unseal_bounce(wrong, OLD_KEYS)


# --- what is kept of them -------------------------------------------------------------------------------


def test_the_token_of_every_link_and_address_is_masked_and_what_stands_before_it_tells_its_kind() -> None:
    links = [
        POST.ticket_link(PLAIN),
        POST.ticket_link(replace(PLAIN, words="")),
        POST.page_link(PLAIN, "settings"),
        POST.reply_address(PLAIN, 12),
        POST.bounce_address(1),
        *POST.unsubscribe_links(GAME, 2),
        *POST.confirm_links("a" * 32),
        POST.sign_in_link("mark"),
        POST.join_link(GAME),
        POST.organiser_link(GAME, 0),
        *POST.proposal_links(GAME),
    ]
    for link in links:
        masked = mask_tokens(f"see {link.upper()}, or <{link}>.")
        found = re.findall(r"[a-z2-7]{12,}", masked, re.IGNORECASE)
        assert not found, masked
        assert masked.count("...") == 2
        assert mask_tokens(masked) == masked
    assert mask_tokens(POST.page_link(PLAIN, "settings")) == "https://play.example.org/t/.../settings"
    assert mask_tokens(POST.reply_address(PLAIN)) == "play+...@play.example.org"
    assert mask_tokens(POST.reply_address(PLAIN).replace("+", "%2B")) == "play%2B...@play.example.org"
