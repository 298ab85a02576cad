"""Which language a page speaks, and that it stays with the page."""

from concurrent.futures import ThreadPoolExecutor

from emails.i18n import DEFAULT_LOCALE, current_locale
from emails.tokens import Purpose, Ticket, seal_ticket, unseal_game
from server.outbox.notifications import load_preferences
from server.store.models import Player, StoredPreferences
from tests.server.web.lobby.test_new_game_form import TWO
from tests.server.web.site import Visitor

DUTCH = {"HTTP_ACCEPT_LANGUAGE": "nl-BE,nl;q=0.8,en;q=0.5"}


def everybody(place, game, **changes: str) -> None:
    for name in place.names(game):
        place.context.set_preferences(game, name, everywhere=True, **changes)


def dutch(place) -> Visitor:
    visitor = place.visitor()
    visitor.client.environ_base.update(DUTCH)
    return visitor


def language(visitor) -> str:
    return str(visitor.page.xpath("string(/html/@lang)"))


def test_a_page_speaks_what_the_browser_asks_for(place):
    assert language(place.visitor().get("/")) == "en"
    visitor = dutch(place).get("/new")
    assert language(visitor) == "nl"
    assert visitor.title == "Een nieuw spel"
    other = place.visitor()
    other.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "xx,de;q=0.9,*;q=0.1"
    assert language(other.get("/")) == "en"


def test_a_language_that_was_chosen_is_carried_on(place):
    visitor = place.visitor().get("/").click("Nederlands")
    assert language(visitor) == "nl"
    assert not [name for name, _ in visitor.answer.headers if name == "Set-Cookie"]
    visitor.click("Begin een spel")
    assert visitor.title == "Een nieuw spel"
    visitor.send("//main//form", **(TWO | {"name": ""}))
    assert visitor.status == 422
    assert "De naam van het spel moet uit 1 tot 40" in visitor.text
    visitor.send("//main//form", name="Friday")
    assert visitor.title == "Kijk in je mail"
    assert language(visitor.click("English")) == "en"
    assert language(visitor.click("New game")) == "en"


def test_only_the_language_changes_when_one_is_chosen(place):
    visitor = place.visitor().get("/mailbox?to=anna@example.org&before=7")
    assert dict(visitor.links("//footer//a"))["Nederlands"] == "?to=anna%40example.org&before=7&lang=nl"
    assert language(place.visitor().get("/?lang=xx")) == "en"


def test_caches_are_told_what_a_page_depends_on(place, game):
    for link in ("/", "/new", place.link(game)):
        assert "Accept-Language" in place.visitor().client.get(link).headers["Vary"]


def test_a_page_behind_a_ticket_speaks_its_players_language_and_keeps_his_time(place, game):
    everybody(place, game, language="nl", zone="Europe/Amsterdam")
    visitor = place.look(game)
    assert language(visitor) == "nl"
    assert "Je bent aan de beurt" in visitor.title
    assert "13:00 CET" in visitor.text
    assert language(place.look(game, "?lang=en")) == "nl"
    everybody(place, game, language="en")
    visitor = dutch(place).get(place.link(game))
    assert language(visitor) == "en"
    assert "13:00 CET" in visitor.text


def test_a_players_page_is_switched_by_their_settings_alone(place, game):
    visitor = place.look(game)
    assert "Nederlands" not in dict(visitor.links("//footer//a"))
    assert visitor.click("Settings").status == 200
    assert "Nederlands" not in dict(visitor.links("//footer//a"))


def test_orders_are_shown_and_read_in_the_players_language(place, game):
    everybody(place, game, language="nl")
    visitor = place.look(game, words=f"choose {place.table(game).display.kinds()[0]}")
    words = str(visitor.page.xpath("string(//p[@class='faint']/code)"))
    assert words.startswith("kies ")
    visitor.get(place.link(game)).send("//form[.//textarea]", say=words)
    assert visitor.title == "Wil je dit doen?"
    visitor.press()
    assert "Dat is gelukt" in visitor.text


def test_the_page_without_letters_can_be_switched(place, game):
    """Who stops his letters may not have chosen their language himself."""
    link = place.context.links.unsubscribe_links(game, 0)[0].removeprefix(place.context.settings.base_url)
    visitor = place.visitor().get(link)
    assert language(visitor) == "en"
    assert language(visitor.click("Nederlands")) == "nl"


def test_no_language_is_left_in_the_thread_that_served_a_page(place, game, monkeypatch, caplog):
    everybody(place, game, language="nl")
    visitor = place.visitor().client
    with ThreadPoolExecutor(1) as thread, caplog.at_level("CRITICAL", "server.web"):
        for link in ("/?lang=nl", place.link(game), "/nowhere?lang=nl", "/t/aaaa?lang=nl", "/new?lang=nl"):
            assert b'lang="nl"' in thread.submit(visitor.get, link).result().data
            assert thread.submit(current_locale).result() == DEFAULT_LOCALE
            assert b'<html lang="en"' in thread.submit(visitor.get, "/").result().data
        monkeypatch.setattr("server.web.game.ticket_pages.render_game_page", lambda *_, **__: 1 // 0)
        assert thread.submit(visitor.get, place.link(game)).result().status_code == 500
        assert thread.submit(current_locale).result() == DEFAULT_LOCALE


def languages(place) -> dict[str, str]:
    return {one.name: place.read(load_preferences, one.id).language for one in place.rows(Player)}


def test_an_organiser_says_which_language_each_player_reads(place):
    place.say_yes(place.visitor().get("/new").send("//main//form", **TWO, language2="nl"))
    assert languages(place) == {"Anna": "en", "Ben": "nl"}


def test_what_a_known_player_has_chosen_stands(place, game):
    place.context.set_preferences(game, "Anna", everywhere=True, language="nl")
    place.say_yes(place.visitor().get("/new").send("//main//form", **TWO, language1="en", language2="nl"))
    assert languages(place) == {"Anna": "nl", "Ben": "en"}
    assert len(place.rows(StoredPreferences)) == 1


def test_an_invitation_speaks_the_language_that_was_chosen_for_it(place):
    visitor = place.visitor().get("/new").send("//main//form", **TWO, language1="nl", language2="nl")
    place.say_yes(visitor)
    keys = place.context.links.keys
    game, _ = unseal_game(Purpose.ORGANISER, visitor.answer.request.path.removeprefix("/new/"), keys)
    for seat in (0, 1):
        visitor.get(f"/t/{seal_ticket(Ticket(game, seat, 0, 'accept'), keys)}")
        assert visitor.title in ("Anna vraagt: doe je mee, Ben?", "Je doet mee, Anna")
