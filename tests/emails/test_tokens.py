"""Tickets and tokens: what is sealed comes out whole, and nothing else is believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.links import LinkBuilder
from emails.tokens import (
    LONGEST_TOKEN,
    MOST_AFTER,
    MOST_LETTERS,
    MOST_SEATS,
    NEW_GAME,
    NOBODY,
    ForgedToken,
    Ticket,
    seal_bounce,
    seal_reply,
    seal_ticket,
    seal_unsubscribe,
    sign_in_code,
    unseal_bounce,
    unseal_reply,
    unseal_seatless,
    unseal_ticket,
    unseal_unsubscribe,
)

SECRET = b"a secret of the house"
POST = LinkBuilder("https://play.example.org", "play.example.org", SECRET)
GAME = "abcdefgh"
PLAIN = Ticket(GAME, 2, 7, "choose lyre; march Larissa A3-B2-C3")

tickets = st.builds(
    Ticket,
    st.text("abcdefghijklmnopqrstuvwxyz234567", min_size=8, max_size=8),
    st.integers(0, MOST_SEATS - 1),
    st.integers(0, MOST_AFTER - 1),
    st.text(max_size=60),
)


@given(tickets)
def test_a_ticket_comes_out_as_it_was_sealed(ticket: Ticket) -> None:
    token = seal_ticket(ticket, SECRET)
    assert unseal_ticket(token, SECRET) == ticket
    assert unseal_ticket(token.upper(), SECRET) == ticket  # some mail servers write addresses in capitals
    assert token.isascii()
    assert token == token.lower()
    assert token.isalnum()


@given(tickets, st.data())
def test_one_changed_letter_is_forged(ticket: Ticket, data: st.DataObject) -> None:
    token = seal_ticket(ticket, SECRET)
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(
        st.sampled_from([one for one in "abcdefghijklmnopqrstuvwxyz234567" if one != token[at]])
    )
    with pytest.raises(ForgedToken):
        unseal_ticket(token[:at] + letter + token[at + 1 :], SECRET)


@given(st.text(max_size=80) | st.text("abcdefghijklmnopqrstuvwxyz234567", max_size=80))
def test_what_nobody_sealed_is_forged(token: str) -> None:
    with pytest.raises(ForgedToken):
        unseal_ticket(token, SECRET)


@pytest.mark.parametrize(
    "token",
    ["", "=", "a" * 10_000, "ä" * 40, seal_ticket(PLAIN, SECRET) + "a", seal_ticket(PLAIN, SECRET)[:-1]],
)
def test_odd_tokens_are_forged(token: str) -> None:
    with pytest.raises(ForgedToken):
        unseal_ticket(token, SECRET)


def test_another_secret_opens_nothing() -> None:
    with pytest.raises(ForgedToken):
        unseal_ticket(seal_ticket(PLAIN, SECRET), b"another secret here")


@pytest.mark.parametrize(
    "ticket",
    [
        Ticket("ABCDEFGH", 0, 0),
        Ticket("abcdefg", 0, 0),
        Ticket("abcdefg1", 0, 0),
        Ticket(GAME, -1, 0),
        Ticket(GAME, MOST_SEATS, 0),
        Ticket(GAME, 0, -1),
        Ticket(GAME, 0, MOST_AFTER),
        Ticket(GAME, 0, 0, "w" * LONGEST_TOKEN),
    ],
)
def test_a_ticket_that_no_token_can_carry_is_not_sealed(ticket: Ticket) -> None:
    with pytest.raises(ValueError, match=r"."):
        seal_ticket(ticket, SECRET)


def test_a_link_leads_to_the_ticket() -> None:
    link = POST.ticket_link(PLAIN)
    assert link.startswith("https://play.example.org/t/")
    assert unseal_ticket(link.rpartition("/")[2], SECRET) == PLAIN


def test_an_address_carries_a_ticket_without_words_and_fits_into_any_mail() -> None:
    address = POST.reply_address(PLAIN)
    mailbox, _, domain = address.partition("@")
    assert domain == "play.example.org"
    assert unseal_reply(mailbox.removeprefix("play+"), SECRET) == (Ticket(GAME, 2, 7), 0)
    latest = Ticket(GAME, MOST_SEATS - 1, MOST_AFTER - 1)
    longest = POST.reply_address(latest, MOST_LETTERS - 1)
    assert len(longest.partition("@")[0]) <= 64  # RFC 5321, section 4.5.3.1.1
    assert unseal_reply(longest.partition("@")[0].removeprefix("play+"), SECRET) == (latest, MOST_LETTERS - 1)
    assert len(seal_ticket(latest, SECRET)) <= 50


@pytest.mark.parametrize("letter", [0, 1, 127, 128, 70_000])
def test_the_address_of_an_answer_tells_which_letter_it_answers(letter: int) -> None:
    token = seal_reply(PLAIN, letter, SECRET)
    assert unseal_reply(token, SECRET) == (Ticket(GAME, 2, 7), letter)
    assert unseal_reply(token.upper(), SECRET) == (Ticket(GAME, 2, 7), letter)
    assert len(token) <= 50


def test_the_address_of_an_older_letter_is_still_good() -> None:
    assert unseal_reply(seal_ticket(PLAIN, SECRET), SECRET) == (PLAIN, 0)


def test_the_token_of_an_answer_opens_no_page_and_a_damaged_one_nothing() -> None:
    token = seal_reply(PLAIN, 5, SECRET)
    with pytest.raises(ForgedToken):
        unseal_ticket(token, SECRET)
    for wrong in ("", token[:-1], token + "a", token[1:], "é" * 40):
        with pytest.raises(ForgedToken):
            unseal_reply(wrong, SECRET)
    with pytest.raises(ValueError, match="letter"):
        seal_reply(PLAIN, MOST_LETTERS, SECRET)


# --- the other pages --------------------------------------------------------------------------------------


def test_the_settings_are_a_page_of_the_ticket_whatever_it_says() -> None:
    assert POST.settings_link(PLAIN) == POST.ticket_link(Ticket(GAME, 2, 7)) + "/settings"


@given(tickets)
def test_the_way_out_of_a_game_is_known_again(ticket: Ticket) -> None:
    token = seal_unsubscribe(ticket.game, ticket.seat, SECRET)
    assert unseal_unsubscribe(token, SECRET) == (ticket.game, ticket.seat)
    assert unseal_unsubscribe(token.upper(), SECRET) == (ticket.game, ticket.seat)
    assert len(token) == 26
    assert token == token.lower()


@given(tickets, st.data())
def test_a_changed_way_out_is_forged(ticket: Ticket, data: st.DataObject) -> None:
    token = seal_unsubscribe(ticket.game, ticket.seat, SECRET)
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz234567".replace(token[at], "")))
    with pytest.raises(ForgedToken):
        unseal_unsubscribe(token[:at] + letter + token[at + 1 :], SECRET)


@given(st.text(max_size=40) | st.text("abcdefghijklmnopqrstuvwxyz234567", min_size=26, max_size=26))
def test_no_other_words_lead_out(token: str) -> None:
    with pytest.raises(ForgedToken):
        unseal_unsubscribe(token, SECRET)


def test_a_seal_of_one_purpose_is_none_for_another() -> None:
    with pytest.raises(ForgedToken):
        unseal_unsubscribe(seal_ticket(Ticket(GAME, 2, 7), SECRET)[:26], SECRET)
    with pytest.raises(ForgedToken):
        unseal_ticket(seal_unsubscribe(GAME, 2, SECRET), SECRET)


def test_the_ways_out_fit_into_a_header_that_nobody_folds() -> None:
    far = LinkBuilder("https://" + "a" * 28 + ".org", "b" * 27 + ".org", SECRET)
    for link in far.unsubscribe_links(GAME, MOST_SEATS - 1):
        assert len(link) <= 70
    page, mail = POST.unsubscribe_links(GAME, 2)
    assert page == f"https://play.example.org/u/{seal_unsubscribe(GAME, 2, SECRET)}"
    assert mail == f"mailto:stop+{seal_unsubscribe(GAME, 2, SECRET)}@play.example.org"


def test_a_proposed_game_has_a_page_and_an_address_that_are_nobodys_ticket() -> None:
    link, address = POST.proposal_links(GAME)
    token = link.removeprefix("https://play.example.org/n/")
    assert address == f"new+{token}@play.example.org"
    assert len(address.partition("@")[0]) <= 64
    assert unseal_seatless(token.upper(), NEW_GAME, SECRET) == GAME
    assert unseal_ticket(token, SECRET).seat == NOBODY
    for other in (
        seal_ticket(Ticket(GAME, 0, 0, NEW_GAME), SECRET),
        seal_ticket(Ticket(GAME, NOBODY, 0, ""), SECRET),
        "x",
    ):
        with pytest.raises(ForgedToken):
            unseal_seatless(other, NEW_GAME, SECRET)


def test_a_new_address_is_confirmed_by_page_or_by_answer() -> None:
    assert POST.confirm_links("abc") == ("https://play.example.org/c/abc", "confirm+abc@play.example.org")


# --- tokens of letters already sent ---------------------------------------------------------------------

OLD_SECRET = b"a secret of the house, never changed"
OLD_TICKETS = [
    (Ticket("abcdefgh", 0, 1), "abcdefghaaa4bpw23sodphhywtzf3dy"),
    (
        Ticket("abcdefgh", 3, 300, "choose temple; march Troy B4-C4"),
        "abcdefghaowaey3in5xxgzjaorsw24dmmu5sa3lbojrwqicuojxxsiccgqwugncjlm2uescwdd2xly6wcu",
    ),
    (Ticket("22227777", 2, 2**40, "stay é"), "22227777akaibaeaqaqhg5dbpeqmhkjbn4pjk2vski4s7musou"),
    (Ticket("zzzzzzzz", NOBODY, 0, "join"), "zzzzzzzz74agu33jn2lkkl5whznerl2ljapdo"),
    (Ticket("abcdefgh", NOBODY, 0, "new"), "abcdefgh74ag4zlx7auc4myaovo5mejems4q"),
    (Ticket("abcdefgh", NOBODY, 0, "opened"), "abcdefgh74ag64dfnzswij57rl3vuoeqpah6sfus"),
]
OLD_REPLIES = [
    (Ticket("abcdefgh", 1, 12), 0, "abcdefghaegaam74vtgdnlglxwrwv4us"),
    (Ticket("abcdefgh", 1, 12), 77, "abcdefghaege2ljgiiwujiu2pig3eoej"),
    (Ticket("zzzzzzzz", 3, 2**55), 2**34, "zzzzzzzzaoaibaeaqcaiaqeaqcaiaqapoyavkycxhacfcy5ghe"),
]
OLD_UNSUBSCRIBES = [
    ("abcdefgh", 0, "abcdefghabwplcwgxjmniartpa"),
    ("abcdefgh", 255, "abcdefgh74uw3zqmb537qsgbxy"),
    ("22227777", 17, "22227777chtiqjgsl73u7zfrb4"),
]
OLD_BOUNCES = [
    (1, "afsaxfexxds24u6iay"),
    (127, "p5fxx3biaf6ixabudm"),
    (128, "qaavkw7obj6pu6dbuveq"),
    (2**34, "qcaibacar2cbfbxzfhcixj75"),
]


def test_the_links_of_letters_sent_long_ago_still_work() -> None:
    for ticket, token in OLD_TICKETS:
        assert seal_ticket(ticket, OLD_SECRET) == token
        assert unseal_ticket(token, OLD_SECRET) == ticket
    for ticket, letter, token in OLD_REPLIES:
        assert seal_reply(ticket, letter, OLD_SECRET) == token
        assert unseal_reply(token, OLD_SECRET) == (ticket, letter)
    for game, holder, token in OLD_UNSUBSCRIBES:
        assert seal_unsubscribe(game, holder, OLD_SECRET) == token
        assert unseal_unsubscribe(token, OLD_SECRET) == (game, holder)
    for number, token in OLD_BOUNCES:
        assert seal_bounce(number, OLD_SECRET) == token
        assert unseal_bounce(token, OLD_SECRET) == number
    assert sign_in_code("mark of anna", OLD_SECRET) == "tzbzssawiy2bw3doiqwrd3bbn4ro3gpa"


@pytest.mark.parametrize("wrong", ["", "=", "a" * 18, "é" * 20, "afsaxfexxds24u6ia", "afsaxfexxds24u6iaz"])
def test_no_other_token_names_a_letter_that_came_back(wrong: str) -> None:
    with pytest.raises(ForgedToken):
        unseal_bounce(wrong, OLD_SECRET)
