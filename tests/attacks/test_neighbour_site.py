"""A site next door plants cookies, names hosts, posts across: nobody is signed in or sent away."""

import pytest

from tests.attacks import reading, small_world
from tests.attacks.small_world import MAIN_FORM
from tests.server.web.site import site

FAR = "https://play.example.org"
EVIL = "evil.example.net"
ACROSS = {"Origin": f"https://{EVIL}", "Referer": f"https://{EVIL}/", "Sec-Fetch-Site": "cross-site"}


def test_under_https_every_cookie_is_bound_to_its_host(tmp_path):
    place = site(tmp_path, ALEXANDROS_BASE_URL=FAR)
    world = small_world.World(place, tmp_path)
    small_world.begin(world, "Anna", "Ben")
    client = place.app.test_client()
    pages = [client.get(path, base_url=FAR) for path in ("/signin", "/new")]
    cookies = [one for page in pages for one in page.headers.getlist("Set-Cookie")]
    assert cookies
    for one in cookies:
        assert one.startswith("__Host-"), one
        assert "Secure" in one
        assert "Path=/;" in f"{one};".replace("; ", ";")
        assert "Domain" not in one


def test_a_planted_cookie_does_not_pass_a_button(world):
    """The neighbour takes a cookie and its nonce from here, and plants both at somebody else's."""
    world.visitor("/signin").send(MAIN_FORM, address="anna@example.org")
    world.deliver()
    link = small_world.sign_in_link(world, "anna@example.org")
    thief = world.visitor(link)
    planted = list(reading.cookies_of(thief).items())
    assert planted
    victim = place_https(world).test_client()
    for name, value in planted:
        victim.set_cookie(name.removeprefix("__Host-"), value, domain="play.example.org")
    answer = victim.post(link, data={"nonce": thief.nonce()}, base_url=FAR)
    assert answer.status_code in (400, 403)
    assert victim.get("/me", base_url=FAR).status_code != 200


def place_https(world: small_world.World):
    world.place.context.database.dispose()
    return site(world.folder, ALEXANDROS_BASE_URL=FAR).app


@pytest.mark.parametrize(
    "path", ["/me", "/me/browsers", "//me", "/t//x", "/new//x", "/signin/", "//evil/me", "/n//a"]
)
def test_no_answer_echoes_a_foreign_host(tmp_path, path):
    place = site(tmp_path)
    for heads in ({"Host": EVIL}, {"X-Forwarded-Host": EVIL}, {"Host": EVIL, "X-Forwarded-Proto": "https"}):
        answer = place.app.test_client().get(path, headers=heads)
        assert EVIL not in answer.headers.get("Location", "")
        assert EVIL not in answer.text


def test_a_post_from_another_site_does_nothing(world, game):
    letter = world.last(world.place.context.mover(game))
    owner = world.visitor(reading.act_in(letter))
    signed = small_world.sign_in(world, "anna@example.org")
    pages = [(owner, action) for action, _ in reading.forms_of(owner)]
    pages += [(signed, action) for action, _ in reading.forms_of(signed.get("/me/browsers"))]
    before = world.stored()
    for visitor, action in pages:
        for choice in ("out", "others", "new", ""):
            visitor.client.post(action, data={"wish": choice, "name": "x"}, headers=ACROSS)
    assert world.stored() == before
    assert signed.get("/me").title == "My games"


@pytest.mark.parametrize("path", ["/mailbox", "/mailbox/newest", "/mailbox/1", "/mailbox/1/source"])
def test_the_mailbox_of_the_demo_answers_to_its_own_host_alone(tmp_path, path):
    place = site(tmp_path)
    world = small_world.World(place, tmp_path)
    small_world.begin(world, "Anna", "Ben", deliver=False)
    world.keep()
    own = place.app.test_client().get("/mailbox", headers={"Host": "127.0.0.1:8000"})
    assert own.status_code == 200
    for host in (EVIL, "127.0.0.1.evil.example.net", "localhost.evil.example.net:8000", "play.example.org"):
        answer = place.app.test_client().get(path, headers={"Host": host})
        assert answer.status_code in (400, 403, 404, 421), host
        assert "anna@example.org" not in answer.text
