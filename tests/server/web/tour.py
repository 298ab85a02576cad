"""A walk through every page, for tests that look at all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml.html import HtmlElement
from sqlmodel import func, select

from emails.tokens import Ticket, seal_ticket, seal_unsubscribe, seal_unwanted
from emails.wording.options import list_options
from engine.bots import play_to_win
from engine.notation.orders import write
from engine.position import view
from server.accounts import addresses
from server.delivery import sending
from server.delivery.relay import choose_transport
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.lobby import proposals
from server.outbox.queue import open_unit
from server.store.game_terms import SeatRequest
from server.store.models import LocalMail, Proposal, Seating
from server.web.kit.cookies import SIGN_IN_COOKIE
from tests.server.desk import NOON, confirmation_codes, let_advise, let_watch, open_game, play
from tests.server.web import tour_joining, tour_signing
from tests.server.web.lobby.test_new_game_form import TWO
from tests.server.web.played import list_conquests, watched
from tests.server.web.site import Site, Visitor

Page = tuple[str, HtmlElement]


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

    def _page(self, name: str) -> Page:
        return f"{name}: {self.visitor.title}", self.visitor.page

    def _for_everybody(self) -> Iterator[Page]:
        visitor = self.visitor
        for link in ("/", "/new", "/mailbox", "/rules", "/rules?edition=identity-games", "/help", "/privacy"):
            visitor.get(link)
            yield self._page(link)
        for changes in ({"name": ""}, {"name2": "Anna"}, {"address1": ""}, {"edition": "x"}):
            visitor.get("/new").send("//main//form", **(TWO | changes))
            yield self._page(f"form with {changes}")
        visitor.get("/new").send("//main//form", nonce="x")
        yield self._page("form from another page")
        visitor.get("/new").send("//main//form", **TWO, kind3="house")
        yield self._page("asked for")
        self.place.say_yes(visitor)
        yield self._page("opened")

    def _invitations(self) -> Iterator[Page]:
        game = self._opened("Anna", "Ben", at_once=False)
        secret = self.place.context.links.keys
        for seat in (0, 1):
            self.visitor.get(f"/t/{seal_ticket(Ticket(game, seat, 0, 'accept'), secret)}")
            yield self._page("invitation")
            self.visitor.get(f"/t/{seal_ticket(Ticket(game, seat, 0, 'decline'), secret)}")
            yield self._page("invitation to be declined")
            self.visitor.send("//main//form[not(contains(@action, '/leave'))]")
            yield self._page("accepted")
            self.visitor.get("/me")
            yield self._page("games that were played here")
        self.visitor.get(f"/x/{seal_unwanted('0' * 32, secret)}")
        yield self._page("not wanted")
        for _ in range(2):
            self.visitor.press()
            yield self._page("not wanted any more, or again")
        self.visitor.send("//main//form", wish="x")
        yield self._page("not wanted, and no wish")

    def _proposals(self) -> Iterator[Page]:
        post, now = self.place.context.links, self.place.clock()
        with self.place.context.reading() as session:
            before = set(session.exec(select(Proposal.game)))
        known: list[str] = []
        links: list[str] = []
        for number, words in enumerate(("24h", "house, a@@b", "2 houses")):
            to = post.proposal_links(known[1])[1] if number == 2 else f"new@{post.domain}"
            head = f"From: dirk@example.org\r\nMessage-ID: <{number}@x>\r\n\r\n"
            mail = f"{head}{words}\r\ntaal: {self.language}"
            store_mail(self.place.context, "anna@example.org", to, mail.encode(), now)
            dispatch.process_waiting_mail(self.place.context, now)
            with self.place.context.reading() as session:
                known += [one for one in session.exec(select(Proposal.game)) if one not in {*before, *known}]
            links.append(post.proposal_links(known[-1])[0].removeprefix(post.base_url))
            self.visitor.get(links[-1])
            yield self._page("proposal")
        self.visitor.send("//main//form", nonce="x")
        yield self._page("proposal from another page")
        self.visitor.get(links[1])
        yield self._page("proposal that was replaced")
        with self.place.context.reading() as session:
            first = session.exec(select(Seating).where(Seating.game == known[0])).one()
        self.visitor.get(f"/u/{seal_unsubscribe(known[0], first.seat, post.keys)}")
        yield self._page("stop a proposal")
        self.visitor.get(links[2]).press()
        yield self._page("proposal confirmed")
        proposals.delete_expired_proposals(self.place.context, now + proposals.PROPOSAL_VALID)
        self.visitor.get(links[0])
        yield self._page("proposal of a week ago")

    def _opened(self, *names: str, at_once: bool = True) -> str:
        requests = [SeatRequest(name, f"{name.lower()}@example.org", self.language) for name in names]
        return open_game(self.place.context, "Friday", requests, NOON, at_once=at_once)

    # --- a game -----------------------------------------------------------------------------------------

    def _turns(self) -> Iterator[Page]:
        game = self._opened("Anna", "Ben", "Cleo")
        old = self.place.token(game)
        yield self._look("turn", game)
        yield self._look("no advice", game, more="/advice")
        let_advise(self.place.context, game)
        yield self._look("turn with advice", game)
        yield self._look("advice", game, more="/advice")
        yield from self._steps(game)
        yield self._look("refused", game, "march Larissa")
        yield self._look("unreadable", game, "marhc Larissa")
        yield self._look("nothing typed", game, more="?say=")
        yield self._look("too long", game, more="?say=" + "draw;" * 400)
        yield self._look("question", game, self._ambiguous(game))
        yield self._look("preview", game, self._first(game, "march"))
        yield self._look("late button", game, post={"nonce": "x"})
        yield self._look("preview at once", game, self._first(game, "march"))
        self.visitor.press()
        yield self._page("done")
        self.visitor.send("//form[contains(@action, '/at-once')]")
        yield self._page("done, and at once from now on")
        self.visitor.get(f"/t/{old}")
        yield self._page("moved on")
        yield self._look("preview of more than is known", game, "draw; take lyre; end")
        self.visitor.press()
        yield self._page("done in part")
        yield self._look("somebody else", game, seat=self._other(game))
        yield self._look("plan", game, seat=self._other(game), more="/plan")
        self._until(game, lambda: any(conquest.gifts for conquest in list_conquests(self._view(game))))
        conquest = next(conquest for conquest in list_conquests(self._view(game)) if conquest.gifts)
        yield self._look("guards to be placed", game, more=f"?province={conquest.name}")
        yield self._look("takeover", game, f"takeover {conquest.sites[0].name}")
        misplaced = f"?place=takeover&guard={conquest.sites[0].name}&give-horse=9"
        yield self._look("guards that do not fit", game, more=misplaced)
        yield self._look("impossible guards", game, "occupy Troy+Sangala")
        self._until(game, lambda: self._view(game).table.last_turn or self._view(game).table.over)
        yield self._look("last turn", game)
        self._until(game, lambda: self._view(game).table.over)
        yield self._look("over", game, seat=0)
        running = self._opened("Anna", "Ben")
        self._until(running, lambda: self._view(running).table.turn > 4)
        yield from history_pages(self.place, self.visitor, running, game, self.language)

    def _steps(self, game: str) -> Iterator[Page]:
        """A turn that is begun with the dock, and taken back."""
        yield self._look("corner", game, more=f"?corner={self._corner(game)}")
        self.visitor.get(f"/t/{self.place.token(game)}").tap("card")
        yield self._page("card")
        self.visitor.tap("do")
        yield self._page("march begun")
        self.visitor.tap("do")
        yield self._page("another step")
        nonce = self.visitor.form("//form[@id='draft']")[2] | {"do": "march Larissa"}
        self.visitor.post(f"/t/{self.place.token(game)}/draft", **nonce)
        yield self._page("step that cannot be done")
        self.visitor.get(f"/t/{self.place.token(game)}").tap("over")
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
        link = f"/t/{self.place.token(game, words, seat=seat)}{more}"
        self.visitor.get(link) if post is None else self.visitor.post(link, **post)
        return self._page(name)

    def _view(self, game: str):
        position = self.place.history(game).position
        assert position is not None
        return view(position, position.table.seat)

    def _other(self, game: str) -> int:
        table = self._view(game).table
        return (table.seat + 1) % len(table.names)

    def _first(self, game: str, kind: str) -> str:
        offered = (one for group in list_options(self._view(game)) for one in group.choices)
        return next(one.words for one in offered if kind in one.words and not one.further)

    def _ambiguous(self, game: str) -> str:
        card, march = self._first(game, "march").split("; ")
        return f"{card}; {' '.join(march.split()[:2])}"

    def _corner(self, game: str) -> str:
        return self._first(game, "march").rpartition(" ")[2].rpartition("-")[2]

    def _until(self, game: str, reached: Callable[[], bool]) -> None:
        """Let the house play for everybody until something is so."""
        while not reached():
            known = self._view(game)
            words = write(play_to_win(known), known.table.board)
            after = self.place.history(game).after
            play(self.place.context, game, known.table.seat, after, [words], "web", NOON)

    def _of_anna(self) -> str:
        """The page of a game in which Anna waits for others."""
        game = self._opened("Anna", "Ben", at_once=False)
        return f"/t/{seal_ticket(Ticket(game, 0, 0), self.place.context.links.keys)}"

    # --- what stands beside the games -------------------------------------------------------------------

    def _letters(self) -> Iterator[Page]:
        game, context = self._opened("Anna", "Dirk"), self.place.context
        yield self._look("settings", game, more="/settings")
        self.visitor.send("//form[contains(@action, '/settings')]", **{"scope": "own", "own-pace": "x"})
        yield self._page("settings refused")
        settings = self.place.link(game, seat=0) + "/settings"
        self.place.sign_in(self.visitor, game)
        self.visitor.get(settings)
        yield self._page("settings of all games")
        self.visitor.send("//form[contains(@action, '/settings')]", language=self.language, zone="x")
        yield self._page("settings of all games refused")
        self.visitor.client.delete_cookie(self.place.app.config[SIGN_IN_COOKIE])
        self.visitor.get(settings).send("//form[contains(@action, '/address')]", address="cleo@example.org")
        yield self._page("move asked")
        (move,) = confirmation_codes(context)
        self.visitor.get(f"/c/{move}")
        yield self._page("move")
        with open_unit(context, self.place.clock()) as unit:
            addresses.decline_move(unit, move)
            unit.commit()
        self.visitor.get(f"/t/{self.place.token(game)}").send("//form[.//*[@name='words']]", words="")
        yield self._page("nothing said")
        self.visitor.send("//form[.//*[@name='words']]", words="Anna, Anna!")
        yield self._page("said")
        now = self.place.clock()
        addresses.request_address_confirmation(context, game, 0, "cleo@example.org", now)
        (code,) = confirmation_codes(context)
        self.visitor.get(f"/c/{code}")
        yield self._page("new address")
        self.visitor.press()
        yield self._page("new address confirmed")
        stop = f"/u/{seal_unsubscribe(game, 0, context.links.keys)}"
        self.visitor.get(stop)
        yield self._page("stop")
        for number in (0, 0, 1, 0):
            buttons = self.visitor.page.xpath("//main//button[@name='wish']/@value")
            self.visitor.send("//main//form", wish=str(buttons[number % len(buttons)]))
            yield self._page("stopped")
        while sending.send_due_letters(
            context, choose_transport(context, self.place.clock), self.place.clock()
        ):
            pass
        self.visitor.get("/mailbox?to=dirk@example.org")
        yield self._page("mailbox")
        with context.reading() as session:
            number = session.exec(select(func.max(LocalMail.id))).one()
        for tab in ("html", "text"):
            self.visitor.get(f"/mailbox/{number}?tab={tab}")
            yield self._page(f"mail as {tab}")

    def _errors(self) -> Iterator[Page]:
        token = seal_ticket(Ticket("aaaaaaaa", 0, 3), self.place.context.links.keys)
        for link in ("/nowhere", "/t/x", f"/t/{token}", "/c/nobody"):
            self.visitor.get(link)
            yield self._page(link[:3])
        for link, sent in (("/", "x"), ("/new", "x" * 70_000)):
            self.visitor.post(link, name=sent)
            yield self._page("not so")


def history_pages(
    place: Site, visitor: Visitor, running: str, over: str, language: str
) -> Iterator[tuple[str, HtmlElement]]:
    """Of a game that is running and of one that is over, for a player and for anybody."""
    let_watch(place.context, running, over)
    looks = {f"/t/{place.token(game, seat=0)}": game for game in (running, over)}
    links = [
        f"{link}/{page}" for link in looks for page in ("history", "history?at=0", "history?at=x", "sheet")
    ]
    links += [f"/t/{place.token(running)}/sheet", f"/g/{over}/history?at=999999"]
    links += [f"/g/{game}{page}" for game in (running, over) for page in ("", "/history?at=3")]
    requests = [SeatRequest(name, f"{name.lower()}@example.org", language) for name in ("Anna", "Ben")]
    links += [f"/g/{watched(place, open_game(place.context, 'Friday', requests, NOON))}", "/g/nowhere"]
    for link in links:
        visitor.get(link)
        yield f"{link.rpartition('/')[2]}: {visitor.title}", visitor.page
