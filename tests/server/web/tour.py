"""A walk through every page, for tests that look at all of them."""

from collections.abc import Iterator
from hashlib import sha256

from lxml.html import HtmlElement

from emails.tokens import Purpose, Ticket, seal_game, seal_ticket, seal_unsubscribe
from server.accounts import addresses
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.lobby import proposals
from server.lobby.open_seats import hold_seat
from server.outbox.budgets import read_block, store_block
from server.store.game_terms import SeatRequest
from server.store.models import Game, LocalMail, Player, Proposal, Seating, SignInLink
from server.store.server_facts import GameTerms
from server.store.states import BlockOrigin, GameStatus
from server.web.kit.request_context import SIGN_IN_COOKIE
from tests.server.desk import ANNA, BEN, CLEO, NOON, OPEN_SEAT
from tests.server.web.lobby.test_new_game_form import TWO
from tests.server.web.played import advance, first_choice, known, list_conquests
from tests.server.web.site import Site, Visitor

Page = tuple[str, HtmlElement]
FORM = "//main//form"
CODE = "a" * 32


def named(name: str, visitor: Visitor) -> Page:
    """The page that a visitor sees, with a name that says what it shows."""
    return f"{name}: {visitor.title}", visitor.page


class Tour:
    """A visitor who reads one language, on a site whose players do too."""

    def __init__(self, place: Site, language: str) -> None:
        self.place, self.language = place, language
        self.visitor: Visitor = place.visitor()
        self.visitor.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language

    def pages(self) -> Iterator[Page]:
        """Every page with a name that says what it shows."""
        yield from self._for_everybody()
        yield from self._invitations()
        yield from self._proposals()
        yield from self._turns()
        yield from _joining_pages(self.place, self.visitor)
        playing = self.place.link(self._opened("Anna", "Dirk"), seat=0)
        waiting = self.place.link(self._opened("Anna", "Ben", at_once=False), seat=0, after=0)
        yield from _signing_pages(self.place, self.visitor, waiting, playing)
        yield from self._letters()
        yield from self._errors()

    def _for_everybody(self) -> Iterator[Page]:
        visitor = self.visitor
        for link in ("/", "/new", "/mailbox", "/rules", "/rules?edition=identity-games", "/help", "/privacy"):
            yield named(link, visitor.get(link))
        for changes in ({"name": ""}, {"name2": "Anna"}, {"address1": ""}, {"edition": "x"}):
            yield named(f"form with {changes}", visitor.get("/new").send(FORM, **(TWO | changes)))
        yield named("form from another page", visitor.get("/new").send(FORM, nonce="x"))
        yield named("asked for", visitor.get("/new").send(FORM, **TWO, kind3="house"))
        yield named("opened", self.place.say_yes(visitor))

    def _invitations(self) -> Iterator[Page]:
        game = self._opened("Anna", "Ben", at_once=False)
        for seat in (0, 1):
            for name, words in (("invitation", "accept"), ("invitation to be declined", "decline")):
                yield named(name, self.visitor.get(self.place.link(game, words, seat=seat, after=0)))
            yield named("accepted", self.visitor.send("//main//form[not(contains(@action, '/leave'))]"))
            yield named("games that were played here", self.visitor.get("/me"))
        unwanted = self.place.context.links.keys.seal(Purpose.UNWANTED, bytes(16))
        yield named("not wanted", self.visitor.get(f"/x/{unwanted}"))
        for _ in range(2):
            yield named("not wanted any more, or again", self.visitor.press())
        yield named("not wanted, and no wish", self.visitor.send(FORM, wish="x"))

    def _proposals(self) -> Iterator[Page]:
        post, now = self.place.context.links, self.place.clock()
        before = set(self.place.rows(Proposal.game))
        known: list[str] = []
        links: list[str] = []
        for number, words in enumerate(("24h", "house, a@@b", "2 houses")):
            to = post.proposal_links(known[1])[1] if number == 2 else f"new@{post.domain}"
            head = f"From: dirk@example.org\r\nMessage-ID: <{number}@x>\r\n\r\n"
            mail = f"{head}{words}\r\ntaal: {self.language}"
            store_mail(self.place.context, "anna@example.org", to, mail.encode(), now)
            dispatch.process_waiting_mail(self.place.context, now)
            known += [one for one in self.place.rows(Proposal.game) if one not in {*before, *known}]
            links.append(post.proposal_links(known[-1])[0].removeprefix(post.base_url))
            yield named("proposal", self.visitor.get(links[-1]))
        yield named("proposal from another page", self.visitor.send(FORM, nonce="x"))
        yield named("proposal that was replaced", self.visitor.get(links[1]))
        [first] = self.place.rows(Seating, Seating.game == known[0])
        stop = f"/u/{seal_unsubscribe(known[0], first.seat, post.keys)}"
        yield named("stop a proposal", self.visitor.get(stop))
        yield named("proposal confirmed", self.visitor.get(links[2]).press())
        proposals.delete_expired_proposals(self.place.context, now + proposals.PROPOSAL_VALID)
        yield named("proposal of a week ago", self.visitor.get(links[0]))

    def _opened(self, *names: str, at_once: bool = True) -> str:
        requests = [SeatRequest(name, f"{name.lower()}@example.org", self.language) for name in names]
        return self.place.open_game("Friday", requests, at_once=at_once)

    def _turns(self) -> Iterator[Page]:
        game = self._opened("Anna", "Ben", "Cleo")
        old = self.place.token(game)
        yield self._look("turn", game)
        yield self._look("no advice", game, more="/advice")
        self.place.context.let_advise(game)
        yield self._look("turn with advice", game)
        yield self._look("advice", game, more="/advice")
        yield from self._steps(game)
        yield self._look("refused", game, "march Larissa")
        yield self._look("unreadable", game, "marhc Larissa")
        yield self._look("nothing typed", game, more="?say=")
        yield self._look("too long", game, more="?say=" + "draw;" * 400)
        card, march = first_choice(self.place, game).split("; ")
        yield self._look("question", game, f"{card}; {' '.join(march.split()[:2])}")
        yield self._look("preview", game, first_choice(self.place, game))
        yield named("late button", self.visitor.post(self.place.link(game), nonce="x"))
        yield self._look("preview at once", game, first_choice(self.place, game))
        yield named("done", self.visitor.press())
        at_once = "//form[contains(@action, '/at-once')]"
        yield named("done, and at once from now on", self.visitor.send(at_once))
        yield named("moved on", self.visitor.get(f"/t/{old}"))
        yield self._look("preview of more than is known", game, "draw; take lyre; end")
        yield named("done in part", self.visitor.press())
        yield self._look("somebody else", game, seat=self._other(game))
        yield self._look("plan", game, seat=self._other(game), more="/plan")
        advance(self.place, game, lambda now: any(conquest.gifts for conquest in list_conquests(now)))
        conquest = next(conquest for conquest in list_conquests(known(self.place, game)) if conquest.gifts)
        yield self._look("guards to be placed", game, more=f"?province={conquest.name}")
        yield self._look("takeover", game, f"takeover {conquest.sites[0].name}")
        misplaced = f"?place=takeover&guard={conquest.sites[0].name}&give-horse=9"
        yield self._look("guards that do not fit", game, more=misplaced)
        yield self._look("impossible guards", game, "occupy Troy+Sangala")
        advance(self.place, game, lambda now: now.table.last_turn or now.table.over)
        yield self._look("last turn", game)
        advance(self.place, game, lambda now: now.table.over)
        yield self._look("over", game, seat=0)
        running = self._opened("Anna", "Ben")
        advance(self.place, running, lambda now: now.table.turn > 4)
        yield from self._history(running, game)

    def _history(self, running: str, over: str) -> Iterator[Page]:
        """Of a game that is running and of one that is over, for a player and for anybody."""
        place, waiting = self.place, self._opened("Anna", "Ben", at_once=False)
        place.context.let_watch(running, over, waiting)
        pages = "history", "history?at=0", "history?at=x", "sheet"
        links = [f"{place.link(game, seat=0)}/{page}" for game in (running, over) for page in pages]
        links += [place.link(running) + "/sheet", f"/g/{over}/history?at=999999"]
        links += [f"/g/{game}{page}" for game in (running, over) for page in ("", "/history?at=3")]
        for link in (*links, f"/g/{waiting}", "/g/nowhere"):
            yield named(link.rpartition("/")[2], self.visitor.get(link))

    def _steps(self, game: str) -> Iterator[Page]:
        """A turn that is begun with the dock, and taken back."""
        corner = first_choice(self.place, game).rpartition("-")[2]
        yield self._look("corner", game, more=f"?corner={corner}")
        yield named("card", self.visitor.get(self.place.link(game)).tap("card"))
        for name in ("march begun", "another step"):
            yield named(name, self.visitor.tap("do"))
        nonce = self.visitor.form("//form[@id='draft']")[2] | {"do": "march Larissa"}
        yield named("step that cannot be done", self.visitor.post(self.place.link(game) + "/draft", **nonce))
        self.visitor.get(self.place.link(game)).tap("over")
        old = self.place.link(game) + "/draft"
        yield named("button that is too old", self.visitor.post(old, nonce="x"))

    def _look(self, name: str, game: str, words: str = "", more: str = "", seat: int | None = None) -> Page:
        return named(name, self.visitor.get(self.place.link(game, words, seat=seat) + more))

    def _other(self, game: str) -> int:
        table = self.place.table(game)
        return (table.seat + 1) % len(table.names)

    def _letters(self) -> Iterator[Page]:
        game, context = self._opened("Anna", "Dirk"), self.place.context
        yield self._look("settings", game, more="/settings")
        form = "//form[contains(@action, '/settings')]"
        refused = self.visitor.send(form, **{"scope": "own", "own-pace": "x"})
        yield named("settings refused", refused)
        settings = self.place.link(game, seat=0) + "/settings"
        self.place.sign_in(self.visitor, game)
        yield named("settings of all games", self.visitor.get(settings))
        refused = self.visitor.send(form, language=self.language, zone="x")
        yield named("settings of all games refused", refused)
        self.visitor.client.delete_cookie(self.place.app.config[SIGN_IN_COOKIE])
        form = "//form[contains(@action, '/address')]"
        yield named("move asked", self.visitor.get(settings).send(form, address="cleo@example.org"))
        (move,) = context.confirmation_codes()
        yield named("move", self.visitor.get(f"/c/{move}"))
        context.committed(self.place.clock(), addresses.decline_move, move)
        form = "//form[.//*[@name='words']]"
        yield named("nothing said", self.visitor.get(self.place.link(game)).send(form, words=""))
        yield named("said", self.visitor.send(form, words="Anna, Anna!"))
        addresses.request_address_confirmation(context, game, 0, "cleo@example.org", self.place.clock())
        (code,) = context.confirmation_codes()
        yield named("new address", self.visitor.get(f"/c/{code}"))
        yield named("new address confirmed", self.visitor.press())
        stop = f"/u/{seal_unsubscribe(game, 0, context.links.keys)}"
        yield named("stop", self.visitor.get(stop))
        for number in (0, 0, 1, 0):
            buttons = list(map(str, self.visitor.page.xpath("//main//button[@name='wish']/@value")))
            yield named("stopped", self.visitor.send(FORM, wish=buttons[number % len(buttons)]))
        self.place.work()
        yield named("mailbox", self.visitor.get("/mailbox?to=dirk@example.org"))
        number = self.place.rows(LocalMail.id)[-1]
        for tab in ("html", "text"):
            yield named(f"mail as {tab}", self.visitor.get(f"/mailbox/{number}?tab={tab}"))

    def _errors(self) -> Iterator[Page]:
        token = seal_ticket(Ticket("aaaaaaaa", 0, 3), self.place.context.links.keys)
        for link in ("/nowhere", "/t/x", f"/t/{token}", "/c/nobody"):
            yield named(link[:3], self.visitor.get(link))
        for link, sent in (("/", "x"), ("/new", "x" * 70_000)):
            yield named("not so", self.visitor.post(link, name=sent))


def _joining_pages(place: Site, visitor: Visitor) -> Iterator[Page]:
    """The pages on which games are joined, left and looked after by their organisers."""
    yield named("no games", visitor.get("/games"))
    game = _opened(place, BEN, OPEN_SEAT, OPEN_SEAT)
    _opened(place, SeatRequest("", None), SeatRequest("", None), OPEN_SEAT)
    running = _opened(place, SeatRequest("", None))
    for link in ("/games", "/"):
        yield named(f"games at {link}", visitor.get(link))
    seat, organiser = _link(place, game, "j", Purpose.JOIN), _link(place, game, "new", Purpose.ORGANISER)
    yield named("join", visitor.get(seat))
    for name, address in (("Anna", "x@example.org"), ("Dirk", "dirk@example.org")):
        yield named(f"join as {name}", visitor.get(seat).send(FORM, name=name, address=address))
    yield _shown(place, visitor, game, "Dirk", 2)
    yield _shown(place, visitor, game, "Anna", 0)
    _, action, sent = visitor.form("//form[contains(@action, '/leave')]")
    hold_seat(place.context, game, CLEO, NOON)
    yield named("full", visitor.get(seat))
    ben = place.link(game, "accept", seat=place.seat(game, "Ben"), after=0)
    yield named("declined", visitor.get(ben).send("//form[contains(@action, '/leave')]"))
    yield named("leave from another page", visitor.post(action, nonce="x"))
    for choice in ("x", "house-awaited", "house-open"):
        yield named(f"organiser before {choice}", visitor.get(organiser))
        _, action, sent = visitor.form(FORM)
        yield named(f"organiser after {choice}", visitor.post(action, **(sent | {"wish": choice})))
    yield named("organiser from another page", visitor.post(action, nonce="x"))
    yield named("too late to join, but to watch", visitor.get(seat))
    goes_on = _link(place, running, "new", Purpose.ORGANISER)
    yield named("organiser of a game that goes on", visitor.get(goes_on))
    with place.changing() as session:
        store_block(session, read_block("ben@example.org", BlockOrigin.OPERATOR, NOON))
    blocked = _link(place, _opened(place, BEN), "new", Purpose.ORGANISER)
    yield named("organiser to whose guest no mail goes", visitor.get(blocked))
    yield from _called_off(place, visitor)


def _called_off(place: Site, visitor: Visitor) -> Iterator[Page]:
    game = _opened(place, BEN)
    visitor.get(_link(place, game, "new", Purpose.ORGANISER))
    _, action, sent = visitor.form(FORM)
    yield named("called off", visitor.post(action, **(sent | {"wish": "cancel"})))
    yield named("called off, to join", visitor.get(_link(place, game, "j", Purpose.JOIN)))
    yield _shown(place, visitor, game, "Ben", 0)


def _opened(place: Site, *requests: SeatRequest) -> str:
    terms = GameTerms("all", watched=True)
    game = place.open_game("Friday", [ANNA, *requests], organiser=ANNA.address, terms=terms)
    place.context.accept_invitation(game, place.seat(game, "Anna"), NOON)
    return game


def _link(place: Site, game: str, page: str, purpose: Purpose) -> str:
    return f"/{page}/{seal_game(purpose, game, place.context.links.keys)}"


def _shown(place: Site, visitor: Visitor, game: str, name: str, after: int) -> Page:
    link = place.link(game, "accept", seat=place.seat(game, name), after=after)
    return named(f"seat of {name}", visitor.get(link))


def _signing_pages(place: Site, visitor: Visitor, ticket: str, playing: str) -> Iterator[Page]:
    """Every page from the wish to sign in to signing out; Anna waits in one game and plays the other."""
    yield "sign in", visitor.get("/signin").page
    yield "sign in without an address", visitor.send(FORM, address="nobody").page
    yield "sign in from another page", visitor.send(FORM, address="anna@example.org", nonce="x").page
    yield "sign in asked", visitor.send(FORM, address="stranger@example.org").page
    yield "desk, and an address is asked for", visitor.get("/desk").page
    yield "desk, and a link is asked for", visitor.send(FORM, address="stranger@example.org").page
    yield "resign without a sign-in", visitor.get(f"{ticket}/resign").page
    yield "resign, and a link is mailed", visitor.press().page
    pause = "//form[.//button[@value='pause']]"
    yield "agreements", visitor.get(f"{playing}/agreements").page
    yield "agreements, and nothing chosen", visitor.send(pause, wish="x").page
    yield "a pause is asked for", visitor.send(pause, wish="pause").page
    yield "away without a sign-in", visitor.get(f"{playing}/away").page
    yield "sign in from a game", visitor.get(f"{ticket}/signin").page
    for _ in range(5):
        visitor.get(f"{ticket}/signin").press()
    yield "sign in asked too often", visitor.page
    [player] = place.rows(Player.id, Player.name == "Anna")
    with place.changing() as session:
        session.add(SignInLink(digest=sha256(CODE.encode()).hexdigest(), player=player, at=place.clock()))
    link = f"/s/{CODE}"
    yield "link", visitor.get(link).page
    nonce = visitor.nonce()
    yield "my games", visitor.press().page
    yield "link used", visitor.post(link, nonce=nonce).page
    yield "my finished games", visitor.get("/me/finished").page
    yield "browsers", visitor.get("/me/browsers").page
    yield "key without a name", visitor.send("//form[@id='new-key']", name=" ", wish="new").page
    yield "key", visitor.send("//form[@id='new-key']", name="Anna", wish="new").page
    yield "no wish", visitor.send(FORM, wish="x").page
    yield from _desk(place, visitor)
    yield "my data", visitor.get("/me/data").page
    yield "forget me", visitor.get("/me/forget").page
    yield "forget me from another page", visitor.send(FORM, nonce="x").page
    yield from _away(visitor, playing)
    yield "resign", visitor.get(f"{ticket}/resign").page
    yield "resign from another page", visitor.send(FORM, nonce="x").page
    yield "other browsers ended", visitor.get("/me/browsers").send(FORM, wish="others").page
    yield "signed out", visitor.send(FORM, wish="out").page
    yield from _new_links(visitor, ticket)


def _desk(place: Site, visitor: Visitor) -> Iterator[Page]:
    settings = place.context.settings
    place.context.settings = settings.model_copy(update={"operator": "anna@example.org"})
    yield "desk, and nothing found", _without_lines(visitor.get("/desk?word=nothing-like-it").page)
    yield "desk", _without_lines(visitor.get("/desk?word=Anna").page)
    mail = visitor.get("/desk/mail?address=anna@example.org").page
    yield "desk, the mail of somebody", _without_lines(mail)
    [game, *_] = place.rows(Game.id, Game.status == GameStatus.RUNNING)
    yield "desk, a game", _without_lines(visitor.get(f"/desk/game/{game}").page)
    forged = visitor.post("/desk/repair", wish="resend", number="0", nonce="x").page
    yield "desk, from another page", _without_lines(forged)
    place.context.settings = settings


def _without_lines(page: HtmlElement) -> HtmlElement:
    """A page without what it shows in the words of the commands, which speak English alone."""
    for one in page.xpath("//main//*[@lang='en']"):
        one.drop_tree()
    return page


def _away(visitor: Visitor, ticket: str) -> Iterator[Page]:
    """Days away told and taken back by somebody who is signed in."""
    yield "away", visitor.get(f"{ticket}/away").page
    days = "//form[@id='days']"
    yield "away until no day", visitor.send(days, last="x", wish="away").page
    yield "away for too long", visitor.send(days, first="", last="2099-01-01", wish="away").page
    yield "away from another page", visitor.send(days, nonce="x", wish="away").page


def _new_links(visitor: Visitor, ticket: str) -> Iterator[Page]:
    """The links of a seat made new, and what its link of before shows then."""
    yield "new links", visitor.get(f"{ticket}/links").page
    yield "new links from another page", visitor.send(FORM, nonce="x").page
    yield "links are new", visitor.get(f"{ticket}/links").send(FORM).page
    yield "a link of before", visitor.get(ticket).page
    yield "links mailed again", visitor.send(FORM).page
