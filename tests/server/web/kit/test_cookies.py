"""Cookies and tokens of buttons: names, lifetimes, and what a neighbour can do with those it sets."""

import re
from datetime import timedelta

import pytest

from emails.tokens import KeyRing
from server.accounts import sign_in
from server.store.models import SignedInBrowser
from server.web.kit.request_context import TOKEN_LIFETIME, CsrfSigner
from tests.server.desk import NOON
from tests.server.web.account.test_sign_in_pages import button, link_of, signed_in
from tests.server.web.game.test_one_click_play import PLAYING, play, plays_at_once, tick
from tests.server.web.site import site

HTTPS = "https://play.example.org"


def set_cookies(answer) -> dict[str, list[str]]:
    """The cookies that an answer sets, each with its flags."""
    found = [one.split("; ") for one in answer.headers.getlist("Set-Cookie")]
    return {one[0].partition("=")[0]: one[1:] for one in found}


def mailed_link(place, address: str) -> str:
    sign_in.request_link(place.context, address, place.clock())
    return link_of(place)


@pytest.mark.parametrize(
    ("base_url", "names"),
    [
        ("http://127.0.0.1:8000", ["alexandros", "alexandros-in"]),
        (HTTPS, ["__Host-alexandros", "__Host-alexandros-in"]),
        (f"{HTTPS}/a/b", ["__Host-alexandros.a.b", "__Host-alexandros-in.a.b"]),
    ],
)
def test_under_https_the_names_are_such_as_no_neighbour_can_set(tmp_path, base_url, names):
    place = site(tmp_path, ALEXANDROS_BASE_URL=base_url)
    place.start_game("Anna", "Ben")
    client, link = place.visitor().client, mailed_link(place, "anna@example.org")
    page = client.get(link, base_url=base_url)
    nonce = re.search(r'name="nonce" value="([^"]+)"', page.text)[1]
    found = set_cookies(page) | set_cookies(client.post(link, data={"nonce": nonce}, base_url=base_url))
    assert {*found} == {*names}
    for flags in found.values():
        assert ("Secure" in flags) is base_url.startswith("https:")
        assert "Path=/" in flags
        assert {"HttpOnly", "SameSite=Lax"} < {*flags}
        assert not [flag for flag in flags if flag.startswith("Domain")]


@pytest.mark.parametrize("sender", ["same-site", "cross-site"])
def test_a_form_that_a_neighbours_page_sends_does_nothing(place, game, sender):
    link = mailed_link(place, "anna@example.org")
    neighbour, victim = place.visitor().get(link), place.visitor()
    form = {"nonce": neighbour.nonce()}
    victim.client.set_cookie("alexandros", neighbour.client.get_cookie("alexandros").value)
    assert victim.client.post(link, data=form, headers={"Sec-Fetch-Site": sender}).status_code == 400
    assert len(place.rows(SignedInBrowser)) == 0
    victim.get(link)
    own = victim.client.post(link, data=victim.form()[2], headers={"Sec-Fetch-Site": "same-origin"})
    assert own.status_code == 303


def test_a_button_is_good_for_whoever_is_signed_in_and_for_nobody_else(place, game):
    """Whoever sets the signed cookie of a victim who is signed in still has no button for them."""
    neighbour, victim = place.visitor().get("/signin"), signed_in(place)
    planted = neighbour.client.get_cookie("alexandros").value
    link = mailed_link(place, "ben@example.org")
    form = {"nonce": neighbour.get(link).nonce()}
    assert neighbour.client.get_cookie("alexandros").value == planted
    victim.client.set_cookie("alexandros", planted)
    assert victim.client.post(link, data=form).status_code == 400
    assert len(place.rows(SignedInBrowser)) == 1
    assert victim.get(link).text.count("At the moment Anna is signed in here") == 1


@pytest.mark.parametrize("name", ["alexandros", "alexandros-in"])
def test_of_two_cookies_with_one_name_neither_counts_and_nothing_is_done(place, game, name):
    visitor = signed_in(place).get("/me/browsers")
    _, action, fields = visitor.form()
    kept = {one: visitor.client.get_cookie(one).value for one in ("alexandros", "alexandros-in")}
    client = place.app.test_client(use_cookies=False)
    for planted in ("planted", kept[name]):
        header = "; ".join([f"{name}={planted}", *(f"{one}={value}" for one, value in kept.items())])
        answer = client.post(action, data=fields | {"wish": "others"}, headers={"Cookie": header})
        assert answer.status_code == 400
        assert "another site has set the other" in answer.text
        assert client.get("/healthz", headers={"Cookie": header}).status_code == 200
        title = "All my games" if name == "alexandros-in" else "My games"
        shown = client.get("/me", headers={"Cookie": header}, follow_redirects=True)
        assert f"<h1>{title}" in shown.text
    assert len(place.rows(SignedInBrowser)) == 1


def test_programs_are_asked_for_no_cookie(place, game):
    twice = {"Cookie": "alexandros-in=a; alexandros-in=b"}
    client = place.app.test_client(use_cookies=False)
    assert client.post(f"/api/games/{game}/acts", json={}, headers=twice).status_code == 401


def test_signing_out_ends_that_links_play_at_once_in_that_browser(place, game):
    visitor = play(place, signed_in(place), game, ticked=True)
    assert plays_at_once(place, visitor, game)
    visitor.get("/me/browsers").send(wish="out")
    assert "ask before they act" in visitor.text
    assert not plays_at_once(place, visitor, game)


def test_so_does_being_signed_out_from_another_browser_once(place, game):
    phone = play(place, signed_in(place), game, ticked=True)
    laptop = signed_in(place, agent="Chrome/126.0 Linux").get("/me/browsers")
    laptop.send(wish=button(laptop, "Sign out of Firefox on Android"))
    assert not plays_at_once(place, phone, game)
    phone.send(PLAYING, **{"at-once": tick(phone).get("value")})
    assert plays_at_once(place, phone, game)  # whoever has chosen it here again


def test_a_browser_in_which_nobody_was_signed_in_keeps_the_choice(place, game):
    visitor = play(place, place.visitor(), game, ticked=True)
    visitor.get("/me")
    assert plays_at_once(place, visitor, game)


@pytest.mark.parametrize(("hours", "known"), [(-240, True), (-1, True), (364 * 24, True), (366 * 24, False)])
def test_a_browser_is_known_although_the_clock_was_put_back(place, hours, known):
    client = place.visitor().client
    assert "Set-Cookie" in client.get("/new").headers
    place.clock.forward(hours)
    assert ("Set-Cookie" not in client.get("/new").headers) is known


KEYS = KeyRing((b"a secret of more than sixteen letters",))
SECOND = timedelta(seconds=1)
TOKEN = CsrfSigner("play é", KEYS, NOON).sign("").decode()


@pytest.mark.parametrize(
    ("later", "good"),
    [
        (timedelta(), True),
        (TOKEN_LIFETIME, True),
        (TOKEN_LIFETIME + SECOND, False),
        (-TOKEN_LIFETIME, True),
        (-TOKEN_LIFETIME - SECOND, False),
    ],
)
def test_a_token_is_good_for_a_day_and_for_clocks_that_differ(later, good):
    assert CsrfSigner("play é", KEYS, NOON + later).accepts(TOKEN) is good


def test_a_token_is_good_for_its_subject_and_its_secret_alone():
    assert not CsrfSigner("play", KEYS, NOON).accepts(TOKEN)
    assert not CsrfSigner("play é", KeyRing((KEYS.secrets[0] + b"!",)), NOON).accepts(TOKEN)
    assert len(CsrfSigner("x" * 2000, KEYS, NOON).sign("")) == len(TOKEN) < 60


@pytest.mark.parametrize(
    "given", ["", ".", "..", "é" * 9, TOKEN[1:], TOKEN[:-1], TOKEN + "A", f"x{TOKEN}", ".A." + "A" * 9000]
)
def test_what_we_did_not_sign_is_no_token(given):
    assert not CsrfSigner("play é", KEYS, NOON).accepts(given)
