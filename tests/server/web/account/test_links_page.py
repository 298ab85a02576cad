"""Links made new: on the page and by mail, and what an earlier link does then."""

from emails.tokens import Purpose, Ticket, seal_game
from server.delivery.sending import send_due_letters
from server.store.models import IncomingMail, Seating
from tests.emails.old_tokens import old_link, old_reply
from tests.server.desk import ANNA, BY_LINK, OPEN_SEAT, body
from tests.server.inbox.test_mail_dispatch import last_letter, reply

FORM = "//main//form"


def link_in(letter) -> str:
    link = next(word for word in body(letter).split() if "/t/" in word)
    return link.partition("8000")[2].split("/settings")[0]


def answer(place, letter, words) -> str:
    reply(place.context, letter, words)
    return place.rows(IncomingMail.state)[-1]


def test_no_link_or_address_so_far_opens_anything_and_the_new_ones_come_by_mail(place, mails, game):
    name, seq = place.context.mover(game), place.row(game).seq
    old = last_letter(place.context, mails, name)
    visitor = place.visitor().get(f"{link_in(old)}/links")
    assert "Make all my links new" in visitor.text
    visitor.send(FORM)
    assert visitor.title == "Your links are new"
    assert not [link for _, link in visitor.links() if "/t/" in link]
    for page in ("", "/settings", "/history", "/log", "/sheet", "/pulse", "/links", "/signin"):
        assert place.visitor().client.get(link_in(old) + page).status_code == 410
    card = place.context.turn_words(game)[0]
    assert answer(place, old, card) == "refused"
    assert place.row(game).seq == seq
    new = last_letter(place.context, mails, name)
    assert place.visitor().get(link_in(new)).status == 200
    assert answer(place, new, card) == "played"
    assert place.row(game).seq == seq + 1


def test_beside_other_words_it_is_not_done(place, mails, game):
    old = last_letter(place.context, mails, "Anna")
    assert answer(place, old, "new links\nsay: hello") == "refused"
    assert place.visitor().get(link_in(old)).status == 200


def test_all_games_of_the_player_are_meant(place, mails, game):
    other = place.start_game("Anna", "Cleo")
    letters = {one: last_letter(place.context, mails, "Anna") for one in (game, other)}
    place.visitor().get(f"{link_in(letters[game])}/links").send(FORM)
    for one, them in ((game, "Ben"), (other, "Cleo")):
        rows = place.rows(Seating, Seating.game == one)
        assert {row.name: row.generation for row in rows} == {"Anna": 1, them: 0}


def test_who_shows_an_old_link_can_have_the_good_ones_mailed_to_the_address_on_file(place, mails, game):
    old = last_letter(place.context, mails, "Anna")
    place.visitor().get(f"{link_in(old)}/links").send(FORM)
    last_letter(place.context, mails, "Anna")
    before = len(mails.mails)
    visitor = place.visitor().get(link_in(old))
    assert "open nothing" not in visitor.text
    for _ in range(3):  # whoever presses often gets one an hour
        visitor.get(link_in(old)).send(FORM)
        assert visitor.title == "Look in your mail"
    new = last_letter(place.context, mails, "Anna")
    assert len(mails.mails) == before + 1
    assert place.visitor().get(link_in(new)).status == 200


def test_a_letter_from_before_links_could_be_withdrawn_leads_to_the_good_ones(place, mails, game):
    seat = place.seat(game, "Anna")
    secret = place.context.links.keys.secrets[0]
    after = place.row(game).after
    for words in ("", "draw"):
        visitor = place.visitor().get(f"/t/{old_link(Ticket(game, seat, after, words), secret)}")
        assert (visitor.status, visitor.title) == (410, "This link is not good any more")
        assert place.row(game).after == after
    visitor.send(FORM)
    assert place.visitor().get(link_in(last_letter(place.context, mails, "Anna"))).status == 200


def test_an_answer_to_such_a_letter_is_answered_with_one_that_works(place, mails, game):
    name = place.context.mover(game)
    letter = last_letter(place.context, mails, name)
    seat, after = place.seat(game, name), place.row(game).after
    secret, card = place.context.links.keys.secrets[0], place.context.turn_words(game)[0]
    local = old_reply(Ticket(game, seat, after), 1, secret)
    del letter["Reply-To"]
    letter["Reply-To"] = f"play+{local}@play.example.org"
    assert answer(place, letter, card) == "refused"
    told = last_letter(place.context, mails, name)
    assert "Your links were made new" in " ".join(body(told).split())
    assert answer(place, told, card) == "played"


def test_a_stranger_with_an_old_address_gets_and_causes_no_letter(place, mails, game):
    letter = last_letter(place.context, mails, "Anna")
    place.visitor().get(f"{link_in(letter)}/links").send(FORM)
    last_letter(place.context, mails, "Anna")
    before = len(mails.mails)
    del letter["To"]
    letter["To"] = "dirk@example.org"
    assert answer(place, letter, "hello") == "ignored"
    send_due_letters(place.context, mails, place.clock())
    assert len(mails.mails) == before


def test_the_organisers_page_ends_with_the_links_of_their_seat(place):
    game = place.open_game("Friday", [ANNA, OPEN_SEAT], organiser=ANNA.address, terms=BY_LINK)
    keys = place.context.links.keys
    assert place.visitor().get(f"/new/{seal_game(Purpose.ORGANISER, game, keys)}").status == 200
    place.look(game, "/links", "accept", seat=place.seat(game, "Anna"), after=0).send(FORM)
    assert place.visitor().get(f"/new/{seal_game(Purpose.ORGANISER, game, keys)}").status == 410
    assert place.visitor().get(f"/new/{seal_game(Purpose.ORGANISER, game, keys, 1)}").status == 200
