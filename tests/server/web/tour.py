"""A walk through every page, for tests that look at all of them."""

from collections.abc import Iterator

from emails.tokens import Ticket, seal_ticket, seal_unsubscribe, seal_unwanted
from server.accounts import addresses
from server.delivery import sending
from server.delivery.relay import choose_transport
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.lobby import proposals
from server.store.game_terms import SeatRequest
from server.store.models import LocalMail, Proposal, Seating
from server.web.kit.cookies import SIGN_IN_COOKIE
from tests.server.desk import NOON
from tests.server.web import tour_joining, tour_signing
from tests.server.web.lobby.test_new_game_form import TWO
from tests.server.web.played import advance, first_choice, known, list_conquests, watched
from tests.server.web.site import Site, Visitor
from tests.server.web.tour_joining import Page, named


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
        yield from tour_joining.pages(self.place, self.visitor)
        playing = self.place.link(self._opened("Anna", "Dirk"), seat=0)
        yield from tour_signing.pages(self.place, self.visitor, self._of_anna(), playing)
        yield from self._letters()
        yield from self._errors()

    def _for_everybody(self) -> Iterator[Page]:
        visitor = self.visitor
        for link in ("/", "/new", "/mailbox", "/rules", "/rules?edition=identity-games", "/help", "/privacy"):
            yield named(link, visitor.get(link))
        for changes in ({"name": ""}, {"name2": "Anna"}, {"address1": ""}, {"edition": "x"}):
            yield named(f"form with {changes}", visitor.get("/new").send("//main//form", **(TWO | changes)))
        yield named("form from another page", visitor.get("/new").send("//main//form", nonce="x"))
        yield named("asked for", visitor.get("/new").send("//main//form", **TWO, kind3="house"))
        yield named("opened", self.place.say_yes(visitor))

    def _invitations(self) -> Iterator[Page]:
        game = self._opened("Anna", "Ben", at_once=False)
        secret = self.place.context.links.keys
        for seat in (0, 1):
            for name, words in (("invitation", "accept"), ("invitation to be declined", "decline")):
                ticket = seal_ticket(Ticket(game, seat, 0, words), secret)
                yield named(name, self.visitor.get(f"/t/{ticket}"))
            yield named("accepted", self.visitor.send("//main//form[not(contains(@action, '/leave'))]"))
            yield named("games that were played here", self.visitor.get("/me"))
        yield named("not wanted", self.visitor.get(f"/x/{seal_unwanted('0' * 32, secret)}"))
        for _ in range(2):
            yield named("not wanted any more, or again", self.visitor.press())
        yield named("not wanted, and no wish", self.visitor.send("//main//form", wish="x"))

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
        yield named("proposal from another page", self.visitor.send("//main//form", nonce="x"))
        yield named("proposal that was replaced", self.visitor.get(links[1]))
        [first] = self.place.rows(Seating, Seating.game == known[0])
        yield named(
            "stop a proposal", self.visitor.get(f"/u/{seal_unsubscribe(known[0], first.seat, post.keys)}")
        )
        yield named("proposal confirmed", self.visitor.get(links[2]).press())
        proposals.delete_expired_proposals(self.place.context, now + proposals.PROPOSAL_VALID)
        yield named("proposal of a week ago", self.visitor.get(links[0]))

    def _opened(self, *names: str, at_once: bool = True) -> str:
        requests = [SeatRequest(name, f"{name.lower()}@example.org", self.language) for name in names]
        return self.place.context.open_game("Friday", requests, NOON, at_once=at_once)

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
        yield self._look("question", game, self._ambiguous(game))
        yield self._look("preview", game, first_choice(self.place, game))
        yield self._look("late button", game, post={"nonce": "x"})
        yield self._look("preview at once", game, first_choice(self.place, game))
        yield named("done", self.visitor.press())
        yield named(
            "done, and at once from now on", self.visitor.send("//form[contains(@action, '/at-once')]")
        )
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
        yield from history_pages(self.place, self.visitor, running, game, self.language)

    def _steps(self, game: str) -> Iterator[Page]:
        """A turn that is begun with the dock, and taken back."""
        yield self._look("corner", game, more=f"?corner={self._corner(game)}")
        yield named("card", self.visitor.get(self.place.link(game)).tap("card"))
        for name in ("march begun", "another step"):
            yield named(name, self.visitor.tap("do"))
        nonce = self.visitor.form("//form[@id='draft']")[2] | {"do": "march Larissa"}
        yield named("step that cannot be done", self.visitor.post(self.place.link(game) + "/draft", **nonce))
        self.visitor.get(self.place.link(game)).tap("over")
        yield self._look("button that is too old", game, more="/draft", post={"nonce": "x"})

    def _look(
        self,
        name: str,
        game: str,
        words: str = "",
        *,
        more: str = "",
        seat: int | None = None,
        post: dict[str, str] | None = None,
    ) -> Page:
        link = self.place.link(game, words, seat=seat) + more
        return named(name, self.visitor.get(link) if post is None else self.visitor.post(link, **post))

    def _other(self, game: str) -> int:
        table = self.place.table(game)
        return (table.seat + 1) % len(table.names)

    def _ambiguous(self, game: str) -> str:
        card, march = first_choice(self.place, game).split("; ")
        return f"{card}; {' '.join(march.split()[:2])}"

    def _corner(self, game: str) -> str:
        return first_choice(self.place, game).rpartition(" ")[2].rpartition("-")[2]

    def _of_anna(self) -> str:
        """The page of a game in which Anna waits for others."""
        game = self._opened("Anna", "Ben", at_once=False)
        return f"/t/{seal_ticket(Ticket(game, 0, 0), self.place.context.links.keys)}"

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
        now = self.place.clock()
        addresses.request_address_confirmation(context, game, 0, "cleo@example.org", now)
        (code,) = context.confirmation_codes()
        yield named("new address", self.visitor.get(f"/c/{code}"))
        yield named("new address confirmed", self.visitor.press())
        stop = f"/u/{seal_unsubscribe(game, 0, context.links.keys)}"
        yield named("stop", self.visitor.get(stop))
        for number in (0, 0, 1, 0):
            buttons = self.visitor.page.xpath("//main//button[@name='wish']/@value")
            yield named(
                "stopped", self.visitor.send("//main//form", wish=str(buttons[number % len(buttons)]))
            )
        carrier = choose_transport(context, self.place.clock)
        while sending.send_due_letters(context, carrier, self.place.clock()):
            pass
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


def history_pages(place: Site, visitor: Visitor, running: str, over: str, language: str) -> Iterator[Page]:
    """Of a game that is running and of one that is over, for a player and for anybody."""
    place.context.let_watch(running, over)
    looks = {place.link(game, seat=0): game for game in (running, over)}
    links = [
        f"{link}/{page}" for link in looks for page in ("history", "history?at=0", "history?at=x", "sheet")
    ]
    links += [place.link(running) + "/sheet", f"/g/{over}/history?at=999999"]
    links += [f"/g/{game}{page}" for game in (running, over) for page in ("", "/history?at=3")]
    requests = [SeatRequest(name, f"{name.lower()}@example.org", language) for name in ("Anna", "Ben")]
    links += [f"/g/{watched(place, place.context.open_game('Friday', requests, NOON))}", "/g/nowhere"]
    for link in links:
        yield named(link.rpartition("/")[2], visitor.get(link))
