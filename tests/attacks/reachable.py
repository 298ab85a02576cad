"""Every address that a reader of a game can ask, by the name under which the application routes it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Literal

from emails.wording.options import list_options
from engine.events import AlexanderMarched
from engine.position import View, view
from server.mail_addresses import digest_address
from tests.attacks.twin_games import position_of
from tests.attacks.worlds import BOARD, Pair
from tests.server.web.played import list_conquests
from tests.server.web.site import Site

Bearer = Literal["nobody", "browser", "program"]
"""Who asks: somebody without a cookie, a browser in which the reader is signed in, a program of theirs."""


@dataclass(frozen=True)
class Call:
    route: str
    """Of the application, as `endpoint` calls it; with " POST" behind it for what is sent."""
    path: str
    bearer: Bearer = "nobody"
    fields: Mapping[str, Any] = field(default_factory=dict)
    """As `werkzeug` takes them: the body of what is sent."""

    @property
    def method(self) -> str:
        return "POST" if self.route.endswith(" POST") else "GET"


@dataclass(frozen=True)
class Reach:
    pair: Pair
    place: Site
    dice: Random

    @property
    def game(self) -> str:
        return self.pair.office.game

    @cached_property
    def known(self) -> View:
        return view(position_of(BOARD, self.pair.courses[0]), self.pair.me)

    def page(self, words: str = "", after: int | None = None) -> str:
        assert self.pair.me is not None
        return f"/t/{self.place.token(self.game, words, seat=self.pair.me, after=after)}"

    def linked(self, link: str) -> str:
        return link.removeprefix(self.place.context.links.base_url)


Paths = Iterator[str]


def tickets(reach: Reach) -> Paths:
    """The page of the game as it is, as it was, and of a few of the tickets in letters and on pages."""
    known, dice = reach.known, reach.dice
    card = dice.choice(list(known.table.display) or ["lyre"])
    words = ["draw; take lyre; end", "draw", "march Larissa", f"choose {card}"]
    offered = [one.words for group in list_options(known) for one in group.choices if one.words]
    words += dice.sample(offered, min(2, len(offered)))
    corners = [one.path[-1] for one in events(reach, AlexanderMarched)]
    looks = [f"{reach.page(one)}?look=1" for one in words]
    looks += [f"{reach.page()}?corner={dice.choice(corners)}"] if corners else []
    looks += [f"{reach.page()}?say={one}" for one in ("draw", "", "x")]
    looks += [f"{reach.page()}?place={verb}&guard={place}" for verb, place in placements(known, dice)]
    looks += [reach.page(after=dice.randrange(1, len(reach.pair.courses[0]) + 1))]
    looks += [reach.page(act.words, at) for at, act in own_acts(reach)[-1:]]
    yield reach.page()
    yield from dice.sample(looks, 3)


def events(reach: Reach, kind: type) -> list[Any]:
    return [event for act in reach.pair.courses[0] for event in act.events if isinstance(event, kind)]


def own_acts(reach: Reach) -> list[tuple[int, Any]]:
    return [(at, act) for at, act in enumerate(reach.pair.courses[0], 1) if act.seat == reach.pair.me]


def placements(known: View, dice: Random) -> list[tuple[str, str]]:
    """A province that the reader can have, or one that there is."""
    conquests = list_conquests(known)
    place = dice.choice(conquests).sites[0].name if conquests else dice.choice(sorted(BOARD.places))
    return [(verb, place) for verb in ("occupy", "takeover")]


def history(reach: Reach, page: str) -> Paths:
    yield page
    yield f"{page}?at={reach.dice.randrange(sum(len(act.events) for act in reach.pair.courses[0]))}"


def own(page: str) -> Callable[[Reach], Paths]:
    """A page under the ticket of the game as it is."""
    return lambda reach: iter([f"{reach.page()}/{page}"])


def at(*paths: str) -> Callable[[Reach], Paths]:
    """Addresses in which GAME stands for the game."""
    return lambda reach: iter([path.replace("GAME", reach.game) for path in paths])


def linked(link: Callable[[Reach], str]) -> Callable[[Reach], Paths]:
    return lambda reach: iter([reach.linked(link(reach))])


def mailed(kind: str) -> Callable[[Reach], Paths]:
    return lambda reach: iter([reach.pair.office.links[kind]])


def stop_link(reach: Reach) -> str:
    assert reach.pair.me is not None
    return reach.place.context.links.unsubscribe_links(reach.game, reach.pair.me)[0]


def unwanted_link(reach: Reach) -> str:
    return reach.place.context.links.unwanted_link(digest_address("anna@example.org"))


def join_link(reach: Reach) -> str:
    return reach.place.context.links.join_link(reach.game)


def organiser_link(reach: Reach) -> str:
    return reach.place.context.links.organiser_link(reach.game, 0)


TICKET_ROUTES: Mapping[str, Callable[[Reach], Paths]] = {
    "ticket_pages.show_ticket": tickets,
    "ticket_pages.perform_ticket POST": lambda reach: iter([reach.page(), reach.page("draw")]),
    "ticket_pages.show_cost": lambda reach: iter(
        [
            f"{reach.page()}/sum?place={verb}&guard={place}"
            for verb, place in placements(reach.known, reach.dice)
        ]
    ),
    "draft_pages.show_advice": own("advice"),
    "draft_pages.show_turn_choices": own("turns"),
    "draft_pages.show_play_section": lambda reach: iter(
        [f"{reach.page()}/play", f"{reach.page()}/play?card=choose+lyre&province=AB3"]
    ),
    "draft_pages.change_draft POST": own("draft"),
    "draft_pages.change_plan": own("plan"),
    "draft_pages.change_plan POST": own("plan"),
    "readonly_pages.show_player_history": lambda reach: history(reach, f"{reach.page()}/history"),
    "readonly_pages.download_player_log": own("log"),
    "readonly_pages.show_player_frames": own("recap"),
    "live_updates.show_player_pulse": own("pulse"),
    "live_updates.note_page_seen POST": own("seen"),
    "readonly_pages.show_print_sheet": own("sheet"),
    "draft_pages.send_chat POST": own("say"),
    "ticket_pages.send_nudge POST": own("nudge"),
    "settings_pages.save_settings": own("settings"),
    "settings_pages.save_settings POST": own("settings"),
    "settings_pages.change_address POST": own("settings/address"),
    "settings_pages.resume_delivery POST": own("settings/again"),
    "settings_pages.mail_sign_in_link POST": own("settings/signin"),
    "settings_pages.renew": own("links"),
    "settings_pages.renew POST": own("links"),
    "settings_pages.change_presence": own("away"),
    "settings_pages.change_presence POST": own("away"),
    "settings_pages.resign_game": own("resign"),
    "settings_pages.resign_game POST": own("resign"),
    "settings_pages.take_back POST": own("return"),
    "votes_page.vote": own("agreements"),
    "votes_page.vote POST": own("agreements"),
    "settings_pages.mail_again POST": own("again"),
    "sign_in_pages.mail_link": own("signin"),
    "sign_in_pages.mail_link POST": own("signin"),
    "open_seat_pages.give_seat_back POST": own("leave"),
    "open_seat_pages.submit_rematch POST": own("rematch"),
    "ticket_pages.keep_choice POST": own("at-once"),
    "settings_pages.change_subscription": linked(stop_link),
    "settings_pages.change_subscription POST": linked(stop_link),
}
"""What needs a seat."""


GAME_ROUTES: Mapping[str, Callable[[Reach], Paths]] = {
    "readonly_pages.show_spectator_page": at("/g/GAME", "/g/aaaaaaaa"),
    "readonly_pages.show_spectator_history": lambda reach: history(reach, f"/g/{reach.game}/history"),
    "readonly_pages.download_spectator_log": at("/g/GAME/log"),
    "readonly_pages.show_spectator_frames": at("/g/GAME/recap"),
    "live_updates.show_spectator_pulse": at("/g/GAME/pulse"),
    "api_routes.getGame": at("/api/games/GAME", "/api/games/GAME?seat=0", "/api/games/aaaaaaaa"),
    "api_routes.getLog": at("/api/games/GAME/log", "/api/games/GAME/log?after=5"),
    "api_routes.castVote POST": at("/api/games/GAME/votes"),
    "api_routes.comeBack POST": at("/api/games/GAME/back"),
    "api_routes.nudge POST": at("/api/games/GAME/nudge"),
    "api_routes.getPlan": at("/api/games/GAME/plan", "/api/games/GAME/plan?seat=0"),
    "api_routes.setPlan POST": at("/api/games/GAME/plan"),
    "api_routes.getAdvice": at("/api/games/GAME/advice", "/api/games/GAME/advice?seat=0"),
    "api_routes.listGames": at("/api/games"),
    "api_routes.getAvailability": at("/api/availability"),
    "api_routes.setAvailability POST": at("/api/availability"),
    "api_routes.getReminders": at("/api/reminders", "/api/reminders?game=GAME"),
    "api_routes.setReminders POST": at("/api/reminders"),
    "api_routes.takeVacation POST": at("/api/vacations"),
    "api_routes.endVacation POST": at("/api/vacations/end"),
    "open_seat_pages.take_open_seat": linked(join_link),
    "open_seat_pages.take_open_seat POST": linked(join_link),
    "new_game.change_game": linked(organiser_link),
    "new_game.show_organiser_pulse": linked(lambda reach: organiser_link(reach) + "/pulse"),
    "new_game.change_game POST": linked(organiser_link),
    "public_pages.show_game_lists": at("/games"),
    "my_pages.show_my_games": at("/me"),
    "my_pages.show_finished_games": at("/me/finished"),
    "my_pages.forget_games_played_here POST": at("/me/forget-here"),
    "my_pages.show_my_data": at("/me/data"),
    "my_pages.download_my_data": at("/me/data.json"),
    "my_pages.forget_me": at("/me/forget"),
    "my_pages.forget_me POST": at("/me/forget"),
    "mailbox_pages.list_mails": at("/mailbox"),
    "mailbox_pages.show_newest_id": at("/mailbox/newest"),
    "mailbox_pages.show_mail": at("/mailbox/1", "/mailbox/1?tab=text"),
    "mailbox_pages.show_html_body": at("/mailbox/1/html"),
    "mailbox_pages.show_source": at("/mailbox/1/source"),
    "mailbox_pages.show_picture": at("/mailbox/1/part/board"),
    "mailbox_pages.send_answer POST": at("/mailbox/1/answer"),
    # last, since it is done without a form: the pages above are those of a player who has not resigned
    "api_routes.resign POST": at("/api/games/GAME/resign"),
}
"""What shows something of games."""
OTHER_ROUTES: Mapping[str, Callable[[Reach], Paths]] = {
    "public_pages.show_front_page": at("/"),
    "health_pages.show_life": at("/livez", "/healthz"),
    "health_pages.show_readiness": at("/readyz"),
    "health_pages.show_metrics": at("/metrics"),
    "public_pages.show_rules": at("/rules"),
    "public_pages.show_help": at("/help"),
    "public_pages.show_privacy": at("/privacy"),
    "assets.serve_asset": at("/assets/1/style.css", "/assets/1/live.js", "/assets/1/nothing"),
    "api_routes.get_document": at("/api/openapi.json"),
    "new_game.submit_new_game": at("/new"),
    "new_game.submit_new_game POST": at("/new"),
    "new_game.confirm_proposal": mailed("n"),
    "new_game.confirm_proposal POST": mailed("n"),
    "settings_pages.change_unwanted_letters": linked(unwanted_link),
    "settings_pages.change_unwanted_letters POST": linked(unwanted_link),
    "settings_pages.confirm_address": mailed("c"),
    "settings_pages.confirm_address POST": mailed("c"),
    "sign_in_pages.submit_sign_in": mailed("s"),
    "sign_in_pages.submit_sign_in POST": mailed("s"),
    "sign_in_pages.request_link": at("/signin"),
    "sign_in_pages.request_link POST": at("/signin"),
    "sign_in_pages.change_sessions": at("/me/browsers"),
    "sign_in_pages.change_sessions POST": at("/me/browsers"),
    "mail_hook.receive_mail POST": at("/mail"),
    "desk_pages.show_desk": at("/desk", "/desk?word=GAME"),
    "desk_pages.show_correspondence": at("/desk/mail?address=anna@example.org"),
    "desk_pages.show_game": at("/desk/game/GAME"),
    "desk_pages.change_game POST": at("/desk/game/GAME"),
    "desk_pages.change_address POST": at("/desk/mail"),
    "desk_pages.repair POST": at("/desk/repair"),
    "desk_pages.care_for_server POST": at("/desk/care"),
}
"""What shows nothing of any game; asked too, for who knows what it will show."""
PREVIEW = "api_routes.act POST"
ROUTES = {*TICKET_ROUTES, *GAME_ROUTES, *OTHER_ROUTES, PREVIEW}
PERSONAL = (
    "api_routes.",
    "my_pages.",
    "my_pages.",
    "sign_in_pages.change_sessions",
    "desk_pages.",
    "readonly_pages.",
    "open_seat_pages.take",
)
"""What a browser or a program that its reader has signed in is shown besides."""
OPEN_WHEN_OVER = (
    "api_routes.getLog",
    "readonly_pages.download_player_log",
    "readonly_pages.download_spectator_log",
)
"""Where all is told once a game is over."""


def reachable(reach: Reach) -> Iterator[Call]:
    """Every call of a reader: as anybody, and as who they are."""
    own = reach.pair.me is not None
    for route, paths in {**(TICKET_ROUTES if own else {}), **GAME_ROUTES, **OTHER_ROUTES}.items():
        if reach.known.table.over and route in OPEN_WHEN_OVER:
            continue
        for path in paths(reach):
            yield Call(route, path)
            if own and route.startswith(PERSONAL):
                yield Call(route, path, "program" if route.startswith("api_routes.") else "browser")
    yield from previews(reach, "program" if own else "nobody")


def previews(reach: Reach, bearer: Bearer) -> Iterator[Call]:
    """Orders that a program has looked at and does not send."""
    offered = [one.words for group in list_options(reach.known) for one in group.choices if one.words]
    after = reach.place.history(reach.game).after
    some = reach.dice.sample(offered, min(1, len(offered)))
    for lines in (["draw", "take lyre", "end"], ["march Larissa"], some):
        asked = {"after": after, "lines": lines, "preview": True}
        sent = {"data": json.dumps(asked), "content_type": "application/json"}
        yield Call(PREVIEW, f"/api/games/{reach.game}/acts", bearer, sent)
