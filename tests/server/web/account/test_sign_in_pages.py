"""Signing in on the pages: asking for a link, its button, browsers and keys."""

import re
from email import message_from_bytes, policy

import pytest
from sqlmodel import update

from server.accounts import sign_in
from server.accounts.sign_in import EXPIRED_LINK_KEPT_FOR, MOST_A_DAY, MOST_AT_ONCE
from server.delivery.sending import send_operator_mails
from server.retention import delete_all_expired
from server.store.models import ApiKey, LocalMail, OutgoingLetter, Player, SignedInBrowser, SignInLink
from tests.server.desk import HOUSE, Collector, body
from tests.server.web.site import Site, Visitor, site

PHONE = "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0"
ASKS = "//main//form"


def link_of(place) -> str:
    """The link in the last letter that one can sign in with, from the built-in mailbox."""
    with place.changing() as session:  # the others take their time to be drawn
        session.execute(update(OutgoingLetter).where(OutgoingLetter.kind != "signin").values(state="dropped"))
    place.work()
    kept = place.context.stored_mails(LocalMail)
    mails = [message_from_bytes(one.raw, policy=policy.default) for one in kept]
    last = [mail for mail in mails if mail["X-Alexandros"] == "signin"][-1]
    return re.search(r"/s/\w+", last.get_body(("plain",)).get_content())[0]


def signed_in(place, address: str = "anna@example.org", agent: str = PHONE) -> Visitor:
    visitor = place.visitor()
    visitor.client.environ_base["HTTP_USER_AGENT"] = agent
    visitor.get("/signin").send(ASKS, address=address)
    return visitor.get(link_of(place)).press()


def test_one_asks_for_a_link_opens_it_and_presses_its_button(place, game):
    visitor = place.visitor().get("/me")
    assert visitor.title == "All my games"
    visitor.send(ASKS, address="Anna@example.org")
    assert visitor.title == "Look in your mail"
    assert visitor.get(link_of(place)).title == "Sign in as Anna?"
    assert visitor.press().title == "My games"
    assert "Friday" in visitor.text
    assert visitor.get("/signin").title == "My games"


def test_what_is_no_address_and_a_form_of_another_page_are_refused(place, game):
    visitor = place.visitor().get("/signin").send(ASKS, address="anna")
    assert visitor.status == 422
    assert "That is no mail address." in visitor.text
    assert visitor.page.xpath("string(//input[@name='address']/@value)") == "anna"
    visitor.send(ASKS, address="anna@example.org", nonce="x")
    assert visitor.status == 400
    other = place.visitor().get("/signin").nonce()
    visitor.get("/signin").send(ASKS, address="anna@example.org", nonce=other)
    assert visitor.status == 400
    assert len(place.rows(SignInLink)) == 0


def test_one_visitor_asks_for_so_many_links_only(place, game):
    place.app.config["LIMITS"]["sign-ins"] = 2
    visitor = place.visitor()
    for status in (200, 200, 429):
        assert visitor.get("/signin").send(ASKS, address="stranger@example.org").status == status
    assert "Please come back later." in visitor.text
    place.clock.forward(1)
    assert visitor.get("/signin").send(ASKS, address="stranger@example.org").status == 200


def test_a_link_works_once_and_whoever_pressed_twice_finds_his_games(place, game):
    visitor = place.visitor().get("/signin").send(ASKS, address="anna@example.org")
    visitor.get(link_of(place) + ".")  # a mail program took the full stop for a part of it
    form = visitor.form(ASKS)
    visitor.press()
    assert visitor.post(form[1], **form[2]).status == 404
    assert "has been used already" in visitor.text
    assert visitor.click("To my games").title == "My games"
    other = place.visitor().get(form[1])
    assert (other.status, other.title) == (404, "This link does not work")
    assert other.click("To my games").title == "All my games"


def test_a_link_that_is_too_old_or_no_link_of_ours_says_so(place, game):
    place.visitor().get("/signin").send(ASKS, address="anna@example.org")
    link = link_of(place)
    place.clock.forward(1 / 6)
    for address, words in ((link, "older than ten minutes"), ("/s/x", "not one of ours")):
        visitor = place.visitor().get(address)
        assert visitor.status == 404
        assert words in visitor.text


def test_signing_in_again_gives_a_new_token_and_ends_the_one_before(place, game):
    visitor = signed_in(place)
    before = visitor.client.get_cookie("alexandros-in").value
    sign_in.request_link(place.context, "ben@example.org", place.clock())
    visitor.get(link_of(place))
    assert "At the moment Anna is signed in here; that ends then." in visitor.text
    visitor.press()
    assert visitor.client.get_cookie("alexandros-in").value != before
    assert len(place.rows(SignedInBrowser)) == 1
    assert "It is Anna's turn" in visitor.text or "With Anna" in visitor.text


def test_a_token_that_was_planted_becomes_nobodys(place, game):
    visitor = place.visitor()
    visitor.client.set_cookie("alexandros-in", "planted")
    assert visitor.get("/me").title == "All my games"
    sign_in.request_link(place.context, "anna@example.org", place.clock())
    assert visitor.get(link_of(place)).press().title == "My games"
    thief = place.visitor()
    thief.client.set_cookie("alexandros-in", "planted")
    assert thief.get("/me").title == "All my games"


def test_from_a_game_one_button_mails_the_link_to_the_address_on_file(place, game):
    seat = place.seat(game, "Anna")
    visitor = place.look(game, "/signin", seat=seat)
    assert visitor.title == "All my games"
    assert not visitor.page.xpath("//main//input[@type='email']")
    assert "a…@example.org" in visitor.text
    assert visitor.press().title == "Look in your mail"
    assert visitor.get(link_of(place)).press().title == "My games"
    assert visitor.get(place.link(game, seat=seat) + "/signin").title == "My games"
    assert visitor.get(place.link(game, seat=1 - seat) + "/signin").title == "All my games"


def test_that_button_mails_so_many_links_only_and_needs_its_page(place, game):
    visitor = place.visitor()
    page = f"/t/{place.token(game)}/signin"
    for status in (200, 200, 200, 200, 429):
        assert visitor.get(page).press().status == status
    assert "Please look in your mail." in visitor.text
    assert visitor.get(page).send(ASKS, nonce="x").status == 400
    place.app.config["LIMITS"]["sign-ins"] = 1
    place.clock.forward(1)
    assert [visitor.get(page).press().status for _ in range(2)] == [200, 429]


def test_a_forged_ticket_and_a_seat_of_the_house_sign_nobody_in(place):
    assert place.visitor().get("/t/x/signin").status == 404
    alone = place.start_game("Anna", "house")
    assert place.look(alone, "/signin", seat=place.seat(alone, HOUSE)).status == 404


def button(visitor, words: str) -> str:
    return str(visitor.page.xpath(f"//main//button[contains(normalize-space(), '{words}')]/@value")[0])


def test_browsers_are_listed_and_ended_at_their_next_request(place, game):
    phone = signed_in(place)
    agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537"
    laptop = signed_in(place, agent=agent).get("/me/browsers")
    listed = [str(one.text_content()) for one in laptop.page.xpath("//*[@id='browsers']//h3")]
    assert listed == ["Chrome on Linux", "Firefox on Android"]
    assert laptop.text.count("This browser") == 1
    form, choice = laptop.form(), button(laptop, "Sign out of Firefox on Android")
    assert "You are signed out there." in laptop.send(wish=choice).text
    assert phone.get("/me").title == "All my games"
    laptop.post(form[1], **(form[2] | {"wish": choice}))  # pressed twice
    assert laptop.status == 200
    assert len(place.rows(SignedInBrowser)) == 1
    assert laptop.get("/me").title == "My games"


def test_all_other_browsers_are_ended_at_once(place, game):
    others, here = [signed_in(place), signed_in(place)], signed_in(place)
    stranger = signed_in(place, "ben@example.org")
    here.get("/me/browsers").send(wish="others")
    assert [one.get("/me").title for one in others] == ["All my games"] * 2
    assert [one.get("/me").title for one in (here, stranger)] == ["My games"] * 2


def test_one_signs_out_twice_and_is_out_once(place, game):
    visitor = signed_in(place)
    _, action, fields = visitor.get("/me/browsers").form()
    token = visitor.client.get_cookie("alexandros-in").value
    for _ in range(2):
        assert visitor.post(action, **(fields | {"wish": "out"})).title == "You are signed out"
    assert visitor.client.get_cookie("alexandros-in") is None
    assert visitor.get("/me/browsers").title == "All my games"
    assert visitor.post(action, **(fields | {"wish": "others"})).title == "All my games"
    thief = place.visitor()
    thief.client.set_cookie("alexandros-in", token)
    assert thief.get("/me").title == "All my games"


def test_nobody_ends_what_is_anothers(place, game):
    anna, ben = signed_in(place), signed_in(place, "ben@example.org")
    anna.get("/me/browsers").send("//form[@id='new-key']", name="Mine", wish="new")
    [player] = place.rows(Player.id, Player.name == "Anna")
    [browser], [key] = (place.read(one, player) for one in (sign_in.browsers_of, sign_in.keys_of))
    ben.get("/me/browsers").send(wish=f"end-{browser.id}")
    ben.get("/me/browsers").send(wish=f"end-key-{key.id}")
    assert len(place.rows(ApiKey)) == 1
    assert anna.get("/me").title == "My games"


def test_a_key_is_made_shown_once_and_ended(place, game):
    visitor = signed_in(place).get("/me/browsers")
    visitor.send("//form[@id='new-key']", name="<b>My program", wish="new")
    (key,) = visitor.page.xpath("//code[@class='key']/text()")
    assert place.read(sign_in.player_with_key, key) is not None
    visitor.get("/me/browsers")
    assert key not in visitor.answer.text
    assert "<b>My program" in visitor.text
    assert "not used yet" in visitor.text
    sign_in.note_key_use(place.context, key, place.clock())
    assert "last used" in visitor.get("/me/browsers").text
    visitor.send("//form[.//*[starts-with(@value,'end-key-')]]", wish=button(visitor, "End the key"))
    assert "The key has ended." in visitor.text
    assert place.read(sign_in.player_with_key, key) is None


def test_a_key_without_a_name_or_one_too_many_is_refused(place, game):
    visitor = signed_in(place).get("/me/browsers").send("//form[@id='new-key']", name=" ", wish="new")
    assert visitor.status == 422
    assert "Please give the key a name" in visitor.text
    form = visitor.form("//form[@id='new-key']")
    for number in range(10):
        visitor.get("/me/browsers").send("//form[@id='new-key']", name=f"{number}", wish="new")
    assert not visitor.get("/me/browsers").page.xpath("//form[@id='new-key']")
    visitor.post(form[1], **(form[2] | {"name": "x", "wish": "new"}))
    assert visitor.status == 422
    assert len(place.rows(ApiKey)) == 10


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (PHONE, "Firefox on Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17 Safari/604",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/126.0 Safari/537.36 Edg/126.0", "Edge on Windows"),
        ("Mozilla/5.0 (X11; CrOS x86_64) Chrome/126.0 Safari/537.36", "Chrome on ChromeOS"),
        ("Lynx/2.9.0 libwww-FM/2.14", "Lynx"),
        ("something (Macintosh)", "a browser on Mac"),
        ("<script>alert(1)</script>" * 1000, "a browser"),
        ("", "a browser"),
    ],
)
def test_a_browser_has_a_name_that_people_know(agent, words):
    assert sign_in.describe_agent(sign_in.summarize_agent(agent)) == words


def test_pages_speak_the_language_of_who_is_signed_in_unless_he_chooses_another(place, game):
    place.context.set_preferences(game, "Anna", everywhere=True, language="nl", zone="Europe/Amsterdam")
    visitor = signed_in(place)
    assert visitor.get("/me").page.get("lang") == "nl"
    assert visitor.get("/new").page.get("lang") == "nl"
    assert visitor.get("/new?lang=en").page.get("lang") == "en"
    assert visitor.get("/me?lang=en").page.get("lang") == "en"
    assert "CET" in visitor.text
    assert place.visitor().get("/new").page.get("lang") == "en"


OPERATOR = "operator@example.net"


@pytest.fixture
def office(tmp_path) -> Site:
    return site(tmp_path, ALEXANDROS_OPERATOR=OPERATOR)


def operator_mails(office) -> Collector:
    carrier = Collector()
    while send_operator_mails(office.context, carrier, office.clock(), 50):
        pass
    return carrier


def link_to_desk(carrier) -> str:
    return re.search(r"/s/[a-z2-7]{32}", body(carrier.mails[-1]))[0]


def asks_at_desk(office, address: str = OPERATOR) -> Visitor:
    return office.visitor().get("/desk").send(ASKS, address=address)


def test_who_plays_nowhere_asks_at_the_desk_and_sits_down_there_by_the_link(office):
    visitor = office.visitor().get("/desk")
    assert (visitor.status, visitor.title) == (200, "The desk")
    visitor.send(ASKS, address=f" {OPERATOR.title()} ")
    assert visitor.title == "Look in your mail"
    carrier = operator_mails(office)
    assert carrier.envelopes == [("", OPERATOR)]
    assert carrier.mails[0]["Subject"] == "[Alexandros] A link to the desk"
    assert visitor.get(link_to_desk(carrier)).title == "Sign in as Operator?"
    assert "shows the desk for an hour" in visitor.text
    assert visitor.press().title == "The desk"
    assert "Find a game or a player" in visitor.text
    game = office.start_game("Anna", "Ben")
    assert game in visitor.get("/desk?word=Friday").text
    assert visitor.get(f"/desk/game/{game}").status == 200


def test_after_an_hour_the_form_comes_back_and_a_new_link_opens_the_desk(office):
    visitor = asks_at_desk(office)
    visitor.get(link_to_desk(operator_mails(office))).press()
    office.clock.forward(1.1)
    for page in ("/desk", "/desk/mail?address=x", "/desk/game/aaaaaaaa"):
        assert "mail address" in visitor.get(page).text
    visitor.send(ASKS, address=OPERATOR)
    assert visitor.get(link_to_desk(operator_mails(office))).press().title == "The desk"
    assert "Find a game or a player" in visitor.text


def test_an_operator_who_plays_gets_the_link_of_the_desk_too_and_keeps_the_name(tmp_path):
    office = site(tmp_path, ALEXANDROS_OPERATOR="anna@example.org")
    game = office.context.begin_time(office.start_game("Anna", "Ben"))
    office.context.confirm("Anna", "Ben")
    visitor = asks_at_desk(office, "Anna@example.org")
    assert visitor.get(link_to_desk(operator_mails(office))).title == "Sign in as Anna?"
    assert visitor.press().title == "The desk"
    assert "Friday" in visitor.get("/me").text
    assert office.look(game, seat=office.seat(game, "Anna")).status == 200


def test_who_plays_by_another_address_asks_while_they_are_signed_in(office):
    visitor = office.signed_in(office.context.begin_time(office.start_game("Anna", "Ben")))
    assert visitor.get("/signin").title == "My games"
    assert visitor.get("/desk").send(ASKS, address=OPERATOR).title == "Look in your mail"
    visitor.get(link_to_desk(operator_mails(office)))
    assert "that ends then" in visitor.text
    assert visitor.press().title == "The desk"


@pytest.mark.breadth
def test_so_many_links_are_mailed_and_no_more(office):
    sent = [len(operator_mails(office).mails) for _ in range(MOST_AT_ONCE + 2) if asks_at_desk(office)]
    assert sent == [1] * MOST_AT_ONCE + [0, 0]
    for _ in range(MOST_A_DAY):
        office.clock.forward(0.2)
        asks_at_desk(office)
        sent.append(len(operator_mails(office).mails))
    assert sum(sent) == MOST_A_DAY
    office.clock.forward(25)
    asks_at_desk(office)
    assert len(operator_mails(office).mails) == 1


def test_what_strangers_type_is_forgotten_and_what_the_operator_uses_is_kept(office):
    asks_at_desk(office)
    assert office.rows(Player.address) == [OPERATOR]
    delete_all_expired(office.context, office.clock())
    assert office.rows(Player.address) == [OPERATOR]  # their link is good
    office.clock.forward(EXPIRED_LINK_KEPT_FOR.total_seconds() / 3600 + 1)
    delete_all_expired(office.context, office.clock())
    assert office.rows(Player.address) == []
    asks_at_desk(office).get(link_to_desk(operator_mails(office))).press()
    office.clock.forward(48)
    delete_all_expired(office.context, office.clock())
    assert office.rows(Player.address) == [OPERATOR]
