"""Signing in on the pages: asking for a link, its button, browsers and keys."""

import re
from email import message_from_bytes, policy

import pytest
from sqlmodel import select, update

from server.accounts import sign_in
from server.delivery import sending
from server.delivery.transports import choose_transport
from server.store.models import ApiKey, LocalMail, OutgoingLetter, Player, SignedInBrowser, SignInLink
from tests.breadth import first
from tests.server.desk import HOUSE, seat_of, set_preferences, start_game, stored_mails
from tests.server.web.site import Visitor, site

PHONE = "Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0"
ASKS = "//main//form"


def link_of(place) -> str:
    """The link in the last letter that one can sign in with, from the built-in mailbox."""
    with place.context.writing() as session:  # the others take their time to be drawn
        session.execute(update(OutgoingLetter).where(OutgoingLetter.kind != "signin").values(state="dropped"))
        session.commit()
    while sending.send_due_letters(
        place.context, choose_transport(place.context, place.clock), place.clock()
    ):
        pass
    rows = stored_mails(place.context, LocalMail)
    mails = [message_from_bytes(one.raw, policy=policy.default) for one in rows]
    last = [mail for mail in mails if mail["X-Alexandros"] == "signin"][-1]
    return re.search(r"/s/\w+", last.get_body(("plain",)).get_content())[0]


def count(place, table, **where) -> int:
    with place.context.reading() as session:
        return len(session.exec(select(table).filter_by(**where)).all())


def signed_in(place, address: str = "anna@example.org", agent: str = PHONE) -> Visitor:
    visitor = place.visitor()
    visitor.client.environ_base["HTTP_USER_AGENT"] = agent
    visitor.get("/signin").send(ASKS, address=address)
    return visitor.get(link_of(place)).press()


# --- the link ---------------------------------------------------------------------------------------------


def test_one_asks_for_a_link_opens_it_and_presses_its_button(place, game):
    visitor = place.visitor().get("/me")
    assert visitor.title == "All my games"
    visitor.send(ASKS, address="Anna@example.org")
    assert visitor.title == "Look in your mail"
    assert visitor.get(link_of(place)).title == "Sign in as Anna?"
    assert visitor.press().title == "My games"
    assert "Friday" in visitor.text
    assert visitor.get("/signin").title == "My games"


def test_whether_anybody_plays_here_with_an_address_is_not_told(place, game):
    pages = []
    for address in ("Anna+x@example.org.", "stranger@example.org"):
        visitor = place.visitor().get("/signin").send(ASKS, address=address)
        pages.append((visitor.status, visitor.answer.request.full_path, visitor.answer.get_data()))
    assert pages[0] == pages[1]
    with place.context.reading() as session:
        letters = session.exec(select(OutgoingLetter.recipient).where(OutgoingLetter.kind == "signin")).all()
    assert letters == ["anna@example.org"]


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
    assert count(place, SignInLink) == 0


def test_one_visitor_asks_for_so_many_links_only(place, game):
    place.app.config["SIGN_INS_PER_HOUR"] = 2
    visitor = place.visitor()
    for status in (200, 200, 429):
        assert visitor.get("/signin").send(ASKS, address="stranger@example.org").status == status
    assert "Please come back later." in visitor.text
    place.clock.forward(1)
    assert visitor.get("/signin").send(ASKS, address="stranger@example.org").status == 200


def test_a_scanner_that_opens_the_link_changes_nothing(place, game):
    place.visitor().get("/signin").send(ASKS, address="anna@example.org")
    link, scanner = link_of(place), place.visitor()
    before = count(place, SignInLink), count(place, SignedInBrowser), place.stored()
    for _ in range(3):
        assert scanner.get(link).title == "Sign in as Anna?"
        assert scanner.client.head(link).status_code == 200
    assert (
        (count(place, SignInLink), count(place, SignedInBrowser), place.stored())
        == before
        == (1, 0, before[2])
    )
    assert scanner.get("/me").title == "All my games"


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


def test_nobody_is_signed_in_by_a_button_of_another_browser(place, game):
    place.visitor().get("/signin").send(ASKS, address="anna@example.org")
    link = link_of(place)
    nonce = place.visitor().get(link).nonce()
    victim = place.visitor()
    assert victim.post(link, nonce=nonce).status == 400
    assert count(place, SignedInBrowser) == 0
    assert victim.press().title == "My games"  # its own button, on the page that says so


def test_a_link_that_is_too_old_or_no_link_of_ours_says_so(place, game):
    place.visitor().get("/signin").send(ASKS, address="anna@example.org")
    link = link_of(place)
    place.clock.forward(1 / 6)
    for address, words in ((link, "older than ten minutes"), ("/s/x", "not one of ours")):
        visitor = place.visitor().get(address)
        assert visitor.status == 404
        assert words in visitor.text


def test_the_cookie_can_be_read_by_no_script_and_goes_to_no_other_site(tmp_path):
    place = site(tmp_path, ALEXANDROS_BASE_URL="https://play.example.org/games")
    start_game(place.context, "Anna", "Ben")
    visitor = place.visitor()
    visitor.client.get("/games/signin", base_url="https://play.example.org")
    sign_in.request_link(place.context, "anna@example.org", place.clock())
    link = link_of(place)
    page = visitor.client.get(f"/games{link}", base_url="https://play.example.org")
    nonce = re.search(r'name="nonce" value="([^"]+)"', page.text)[1]
    answer = visitor.client.post(f"/games{link}", data={"nonce": nonce}, base_url="https://play.example.org")
    (cookie,) = (one for one in answer.headers.getlist("Set-Cookie") if "alexandros-in" in one)
    assert cookie.startswith("__Host-alexandros-in.games=")
    assert "Domain" not in cookie
    for flag in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/;", "Max-Age="):
        assert flag in cookie


def test_signing_in_again_gives_a_new_token_and_ends_the_one_before(place, game):
    visitor = signed_in(place)
    before = visitor.client.get_cookie("alexandros-in").value
    sign_in.request_link(place.context, "ben@example.org", place.clock())
    visitor.get(link_of(place))
    assert "At the moment Anna is signed in here; that ends then." in visitor.text
    visitor.press()
    assert visitor.client.get_cookie("alexandros-in").value != before
    assert count(place, SignedInBrowser) == 1
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


# --- from the page of a game ------------------------------------------------------------------------------


def test_from_a_game_one_button_mails_the_link_to_the_address_on_file(place, game):
    seat = seat_of(place.context, game, "Anna")
    visitor = place.visitor().get(f"/t/{place.token(game, seat=seat)}/signin")
    assert visitor.title == "All my games"
    assert not visitor.page.xpath("//main//input[@type='email']")
    assert "a…@example.org" in visitor.text
    assert visitor.press().title == "Look in your mail"
    assert visitor.get(link_of(place)).press().title == "My games"
    assert visitor.get(f"/t/{place.token(game, seat=seat)}/signin").title == "My games"
    other = seat_of(place.context, game, "Ben")
    assert visitor.get(f"/t/{place.token(game, seat=other)}/signin").title == "All my games"


def test_that_button_mails_so_many_links_only_and_needs_its_page(place, game):
    visitor = place.visitor()
    page = f"/t/{place.token(game)}/signin"
    for status in (200, 200, 200, 200, 429):
        assert visitor.get(page).press().status == status
    assert "Please look in your mail." in visitor.text
    assert visitor.get(page).send(ASKS, nonce="x").status == 400
    place.app.config["SIGN_INS_PER_HOUR"] = 1
    place.clock.forward(1)
    assert [visitor.get(page).press().status for _ in range(2)] == [200, 429]


def test_a_forged_ticket_and_a_seat_of_the_house_sign_nobody_in(place):
    assert place.visitor().get("/t/x/signin").status == 404
    alone = start_game(place.context, "Anna", "house")
    seat = seat_of(place.context, alone, HOUSE)
    assert place.visitor().get(f"/t/{place.token(alone, seat=seat)}/signin").status == 404


# --- browsers ---------------------------------------------------------------------------------------------


def button(visitor: Visitor, words: str) -> str:
    """What the first button with these words wishes."""
    return str(visitor.page.xpath(f"//main//button[contains(normalize-space(), '{words}')]/@value")[0])


def test_browsers_are_listed_and_ended_at_their_next_request(place, game):
    phone = signed_in(place)
    laptop = signed_in(
        place, agent="Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537"
    )
    laptop.get("/me/browsers")
    assert [str(one.text_content()) for one in laptop.page.xpath("//*[@id='browsers']//h3")] == [
        "Chrome on Linux",
        "Firefox on Android",
    ]
    assert laptop.text.count("This browser") == 1
    form, choice = laptop.form(), button(laptop, "Sign out of Firefox on Android")
    assert "You are signed out there." in laptop.send(wish=choice).text
    assert phone.get("/me").title == "All my games"
    laptop.post(form[1], **(form[2] | {"wish": choice}))  # pressed twice
    assert laptop.status == 200
    assert count(place, SignedInBrowser) == 1
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


WRONG_CHOICES = "", "end-9-9", "x", "end-", "end-x", "end-key-²", "end-" + "9" * 30


@pytest.mark.parametrize("choice", first(2, WRONG_CHOICES))
def test_a_choice_that_is_none_does_nothing(place, game, choice):
    visitor = signed_in(place)
    assert visitor.get("/me/browsers").send(wish=choice).status == 422
    assert count(place, SignedInBrowser) == 1


def test_nothing_is_ended_without_a_button_of_this_browser(place, game):
    visitor, other = signed_in(place), signed_in(place)
    nonce = other.get("/me/browsers").nonce()
    for choice in ("others", "out", "new"):
        assert visitor.post("/me/browsers", wish=choice, nonce=nonce, name="x").status == 400
        assert visitor.get(f"/me/browsers?wish={choice}&nonce={nonce}").status == 200
    assert (count(place, SignedInBrowser), count(place, ApiKey)) == (2, 0)


def test_nobody_ends_what_is_anothers(place, game):
    anna, ben = signed_in(place), signed_in(place, "ben@example.org")
    anna.get("/me/browsers").send("//form[@id='new-key']", name="Mine", wish="new")
    with place.context.reading() as session:
        player = session.exec(select(Player.id).where(Player.name == "Anna")).one()
        browser, key = sign_in.browsers_of(session, player)[0].id, sign_in.keys_of(session, player)[0].id
    ben.get("/me/browsers").send(wish=f"end-{browser}")
    ben.get("/me/browsers").send(wish=f"end-key-{key}")
    assert count(place, ApiKey) == 1
    assert anna.get("/me").title == "My games"


# --- keys -------------------------------------------------------------------------------------------------


def test_a_key_is_made_shown_once_and_ended(place, game):
    visitor = signed_in(place).get("/me/browsers")
    visitor.send("//form[@id='new-key']", name="<b>My program", wish="new")
    (key,) = visitor.page.xpath("//code[@class='key']/text()")
    with place.context.reading() as session:
        assert sign_in.player_with_key(session, key) is not None
    visitor.get("/me/browsers")
    assert key not in visitor.answer.text
    assert "<b>My program" in visitor.text
    assert "not used yet" in visitor.text
    sign_in.note_key_use(place.context, key, place.clock())
    assert "last used" in visitor.get("/me/browsers").text
    visitor.send("//form[.//*[starts-with(@value,'end-key-')]]", wish=button(visitor, "End the key"))
    assert "The key has ended." in visitor.text
    with place.context.reading() as session:
        assert sign_in.player_with_key(session, key) is None


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
    assert count(place, ApiKey) == 10


# --- what it is called, and in which language -------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (PHONE, "Firefox on Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Safari/604.1",
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
    set_preferences(place.context, game, "Anna", everywhere=True, language="nl", zone="Europe/Amsterdam")
    visitor = signed_in(place)
    assert visitor.get("/me").page.get("lang") == "nl"
    assert visitor.get("/new").page.get("lang") == "nl"
    assert visitor.get("/new?lang=en").page.get("lang") == "en"
    assert visitor.get("/me?lang=en").page.get("lang") == "en"
    assert "CET" in visitor.text
    assert place.visitor().get("/new").page.get("lang") == "en"
